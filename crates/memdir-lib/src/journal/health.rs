use camino::Utf8PathBuf;
use memdir_core::journal::index::{Index, LookupLine};
use memdir_core::journal::key::INDEX_FILE;
use memdir_core::rel_path::RelPath;

use super::{Journal, JournalError, MAX_FILE_BYTES, MigrationAction, absent_if_missing};

impl Journal {
    /// Lines of the index that lead to files which are gone: rows, and lines of the quick look-up.
    ///
    /// # Errors
    /// The journal is there and cannot be read.
    pub fn dead_lines(&self) -> Result<Vec<String>, JournalError> {
        let root = match self.root() {
            Err(JournalError::NoJournal { .. }) => return Ok(Vec::new()),
            root => root?,
        };
        let bytes = absent_if_missing(root.read(&RelPath::parse(INDEX_FILE)?, MAX_FILE_BYTES))?;
        let index = Index::parse(&bytes.unwrap_or_default());
        let listing = root.list_files(0)?;
        let files: Vec<&str> = listing.files.iter().map(|file| file.path.as_str()).collect();
        let rows =
            index.rows().into_iter().map(|row| row.file).filter(|file| !files.contains(&file.as_str()));
        let lines = index
            .lookup_lines()
            .into_iter()
            .filter(|line| LookupLine::parse(line).is_some_and(|line| !line.finds(&files)))
            .map(|line| line.rsplit_once("→").map_or(line.as_str(), |(_, file)| file).trim().to_owned());
        let mut dead: Vec<String> = rows.collect();
        // A file that has a row and a line of the quick look-up is one finding.
        for file in lines {
            if !dead.contains(&file) {
                dead.push(file);
            }
        }
        Ok(dead)
    }

    /// Where a journal of an older protocol is that was not brought here yet.
    #[must_use]
    pub fn old_journal(&self) -> Option<Utf8PathBuf> {
        let migration = self.plan_migration(None).ok()??;
        let is_new = migration.steps.iter().any(|step| match step.action {
            MigrationAction::Same => false,
            MigrationAction::Copy | MigrationAction::KeepBoth => true,
            MigrationAction::Merge => !self.directory().join("migrated").join(&step.from).exists(),
        });
        is_new.then_some(migration.from)
    }
}
