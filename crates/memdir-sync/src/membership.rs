//! What a machine is to a circle of others that share something: its key, its record, what was agreed.

use std::time::Duration;

use camino::Utf8PathBuf;
use jiff::Timestamp;
use memdir_core::content_hash::ContentHash;
use memdir_core::env::{Env, MEMDIR_TEAM_TOKEN};
use memdir_disk::random::random_bits;
use memdir_disk::sync_dir::{SyncDir, TEAM_SETTINGS};
use memdir_lib::memory::MemoryError;
use memdir_wire::entry::{MAX_ENTRY_BYTES, SignedEntry};
use memdir_wire::invitation::Invitation;
use memdir_wire::member::{Member, Revocation, is_name};
use memdir_wire::roster::{Roster, Standing};
use memdir_wire::session_token::SessionToken;
use memdir_wire::signing::{PublicKey, SecretKey};
use memdir_wire::team_id::TeamId;
use serde::{Deserialize, Serialize};

use crate::engine::{SyncError, check_invitation, sync};
use crate::folder::Folder;
use crate::local::Local;
use crate::options::{Access, Options};
use crate::own_changes::own_changes;
use crate::remote::either::EitherRemote;
use crate::remote::git::{Commit, DEFAULT_BRANCH, GitRemote, is_local, without_credentials};
use crate::remote::http::{HttpRemote, ServerAddress, is_server};
use crate::remote::{Remote, RemoteError, Version};
use crate::report::SyncReport;
use crate::state::SyncState;
use crate::sync_files::{PENDING, SyncFiles, read_state};
use crate::team_error::TeamError;

/// What is remembered about a circle.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Settings {
    v: u32,
    /// Its id.
    pub team: TeamId,
    /// Where its memory is kept, with whatever lets this machine in there.
    remote: String,
    /// The branch there.
    pub branch: String,
    /// This machine's own record.
    member: Member,
}

impl Settings {
    /// Where its memory is kept, as it may be shown.
    #[must_use]
    pub fn address(&self) -> String {
        without_credentials(&self.remote)
    }

    /// What the others call this machine's user.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.member.name
    }
}

/// The state of a circle, from what is remembered here.
#[derive(Debug)]
pub struct Status {
    /// The newest version that was taken over.
    pub head: Option<Version>,
    /// How many memories are shared.
    pub memories: usize,
    /// Everybody who is or was a member.
    pub roster: Roster,
    /// Whether a sync was interrupted and goes on at the next one.
    pub interrupted: bool,
}

/// How a member left.
#[derive(Debug)]
pub struct Left {
    /// What kept the others from being told: to them we are a member still.
    pub untold: Option<TeamError>,
    /// What was changed here and the others never got.
    pub unsent: Vec<String>,
    /// What we were called.
    pub name: String,
    /// The key that is gone now.
    pub key: PublicKey,
    /// Whether we founded it: then only we can end our membership.
    pub is_founder: bool,
    /// Those whom no member can remove any more: the founder could.
    pub out_of_reach: Vec<String>,
}

/// One machine's part in a circle.
#[derive(Debug)]
pub struct Membership {
    settings: Settings,
    directory: SyncDir,
    home: Option<Utf8PathBuf>,
    key: SecretKey,
    time_limit: Option<Duration>,
    access: Access,
}

const JOINING: &str = "joining";
const GIT: &str = "git";

/// How long a sync waits for another one.
const PATIENCE: Duration = Duration::from_secs(20);

impl Membership {
    /// What is remembered under a name; `None`: nothing.
    pub(crate) fn open(env: &Env, name: &str) -> Result<Option<Self>, TeamError> {
        let state_dir = env.state_dir().ok_or(MemoryError::NoStateDir)?;
        let directory = SyncDir::of(&state_dir, name);
        let Some(content) = directory.read(TEAM_SETTINGS)? else { return Ok(None) };
        let settings = serde_json::from_slice(&content).ok().filter(|settings: &Settings| settings.v == 1);
        let settings = settings.ok_or_else(|| TeamError::Damaged(directory.path().join(TEAM_SETTINGS)))?;
        let key = directory.signing_seed()?.and_then(|seed| SecretKey::from_hex(&seed));
        let key = key.filter(|key| key.public() == settings.member.key);
        let key = key.ok_or_else(|| TeamError::Damaged(directory.path().join("key")))?;
        Ok(Some(Self {
            access: Access::Member,
            settings,
            directory,
            home: env.home.clone(),
            key,
            time_limit: None,
        }))
    }

