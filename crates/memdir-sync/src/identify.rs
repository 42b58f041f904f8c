//! Which memory each file is. This is the one place where a new name is found, once for each sync: by the records of the
//! history, then by equal content. All later decisions go by the id of the memory.

use std::collections::{BTreeMap, BTreeSet};

use memdir_core::content_hash::ContentHash;

use crate::local::{NameChange, Rules, Scan};
use crate::state::{Moved, SyncState};

/// Says of each path here which memory lies there, wherever it is not the one that was agreed there. `changes` are the
/// records of the history since the last sync, oldest first; paths `as_agreed` count as what was agreed, whatever lies there.
pub(crate) fn identify(
    state: &SyncState,
    scan: &Scan,
    as_agreed: &BTreeSet<String>,
    changes: &[NameChange],
    rules: &dyn Rules,
) -> Moved {
    let alive: BTreeMap<&str, ContentHash> = state
        .agreed
        .iter()
        .filter_map(|(key, agreed)| Some((key.as_str(), agreed.content?)))
        .filter(|(key, _)| rules.wants(key) && !rules.is_list(key))
        .collect();
    let mut files = Files { alive, scan, as_agreed, at: BTreeMap::new() };
    files.place(&state.moved);
    files.replay(changes);
    files.keep_what_is_there();
    files.find_by_content();
    files.find_swaps();
    files.moved()
}

struct Files<'f> {
    /// The memories that were agreed, by key.
    alive: BTreeMap<&'f str, ContentHash>,
    scan: &'f Scan,
    as_agreed: &'f BTreeSet<String>,
    /// The memory that lies at a path.
    at: BTreeMap<&'f str, &'f str>,
}

impl<'f> Files<'f> {
    /// Puts each memory where it was after the last sync.
    fn place(&mut self, moved: &'f Moved) {
        let elsewhere: BTreeSet<&str> = moved.values().flatten().map(String::as_str).collect();
        for key in self.alive.keys() {
            if !elsewhere.contains(key) && !moved.contains_key(*key) {
                self.at.insert(key, key);
            }
        }
        for (path, key) in moved {
            if let Some(key) = key.as_deref().filter(|key| self.alive.contains_key(key)) {
                self.at.insert(path, key);
            }
        }
    }

    fn replay(&mut self, changes: &'f [NameChange]) {
        for change in changes {
            match change {
                NameChange::Renamed { from, to } => {
                    if let Some(key) = self.at.remove(from.as_str()) {
                        self.at.insert(to, key);
                    }
                }
                NameChange::Deleted(path) => {
                    self.at.remove(path.as_str());
                }
            }
        }
        // What a killed sync still has to write lies there already, as far as anybody else is concerned.
        for key in self.alive.keys().filter(|key| self.as_agreed.contains(**key)) {
            self.at.retain(|_, other| other != key);
            self.at.insert(key, key);
        }
    }

    fn keep_what_is_there(&mut self) {
        let (scan, as_agreed) = (self.scan, self.as_agreed);
        self.at.retain(|path, _| {
            scan.files.contains_key(*path) || as_agreed.contains(*path) || scan.leaves_alone(path)
        });
    }

    /// A memory that is gone is the file with the same content, if there is one of each, and if the file does not say what
    /// was agreed under its own name. One that takes the name of another may leave that one to be found.
    fn find_by_content(&mut self) {
        let scan = self.scan;
        loop {
            let found: BTreeSet<&str> = self.at.values().copied().collect();
            let mut gone: BTreeMap<ContentHash, Vec<&str>> = BTreeMap::new();
            for (key, content) in self.alive.iter().filter(|(key, _)| !found.contains(**key)) {
                gone.entry(*content).or_default().push(key);
            }
            if gone.is_empty() {
                return;
            }
            let mut came: BTreeMap<ContentHash, Vec<&str>> = BTreeMap::new();
            for (path, content) in scan.files.iter().filter(|(path, _)| !self.as_agreed.contains(*path)) {
                let owner = self.at.get(path.as_str());
                let is_owners = owner.is_some_and(|key| self.alive.get(key) == Some(content));
                if gone.contains_key(content) && !is_owners {
                    came.entry(*content).or_default().push(path);
                }
            }
            let pairs = came.iter().filter_map(|(content, paths)| {
                match (paths.as_slice(), gone.get(content)?.as_slice()) {
                    ([path], [key]) => Some((*path, *key)),
                    _ => None,
                }
            });
            let pairs: Vec<(&str, &str)> = pairs.collect();
            if pairs.is_empty() {
                return;
            }
            self.at.extend(pairs);
        }
    }

