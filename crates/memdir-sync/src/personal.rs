//! One person's memory on several machines: private memory, profile and agents' memory.
//!
//! The same algorithm as for a team, among the user's own machines. A project is known by its identity, not by its path,
//! so `/Users/a/x` and `/home/a/x` are one.

use std::collections::{BTreeSet, HashSet};
use std::time::Duration;

use camino::Utf8PathBuf;
use jiff::Timestamp;
use memdir_core::config::WriteMode;
use memdir_core::env::Env;
use memdir_core::rel_path::RelPath;
use memdir_lib::memory::MemoryError;
use memdir_lib::team::TEAM_DIR;
use serde::Serialize;

use crate::conflict_copy::{KeptTwice, original_of};
use crate::folder::{Folder, Kind, Questions, Root};
use crate::layout::ENTRIES;
use crate::membership::{Left, Membership};
use crate::options::Options;
use crate::private_rules::PrivateRules;
use crate::report::{ChangeKind, SyncReport};
use crate::sync_files::SyncFiles;
use crate::team_error::TeamError;

mod places;
mod with_teams;

use places::{PROJECTS, Places};
use with_teams::shared_with_teams;

/// The branch that is used unless the user names another.
pub const PERSONAL_BRANCH: &str = "memdir-personal";

const NAME: &str = "personal";

/// A project or a memory that is not synced, and why.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LeftOut {
    /// Where it is, or what it is called where it is.
    pub path: Utf8PathBuf,
    /// Why.
    pub why: String,
}

/// What a user's own machines share.
pub struct Personal {
    membership: Membership,
    env: Env,
}

impl Personal {
    /// What this machine shares with the user's others.
    ///
    /// # Errors
    /// Nothing, or it cannot be read.
    pub fn open(env: &Env) -> Result<Self, TeamError> {
        let membership = Membership::open(env, NAME)?.ok_or(TeamError::NotSynced)?;
        Ok(Self { membership, env: env.clone() })
    }

    /// Begins with this machine: sends what is here.
    ///
    /// # Errors
    /// It is set up already, the URL holds something else, or the sync fails: then the next one tries again.
    pub fn init(
        env: &Env,
        place: (&str, &str),
        name: &str,
        now: Timestamp,
    ) -> Result<(Self, SyncReport), TeamError> {
        if let Some(membership) = Membership::reopened(env, NAME, place.0)? {
            membership.remember()?;
            let personal = Self { membership, env: env.clone() };
            let report = personal.sync(&Options::default(), now)?.0;
            return Ok((personal, report));
        }
        let personal = Self { membership: Membership::found(env, NAME, place, name)?, env: env.clone() };
        personal.membership.remember()?;
        let synced = personal.sync(&Options::default(), now);
        let report = personal.membership.begun(synced)?.0;
        Ok((personal, report))
    }

    /// Adds this machine to the others.
    ///
    /// # Errors
    /// It is not an invitation, it was used, or the sync fails: then the next one tries again.
    pub fn join(env: &Env, token: &str, name: &str, now: Timestamp) -> Result<(Self, SyncReport), TeamError> {
        let personal = Self { membership: Membership::accept(env, NAME, token, name)?, env: env.clone() };
        personal.membership.remember()?;
        let synced = personal.sync(&Options::default(), now);
        let report = personal.membership.begun(synced)?.0;
        Ok((personal, report))
    }

    /// The same, for a background process: no answer of the network is waited for longer than this.
    #[must_use]
    pub fn within(mut self, limit: Duration) -> Self {
        self.membership.limit_to(limit);
        self
    }

    /// What this machine is to the others.
    #[must_use]
    pub fn membership(&self) -> &Membership {
        &self.membership
    }

    /// Brings this machine and the others together; also says how many requests it took.
    ///
    /// # Errors
    /// See [`TeamError`]; nothing is lost, and the next sync goes on.
    pub fn sync(&self, options: &Options, now: Timestamp) -> Result<(SyncReport, u32), TeamError> {
        let mut places = Places::find(&self.env, now)?;
        let mut folder = self.folder(&mut places, now)?;
        folder.read_all = options.read_all;
        let (mut report, mut requests) = self.membership.sync(&mut folder, options, now)?;
        if std::mem::take(&mut folder.index_followed) {
            // What follows here should be with the others before they look, or they would make it themselves.
            match self.membership.sync(&mut folder, options, now) {
                Ok((later, more)) => {
                    report.go_on(later);
                    requests += more;
                }
                Err(error) => report.notices.push(format!("the index goes with the next sync: {error}")),
            }
        }
        let gone = report.received.iter().filter(|came| came.change == ChangeKind::Removed);
        let gone: BTreeSet<&str> = gone.map(|came| came.path.as_str()).collect();
        if !gone.is_empty() && !options.dry_run {
            let shared = shared_with_teams(&self.membership, &self.env, &places, |key| gone.contains(key))?;
            report.notices.extend(shared.iter().map(|shared| format!("`{}` {}", shared.path, shared.why)));
        }
        report.projects = places.roots.into_iter().filter(|(prefix, _)| report.names(prefix)).collect();
        let is_there = |key: &str| {
            let mut found = places.memories.iter().filter_map(|(prefix, memory)| {
                let path = RelPath::parse(key.strip_prefix(prefix.as_str())?).ok()?;
                memory.read(&path).ok()?
            });
            found.next().is_some()
        };
        report.name_copies("memdir sync conflicts", is_there);
        Ok((report, requests))
    }