    /// What a session is by its token alone, which stays in the environment: nothing of it is written down. `None`: it has
    /// none.
    pub(crate) fn of_session(env: &Env, name: &str) -> Result<Option<Self>, TeamError> {
        let Some(text) = env.var(MEMDIR_TEAM_TOKEN).filter(|text| !text.is_empty()) else { return Ok(None) };
        let token = SessionToken::from_text(text).ok_or(TeamError::NoSessionToken)?;
        // A token leads to a server and never to a program or a folder.
        ServerAddress::parse(&token.remote)?;
        let state_dir = env.state_dir().ok_or(MemoryError::NoStateDir)?;
        let access = if token.read_only { Access::ReadOnly } else { Access::Session };
        let SessionToken { team, remote, member, key, .. } = token;
        let settings = Settings { v: 1, team, remote, branch: DEFAULT_BRANCH.to_owned(), member };
        let directory = SyncDir::of(&state_dir, name);
        Ok(Some(Self { access, settings, directory, home: env.home.clone(), key, time_limit: None }))
    }

    /// A token with which sessions take part for some days, and the record of them that the team has to know first.
    pub(crate) fn session_token(
        &self,
        name: &str,
        read_only: bool,
        days: i64,
    ) -> Result<(SessionToken, Member), TeamError> {
        if !is_server(&self.settings.remote) {
            return Err(TeamError::NoServer);
        }
        check_name(name)?;
        let team = self.settings.team.clone();
        let key = SecretKey::from_seed(random_seed()?);
        let occasion = Invitation::new(&team, "", "", &self.key, random_seed()?);
        let member = Member::invited(&key, name, &team, occasion.grant, &occasion.key);
        let address = ServerAddress::parse(&self.settings.remote)?;
        let remote = address.for_sessions(&member.key, read_only, (name, days))?.reveal();
        Ok((SessionToken { team, remote, read_only, member: member.clone(), key }, member))
    }

    /// What it may do in the circle.
    #[must_use]
    pub fn access(&self) -> Access {
        self.access
    }

    /// Makes a circle whose memory is kept at a URL. Nothing is remembered yet.
    pub(crate) fn found(
        env: &Env,
        name: &str,
        (url, branch): (&str, &str),
        member_name: &str,
    ) -> Result<Self, TeamError> {
        let nonce = random_bits().map_err(MemoryError::State)?;
        let key = SecretKey::from_seed(random_seed()?);
        check_name(member_name)?;
        let (member, team) = Member::founder(&key, member_name, &format!("{nonce:032x}"));
        let settings = Settings { v: 1, team, remote: url.to_owned(), branch: branch.to_owned(), member };
        let made = Self::begin(env, name, settings, key)?;
        if made.remote()?.head()?.is_some() {
            return Err(TeamError::Taken(made.settings.address()));
        }
        Ok(made)
    }

    /// The same circle, opened by another token of the same server; `None`: this is not an address of it. Nothing is
    /// remembered yet.
    pub(crate) fn reopened(env: &Env, name: &str, url: &str) -> Result<Option<Self>, TeamError> {
        let Some(mut known) = Self::open(env, name)? else { return Ok(None) };
        let place = |url: &str| is_server(url).then(|| ServerAddress::parse(url).ok()).flatten();
        match (place(url), place(&known.settings.remote)) {
            (Some(new), Some(old)) if new.to_string() == old.to_string() => {}
            _ => return Ok(None),
        }
        url.clone_into(&mut known.settings.remote);
        // A token that opens nothing takes no other one's place.
        known.remote()?.head()?;
        Ok(Some(known))
    }

    /// Uses an invitation that counts. Nothing is remembered yet.
    pub(crate) fn accept(env: &Env, name: &str, token: &str, member_name: &str) -> Result<Self, TeamError> {
        let invitation = Invitation::from_token(token).ok_or(TeamError::NoInvitation)?;
        check_name(member_name)?;
        // A key for every membership: a member who comes back is a new member.
        let mut key = SecretKey::from_seed(random_seed()?);
        let Invitation { team, mut remote, branch, grant, key: occasion } = invitation;
        if is_server(&remote) {
            let directory = SyncDir::of(&env.state_dir().ok_or(MemoryError::NoStateDir)?, name);
            if directory.read(TEAM_SETTINGS)?.is_some() {
                return Err(TeamError::HasTeam);
            }
            key = kept_for(&directory, token, key)?;
            // The address in an invitation works once; this machine gets one of its own for it.
            remote = ServerAddress::parse(&remote)?.join(&key)?.reveal();
        }
        let member = Member::invited(&key, member_name, &team, grant, &occasion);
        let joined = Self::begin(env, name, Settings { v: 1, team, remote, branch, member }, key)?;
        let mut remote = joined.remote()?.looking();
        let settings = &joined.settings;
        let Some(head) = remote.head()? else {
            return Err(TeamError::OtherTeam(settings.address()));
        };
        // Whether the invitation counts is known before anything is remembered.
        check_invitation(&mut remote, &head, &settings.team, &settings.member)?;
        Ok(joined)
    }

