//! One person's memory on several machines: private memory, profile and agents' memory.
//!
//! The same algorithm as for a team, among the user's own machines. A project is known by its identity, not by its path,
//! so `/Users/a/x` and `/home/a/x` are one.

use std::collections::BTreeMap;

use camino::Utf8PathBuf;
use jiff::Timestamp;
use memdir_core::agents::{AgentDirs, Scope};
use memdir_core::config::WriteMode;
use memdir_core::env::Env;
use memdir_core::project::registry::ProjectRecord;
use memdir_core::settings::ClientFlags;
use memdir_disk::registry::Registry;
use memdir_lib::memory::{Memory, MemoryError};
use memdir_lib::place::Place;

use crate::folder::{Folder, Kind, Root};
use crate::membership::{Kept, Membership};
use crate::options::Options;
use crate::private_rules::PrivateRules;
use crate::report::Report;
use crate::team_error::TeamError;

/// The branch that is used unless somebody names another.
pub const PERSONAL_BRANCH: &str = "memdir-personal";

const NAME: &str = "personal";

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
    ) -> Result<(Self, Report), TeamError> {
        let personal = Self { membership: Membership::found(env, NAME, place, name)?, env: env.clone() };
        personal.membership.remember()?;
        let report = personal.sync(&Options::default(), now)?.0;
        Ok((personal, report))
    }

    /// Adds this machine to the others.
    ///
    /// # Errors
    /// It is no invitation, it was used, or the sync fails: then the next one tries again.
    pub fn join(env: &Env, token: &str, name: &str, now: Timestamp) -> Result<(Self, Report), TeamError> {
        let personal = Self { membership: Membership::accept(env, NAME, token, name)?, env: env.clone() };
        personal.sync(&Options { dry_run: true, ..Options::default() }, now)?;
        personal.membership.remember()?;
        let report = personal.sync(&Options::default(), now)?.0;
        Ok((personal, report))
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
    pub fn sync(&self, options: &Options, now: Timestamp) -> Result<(Report, u32), TeamError> {
        let mut places = Places::find(&self.env, now)?;
        let mut folder = self.folder(&mut places, now)?;
        let (mut report, requests) = self.membership.sync(&mut folder, options, now)?;
        report.notices.append(&mut places.notices);
        Ok((report, requests))
    }

    /// Ends it for this machine; the files stay. Gives back what kept the others from being told.
    ///
    /// # Errors
    /// Our own state cannot be removed.
    pub fn leave(self, now: Timestamp) -> Result<Option<TeamError>, TeamError> {
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
            kept: Kept::of(&self.membership),
            // They are the user's own words, said on another machine.
            mode: WriteMode::Auto,
            now,
        })
    }
}

/// What of this machine takes part, by what its keys begin with.
struct Places {
    memories: BTreeMap<String, Memory>,
    notices: Vec<String>,
}

impl Places {
    fn find(env: &Env, now: Timestamp) -> Result<Self, TeamError> {
        let place = Place::find(env, &ClientFlags::default()).map_err(MemoryError::from)?;
        let config_dir = env.cwd.join(place.settings.config_dir());
        let agents = AgentDirs::new(env, &place.settings, &place.location.root);
        let mut places = Self { memories: BTreeMap::new(), notices: Vec::new() };
        for (prefix, directory) in
            [("profile/", config_dir.join("user")), ("agents/", agents.root(Scope::User).to_owned())]
        {
            places.memories.insert(prefix.to_owned(), Memory::at_directory(&directory, env)?);
        }
        // The project in which this runs may never have been seen before.
        Memory::open(env, &ClientFlags::default())?.id(now)?;
        let state_dir = env.state_dir().ok_or(MemoryError::NoStateDir)?;
        let mut newest: BTreeMap<String, (Timestamp, Utf8PathBuf)> = BTreeMap::new();
        for (id, seen, path) in Registry::new(&state_dir).content().projects.iter().flat_map(identities) {
            let known = newest.get(&id).cloned();
            match known {
                Some((_, other)) if other == path => {}
                Some((time, other)) => {
                    places.notices.push(format!(
                        "`{path}` and `{other}` are the same project: the one that was used last is synced"
                    ));
                    if seen > time {
                        newest.insert(id, (seen, path));
                    }
                }
                None => {
                    newest.insert(id, (seen, path));
                }
            }
        }
        for (id, (_, path)) in newest {
            let there = Env { cwd: path, ..env.clone() };
            match Memory::open(&there, &ClientFlags::default()) {
                Ok(memory) => {
                    places.memories.insert(format!("projects/{id}/"), memory);
                }
                Err(error) => places.notices.push(format!("`{}` is not synced: {error}", there.cwd)),
            }
        }
        Ok(places)
    }
}

/// By what a project is known on every machine, where it lies here, and when it was last seen there.
fn identities(record: &ProjectRecord) -> Vec<(String, Timestamp, Utf8PathBuf)> {
    let living = record.paths.iter().filter(|seen| seen.path.is_dir());
    let known = living.filter_map(|seen| {
        let key = seen.keys.iter().find(|key| !key.is_inode())?;
        Some((key.file_name(), seen.last_seen, seen.path.clone()))
    });
    known.collect()
}
