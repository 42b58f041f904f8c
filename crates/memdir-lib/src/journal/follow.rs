use camino::Utf8Path;
use memdir_core::journal::archive::Archive;
use memdir_core::journal::index::{CurrentState, Index, LookupLine, MOST_ROWS};
use memdir_core::journal::key::{ARCHIVE_FILE, INDEX_FILE, SESSION_FILE};
use memdir_core::journal::rebuild::{FoundFile, entry};
use memdir_core::journal::record::Record;
use memdir_core::journal::row::{Category, Row};
use memdir_core::journal::session::Session;
use memdir_core::journal::stamp;
use memdir_core::journal::state::{ACTIVE_FILE, BLOCKERS_FILE, COMPLETED_FILE, TASK_FILE, current_state};
use memdir_core::rel_path::RelPath;
use memdir_disk::apply::LOCK_PATIENCE;
use memdir_disk::memory_root::MemoryRoot;
use memdir_disk::store_lock::StoreLock;

use super::{Journal, JournalError, MAX_FILE_BYTES, Writer, absent_if_missing};

/// What followed from a record.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Followed {
    /// What could not follow, because a file was not understood. The record is safe all the same.
    pub problems: Vec<String>,
    /// The branch before, if it is another one now.
    pub branch_before: Option<String>,
}

/// A record that index and statistics shall know.
#[derive(Debug, Clone)]
pub(super) struct News {
    pub(super) row: Row,
}

impl News {
    /// The row of a file from its own text.
    pub(super) fn of(path: &str, text: &str, writer: &Writer<'_>) -> Option<Self> {
        let (row, _) = entry(&FoundFile { path, head: text.as_bytes(), modified: writer.now })?;
        Some(Self { row: Row { updated: stamp(writer.now), ..row } })
    }
}

impl Journal {
    /// Brings index, archive and session up to date after records were written, and after files of the state were
    /// emptied. Never fails a record: what cannot follow is told.
    pub(super) fn follow(&self, news: &[News], emptied: &[&str], writer: &Writer<'_>) -> Followed {
        let mut followed = Followed::default();
        if let Err(error) = self.try_follow(news, emptied, writer, &mut followed) {
            followed.problems.push(error.to_string());
        }
        followed
    }

    pub(super) fn try_follow(
        &self,
        news: &[News],
        emptied: &[&str],
        writer: &Writer<'_>,
        followed: &mut Followed,
    ) -> Result<(), JournalError> {
        let root = self.root()?;
        let _lock = StoreLock::acquire(&root, LOCK_PATIENCE)?;
        root.sweep(None);
        for news in news {
            let folder = Utf8Path::new(&news.row.file).parent();
            folder
                .and_then(|folder| RelPath::parse(folder.as_str()).ok())
                .iter()
                .for_each(|folder| root.sweep(Some(folder)));
        }
        if root.stat(&RelPath::parse(INDEX_FILE)?)?.is_none() {
            let report = self.rebuild_locked(&root, writer)?;
            followed.problems.extend(report.problems);
            return Ok(());
        }
        let state = self.state(&root)?;
        let taken_over = self.newly_taken_over(&root, news)?;
        let archived = self.follow_index(&root, (news, emptied), &state, writer, followed)?;
        let (branch, session) = (self.branch.as_str(), writer.author.session.as_deref());
        let counted = counted(&root, &mut followed.problems);
        self.change_session(&root, &mut followed.problems, |known| {
            followed.branch_before = known.touch(&stamp(writer.now), branch, session);
            known.stats.count(counted);
            known.stats.index_archived += archived;
            known.stats.subagent_outputs += taken_over;
            self.here.root.as_str().clone_into(&mut known.project_path);
        })
    }

    /// How many outputs of sub-agents get their first row: two parents may have found the same ones.
    fn newly_taken_over(&self, root: &MemoryRoot, news: &[News]) -> Result<u64, JournalError> {
        let outputs = news.iter().filter(|news| news.row.category == Category::SubAgent);
        let outputs: Vec<&str> = outputs.map(|news| news.row.file.as_str()).collect();
        if outputs.is_empty() {
            return Ok(0);
        }
        let known = self.files_with_a_row(root)?;
        Ok(outputs.into_iter().filter(|file| !known.contains(*file)).count() as u64)
    }