    /// Two memories of which each has the content of the other were swapped.
    fn find_swaps(&mut self) {
        let content = |path: &str| self.scan.files.get(path).copied();
        let is_changed = |(path, key): &(&&'f str, &&'f str)| {
            let here = content(path);
            here.is_some() && here != self.alive.get(**key).copied() && !self.as_agreed.contains(**path)
        };
        let changed: Vec<(&str, &str)> =
            self.at.iter().filter(is_changed).map(|(path, key)| (*path, *key)).collect();
        let mut by_content: BTreeMap<ContentHash, Vec<usize>> = BTreeMap::new();
        for (number, (_, key)) in changed.iter().enumerate() {
            if let Some(content) = self.alive.get(key) {
                by_content.entry(*content).or_default().push(number);
            }
        }
        let owner = |path: &str| match by_content.get(&content(path)?)?.as_slice() {
            [only] => Some(*only),
            _ => None,
        };
        let mut swapped = Vec::new();
        for (number, (path, key)) in changed.iter().enumerate() {
            let other = owner(path).and_then(|other| changed.get(other));
            if let Some((place, owned)) = other.filter(|(place, _)| owner(place) == Some(number)) {
                swapped.extend([(*path, *owned), (*place, *key)]);
            }
        }
        self.at.extend(swapped);
    }

    fn moved(&self) -> Moved {
        let elsewhere = self.at.iter().filter(|(path, key)| path != key);
        let mut moved: Moved =
            elsewhere.map(|(path, key)| ((*path).to_owned(), Some((*key).to_owned()))).collect();
        for key in self.alive.keys().filter(|key| self.scan.files.contains_key(**key)) {
            if !self.at.contains_key(key) {
                moved.insert((*key).to_owned(), None);
            }
        }
        moved
    }
}

#[cfg(test)]
mod tests {
    use memdir_wire::team_id::TeamId;

    use super::*;
    use crate::state::Agreed;

    struct NoRules;

    impl Rules for NoRules {
        fn refuses_key(&self, _: &str) -> Option<String> {
            None
        }

        fn refuses_to_share(&self, _: &str, _: &str, _: bool) -> Option<String> {
            None
        }

        fn merge(&self, _: &str, _: &str, _: &str, _: &str) -> Option<String> {
            None
        }

        fn reviews(&self) -> bool {
            false
        }
    }

    /// What was agreed and what is here, each as `name content`, and what is found, as `name was`.
    fn check(agreed: &[&str], here: &[&str], changes: &[NameChange], expected: &[&str]) {
        let parse = |text: &str| {
            let (name, content) = text.split_once(' ').unwrap();
            (name.to_owned(), content.to_owned())
        };
        let hash = |content: &str| ContentHash::of(content.as_bytes());
        let mut state = SyncState::new(TeamId::parse(&"1".repeat(40)).unwrap());
        for (name, content) in agreed.iter().map(|text| parse(text)) {
            let content = Some(hash(&content));
            state.agreed.insert(name, Agreed { version: 1, round: 1, id: "x".into(), content, memory: None });
        }
        let files = here.iter().map(|text| parse(text)).map(|(name, content)| (name, hash(&content)));
        let scan = Scan { files: files.collect(), ..Scan::default() };
        let moved = identify(&state, &scan, &BTreeSet::new(), changes, &NoRules);
        let moved: Vec<String> = moved
            .into_iter()
            .map(|(path, key)| format!("{path} {}", key.unwrap_or_else(|| "new".to_owned())))
            .collect();
        assert_eq!(moved, expected);
    }

    fn renamed(from: &str, to: &str) -> NameChange {
        NameChange::Renamed { from: from.to_owned(), to: to.to_owned() }
    }

    #[test]
    fn an_edit_and_a_copy_are_no_new_name() {
        check(&["a 1", "b 2"], &["a 3", "b 2"], &[], &[]);
        check(&["a 1", "b 2"], &["a 1", "b 2", "c 1"], &[], &[]);
        check(&["a 1", "b 2"], &["a 2", "b 2"], &[], &[]);
        check(&["a 1"], &[], &[], &[]);
    }

    #[test]
    fn a_new_name_is_found_by_content_if_only_one_fits() {
        check(&["a 1", "b 2"], &["c 1", "b 2"], &[], &["c a"]);
        check(&["a 1", "b 1"], &["c 1"], &[], &[]);
        check(&["a 1"], &["c 1", "d 1"], &[], &[]);
        check(&["a 1", "b 2"], &["a 2", "b 1"], &[], &["a b", "b a"]);
        // One took the name of another, which has a third.
        check(&["a 1", "b 2"], &["b 1", "c 2"], &[], &["b a", "c b"]);
        check(&["a 1", "b 2"], &["b 1"], &[], &["b a"]);
    }

    #[test]
    fn the_history_says_what_became_of_a_name_whatever_the_text_became() {
        check(&["a 1"], &["c 9"], &[renamed("a", "b"), renamed("b", "c")], &["c a"]);
        check(&["a 1"], &["a 8", "c 9"], &[renamed("a", "c")], &["a new", "c a"]);
        check(&["a 1"], &["a 9"], &[NameChange::Deleted("a".into())], &["a new"]);
        // Deleted, and the deletion undone.
        check(&["a 1"], &["a 1"], &[NameChange::Deleted("a".into())], &[]);
        let swap = [renamed("a", "c"), renamed("b", "a"), renamed("c", "b")];
        check(&["a 1", "b 2"], &["a 8", "b 9"], &swap, &["a b", "b a"]);
        // Another program gave it another name after that.
        check(&["a 1"], &["d 1"], &[renamed("a", "c")], &["d a"]);
    }
}
