//! The index of the team's memory: it follows from the files, so it never conflicts and never travels.

use jiff::Timestamp;
use memdir_core::hygiene::{clean, escape};
use memdir_core::memory::auto_index::{IndexSource, MAX_GENERATED_LINES, generate, is_indexed};
use memdir_core::memory::entrypoint::ENTRYPOINT;
use memdir_core::plan::{Change, Content};
use memdir_core::rel_path::RelPath;
use memdir_disk::list_files::Listing;
use memdir_lib::memory::{Memory, MemoryError};
use memdir_lib::team::TEAM_DIR;

/// A file that is about to come, with its description, to go, or to get another name.
pub(crate) enum Coming<'c> {
    Added(&'c str, Option<String>),
    Removed(&'c str),
    Renamed(&'c str, &'c str),
}

/// Where the description of a file is.
pub(crate) enum Described {
    In(RelPath),
    As(Option<String>),
}

/// The change that makes the index what follows from the files; `None` if it is that already.
pub(crate) fn index_change(
    memory: &Memory,
    coming: Option<Coming<'_>>,
) -> Result<Option<Change>, MemoryError> {
    let listing = memory.root().map(|root| root.list_files(0)).transpose()?.unwrap_or_default();
    let mut files: Vec<(String, Described)> =
        team_files(&listing).map(|(name, path)| (name, Described::In(path))).collect();
    match coming {
        Some(Coming::Added(key, description)) => files.push((key.to_owned(), Described::As(description))),
        Some(Coming::Removed(key)) => files.retain(|(name, _)| name != key),
        Some(Coming::Renamed(from, to)) => {
            for (name, _) in files.iter_mut().filter(|(name, _)| name == from) {
                to.clone_into(name);
            }
        }
        None => {}
    }
    index_of(memory, files)
}

/// The team's files, each with its name in the team.
pub(crate) fn team_files(listing: &Listing) -> impl Iterator<Item = (String, RelPath)> + '_ {
    let below = |path: &RelPath| Some(path.as_str().strip_prefix(TEAM_DIR)?.strip_prefix('/')?.to_owned());
    listing.files.iter().filter_map(move |file| Some((below(&file.path)?, file.path.clone())))
}

/// The same for these files: what each is called in the index, and where its description is.
pub(crate) fn index_of(
    memory: &Memory,
    mut files: Vec<(String, Described)>,
) -> Result<Option<Change>, MemoryError> {
    // The files' own times differ from machine to machine, so they do not order the lines.
    files.retain(|(name, _)| is_indexed(name));
    files.sort_by(|(one, _), (other, _)| one.cmp(other));
    let sources = files.into_iter().filter_map(|(path, described)| {
        let description = match described {
            Described::As(description) => description,
            // What cannot be read now has no line until it can.
            Described::In(path) => memory.header(&path).ok().flatten()?.description,
        };
        // Team mates wrote it and every agent reads it: nothing in it may pass for anybody's word.
        let description = description.map(|text| escape(&clean(&text)).into_owned());
        Some(IndexSource { path, description, modified: Timestamp::UNIX_EPOCH })
    });
    // Of many thousand files only those are read that get a line.
    let sources: Vec<IndexSource> = sources.take(MAX_GENERATED_LINES).collect();
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
