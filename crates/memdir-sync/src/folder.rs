//! Folders of memory on this machine, as one side of a sync.

use std::collections::BTreeMap;

use jiff::Timestamp;
use memdir_core::config::WriteMode;
use memdir_core::operation::{Author, AuthorKind};
use memdir_core::plan::{Change, Content, Plan};
use memdir_core::rel_path::RelPath;
use memdir_disk::list_files::Listing;
use memdir_lib::memory::Wish;
use memdir_lib::team::TEAM_DIR;
use memdir_wire::canonical::{at_home, canonical, shared_hash};

use crate::file_times::FileTimes;
use crate::local::{Held, LeftAlone, Local, LocalChange, LocalError, NameChange, Outcome, Proposal, Scan};
use crate::obstacle::obstacle;
use crate::private_rules::PrivateRules;
use crate::remote::Version;
use crate::state::{Pending, SyncState};
use crate::sync_files::{KnownPlace, SyncFiles};
use crate::team::{Described, INDEX_AUTHOR, index_change, index_of, team_files};
use crate::up_to_date::FolderFingerprint;

mod asking;
mod following;
mod root;
mod rules;
mod scanning;
mod staging;

pub(crate) use asking::Questions;
use following::IndexBefore;
pub(crate) use root::Root;

/// How many files one operation writes.
const BATCH: usize = 2_000;

/// How many changes are put before the user one by one.
pub(crate) const MAX_HELD: usize = 50;

/// Whose memory is shared, which makes the rules differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A team's: its index follows from the files, and what is about a person stays private.
    Team,
    /// One person's, on several machines: the index is the user's own and merges line by line.
    Personal,
}

pub(crate) struct Folder<'f> {
    pub(crate) kind: Kind,
    pub(crate) roots: Vec<Root<'f>>,
    pub(crate) rules: PrivateRules,
    pub(crate) files: SyncFiles,
    pub(crate) mode: WriteMode,
    pub(crate) now: Timestamp,
    /// Whether every file is read, whatever its times say.
    pub(crate) read_all: bool,
    /// What each root held at the first look, and the time before it by the disk's clock, for the scan that follows.
    pub(crate) listed: Option<(i128, Vec<Option<Listing>>)>,
    /// What was found when the files were last scanned.
    pub(crate) scanned: Option<Scanned>,
    /// Whether a sync gave an index lines that no member has yet.
    pub(crate) index_followed: bool,
    /// What the user is asked, and what they said.
    pub(crate) questions: Questions,
}

/// What a scan leaves behind for the next one.
pub(crate) struct Scanned {
    seen: FileTimes,
    fingerprint: FolderFingerprint,
    /// What each root held.
    listed: Vec<Option<Listing>>,
    /// The files that the sync wrote since, or removed.
    written: BTreeMap<String, bool>,
    /// The indexes beside what is being written.
    indexes: Vec<IndexBefore>,
}

