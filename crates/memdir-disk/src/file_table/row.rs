//! One file in the table of a store.

use jiff::Timestamp;
use memdir_core::content_hash::ContentHash;
use memdir_core::memory::entrypoint::ENTRYPOINT;
use memdir_core::memory::index::OVERFLOW;
use memdir_core::memory::links::links;
use memdir_core::memory::manifest::{HEAD_BYTES, ManifestEntry, client_description};
use memdir_core::memory::memory_type::MemoryType;
use memdir_core::memory::topic::validity::Validity;
use memdir_core::memory::topic::{client_slug, decode};

use super::bytes::{checksum, push_optional, push_text, take, take_optional, take_text};
use crate::place::FileStat;

/// One file: which version it has, by what that is known cheaply, and what it says about itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileRow {
    /// Its path below the root.
    pub path: String,
    /// The version that history knows of it.
    pub hash: ContentHash,
    /// How it looked when it had that version; `None`: it has to be read to know.
    pub stamp: Option<FileStamp>,
    /// What it says about itself.
    pub header: FileHeader,
}

/// By what a file is cheaply known not to have changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileStamp {
    size: u64,
    modified: i64,
    changed: i64,
    inode: u64,
}

/// What a file says about itself. Nothing for the index and its overflow.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FileHeader {
    /// Its name.
    pub name: Option<String>,
    /// What it is about.
    pub description: Option<String>,
    /// What the client would write about it into an index.
    pub indexed_as: Option<String>,
    /// Its type.
    pub memory_type: Option<MemoryType>,
    /// What it links to, each target once.
    pub links: Vec<String>,
    /// Whether something is wrong with its header.
    pub has_problems: bool,
    /// How long and where it counts.
    pub validity: Validity,
}

