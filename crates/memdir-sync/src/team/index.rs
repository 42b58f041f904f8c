//! The index of the team's memory: it follows from the files, so it never conflicts and never travels.

use jiff::Timestamp;
use memdir_core::hygiene::{clean, escape};
use memdir_core::memory::auto_index::{IndexSource, generate};
use memdir_core::memory::entrypoint::ENTRYPOINT;
use memdir_core::plan::{Change, Content};
use memdir_core::rel_path::RelPath;
use memdir_lib::memory::{Memory, MemoryError};
use memdir_lib::team::TEAM_DIR;

/// A file that is about to come, with its description, to go, or to get another name.
pub(crate) enum Coming<'c> {
    Added(&'c str, Option<String>),
    Removed(&'c str),
    Renamed(&'c str, &'c str),
}

/// The change that makes the index what follows from the files; `None` if it is that already.
pub(crate) fn index_change(
    memory: &Memory,
    coming: Option<Coming<'_>>,
) -> Result<Option<Change>, MemoryError> {
    let catalogue = memory.catalogue()?;
    // The files' own times differ from machine to machine, so they do not order the lines.
    let source = |path: &str, description: Option<String>| IndexSource {
        path: path.to_owned(),
        // Team mates wrote it and every agent reads it: nothing in it may pass for anybody's word.
        description: description.map(|text| escape(&clean(&text)).into_owned()),
        modified: Timestamp::UNIX_EPOCH,
    };
    let mut sources: Vec<IndexSource> = catalogue
        .entries
        .iter()
        .filter_map(|entry| {
            let key = entry.path.as_str().strip_prefix(TEAM_DIR)?.strip_prefix('/')?;
            Some(source(key, entry.description.clone()))
        })
        .collect();
    match coming {
        Some(Coming::Added(key, description)) => sources.push(source(key, description)),
        Some(Coming::Removed(key)) => sources.retain(|source| source.path != key),
        Some(Coming::Renamed(from, to)) => {
            for source in sources.iter_mut().filter(|source| source.path == from) {
                to.clone_into(&mut source.path);
            }
        }
        None => {}
    }
    let path = RelPath::parse(&format!("{TEAM_DIR}/{ENTRYPOINT}"))?;
    let current = memory.read(&path)?;
    let wanted = generate(sources);
    if current.as_deref() == wanted.as_deref().map(str::as_bytes) {
        return Ok(None);
    }
    Ok(match (wanted, current) {
        (Some(text), base) => Some(Change::Write { path, content: text.into(), base: base.map(Content) }),
        (None, Some(base)) => Some(Change::Delete { path, base: Content(base) }),
        (None, None) => None,
    })
}
