//! The memory that a project's team shares: `team/` inside the memory directory, and a remote.

use std::time::Duration;

use camino::{Utf8Path, Utf8PathBuf};
use jiff::Timestamp;
use memdir_core::config::WriteMode;
use memdir_core::env::Env;
use memdir_core::operation::StoreId;
use memdir_core::plan::Plan;
use memdir_core::rel_path::RelPath;
use memdir_core::settings::ClientFlags;
use memdir_disk::sync_dir::SyncDir;
use memdir_lib::memory::{Memory, MemoryError};
use memdir_lib::team::TEAM_DIR;
use serde::{Deserialize, Serialize};

use crate::folder::{Folder, Kind, MAX_HELD, Questions, Root};
use crate::membership::{Left, Membership};
use crate::options::Options;
pub use crate::own_changes::OwnChange;
use crate::own_changes::own_changes;
use crate::private_rules::PrivateRules;
use crate::report::{ChangeKind, Sent, SyncReport};
use crate::sync_files::SyncFiles;
pub use crate::team_error::TeamError;

mod index;
mod rename;
mod session;
mod share;
mod with_data;

pub(crate) use index::{Described, index_change, index_of, team_files};
pub use rename::plan_rename;
pub use session::EndedSession;

/// A project that shares memory with a team.
pub struct Team {
    memory: Memory,
    membership: Membership,
    state_dir: Utf8PathBuf,
}

/// Who the history says wrote the team's index: no one, it follows from the files.
pub const INDEX_AUTHOR: &str = "index";

const NEWS: &str = "news.json";
const BLOCKED: &str = "blocked";

impl Team {
    /// The team of the project in which `env.cwd` lies.
    ///
    /// # Errors
    /// It has none, or something cannot be read.
    pub fn open(env: &Env, flags: &ClientFlags) -> Result<Self, TeamError> {
        let memory = Memory::open(env, flags)?;
        let state_dir = env.state_dir().ok_or(MemoryError::NoStateDir)?;
        let store = memory.known_id().ok_or(TeamError::NoTeam)?;
        let membership = match Membership::open(env, &store.0)? {
            None => Membership::of_session(env, &store.0)?.ok_or(TeamError::NoTeam)?,
            Some(membership) => membership,
        };
        Ok(Self { memory, membership, state_dir })
    }

    /// Makes a team whose memory is kept at a URL, and sends what is in `team/` already.
    ///
    /// # Errors
    /// The project has a team, the URL holds one, or the sync fails: then the next sync tries again.
    pub fn init(
        env: &Env,
        flags: &ClientFlags,
        place: (&str, &str),
        name: &str,
        now: Timestamp,
    ) -> Result<(Self, SyncReport), TeamError> {
        let (memory, state_dir, store) = at(env, flags, now)?;
        if let Some(membership) = Membership::reopened(env, &store.0, place.0)? {
            membership.remember()?;
            let mut team = Self { memory, membership, state_dir };
            let report = team.sync(&Options::default(), now)?;
            return Ok((team, report));
        }
        let membership = Membership::found(env, &store.0, place, name)?;
        let mut team = Self { memory, membership, state_dir };
        team.membership.remember()?;
        let synced = team.sync(&Options::default(), now);
        let report = team.membership.begun(synced)?;
        Ok((team, report))
    }

    /// Joins a team by an invitation, and takes over what it knows.
    ///
    /// # Errors
    /// It is not an invitation, it was used, or the sync fails: then the next sync tries again.
    pub fn join(
        env: &Env,
        flags: &ClientFlags,
        token: &str,
        name: &str,
        now: Timestamp,
    ) -> Result<(Self, SyncReport), TeamError> {
        let (memory, state_dir, store) = at(env, flags, now)?;
        let membership = Membership::accept(env, &store.0, token, name)?;
        let mut team = Self { memory, membership, state_dir };
        team.membership.remember()?;
        let synced = team.sync(&Options::default(), now);
        let report = team.membership.begun(synced)?;
        Ok((team, report))
    }

    /// The same, for a background process: no answer of the network is waited for longer than this.
    #[must_use]
    pub fn within(mut self, limit: Duration) -> Self {
        self.membership.limit_to(limit);
        self
    }

