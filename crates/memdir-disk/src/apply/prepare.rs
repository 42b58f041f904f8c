//! Comparing a plan with what is on disk, before anything is written.

use memdir_core::content_hash::ContentHash;
use memdir_core::operation::{ChangeRecord, OperationId};
use memdir_core::plan::{Change, Content, Plan};
use memdir_core::rel_path::{MAX_COMPONENT_BYTES, RelPath};

use super::execute::Step;
use super::{Conflict, OnConflict, Request, Whose, random};
use crate::disk_error::DiskError;
use crate::memory_root::MemoryRoot;
use crate::place::FileStat;
use crate::swap_file::{MAX_FILE_BYTES, read_settled};

/// The net effect of a plan on the files as they are now.
#[derive(Debug)]
pub(super) struct Prepared {
    pub(super) id: OperationId,
    pub(super) files: Vec<ChangedFile>,
    pub(super) conflicts: Vec<Conflict>,
    pub(super) warnings: Vec<String>,
}

/// One file, as it is and as it shall be.
#[derive(Debug)]
pub(super) struct ChangedFile {
    path: RelPath,
    /// What is there; for a renamed file what is at the old name.
    before: Option<(Vec<u8>, FileStat)>,
    after: Option<Vec<u8>>,
    renamed_from: Option<RelPath>,
}

impl ChangedFile {
    pub(super) fn before(&self) -> Option<&[u8]> {
        self.before.as_ref().map(|(content, _)| content.as_slice())
    }

    pub(super) fn after(&self) -> Option<&[u8]> {
        self.after.as_deref()
    }

    /// What was found at each name that the change touches.
    pub(super) fn found(&self) -> Vec<(&RelPath, Option<&[u8]>)> {
        match &self.renamed_from {
            Some(from) => vec![(from, self.before()), (&self.path, None)],
            None => vec![(&self.path, self.before())],
        }
    }

    pub(super) fn record(&self) -> ChangeRecord {
        ChangeRecord {
            path: self.path.clone(),
            before: self.before().map(ContentHash::of),
            after: self.after().map(ContentHash::of),
            renamed_from: self.renamed_from.clone(),
        }
    }

    /// A rename is a new file and the removal of the old one: then a change that comes in between meets the same
    /// compare-and-swap as any other.
    pub(super) fn steps(&self) -> Vec<Step> {
        let like = self.before.as_ref().map(|(_, stat)| *stat);
        let before = self.before().map(<[u8]>::to_vec);
        match &self.renamed_from {
            Some(from) => {
                let unchanged = self.before() == self.after();
                let modified = like.filter(|_| unchanged).map(|stat| stat.modified);
                let put =
                    Step { path: self.path.clone(), before: None, after: self.after.clone(), like, modified };
                let remove = Step { path: from.clone(), before, after: None, like, modified: None };
                vec![put, remove]
            }
            None => vec![Step {
                path: self.path.clone(),
                before,
                after: self.after.clone(),
                like,
                modified: None,
            }],
        }
    }
}

/// Folds the changes of a plan, in their order, into one effect for each file, merging what others changed.
pub(super) fn prepare(root: &MemoryRoot, plan: &Plan, request: &Request<'_>) -> Result<Prepared, DiskError> {
    let id = OperationId::new(request.time, random()?);
    let mut prepared = Prepared { id, files: Vec::new(), conflicts: Vec::new(), warnings: Vec::new() };
    for change in &plan.changes {
        match change {
            Change::Write { path, content, base } => {
                prepared.write(root, request, path, content, base.as_ref())?;
            }
            Change::Delete { path, base } => prepared.delete(root, request, path, base)?,
            Change::Rename { from, to, base } => prepared.rename(root, from, to, base)?,
        }
    }
    prepared.files.retain(|file| file.renamed_from.is_some() || file.before() != file.after());
    Ok(prepared)
}

impl Prepared {
    fn write(
        &mut self,
        root: &MemoryRoot,
        request: &Request<'_>,
        path: &RelPath,
        content: &Content,
        base: Option<&Content>,
    ) -> Result<(), DiskError> {
        if content.0.len() as u64 > MAX_FILE_BYTES {
            return Err(DiskError::TooLarge { path: root.path().join(path.as_str()), limit: MAX_FILE_BYTES });
        }
        let base = base.map(|base| base.0.as_slice());
        let index = self.look(root, path, base)?;
        let Some(file) = self.files.get_mut(index) else { return Ok(()) };
        let mine = content.0.as_slice();
        let theirs = match file.after.as_deref() {
            current if current == base || current == Some(mine) => {
                file.after = Some(mine.to_vec());
                return Ok(());
            }
            None => {
                self.warnings
                    .push(format!("`{path}` was deleted by another process in the meantime and is back"));
                file.after = Some(mine.to_vec());
                return Ok(());
            }
            Some(theirs) => theirs,
        };
        if let Some(merged) = (request.merge)(path, base, mine, theirs) {
            file.after = Some(merged);
            return Ok(());
        }
        if request.on_conflict == OnConflict::Refuse {
            return Err(DiskError::Conflict { path: root.path().join(path.as_str()) });
        }
        let beside = conflict_name(path, &self.id, 0);
        self.conflicts.push(Conflict {
            path: path.clone(),
            kept_as: Some(beside.clone()),
            kept: Whose::Ours,
        });
        self.files.push(ChangedFile {
            path: beside,
            before: None,
            after: Some(mine.to_vec()),
            renamed_from: None,
        });
        Ok(())
    }

