//! Writing: a new memory, an old one, two that become one; and what happens if an agent wrote meanwhile.

use axum::http::StatusCode;
use maud::{Markup, html};
use memdir_core::content_hash::ContentHash;
use memdir_core::memory::edit_doubt::edit_doubt;
use memdir_core::memory::entrypoint::ENTRYPOINT;
use memdir_core::memory::memory_type::MemoryType;
use memdir_core::memory::text_merge::merge_text;
use memdir_core::memory::topic::Topic;
use memdir_core::operation::Author;
use memdir_core::rel_path::RelPath;
use memdir_core::text_diff::unified;
use memdir_disk::disk_error::DiskError;
use memdir_lib::memory::{Memory, MemoryError, Wish};
use serde::Deserialize;

use crate::change::{outcome, remove};
use crate::diff::diff;
use crate::markdown::{Linking, render};
use crate::page::{Asked, Done, Tab, heading};
use crate::reply::{PageError, Reply};
use crate::text::visible;

/// A larger memory is edited elsewhere.
const MAX_EDITED: usize = 1 << 20;

/// Which memory, and with which other.
#[derive(Debug, Deserialize)]
pub(crate) struct Which {
    path: String,
    #[serde(default)]
    with: String,
}

/// A text that a user wants to save.
#[derive(Debug, Deserialize)]
pub(crate) struct Edited {
    path: String,
    /// The hash of the version that was edited.
    base: String,
    text: String,
    /// A memory that the text takes in, and that goes.
    #[serde(default)]
    absorbs: String,
    /// Whether it is saved even if the header is broken.
    #[serde(default)]
    force: String,
}

/// A text to be shown as it would look.
#[derive(Debug, Deserialize)]
pub(crate) struct Draft {
    text: String,
}

/// The form of an edit.
struct Form<'f> {
    path: &'f str,
    base: ContentHash,
    text: &'f str,
    absorbs: &'f str,
    /// What to say above it.
    notice: Markup,
    force: bool,
}

pub(crate) fn new(asked: &Asked<'_>, done: Done) -> Result<Reply, PageError> {
    let body = html! {
        (heading("New memory", &html! {}))
        form.editor method="post" action=(asked.links.to("add", &[])) {
            (asked.token())
            div.columns {
                label { "Name" input type="text" name="name" required maxlength="200" autofocus placeholder="use-tabs"; }
                label { "Type" select name="type" {
                    @for kind in MemoryType::KNOWN { option value=(kind.as_str()) selected[kind == MemoryType::Project] { (kind.as_str()) } }
                } }
            }
            label { "Description" input type="text" name="description" required maxlength="500"
                placeholder="One line: the agent reads it in the index"; }
            label { "Text" textarea name="body" rows="14" required placeholder="What to remember, and why" {} }
            div.actions { button.primary type="submit" { "Save" } a.button href=(asked.links.to("memories", &[])) { "Cancel" } }
        }
    };
    Ok(Reply::Html(asked.page(Tab::Memories, "New memory", &done, &body)))
}

pub(crate) fn edit(asked: &Asked<'_>, which: Which) -> Result<Reply, PageError> {
    let memory = asked.project.memory()?;
    let path = path_of(&memory, &which.path)?;
    let (content, text) = editable(&memory, &path)?;
    let form = Form {
        path: path.as_str(),
        base: asked.viewer.keep_base(&content),
        text: &text,
        absorbs: "",
        notice: html! {},
        force: false,
    };
    Ok(Reply::Html(form_page(asked, &form, StatusCode::OK)))
}

/// Both texts in one form; the other memory goes when it is saved.
pub(crate) fn merge(asked: &Asked<'_>, which: Which) -> Result<Reply, PageError> {
    let memory = asked.project.memory()?;
    let (path, other) = (path_of(&memory, &which.path)?, path_of(&memory, which.with.trim())?);
    if path == other {
        return Err(PageError::new(StatusCode::CONFLICT, "a memory cannot be merged with itself"));
    }
    let (content, text) = editable(&memory, &path)?;
    let (_, other_text) = editable(&memory, &other)?;
    let (topic, _) = Topic::parse(&other_text);
    let both =
        format!("{}\n\n{}\n", text.trim_end(), other_text.get(topic.body).unwrap_or_default().trim_end());
    let form = Form {
        path: path.as_str(),
        base: asked.viewer.keep_base(&content),
        text: &both,
        absorbs: other.as_str(),
        notice: html! { p.card { "The text of " code { (visible(other.as_str())) } " is added below. When you save, that memory is removed. Both steps can be undone." } },
        force: false,
    };
    Ok(Reply::Html(form_page(asked, &form, StatusCode::OK)))
}

fn path_of(memory: &Memory, name: &str) -> Result<RelPath, PageError> {
    if name == ENTRYPOINT { Ok(RelPath::parse(ENTRYPOINT)?) } else { Ok(memory.find(name)?.path) }
}

fn editable(memory: &Memory, path: &RelPath) -> Result<(Vec<u8>, String), PageError> {
    let content = memory.read(path)?.unwrap_or_default();
    if content.len() > MAX_EDITED {
        return Err(PageError::new(
            StatusCode::CONFLICT,
            format!("`{path}` is too large to be edited here; use `memdir edit`"),
        ));
    }
    let text = String::from_utf8(content.clone()).map_err(|_| {
        PageError::new(
            StatusCode::CONFLICT,
            format!("`{path}` is not valid UTF-8, so it cannot be edited without loss"),
        )
    })?;
    Ok((content, text))
}

