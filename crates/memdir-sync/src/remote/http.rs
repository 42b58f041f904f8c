//! A team server as a remote: the files of the newest version by name and hash, asked for by what changed.
//!
//! What was seen last lies in our own state, so that the next sync asks only for what came since. It can be deleted at any
//! time. A version is prepared here, in full, before it is sent: after a crash in between the very same is sent again.

use std::collections::{BTreeMap, HashMap};
use std::time::Duration;

use memdir_core::content_hash::ContentHash;
use memdir_disk::sync_dir::SyncDir;
use memdir_wire::server_api::{
    ContentsAnswer, ContentsRequest, FilesAnswer, HeadAnswer, KnownAnswer, KnownRequest, MAX_PARTS, PROTOCOL,
    PartRequest, PublishRequest, PutFile, VersionsAnswer, version_id,
};
use memdir_wire::team_id::TeamId;

use super::budget::SyncBudget;
use super::git::Commit;
use super::{Listed, Prepared, Published, Put, RefusalCause, Remote, RemoteError, Version};
use crate::layout::{ENTRIES, README};

mod access;
mod address;
mod ask;
mod last_seen;

pub use address::{ServerAddress, is_server};
use ask::{Asked, Asking};
use last_seen::{Batch, Seen};

/// A team's place on a server.
#[derive(Debug)]
pub struct HttpRemote {
    asking: Asking,
    team: TeamId,
    directory: SyncDir,
    seen: Option<Seen>,
    /// Contents that came along with a listing.
    contents: HashMap<String, String>,
    /// Versions that are ready to be sent.
    prepared: HashMap<Version, Batch>,
    /// The number of the newest version that was seen before the server went back behind it.
    common: Option<u64>,
    /// Whether only a few files will be read, and nothing is remembered.
    is_looking: bool,
}

/// A body leaves room for what surrounds its files.
const PART_BYTES: usize = 900_000;
/// What may still arrive late is one or two versions.
const MOST_PREPARED: usize = 8;

impl HttpRemote {
    /// A remote at an address. `directory` is where what was seen is kept here.
    #[must_use]
    pub fn new(directory: SyncDir, address: ServerAddress, team: TeamId) -> Self {
        Self {
            asking: Asking::new(address),
            team,
            directory,
            seen: None,
            contents: HashMap::new(),
            prepared: HashMap::new(),
            common: None,
            is_looking: false,
        }
    }

    /// The same, for a caller that only reads some files: contents come when they are asked for.
    #[must_use]
    pub fn looking(mut self) -> Self {
        self.is_looking = true;
        self
    }

    /// The same, with no request taking longer than this.
    #[must_use]
    pub fn within(mut self, limit: Duration) -> Self {
        self.asking.limit = limit;
        self
    }

    /// How many requests went out so far.
    #[must_use]
    pub fn requests(&self) -> u32 {
        self.asking.requests
    }

    /// The newest versions.
    ///
    /// # Errors
    /// The server cannot be asked.
    pub fn log(&mut self, count: usize) -> Result<Vec<Commit>, RemoteError> {
        let asked = self.asking.get(&format!("versions?limit={count}"), None)?;
        let answer: VersionsAnswer = asked.understood()?;
        let commit = |line: memdir_wire::server_api::VersionLine| Commit {
            id: line.version.to_string(),
            seconds: line.time,
            author: line.author,
            subject: line.subject,
        };
        Ok(answer.versions.into_iter().map(commit).collect())
    }

    fn seen(&mut self) -> Result<&mut Seen, RemoteError> {
        if self.seen.is_none() {
            self.seen = Some(Seen::load(&self.directory, &self.asking.address)?);
            self.contents.extend(last_seen::load_records(&self.directory)?);
        }
        self.seen.as_mut().ok_or_else(|| here("what was seen is gone"))
    }

    /// Asks for what came since, and remembers it.
    fn pull(&mut self) -> Result<(), RemoteError> {
        let known = self.seen()?.version;
        let since = known.map_or(String::new(), |version| format!("&since={version}"));
        let whole = !self.is_looking;
        let first = self.asking.get(&format!("files?contents={whole}{since}"), known)?;
        if first.status == 304 {
            return Ok(());
        }
        let seen = self.seen()?;
        seen.files();
        if known.is_some() && seen.version.is_none() {
            // What was seen cannot be read: everything is asked for.
            return self.pull();
        }
        let mut page: FilesAnswer = if first.code() == Some("unknown_version") {
            self.go_back()?;
            self.asking.get(&format!("files?contents={whole}"), None)?.understood()?
        } else {
            first.understood()?
        };
        let mut budget = SyncBudget::new();
        loop {
            let bytes =
                page.files.iter().map(|line| line.path.len() + line.content.as_ref().map_or(0, String::len));
            budget.page(page.files.len(), bytes.sum())?;
            let (seen, contents) = (self.seen.as_mut(), &mut self.contents);
            let seen = seen.ok_or_else(|| here("what was seen is gone"))?;
            for line in std::mem::take(&mut page.files) {
                match line.id {
                    None => {
                        seen.files().remove(&line.path);
                    }
                    Some(id) => {
                        if let Some(content) = line.content {
                            contents.insert(id.to_string(), content);
                        }
                        seen.files().insert(line.path, (id, line.sequence));
                    }
                }
            }
            let Some(next) = page.next else { break };
            budget.advance(&next)?;
            let path = address::escaped(&next.path);
            let rest = format!("files?contents={whole}&sequence={}&path={path}", next.sequence);
            page = self.asking.get(&rest, None)?.understood()?;
        }
        self.seen()?.go_on(page.head.version);
        self.remember()
    }

