use std::collections::HashMap;

use camino::{Utf8Path, Utf8PathBuf};
use memdir_disk::own_file::read_own;

/// How often memories have been of use: in how many sessions recall has given them. Derived, and only ever decides
/// between equals.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Usage {
    counts: HashMap<Utf8PathBuf, u32>,
}

pub(crate) const NAME: &str = "usage.json";
/// Beyond it all counts are halved, and what was used once is forgotten.
const MAX_FILES: usize = 2_000;
/// What the most used memory is worth more than one that never was.
const MOST: f32 = 0.02;
/// So many uses count in full.
const FULL: f32 = 64.0;

impl Usage {
    /// What is known, from the folder in which recall keeps what it has shown.
    #[must_use]
    pub fn load(folder: &Utf8Path) -> Self {
        let bytes = read_own(&folder.join(NAME)).ok();
        let counts = bytes.and_then(|bytes| serde_json::from_slice(&bytes).ok()).unwrap_or_default();
        Self { counts }
    }

    /// In how many sessions a memory was given.
    #[must_use]
    pub fn count(&self, path: &Utf8Path) -> u32 {
        self.counts.get(path).copied().unwrap_or(0)
    }

    /// Counts one more use of each.
    pub(crate) fn add<'a>(&mut self, paths: impl IntoIterator<Item = &'a Utf8PathBuf>) {
        for path in paths {
            let count = self.counts.entry(path.clone()).or_default();
            *count = count.saturating_add(1);
        }
        if self.counts.len() > MAX_FILES {
            self.counts.values_mut().for_each(|count| *count /= 2);
            self.counts.retain(|_, count| *count > 0);
        }
    }

    pub(crate) fn encode(&self) -> Vec<u8> {
        serde_json::to_vec(&self.counts).unwrap_or_default()
    }

    /// By how much a score grows: never by enough to bury a better hit.
    pub(crate) fn favour(&self, path: &Utf8Path) -> f32 {
        let count = self.counts.get(path).copied().unwrap_or(0) as f32;
        1.0 + MOST * (count.ln_1p() / FULL.ln_1p()).min(1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn use_counts_a_little_and_is_bounded() {
        let mut usage = Usage::default();
        let path = Utf8PathBuf::from("/a");
        assert_eq!(usage.favour(&path), 1.0);
        (0..10_000).for_each(|_| usage.add([&path]));
        assert!(usage.favour(&path) > 1.0 && usage.favour(&path) <= 1.0 + MOST);
        let many: Vec<Utf8PathBuf> = (0..5_000).map(|number| format!("/{number}").into()).collect();
        many.iter().for_each(|path| usage.add([path]));
        assert!(usage.counts.len() <= MAX_FILES);
        assert!(usage.counts.contains_key(&path), "what is used often stays");
    }
}