    fn follow_index(
        &self,
        root: &MemoryRoot,
        (news, emptied): (&[News], &[&str]),
        state: &CurrentState,
        writer: &Writer<'_>,
        followed: &mut Followed,
    ) -> Result<u64, JournalError> {
        let path = RelPath::parse(INDEX_FILE)?;
        let archive_path = RelPath::parse(ARCHIVE_FILE)?;
        // The archive first: a process that is killed in between leaves a row twice, not nowhere.
        let current = absent_if_missing(root.read(&path, MAX_FILE_BYTES))?;
        let mut index = Index::parse(&current.unwrap_or_default());
        news.iter().for_each(|news| index.put_row(&news.row));
        let mut surplus =
            if index.is_sound && index.rows().len() > MOST_ROWS { index.take_surplus() } else { Vec::new() };
        if !surplus.is_empty() {
            let old = absent_if_missing(root.read(&archive_path, MAX_FILE_BYTES))?;
            if old.is_some_and(|old| !Archive::parse(&old).is_sound) {
                followed.problems.push(format!(
                    "`{ARCHIVE_FILE}` cannot be understood, so old rows stay in the index; `memdir journal rebuild` repairs both"
                ));
                surplus.clear();
            } else {
                let now = stamp(writer.now);
                root.replace_derived(&archive_path, |old| {
                    let mut archive = old.map_or_else(|| Archive::new(self.key()), Archive::parse);
                    archive.add_entries(&surplus, &now);
                    archive.is_sound.then(|| archive.to_text().into_bytes())
                })?;
            }
        }
        let mut unsound = false;
        root.replace_derived(&path, |old| {
            let mut index = Index::parse(old.unwrap_or_default());
            unsound = !index.is_sound;
            for news in news {
                index.put_row(&news.row);
            }
            for gone in surplus.iter().map(|row| row.file.as_str()).chain(emptied.iter().copied()) {
                index.remove_row(gone);
            }
            index.refresh_lookups(|line| self.is_stale(root, line));
            index.set_state(state);
            (!unsound).then(|| index.to_text().into_bytes())
        })?;
        if unsound {
            followed.problems.push(format!(
                "`{INDEX_FILE}` cannot be understood and was left as it is; `memdir journal rebuild` repairs it"
            ));
        }
        Ok(surplus.len() as u64)
    }

    /// Whether a line of the look-up leads to a file that is gone, or is one of those that older versions wrote for
    /// every record.
    pub(super) fn is_stale(&self, root: &MemoryRoot, line: &LookupLine) -> bool {
        if !line.names_a_record() {
            return false;
        }
        match self.text(root, &line.target) {
            Ok(Some(text)) => !line.is_ours() && line.is_titled(&Record::parse(&text).title),
            Ok(None) => true,
            Err(_) => false,
        }
    }

    /// The state of the work, from the files that hold it.
    pub(super) fn state(&self, root: &MemoryRoot) -> Result<CurrentState, JournalError> {
        let read = |path: &str| self.text(root, path).map(Option::unwrap_or_default);
        Ok(current_state(
            &read(TASK_FILE)?,
            &read(BLOCKERS_FILE)?,
            &read(ACTIVE_FILE)?,
            &read(COMPLETED_FILE)?,
        ))
    }

    /// Changes `_session.json`; one that cannot be understood is left and told.
    pub(super) fn change_session(
        &self,
        root: &MemoryRoot,
        problems: &mut Vec<String>,
        mut change: impl FnMut(&mut Session),
    ) -> Result<(), JournalError> {
        let mut wrong = None;
        let path = RelPath::parse(SESSION_FILE)?;
        let missing =
            if root.stat(&path)?.is_none() { self.inferred_session(root)? } else { Session::default() };
        root.replace_derived(&path, |old| {
            let mut session = match old.map(Session::parse) {
                Some(Ok(session)) => session,
                None => Session { project_key: self.key().to_owned(), ..missing.clone() },
                Some(Err(problem)) => {
                    wrong = Some(problem);
                    return None;
                }
            };
            change(&mut session);
            Some(session.to_text().into_bytes())
        })?;
        if let Some(problem) = wrong {
            problems.push(format!(
                "`{SESSION_FILE}` cannot be understood ({problem}) and was left as it is; `memdir journal rebuild` repairs it"
            ));
        }
        Ok(())
    }
}

/// How many decisions and analyses there are; `None` for a folder that cannot be read, which is told.
pub(super) fn counted(root: &MemoryRoot, problems: &mut Vec<String>) -> [Option<u64>; 2] {
    [Category::Decision, Category::Analysis].map(|category| {
        let counted = count(root, &category).map_err(|error| problems.push(error.to_string()));
        counted.ok()
    })
}

/// How many records of a kind there are.
pub(super) fn count(root: &MemoryRoot, category: &Category) -> Result<u64, JournalError> {
    let names = root.try_names(Some(&RelPath::parse(category.folder())?))?;
    Ok(names.iter().filter(|name| name.ends_with(".md") && !name.starts_with('.')).count() as u64)
}