    /// Remembers what was seen, and what records say: every sync that brings something reads all of them.
    fn remember(&mut self) -> Result<(), RemoteError> {
        let Some(seen) = self.seen.as_mut().filter(|_| !self.is_looking) else { return Ok(()) };
        seen.store(&self.directory)?;
        let records = seen.files().iter().filter(|(path, _)| !path.starts_with(ENTRIES));
        let ids = records.map(|(_, (id, _))| id.to_string());
        last_seen::store_records(&self.directory, ids.filter_map(|id| self.contents.get_key_value(&id)))
    }

    /// The server does not know what was seen last: everything is asked for anew, and how far both still agree.
    fn go_back(&mut self) -> Result<(), RemoteError> {
        let seen = self.seen()?;
        let mut versions = std::mem::take(&mut seen.lineage);
        versions.extend(seen.version);
        seen.forget();
        let answer: KnownAnswer =
            self.asking.post("known", None, &KnownRequest { v: PROTOCOL, versions })?.understood()?;
        self.common = Some(answer.sequence);
        Ok(())
    }

    fn batch(&mut self, version: &Version) -> Result<Batch, RemoteError> {
        if let Some(batch) = self.prepared.get(version) {
            return Ok(batch.clone());
        }
        let kept = Batch::load(&self.directory)?.filter(|batch| batch.version.to_string() == version.0);
        kept.ok_or_else(|| here("the version that was prepared is not here any more"))
    }

    /// Sends a version, in parts where one body cannot hold it.
    fn send(&mut self, batch: &Batch) -> Result<Asked, RemoteError> {
        let mut parts: Vec<Vec<PutFile>> = vec![Vec::new()];
        let mut bytes = 0;
        for put in &batch.puts {
            let size = serde_json::to_string(put).map_or(0, |text| text.len()) + 1;
            if bytes > 0 && bytes + size > PART_BYTES {
                parts.push(Vec::new());
                bytes = 0;
            }
            bytes += size;
            if let Some(part) = parts.last_mut() {
                part.push(put.clone());
            }
        }
        let puts = parts.pop().unwrap_or_default();
        let count = u32::try_from(parts.len()).ok().filter(|count| *count < MAX_PARTS);
        let count = count.ok_or_else(|| RemoteError::Refused {
            message: "this is more than one sync can send; share it in several steps".to_owned(),
            cause: RefusalCause::Rule,
        })?;
        let onto = Some(batch.onto);
        for (number, puts) in parts.into_iter().enumerate() {
            let part = PartRequest { v: PROTOCOL, team: self.team.clone(), puts };
            let asked = self.asking.put(&format!("parts/{}/{number}", batch.version), onto, &part)?;
            if asked.status != 200 {
                return Ok(asked);
            }
        }
        let request = PublishRequest {
            v: PROTOCOL,
            team: self.team.clone(),
            version: batch.version,
            subject: batch.subject.clone(),
            parts: count,
            puts,
        };
        self.asking.post("versions", onto, &request)
    }
}

impl Remote for HttpRemote {
    fn head(&mut self) -> Result<Option<Version>, RemoteError> {
        self.pull()?;
        Ok(self.seen()?.version.map(|version| Version(version.to_string())))
    }

    fn view(&mut self, version: &Version) -> Result<Vec<Listed>, RemoteError> {
        let is_seen = |seen: &mut Seen| {
            seen.files();
            seen.version.is_some_and(|seen| seen.to_string() == version.0)
        };
        if !is_seen(self.seen()?) {
            // What was seen can be deleted at any time.
            self.pull()?;
        }
        let seen = self.seen()?;
        if !is_seen(seen) {
            let message = "that version is not the newest any more".to_owned();
            return Err(RemoteError::Malformed { message });
        }
        let listed = seen.files().iter().map(|(path, (id, _))| Listed {
            path: path.clone(),
            id: id.to_string(),
            is_file: true,
        });
        Ok(listed.collect())
    }