/// By what rows are found.
#[derive(Debug, Clone, Copy)]
pub enum RowKey<'k> {
    /// The file's path.
    Path(&'k str),
    /// The name in its header.
    Name(&'k str),
    /// The file's name without its ending.
    Stem(&'k str),
    /// The client's slug of the name in its header.
    Slug(&'k str),
    /// The version.
    Hash(ContentHash),
    /// A link in its text, as it is written.
    Link(&'k str),
    /// The client's slug of a link in its text.
    LinkSlug(&'k str),
    /// A limit in its header.
    Limited(Limit),
}

/// A limit on when or where a memory counts, by which all that have one are found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Limit {
    /// It is shown before certain tool calls.
    When,
    /// It counts on one branch or in one worktree.
    Local,
    /// It ends.
    Expires,
    /// The user pinned it.
    Pinned,
}

impl Limit {
    const ALL: [Self; 4] = [Self::When, Self::Local, Self::Expires, Self::Pinned];

    /// Whether a memory has it.
    #[must_use]
    pub fn is_of(self, validity: &Validity) -> bool {
        match self {
            Self::When => !validity.when.is_empty(),
            Self::Local => validity.is_local(),
            Self::Expires => validity.expires.is_some(),
            Self::Pinned => validity.pinned,
        }
    }
}

impl RowKey<'_> {
    pub(super) fn number(self) -> u64 {
        let (kind, bytes): (u8, &[u8]) = match &self {
            Self::Path(path) => (b'p', path.as_bytes()),
            Self::Name(name) => (b'n', name.as_bytes()),
            Self::Stem(stem) => (b't', stem.as_bytes()),
            Self::Slug(slug) => (b's', slug.as_bytes()),
            Self::Hash(hash) => (b'h', hash.as_bytes()),
            Self::Link(target) => (b'l', target.as_bytes()),
            Self::LinkSlug(slug) => (b'k', slug.as_bytes()),
            Self::Limited(Limit::When) => (b'v', b"when"),
            Self::Limited(Limit::Local) => (b'v', b"local"),
            Self::Limited(Limit::Expires) => (b'v', b"expires"),
            Self::Limited(Limit::Pinned) => (b'v', b"pinned"),
        };
        u64::from_le_bytes(checksum(&[&[kind], bytes]))
    }
}

impl FileStamp {
    /// What the system says about a file.
    #[must_use]
    pub fn of(stat: &FileStat) -> Self {
        let nanos = |time: i128| i64::try_from(time).unwrap_or(i64::MAX);
        Self {
            size: stat.size,
            modified: nanos(stat.modified),
            changed: nanos(stat.changed),
            inode: stat.inode,
        }
    }

    /// When the file last changed in any way.
    pub(crate) fn last_change(&self) -> i64 {
        self.modified.max(self.changed)
    }
}

impl FileHeader {
    /// What a file with this content says about itself.
    #[must_use]
    pub fn of(path: &str, content: &[u8]) -> Self {
        if is_index_file(path) {
            return Self::default();
        }
        let head = content.get(..HEAD_BYTES).unwrap_or(content);
        let whole = head.len() == content.len();
        let entry = ManifestEntry::from_head(path, head, whole, Timestamp::UNIX_EPOCH);
        let mut targets: Vec<String> =
            links(&decode(content).0).into_iter().map(|link| link.target).collect();
        targets.sort_unstable();
        targets.dedup();
        Self {
            name: entry.name,
            description: entry.description,
            indexed_as: client_description(&String::from_utf8_lossy(head)),
            memory_type: entry.memory_type,
            links: targets,
            has_problems: !entry.problems.is_empty(),
            validity: entry.validity,
        }
    }
}

impl FileRow {
    /// The row of a file with this content.
    pub(crate) fn of(path: &str, content: &[u8], stamp: Option<FileStamp>) -> Self {
        let header = FileHeader::of(path, content);
        Self { path: path.to_owned(), hash: ContentHash::of(content), stamp, header }
    }

    pub(super) fn keys(&self) -> Vec<u64> {
        let mut keys = vec![RowKey::Path(&self.path).number(), RowKey::Hash(self.hash).number()];
        if is_index_file(&self.path) {
            return keys;
        }
        keys.push(RowKey::Stem(stem(&self.path)).number());
        if let Some(name) = self.header.name.as_deref().filter(|name| !name.is_empty()) {
            keys.push(RowKey::Name(name).number());
            keys.push(RowKey::Slug(&client_slug(name)).number());
        }
        for target in &self.header.links {
            keys.push(RowKey::Link(target).number());
            keys.push(RowKey::LinkSlug(&client_slug(target)).number());
        }
        let limits = Limit::ALL.into_iter().filter(|limit| limit.is_of(&self.header.validity));
        keys.extend(limits.map(|limit| RowKey::Limited(limit).number()));
        keys
    }

    pub(super) fn encode(&self, bytes: &mut Vec<u8>) {
        push_text(bytes, &self.path);
        bytes.extend_from_slice(self.hash.as_bytes());
        bytes.push(self.stamp.is_some().into());
        if let Some(stamp) = self.stamp {
            bytes.extend_from_slice(&stamp.size.to_le_bytes());
            bytes.extend_from_slice(&stamp.modified.to_le_bytes());
            bytes.extend_from_slice(&stamp.changed.to_le_bytes());
            bytes.extend_from_slice(&stamp.inode.to_le_bytes());
        }
        let header = &self.header;
        push_optional(bytes, header.name.as_deref());
        push_optional(bytes, header.description.as_deref());
        push_optional(bytes, header.indexed_as.as_deref());
        push_optional(bytes, header.memory_type.as_ref().map(MemoryType::as_str));
        push_optional(bytes, header.validity.to_header().as_deref());
        bytes.push(u8::from(header.has_problems));
        for target in &header.links {
            push_text(bytes, target);
        }
    }

    pub(super) fn decode(input: &mut &[u8]) -> Option<Self> {
        let path = take_text(input)?.to_owned();
        let hash = ContentHash::from_bytes(take::<32>(input)?);
        let stamp = match take::<1>(input)? {
            [0] => None,
            _ => Some(FileStamp {
                size: u64::from_le_bytes(take(input)?),
                modified: i64::from_le_bytes(take(input)?),
                changed: i64::from_le_bytes(take(input)?),
                inode: u64::from_le_bytes(take(input)?),
            }),
        };
        let mut header = FileHeader {
            name: take_optional(input)?,
            description: take_optional(input)?,
            indexed_as: take_optional(input)?,
            memory_type: take_optional(input)?.map(|word| MemoryType::parse(&word)),
            validity: take_optional(input)?.map(|header| Validity::of(&header)).unwrap_or_default(),
            ..FileHeader::default()
        };
        header.has_problems = take::<1>(input)? != [0];
        while !input.is_empty() {
            header.links.push(take_text(input)?.to_owned());
        }
        Some(Self { path, hash, stamp, header })
    }
}

/// Whether a file is the index or its overflow, of this directory or of one below it.
#[must_use]
pub fn is_index_file(path: &str) -> bool {
    path.rsplit('/').next() == Some(ENTRYPOINT) || path == OVERFLOW
}

/// A file's name without directories and without `.md`.
fn stem(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.strip_suffix(".md").unwrap_or(name)
}
