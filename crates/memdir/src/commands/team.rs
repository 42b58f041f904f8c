//! `memdir team`: memory that a project's people share.

use anyhow::{Result, anyhow};
use clap::{Args, Parser, Subcommand, ValueEnum};
use memdir_core::history::short_ids::ShortIds;
use memdir_core::operation::{AuthorKind, Operation};
use memdir_core::settings::ClientFlags;
use memdir_sync::options::{ConflictPolicy, Options};
use memdir_sync::remote::git::DEFAULT_BRANCH;
use memdir_sync::report::ChangeKind;
use memdir_sync::team::{INDEX_AUTHOR, Team as Shared};

use super::Run;
use crate::exit::Exit;
use crate::world::World;

pub(super) mod conflicts;
pub(super) mod membership;
mod resolve;
mod share;
mod show;
pub(super) mod sync_report;

/// Share memory with the people of this project
#[derive(Debug, Parser)]
#[command(
    name = "team",
    after_help = "What is in `team/` of the memory directory is shared through a git repository (one that you make for it, or a
branch of the project's own) or through a team server (`memdir serve --help`). Every memory is signed by its
author, and nothing that no member signed is ever written here. Sessions sync in the background; `memdir team sync` does it now. docs/SYNC.md has the whole story.

Examples:
  memdir team init git@example.com:us/memory.git --name Ada
  memdir team invite
  memdir team share deploy-rules
  memdir team sync"
)]
pub(crate) struct Team {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Make a team whose memory is kept in a git repository
    #[command(
        after_help = "Any repository will do that you and your team mates may push to. Only one branch of it is used. The address of a team
server is printed by `memdir-server init`; one with a new token takes the place of the old one.

Examples:
  memdir team init git@example.com:us/memory.git --name Ada
  memdir team init https://example.com/us/app.git --branch memdir --name Ada
  memdir team init https://memdir_…@memory.example.com/crew --name Ada"
    )]
    Init {
        /// The address of the repository or of the team server
        url: String,
        /// The branch that is used
        #[arg(long, default_value = DEFAULT_BRANCH)]
        branch: String,
        /// What your team mates see your name as
        #[arg(long)]
        name: Option<String>,
        /// Print one JSON object
        #[arg(long)]
        json: bool,
    },
    /// Print a line that lets one person in
    #[command(after_help = "The line lets one person join: send it on a private channel. It works once.

Examples:
  memdir team invite")]
    Invite {
        /// Print one JSON object
        #[arg(long)]
        json: bool,
    },
    /// Print a token that lets cloud and CI sessions in for some days
    #[command(
        after_help = "Set it as MEMDIR_TEAM_TOKEN where the session runs: then sessions receive and send the team's memory without joining.
`memdir team members --revoke NAME` ends it at once; `memdir team leave` in the session removes all that came there.
It needs a team server. Whoever has the token can read the team's memory: keep it with the secrets of your CI.

Examples:
  memdir team token ci
  memdir team token nightly --read-only --days 7"
    )]
    Token {
        /// What the team sees the sessions as
        name: String,
        /// Receive, and send nothing
        #[arg(long)]
        read_only: bool,
        /// How many days it lasts
        #[arg(long, default_value_t = 30, value_parser = clap::value_parser!(i64).range(1..=400))]
        days: i64,
        /// Print one JSON object
        #[arg(long)]
        json: bool,
    },
    /// Join a team by an invitation, and take over what it knows
    #[command(after_help = "Examples:
  memdir team join memdir-invitation-1:eyJ0ZWFtIjo… --name Bob")]
    Join {
        /// The line that `memdir team invite` printed
        invitation: String,
        /// What your team mates see your name as
        #[arg(long)]
        name: Option<String>,
        /// Join although the memory is kept in a folder of this machine
        #[arg(long)]
        local: bool,
        /// Print one JSON object
        #[arg(long)]
        json: bool,
    },
    /// Say with whom what is shared, and what waits
    #[command(after_help = "Examples:
  memdir team status --json")]
    Status {
        /// Print one JSON object
        #[arg(long)]
        json: bool,
    },
    /// Bring this machine and the team together
    #[command(
        after_help = "Both sides' changes of one memory are merged by field and by line. What cannot be merged is kept twice and listed
