//! One memory: what it says, what it is linked to, and how it came to be so.

use camino::Utf8Path;
use jiff::Timestamp;
use maud::{Markup, html};
use memdir_core::history::lineage::Moment;
use memdir_core::memory::entrypoint::ENTRYPOINT;
use memdir_core::memory::frontmatter::Frontmatter;
use memdir_core::memory::memory_type::MemoryType;
use memdir_core::memory::topic::{Topic, decode};
use memdir_core::operation::Operation;
use memdir_core::rel_path::RelPath;
use memdir_core::verify::{Freshness, Verified};
use memdir_lib::memory::{Entry, Log, Memory, MemoryError};
use memdir_lib::sources;
use memdir_lib::usage::{MemoryUsage, UsageEvent, UsageRecord, records, usage_of};

use super::memories::scope_of;
use crate::markdown::{Linking, MAX_RENDERED, render};
use crate::page::{Asked, badge, empty};
use crate::project::SCOPES;
use crate::reply::PageError;
use crate::text::{ago, author, bytes, count, cut, local, visible};

/// No more of a source than this is shown.
const MAX_SOURCE: usize = 512 << 10;
/// So many entries of the history are shown.
const MAX_HISTORY: usize = 50;
/// So many uses are shown.
const MAX_GIVEN: usize = 10;
/// So many links and citations are shown.
const MAX_LISTED: usize = 60;

/// Keys of the header that have a meaning of their own here, in the order in which they are shown.
const SHOWN_KEYS: [&str; 8] = [
    "metadata.pinned",
    "pinned",
    "metadata.expires",
    "expires",
    "metadata.supersedes",
    "supersedes",
    "metadata.cues",
    "cues",
];

pub(crate) fn detail(asked: &Asked<'_>, path: &str) -> Result<Markup, PageError> {
    let memory = asked.project.memory()?;
    if path == ENTRYPOINT {
        return index_file(asked, &memory);
    }
    match memory.find(path) {
        Ok(entry) => there(asked, &memory, &entry),
        Err(MemoryError::NotFound { .. }) => gone(asked, &memory, path),
        Err(error) => Err(error.into()),
    }
}

fn there(asked: &Asked<'_>, memory: &Memory, entry: &Entry) -> Result<Markup, PageError> {
    let path = entry.path.as_str();
    let content = memory.read(&entry.path)?.unwrap_or_default();
    let text = decode(&content).0.into_owned();
    let (topic, problems) = Topic::parse(&text);
    let body = text.get(topic.body.clone()).unwrap_or_default();
    let catalogue = asked.project.catalogue()?;
    let linking = Linking::new(&catalogue, &asked.links);
    let (_, log) = memory.log_about(path)?;
    let history = memory.log_of(&entry.path, &log);
    let now = asked.viewer.now();
    let recalled = sources::usage(&asked.viewer.env).count(&memory.directory().join(path));
    let last = history.first();
    let file = memory.directory().join(path);
    let records = records(&asked.viewer.env);
    let usage = usage_of(&file, &records);
    Ok(html! {
        article.memory data-path=(path) {
            header.memory-head {
                a.back href=(asked.links.to("memories", &[])) { "← Memories" }
                h1 { (visible(entry.title())) }
                p.facts {
                    (badge(entry.memory_type.as_ref().map_or("untyped", MemoryType::as_str), entry.memory_type.as_ref().map_or("untyped", MemoryType::as_str)))
                    @if scope_of(entry) != "private" { " " (badge("", scope_of(entry))) }
                    span { code { (visible(path)) } }
                    span { (bytes(entry.bytes)) }
                    span { (ago(entry.modified, now)) @if let Some(last) = last { " by " (author(&last.author)) } }
                    span { (used(recalled as usize, &usage, now)) }
                    @if let Some(session) = &topic.origin_session {
                        span { "from session " a href=(asked.links.to("session", &[("id", session)])) { (visible(&cut(session, 8))) } }
                    }
                }
                @if let Some(description) = &topic.description { p.lead { (visible(description)) } }
                (header_fields(&text))
                @for problem in &problems { p.warning { (visible(&problem.to_string())) } }
                (actions(asked, entry))
            }
            div.both {
                div.rendered { (render(body, Some(&linking))) @if body.len() > MAX_RENDERED { p.quiet { "The rest is in the source." } } }
                details.source open[body.len() < 4_000] { summary { "Source" } (source(&text)) }
            }
            (relations(asked, memory, entry, &topic)?)
            (given(asked, &file, &records))
            (history_list(asked, &entry.path, &history))
        }
    })
}