    fn delete(
        &mut self,
        root: &MemoryRoot,
        request: &Request<'_>,
        path: &RelPath,
        base: &Content,
    ) -> Result<(), DiskError> {
        let index = self.look(root, path, Some(&base.0))?;
        let Some(file) = self.files.get_mut(index) else { return Ok(()) };
        match file.after.as_deref() {
            None => {}
            Some(current) if current == base.0 => file.after = None,
            Some(_) if request.on_conflict == OnConflict::Refuse => {
                return Err(DiskError::Conflict { path: root.path().join(path.as_str()) });
            }
            Some(_) => {
                self.conflicts.push(Conflict { path: path.clone(), kept_as: None, kept: Whose::Theirs });
            }
        }
        Ok(())
    }

    fn rename(
        &mut self,
        root: &MemoryRoot,
        from: &RelPath,
        to: &RelPath,
        base: &Content,
    ) -> Result<(), DiskError> {
        let source = self.look(root, from, Some(&base.0))?;
        let target = self.look(root, to, None)?;
        let current = self.files.get(source).and_then(|file| file.after.clone());
        let taken = self.files.get(target).and_then(|file| file.after.clone());
        let content = match (current, taken) {
            // Another process gave it that name already.
            (None, Some(taken)) if taken == base.0 => return Ok(()),
            (None, _) => {
                return DiskError::refused(&root.path().join(from.as_str()), "no such file to rename");
            }
            (Some(_), Some(_)) => {
                return DiskError::refused(&root.path().join(to.as_str()), "a file of that name exists");
            }
            (Some(current), None) => current,
        };
        // What another process wrote into it meanwhile goes along.
        let Some(target_is_new) = self.files.get(target).map(|file| file.before.is_none()) else {
            return Ok(());
        };
        let Some(old) = self.files.get_mut(source) else { return Ok(()) };
        old.after = None;
        // A file that the same plan makes, or one that takes a deleted one's name, is a new and an old file.
        let before = if target_is_new { old.before.take() } else { None };
        let Some(new) = self.files.get_mut(target) else { return Ok(()) };
        new.after = Some(content);
        if before.is_some() {
            new.before = before;
            new.renamed_from = Some(from.clone());
        }
        Ok(())
    }

    /// The file's position among those seen; looks at the disk the first time.
    fn look(
        &mut self,
        root: &MemoryRoot,
        path: &RelPath,
        expected: Option<&[u8]>,
    ) -> Result<usize, DiskError> {
        if let Some(index) = self.files.iter().position(|file| file.path == *path) {
            return Ok(index);
        }
        let before = match root.place(path)? {
            Some(place) => read_settled(&place, expected)?,
            None => None,
        };
        if let Some((_, stat)) = &before {
            let full = root.path().join(path.as_str());
            if stat.mode & 0o200 == 0 {
                return DiskError::refused(&full, "its owner may not write it");
            }
            if stat.is_foreign() {
                return DiskError::refused(&full, "it belongs to another user");
            }
        }
        let after = before.as_ref().map(|(content, _)| content.clone());
        self.files.push(ChangedFile { path: path.clone(), before, after, renamed_from: None });
        Ok(self.files.len() - 1)
    }
}

/// The name beside a file for the other version of it.
///
/// It ends like the file, so that the client lists and opens it as a memory; it holds no blank, bracket or
/// parenthesis, so that a line of the index can link to it; it says what it is, and no two operations share one.
pub(super) fn conflict_name(path: &RelPath, operation: &OperationId, number: u32) -> RelPath {
    let name = path.file_name();
    let (stem, extension) = match name.rfind('.') {
        Some(dot) if dot > 0 => name.split_at(dot),
        _ => (name, ""),
    };
    let unique: String = operation.0.chars().rev().take(8).collect::<Vec<_>>().into_iter().rev().collect();
    let more = if number == 0 { String::new() } else { format!("-{number}") };
    let ending = format!(".conflict-{unique}{more}{extension}");
    let mut end = stem.len().min(MAX_COMPONENT_BYTES.saturating_sub(ending.len()));
    while !stem.is_char_boundary(end) {
        end -= 1;
    }
    let stem = stem.get(..end).unwrap_or_default();
    let parent = path.parent().map(|parent| format!("{parent}/")).unwrap_or_default();
    RelPath::parse(&format!("{parent}{stem}{ending}")).unwrap_or_else(|_| path.clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_other_version_has_a_name_that_works_as_a_memory() {
        let operation = OperationId("01hf7yat00abcdefgh".into());
        let check = |path: &str, number: u32, expected: &str| {
            assert_eq!(conflict_name(&RelPath::parse(path).unwrap(), &operation, number).as_str(), expected);
        };
        check("notes.md", 0, "notes.conflict-abcdefgh.md");
        check("a/MEMORY.md", 2, "a/MEMORY.conflict-abcdefgh-2.md");
        check(".hidden", 0, ".hidden.conflict-abcdefgh");
        let long = format!("{}.md", "é".repeat(120));
        let name = conflict_name(&RelPath::parse(&long).unwrap(), &operation, 0);
        assert!(
            name.as_str().len() <= MAX_COMPONENT_BYTES && name.as_str().ends_with("é.conflict-abcdefgh.md")
        );
    }
}
