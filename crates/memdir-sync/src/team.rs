//! The memory that a project's team shares: `team/` inside the memory directory, and a remote.

use std::time::Duration;

use camino::{Utf8Path, Utf8PathBuf};
use jiff::Timestamp;
use memdir_core::env::Env;
use memdir_core::operation::StoreId;
use memdir_core::plan::Plan;
use memdir_core::settings::ClientFlags;
use memdir_disk::disk_error::DiskError;
use memdir_disk::random::random_bits;
use memdir_disk::sync_dir::{SyncDir, TEAM_SETTINGS, signing_seed};
use memdir_lib::memory::{Memory, MemoryError};
use memdir_wire::invitation::Invitation;
use memdir_wire::member::{Member, Revocation, is_name};
use memdir_wire::roster::Roster;
use memdir_wire::signing::{PublicKey, SecretKey};
use memdir_wire::team_id::TeamId;

use crate::engine::{SyncError, sync};
use crate::options::Options;
use crate::remote::git::{Commit, GitRemote, UrlRefused};
use crate::remote::{Remote, RemoteError, Version};
use crate::report::{Received, Report};
use crate::state::SyncState;

mod folder;
mod index;
mod settings;
mod share;

use folder::TeamFolder;
pub use settings::TeamSettings;

/// Why something about a team could not be done.
#[derive(Debug, thiserror::Error)]
pub enum TeamError {
    /// The project shares nothing.
    #[error("this project has no team")]
    NoTeam,
    /// The project shares with a team already.
    #[error("this project has a team already")]
    HasTeam,
    /// The remote holds something else already.
    #[error("`{0}` holds a team's memory already")]
    Taken(String),
    /// The remote holds nothing of the team that invites.
    #[error("`{0}` does not hold the memory of the team that the invitation is for")]
    OtherTeam(String),
    /// A text that is no invitation.
    #[error("this is no invitation, or it is not whole")]
    NoInvitation,
    /// A name that cannot be one.
    #[error("`{0}` cannot be a member's name: one line of at most 60 visible characters")]
    BadName(String),
    /// Nobody has that name.
    #[error("there is no member `{0}`")]
    NoMember(String),
    /// Only some may put somebody out.
    #[error("only whoever brought `{0}` in, the founder, or they themselves can take them out")]
    NotYours(String),
    /// Another process syncs.
    #[error("another process syncs this project now")]
    Locked,
    /// An address that is not used.
    #[error(transparent)]
    Url(#[from] UrlRefused),
    /// The sync.
    #[error(transparent)]
    Sync(#[from] SyncError),
    /// The remote.
    #[error(transparent)]
    Remote(#[from] RemoteError),
    /// The memory directory.
    #[error(transparent)]
    Memory(#[from] MemoryError),
    /// Our own state.
    #[error(transparent)]
    Disk(#[from] DiskError),
    /// Our own state is damaged.
    #[error("what is remembered about the team in `{0}` cannot be understood")]
    Damaged(Utf8PathBuf),
    /// A rule that keeps a memory private.
    #[error("`{path}` stays private: {why}")]
    Private {
        /// Which memory.
        path: String,
        /// Why.
        why: String,
    },
}

impl TeamError {
    /// What to do next, where there is something.
    #[must_use]
    pub fn hint(&self) -> Option<String> {
        Some(match self {
            Self::NoTeam => "`memdir team init URL` makes one, `memdir team join INVITATION` joins one".to_owned(),
            Self::HasTeam => "`memdir team leave` ends that; the files stay".to_owned(),
            Self::Taken(_) => "ask a member for an invitation, or choose another branch with `--branch`".to_owned(),
            Self::NoInvitation => "copy the whole line that `memdir team invite` printed".to_owned(),
            Self::Locked => "it is done in a moment; try again".to_owned(),
            Self::Damaged(_) => "`memdir team leave` forgets it, and a new invitation brings you back".to_owned(),
            Self::Sync(SyncError::Conflicts(_)) => "`--conflict merge` keeps both versions".to_owned(),
            Self::Sync(SyncError::InvitationUsed) => "ask for one of your own".to_owned(),
            Self::Sync(SyncError::Remote(RemoteError::Unreachable { .. })) | Self::Remote(RemoteError::Unreachable { .. }) => {
                "nothing is lost; the next sync goes on".to_owned()
            }
            Self::Sync(SyncError::Remote(RemoteError::Refused { .. })) => {
                "the branch may be protected: allow pushes to it, or choose another with `memdir team init --branch`".to_owned()
            }
            Self::Memory(error) => return error.hint(),
            _ => return None,
        })
    }
}

/// A project that shares memory with a team.
pub struct Team {
    memory: Memory,
    settings: TeamSettings,
    directory: SyncDir,
    state_dir: Utf8PathBuf,
    home: Option<Utf8PathBuf>,
    key: SecretKey,
    time_limit: Option<Duration>,
}

/// How a team stands, from what is remembered here.
#[derive(Debug)]
pub struct TeamStatus {
    /// The newest version that was taken over.
    pub head: Option<Version>,
    /// How many memories are shared.
    pub memories: usize,
    /// Everybody who is or was a member.
    pub roster: Roster,
    /// Whether a sync was interrupted and goes on at the next one.
    pub interrupted: bool,
}

const SETTINGS: &str = TEAM_SETTINGS;
const STATE: &str = "state";
const PENDING: &str = "pending";
const NEWS: &str = "news.json";

/// How long a sync waits for another one of the same project.
const PATIENCE: Duration = Duration::from_secs(20);

impl Team {
    /// The team of the project in which `env.cwd` lies.
    ///
    /// # Errors
    /// It has none, or something cannot be read.
    pub fn open(env: &Env, flags: &ClientFlags) -> Result<Self, TeamError> {
        let memory = Memory::open(env, flags)?;
        let (state_dir, store) = place(env, &memory)?;
        let store = store.ok_or(TeamError::NoTeam)?;
        let directory = SyncDir::of(&state_dir, &store.0);
        let content = directory.read(SETTINGS)?.ok_or(TeamError::NoTeam)?;
        let damaged = || TeamError::Damaged(directory.path().join(SETTINGS));
        let settings = TeamSettings::parse(&content).ok_or_else(damaged)?;
        let key = secret_key(&state_dir)?;
        Ok(Self { memory, settings, directory, state_dir, home: env.home.clone(), key, time_limit: None })
    }

    /// Makes a team whose memory is kept at a URL, and sends what is in `team/` already.
    ///
    /// # Errors
    /// The project has a team, the URL holds one, or the sync fails: then the next sync tries again.
    pub fn init(
        env: &Env,
        flags: &ClientFlags,
        (url, branch): (&str, &str),
        name: &str,
        now: Timestamp,
    ) -> Result<(Self, Report), TeamError> {
        let key = key_of(env)?;
        let nonce = random_bits().map_err(MemoryError::State)?;
        check_name(name)?;
        let (member, team) = Member::founder(&key, name, &format!("{nonce:032x}"));
        let settings = TeamSettings::new(team, url, branch, member);
        let mut made = Self::found(env, flags, settings, key, now)?;
        if made.remote()?.head()?.is_some() {
            return Err(TeamError::Taken(url.to_owned()));
        }
        made.remember()?;
        let report = made.sync(&Options::default(), now)?;
        Ok((made, report))
    }

    /// Joins a team by an invitation, and takes over what it knows.
    ///
    /// # Errors
    /// It is no invitation, it was used, or the sync fails: then the next sync tries again.
    pub fn join(
        env: &Env,
        flags: &ClientFlags,
        token: &str,
        name: &str,
        now: Timestamp,
    ) -> Result<(Self, Report), TeamError> {
        let invitation = Invitation::from_token(token).ok_or(TeamError::NoInvitation)?;
        check_name(name)?;
        let key = key_of(env)?;
        let member = Member::invited(&key, name, &invitation.team, invitation.grant, &invitation.key);
        let settings = TeamSettings::new(invitation.team, &invitation.remote, &invitation.branch, member);
        let mut joined = Self::found(env, flags, settings, key, now)?;
        if joined.remote()?.head()?.is_none() {
            return Err(TeamError::OtherTeam(invitation.remote));
        }
        // Whether the invitation counts is known before anything is remembered.
        let dry_run = Options { dry_run: true, ..Options::default() };
        joined.sync(&dry_run, now)?;
        joined.remember()?;
        let report = joined.sync(&Options::default(), now)?;
        Ok((joined, report))
    }

    fn found(
        env: &Env,
        flags: &ClientFlags,
        settings: TeamSettings,
        key: SecretKey,
        now: Timestamp,
    ) -> Result<Self, TeamError> {
        let mut memory = Memory::open(env, flags)?;
        let state_dir = env.state_dir().ok_or(MemoryError::NoStateDir)?;
        let store = memory.id(now)?;
        let directory = SyncDir::of(&state_dir, &store.0);
        if directory.read(SETTINGS)?.is_some() {
            return Err(TeamError::HasTeam);
        }
        // What a team of the past left behind is not this one's.
        let _lock = directory.lock(PATIENCE)?.ok_or(TeamError::Locked)?;
        for name in [STATE, PENDING, NEWS] {
            directory.remove(name)?;
        }
        Ok(Self { memory, settings, directory, state_dir, home: env.home.clone(), key, time_limit: None })
    }

    fn remember(&self) -> Result<(), TeamError> {
        Ok(self.directory.replace(SETTINGS, &self.settings.render())?)
    }

    /// The same, for a process that nobody waits for: no answer of the network is waited for longer than this.
    #[must_use]
    pub fn within(mut self, limit: Duration) -> Self {
        self.time_limit = Some(limit);
        self
    }

    /// What is remembered about the team.
    #[must_use]
    pub fn settings(&self) -> &TeamSettings {
        &self.settings
    }

    /// The memory that it is part of.
    #[must_use]
    pub fn memory(&self) -> &Memory {
        &self.memory
    }

    /// This machine's key.
    #[must_use]
    pub fn key(&self) -> PublicKey {
        self.key.public()
    }

    fn remote(&self) -> Result<GitRemote, TeamError> {
        let settings = &self.settings;
        let directory = self.directory.path().join("git");
        let remote = GitRemote::new(
            directory,
            self.home.clone(),
            &settings.remote,
            &settings.branch,
            settings.name(),
        )?;
        Ok(match self.time_limit {
            Some(limit) => remote.within(limit),
            None => remote,
        })
    }

    /// Brings this machine and the remote together.
    ///
    /// # Errors
    /// See [`TeamError`]; nothing is lost, and the next sync goes on.
    pub fn sync(&mut self, options: &Options, now: Timestamp) -> Result<Report, TeamError> {
        self.sync_counted(options, now).map(|(report, _)| report)
    }

    /// The same, and how many requests it took.
    ///
    /// # Errors
    /// As [`Team::sync`].
    pub fn sync_counted(&mut self, options: &Options, now: Timestamp) -> Result<(Report, u32), TeamError> {
        let patience = if self.time_limit.is_some() { Duration::ZERO } else { PATIENCE };
        let _lock = self.directory.lock(patience)?.ok_or(TeamError::Locked)?;
        let mut remote = self.remote()?;
        let options = Options { introduce: vec![self.settings.member.clone()], ..options.clone() };
        let team = &self.settings.team;
        let mut folder = TeamFolder::new(&mut self.memory, &self.directory, &self.state_dir, team, now)?;
        let report = sync(&mut folder, &mut remote, &self.key, &options, now)?;
        if !options.dry_run {
            self.tell_later(&report.received)?;
        }
        Ok((report, remote.requests()))
    }

    /// A line that lets one person in.
    ///
    /// # Errors
    /// There is no randomness.
    pub fn invite(&self) -> Result<String, TeamError> {
        let (first, second) =
            (random_bits().map_err(MemoryError::State)?, random_bits().map_err(MemoryError::State)?);
        let mut seed = [0; 32];
        for (place, byte) in seed.iter_mut().zip(first.to_le_bytes().into_iter().chain(second.to_le_bytes()))
        {
            *place = byte;
        }
        let settings = &self.settings;
        let invitation = Invitation::new(&settings.team, &settings.remote, &settings.branch, &self.key, seed);
        Ok(invitation.to_token())
    }

    /// How the team stands, from what is remembered here.
    ///
    /// # Errors
    /// Our own state cannot be read.
    pub fn status(&self) -> Result<TeamStatus, TeamError> {
        let state = self.state()?;
        Ok(TeamStatus {
            head: state.head,
            memories: state.agreed.values().filter(|agreed| agreed.content.is_some()).count(),
            roster: state.roster,
            interrupted: self.directory.read(PENDING)?.is_some(),
        })
    }

    fn state(&self) -> Result<SyncState, TeamError> {
        read_state(&self.directory, &self.settings.team)
    }

    /// The newest syncs of everybody.
    ///
    /// # Errors
    /// Git fails.
    pub fn log(&self, count: usize) -> Result<Vec<Commit>, TeamError> {
        match self.state()?.head {
            Some(head) => Ok(self.remote()?.log(&head, count)?),
            None => Ok(Vec::new()),
        }
    }

    /// Takes somebody out: by name, or by the first digits of their key.
    ///
    /// # Errors
    /// Nobody is called that, it is not yours to say, or the sync fails.
    pub fn revoke(&mut self, name: &str, now: Timestamp) -> Result<Report, TeamError> {
        let roster = self.state()?.roster;
        let is_meant = |member: &&Member| {
            member.name == name || name.len() >= 8 && member.key.to_string().starts_with(name)
        };
        let gone = |member: &&Member| roster.revocations().all(|revocation| revocation.key != member.key);
        let member = roster
            .members()
            .filter(gone)
            .find(is_meant)
            .ok_or_else(|| TeamError::NoMember(name.to_owned()))?;
        let me = self.key.public();
        let is_founder =
            roster.members().any(|founder| founder.key == me && founder.introduced_by().is_none());
        if member.key != me && member.introduced_by() != Some(me) && !is_founder {
            return Err(TeamError::NotYours(name.to_owned()));
        }
        let revocation = Revocation::of(&member.key, &self.settings.team, &self.key);
        self.sync(&Options { revoke: vec![revocation], ..Options::default() }, now)
    }

    /// Ends it for this project: the others are told if they can be reached, the files stay.
    ///
    /// # Errors
    /// Our own state cannot be removed. What kept the others from being told is given back.
    pub fn leave(mut self, now: Timestamp) -> Result<Option<TeamError>, TeamError> {
        let own = Revocation::of(&self.key.public(), &self.settings.team, &self.key);
        let told = self.sync(&Options { revoke: vec![own], ..Options::default() }, now);
        let _lock = self.directory.lock(PATIENCE)?.ok_or(TeamError::Locked)?;
        self.directory.forget()?;
        Ok(told.err())
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

    /// The memory, to apply a plan to.
    pub fn memory_mut(&mut self) -> &mut Memory {
        &mut self.memory
    }

    /// Remembers what came for the next session to be told.
    fn tell_later(&self, received: &[Received]) -> Result<(), TeamError> {
        if received.is_empty() {
            return Ok(());
        }
        let mut news = read_news(&self.directory);
        for received in received {
            news.retain(|known| known.path != received.path);
            news.push(News { path: received.path.clone(), by: received.by.clone() });
        }
        let skip = news.len().saturating_sub(MAX_NEWS);
        Ok(self
            .directory
            .replace(NEWS, &serde_json::to_vec(news.get(skip..).unwrap_or_default()).unwrap_or_default())?)
    }
}

/// Something that came from a team mate.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct News {
    /// Which memory.
    pub path: String,
    /// From whom.
    pub by: String,
}

/// How much is remembered for the next session.
const MAX_NEWS: usize = 200;

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

fn read_state(directory: &SyncDir, team: &TeamId) -> Result<SyncState, TeamError> {
    match directory.read(STATE)? {
        None => Ok(SyncState::new(team.clone())),
        Some(content) => {
            let text = String::from_utf8(content).ok();
            let state =
                text.and_then(|text| SyncState::parse(&text)).filter(|state| state.roster.team() == team);
            state.ok_or_else(|| TeamError::Damaged(directory.path().join(STATE)))
        }
    }
}

fn place(env: &Env, memory: &Memory) -> Result<(Utf8PathBuf, Option<StoreId>), TeamError> {
    let state_dir = env.state_dir().ok_or(MemoryError::NoStateDir)?;
    Ok((state_dir, memory.known_id().cloned()))
}

fn key_of(env: &Env) -> Result<SecretKey, TeamError> {
    secret_key(&env.state_dir().ok_or(MemoryError::NoStateDir)?)
}

pub(crate) fn secret_key(state_dir: &Utf8Path) -> Result<SecretKey, TeamError> {
    let seed = signing_seed(state_dir)?;
    SecretKey::from_hex(&seed).ok_or_else(|| TeamError::Damaged(state_dir.join("sync/key")))
}

fn check_name(name: &str) -> Result<(), TeamError> {
    if is_name(name) { Ok(()) } else { Err(TeamError::BadName(name.to_owned())) }
}