    /// What this machine is to the team.
    #[must_use]
    pub fn membership(&self) -> &Membership {
        &self.membership
    }

    /// The memory that it is part of.
    #[must_use]
    pub fn memory(&self) -> &Memory {
        &self.memory
    }

    /// The memory, to apply a plan to.
    pub fn memory_mut(&mut self) -> &mut Memory {
        &mut self.memory
    }

    /// Brings this machine and the remote together.
    ///
    /// # Errors
    /// See [`TeamError`]; nothing is lost, and the next sync goes on.
    pub fn sync(&mut self, options: &Options, now: Timestamp) -> Result<SyncReport, TeamError> {
        self.sync_counted(options, now).map(|(report, _)| report)
    }

    /// The same, and how many requests it took.
    ///
    /// # Errors
    /// As [`Team::sync`].
    pub fn sync_counted(
        &mut self,
        options: &Options,
        now: Timestamp,
    ) -> Result<(SyncReport, u32), TeamError> {
        let mut folder = folder(&mut self.memory, &self.membership, &self.state_dir, now)?;
        folder.read_all = options.read_all;
        let mode = folder.mode;
        let (mut report, requests) = self.membership.sync(&mut folder, options, now)?;
        say_what_is_held(mode, &mut report);
        let is_there = |key: &str| {
            let path = RelPath::parse(&format!("{TEAM_DIR}/{key}"));
            path.is_ok_and(|path| matches!(self.memory.read(&path), Ok(Some(_))))
        };
        report.name_copies("memdir team conflicts", is_there);
        if !options.dry_run {
            remember_blocked(&self.membership, &report)?;
            tell_later(&self.membership, &report)?;
        }
        Ok((report, requests))
    }

    /// What was changed here and goes to the others at the next sync, found without asking anybody. What may not go says
    /// why.
    ///
    /// # Errors
    /// The files or our own state cannot be read.
    pub fn own_changes(&mut self, now: Timestamp) -> Result<Vec<OwnChange>, TeamError> {
        let mut folder = folder(&mut self.memory, &self.membership, &self.state_dir, now)?;
        own_changes(&mut folder, &self.membership)
    }

    /// Removes a member: by name, or by the first digits of their key.
    ///
    /// # Errors
    /// No member is called that, or several are, it is not yours to say, or the sync fails.
    pub fn revoke(&mut self, name: &str, now: Timestamp) -> Result<SyncReport, TeamError> {
        // The newest member may not be known here yet.
        self.sync(&Options::default(), now)?;
        let (revocation, name) = self.membership.revocation(name)?;
        let (key, gone) = (revocation.key, revocation.key.short());
        let mut report = self.sync(&Options { revoke: vec![revocation], ..Options::default() }, now)?;
        report.taken_out = Some(format!("{name} ({gone})"));
        for member in self.membership.status()?.roster.without_inviter() {
            if member.introduced_by() == Some(key) {
                let (short, other) = (member.key.short(), &member.name);
                report.notices.push(format!("{other} ({short}) was invited by {name} and stays a member"));
            }
        }
        Ok(report)
    }

    /// Ends it for this project; the files stay.
    ///
    /// # Errors
    /// Our own state cannot be read or removed.
    pub fn leave(mut self, now: Timestamp) -> Result<Left, TeamError> {
        let mut folder = folder(&mut self.memory, &self.membership, &self.state_dir, now)?;
        self.membership.leave(&mut folder, now)
    }

    /// Plans to share a private memory with the team.
    ///
    /// # Errors
    /// It is not there, it is private by its type, or it holds a secret.
    pub fn plan_share(&self, name: &str) -> Result<Plan, TeamError> {
        share::plan_share(&self.memory, &self.state_dir, name)
    }

    /// Plans to take a memory back from the team.
    ///
    /// # Errors
    /// It is not there, or its private name is taken.
    pub fn plan_unshare(&self, name: &str) -> Result<Plan, TeamError> {
        share::plan_unshare(&self.memory, name)
    }
}

fn at(env: &Env, flags: &ClientFlags, now: Timestamp) -> Result<(Memory, Utf8PathBuf, StoreId), TeamError> {
    let mut memory = Memory::open(env, flags)?;
    let state_dir = env.state_dir().ok_or(MemoryError::NoStateDir)?;
    let store = memory.id(now)?;
    Ok((memory, state_dir, store))
}