/// How often and when a memory was used.
fn used(recalled: usize, usage: &MemoryUsage, now: Timestamp) -> Markup {
    let recalled = recalled.max(usage.shown + usage.named);
    html! {
        @if recalled > 0 { "recalled " (count(recalled, "time", "times")) } @else { "never recalled" }
        @if let Some(last) = usage.last_shown { ", last " (ago(last, now)) }
        @if usage.read > 0 { ", read " (count(usage.read, "time", "times")) }
        @if usage.cited > 0 { ", relied on " (count(usage.cited, "time", "times")) }
    }
}

/// To which sessions it was given, and why.
fn given(asked: &Asked<'_>, file: &Utf8Path, records: &[UsageRecord]) -> Markup {
    let given: Vec<&UsageRecord> = records
        .iter()
        .rev()
        .filter(|record| record.path == file && is_given(record))
        .take(MAX_GIVEN)
        .collect();
    html! {
        @if !given.is_empty() {
            section {
                h2 { "Given to agents" }
                ol.timeline { @for record in given {
                    li {
                        span.when { (ago(record.time, asked.viewer.now())) }
                        (given_as(record))
                        @if let Some(session) = &record.session {
                            span { "session " a href=(asked.links.to("session", &[("id", session)])) { (visible(&cut(session, 8))) } }
                        }
                        span.quiet { (why_given(record)) }
                    }
                } }
            }
        }
    }
}

/// Whether an agent was given it, in full or by name.
pub(crate) fn is_given(record: &UsageRecord) -> bool {
    matches!(record.event, UsageEvent::Shown | UsageEvent::Named)
}

pub(crate) fn given_as(record: &UsageRecord) -> Markup {
    if record.event == UsageEvent::Shown { badge("good", "quoted") } else { badge("", "named") }
}

/// Why an agent was given a memory.
pub(crate) fn why_given(record: &UsageRecord) -> String {
    let why = match record.reason.as_str() {
        "cues" => "its cues match the prompt",
        "pinned" => return "it is pinned".to_owned(),
        "tool" => return "its `when` names the tool call".to_owned(),
        _ => "it shares words with the prompt",
    };
    format!("{why}, {:.0} % likely", record.score * 100.0)
}

/// The source with its hidden characters shown.
pub(crate) fn source(text: &str) -> Markup {
    let shown =
        text.char_indices().nth(MAX_SOURCE).map_or(text, |(end, _)| text.get(..end).unwrap_or_default());
    html! {
        pre tabindex="0" { (visible(shown)) }
        @if shown.len() < text.len() { p.quiet { (bytes((text.len() - shown.len()) as u64)) " more are not shown." } }
    }
}

fn header_fields(text: &str) -> Markup {
    let (frontmatter, _) = Frontmatter::parse(text);
    let value = |key: &str| frontmatter.as_ref().and_then(|fields| fields.value(key)).map(|(value, _)| value);
    let shown = |value: serde_json::Value| match value {
        serde_json::Value::String(text) => text,
        serde_json::Value::Array(items) => items
            .iter()
            .map(|item| item.as_str().map_or_else(|| item.to_string(), str::to_owned))
            .collect::<Vec<_>>()
            .join(" · "),
        other => other.to_string(),
    };
    let fields: Vec<(&str, String)> = SHOWN_KEYS
        .into_iter()
        .filter_map(|key| {
            Some((key.trim_start_matches("metadata."), shown(serde_json::to_value(value(key)?).ok()?)))
        })
        .collect();
    html! {
        @if !fields.is_empty() {
            dl.fields { @for (key, value) in &fields { dt { (key) } dd { (visible(&cut(value, 400))) } } }
        }
    }
}

