use std::collections::HashSet;
use std::fs;

use camino::{Utf8Path, Utf8PathBuf};
use memdir_disk::cache_dir::CacheDir;

use crate::segment::checksum;
use crate::usage::{self, Usage};

/// What a session has been shown, so that nothing is given twice. Derived: if it is lost, something is repeated.
#[derive(Debug)]
pub struct ShownMemories {
    cache: CacheDir,
    name: String,
    paths: HashSet<Utf8PathBuf>,
}

/// Sessions that are remembered; beyond it the folder starts afresh.
const MAX_SESSIONS: usize = 512;

impl ShownMemories {
    /// What the session has been shown so far, kept below `folder`.
    #[must_use]
    pub fn load(folder: &Utf8Path, session: &str) -> Self {
        let cache = CacheDir::new(folder.to_owned());
        let name = format!(
            "{:08x}{:08x}.json",
            checksum(session.as_bytes()),
            checksum(format!("{session}\0").as_bytes())
        );
        let known = fs::read(cache.path().join(&name)).ok();
        let paths = known.and_then(|bytes| serde_json::from_slice(&bytes).ok()).unwrap_or_default();
        Self { cache, name, paths }
    }

    /// The files.
    #[must_use]
    pub fn paths(&self) -> &HashSet<Utf8PathBuf> {
        &self.paths
    }

    /// Remembers that these have been shown. Failing to is no error: they are shown again.
    pub fn add(&mut self, paths: impl IntoIterator<Item = Utf8PathBuf>) {
        let new: Vec<Utf8PathBuf> =
            paths.into_iter().filter(|path| self.paths.insert(path.clone())).collect();
        if new.is_empty() {
            return;
        }
        let Ok(Some(writer)) = self.cache.try_write() else { return };
        let bytes = serde_json::to_vec(&self.paths).unwrap_or_default();
        let _ = writer.write(&self.name, |out| out.write_all(&bytes));
        let mut usage = Usage::load(self.cache.path());
        usage.add(&new);
        let _ = writer.write(usage::NAME, |out| out.write_all(&usage.encode()));
        let count = fs::read_dir(self.cache.path()).map_or(0, Iterator::count);
        if count > MAX_SESSIONS {
            writer.remove_others(|name| name == self.name || name == usage::NAME);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_session_has_its_own() {
        let folder = tempfile::tempdir().unwrap();
        let folder = Utf8Path::from_path(folder.path()).unwrap().join("recall");
        ShownMemories::load(&folder, "one").add(["/a".into()]);
        ShownMemories::load(&folder, "one").add(["/b".into()]);
        let one = ShownMemories::load(&folder, "one");
        assert_eq!(one.paths(), &HashSet::from(["/a".into(), "/b".into()]));
        assert!(ShownMemories::load(&folder, "two").paths().is_empty());
        ShownMemories::load(&folder, "two").add(["/a".into(), "/a".into()]);
        let usage = Usage::load(&folder);
        assert!(usage.favour("/a".into()) > usage.favour("/b".into()));
        assert!(usage.favour("/b".into()) > usage.favour("/c".into()));
    }
}