    fn begin(env: &Env, name: &str, settings: Settings, key: SecretKey) -> Result<Self, TeamError> {
        let state_dir = env.state_dir().ok_or(MemoryError::NoStateDir)?;
        let directory = SyncDir::of(&state_dir, name);
        if directory.read(TEAM_SETTINGS)?.is_some() {
            return Err(TeamError::HasTeam);
        }
        let home = env.home.clone();
        let membership = Self { access: Access::Member, settings, directory, home, key, time_limit: None };
        membership.remote()?;
        // What a circle of the past left behind is not this one's.
        let _lock = membership.directory.lock(PATIENCE)?.ok_or(TeamError::Locked)?;
        SyncFiles::of(&membership).forget()?;
        Ok(membership)
    }

    /// Remembers it from now on.
    pub(crate) fn remember(&self) -> Result<(), TeamError> {
        self.directory.keep_signing_seed(&self.key.to_hex())?;
        let content = serde_json::to_vec_pretty(&self.settings).unwrap_or_default();
        Ok(self.directory.replace(TEAM_SETTINGS, &content)?)
    }

    /// Whether this is a background process.
    pub(crate) fn is_unattended(&self) -> bool {
        self.time_limit.is_some()
    }

    /// Forgets it again where the very first sync shows that the host will not have it: then nothing was published, and
    /// an invitation is as good as before. Whatever else failed, the next sync tries again.
    pub(crate) fn begun<T>(&self, synced: Result<T, TeamError>) -> Result<T, TeamError> {
        use RemoteError::{Refused, RefusedFiles};
        match &synced {
            Ok(_) => self.directory.remove(JOINING)?,
            Err(TeamError::Sync(SyncError::Remote(Refused { .. } | RefusedFiles { .. }))) => {
                let _lock = self.directory.lock(PATIENCE)?.ok_or(TeamError::Locked)?;
                let joining = self.directory.read(JOINING)?;
                self.directory.forget()?;
                // A server knows which key used an invitation: the same key may try again.
                if let Some(joining) = joining {
                    self.directory.replace(JOINING, &joining)?;
                }
            }
            Err(_) => {}
        }
        synced
    }

    /// The texts of entries that were agreed, by what the remote knows them by; `None` where one is not here.
    pub(crate) fn texts(&self, ids: &[&str]) -> Result<Vec<Option<String>>, TeamError> {
        let contents = self.remote()?.read(ids, MAX_ENTRY_BYTES)?;
        let text = |content: Option<Vec<u8>>| SignedEntry::parse(&content?).ok()?.unverified().text.clone();
        Ok(contents.into_iter().map(text).collect())
    }

    /// The other paths that deletions name, where their authors have now what is gone or had it before, by what the remote
    /// knows the deletions by.
    pub(crate) fn went_to(&self, ids: &[&str]) -> Result<Vec<Option<String>>, TeamError> {
        let contents = self.remote()?.read(ids, MAX_ENTRY_BYTES)?;
        let path =
            |content: Option<Vec<u8>>| SignedEntry::parse(&content?).ok()?.unverified().renamed_from.clone();
        Ok(contents.into_iter().map(path).collect())
    }

    /// Who signed entries that were agreed, by what the remote knows them by; `None` where one is not here.
    pub(crate) fn authors(&self, ids: &[&str]) -> Result<Vec<Option<PublicKey>>, TeamError> {
        let contents = self.remote()?.read(ids, MAX_ENTRY_BYTES)?;
        let author = |content: Option<Vec<u8>>| Some(SignedEntry::parse(&content?).ok()?.unverified().author);
        Ok(contents.into_iter().map(author).collect())
    }

    /// Has the server forget a member and what they wrote; `None` if there is none, `false` if that is not for this
    /// machine to say.
    pub(crate) fn forget_on_server(&self, member: &PublicKey) -> Result<Option<bool>, TeamError> {
        if !is_server(&self.settings.remote) {
            return Ok(None);
        }
        Ok(Some(ServerAddress::parse(&self.settings.remote)?.forget_member(member)?))
    }

