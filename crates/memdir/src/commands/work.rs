//! `memdir work`: what is too slow for a hook, in a process of its own.

use std::io::Write;
use std::time::Duration;

use anyhow::Result;
use clap::Parser;
use jiff::Timestamp;
use memdir_core::settings::ClientFlags;
use memdir_disk::failure_log::{self, Failure};
use memdir_disk::work_lease::{bound_memory, end_after, lower_priority};
use memdir_lib::work::work;
use memdir_sync::engine::SyncError;
use memdir_sync::options::Options;
use memdir_sync::personal::Personal;
use memdir_sync::remote::RemoteError;
use memdir_sync::team::{Team, TeamError};

use super::Run;
use crate::exit::Exit;
use crate::world::World;

/// Do what waits in the background
#[derive(Debug, Parser)]
#[command(
    name = "work",
    after_help = "Hooks start this by themselves at the beginning and the end of a session. Only one runs for a project at a time, at
low priority and for at most 20 seconds; a second one ends at once. Then it brings the team's memory and that of your
other machines up to date, where you have set that up, and waits for no answer longer than 20 seconds.

Examples:
  memdir work"
)]
pub(crate) struct Work {
    /// The session is over: remove what its token (MEMDIR_TEAM_TOKEN) brought here
    #[arg(long)]
    session_ended: bool,
}

impl Run for Work {
    fn is_background(&self) -> bool {
        true
    }

    fn run(self, world: &mut World) -> Result<Exit> {
        lower_priority();
        end_after(WORK_LIMIT);
        bound_memory(WORK_MEMORY);
        let env = world.env()?;
        match work(&env, &ClientFlags::default(), world.now, &now)? {
            None => writeln!(world.stderr, "Another process is at it.")?,
            Some(report) => {
                let count = report.changed.len();
                let memories = if count == 1 { "memory" } else { "memories" };
                writeln!(world.stdout, "Done; others changed {count} {memories}.")?;
                world.warn_all(&report.problems)?;
            }
        }
        sync_team(self.session_ended, world)?;
        sync_own_machines(world)?;
        Ok(Exit::Yes)
    }
}

/// Brings the team's memory up to date, where there is one.
fn sync_team(session_ended: bool, world: &mut World) -> Result<()> {
    let synced = Team::open_first(&world.env()?, &ClientFlags::default(), world.now).and_then(|team| {
        let mut team = team.within(SYNC_LIMIT);
        match session_ended && team.is_session() {
            true => team.end_session(world.now).map(drop),
            false => team.sync(&Options::default(), world.now).map(drop),
        }
    });
    note_failure("team sync", synced, world)
}

/// Brings what the user's own machines share up to date, where they do.
fn sync_own_machines(world: &mut World) -> Result<()> {
    let synced = Personal::open(&world.env()?)
        .and_then(|personal| personal.within(SYNC_LIMIT).sync(&Options::default(), world.now));
    note_failure("sync", synced.map(|_| ()), world)
}

/// Remembers why a sync failed. An unreachable remote or a running sync is not worth a line.
fn note_failure(during: &str, synced: Result<(), TeamError>, world: &mut World) -> Result<()> {
    let error = match synced {
        Ok(()) | Err(TeamError::NoTeam | TeamError::NotSynced | TeamError::Locked) => return Ok(()),
        Err(TeamError::Sync(SyncError::Remote(RemoteError::Unreachable { .. }))) => return Ok(()),
        Err(error) => error.to_string(),
    };
    world.warn(&error)?;
    if let Some(state_dir) = world.env()?.state_dir() {
        let _ = failure_log::note(
            &state_dir,
            &Failure { time: world.now, during: during.to_owned(), message: error },
        );
    }
    Ok(())
}

/// Whatever it waits for then, the process ends after this.
const WORK_LIMIT: Duration = Duration::from_secs(600);
/// The most memory that it and the programs that it starts may take, each.
const WORK_MEMORY: u64 = 1 << 30;

/// No answer of the network is waited for longer.
const SYNC_LIMIT: Duration = Duration::from_secs(20);

#[expect(clippy::disallowed_methods, reason = "how long it took is known only at the end")]
fn now() -> Timestamp {
    Timestamp::now()
}
