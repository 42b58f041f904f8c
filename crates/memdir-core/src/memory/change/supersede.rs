//! One memory replaces others.

use jiff::civil::Date;

use super::index_draft::{IndexDraft, Indexes};
use super::{ChangeRefused, FoundFile, text_of};
use crate::memory::topic::validity::{SUPERSEDES, Validity, clear_superseded, set_superseded};
use crate::memory::topic::{self, Topic, client_slug, decode};
use crate::plan::{Change, Content, Plan};
use crate::rel_path::RelPath;

/// What a memory shall replace from now on.
#[derive(Debug, Clone, Copy)]
pub struct Replacement<'r> {
    /// Since which day.
    pub on: Date,
    /// The memories that it replaces.
    pub replaced: &'r [FoundFile<'r>],
    /// Those that it replaced and no longer does.
    pub released: &'r [FoundFile<'r>],
}

/// Changes what a memory replaces: its own list, the marks in the other files, and the index.
///
/// # Errors
/// A file is not text, cannot be changed without touching something else, or replaces this one itself.
pub fn set_supersedes(
    file: FoundFile<'_>,
    replacement: &Replacement<'_>,
    indexes: &Indexes<'_>,
) -> Result<Plan, ChangeRefused> {
    let text = text_of(file)?;
    let mut plan = Plan::new(format!("set {SUPERSEDES} of {}", file.path));
    let names: Vec<String> =
        replacement.replaced.iter().map(|old| reference(old.path, old.content)).collect();
    let edited = topic::set(text, SUPERSEDES, &names.join("; "));
    write(
        &mut plan,
        file,
        edited.map_err(|reason| ChangeRefused::Field { path: file.path.clone(), reason })?,
    );
    let mut draft = IndexDraft::new(indexes)?;
    let own = reference(file.path, file.content);
    for old in replacement.replaced {
        let back = Validity::of(&decode(old.content).0).supersedes;
        if old.path == file.path || back.contains(&own) {
            return Err(ChangeRefused::Circular { path: file.path.clone(), other: old.path.clone() });
        }
    }
    mark_as(&mut plan, replacement.replaced, &own, replacement.on, &mut draft)?;
    for old in replacement.released {
        let edited = clear_superseded(text_of(*old)?);
        write(
            &mut plan,
            *old,
            edited.map_err(|reason| ChangeRefused::Field { path: old.path.clone(), reason })?,
        );
        let (topic, _) = Topic::parse_head_of_whole(&decode(old.content).0);
        draft.describe(old.path, topic.description.as_deref().unwrap_or_default());
    }
    draft.finish(&mut plan);
    Ok(plan)
}

/// Marks what a new memory replaces.
pub(super) fn mark(
    plan: &mut Plan,
    replaced: &[FoundFile<'_>],
    by: &RelPath,
    on: Date,
    draft: &mut IndexDraft<'_>,
) -> Result<(), ChangeRefused> {
    let stem = by.as_path().file_stem().unwrap_or_default();
    mark_as(plan, replaced, stem, on, draft)
}

fn mark_as(
    plan: &mut Plan,
    replaced: &[FoundFile<'_>],
    by: &str,
    on: Date,
    draft: &mut IndexDraft<'_>,
) -> Result<(), ChangeRefused> {
    for old in replaced {
        let known = Validity::of(&decode(old.content).0).superseded_by;
        if known.as_deref() != Some(by) {
            let edited = set_superseded(text_of(*old)?, by, on);
            let edited = edited.map_err(|reason| ChangeRefused::Field { path: old.path.clone(), reason })?;
            write(plan, *old, edited);
        }
        draft.remove(old.path);
    }
    Ok(())
}

fn write(plan: &mut Plan, file: FoundFile<'_>, edited: String) {
    if edited.as_bytes() != file.content {
        plan.changes.push(Change::Write {
            path: file.path.clone(),
            content: edited.into(),
            base: Some(Content(file.content.to_vec())),
        });
    }
}

/// How other memories name one: its name if that is a plain slug and leads back, else its file's stem.
#[must_use]
pub fn reference(path: &RelPath, content: &[u8]) -> String {
    let stem = path.as_path().file_stem().unwrap_or_default();
    let name = Topic::parse_head_of_whole(&decode(content).0).0.name;
    name.filter(|name| !name.is_empty() && client_slug(name) == **name).unwrap_or_else(|| stem.to_owned())
}
