use std::collections::HashSet;
use std::fs;
use std::time::Duration;

use camino::{Utf8Path, Utf8PathBuf};
use memdir_disk::cache_dir::CacheDir;
use memdir_disk::own_file::read_own;
use serde::{Deserialize, Serialize};

use crate::segment::checksum;
use crate::usage::{self, Usage};

/// What a session has been shown, so that nothing is given twice. Derived: if it is lost, something is repeated.
#[derive(Debug)]
pub struct ShownMemories {
    cache: CacheDir,
    name: String,
    shown: Shown,
}

/// What is kept of a session.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default)]
struct Shown {
    /// Whether it has had a prompt since it began or was compacted.
    briefed: bool,
    paths: HashSet<Utf8PathBuf>,
}

/// Sessions that are remembered; beyond it the folder starts afresh.
const MAX_SESSIONS: usize = 512;

/// How long another process may keep us from writing; it needs about a millisecond.
const PATIENCE: Duration = Duration::from_millis(500);

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
        let shown = read(&cache, &name);
        Self { cache, name, shown }
    }

    /// Whether the session has had its first prompt.
    #[must_use]
    pub fn is_briefed(&self) -> bool {
        self.shown.briefed
    }

    /// Forgets the session: it was compacted, and no longer knows what it was shown.
    pub fn forget(&self) {
        if let Ok(Some(writer)) = self.cache.write_within(PATIENCE) {
            let _ = writer.write(&self.name, |out| out.write_all(b"{}"));
        }
    }

    /// The files.
    #[must_use]
    pub fn paths(&self) -> &HashSet<Utf8PathBuf> {
        &self.shown.paths
    }

    /// Claims these for this session, which has had its first prompt then: `false` if another process of the session has shown one of them meanwhile. Then
    /// none is claimed, and [`ShownMemories::paths`] knows of those.
    ///
    /// Where nothing can be written they count as claimed: to be shown again is better than never.
    pub fn claim(&mut self, paths: &[Utf8PathBuf]) -> bool {
        if paths.is_empty() && self.shown.briefed {
            return true;
        }
        let Ok(Some(writer)) = self.cache.write_within(PATIENCE) else { return true };
        self.shown.paths.extend(read(&self.cache, &self.name).paths);
        if paths.iter().any(|path| self.shown.paths.contains(path)) {
            return false;
        }
        self.shown.briefed = true;
        self.shown.paths.extend(paths.iter().cloned());
        let bytes = serde_json::to_vec(&self.shown).unwrap_or_default();
        let _ = writer.write(&self.name, |out| out.write_all(&bytes));
        if !paths.is_empty() {
            let mut usage = Usage::load(self.cache.path());
            usage.add(paths);
            let _ = writer.write(usage::NAME, |out| out.write_all(&usage.encode()));
        }
        let count = fs::read_dir(self.cache.path()).map_or(0, Iterator::count);
        if count > MAX_SESSIONS {
            writer.remove_others(|name| name == self.name || name == usage::NAME);
        }
        true
    }
}

fn read(cache: &CacheDir, name: &str) -> Shown {
    let known = read_own(&cache.path().join(name)).ok();
    known.and_then(|bytes| serde_json::from_slice(&bytes).ok()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_session_has_its_own() {
        let folder = tempfile::tempdir().unwrap();
        let folder = Utf8Path::from_path(folder.path()).unwrap().join("recall");
        let claim = |session: &str, path: &str| ShownMemories::load(&folder, session).claim(&[path.into()]);
        assert!(claim("one", "/a") && claim("one", "/b"));
        let one = ShownMemories::load(&folder, "one");
        assert_eq!(one.paths(), &HashSet::from(["/a".into(), "/b".into()]));
        assert!(ShownMemories::load(&folder, "two").paths().is_empty());
        assert!(claim("two", "/a"));
        let mut three = ShownMemories::load(&folder, "three");
        assert!(!three.is_briefed() && three.claim(&[]));
        assert!(ShownMemories::load(&folder, "three").is_briefed());
        one.forget();
        let again = ShownMemories::load(&folder, "one");
        assert!(!again.is_briefed() && again.paths().is_empty());
        let usage = Usage::load(&folder);
        assert!(usage.favour("/a".into()) > usage.favour("/b".into()));
        assert!(usage.favour("/b".into()) > usage.favour("/c".into()));
    }

    #[test]
    fn of_many_who_claim_the_same_one_gets_it() {
        let folder = tempfile::tempdir().unwrap();
        let folder = Utf8Path::from_path(folder.path()).unwrap().join("recall");
        let all: Vec<ShownMemories> = (0..16).map(|_| ShownMemories::load(&folder, "same")).collect();
        let claimed = std::thread::scope(|scope| {
            let claims: Vec<_> = all
                .into_iter()
                .enumerate()
                .map(|(number, mut shown)| {
                    scope.spawn(move || {
                        let common = shown.claim(&["/common".into(), format!("/{number}").into()]);
                        assert!(shown.paths().contains(Utf8Path::new("/common")));
                        assert!(shown.claim(&[format!("/own-{number}").into()]));
                        common
                    })
                })
                .collect();
            claims.into_iter().map(|claim| claim.join().unwrap()).filter(|claimed| *claimed).count()
        });
        assert_eq!(claimed, 1);
        assert_eq!(ShownMemories::load(&folder, "same").paths().len(), 16 + 2, "no claim was lost");
    }
}