impl Folder<'_> {
    fn root_of(&self, key: &str) -> Option<&Root<'_>> {
        self.roots.iter().find(|root| key.starts_with(&root.prefix))
    }

    /// What its keys begin with, and the directories in which they lie.
    fn places(&self) -> Vec<KnownPlace> {
        let place = |root: &Root<'_>| KnownPlace { prefix: root.prefix.clone(), directory: root.directory() };
        self.roots.iter().map(place).collect()
    }

    /// Forgets what was agreed about folders that lie in another directory now: a second clone, one that was made anew, a
    /// home that is not there. What is missing in such a directory was not deleted.
    fn forget_moved(&self, state: &mut SyncState) -> Result<(), LocalError> {
        let known = self.files.places()?;
        for place in self.places() {
            let before = known.iter().find(|known| known.prefix == place.prefix);
            if before.is_some_and(|before| before.directory.is_some() && before.directory != place.directory)
            {
                state.agreed.retain(|key, _| !key.starts_with(&place.prefix));
            }
        }
        // What lay there for a project that has come here since was never looked at, either.
        state.unfinished |= known != self.places();
        Ok(())
    }

    /// What each root holds, and the time before by the disk's clock.
    fn list(&self) -> Result<(i128, Vec<Option<Listing>>), LocalError> {
        let began = self.files.directory().clock().unwrap_or(0);
        let list = |root: &Root<'_>| root.memory.root().map(|open| open.list_files(0)).transpose();
        Ok((began, self.roots.iter().map(list).collect::<Result<_, _>>()?))
    }

    /// The plan that makes one change, or `None` if the file is not what the change was made from.
    fn change(&self, root: &Root<'_>, wanted: &LocalChange) -> Result<Option<Change>, LocalError> {
        let path = root.path_of(&wanted.key)?;
        let current = root.memory.read(&path)?;
        let text = current.as_deref().map(String::from_utf8_lossy);
        if text.as_deref().map(shared_hash) != wanted.before {
            return Ok(None);
        }
        // A clock that is ahead must not make memories of tomorrow.
        let time = wanted.time.min(self.now);
        let new = wanted.text.as_ref().map(|shared| at_home(shared, text.as_deref(), time));
        Ok(match (new, current.clone()) {
            (Some(text), base) => Some(Change::Write { path, content: text.into(), base: base.map(Content) }),
            (None, Some(base)) => Some(Change::Delete { path, base: Content(base) }),
            (None, None) => None,
        })
    }

    /// Makes changes in one operation, or, where one of them cannot be made, in as few as there are others.
    fn apply_batch(
        &mut self,
        root: usize,
        by: &str,
        batch: &[&LocalChange],
        look: bool,
        left_alone: &mut Vec<LeftAlone>,
    ) -> Result<(), LocalError> {
        let Some(found) = self.roots.get(root) else { return Ok(()) };
        let mut plan = Plan::new(reason(by, batch));
        let mut made = Vec::new();
        for wanted in batch {
            match self.change(found, wanted) {
                Ok(Some(change)) => {
                    plan.changes.push(change);
                    made.push(*wanted);
                }
                Ok(None) if wanted.text.is_none() && wanted.before.is_none() => {}
                Ok(None) => left_alone.push(LeftAlone { key: wanted.key.clone(), why: None }),
                Err(error) => match obstacle(error.as_ref()) {
                    Some(why) => left_alone.push(LeftAlone { key: wanted.key.clone(), why: Some(why) }),
                    None => return Err(error),
                },
            }
        }
        let author = Author { kind: AuthorKind::Team, id: Some(by.to_owned()), session: None };
        let wish = Wish { look, verbatim: true, ..Wish::of(&author) };
        let Some(found) = self.roots.get_mut(root) else { return Ok(()) };
        let Err(error) = found.memory.apply_as(&plan, &wish, self.now) else { return Ok(()) };
        match (obstacle(&error), made.as_slice()) {
            (Some(why), [only]) => {
                left_alone.push(LeftAlone { key: only.key.clone(), why: Some(why) });
                Ok(())
            }
            (Some(_), several) => {
                let (first, second) = several.split_at(several.len() / 2);
                self.apply_batch(root, by, first, false, left_alone)?;
                self.apply_batch(root, by, second, false, left_alone)
            }
            (None, _) => Err(error.into()),
        }
    }

    /// Makes the index of a team's folder from its files, where it is not what follows from them.
    fn follow_index(&mut self) -> Result<(), LocalError> {
        if self.kind == Kind::Personal {
            return Ok(());
        }
        for (at, root) in self.roots.iter_mut().enumerate() {
            // The scan found all files a moment ago: what changed since is seen by the next sync.
            let found = self
                .scanned
                .as_ref()
                .and_then(|scanned| Some((scanned.listed.get(at)?.as_ref()?, &scanned.written)));
            let change = match found {
                Some((listing, written)) => index_of(root.memory, names_in(listing, written)),
                None => index_change(root.memory, None),
            };
            let Some(change) = change? else { continue };
            let mut plan = Plan::new("the team's index follows its files");
            plan.changes.push(change);
            let author = Author { kind: AuthorKind::Team, id: Some(INDEX_AUTHOR.to_owned()), session: None };
            let wish = Wish { look: false, verbatim: true, ..Wish::of(&author) };
            root.memory.apply_as(&plan, &wish, self.now)?;
        }
        Ok(())
    }
}

