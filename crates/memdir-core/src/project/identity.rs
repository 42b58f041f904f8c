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
    /// The root commit of its repository; `None` too when nobody asked git.
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

    /// The key as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
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
    fn a_key_names_a_file_and_nothing_else() {
        let key = IdentityKey("clone:../../etc/passwd \0".to_owned());
        let name = key.file_name();
        assert_eq!(name.len(), 37);
        assert!(name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'.'));
    }
}
