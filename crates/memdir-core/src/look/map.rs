use std::collections::BTreeMap;

use camino::{Utf8Path, Utf8PathBuf};

use super::{Entry, Kind, Look, LookError};

/// A file system in a map, for tests of rules that look. Parents of every entry exist as directories.
#[derive(Debug, Clone, Default)]
pub struct MapLook {
    nodes: BTreeMap<Utf8PathBuf, Node>,
}

#[derive(Debug, Clone)]
enum Node {
    File(Vec<u8>),
    Dir,
    Link(Utf8PathBuf),
    Denied,
}

/// How many links may be in one another's way before we call it a loop, as the kernel does.
const MAX_LINKS: u32 = 40;

impl MapLook {
    /// An empty file system: only `/` exists.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a regular file.
    #[must_use]
    pub fn file(self, path: &str, content: impl AsRef<[u8]>) -> Self {
        self.node(path, Node::File(content.as_ref().to_vec()))
    }

    /// Adds a directory.
    #[must_use]
    pub fn dir(self, path: &str) -> Self {
        self.node(path, Node::Dir)
    }

    /// Adds a symbolic link.
    #[must_use]
    pub fn link(self, path: &str, target: &str) -> Self {
        self.node(path, Node::Link(target.into()))
    }

    /// Adds a file that exists and may not be read.
    #[must_use]
    pub fn denied(self, path: &str) -> Self {
        self.node(path, Node::Denied)
    }

    fn node(mut self, path: &str, node: Node) -> Self {
        let path = Utf8PathBuf::from(path);
        for parent in path.ancestors().skip(1) {
            self.nodes.entry(parent.to_owned()).or_insert(Node::Dir);
        }
        self.nodes.insert(path, node);
        self
    }

    fn resolve(&self, path: &Utf8Path, follow_last: bool) -> Option<Utf8PathBuf> {
        let mut pending: Vec<String> =
            path.as_str().split('/').rev().filter(|name| !name.is_empty()).map(str::to_owned).collect();
        let mut done = Utf8PathBuf::from("/");
        let mut links = 0;
        while let Some(name) = pending.pop() {
            match name.as_str() {
                "." => continue,
                ".." => {
                    done.pop();
                    continue;
                }
                _ => {}
            }
            let next = done.join(&name);
            match self.nodes.get(&next) {
                Some(Node::Link(target)) if follow_last || !pending.is_empty() => {
                    links += 1;
                    if links > MAX_LINKS {
                        return None;
                    }
                    if target.is_absolute() {
                        done = "/".into();
                    }
                    pending.extend(
                        target.as_str().split('/').rev().filter(|part| !part.is_empty()).map(str::to_owned),
                    );
                }
                Some(_) => done = next,
                None => return None,
            }
        }
        Some(done)
    }
}

impl Look for MapLook {
    fn kind(&self, path: &Utf8Path) -> Option<Kind> {
        let real = self.resolve(path, false)?;
        if real == "/" {
            return Some(Kind::Dir);
        }
        Some(match self.nodes.get(&real)? {
            Node::File(_) | Node::Denied => Kind::File,
            Node::Dir => Kind::Dir,
            Node::Link(_) => Kind::Link,
        })
    }

    fn read(&self, path: &Utf8Path, limit: u64) -> Result<Vec<u8>, LookError> {
        let real = self.resolve(path, true).ok_or(LookError::NotFound)?;
        match self.nodes.get(&real) {
            Some(Node::File(content)) if content.len() as u64 > limit => Err(LookError::TooLarge { limit }),
            Some(Node::File(content)) => Ok(content.clone()),
            Some(Node::Denied) => Err(LookError::Denied),
            Some(Node::Dir | Node::Link(_)) => Err(LookError::NotFile),
            None => Err(LookError::NotFound),
        }
    }

    fn real_path(&self, path: &Utf8Path) -> Option<Utf8PathBuf> {
        self.resolve(path, true)
    }

    fn listing(&self, path: &Utf8Path) -> Result<Vec<Entry>, LookError> {
        let real = self.resolve(path, true).ok_or(LookError::NotFound)?;
        if matches!(self.nodes.get(&real), Some(Node::File(_) | Node::Denied)) {
            return Err(LookError::NotFile);
        }
        let children = self.nodes.iter().filter(|(path, _)| path.parent() == Some(&real));
        let found = children
            .filter_map(|(path, node)| {
                let kind = match node {
                    Node::File(_) | Node::Denied => Kind::File,
                    Node::Dir => Kind::Dir,
                    Node::Link(_) => Kind::Link,
                };
                Some(Entry { name: path.file_name()?.to_owned(), kind })
            })
            .collect();
        Ok(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_are_followed_and_loops_end() {
        let look =
            MapLook::new().file("/a/f", "x").link("/b", "a").link("/l/f", "../b/f").link("/loop", "loop");
        assert_eq!(look.read("/l/f".into(), 10), Ok(b"x".to_vec()));
        assert_eq!(look.real_path("/l/f".into()), Some("/a/f".into()));
        assert_eq!(look.kind("/l/f".into()), Some(Kind::Link));
        assert_eq!(look.real_path("/loop".into()), None);
        assert_eq!(look.read("/a".into(), 10), Err(LookError::NotFile));
        assert_eq!(look.list("/a".into()), vec![Entry { name: "f".into(), kind: Kind::File }]);
    }
}
