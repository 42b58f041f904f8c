//! What needs attention in the memory of a project, as far as its files say. Only what changed is read again.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use camino::Utf8Path;
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

/// A state of a directory, and what was noticed in it.
type Noticed = (Vec<(String, i64, u64)>, Attention);

/// What was noticed in each directory.
#[derive(Default)]
pub(crate) struct Attentions(Mutex<HashMap<String, Noticed>>);

impl Attentions {
    /// Looks at a memory directory. Without time it says what is known of how full the index is, and of secrets nothing.
    pub(crate) fn of(&self, directory: &Utf8Path, env: &Env, deadline: Instant) -> Attention {
        let Ok(memory) = Memory::at_directory(directory, env) else { return Attention::default() };
        let Ok(catalogue) = memory.catalogue() else { return Attention::default() };
        let read = |path: &RelPath| {
            let content = memory.read(path).ok().flatten()?;
            Some(decode(&content).0.into_owned())
        };
        let index = RelPath::parse(ENTRYPOINT).ok().and_then(|path| read(&path));
        let index = index.map(|text| Usage::of(&text));
        let state: Vec<(String, i64, u64)> = catalogue
            .entries
            .iter()
            .map(|entry| (entry.path.to_string(), entry.modified.as_millisecond(), entry.bytes))
            .collect();
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((before, noticed)) = known.get(directory.as_str())
            && *before == state
        {
            return Attention { index, ..*noticed };
        }
        let bytes: u64 = catalogue.entries.iter().map(|entry| entry.bytes).sum();
        let mut secrets = 0;
        if bytes > MAX_BYTES {
            return Attention { index, secrets };
        }
        for entry in &catalogue.entries {
            if Instant::now() > deadline {
                return Attention { index, secrets };
            }
            secrets += usize::from(read(&entry.path).is_some_and(|text| !scan(&text).is_empty()));
        }
        let noticed = Attention { index, secrets };
        known.insert(directory.to_string(), (state, noticed));
        noticed
    }
}
