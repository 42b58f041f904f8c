//! `memdir prompt`: what an agent is told about its memory, and all that it is told at a turn.

use std::io::Write;

use anyhow::{Context, Result, anyhow};
use clap::{Parser, ValueEnum};
use memdir_core::agents::{AgentDefinition, AgentName, Scope};
use memdir_core::locate::Location;
use memdir_core::prompt::{Form, Part, Profile, PromptSession, Size, Turn};
use memdir_lib::agents::Agents;
use memdir_lib::turn::TurnSource;
use serde::Serialize;

use super::Run;
use super::context::for_eyes;
use crate::arguments::ClientOptions;
use crate::exit::Exit;
use crate::report::WithHint;
use crate::world::World;

/// Print what an agent is told about its memory
#[derive(Debug, Parser)]
#[command(
    name = "prompt",
    after_help = "Nothing is printed while memory is off; `memdir path` says which rule switched it off.

Examples:
  memdir prompt
  memdir prompt --short --profile seed
  memdir prompt --agent reviewer --scope user
  memdir prompt --assemble
  memdir prompt --assemble --json"
)]
pub(crate) struct Prompt {
    /// Explain everything (the default, unless `simple_prompt` is set)
    #[arg(long, conflicts_with = "short")]
    long: bool,
    /// Only the rules, for models that know the rest
    #[arg(long)]
    short: bool,
    /// Where the index is: the last instruction (current), or inside the section (seed)
    #[arg(long, value_name = "NAME", default_value = "current")]
    profile: ProfileName,
    /// The section of a custom agent instead
    #[arg(long, value_name = "NAME", conflicts_with_all = ["long", "short", "assemble"])]
    agent: Option<String>,
    /// Whose memory of the agent: user, project or local; its definition says if this does not
    #[arg(long, value_name = "SCOPE", requires = "agent")]
    scope: Option<Scope>,
    /// Everything that one turn is told, with the size of each part
    #[arg(long)]
    assemble: bool,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    client: ClientOptions,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum ProfileName {
    Current,
    Seed,
}

impl Run for Prompt {
    fn run(self, world: &mut World) -> Result<Exit> {
        if let Some(name) = &self.agent {
            return self.agent_section(name, world);
        }
        let form = match (self.long, self.short) {
            (true, _) => Some(Form::Long),
            (_, true) => Some(Form::Short),
            _ => None,
        };
        let profile = match self.profile {
            ProfileName::Current => Profile::Current,
            ProfileName::Seed => Profile::Seed,
        };
        let source = TurnSource::open(world.env()?, self.client.flags(), form, profile)?.at(world.now);
        if self.assemble {
            let turn = PromptSession::new(profile).turn(|id| source.text(id));
            if self.json {
                world.print_json(&Assembled { profile, parts: &turn.parts, size: turn.size() })?;
            } else {
                show(&turn, world)?;
            }
            return say_warnings(&source, world);
        }
        let text = source.auto_memory();
        say_warnings(&source, world)?;
        print_section(self.json, text, source.location(), world)
    }
}

fn say_warnings(source: &TurnSource<'_>, world: &mut World) -> Result<Exit> {
    world.warn_all(source.warnings())?;
    Ok(Exit::Yes)
}

impl Prompt {
    fn agent_section(&self, name: &str, world: &mut World) -> Result<Exit> {
        let agents = Agents::open(&world.env()?, &self.client.flags())?;
        let name = AgentName::parse(name)?;
        let scope = match self.scope {
            Some(scope) => scope,
            None => scope_of(&agents, &name)?,
        };
        let section = agents.section(&name, scope, &[], world.now)?;
        let text = match section {
            Some(section) => {
                world.warn_all(&section.warnings)?;
                Some(section.text)
            }
            None => None,
        };
        print_section(self.json, text, agents.location(), world)
    }
}

/// The definition of an agent.
pub(super) fn definition(agents: &Agents, name: &AgentName) -> Result<AgentDefinition> {
    let found = agents.get(name.as_str()).map(|(_, definition)| definition);
    found
        .ok_or_else(|| anyhow!("no agent is called `{name}` here"))
        .hint("`memdir agent ls` lists the agents; with `--scope`, memory of any name can be asked for")
}

/// The scope that an agent's definition gives its memory.
pub(super) fn scope_of(agents: &Agents, name: &AgentName) -> Result<Scope> {
    let definition = definition(agents, name)?;
    definition
        .memory
        .with_context(|| format!("the agent `{name}` has no memory: `{}` names no scope", definition.path))
        .hint("`--scope user|project|local` asks for it all the same")
}

/// A section as `--json` prints it.
#[derive(Serialize)]
struct Printed<'a> {
    enabled: bool,
    decided_by: &'a str,
    text: &'a str,
    #[serde(flatten)]
    size: Size,
}

pub(super) fn print_section(
    json: bool,
    text: Option<String>,
    location: &Location,
    world: &mut World,
) -> Result<Exit> {
    let shown = text.as_deref().unwrap_or_default();
    if json {
        let Location { enabled, decided_by, .. } = location;
        world.print_json(&Printed { enabled: *enabled, decided_by, text: shown, size: Size::of(shown) })?;
    } else if text.is_some() {
        writeln!(world.stdout, "{shown}")?;
    } else {
        world.warn(&format!(
            "memory is off ({}), so an agent is told nothing about it",
            location.decided_by
        ))?;
    }
    Ok(Exit::Yes)
}

/// A turn as `--json` prints it.
#[derive(Serialize)]
struct Assembled<'a> {
    profile: Profile,
    parts: &'a [Part],
    #[serde(flatten)]
    size: Size,
}

fn show(turn: &Turn, world: &mut World) -> Result<()> {
    let paint = world.paint;
    for Part { component, size, text } in &turn.parts {
        let name = serde_json::to_value(component.id)?;
        let name = name.as_str().unwrap_or_default();
        let kind = if component.refresh.is_volatile() { "volatile" } else { "static" };
        let head =
            format!("──── {name}: {kind}, {}, about {} tokens", characters(size.characters), size.tokens);
        let text = for_eyes(text, world.terminal.stdout);
        writeln!(world.stdout, "{}\n\n{text}\n", paint.strong(&head))?;
    }
    let Size { characters: all, tokens } = turn.size();
    let total = format!("──── total: {}, about {tokens} tokens", characters(all));
    writeln!(world.stdout, "{}", paint.strong(&total))?;
    Ok(())
}

fn characters(count: usize) -> String {
    if count == 1 { "1 character".to_owned() } else { format!("{count} characters") }
}
