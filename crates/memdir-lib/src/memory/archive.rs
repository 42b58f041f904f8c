use std::collections::BTreeMap;

use memdir_core::memory::change::{self, FoundFile};
use memdir_core::memory::entrypoint::ENTRYPOINT;
use memdir_core::memory::index::OVERFLOW;
use memdir_core::plan::{Change, Content, Plan};
use memdir_core::rel_path::RelPath;

use super::{Memory, MemoryError};

impl Memory {
    /// Every Markdown file of the directory with its bytes, by its path.
    ///
    /// # Errors
    /// The directory cannot be listed, or a file cannot be read.
    pub fn all_files(&self) -> Result<BTreeMap<RelPath, Vec<u8>>, MemoryError> {
        let Some(root) = &self.root else { return Ok(BTreeMap::new()) };
        let mut files = BTreeMap::new();
        for file in root.list_files(0)?.files {
            if let Some(content) = self.read(&file.path)? {
                files.insert(file.path, content);
            }
        }
        Ok(files)
    }

    /// Plans to take over files byte for byte. A file that is here with another text stays as it is, and is named; into an
    /// index that is here already, the new files get lines. `replaces`: what is here was made just now, and gives way.
    ///
    /// # Errors
    /// The directory cannot be read, or its index is not valid UTF-8.
    pub fn plan_unpack(
        &self,
        files: &BTreeMap<RelPath, Vec<u8>>,
        replaces: bool,
    ) -> Result<Plan, MemoryError> {
        let mut plan = Plan::new(REASON);
        let found = self.indexes()?;
        let has_index = found.is_there();
        let mut new = Vec::new();
        for (path, content) in files {
            let is_index = [ENTRYPOINT, OVERFLOW].contains(&path.as_str());
            match self.read(path)? {
                Some(current) if current == *content => {}
                Some(current) if replaces => plan.changes.push(Change::Write {
                    path: path.clone(),
                    content: Content(content.clone()),
                    base: Some(Content(current)),
                }),
                // The lines of new files are merged into the index that is here.
                Some(_) if is_index => {}
                None if is_index && has_index => {}
                Some(_) => plan.warnings.push(format!("`{path}` is here with another text, and stays")),
                None => new.push(FoundFile { path, content }),
            }
        }
        if has_index && !new.is_empty() {
            let added = change::take_over(&new, REASON.to_owned(), &found.with(None))?;
            plan.changes.extend(added.changes);
            plan.warnings.extend(added.warnings);
        } else {
            plan.changes.extend(new.into_iter().map(|file| Change::Write {
                path: file.path.clone(),
                content: Content(file.content.to_vec()),
                base: None,
            }));
        }
        Ok(plan)
    }
}

const REASON: &str = "import an archive";
