//! The indexes of a person's own memory, which follow what a sync decided.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use memdir_core::memory::entrypoint::ENTRYPOINT;
use memdir_core::memory::index::OVERFLOW;
use memdir_core::operation::{Author, AuthorKind};
use memdir_core::plan::{Change, Content, Plan};
use memdir_core::rel_path::RelPath;
use memdir_lib::memory::Wish;

use super::{Folder, Kind, Root, Scanned};
use crate::index_follows::{Decided, Files, followed};
use crate::local::{LocalChange, LocalError, Outcome};
use crate::state::SyncState;
use crate::team::INDEX_AUTHOR;

/// An index as it stood before a sync wrote anything.
pub(super) struct IndexBefore {
    /// Which root it lies in.
    root: usize,
    /// What the keys of its folder begin with.
    folder: String,
    texts: [String; 2],
    decided: Decided,
}

impl Folder<'_> {
    /// Remembers the indexes beside the files that are about to change.
    pub(super) fn remember_indexes(&mut self, changes: &[LocalChange]) -> Result<(), LocalError> {
        if self.kind != Kind::Personal {
            return Ok(());
        }
        let mut folders = IndexFolders::among(changes);
        let mut found: BTreeMap<&str, IndexBefore> = BTreeMap::new();
        for change in changes {
            let root = self.roots.iter().position(|root| change.key.starts_with(&root.prefix));
            let Some((at, root)) = root.and_then(|at| Some((at, self.roots.get(at)?))) else { continue };
            let Some(folder) = folders.of(root, &change.key) else { continue };
            let path = change.key.strip_prefix(folder).unwrap_or_default().to_owned();
            if !found.contains_key(folder) {
                let texts = [text(root, folder, ENTRYPOINT)?, text(root, folder, OVERFLOW)?];
                let texts = texts.map(Option::unwrap_or_default);
                let decided = Decided::default();
                found.insert(folder, IndexBefore { root: at, folder: folder.to_owned(), texts, decided });
            }
            if let Some(index) = found.get_mut(folder) {
                match (&change.text, change.before) {
                    (None, _) => index.decided.removed.insert(path),
                    (Some(_), None) => index.decided.created.insert(path),
                    (Some(_), Some(_)) => false,
                };
            }
        }
        if let Some(scanned) = &mut self.scanned {
            scanned.indexes = found.into_values().collect();
        }
        Ok(())
    }

    /// Has the lines of the indexes follow, and remembers whether any did: that is to be sent, too.
    pub(super) fn follow_decisions(
        &mut self,
        outcome: &Outcome,
        state: &SyncState,
    ) -> Result<(), LocalError> {
        let Some(Scanned { indexes, .. }) = &mut self.scanned else { return Ok(()) };
        for mut index in std::mem::take(indexes) {
            let Some(root) = self.roots.get_mut(index.root) else { continue };
            let own = |keys: &BTreeSet<String>| -> BTreeSet<String> {
                keys.iter().filter_map(|key| Some(key.strip_prefix(&index.folder)?.to_owned())).collect()
            };
            index.decided.both = own(&outcome.both);
            index.decided.stays = own(&outcome.stays);
            for twice in &outcome.copies {
                let paths = [&twice.kept_as, &twice.path].map(|key| key.strip_prefix(&index.folder));
                if let [Some(copy), Some(original)] = paths
                    && ![ENTRYPOINT, OVERFLOW].contains(&original)
                {
                    index.decided.copies.insert(copy.to_owned(), original.to_owned());
                }
            }
            let Some(merged) = text(root, &index.folder, ENTRYPOINT)? else { continue };
            let merged = [merged, text(root, &index.folder, OVERFLOW)?.unwrap_or_default()];
            let beside = Beside { root, folder: &index.folder, state };
            let wanted = followed(&index.texts, &merged, &index.decided, &beside);
            let mut plan = Plan::new("the index follows what was synced");
            for (name, (old, new)) in [ENTRYPOINT, OVERFLOW].into_iter().zip(merged.into_iter().zip(wanted)) {
                if new != old {
                    let path = root.path_of(&format!("{}{name}", index.folder))?;
                    let base = Some(Content(old.into_bytes()));
                    plan.changes.push(Change::Write { path, content: new.into(), base });
                }
            }
            if !plan.changes.is_empty() {
                let id = Some(INDEX_AUTHOR.to_owned());
                let author = Author { kind: AuthorKind::Team, id, session: None };
                let wish = Wish { look: false, verbatim: true, ..Wish::of(&author) };
                root.memory.apply_as(&plan, &wish, self.now)?;
                self.index_followed = true;
            }
        }
        Ok(())
    }
}

/// Which folders have an index, or get one; each is looked at once, however many files change in it.
struct IndexFolders<'c> {
    coming: HashSet<&'c str>,
    known: HashMap<&'c str, bool>,
}

impl<'c> IndexFolders<'c> {
    fn among(changes: &'c [LocalChange]) -> Self {
        let folder = |change: &'c LocalChange| change.key.strip_suffix(ENTRYPOINT);
        let coming = changes.iter().filter(|change| change.text.is_some()).filter_map(folder);
        Self { coming: coming.collect(), known: HashMap::new() }
    }

    /// What the keys of the folder begin with whose index names a file: the nearest above it that has one.
    fn of(&mut self, root: &Root<'_>, key: &'c str) -> Option<&'c str> {
        let mut folder = key.get(..key.rfind('/').map_or(0, |at| at + 1))?;
        loop {
            let coming = self.coming.contains(folder);
            let has_one = || coming || matches!(text(root, folder, ENTRYPOINT), Ok(Some(_)));
            if *self.known.entry(folder).or_insert_with(has_one) {
                return Some(folder);
            }
            if folder.len() <= root.prefix.len() {
                return None;
            }
            folder = folder.get(..folder.trim_end_matches('/').rfind('/').map_or(0, |at| at + 1))?;
        }
    }
}

/// A file of an index; `None` if there is none, or it is not valid text.
fn text(root: &Root<'_>, folder: &str, name: &str) -> Result<Option<String>, LocalError> {
    let content = root.memory.read(&root.path_of(&format!("{folder}{name}"))?)?;
    Ok(content.and_then(|content| String::from_utf8(content).ok()))
}

/// The files beside an index.
struct Beside<'b> {
    root: &'b Root<'b>,
    folder: &'b str,
    state: &'b SyncState,
}

impl Beside<'_> {
    fn path(&self, path: &str) -> Option<RelPath> {
        self.root.path_of(&format!("{}{path}", self.folder)).ok()
    }
}

impl Files for Beside<'_> {
    fn exists(&self, path: &str) -> bool {
        // What cannot be read is there.
        self.path(path).is_some_and(|path| !matches!(self.root.memory.read(&path), Ok(None)))
    }

    fn is_deleted(&self, path: &str) -> bool {
        let agreed = self.state.agreed.get(&format!("{}{path}", self.folder));
        agreed.is_some_and(|agreed| agreed.content.is_none())
    }

    fn description(&self, path: &str) -> Option<String> {
        self.root.memory.header(&self.path(path)?).ok().flatten()?.description
    }
}