    /// Ends it: the others are told if they can be reached.
    pub(crate) fn leave(&self, folder: &mut Folder<'_>, now: Timestamp) -> Result<Left, TeamError> {
        let own_changes = own_changes(folder, self)?.into_iter().filter(|change| change.refused.is_none());
        let own_changes: Vec<String> = own_changes.map(|change| change.path).collect();
        let me = self.key.public();
        let is_founder = self.settings.member.introduced_by().is_none();
        // Once the others know that we left, they take nothing of ours any more.
        let sent = self.sync(folder, &Options::default(), now).err();
        let unsent = if sent.is_some() { own_changes } else { Vec::new() };
        let is_known = matches!(sent, Some(TeamError::Sync(SyncError::NoLongerMember { .. })));
        let untold = if is_known {
            // No member accepts what a removed member sends.
            None
        } else {
            let own = Revocation::of(&me, &self.settings.team, &self.key);
            let told = self.sync(folder, &Options { revoke: vec![own], ..Options::default() }, now);
            told.err().or(sent)
        };
        let roster = self.state()?.roster;
        let is_in = |key: &PublicKey| *key != me && matches!(roster.standing(key), Standing::Member(_));
        let stays =
            |member: &&Member| is_in(&member.key) && !member.introduced_by().is_some_and(|by| is_in(&by));
        let out_of_reach = roster.members().filter(|_| is_founder).filter(stays);
        let out_of_reach = out_of_reach.map(|member| member.name.clone()).collect();
        let _lock = self.directory.lock(PATIENCE)?.ok_or(TeamError::Locked)?;
        self.directory.forget()?;
        Ok(Left { untold, unsent, name: self.settings.name().to_owned(), key: me, is_founder, out_of_reach })
    }

    /// No answer of the network is waited for longer than this from now on, and no other sync.
    pub(crate) fn limit_to(&mut self, limit: Duration) {
        self.time_limit = Some(limit);
    }

    /// What is remembered.
    #[must_use]
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// This machine's key.
    #[must_use]
    pub fn key(&self) -> PublicKey {
        self.key.public()
    }

    pub(crate) fn directory(&self) -> &SyncDir {
        &self.directory
    }

    fn remote(&self) -> Result<EitherRemote, TeamError> {
        let settings = &self.settings;
        let remote = if is_server(&settings.remote) {
            let address = ServerAddress::parse(&settings.remote)?;
            let remote = HttpRemote::new(self.directory.clone(), address, settings.team.clone());
            EitherRemote::Server(Box::new(remote))
        } else {
            EitherRemote::Git(Box::new(self.git()?))
        };
        Ok(match self.time_limit {
            Some(limit) => remote.within(limit),
            None => remote,
        })
    }

    fn git(&self) -> Result<GitRemote, TeamError> {
        let settings = &self.settings;
        let directory = self.directory.path().join(GIT);
        Ok(GitRemote::new(directory, self.home.clone(), &settings.remote, &settings.branch, settings.name())?)
    }

    /// Brings a folder and the remote together; also says how many requests it took.
    pub(crate) fn sync(
        &self,
        folder: &mut dyn Local,
        options: &Options,
        now: Timestamp,
    ) -> Result<(SyncReport, u32), TeamError> {
        let patience = if self.time_limit.is_some() { Duration::ZERO } else { PATIENCE };
        let _lock = self.directory.lock(patience)?.ok_or(TeamError::Locked)?;
        let mut options = Options { access: self.access, ..options.clone() };
        // Whoever made a session's token introduced it.
        if self.access == Access::Member {
            options.introduce.push(self.settings.member.clone());
        }
        let mut remote = self.remote()?;
        let mut synced = sync(folder, &mut remote, &self.key, &options, now);
        if let Err(SyncError::Remote(first @ RemoteError::Here { .. })) = synced {
            // A git that was killed may leave a repository that no git works with any more. Everything in it is in the
            // remote too.
            self.directory.remove_folder(GIT)?;
            synced = sync(folder, &mut remote, &self.key, &options, now);
            if matches!(synced, Err(SyncError::Remote(RemoteError::Here { .. }))) {
                // What went wrong first says more, as where the disk is full.
                synced = Err(first.into());
            }
        }
        Ok((synced?, remote.requests()))
    }

    /// A line that lets one more machine in.
    ///
    /// # Errors
    /// There is no randomness.
    pub fn invite(&self) -> Result<String, TeamError> {
        let seed = random_seed()?;
        let settings = &self.settings;
        let address = if is_server(&settings.remote) {
            ServerAddress::parse(&settings.remote)?.invite()?.reveal()
        } else {
            // A member who joins has credentials of their own.
            settings.address()
        };
        let invitation = Invitation::new(&settings.team, &address, &settings.branch, &self.key, seed);
        Ok(invitation.to_token())
    }