fn actions(asked: &Asked<'_>, entry: &Entry) -> Markup {
    let path = entry.path.as_str();
    let is_team = scope_of(entry) == "team";
    let chosen = entry.memory_type.as_ref().map_or("", MemoryType::as_str);
    html! {
        div.actions {
            a.button.primary href=(asked.links.to("edit", &[("path", path)])) data-key="e" { "Edit" }
            details.menu {
                summary.button { "Rename" }
                form.card method="post" action=(asked.links.to("rename", &[])) {
                    (asked.token())
                    input type="hidden" name="path" value=(path);
                    label { "New name" input type="text" name="name" value=(entry.title()) required maxlength="200"; }
                    p.quiet { "Links and the index follow." }
                    button.primary type="submit" { "Rename" }
                }
            }
            form.inline method="post" action=(asked.links.to("set", &[])) data-submit-on-change="" {
                (asked.token())
                input type="hidden" name="path" value=(path);
                input type="hidden" name="key" value="type";
                select name="value" aria-label="Type" {
                    @if chosen.is_empty() { option value="" selected { "untyped" } }
                    @for kind in MemoryType::KNOWN { option value=(kind.as_str()) selected[kind.as_str() == chosen] { (kind.as_str()) } }
                }
                noscript { button type="submit" { "Set type" } }
            }
            details.menu {
                summary.button { "More" }
                div.card {
                    form method="get" action=(asked.links.to("merge", &[])) {
                        input type="hidden" name="path" value=(path);
                        label { "Merge with" input type="text" name="with" required placeholder="name of another memory"; }
                        button type="submit" { "Merge…" }
                    }
                    form method="post" action=(asked.links.to("move", &[])) {
                        (asked.token())
                        input type="hidden" name="path" value=(path);
                        label { "Move to project" input type="text" name="to" required placeholder="name or directory"; }
                        button type="submit" { "Move" }
                    }
                    @for (slug, extent, title) in SCOPES {
                        @if asked.project.extent != Some(extent) && !is_team {
                            (asked.button("move", &format!("Move to: {}", title.to_lowercase()), "", &[("path", path), ("to", slug)]))
                        }
                    }
                    @if asked.project.extent.is_none() { (asked.button("share", if is_team { "Make private" } else { "Share with the team" }, "", &[("path", path)])) }
                }
            }
            (asked.button("delete", "Delete", "danger", &[("path", path)]))
        }
    }
}

fn relations(asked: &Asked<'_>, memory: &Memory, entry: &Entry, topic: &Topic) -> Result<Markup, PageError> {
    let catalogue = asked.project.catalogue()?;
    let linking = Linking::new(&catalogue, &asked.links);
    let linked_from = memory.linked_from(entry)?;
    let verified = memory.verify(std::slice::from_ref(entry), &catalogue)?;
    let citations = verified.into_iter().next().map(|found| found.citations).unwrap_or_default();
    let resolved = |target: &str| {
        let place = linking.targets.resolve(target).first()?;
        catalogue.entries.get(*place)
    };
    Ok(html! {
        div.relations {
            section {
                h2 { "Links to" }
                @if topic.links.is_empty() { p.quiet { "Nothing." } }
                ul { @for target in topic.links.iter().take(MAX_LISTED) {
                    li { @match resolved(target) {
                        Some(to) => a href=(asked.links.memory(to.path.as_str())) data-pane="detail" { (visible(to.title())) },
                        None => { span.missing { (visible(&cut(target, 120))) } " " (badge("warn", "missing")) },
                    } }
                } }
                @if topic.links.len() > MAX_LISTED { p.quiet { "and " (topic.links.len() - MAX_LISTED) " more" } }
            }
            section {
                h2 { "Linked from" }
                @if linked_from.is_empty() { p.quiet { "No memory links here." } }
                ul { @for path in linked_from.iter().take(MAX_LISTED) {
                    li { a href=(asked.links.memory(path.as_str())) data-pane="detail" { (visible(path.as_str())) } }
                } }
            }
            section {
                h2 { "Cites" }
                @if citations.is_empty() { p.quiet { "No file, symbol or command." } }
                ul { @for citation in citations.iter().take(MAX_LISTED) { (citation_row(citation)) } }
                @if citations.len() > MAX_LISTED { p.quiet { "and " (citations.len() - MAX_LISTED) " more" } }
            }
        }
    })
}

