//! The folder `team/` of a memory directory, as one side of a sync.

use std::collections::{BTreeMap, HashMap};

use camino::Utf8Path;
use jiff::Timestamp;
use memdir_core::config::WriteMode;
use memdir_core::content_hash::ContentHash;
use memdir_core::memory::entrypoint::ENTRYPOINT;
use memdir_core::memory::text_merge::merge_text;
use memdir_core::operation::{Author, AuthorKind};
use memdir_core::plan::{Change, Content, Plan};
use memdir_core::rel_path::RelPath;
use memdir_core::team_key::TeamKey;
use memdir_disk::sync_dir::SyncDir;
use memdir_lib::memory::{Memory, Wish};
use memdir_lib::team::TEAM_DIR;
use memdir_wire::canonical::{at_home, canonical, shared_hash};
use memdir_wire::entry::MAX_TEXT_BYTES;
use memdir_wire::team_id::TeamId;

use super::index::index_change;
use super::share::PrivateRules;
use super::{PENDING, STATE, TeamError, read_state};
use crate::local::{Held, Local, LocalChange, LocalError, Scan};
use crate::state::{Pending, SyncState};

/// How many files one operation writes.
const BATCH: usize = 2_000;

/// How many changes of strangers are put before the user one by one.
const MAX_HELD: usize = 50;

pub(super) struct TeamFolder<'t> {
    memory: &'t mut Memory,
    directory: SyncDir,
    team: TeamId,
    rules: PrivateRules,
    mode: WriteMode,
    now: Timestamp,
}

impl<'t> TeamFolder<'t> {
    pub(super) fn new(
        memory: &'t mut Memory,
        directory: &SyncDir,
        state_dir: &Utf8Path,
        team: &TeamId,
        now: Timestamp,
    ) -> Result<Self, TeamError> {
        let rules = PrivateRules::load(state_dir)?;
        let mode = memory.team_mode()?;
        Ok(Self { memory, directory: directory.clone(), team: team.clone(), rules, mode, now })
    }

    fn read(&self, key: &str) -> Result<Option<Vec<u8>>, LocalError> {
        Ok(self.memory.read(&path_of(key)?)?)
    }

    /// The plan that makes one change, or `None` if the file is not what the change was made from.
    fn change(&self, wanted: &LocalChange) -> Result<Option<Change>, LocalError> {
        let path = path_of(&wanted.key)?;
        let current = self.memory.read(&path)?;
        let text = current.as_deref().map(String::from_utf8_lossy);
        if text.as_deref().map(shared_hash) != wanted.before {
            return Ok(None);
        }
        let base = current.clone().map(Content);
        Ok(match (&wanted.text, base) {
            (Some(shared), base) => {
                // A clock that is ahead must not make memories of tomorrow.
                let content = at_home(shared, text.as_deref(), wanted.time.min(self.now)).into();
                Some(Change::Write { path, content, base })
            }
            (None, Some(base)) => Some(Change::Delete { path, base }),
            (None, None) => None,
        })
    }

    /// Makes the folder's index from its files, where it is not what follows from them.
    fn follow_index(&mut self) -> Result<(), LocalError> {
        let Some(change) = index_change(self.memory, None)? else { return Ok(()) };
        let mut plan = Plan::new("the team's index follows its files");
        plan.changes.push(change);
        let author = Author { kind: AuthorKind::Team, id: Some("index".to_owned()), session: None };
        let wish = Wish { look: false, verbatim: true, ..Wish::of(&author) };
        self.memory.apply_as(&plan, &wish, self.now)?;
        Ok(())
    }
}

