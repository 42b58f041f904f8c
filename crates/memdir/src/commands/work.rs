//! `memdir work`: what is too slow for a hook, in a process of its own.

use std::io::Write;
use std::time::Duration;

use anyhow::Result;
use clap::Parser;
use jiff::Timestamp;
use memdir_core::settings::ClientFlags;
use memdir_disk::failure_log::{self, Failure};
use memdir_disk::work_lease::lower_priority;
use memdir_lib::work::work;
use memdir_sync::engine::SyncError;
use memdir_sync::options::Options;
use memdir_sync::remote::RemoteError;
use memdir_sync::team::{Team, TeamError};

use super::Run;
use crate::arguments::Global;
use crate::exit::Exit;
use crate::world::World;

/// Do what waits in the background: notice changes, freshen the index, sweep up
#[derive(Debug, Parser)]
#[command(
    name = "work",
    after_help = "Hooks start this by themselves at the beginning and the end of a session. Only one runs for a project at a time, at
low priority and for at most 20 seconds; a second one ends at once.

Examples:
  memdir work"
)]
pub(crate) struct Work {
    #[command(flatten)]
    global: Global,
}

impl Run for Work {
    fn global(&self) -> &Global {
        &self.global
    }

    fn run(self, world: &mut World) -> Result<Exit> {
        lower_priority();
        let env = world.env()?;
        match work(&env, &ClientFlags::default(), world.now, &now)? {
            None => writeln!(world.stderr, "Another process is at it.")?,
            Some(report) => {
                let count = report.changed.len();
                let memories = if count == 1 { "memory" } else { "memories" };
                writeln!(world.stdout, "Done; others changed {count} {memories}.")?;
                for problem in &report.problems {
                    world.warn(problem)?;
                }
            }
        }
        sync_team(world)?;
        Ok(Exit::Yes)
    }
}

/// Brings the team's memory up to date, where there is one. That nobody can be reached is no news in the background.
fn sync_team(world: &mut World) -> Result<()> {
    let env = world.env()?;
    let synced = Team::open(&env, &ClientFlags::default())
        .and_then(|team| team.within(SYNC_LIMIT).sync(&Options::default(), world.now));
    match synced {
        Ok(_) | Err(TeamError::NoTeam | TeamError::Locked) => {}
        Err(TeamError::Sync(SyncError::Remote(RemoteError::Unreachable { .. }))) => {}
        Err(error) => {
            world.warn(&error.to_string())?;
            if let Some(state_dir) = env.state_dir() {
                let failure =
                    Failure { time: world.now, during: "team sync".to_owned(), message: error.to_string() };
                let _ = failure_log::note(&state_dir, &failure);
            }
        }
    }
    Ok(())
}

/// No answer of the network is waited for longer.
const SYNC_LIMIT: Duration = Duration::from_secs(20);

#[expect(clippy::disallowed_methods, reason = "how long it took is known only at the end")]
fn now() -> Timestamp {
    Timestamp::now()
}
