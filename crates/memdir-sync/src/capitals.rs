//! Names that some file systems take for one.

use std::collections::HashMap;

/// Keys by what they are where capitals make no difference.
#[derive(Default)]
pub(crate) struct Capitals {
    by_fold: HashMap<String, String>,
}

impl Capitals {
    /// Adds keys; of two that are the same but for capitals the first stays.
    pub(crate) fn of<'k>(keys: impl IntoIterator<Item = &'k String>) -> Self {
        let mut capitals = Self::default();
        for key in keys {
            capitals.claim(key);
        }
        capitals
    }

    /// Takes a name; gives back who has it already, but for capitals.
    pub(crate) fn claim(&mut self, key: &str) -> Option<&str> {
        let owner = self.by_fold.entry(key.to_lowercase()).or_insert_with(|| key.to_owned());
        (owner != key).then_some(owner.as_str())
    }

    /// Who has the name already, but for capitals.
    pub(crate) fn other(&self, key: &str) -> Option<&str> {
        self.by_fold.get(&key.to_lowercase()).filter(|owner| *owner != key).map(String::as_str)
    }

    /// Gives a name back.
    pub(crate) fn release(&mut self, key: &str) {
        let fold = key.to_lowercase();
        if self.by_fold.get(&fold).is_some_and(|owner| owner == key) {
            self.by_fold.remove(&fold);
        }
    }
}
