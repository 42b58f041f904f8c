//! Which files take part, and what they hold.

use std::collections::{HashMap, HashSet};

use memdir_core::memory::entrypoint::ENTRYPOINT;
use memdir_core::memory::frontmatter::{Frontmatter, MAX_FRONTMATTER_BYTES};
use memdir_core::memory::index::OVERFLOW;
use memdir_core::memory::problem::Problem;
use memdir_disk::list_files::Listing;
use memdir_disk::memory_root::FileStat;
use memdir_lib::team::TEAM_DIR;
use memdir_wire::canonical::shared_hash;
use memdir_wire::entry::MAX_TEXT_BYTES;

use super::{Folder, Kind, Root, Scanned};
use crate::file_times::FileTimes;
use crate::local::{LocalError, Rules, Scan};
use crate::up_to_date::FolderFingerprint;

impl Folder<'_> {
    /// Whether a file of a root is left out of the sync: what is derived, and what another sync carries.
    pub(super) fn skips(&self, path: &str) -> bool {
        match self.kind {
            Kind::Team => {
                path.strip_prefix(TEAM_DIR).and_then(|rest| rest.strip_prefix('/')) == Some(ENTRYPOINT)
            }
            Kind::Personal => path.strip_prefix(TEAM_DIR).is_some_and(|rest| rest.starts_with('/')),
        }
    }

    /// What decides about the files besides themselves.
    pub(super) fn fingerprint(&self) -> FolderFingerprint {
        let mut fingerprint = FolderFingerprint::default();
        fingerprint.folder(&format!("{:?} {}", self.mode, self.rules.print()));
        fingerprint
    }

    /// Takes in what a folder holds.
    pub(super) fn fingerprint_root(
        &self,
        root: &Root<'_>,
        listing: Option<&Listing>,
        fingerprint: &mut FolderFingerprint,
    ) {
        fingerprint.folder(&root.prefix);
        fingerprint.folder(&root.directory().unwrap_or_default());
        let Some(listing) = listing else { return };
        // The index that follows from the files counts too: it may be lost or changed.
        for file in &listing.files {
            if file.path.as_str().starts_with(root.below) {
                fingerprint.file(file.path.as_str(), &file.stat);
            }
        }
        let is_shared = |path: &str| path.starts_with(root.below) && !self.skips(path);
        if listing.left_out.iter().any(|left_out| is_shared(&left_out.path)) {
            fingerprint.leave_out();
        }
    }

    pub(super) fn scan_root(
        &self,
        root: &Root<'_>,
        listing: Option<&Listing>,
        scanned: &mut Scanned,
        scan: &mut Scan,
    ) -> Result<(), LocalError> {
        let Scanned { seen, fingerprint, .. } = scanned;
        self.fingerprint_root(root, listing, fingerprint);
        let (Some(open), Some(listing)) = (root.memory.root(), listing) else { return Ok(()) };
        for left_out in listing.left_out.iter().filter(|left_out| !self.skips(&left_out.path)) {
            if root.below.strip_suffix('/') == Some(left_out.path.as_str()) {
                let path = root.memory.directory().join(&left_out.path);
                return Err(format!("`{path}` cannot be synced: {}; nothing was sent", left_out.rule).into());
            }
            if let Some(key) = root.key_of(&left_out.path) {
                scan.left_alone.insert(key, left_out.rule.to_owned());
            }
        }
        let taking_part = || {
            let files = listing.files.iter().filter(|file| !self.skips(file.path.as_str()));
            files.filter_map(|file| Some((root.key_of(file.path.as_str())?, file)))
        };
        let namesakes = self.namesakes(taking_part().map(|(key, _)| key))?;
        for (key, file) in taking_part() {
            let known = seen.get(&key, &file.stat);
            let refused = if known.is_none() { self.refuses_key(&key) } else { None };
            let why = if let Some(refused) = refused {
                Some(format!("it cannot be shared under that name: {refused}"))
            } else if let Some(other) = namesakes.get(&key) {
                Some(format!("`{other}` has the same name but for capitals"))
            } else if file.stat.size > 4 * MAX_TEXT_BYTES as u64 {
                Some("it is too large to be shared".to_owned())
            } else {
                None
            };
            if let Some(why) = why {
                scan.left_alone.insert(key, why);
                continue;
            }
            if let Some(known) = known {
                scan.files.insert(key, known);
                continue;
            }
            let Some((content, stat)) = open.read_with_stat(&file.path, 8 * MAX_TEXT_BYTES as u64)? else {
                continue;
            };
            let why = match std::str::from_utf8(&content) {
                // What a tool that truncates first leaves for a moment.
                _ if content.is_empty() && !self.says_nothing(&key, &stat, seen)? => {
                    "it is empty: another process may be writing it"
                }
                _ if stat.size != content.len() as u64 => "another process is writing it",
                Ok(text) if is_half_a_head(text) && !self.is_agreed(&key, text)? => {
                    "its frontmatter has no end: another process may be writing it"
                }
                Ok(text) => {
                    let shared = shared_hash(text);
                    seen.note(&key, &stat, shared);
                    scan.files.insert(key, shared);
                    continue;
                }
                Err(_) => "it is not UTF-8 text",
            };
            scan.left_alone.insert(key, why.to_owned());
        }
        Ok(())
    }

    /// Of names that differ in capitals only, all but one, with that one: the one that is known to the others, else the
    /// first.
    fn namesakes(&self, keys: impl Iterator<Item = String>) -> Result<HashMap<String, String>, LocalError> {
        let mut by_fold: HashMap<String, Vec<String>> = HashMap::new();
        for key in keys {
            by_fold.entry(key.to_lowercase()).or_default().push(key);
        }
        by_fold.retain(|_, keys| keys.len() > 1);
        let mut namesakes = HashMap::new();
        if by_fold.is_empty() {
            return Ok(namesakes);
        }
        let (state, pending) = self.files.load()?;
        let pending = pending.iter().flat_map(|pending| pending.settled.iter().chain(&pending.changes));
        let sent = pending.filter_map(|change| Some((&change.key, change.after.as_ref()?)));
        let known = state.agreed.iter().chain(sent).filter(|(_, agreed)| agreed.content.is_some());
        let known: HashSet<&String> = known.map(|(key, _)| key).collect();
        for keys in by_fold.into_values() {
            let counts = keys.iter().find(|key| known.contains(key)).or(keys.first()).cloned();
            let others = keys.into_iter().filter(|key| Some(key) != counts.as_ref());
            namesakes.extend(others.zip(std::iter::repeat(counts.clone().unwrap_or_default())));
        }
        Ok(namesakes)
    }

    /// Whether a file that is empty is meant to be: an index without lines, unless a program may be writing it.
    pub(super) fn says_nothing(
        &self,
        key: &str,
        stat: &FileStat,
        seen: &FileTimes,
    ) -> Result<bool, LocalError> {
        if !self.is_own_index(key) {
            return Ok(false);
        }
        if seen.is_settled(stat.changed) && seen.is_settled(stat.modified) {
            return Ok(true);
        }
        // A sync may have written it a moment ago.
        self.is_agreed(key, "")
    }

    /// Whether a text is the one that everybody has.
    fn is_agreed(&self, key: &str, text: &str) -> Result<bool, LocalError> {
        let agreed = self.files.load()?.0.agreed.remove(key).and_then(|agreed| agreed.content);
        Ok(agreed == Some(shared_hash(text)))
    }

    /// Whether a file is an index that is the user's own.
    pub(super) fn is_own_index(&self, key: &str) -> bool {
        let name = key.rsplit('/').next().unwrap_or_default();
        self.kind == Kind::Personal && [ENTRYPOINT, OVERFLOW].contains(&name)
    }
}

/// Whether a text is an unfinished write of a memory's fields: until their end is there it is
/// not known whether it is about a person.
fn is_half_a_head(text: &str) -> bool {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let is_unclosed = || Frontmatter::parse(text).1.contains(&Problem::UnclosedFrontmatter);
    (!text.is_empty() && "---\r\n".starts_with(text))
        || (text.len() <= MAX_FRONTMATTER_BYTES && is_unclosed())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_without_an_end_are_half_a_memory() {
        for half in
            ["-", "--", "---", "---\r\n", "---\nname: a\n--", "\u{feff}---\ntype: us", "---\n\nA rule.\n"]
        {
            assert!(is_half_a_head(half), "{half:?}");
        }
        let long = format!("---\n{}", "x\n".repeat(MAX_FRONTMATTER_BYTES));
        for whole in ["", "- a", "----\n", "A\n---\n", "---\nname: a\n---", "---\n---\n", &long] {
            assert!(!is_half_a_head(whole), "{whole:?}");
        }
    }
}
