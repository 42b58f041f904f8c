use std::borrow::Cow;

use anyhow::{Context, Result};
use jiff::Timestamp;
use memdir_core::hygiene::{Owner, Provenance, clean, cut, render};
use memdir_core::mcp::{MemoryUri, Readable};
use memdir_core::memory::topic::decode;
use memdir_core::rel_path::{ENTRYPOINT, RelPath};
use memdir_core::settings::ClientFlags;
use memdir_lib::journal::Journal;
use memdir_lib::memory::Memory;
use memdir_lib::usage::note_read;

use super::tool_answer::ToolAnswer;
use super::workplace::Asked;

/// No more of one text is shown at once, in UTF-16 units.
pub(super) const MOST_UNITS: usize = 50_000;

/// Reads something from one of its lines on.
pub(super) fn read(asked: &Asked<'_>, what: &Readable, from: usize) -> Result<ToolAnswer> {
    let found = match what {
        Readable::Uri(uri) => text_at(asked, uri)?,
        Readable::Named(name) => {
            let (memory, _) = asked.memory()?;
            let path = match name.as_str() {
                ENTRYPOINT => RelPath::parse(ENTRYPOINT)?,
                name => memory.find(name)?.path,
            };
            text_of(asked, &memory, &path)?
        }
    };
    let Some(found) = found else { return Ok(ToolAnswer::failed("there is no such memory")) };
    let text = found.shown();
    let lines = text.split('\n').count();
    let mut starts = std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1));
    let Some(rest) = starts.nth(from - 1).and_then(|start| text.get(start..)) else {
        return Ok(ToolAnswer::failed(format!("there is no line {from}: the last one is {lines}")));
    };
    let file = if from == 1 { found.file.clone() } else { format!("{}, from line {from}", found.file) };
    let mut answer = quote(asked, &file, found.modified, rest);
    if let Some(cut) = cut(rest, MOST_UNITS) {
        let last = from + cut.lines - 1;
        if cut.is_within_line {
            answer.push_str(&format!("\nLine {last} is longer than one answer can be."));
        }
        if last < lines {
            answer.push_str(&format!("\nThere is more: `from` {} goes on.", last + 1));
        }
    }
    Ok(ToolAnswer::text(answer))
}

/// What an address names, quoted; `None` if there is nothing.
pub(super) fn quoted(asked: &Asked<'_>, uri: &MemoryUri) -> Result<Option<String>> {
    Ok(text_at(asked, uri)?.map(|found| quote(asked, &found.file, found.modified, &found.text)))
}

/// A text with where it comes from.
struct FoundText {
    file: String,
    modified: Option<Timestamp>,
    text: String,
}

impl FoundText {
    /// Without invisible characters, so that lines are counted as they are shown.
    fn shown(&self) -> Cow<'_, str> {
        clean(self.text.trim_end())
    }
}

fn text_at(asked: &Asked<'_>, uri: &MemoryUri) -> Result<Option<FoundText>> {
    match uri {
        MemoryUri::Memory(path) => {
            let (memory, _) = asked.memory()?;
            let path =
                RelPath::parse(path).with_context(|| format!("`{path}` is not the path of a memory"))?;
            text_of(asked, &memory, &path)
        }
        MemoryUri::Journal(path) => {
            let journal = Journal::open(asked.env, &ClientFlags::default())?;
            let (file, text) = journal.show(path)?;
            Ok(Some(FoundText { file, modified: None, text }))
        }
    }
}

fn text_of(asked: &Asked<'_>, memory: &Memory, path: &RelPath) -> Result<Option<FoundText>> {
    let Some(content) = memory.read(path)? else { return Ok(None) };
    let file = memory.directory().join(path.as_path());
    note_read(asked.env, file, asked.author.session.as_deref(), asked.now);
    let stat = memory.root().and_then(|root| root.stat(path).ok().flatten());
    let modified = stat.and_then(|stat| Timestamp::from_nanosecond(stat.modified).ok());
    Ok(Some(FoundText { file: path.to_string(), modified, text: decode(&content).0.into_owned() }))
}

/// A text of this project as data.
pub(super) fn quote(asked: &Asked<'_>, file: &str, modified: Option<Timestamp>, text: &str) -> String {
    let changed_by = asked.memory().ok().and_then(|(memory, _)| memory.last_author_of(file));
    let owner = match &changed_by {
        Some(author) if file.starts_with("team/") => Owner::Team(author.id.as_deref().unwrap_or("unknown")),
        _ if file.starts_with("team/") => Owner::Team("unknown"),
        _ => Owner::User,
    };
    let provenance = Provenance { file, owner, modified, changed_by: changed_by.as_ref(), now: asked.now };
    render(text.trim_end(), &provenance, MOST_UNITS)
}