by `memdir team conflicts`. A memory that holds a secret stays here, and is named.

Examples:
  memdir team sync
  memdir team sync --dry-run
  memdir team sync --conflict fail --json"
    )]
    Sync {
        #[command(flatten)]
        manner: SyncManner,
    },
    /// List what was sent by whom, newest first
    #[command(after_help = "Examples:
  memdir team log -n 5")]
    Log {
        /// How many
        #[arg(short = 'n', default_value_t = 20)]
        count: usize,
        /// Print one JSON object
        #[arg(long)]
        json: bool,
    },
    /// List the members, or remove one
    #[command(
        after_help = "The member who invited a person, and the founder, can remove them. What they signed before stays on every machine that
has it; what they sign afterwards is held for review. With `--with-data` every memory whose newest text is theirs is removed on every
machine, in the same sync; a team server then erases their texts, too.

Examples:
  memdir team members
  memdir team members --revoke Mallory --yes
  memdir team members --revoke Mallory --with-data --yes"
    )]
    Members {
        /// Remove this member: a name, or the first digits of a key
        #[arg(long, value_name = "NAME")]
        revoke: Option<String>,
        /// Remove what they wrote, too
        #[arg(long, requires = "revoke")]
        with_data: bool,
        /// Do not ask
        #[arg(long, requires = "revoke")]
        yes: bool,
        /// Print one JSON object
        #[arg(long)]
        json: bool,
    },
    /// Move a private memory to the team
    #[command(
        after_help = "Shows what changes. Memories of type `user` and memories that hold a secret stay private. The team gets it with
the next sync.

Examples:
  memdir team share deploy-rules --dry-run
  memdir team share deploy-rules"
    )]
    Share(share::Share),
    /// Stop sharing a memory, and keep it here
    #[command(after_help = "Examples:
  memdir team unshare deploy-rules")]
    Unshare(share::Share),
    /// List memories that two people changed in ways that could not be merged; exits with 1 if there are none
    #[command(
        after_help = "Both versions are memories of the team. Make one of them right, and remove the other: that settles it for everybody.

Examples:
  memdir team conflicts
  memdir team conflicts --json"
    )]
    Conflicts {
        /// Print one JSON object
        #[arg(long)]
        json: bool,
    },
    /// Show the difference of a memory that is kept twice, or keep one version
    #[command(after_help = "Without an option the difference is shown and nothing is changed.

Examples:
  memdir team resolve release
  memdir team resolve release --mine
  memdir team resolve release --edit")]
    Resolve(resolve::Resolve),
    /// Stop sharing; the files stay here
    #[command(
        after_help = "This cannot be undone, so memdir asks first. The founder of a team cannot be removed by others: remove the members
whom you do not trust before you leave.

Examples:
  memdir team leave --yes"
    )]
    Leave {
        /// Do not ask
        #[arg(long)]
        yes: bool,
        /// Print one JSON object
        #[arg(long)]
        json: bool,
    },
}