fn form_page(asked: &Asked<'_>, form: &Form<'_>, _status: StatusCode) -> Markup {
    let body = html! {
        (heading(&format!("Edit {}", form.path), &html! {}))
        (form.notice)
        form.editor method="post" action=(asked.links.to("save", &[])) data-preview=(asked.links.to("preview", &[])) {
            (asked.token())
            input type="hidden" name="path" value=(form.path);
            input type="hidden" name="base" value=(form.base.to_string());
            @if !form.absorbs.is_empty() { input type="hidden" name="absorbs" value=(form.absorbs); }
            @if form.force { input type="hidden" name="force" value="yes"; }
            div.both {
                label { "Text" textarea name="text" rows="24" spellcheck="true" autofocus { "\n" (form.text) } }
                div { span.label { "Preview" } div.rendered #preview aria-live="polite" { (preview_of(asked, form.text)) } }
            }
            div.actions {
                button.primary type="submit" { @if form.force { "Save anyway" } @else { "Save" } }
                a.button href=(asked.links.memory(form.path)) { "Cancel" }
                span.quiet { kbd { "Ctrl" } "+" kbd { "Enter" } " saves" }
            }
        }
    };
    asked.page(Tab::Memories, &format!("Edit {}", form.path), &Done::default(), &body)
}

fn preview_of(asked: &Asked<'_>, text: &str) -> Markup {
    let (topic, problems) = Topic::parse(text);
    let body = text.get(topic.body.clone()).unwrap_or_default();
    let catalogue = asked.project.catalogue().unwrap_or_default();
    let linking = Linking::new(&catalogue, &asked.links);
    html! {
        @for problem in &problems { p.warning { (visible(&problem.to_string())) } }
        (render(body, Some(&linking)))
    }
}

pub(crate) fn preview(asked: &Asked<'_>, draft: Draft) -> Result<Reply, PageError> {
    Ok(Reply::Html(preview_of(asked, &draft.text.replace("\r\n", "\n"))))
}

pub(crate) fn save(asked: &Asked<'_>, edited: Edited) -> Result<Reply, PageError> {
    let now = asked.viewer.now();
    let mut memory = asked.project.memory_to_change(now)?;
    let path = RelPath::parse(&edited.path)?;
    let hash = ContentHash::from_hex(&edited.base).ok_or_else(|| {
        PageError::new(StatusCode::BAD_REQUEST, "the form does not say which version was edited")
    })?;
    let base = match asked.viewer.base(hash) {
        Some(base) => base,
        None => memory.recorded(hash)?.ok_or_else(|| {
            PageError::new(
                StatusCode::CONFLICT,
                "the version that you edited is no longer known: go back, copy your text, and edit again",
            )
        })?,
    };
    let base_text = String::from_utf8_lossy(&base).into_owned();
    // Browsers send every line end as CR LF; the file keeps its own.
    let text = edited.text.replace("\r\n", "\n");
    let text = if base_text.contains("\r\n") { text.replace('\n', "\r\n") } else { text };
    let current = memory.read(&path)?.unwrap_or_default();
    if current != base {
        return Ok(Reply::Html(conflict(asked, &edited, &base_text, &text, &current)));
    }
    if edited.force.is_empty()
        && let Some(doubt) = edit_doubt(&base_text, &text)
    {
        let form = Form {
            path: &edited.path,
            base: hash,
            text: &text,
            absorbs: &edited.absorbs,
            notice: html! { p.warning { "Nothing is saved yet: the memory " (visible(&doubt)) "." } },
            force: true,
        };
        return Ok(Reply::Html(form_page(asked, &form, StatusCode::OK)));
    }
    let plan = memory.plan_replace(&path, &base, &text)?;
    let author = Author::person();
    let wish = Wish::replanned(&author);
    let saved = match memory.submit(&plan, &wish, now) {
        // An agent wrote between the look and the write.
        Err(MemoryError::Disk(DiskError::Conflict { .. })) => {
            let current = memory.read(&path)?.unwrap_or_default();
            return Ok(Reply::Html(conflict(asked, &edited, &base_text, &text, &current)));
        }
        submitted => outcome(submitted?)?,
    };
    let mut done = saved;
    if !edited.absorbs.is_empty() {
        let removed = remove(asked, &mut memory, &edited.absorbs)?;
        done.notes.extend(removed.notes);
        done.notes.push(format!("{} was removed.", edited.absorbs));
    }
    Ok(done.see(asked, "memories", &[("path", &edited.path)]))
}

/// The memory was changed meanwhile: all three versions, and one text to save.
fn conflict(asked: &Asked<'_>, edited: &Edited, base: &str, mine: &str, current: &[u8]) -> Markup {
    let theirs = String::from_utf8_lossy(current).into_owned();
    let merged = merge_text(base, mine, &theirs);
    let is_merged = merged.is_ok();
    let text = merged.unwrap_or_else(|_| {
        format!("<<<<<<< yours\n{}\n=======\n{}\n>>>>>>> theirs\n", mine.trim_end(), theirs.trim_end())
    });
    let of = |name: &str, text: &str| diff(&unified((Some("before"), base), (Some(name), text)));
    let notice = html! {
        div.warning role="alert" {
            p { strong { "This memory was changed while you edited it." } " Nothing is saved yet, and nothing is lost. "
                @if is_merged { "Both changes fit together: the text below holds both." }
                @else { "Both changes touch the same lines: choose in the text below, between the marks." } }
        }
        div.both {
            section { h2 { "Their change" } (of("theirs", &theirs)) }
            section { h2 { "Your change" } (of("yours", mine)) }
        }
    };
    let form = Form {
        path: &edited.path,
        base: asked.viewer.keep_base(current),
        text: &text,
        absorbs: &edited.absorbs,
        notice,
        force: false,
    };
    form_page(asked, &form, StatusCode::CONFLICT)
}
