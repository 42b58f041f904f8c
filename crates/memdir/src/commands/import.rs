//! `memdir import`: what other agents remember, what commits decided, and archives, taken over.

use std::ffi::OsStr;
use std::io::Write;

use crate::archive::ArchiveFormat;
use anyhow::{Result, anyhow, bail};
use camino::{Utf8Path, Utf8PathBuf};
use clap::Parser;
use clap::builder::{PossibleValue, TypedValueParser};
use memdir_core::other_agents::OtherAgent;
use memdir_lib::memory::Import as Planned;
use serde_json::json;

use super::config::ConfigFile;
use super::memory::{How, carry_out};
use super::{Run, import_archive};
use crate::exit::Exit;
use crate::output::printable;
use crate::report::WithHint;
use crate::world::World;

/// Import from another agent, git or an archive
#[derive(Debug, Parser)]
#[command(
    name = "import",
    after_help = "The other agent's files are read where they are and never changed. A file with several sections becomes a memory for each.
What is known already is not added again, so a second import adds nothing. What changed there since replaces what an import wrote
here; what you changed here stays, and is named. It is one operation: `memdir undo` undoes it. With `--watch`, this is done
whenever a session starts; `memdir config unset import.watch` ends that.
`git` reads the messages of commits: those with a reason, reverts and breaking changes wait in `memdir review`, each with its commit.
FILE is what `memdir export` wrote; all of it is checked before anything is written, and a memory that differs here stays.
What it holds of other projects needs --all.

Examples:
  memdir import cursor --dry-run
  memdir import gemini --watch
  memdir import mem0 export.json --dry-run
  memdir import git --since 2026-01-01 --dry-run
  memdir import codex --dry-run --json | jq -r '.memories[].name'"
)]
pub(crate) struct Import {
    /// Another agent's name, `git`, or an archive (.tar.zst or .zip)
    #[arg(value_name = "AGENT|git|FILE", value_parser = SourceParser)]
    source: String,
    /// Only commits since this day, for `git`
    #[arg(long, value_name = "DATE")]
    since: Option<String>,
    /// Also take over the memory of other projects and for all projects, for an archive
    #[arg(long)]
    all: bool,
    /// The file that a tool exported, as JSON
    #[arg(value_name = "EXPORT")]
    export: Option<Utf8PathBuf>,
    /// Also add what is new there at the start of each session, in every project
    #[arg(long, conflicts_with_all = ["export", "since"])]
    watch: bool,
    #[command(flatten)]
    how: How,
}

impl Run for Import {
    fn run(self, world: &mut World) -> Result<Exit> {
        if self.source == GIT {
            return self.import_git(world);
        }
        if self.since.is_some() {
            bail!("--since is for `memdir import git`");
        }
        let Some(agent) = OtherAgent::named(&self.source) else {
            return match ArchiveFormat::of(Utf8Path::new(&self.source)) {
                Some(format) => import_archive::import(&self.source, format, &self.how, self.all, world),
                None => Err(anyhow!("unknown source `{}`", self.source))
                    .hint("`memdir help import` lists the agents; `git` or a file that ends in .tar.zst or .zip works, too"),
            };
        };
        let mut memory = self.how.which.open(world)?;
        let planned = match &self.export {
            Some(file) => {
                let file = world.env()?.cwd.join(file);
                let planned = memory.plan_export_import(agent, &file, world.now);
                planned.map_err(|error| anyhow!("cannot import from `{file}`: {error}"))?
            }
            None if agent.only_exports() => {
                return Err(anyhow!("`{}` keeps its memory in a database", agent.name()))
                    .hint(format!("export it to a file: memdir import {} FILE.json", agent.name()));
            }
            None => memory.plan_import(agent, &world.env()?, world.now)?,
        };
        if self.watch && !self.how.is_dry_run() {
            watch(agent, world)?;
        }
        if self.how.is_dry_run() {
            return self.preview(&planned, world);
        }
        if planned.memories.is_empty() && !self.how.json {
            return self.preview(&planned, world);
        }
        carry_out(&planned.plan, &mut memory, &self.how, world)
    }
}