fn folder<'m>(
    memory: &'m mut Memory,
    membership: &Membership,
    state_dir: &Utf8Path,
    now: Timestamp,
) -> Result<Folder<'m>, TeamError> {
    let mode = memory.team_mode()?;
    Ok(Folder {
        kind: Kind::Team,
        roots: vec![Root { prefix: String::new(), below: "team/", memory }],
        rules: PrivateRules::load(state_dir)?,
        files: SyncFiles::of(membership),
        mode,
        now,
        read_all: false,
        listed: None,
        scanned: None,
        index_followed: false,
        questions: Questions::default(),
    })
}

/// Says what became of what was not taken: where nothing of others is wanted nothing waits, and not everything at once.
fn say_what_is_held(mode: WriteMode, report: &mut SyncReport) {
    let count = report.held.len();
    if mode == WriteMode::Off && count > 0 {
        report.held.clear();
        let (memories, were) = if count == 1 { ("memory", "was") } else { ("memories", "were") };
        report.notices.push(format!(
            "{count} {memories} that others changed {were} not accepted, because `writes.team` is `off`"
        ));
    } else if count > MAX_HELD {
        let notice =
            format!("{MAX_HELD} of these wait in `memdir review` now; the others follow as you decide");
        report.notices.push(notice);
    }
}

/// Remembers how many memories were not shared: the next session tells a user who was not there when they were named.
fn remember_blocked(membership: &Membership, report: &SyncReport) -> Result<(), TeamError> {
    let directory = membership.directory();
    match report.blocked.len() {
        0 if directory.stat(BLOCKED).is_none() => {}
        0 => directory.remove(BLOCKED)?,
        count => directory.replace(BLOCKED, count.to_string().as_bytes())?,
    }
    Ok(())
}

/// How many memories the last sync did not share; `memdir team status` says why.
#[must_use]
pub fn not_shared(state_dir: &Utf8Path, store: &StoreId) -> usize {
    let content = SyncDir::of(state_dir, &store.0).read(BLOCKED).ok().flatten();
    content.and_then(|content| String::from_utf8(content).ok()?.parse().ok()).unwrap_or(0)
}

/// Something that came from a team mate, or was sent in the background.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct News {
    /// Which memory.
    pub path: String,
    /// From whom; `None`: it went from here.
    pub by: Option<String>,
}

/// How much is remembered for the next session.
const MAX_NEWS: usize = 200;

/// Remembers what came for the next session to be told, and what was sent unless the user was told at once.
fn tell_later(membership: &Membership, report: &SyncReport) -> Result<(), TeamError> {
    let came = report.received.iter().map(|came| News { path: came.path.clone(), by: Some(came.by.clone()) });
    let is_unseen = |sent: &&Sent| membership.is_unattended() && sent.change != ChangeKind::Removed;
    let went = report.sent.iter().filter(is_unseen).map(|sent| News { path: sent.path.clone(), by: None });
    let mut fresh: Vec<News> = came.collect();
    for went in went {
        if fresh.iter().all(|came| came.path != went.path) {
            fresh.push(went);
        }
    }
    if fresh.is_empty() {
        return Ok(());
    }
    let mut news = read_news(membership.directory());
    news.retain(|known| fresh.iter().all(|fresh| fresh.path != known.path));
    news.append(&mut fresh);
    let behind = news.len().saturating_sub(MAX_NEWS);
    news.drain(..behind);
    Ok(membership.directory().replace(NEWS, &serde_json::to_vec(&news).unwrap_or_default())?)
}

/// What came since a session was last told, once.
#[must_use]
pub fn take_news(state_dir: &Utf8Path, store: &StoreId) -> Vec<News> {
    let directory = SyncDir::of(state_dir, &store.0);
    let news = read_news(&directory);
    // Who cannot forget it tells it twice, which is better than never.
    if !news.is_empty() {
        let _ = directory.remove(NEWS);
    }
    news
}

fn read_news(directory: &SyncDir) -> Vec<News> {
    let content = directory.read(NEWS).ok().flatten();
    content.and_then(|content| serde_json::from_slice(&content).ok()).unwrap_or_default()
}