    /// The memories that another machine of the user shared with a team that this one is not in.
    ///
    /// # Errors
    /// Our own state cannot be read.
    pub fn shared_with_teams(&self, now: Timestamp) -> Result<Vec<LeftOut>, TeamError> {
        shared_with_teams(&self.membership, &self.env, &Places::find(&self.env, now)?, |_| true)
    }

    /// The projects of which nothing is synced: those of this machine, then those that only others have.
    ///
    /// # Errors
    /// Our own state cannot be read.
    pub fn left_out(&self, now: Timestamp) -> Result<Vec<LeftOut>, TeamError> {
        let Places { memories, mut left_out, .. } = Places::find(&self.env, now)?;
        let prefix = format!("{ENTRIES}{PROJECTS}");
        let listed = self.membership.listed()?;
        let elsewhere: BTreeSet<&str> =
            listed.iter().filter_map(|path| path.strip_prefix(&prefix)?.split('/').next()).collect();
        for id in elsewhere.into_iter().filter(|id| !memories.contains_key(&format!("{PROJECTS}{id}/"))) {
            let why =
                "it is on another of your machines; `memdir sync` in a clone of it brings its memory here";
            left_out.push(LeftOut { path: id.into(), why: why.to_owned() });
        }
        Ok(left_out)
    }

    /// The memories of which two versions are kept until the user removes one.
    ///
    /// # Errors
    /// A directory cannot be listed.
    pub fn conflicts(&self, now: Timestamp) -> Result<Vec<KeptTwice>, TeamError> {
        let mut found = Vec::new();
        for memory in Places::find(&self.env, now)?.memories.values() {
            let Some(root) = memory.root() else { continue };
            let files = root.list_files(0)?.files;
            let there: HashSet<&str> = files.iter().map(|file| file.path.as_str()).collect();
            for path in &there {
                let is_the_teams = path.strip_prefix(TEAM_DIR).is_some_and(|rest| rest.starts_with('/'));
                let original = original_of(path).filter(|original| there.contains(original.as_str()));
                if let Some(original) = original.filter(|_| !is_the_teams) {
                    let at = |path: &str| memory.directory().join(path);
                    found.push(KeptTwice { path: at(&original), kept_as: at(path) });
                }
            }
        }
        found.sort_by(|one, other| one.kept_as.cmp(&other.kept_as));
        Ok(found)
    }

    /// Takes a machine out, one that was lost: by name, or by the first digits of its key.
    ///
    /// # Errors
    /// No machine is called that, or several are, it is not this one's to say, or the sync fails.
    pub fn revoke(&self, name: &str, now: Timestamp) -> Result<SyncReport, TeamError> {
        // The machine that came in last may not be known here yet.
        self.sync(&Options::default(), now)?;
        let (revocation, name) = self.membership.revocation(name)?;
        let gone = revocation.key.short();
        let options = Options { revoke: vec![revocation], ..Options::default() };
        let mut report = self.sync(&options, now)?.0;
        report.taken_out = Some(format!("{name} ({gone})"));
        Ok(report)
    }

    /// Ends it for this machine; the files stay.
    ///
    /// # Errors
    /// Our own state cannot be read or removed.
    pub fn leave(self, now: Timestamp) -> Result<Left, TeamError> {
        let mut places = Places::find(&self.env, now)?;
        let mut folder = self.folder(&mut places, now)?;
        self.membership.leave(&mut folder, now)
    }

    fn folder<'p>(&self, places: &'p mut Places, now: Timestamp) -> Result<Folder<'p>, TeamError> {
        let state_dir = self.env.state_dir().ok_or(MemoryError::NoStateDir)?;
        let roots = places.memories.iter_mut().map(|(prefix, memory)| Root {
            prefix: prefix.clone(),
            below: "",
            memory,
        });
        Ok(Folder {
            kind: Kind::Personal,
            roots: roots.collect(),
            rules: PrivateRules::load(&state_dir)?,
            files: SyncFiles::of(&self.membership),
            // They are the user's own words, said on another machine.
            mode: WriteMode::Auto,
            now,
            read_all: false,
            listed: None,
            scanned: None,
            index_followed: false,
            questions: Questions::default(),
        })
    }
}