    fn read(&mut self, ids: &[&str], limit: usize) -> Result<Vec<Option<Vec<u8>>>, RemoteError> {
        let mut missing: Vec<ContentHash> = ids
            .iter()
            .filter(|id| !self.contents.contains_key(**id))
            .filter_map(|id| ContentHash::from_hex(id))
            .collect();
        missing.sort();
        missing.dedup();
        let mut missing = missing.as_slice();
        let mut budget = SyncBudget::new();
        while !missing.is_empty() {
            let (asked, _) = missing.split_at(missing.len().min(MOST_ASKED));
            let request = ContentsRequest { v: PROTOCOL, ids: asked.to_vec() };
            let answer: ContentsAnswer = self.asking.post("contents", None, &request)?.understood()?;
            if answer.contents.is_empty() || answer.contents.len() > asked.len() {
                return Err(RemoteError::Malformed {
                    message: "it answered with nothing that was asked for".to_owned(),
                });
            }
            let bytes = answer.contents.iter().flatten().map(String::len).sum();
            budget.page(answer.contents.len(), bytes)?;
            let (answered, rest) = missing.split_at(answer.contents.len());
            for (id, content) in answered.iter().zip(answer.contents) {
                // What is not what it is called is not there.
                if let Some(content) = content.filter(|content| ContentHash::of(content.as_bytes()) == *id) {
                    self.contents.insert(id.to_string(), content);
                }
            }
            missing = rest;
        }
        let content = |id: &&str| {
            let content = self.contents.get(*id).filter(|content| content.len() <= limit)?;
            Some(content.clone().into_bytes())
        };
        Ok(ids.iter().map(content).collect())
    }

    fn prepare(
        &mut self,
        onto: Option<&Version>,
        puts: &[Put],
        message: &str,
    ) -> Result<Prepared, RemoteError> {
        let onto = match onto {
            Some(onto) => Some(
                ContentHash::from_hex(&onto.0).ok_or_else(|| here("that is not a version of a server"))?,
            ),
            None => None,
        };
        let mut files = Vec::with_capacity(puts.len());
        // A user gave the address, so this is meant to be a memdir server.
        for put in puts.iter().filter(|put| put.path != README) {
            let content = put.content.clone().map(String::from_utf8).transpose();
            let content = content.map_err(|_| here("a memory that is not UTF-8 text cannot be sent"))?;
            files.push(PutFile { path: put.path.clone(), content });
        }
        let version = version_id(&self.team, onto.as_ref(), &files);
        let mut ids = BTreeMap::new();
        for file in &files {
            if let Some(content) = &file.content {
                let id = ContentHash::of(content.as_bytes()).to_string();
                self.contents.insert(id.clone(), content.clone());
                ids.insert(file.path.clone(), id);
            }
        }
        let subject = message.lines().next().unwrap_or_default().to_owned();
        let batch = Batch { version, onto, subject, puts: files };
        batch.store(&self.directory)?;
        if self.prepared.len() >= MOST_PREPARED {
            self.prepared.clear();
        }
        let version = Version(version.to_string());
        self.prepared.insert(version.clone(), batch);
        Ok(Prepared { version, ids })
    }

    fn publish(&mut self, _: Option<&Version>, next: &Version) -> Result<Published, RemoteError> {
        let batch = self.batch(next)?;
        let asked = self.send(&batch)?;
        if asked.status == 412 {
            return Ok(Published::Moved);
        }
        let answer: HeadAnswer = asked.understood()?;
        let seen = self.seen()?;
        seen.files();
        if seen.version == batch.onto {
            for put in batch.puts {
                match put.content {
                    Some(content) => {
                        let id = ContentHash::of(content.as_bytes());
                        seen.files().insert(put.path, (id, answer.sequence));
                    }
                    None => {
                        seen.files().remove(&put.path);
                    }
                }
            }
            seen.go_on(Some(batch.version));
            self.remember()?;
        }
        Ok(Published::Done)
    }

    fn descends(&mut self, newer: &Version, older: &Version) -> Result<bool, RemoteError> {
        if newer == older {
            return Ok(true);
        }
        let Some(older) = ContentHash::from_hex(&older.0) else { return Ok(false) };
        if self.seen()?.lineage.contains(&older) {
            return Ok(true);
        }
        // A server has one line of versions, so whatever it ever had comes before the newest.
        let request = KnownRequest { v: PROTOCOL, versions: vec![older] };
        let answer: KnownAnswer = self.asking.post("known", None, &request)?.understood()?;
        Ok(answer.version.is_some())
    }

    fn ever_held(&mut self, _: &Version, path: &str, id: &str) -> Result<bool, RemoteError> {
        let Some(common) = self.common else { return Ok(false) };
        let held = self.seen()?.files().get(path);
        Ok(held.is_some_and(|(held, sequence)| *sequence <= common && held.to_string() == id))
    }
}

/// As many ids as fit into a body.
const MOST_ASKED: usize = 10_000;

fn here(message: &str) -> RemoteError {
    RemoteError::Here { message: message.to_owned() }
}
