//! Sessions that are thrown away afterwards: a token lets them in, and their end leaves nothing behind.

use std::collections::BTreeSet;

use jiff::Timestamp;
use memdir_core::env::{Env, MEMDIR_TEAM_TOKEN};
use memdir_core::memory::entrypoint::ENTRYPOINT;
use memdir_core::operation::{Author, AuthorKind};
use memdir_core::settings::ClientFlags;
use memdir_lib::memory::Memory;
use memdir_lib::team::TEAM_DIR;

use super::{Team, TeamError, folder};
use crate::options::{Access, Options};
use crate::own_changes::own_changes;

/// How a session ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EndedSession {
    /// What was changed here and never sent: it stays.
    pub kept: Vec<String>,
}

impl Team {
    /// The team of the project in which `env.cwd` lies, on a machine that may never have seen the project: a session's token
    /// needs no more.
    ///
    /// # Errors
    /// As [`Team::open`].
    pub fn open_first(env: &Env, flags: &ClientFlags, now: Timestamp) -> Result<Self, TeamError> {
        if env.var(MEMDIR_TEAM_TOKEN).is_some() {
            Memory::open(env, flags)?.id(now)?;
        }
        Self::open(env, flags)
    }

    /// Makes a token that lets sessions in for some days, as a member of its own.
    ///
    /// # Errors
    /// The team is not on a server, the name cannot be one, or the server refuses.
    pub fn session_token(
        &mut self,
        name: &str,
        (read_only, days): (bool, i64),
        now: Timestamp,
    ) -> Result<String, TeamError> {
        let (token, member) = self.membership.session_token(name, read_only, days)?;
        self.sync(&Options { introduce: vec![member], ..Options::default() }, now)?;
        Ok(token.to_text())
    }

    /// Whether it is a session that lets itself in by a token.
    #[must_use]
    pub fn is_session(&self) -> bool {
        self.membership.access() != Access::Member
    }

    /// Ends a session: sends what is left, then removes the team's memory from this machine, from its history too, and all
    /// that sync remembered. What could not be sent stays.
    ///
    /// # Errors
    /// The sync fails or something cannot be removed: then nothing is lost, and it can be ended again.
    pub fn end_session(mut self, now: Timestamp) -> Result<EndedSession, TeamError> {
        self.sync(&Options::default(), now)?;
        let mut folder = folder(&mut self.memory, &self.membership, &self.state_dir, now)?;
        let unsent = own_changes(&mut folder, &self.membership)?;
        let kept: Vec<String> = unsent
            .into_iter()
            .filter(|change| change.after.is_some() || change.refused.is_some())
            .map(|change| change.path)
            .collect();
        let stays: BTreeSet<String> = kept.iter().map(|key| format!("{TEAM_DIR}/{key}")).collect();
        let index = format!("{TEAM_DIR}/{ENTRYPOINT}");
        let is_the_teams = |path: &str| {
            path.strip_prefix(TEAM_DIR).is_some_and(|rest| rest.starts_with('/'))
                && !stays.contains(path)
                && (path != index || stays.is_empty())
        };
        let author = Author { kind: AuthorKind::Team, id: None, session: None };
        self.memory.remove_for_good(&is_the_teams, &author, now)?;
        self.membership.directory().forget()?;
        Ok(EndedSession { kept })
    }
}
