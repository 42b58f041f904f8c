//! What needs attention in the memory of a project, as far as its files say. Only what changed is read again.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use camino::{Utf8Path, Utf8PathBuf};
use jiff::Timestamp;
use memdir_core::env::Env;
use memdir_core::memory::entrypoint::{ENTRYPOINT, Usage};
use memdir_core::memory::topic::decode;
use memdir_core::rel_path::RelPath;
use memdir_core::secrets::scan;
use memdir_lib::memory::Memory;

/// A larger memory is read by `memdir audit`, not for a page.
const MAX_BYTES: u64 = 8 << 20;

/// What was noticed.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Attention {
    /// How full MEMORY.md is; `None` without one.
    pub(crate) index: Option<Usage>,
    /// In how many memories there are secrets.
    pub(crate) secrets: usize,
}

/// A file as it was when it was read: when it was changed, its size, and whether a secret is in it.
type Read = (Timestamp, u64, bool);

/// What was read of each directory.
#[derive(Default)]
pub(crate) struct Attentions(Mutex<HashMap<Utf8PathBuf, HashMap<RelPath, Read>>>);

impl Attentions {
    /// Looks at a memory directory. What there is no time for is read the next time.
    pub(crate) fn of(&self, directory: &Utf8Path, env: &Env, deadline: Instant) -> Attention {
        let Ok(memory) = Memory::at_directory(directory, env) else { return Attention::default() };
        let Ok(catalogue) = memory.catalogue() else { return Attention::default() };
        let read = |path: &RelPath| {
            let content = memory.read(path).ok().flatten()?;
            Some(decode(&content).0.into_owned())
        };
        let index = RelPath::parse(ENTRYPOINT).ok().and_then(|path| read(&path));
        let index = index.map(|text| Usage::of(&text));
        let bytes: u64 = catalogue.entries.iter().map(|entry| entry.bytes).sum();
        if bytes > MAX_BYTES {
            return Attention { index, secrets: 0 };
        }
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let before = all.remove(directory).unwrap_or_default();
        let mut known = HashMap::new();
        let mut has_read = false;
        for entry in &catalogue.entries {
            let is_same = |(modified, bytes, _): &&Read| (*modified, *bytes) == (entry.modified, entry.bytes);
            let has_secret = match before.get(&entry.path).filter(is_same) {
                Some((.., has_secret)) => *has_secret,
                // At least one is read each time, so that a slow machine gets to the end, too.
                None if has_read && Instant::now() > deadline => continue,
                None => {
                    has_read = true;
                    read(&entry.path).is_some_and(|text| !scan(&text).is_empty())
                }
            };
            known.insert(entry.path.clone(), (entry.modified, entry.bytes, has_secret));
        }
        let secrets = known.values().filter(|(.., has_secret)| *has_secret).count();
        all.insert(directory.to_owned(), known);
        Attention { index, secrets }
    }
}
