//! What makes a project the same one after its path has changed.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::content_hash::ContentHash;

/// What a look at a project's root directory found out about it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Evidence {
    /// The directory itself. It survives a rename and the rename of a parent.
    pub inode: Option<Inode>,
    /// The normalised remote of its repository.
    pub remote: Option<String>,
    /// The root commit of its repository; `None` too if git was not asked.
    pub root_commit: Option<String>,
    /// Whether the repository lacks its older history, so that its root commit says nothing.
    pub shallow: bool,
}

/// A directory as its file system knows it. The birth time tells it apart from one that got its number later.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Inode {
    /// The device's number.
    pub device: u64,
    /// The directory's number on the device.
    pub number: u64,
    /// When it was made: seconds since 1970.
    pub birth_seconds: i64,
    /// The nanoseconds of that second.
    pub birth_nanos: u32,
}

impl Evidence {
    /// The keys under which the registry knows the project, the strongest first.
    ///
    /// A full clone is its root commit with its remote: a template's copies share the first, forks differ in
    /// the second. A shallow clone has only its remote.
    #[must_use]
    pub fn keys(&self) -> Vec<IdentityKey> {
        let mut keys = Vec::new();
        match (&self.root_commit, &self.remote) {
            (Some(commit), remote) if !self.shallow => {
                let remote = remote.as_deref().unwrap_or_default();
                keys.push(IdentityKey(format!("{CLONE}{commit} {remote}")));
            }
            (_, Some(remote)) if self.shallow => keys.push(IdentityKey(format!("{REMOTE}{remote}"))),
            _ => {}
        }
        keys.extend(self.inode.map(IdentityKey::of_inode));
        keys
    }
}

/// One piece of evidence as text; the same text means the same project.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct IdentityKey(String);

const CLONE: &str = "clone:";
const REMOTE: &str = "remote:";
const INODE: &str = "inode:";

/// How much of a repository's name is in a path.
const MAX_NAME: usize = 40;

impl IdentityKey {
    /// The key of a directory itself, which costs one system call to know.
    #[must_use]
    pub fn of_inode(inode: Inode) -> Self {
        let Inode { device, number, birth_seconds, birth_nanos } = inode;
        Self(format!("{INODE}{device}-{number}-{birth_seconds}.{birth_nanos:09}"))
    }

    /// Whether it names the directory, not the repository in it. Two places cannot both be that directory.
    #[must_use]
    pub fn is_inode(&self) -> bool {
        self.0.starts_with(INODE)
    }

    /// Whether it names a repository that has this remote, or none.
    #[must_use]
    pub fn has_remote(&self, remote: Option<&str>) -> bool {
        self.repository().is_some_and(|(_, known)| known == remote.unwrap_or_default())
    }

    /// By what several machines of one user know the project, as a part of a path: its address on a network,
    /// however it was cloned from there; without one its first commit. `None`: only this machine can know it.
    #[must_use]
    pub fn across_machines(&self) -> Option<String> {
        let (commit, remote) = self.repository()?;
        let remote = remote.to_lowercase();
        // A path is a place on one machine, and is elsewhere on the next.
        let is_on_a_network = !remote.is_empty() && !remote.starts_with(['/', '.', '~']);
        let (name, about) = if is_on_a_network {
            (remote.rsplit('/').next().unwrap_or_default(), remote.as_str())
        } else {
            ("commit", commit?)
        };
        let is_plain = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '.' | '_');
        let name: String =
            name.chars().take(MAX_NAME).map(|letter| if is_plain(letter) { letter } else { '-' }).collect();
        let name = name.trim_matches(['.', '-']);
        let name = if name.is_empty() { "project" } else { name };
        let digits: String = ContentHash::of(about.as_bytes()).to_string().chars().take(12).collect();
        Some(format!("{name}-{digits}"))
    }

    /// The root commit, if it is known, and the remote, which may be empty; `None` for a directory.
    fn repository(&self) -> Option<(Option<&str>, &str)> {
        match self.0.strip_prefix(CLONE) {
            Some(clone) => clone.split_once(' ').map(|(commit, remote)| (Some(commit), remote)),
            None => self.0.strip_prefix(REMOTE).map(|remote| (None, remote)),
        }
    }

    /// The name of its file in the registry.
    #[must_use]
    pub fn file_name(&self) -> String {
        file_name(&self.0)
    }
}

impl fmt::Display for IdentityKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

/// The name of a registry file: 32 hexadecimal digits of the hash of what the file is about.
#[must_use]
pub fn file_name(about: &str) -> String {
    let mut name = ContentHash::of(about.as_bytes()).to_string();
    name.truncate(32);
    name.push_str(".json");
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(commit: Option<&str>, remote: Option<&str>, shallow: bool) -> Vec<String> {
        let evidence = Evidence {
            inode: Some(Inode { device: 1, number: 2, birth_seconds: 3, birth_nanos: 4 }),
            remote: remote.map(str::to_owned),
            root_commit: commit.map(str::to_owned),
            shallow,
        };
        evidence.keys().iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_full_clone_a_shallow_one_and_a_plain_directory_have_their_own_keys() {
        let inode = "inode:1-2-3.000000004";
        assert_eq!(keys(Some("abc"), Some("h/p"), false), ["clone:abc h/p", inode]);
        assert_eq!(keys(Some("abc"), None, false), ["clone:abc ", inode]);
        assert_eq!(keys(Some("abc"), Some("h/p"), true), ["remote:h/p", inode]);
        assert_eq!(keys(Some("abc"), None, true), [inode]);
        // Not asked: a remote alone does not make a full clone known.
        assert_eq!(keys(None, Some("h/p"), false), [inode]);
        assert_eq!(keys(None, None, false), [inode]);
    }

    #[test]
    fn several_machines_know_a_project_by_its_address_or_its_first_commit() {
        let name = |key: &str| IdentityKey(key.to_owned()).across_machines();
        let app = name("clone:abc example.com/us/app").unwrap();
        assert!(app.starts_with("app-") && app.len() == 16, "{app}");
        // However it was cloned, and whatever its history became.
        for same in ["remote:example.com/us/app", "clone:def example.com/us/app", "remote:example.com/Us/App"]
        {
            assert_eq!(name(same).as_deref(), Some(app.as_str()), "{same}");
        }
        for other in ["remote:example.com/us/app2", "remote:example.org/us/app", "clone:abc "] {
            assert_ne!(name(other).as_deref(), Some(app.as_str()), "{other}");
        }
        // What was cloned from a folder is the folder's repository.
        assert_eq!(name("clone:abc /Users/a/x"), name("clone:abc "));
        assert_eq!(name("clone:abc ../x"), name("clone:abc "));
        assert_eq!((name("remote:/Users/a/x"), name("inode:1-2-3.000000004")), (None, None));
        let odd = name("remote:example.com/us/..\u{202e} é").unwrap();
        assert!(odd.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-'), "{odd}");
    }

    #[test]
    fn a_remote_that_changed_is_noticed() {
        let key = |text: &str| IdentityKey(text.to_owned());
        assert!(key("clone:abc ").has_remote(None) && key("clone:abc h/p").has_remote(Some("h/p")));
        assert!(!key("clone:abc ").has_remote(Some("h/p")) && !key("clone:abc h/p").has_remote(None));
        assert!(key("remote:h/p").has_remote(Some("h/p")) && !key("inode:1").has_remote(None));
    }

    #[test]
    fn a_key_names_a_file_and_nothing_else() {
        let key = IdentityKey("clone:../../etc/passwd \0".to_owned());
        let name = key.file_name();
        assert_eq!(name.len(), 37);
        assert!(name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'.'));
    }
}