/// The names of a team's files: what a listing found, and what was written or removed since.
fn names_in(listing: &Listing, written: &BTreeMap<String, bool>) -> Vec<(String, Described)> {
    let found = team_files(listing).filter(|(name, _)| !written.contains_key(name));
    let there = written.iter().filter(|(_, is_there)| **is_there);
    let new = there
        .filter_map(|(name, _)| Some((name.clone(), RelPath::parse(&format!("{TEAM_DIR}/{name}")).ok()?)));
    found.chain(new).map(|(name, path)| (name, Described::In(path))).collect()
}

/// What the reasons of plans begin with that hold a change of a member: a text, or that it goes.
const BY_MEMBER: [&str; 2] = ["shared by", "deleted by"];

/// The same for a change of anybody else.
const BY_STRANGER: [&str; 2] = ["from", "deletion from"];

impl Local for Folder<'_> {
    fn load(&mut self) -> Result<(SyncState, Option<Pending>), LocalError> {
        let (mut state, pending) = self.files.load()?;
        self.hear_answers(&mut state)?;
        self.forget_moved(&mut state)?;
        Ok((state, pending))
    }

    fn scan(&mut self) -> Result<Scan, LocalError> {
        let mut scan = Scan::default();
        let (began, listed) = match self.listed.take() {
            Some(listed) => listed,
            None => self.list()?,
        };
        let mut scanned = Scanned {
            seen: FileTimes::load(self.files.directory(), (self.now, began), self.read_all),
            fingerprint: self.fingerprint(),
            listed: Vec::new(),
            written: BTreeMap::new(),
            indexes: Vec::new(),
        };
        for (root, listing) in self.roots.iter().zip(&listed) {
            scan.read_up_to.extend(root.newest_operation().map(|newest| (root.prefix.clone(), newest)));
            self.scan_root(root, listing.as_ref(), &mut scanned, &mut scan)?;
        }
        scanned.listed = listed;
        scanned.seen.retain(|key| scan.files.contains_key(key));
        self.scanned = Some(scanned);
        Ok(scan)
    }

    fn up_to_date_at(&mut self) -> Option<Version> {
        if self.read_all {
            return None;
        }
        let mut fingerprint = self.fingerprint();
        let listed = self.list().ok()?;
        for (root, listing) in self.roots.iter().zip(&listed.1) {
            self.fingerprint_root(root, listing.as_ref(), &mut fingerprint);
        }
        self.listed = Some(listed);
        fingerprint.agreed_at(self.files.directory(), self.now)
    }

    fn remember_up_to_date(&mut self, version: &Version) {
        // A derived file that was lost or changed is written again; a failure is reported when there is something to do.
        let _ = self.follow_index();
        if let Some(Scanned { seen, fingerprint, .. }) = &mut self.scanned {
            seen.save(self.files.directory());
            fingerprint.save(self.files.directory(), version, seen);
        }
    }

    fn text(&mut self, key: &str) -> Result<Option<String>, LocalError> {
        let Some(root) = self.root_of(key) else { return Ok(None) };
        let text = root.memory.read(&root.path_of(key)?)?.map(String::from_utf8).transpose()?;
        Ok(text.map(|text| canonical(&text).into_owned()))
    }

    fn went_to(&self, key: &str) -> Option<String> {
        let root = self.root_of(key).filter(|_| self.kind == Kind::Personal)?;
        let path = format!("{TEAM_DIR}/{}", root.path_of(key).ok()?);
        root.memory.read(&RelPath::parse(&path).ok()?).ok()??;
        Some(path)
    }

    fn name_changes(&self, since: &BTreeMap<String, String>) -> Vec<NameChange> {
        let of = |root: &Root<'_>| Some(root.name_changes(since.get(&root.prefix)?));
        self.roots.iter().filter_map(of).flatten().collect()
    }

    fn took_back(&self, key: &str) -> bool {
        let (Kind::Team, Some(root)) = (self.kind, self.root_of(key)) else { return false };
        let path = RelPath::parse(key.strip_prefix(&root.prefix).unwrap_or(key));
        path.is_ok_and(|path| matches!(root.memory.read(&path), Ok(Some(_))))
    }

    fn begin(&mut self, pending: &Pending) -> Result<(), LocalError> {
        Ok(self.files.begin(pending)?)
    }

    fn give_up(&mut self) -> Result<(), LocalError> {
        Ok(self.files.give_up()?)
    }

    fn apply(&mut self, changes: &[LocalChange]) -> Result<Vec<LeftAlone>, LocalError> {
        self.remember_indexes(changes)?;
        let mut left_alone = Vec::new();
        // What goes goes first: where capitals make no difference, it may be the old name of what comes.
        let mut groups: BTreeMap<(usize, bool, &str), Vec<&LocalChange>> = BTreeMap::new();
        for change in changes {
            match self.roots.iter().position(|root| change.key.starts_with(&root.prefix)) {
                Some(root) => {
                    groups.entry((root, change.text.is_some(), &change.by)).or_default().push(change);
                }
                None => left_alone.push(LeftAlone { key: change.key.clone(), why: None }),
            }
        }
        let mut looked = None;
        for ((root, _, by), changes) in groups {
            for batch in changes.chunks(BATCH) {
                self.apply_batch(root, by, batch, looked != Some(root), &mut left_alone)?;
                looked = Some(root);
            }
        }
        if let Some(scanned) = &mut self.scanned {
            scanned.written.extend(changes.iter().map(|change| (change.key.clone(), change.text.is_some())));
            scanned.written.retain(|key, _| left_alone.iter().all(|left| left.key != *key));
        }
        Ok(left_alone)
    }

    fn hold(&mut self, held: &[Held]) -> Result<Vec<String>, LocalError> {
        let mut settled = Vec::new();
        if self.mode == WriteMode::Off {
            return Ok(settled);
        }
        for held in held.iter().take(MAX_HELD) {
            let staged = match self.held_plan(held, BY_STRANGER)? {
                Some(plan) => self.hold_plan(held, &plan)?,
                None => None,
            };
            if staged.is_none() {
                settled.push(held.key.clone());
            }
        }
        Ok(settled)
    }

    fn propose(&mut self, proposals: &[Proposal]) -> Result<(), LocalError> {
        self.ask(proposals)
    }

    fn follow(&mut self, outcome: &Outcome, state: &SyncState) -> Result<(), LocalError> {
        self.follow_decisions(outcome, state)
    }

    fn finish(&mut self, state: &SyncState) -> Result<(), LocalError> {
        self.follow_index()?;
        self.files.finish(state)?;
        self.asked()?;
        if let Some(Scanned { seen, .. }) = &mut self.scanned {
            seen.save(self.files.directory());
        }
        let places = self.places();
        if self.files.places()? != places {
            self.files.set_places(&places)?;
        }
        Ok(())
    }
}

fn who(held: &Held) -> String {
    held.name.clone().unwrap_or_else(|| format!("unknown {}", held.author.short()))
}

fn reason(by: &str, changes: &[&LocalChange]) -> String {
    let did = if changes.iter().all(|change| change.text.is_none()) { "removed" } else { "shared" };
    match changes {
        [one] => format!("{by} {did} {}", one.key),
        many => format!("{by} {did} {} memories", many.len()),
    }
}