/// Adds an agent to those whose memory is imported at the start of each session.
fn watch(agent: OtherAgent, world: &mut World) -> Result<()> {
    let mut file = ConfigFile::read(world)?;
    let mut watched: Vec<String> = file.words("import.watch");
    if !watched.iter().any(|name| name == agent.name()) {
        watched.push(agent.name().to_owned());
        let list = watched.into_iter().collect::<toml_edit::Array>();
        file.put("import.watch", Some(list.into()))?;
    }
    Ok(())
}

/// The word for commits.
const GIT: &str = "git";

/// Takes any word, and offers those that are known to the shell.
#[derive(Debug, Clone)]
struct SourceParser;

impl TypedValueParser for SourceParser {
    type Value = String;

    fn parse_ref(
        &self,
        command: &clap::Command,
        argument: Option<&clap::Arg>,
        value: &OsStr,
    ) -> Result<String, clap::Error> {
        clap::builder::StringValueParser::new().parse_ref(command, argument, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        let agents = OtherAgent::all().map(|agent| PossibleValue::new(agent.name()).help(agent.help()));
        let git = PossibleValue::new(GIT).help("Decisions in the messages of this project's commits");
        Some(Box::new(agents.chain([git])))
    }
}

impl Import {
    /// Has the decisions of commits wait for review.
    fn import_git(&self, world: &mut World) -> Result<Exit> {
        let mut memory = self.how.which.open(world)?;
        let import = memory.git_candidates(self.since.as_deref())?;
        let staged = match self.how.is_dry_run() {
            true => Vec::new(),
            false => memory.hold_candidates(&import.candidates, world.now)?,
        };
        if self.how.json {
            return world.answer_json(&json!({
                "memories": import.candidates,
                "known": import.known,
                "staged": staged,
                "dry_run": self.how.is_dry_run(),
            }));
        }
        let paint = world.paint;
        for candidate in &import.candidates {
            let commit = paint.quiet(&candidate.source);
            writeln!(world.stdout, "{}  {commit}", printable(&candidate.description))?;
        }
        let (found, known) = (import.candidates.len(), import.known);
        match self.how.is_dry_run() {
            true => writeln!(world.stdout, "{found} to propose, {known} known already.")?,
            false => {
                writeln!(world.stdout, "{} wait for `memdir review`, {known} known already.", staged.len())?;
            }
        }
        Ok(Exit::Yes)
    }

    fn preview(&self, planned: &Planned, world: &mut World) -> Result<Exit> {
        if self.how.json {
            return world.answer_json(&json!({
                "memories": planned.memories,
                "known": planned.known,
                "sources": planned.sources,
                "warnings": planned.plan.warnings,
                "dry_run": true,
            }));
        }
        let paint = world.paint;
        for memory in &planned.memories {
            writeln!(
                world.stdout,
                "{}  {}",
                paint.strong(&memory.name),
                paint.quiet(memory.memory_type.as_str())
            )?;
            writeln!(world.stdout, "  {}", printable(&memory.description))?;
            writeln!(world.stdout, "  {}", paint.quiet(&printable(&memory.source)))?;
        }
        if planned.sources.is_empty() {
            writeln!(world.stdout, "There is nothing of that agent here.")?;
        } else if planned.memories.is_empty() {
            writeln!(world.stdout, "Nothing to add: all of it is known.")?;
        } else {
            let known = match planned.known.len() {
                0 => String::new(),
                count => format!(", {count} known already"),
            };
            writeln!(world.stdout, "{} to add{known}.", planned.memories.len())?;
        }
        world.warn_all(&planned.plan.warnings)?;
        Ok(Exit::Yes)
    }
}