    /// Its state, from what is remembered here.
    ///
    /// # Errors
    /// Our own state cannot be read.
    pub fn status(&self) -> Result<Status, TeamError> {
        let state = self.state()?;
        Ok(Status {
            head: state.head,
            memories: state.agreed.values().filter(|agreed| agreed.content.is_some()).count(),
            roster: state.roster,
            interrupted: self.directory.read(PENDING)?.is_some(),
        })
    }

    /// The paths of all files of the newest version that was taken over.
    pub(crate) fn listed(&self) -> Result<Vec<String>, TeamError> {
        let Some(head) = self.state()?.head else { return Ok(Vec::new()) };
        Ok(self.remote()?.view(&head)?.into_iter().map(|file| file.path).collect())
    }

    /// What was agreed; nothing if nothing was.
    pub(crate) fn state(&self) -> Result<SyncState, TeamError> {
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

    /// The record that removes a member, and their name: by name, or by the first digits of their key. Oneself is
    /// meant only by the key, and a name that several have means none of them.
    pub(crate) fn revocation(&self, name: &str) -> Result<(Revocation, String), TeamError> {
        let roster = self.state()?.roster;
        let me = self.key.public();
        let is_in = |member: &&Member| matches!(roster.standing(&member.key), Standing::Member(_));
        // A member who left can still be removed: only then do their invitations end.
        let has_left = |member: &&Member| roster.has_left(&member.key);
        let by_key = |member: &&Member| name.len() >= 8 && member.key.to_string().starts_with(name);
        let by_name = |member: &&Member| member.name == name;
        let mut meant: Vec<&Member> =
            roster.members().filter(by_key).filter(|member| is_in(member) || has_left(member)).collect();
        if meant.is_empty() {
            meant = roster.members().filter(is_in).filter(by_name).collect();
            if let [only] = meant.as_slice()
                && only.key == me
            {
                return Err(TeamError::IsYou(me.short()));
            }
        }
        if meant.is_empty() {
            meant = roster.members().filter(has_left).filter(by_name).collect();
        }
        let member = match meant.as_slice() {
            [] => return Err(TeamError::NoMember(name.to_owned())),
            [member] => *member,
            several => {
                let keys = several.iter().map(|member| member.key.short()).collect();
                return Err(TeamError::Ambiguous { name: name.to_owned(), keys });
            }
        };
        let is_founder =
            roster.members().any(|founder| founder.key == me && founder.introduced_by().is_none());
        if member.key != me && member.introduced_by() != Some(me) && !is_founder {
            return Err(TeamError::NotYours(name.to_owned()));
        }
        Ok((Revocation::of(&member.key, &self.settings.team, &self.key), member.name.clone()))
    }
}

/// The key with which an invitation to a server is used: the same at every try, because the server gives one machine access
/// for it, and its answer may be lost.
fn kept_for(directory: &SyncDir, token: &str, new: SecretKey) -> Result<SecretKey, TeamError> {
    let which = ContentHash::of(token.trim().as_bytes());
    let kept = directory.read(JOINING)?.and_then(|content| String::from_utf8(content).ok());
    let kept = kept.and_then(|text| SecretKey::from_hex(text.strip_prefix(&format!("{which} "))?));
    if let Some(kept) = kept {
        return Ok(kept);
    }
    directory.replace(JOINING, format!("{which} {}", new.to_hex()).as_bytes())?;
    Ok(new)
}

fn random_seed() -> Result<[u8; 32], TeamError> {
    let mut seed = [0; 32];
    for half in seed.chunks_mut(16) {
        half.copy_from_slice(&random_bits().map_err(MemoryError::State)?.to_le_bytes());
    }
    Ok(seed)
}

/// Where an invitation leads; an address that is a folder of this machine only if the user wants that: the sender
/// may have put something there.
///
/// # Errors
/// It is not an invitation, or it leads to a folder.
pub fn invited_to(token: &str, folder_is_meant: bool) -> Result<String, TeamError> {
    let invitation = Invitation::from_token(token).ok_or(TeamError::NoInvitation)?;
    let address = without_credentials(&invitation.remote);
    if is_local(&invitation.remote) && !folder_is_meant {
        return Err(TeamError::LocalAddress(address));
    }
    Ok(address)
}

fn check_name(name: &str) -> Result<(), TeamError> {
    if is_name(name) { Ok(()) } else { Err(TeamError::BadName(name.to_owned())) }
}