impl Local for TeamFolder<'_> {
    fn load(&mut self) -> Result<(SyncState, Option<Pending>), LocalError> {
        let state = read_state(&self.directory, &self.team)?;
        let pending = self.directory.read(PENDING)?.and_then(|content| String::from_utf8(content).ok());
        Ok((state, pending.and_then(|text| Pending::parse(&text))))
    }

    fn scan(&mut self) -> Result<Scan, LocalError> {
        let mut scan = Scan::default();
        let Some(root) = self.memory.root() else { return Ok(scan) };
        let mut folded: HashMap<String, String> = HashMap::new();
        let listing = root.list_files(0)?;
        for left_out in listing.left_out {
            if let Some(key) = key_of(&left_out.path) {
                scan.left_alone.insert(key.to_owned(), left_out.rule.to_owned());
            }
        }
        for file in listing.files {
            let Some(key) = key_of(file.path.as_str()).filter(|key| *key != ENTRYPOINT) else { continue };
            let mut leave = |why: &str| scan.left_alone.insert(key.to_owned(), why.to_owned());
            if let Err(refused) = TeamKey::parse(key) {
                leave(&format!("no memory of a team can have that name: {refused}"));
                continue;
            }
            if let Some(other) = folded.insert(key.to_lowercase(), key.to_owned()) {
                leave(&format!("`{other}` has the same name but for capitals"));
                continue;
            }
            if file.stat.size > 4 * MAX_TEXT_BYTES as u64 {
                leave("it is too large to be shared");
                continue;
            }
            let Some((content, stat)) = root.read_with_stat(&file.path, 8 * MAX_TEXT_BYTES as u64)? else {
                continue;
            };
            match std::str::from_utf8(&content) {
                // What a tool that truncates first leaves for a moment.
                _ if content.is_empty() => {
                    leave("it is empty: somebody may be writing it");
                }
                _ if stat.size != content.len() as u64 => {
                    leave("somebody is writing it");
                }
                Ok(text) => {
                    scan.files.insert(key.to_owned(), shared_hash(text));
                }
                Err(_) => {
                    leave("it is no text");
                }
            }
        }
        Ok(scan)
    }

    fn text(&mut self, key: &str) -> Result<Option<String>, LocalError> {
        let content = self.read(key)?.map(String::from_utf8).transpose()?;
        Ok(content.map(|text| canonical(&text).into_owned()))
    }

    fn refuses_key(&self, key: &str) -> Option<String> {
        TeamKey::parse(key).err().map(|refused| refused.to_string())
    }

    fn refuses_to_share(&self, _: &str, text: &str) -> Option<String> {
        self.rules.refusal(text)
    }

    fn merge(&self, _: &str, base: &str, mine: &str, theirs: &str) -> Option<String> {
        merge_text(base, mine, theirs).ok()
    }

    fn reviews(&self) -> bool {
        self.mode != WriteMode::Auto
    }

    fn begin(&mut self, pending: &Pending) -> Result<(), LocalError> {
        Ok(self.directory.replace(PENDING, pending.render().as_bytes())?)
    }

    fn give_up(&mut self) -> Result<(), LocalError> {
        Ok(self.directory.remove(PENDING)?)
    }

    fn apply(&mut self, changes: &[LocalChange]) -> Result<Vec<String>, LocalError> {
        let mut skipped = Vec::new();
        let mut by_author: BTreeMap<&str, Vec<&LocalChange>> = BTreeMap::new();
        for change in changes {
            by_author.entry(&change.by).or_default().push(change);
        }
        let mut look = true;
        for (by, changes) in by_author {
            for batch in changes.chunks(BATCH) {
                let mut plan = Plan::new(reason(by, batch));
                for wanted in batch {
                    match self.change(wanted)? {
                        Some(change) => plan.changes.push(change),
                        None if wanted.text.is_none() && wanted.before.is_none() => {}
                        None => skipped.push(wanted.key.clone()),
                    }
                }
                let author = Author { kind: AuthorKind::Team, id: Some(by.to_owned()), session: None };
                let wish = Wish { look, verbatim: true, ..Wish::of(&author) };
                self.memory.apply_as(&plan, &wish, self.now)?;
                look = false;
            }
        }
        Ok(skipped)
    }

    fn hold(&mut self, held: &[Held]) -> Result<(), LocalError> {
        if self.mode == WriteMode::Off {
            return Ok(());
        }
        for held in held.iter().take(MAX_HELD) {
            let path = path_of(&held.key)?;
            let current = self.memory.read(&path)?;
            let known = current.as_deref().and_then(|content| std::str::from_utf8(content).ok());
            if known.map(shared_hash) == held.text.as_deref().map(|text| ContentHash::of(text.as_bytes())) {
                continue;
            }
            let who = held.name.clone().unwrap_or_else(|| format!("unknown {}", held.author.short()));
            let mut plan = Plan::new(format!("from {who} ({}): {}", held.author.short(), held.key));
            let text = held.text.as_ref().map(|text| at_home(text, known, held.time.min(self.now)));
            match (text, current) {
                (Some(text), base) => {
                    plan.changes.push(Change::Write { path, content: text.into(), base: base.map(Content) });
                }
                (None, Some(base)) => plan.changes.push(Change::Delete { path, base: Content(base) }),
                (None, None) => continue,
            }
            let author = Author { kind: AuthorKind::Team, id: Some(who), session: None };
            self.memory.hold(&plan, &Wish { verbatim: true, ..Wish::of(&author) }, self.now)?;
        }
        Ok(())
    }

    fn finish(&mut self, state: &SyncState) -> Result<(), LocalError> {
        self.follow_index()?;
        self.directory.replace(STATE, state.render().as_bytes())?;
        Ok(self.directory.remove(PENDING)?)
    }
}

fn reason(by: &str, changes: &[&LocalChange]) -> String {
    match changes {
        [one] => format!("{by} shared {}", one.key),
        many => format!("{by} shared {} memories", many.len()),
    }
}

fn path_of(key: &str) -> Result<RelPath, memdir_core::rel_path::PathRefused> {
    RelPath::parse(&format!("{TEAM_DIR}/{key}"))
}

fn key_of(path: &str) -> Option<&str> {
    path.strip_prefix(TEAM_DIR)?.strip_prefix('/')
}
