use jiff::Timestamp;
use memdir_core::journal::archive::Archive;
use memdir_core::journal::index::{Head, Index, Status};
use memdir_core::journal::key::{ARCHIVE_FILE, INDEX_FILE, SESSION_FILE};
use memdir_core::journal::rebuild::{Counts, FoundFile, HEAD_BYTES, rebuild};
use memdir_core::journal::session::Session;
use memdir_core::journal::stamp;
use memdir_core::rel_path::RelPath;
use memdir_disk::apply::LOCK_PATIENCE;
use memdir_disk::memory_root::MemoryRoot;
use memdir_disk::store_lock::StoreLock;

use super::{Journal, JournalError, MAX_FILE_BYTES, Writer, absent_if_missing};

/// What a rebuild found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RebuildReport {
    /// Files of each kind.
    pub counts: Counts,
    /// Rows in the new index.
    pub entries: usize,
    /// Rows in the new archive.
    pub archived: u64,
    /// What was not understood, and where it is now.
    pub problems: Vec<String>,
}

impl Journal {
    /// Makes index, archive and statistics anew from the records. What the user wrote into the index is kept; a file
    /// that cannot be understood is set aside, not overwritten.
    ///
    /// # Errors
    /// There is no journal, or something cannot be written.
    pub fn rebuild(&self, writer: &Writer<'_>) -> Result<RebuildReport, JournalError> {
        self.gate(writer)?;
        let root = self.root()?;
        let _lock = StoreLock::acquire(&root, LOCK_PATIENCE)?;
        self.rebuild_locked(&root, writer)
    }

    pub(super) fn rebuild_locked(
        &self,
        root: &MemoryRoot,
        writer: &Writer<'_>,
    ) -> Result<RebuildReport, JournalError> {
        let mut report = RebuildReport::default();
        let session = self.set_damaged_session_aside(root, &mut report.problems)?;
        let listing = root.list_files(HEAD_BYTES)?;
        report.problems.extend(
            listing.left_out.iter().map(|left| format!("`{}` is left out: {}", left.path, left.rule)),
        );
        let time = |nanos: i128| Timestamp::from_nanosecond(nanos).unwrap_or(Timestamp::UNIX_EPOCH);
        let files: Vec<FoundFile<'_>> = listing
            .files
            .iter()
            .map(|file| FoundFile {
                path: file.path.as_str(),
                head: &file.head,
                modified: time(file.stat.modified),
            })
            .collect();
        let read = |path: &str| {
            Ok::<_, JournalError>(absent_if_missing(root.read(&RelPath::parse(path)?, MAX_FILE_BYTES))?)
        };
        let old_index = read(INDEX_FILE)?.map(|bytes| Index::parse(&bytes));
        let old_archive = read(ARCHIVE_FILE)?.map(|bytes| Archive::parse(&bytes));
        let state = self.state(root)?;
        let known = match session {
            Some(session) => session,
            None => self.session(root)?,
        };
        let now = stamp(writer.now);
        let started = if known.started.is_empty() { &now } else { &known.started };
        let head = Head {
            key: self.key(),
            session: started,
            status: if known.active { Status::Active } else { Status::Inactive },
            path: self.here.root.as_str(),
        };
        let rebuilt = rebuild(&files, &head, &state, old_index.as_ref(), old_archive.as_ref(), writer.now);
        for (name, problems) in [
            (INDEX_FILE, old_index.as_ref().map(|index| &index.problems)),
            (ARCHIVE_FILE, old_archive.as_ref().map(|archive| &archive.problems)),
        ] {
            let Some(problem) = problems.and_then(|problems| problems.first()) else { continue };
            if let Some(aside) = root.set_broken_aside(&RelPath::parse(name)?)? {
                report
                    .problems
                    .push(format!("`{name}` was damaged ({problem}); the old one is `{aside}` now"));
            }
        }
        root.replace_derived(&RelPath::parse(ARCHIVE_FILE)?, |_| Some(rebuilt.archive.clone().into_bytes()))?;
        root.replace_derived(&RelPath::parse(INDEX_FILE)?, |_| Some(rebuilt.index.clone().into_bytes()))?;
        let path = RelPath::parse(SESSION_FILE)?;
        root.replace_derived(&path, |old| {
            let mut session = old.and_then(|old| Session::parse(old).ok()).unwrap_or_else(|| known.clone());
            session.stats = rebuilt.stats;
            if session.started.is_empty() {
                session.started.clone_from(&now);
            }
            if session.last_activity.is_empty() {
                session.last_activity.clone_from(&now);
            }
            self.key().clone_into(&mut session.project_key);
            self.here.root.as_str().clone_into(&mut session.project_path);
            if session.branch.is_empty() {
                self.branch.clone_into(&mut session.branch);
            }
            Some(session.to_text().into_bytes())
        })?;
        report.counts = rebuilt.counts;
        report.archived = rebuilt.stats.index_archived;
        report.entries = Index::parse(rebuilt.index.as_bytes()).rows().len();
        report.problems.extend(rebuilt.problems);
        Ok(report)
    }
}
