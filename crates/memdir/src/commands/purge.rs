//! `memdir purge`: forgotten in every version, as far as memdir reaches.

use std::io::Write;

use anyhow::{Result, anyhow, bail};
use clap::Parser;
use memdir_core::operation::AuthorKind;
use memdir_core::rel_path::RelPath;
use memdir_core::settings::ClientFlags;
use memdir_lib::memory::{Memory, Purge as What, Purged};
use memdir_lib::place::Place;
use memdir_lib::written_places::stores_of;
use serde_json::json;

use super::Run;
use super::ask::confirm;
use super::memory::{Which, author};
use crate::exit::Exit;
use crate::output::printable;
use crate::report::WithHint;
use crate::world::World;

/// Remove a memory or a text from every version
#[derive(Debug, Parser)]
#[command(
    name = "purge",
    after_help = "For secrets. A memory is removed with all its versions and its lines in every version of the index. A text is
replaced by [purged] everywhere in the directory: the project's memory, or the one that --dir names, such as a journal
or `~/.claude/user`. This cannot be undone, so memdir asks first; it also lists what it cannot reach.

Examples:
  memdir purge --pattern hunter2 --dry-run
  memdir purge --pattern hunter2 --yes
  memdir purge tabs --yes"
)]
pub(crate) struct Purge {
    /// The memory's name, its file's stem, or its path in the directory, also if it is gone
    #[arg(required_unless_present = "pattern", conflicts_with = "pattern")]
    name: Option<String>,
    /// Exactly this text, in all files of the directory and all their versions
    #[arg(long, value_name = "TEXT")]
    pattern: Option<String>,
    /// Show which files would change, and change nothing
    #[arg(long)]
    dry_run: bool,
    /// Do not ask
    #[arg(long)]
    yes: bool,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    which: Which,
}

/// Where a purged text may live on.
const OUT_OF_REACH: [&str; 5] = [
    "other projects, whose memory has a history of its own: give each with --dir",
    "session transcripts of the client, which repeat what an agent read and wrote",
    "backups, snapshots and synchronised copies of this machine, and directories set aside by a move",
    "what was shared: team members' copies, remotes, and providers that were sent a prompt",
    "freed blocks of the disk and the system's page cache, until they are used again",
];

impl Run for Purge {
    fn run(self, world: &mut World) -> Result<Exit> {
        let mut memory = self.which.open(world)?;
        let what = match (&self.name, &self.pattern) {
            (_, Some(pattern)) if pattern.trim().is_empty() => {
                bail!("an empty pattern would match everywhere")
            }
            (_, Some(pattern)) => What::Text(pattern.clone()),
            (Some(name), None) => {
                memory.look(world.now)?;
                What::Memory(memory.past_path(name, &memory.log(usize::MAX)?)?)
            }
            (None, None) => bail!("name a memory, or a text with --pattern"),
        };
        if self.dry_run {
            let plan = memory.plan_purge(&what)?;
            if self.json {
                let paths =
                    plan.changes.iter().map(|change| memory.directory().join(change.path().as_path()));
                return world.answer_json(&json!({
                    "dry_run": true,
                    "paths": Vec::from_iter(paths),
                    "warnings": plan.warnings,
                }));
            }
            for change in &plan.changes {
                writeln!(world.stdout, "would change  {}", printable(change.path().as_str()))?;
            }
            writeln!(world.stdout, "and every earlier version in history")?;
            return Ok(Exit::Yes);
        }
        let asker = author(world);
        if asker.kind != AuthorKind::Person {
            return Err(anyhow!("an agent cannot purge"))
                .hint("the user runs `memdir purge` in a terminal of their own");
        }
        let question = match &what {
            What::Memory(path) => format!("Remove `{path}` from every version, for good?"),
            What::Text(_) => "Replace this text in every file and every version, for good?".to_owned(),
        };
        if !confirm(&question, self.yes, world)? {
            return Ok(Exit::Failed);
        }
        let mut purged = memory.purge(&what, &asker, world.now)?;
        if let (What::Text(_), false) = (&what, !self.which.is_project()) {
            purge_beside(&what, &memory, &mut purged, world)?;
        }
        self.report(&purged, &memory, world)
    }
}

/// Purges a text from the other directories of the project as well: journal, profile, workspace, agents.
fn purge_beside(what: &What, memory: &Memory, purged: &mut Purged, world: &mut World) -> Result<()> {
    let (env, asker) = (world.env()?, author(world));
    let place = Place::find(&env, &ClientFlags::default())?;
    for directory in stores_of(&place, &env).iter().filter(|directory| *directory != memory.directory()) {
        if !directory.is_dir() {
            continue;
        }
        let also = Memory::at_directory(directory, &env)?.purge(what, &asker, world.now)?;
        for path in also.files {
            purged.warnings.push(format!("`{}` was changed as well", directory.join(path.as_str())));
        }
        purged.warnings.extend(also.warnings);
    }
    Ok(())
}

impl Purge {
    fn report(&self, purged: &Purged, memory: &Memory, world: &mut World) -> Result<Exit> {
        if self.json {
            let absolute = |path: &RelPath| memory.directory().join(path.as_path());
            return world.answer_json(&json!({
                "op": purged.operation.as_ref().map(|operation| operation.0.as_str()),
                "paths": Vec::from_iter(purged.files.iter().map(absolute)),
                "versions": purged.forgotten.versions,
                "out_of_reach": OUT_OF_REACH,
                "warnings": purged.warnings,
            }));
        }
        for path in &purged.files {
            writeln!(world.stdout, "cleaned  {}", printable(path.as_str()))?;
        }
        let versions = purged.forgotten.versions;
        writeln!(world.stdout, "Purged from {versions} earlier versions; caches are rebuilt without it.")?;
        writeln!(world.stdout, "memdir cannot reach:")?;
        for place in OUT_OF_REACH {
            writeln!(world.stdout, "  {place}")?;
        }
        world.warn_all(&purged.warnings)?;
        Ok(Exit::Yes)
    }
}
