//! What was seen of a server last, and what is about to be sent to it.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Write;

use memdir_core::content_hash::ContentHash;
use memdir_disk::disk_error::DiskError;
use memdir_disk::sync_dir::SyncDir;
use memdir_wire::server_api::PutFile;
use serde::{Deserialize, Serialize};

use super::address::ServerAddress;
use crate::remote::RemoteError;

/// The files of the newest version that was seen.
#[derive(Debug, Default)]
pub(super) struct Seen {
    /// Where.
    place: String,
    /// The version; `None`: nothing was seen.
    pub(super) version: Option<ContentHash>,
    /// Versions before it, oldest first.
    pub(super) lineage: Vec<ContentHash>,
    /// Each file's content, and the number of the version that put it there.
    files: BTreeMap<String, (ContentHash, u64)>,
    /// The lines that say so, until they are asked for: what did not change needs only the version.
    unread: Option<String>,
}

#[derive(Serialize, Deserialize)]
struct Head {
    v: u32,
    place: String,
    version: ContentHash,
    lineage: Vec<ContentHash>,
}

const SEEN: &str = "server-seen";
const RECORDS: &str = "server-records";
const BATCH: &str = "server-batch";
/// So many versions are remembered: a client that restores an older backup is merged with, not recognised.
const MOST_LINEAGE: usize = 1000;

impl Seen {
    /// What was seen at an address; nothing if that cannot be read.
    pub(super) fn load(directory: &SyncDir, address: &ServerAddress) -> Result<Self, RemoteError> {
        let content = directory.read(SEEN).map_err(failed)?;
        let text = content.and_then(|content| String::from_utf8(content).ok());
        let read = text.and_then(|text| Self::parse(&text)).filter(|seen| seen.place == address.to_string());
        Ok(read.unwrap_or_else(|| Self { place: address.to_string(), ..Self::default() }))
    }

    fn parse(text: &str) -> Option<Self> {
        let (head, lines) = text.strip_suffix(END)?.split_once('\n')?;
        let head: Head = serde_json::from_str(head).ok().filter(|head: &Head| head.v == 1)?;
        let Head { place, version, lineage, .. } = head;
        let unread = Some(lines.to_owned());
        Some(Self { place, version: Some(version), lineage, files: BTreeMap::new(), unread })
    }

    /// The files. If they cannot be read, nothing was seen.
    pub(super) fn files(&mut self) -> &mut BTreeMap<String, (ContentHash, u64)> {
        if let Some(lines) = self.unread.take() {
            match read_files(&lines) {
                Some(files) => self.files = files,
                None => self.forget(),
            }
        }
        &mut self.files
    }

    /// Forgets all files and the version that they were of.
    pub(super) fn forget(&mut self) {
        (self.version, self.unread) = (None, None);
        self.files.clear();
    }

    pub(super) fn store(&mut self, directory: &SyncDir) -> Result<(), RemoteError> {
        self.files();
        let Some(version) = self.version else { return directory.remove(SEEN).map_err(failed) };
        let head = Head { v: 1, place: self.place.clone(), version, lineage: self.lineage.clone() };
        let mut text = serde_json::to_string(&head).unwrap_or_default();
        text.push('\n');
        // A name with a line's end is refused by every server; one that sends it all the same is asked again.
        for (path, (id, sequence)) in self.files.iter().filter(|(path, _)| !path.contains('\n')) {
            // Writing to a text cannot fail.
            let _ = writeln!(text, "{sequence} {id} {path}");
        }
        text.push_str(END);
        directory.replace(SEEN, text.as_bytes()).map_err(failed)
    }

    /// Another version is the newest now, and follows from the one before.
    pub(super) fn go_on(&mut self, version: Option<ContentHash>) {
        if self.version != version {
            self.lineage.extend(self.version);
            let extra = self.lineage.len().saturating_sub(MOST_LINEAGE);
            self.lineage.drain(..extra);
            self.version = version;
        }
    }
}

fn read_files(lines: &str) -> Option<BTreeMap<String, (ContentHash, u64)>> {
    let file = |line: &str| {
        let (sequence, rest) = line.split_once(' ')?;
        let (id, path) = rest.split_once(' ')?;
        Some((path.to_owned(), (ContentHash::from_hex(id)?, sequence.parse().ok()?)))
    };
    lines.lines().map(file).collect()
}

const END: &str = "end\n";

/// A version that is ready to be sent, as it survives the end of the process that prepared it.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Batch {
    pub(super) version: ContentHash,
    pub(super) onto: Option<ContentHash>,
    pub(super) subject: String,
    pub(super) puts: Vec<PutFile>,
}

impl Batch {
    pub(super) fn load(directory: &SyncDir) -> Result<Option<Self>, RemoteError> {
        let content = directory.read(BATCH).map_err(failed)?;
        Ok(content.and_then(|content| serde_json::from_slice(&content).ok()))
    }

    pub(super) fn store(&self, directory: &SyncDir) -> Result<(), RemoteError> {
        directory.replace(BATCH, &serde_json::to_vec(self).unwrap_or_default()).map_err(failed)
    }
}

/// What records about members said when they were last seen, by their hashes. This file need not be trusted: what is
/// not what it is called is asked for again.
pub(super) fn load_records(directory: &SyncDir) -> Result<HashMap<String, String>, RemoteError> {
    let content = directory.read(RECORDS).map_err(failed)?;
    let mut records: HashMap<String, String> =
        content.and_then(|content| serde_json::from_slice(&content).ok()).unwrap_or_default();
    records.retain(|id, text| ContentHash::of(text.as_bytes()).to_string() == *id);
    Ok(records)
}

pub(super) fn store_records<'r>(
    directory: &SyncDir,
    records: impl Iterator<Item = (&'r String, &'r String)>,
) -> Result<(), RemoteError> {
    let records: BTreeMap<&String, &String> = records.collect();
    let content = serde_json::to_vec(&records).unwrap_or_default();
    if directory.read(RECORDS).map_err(failed)?.is_some_and(|known| known == content) {
        return Ok(());
    }
    directory.replace(RECORDS, &content).map_err(failed)
}

fn failed(error: DiskError) -> RemoteError {
    RemoteError::Here { message: error.to_string() }
}
