use anyhow::{Context, Result};
use jiff::Timestamp;
use memdir_core::hygiene::{Owner, Provenance, render};
use memdir_core::mcp::MemoryUri;
use memdir_core::memory::topic::decode;
use memdir_core::rel_path::{ENTRYPOINT, RelPath};
use memdir_core::settings::ClientFlags;
use memdir_lib::journal::Journal;
use memdir_lib::memory::Memory;

use super::tool_answer::ToolAnswer;
use super::workplace::Asked;

/// No more of one text is shown at once, in UTF-16 units.
pub(super) const MOST_UNITS: usize = 50_000;

/// Reads a memory by its name, its file's stem or its path.
pub(super) fn read_named(asked: &Asked<'_>, name: &str) -> Result<ToolAnswer> {
    let (memory, _) = asked.memory()?;
    if name == ENTRYPOINT {
        return read_memory(asked, &memory, &RelPath::parse(ENTRYPOINT)?).map(said);
    }
    let catalogue = memory.catalogue()?;
    let entry = catalogue.find(name, &memory)?;
    read_memory(asked, &memory, &entry.path).map(said)
}

/// Reads what an address names.
pub(super) fn read_uri(asked: &Asked<'_>, uri: &MemoryUri) -> Result<ToolAnswer> {
    quoted(asked, uri).map(said)
}

/// What an address names, quoted; `None` if there is nothing.
pub(super) fn quoted(asked: &Asked<'_>, uri: &MemoryUri) -> Result<Option<String>> {
    match uri {
        MemoryUri::Memory(path) => {
            let (memory, _) = asked.memory()?;
            let path = RelPath::parse(path).with_context(|| format!("`{path}` is no path of a memory"))?;
            read_memory(asked, &memory, &path)
        }
        MemoryUri::Journal(path) => {
            let journal = Journal::open(asked.env, &ClientFlags::default())?;
            let (path, text) = journal.show(path)?;
            Ok(Some(quote(asked, &path, None, &text)))
        }
    }
}

fn said(quoted: Option<String>) -> ToolAnswer {
    quoted.map_or_else(|| ToolAnswer::failed("there is no such memory"), ToolAnswer::text)
}

fn read_memory(asked: &Asked<'_>, memory: &Memory, path: &RelPath) -> Result<Option<String>> {
    let Some(content) = memory.read(path)? else { return Ok(None) };
    let stat = memory.root().and_then(|root| root.stat(path).ok().flatten());
    let modified = stat.and_then(|stat| Timestamp::from_nanosecond(stat.modified).ok());
    Ok(Some(quote(asked, path.as_str(), modified, &decode(&content).0)))
}

/// A text of this project as data.
pub(super) fn quote(asked: &Asked<'_>, file: &str, modified: Option<Timestamp>, text: &str) -> String {
    let provenance = Provenance { file, owner: Owner::User, modified, changed_by: None, now: asked.now };
    render(text.trim_end(), &provenance, MOST_UNITS)
}