/// How a sync is made and reported.
#[derive(Debug, Clone, Default, Args)]
pub(super) struct SyncManner {
    /// What to do where both sides changed the same thing
    #[arg(long, value_name = "HOW", default_value = "merge")]
    conflict: OnConflict,
    /// Tell the others even if most memories are gone here
    #[arg(long)]
    delete_many: bool,
    /// Read every file, also those whose times say that they did not change; without it that is done once a day
    #[arg(long)]
    full: bool,
    /// Say what would be sent and taken, and change nothing
    #[arg(long)]
    pub(super) dry_run: bool,
    /// Print one JSON object
    #[arg(long)]
    pub(super) json: bool,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
enum OnConflict {
    /// Keep both versions, and list them
    #[default]
    Merge,
    /// Take what the others have; yours is in the history
    Theirs,
    /// Keep what is here; theirs is in the remote's history
    Ours,
    /// Change nothing, and end with an error
    Fail,
}

impl SyncManner {
    pub(super) fn options(&self) -> Options {
        let conflict = match self.conflict {
            OnConflict::Merge => ConflictPolicy::Merge,
            OnConflict::Theirs => ConflictPolicy::Theirs,
            OnConflict::Ours => ConflictPolicy::Ours,
            OnConflict::Fail => ConflictPolicy::Fail,
        };
        Options {
            conflict,
            delete_many: self.delete_many,
            read_all: self.full,
            dry_run: self.dry_run,
            ..Options::default()
        }
    }
}

impl Run for Team {
    fn run(self, world: &mut World) -> Result<Exit> {
        match self.action {
            Action::Init { url, branch, name, json } => membership::init(&url, &branch, name, json, world),
            Action::Invite { json } => membership::invite(json, world),
            Action::Token { name, read_only, days, json } => {
                membership::token(&name, (read_only, days), json, world)
            }
            Action::Join { invitation, name, local, json } => {
                membership::join((&invitation, local), name, json, world)
            }
            Action::Status { json } => show::status(json, world),
            Action::Sync { manner } => sync(&manner, world),
            Action::Log { count, json } => show::log(count, json, world),
            Action::Members { revoke: None, json, .. } => show::members(json, world),
            Action::Members { revoke: Some(name), with_data, yes, json } => {
                membership::revoke(&name, with_data, yes, json, world)
            }
            Action::Share(share) => share.share(world),
            Action::Unshare(share) => share.unshare(world),
            Action::Conflicts { json } => conflicts::conflicts(json, world),
            Action::Resolve(resolve) => resolve.run(world),
            Action::Leave { yes, json } => membership::leave(yes, json, world),
        }
    }
}

fn sync(manner: &SyncManner, world: &mut World) -> Result<Exit> {
    let mut team = open(world)?;
    let (report, requests) = team.sync_counted(&manner.options(), world.now)?;
    let exit = sync_report::print(&report, requests, manner.dry_run, manner.json, world)?;
    if manner.dry_run && !manner.json {
        show::print_outgoing(&report.sent, world)?;
    }
    let removed = report.received.iter().filter(|came| came.change == ChangeKind::Removed).count();
    if removed >= MANY && !manner.dry_run && !manner.json {
        let log = team.memory().log(MANY)?;
        let is_removal = |operation: &&Operation| {
            operation.author.kind == AuthorKind::Team
                && operation.author.id.as_deref() != Some(INDEX_AUTHOR)
                && operation.changes.iter().any(|change| change.after.is_none())
        };
        if let Some(operation) = log.operations.iter().find(is_removal) {
            let ids = ShortIds::of(&log.operations);
            let id = ids.short(&operation.id);
            world.warn(&format!("{removed} memories were removed; `memdir undo {id}` restores them"))?;
        }
    }
    Ok(exit)
}

/// So many deletions at once may be a mistake.
const MANY: usize = 10;

/// The team of the project, ready for its commands.
fn open(world: &mut World) -> Result<Shared> {
    let env = world.env()?;
    let team = Shared::open_first(&env, &ClientFlags::default(), world.now)?;
    super::memory::settle(team.memory(), world)?;
    Ok(team)
}

/// What the user is called: as they say, else as the system does.
fn name_or(given: Option<String>, world: &World) -> Result<String> {
    let of_system = || ["USER", "LOGNAME"].iter().find_map(|name| world.vars.get(*name)).cloned();
    given
        .or_else(of_system)
        .ok_or_else(|| anyhow!("say with `--name` what your team mates shall see your name as"))
}
