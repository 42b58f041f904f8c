//! A directory that belongs to agents, and how much of the way to it may be a link.

use camino::{Utf8Path, Utf8PathBuf};

use crate::look::Look;

/// A directory below another one that the user alone chose.
///
/// Links up to and including the anchor are the user's own doing: a configuration directory may be in a dotfiles
/// repository. From there on none is followed, because its author could lead a write anywhere.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GuardedRoot {
    anchor: Utf8PathBuf,
    below: Utf8PathBuf,
}

impl GuardedRoot {
    /// The directory `below` an anchor.
    #[must_use]
    pub fn new(anchor: &Utf8Path, below: impl Into<Utf8PathBuf>) -> Self {
        Self { anchor: anchor.to_owned(), below: below.into() }
    }

    /// A directory of its own: only its name is guarded, the way to it is the user's.
    #[must_use]
    pub fn at(directory: &Utf8Path) -> Self {
        match (directory.parent(), directory.file_name()) {
            (Some(parent), Some(name)) => Self::new(parent, name),
            _ => Self::new(directory, ""),
        }
    }

    /// The directory as it is named.
    #[must_use]
    pub fn path(&self) -> Utf8PathBuf {
        join(&self.anchor, &self.below)
    }

    /// The directory with the links of its anchor resolved; as it is named if the anchor does not exist.
    #[must_use]
    pub fn real_path(&self, look: &dyn Look) -> Utf8PathBuf {
        join(&look.real_path(&self.anchor).unwrap_or_else(|| self.anchor.clone()), &self.below)
    }

    /// The components between the anchor and the directory.
    pub(crate) fn below(&self) -> &Utf8Path {
        &self.below
    }

    /// A directory inside this one, guarded from the same anchor on.
    #[must_use]
    pub fn join(&self, name: &str) -> Self {
        Self { anchor: self.anchor.clone(), below: join(&self.below, Utf8Path::new(name)) }
    }
}

fn join(base: &Utf8Path, below: &Utf8Path) -> Utf8PathBuf {
    if below.as_str().is_empty() { base.to_owned() } else { base.join(below) }
}