fn citation_row(found: &Verified) -> Markup {
    let (class, word) = match found.freshness {
        Freshness::Fresh => ("good", "exists"),
        Freshness::Changed => ("warn", "changed"),
        _ => ("bad", "gone"),
    };
    html! {
        li { code { (visible(&cut(&found.citation.cited.to_string(), 160))) } " " (badge(class, word))
            @if let Some(why) = &found.why { span.quiet { " " (visible(why)) } } }
    }
}

fn history_list(asked: &Asked<'_>, path: &RelPath, history: &[&Operation]) -> Markup {
    html! {
        section.history {
            h2 { "History" }
            @if history.is_empty() { p.quiet { "No change of this file is recorded yet." } }
            ol.timeline {
                @for (place, operation) in history.iter().take(MAX_HISTORY).enumerate() {
                    li {
                        span.when title=(local(operation.time)) { (ago(operation.time, asked.viewer.now())) }
                        (badge(crate::text::author_kind(operation.author.kind), &author(&operation.author)))
                        a.what href=(asked.links.to("operation", &[("id", &operation.id.0), ("path", path.as_str())])) { (visible(&operation.reason)) }
                        @if place > 0 {
                            (asked.button("restore", "Restore", "small", &[("path", path.as_str()), ("at", &operation.id.0)]))
                        }
                    }
                }
            }
        }
    }
}

/// A memory that is not there any more.
fn gone(asked: &Asked<'_>, memory: &Memory, name: &str) -> Result<Markup, PageError> {
    let Ok((path, log)) = memory.log_about(name) else {
        return Ok(empty(
            "Not here",
            &html! { "There is no memory " code { (visible(name)) } " in this project." },
        ));
    };
    let history = memory.log_of(&path, &log);
    let last = last_content(memory, &path, &history, &log);
    Ok(html! {
        article.memory {
            header.memory-head {
                a.back href=(asked.links.to("memories", &[])) { "← Memories" }
                h1 { (visible(path.as_str())) }
                p.warning { "This memory was removed." }
                @if let Some((operation, _)) = &last {
                    div.actions { (asked.button("restore", "Restore", "primary", &[("path", path.as_str()), ("at", &operation.id.0)])) }
                }
            }
            @if let Some((_, text)) = &last { (source(text)) }
            (history_list(asked, &path, &history))
        }
    })
}

fn last_content(
    memory: &Memory,
    path: &RelPath,
    history: &[&Operation],
    log: &Log,
) -> Option<(Operation, String)> {
    history.iter().find_map(|operation| {
        let moment = Moment::After(operation.id.clone());
        let (_, content) = memory.content_at(path, &moment, log).ok()?;
        Some(((*operation).clone(), decode(&content?).0.into_owned()))
    })
}

/// MEMORY.md itself.
fn index_file(asked: &Asked<'_>, memory: &Memory) -> Result<Markup, PageError> {
    let path = RelPath::parse(ENTRYPOINT)?;
    let content = memory.read(&path)?.unwrap_or_default();
    let text = decode(&content).0.into_owned();
    let catalogue = asked.project.catalogue()?;
    let linking = Linking::new(&catalogue, &asked.links);
    let (_, log) = memory.log_about(ENTRYPOINT)?;
    let history = memory.log_of(&path, &log);
    Ok(html! {
        article.memory data-path=(ENTRYPOINT) {
            header.memory-head {
                a.back href=(asked.links.to("memories", &[])) { "← Memories" }
                h1 { "MEMORY.md" }
                p.lead { "The index: what every session starts with." }
                div.actions { a.button.primary href=(asked.links.to("edit", &[("path", ENTRYPOINT)])) data-key="e" { "Edit" } }
            }
            div.both {
                div.rendered { (render(&text, Some(&linking))) }
                details.source { summary { "Source" } (source(&text)) }
            }
            (history_list(asked, &path, &history))
        }
    })
}
