//! `memdir agent`: custom agents, their memory, their tools and snapshots.

use std::io::Write;

use anyhow::Result;
use camino::Utf8PathBuf;
use clap::{Parser, Subcommand};
use memdir_core::agents::{AgentName, Home, Scope};
use memdir_lib::agents::Agents;
use serde::Serialize;
use serde_json::json;

use super::Run;
use super::prompt::{definition, print_section, scope_of};
use crate::arguments::ClientOptions;
use crate::exit::Exit;
use crate::output::printable;
use crate::world::World;

mod snapshot;

/// Show custom agents, their memory and snapshots
#[derive(Debug, Parser)]
#[command(
    name = "agent",
    arg_required_else_help = true,
    after_help = "Agents are defined by `.claude/agents/*.md` of the project and `agents/*.md` of the user, by `agents` in a settings file,
by the JSON of the client's `--agents`, and by plugins that are on (their names begin with the plugin's: `tools:reviewer`).

Examples:
  memdir agent ls
  memdir agent path reviewer
  memdir agent prompt reviewer
  memdir agent tools reviewer --json
  memdir agent --agents '{\"helper\": {\"description\": \"helps\", \"prompt\": \"Help.\", \"memory\": \"user\"}}' path helper
  memdir agent snapshot status reviewer"
)]
pub(crate) struct Agent {
    #[command(subcommand)]
    action: Action,
    #[command(flatten)]
    client: ClientOptions,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// List the agents that are defined here
    #[command(after_help = "Examples:\n  memdir agent ls\n  memdir agent ls --json")]
    Ls {
        /// Print one JSON object
        #[arg(long)]
        json: bool,
    },
    /// Print where an agent keeps its memory
    #[command(
        after_help = "Examples:\n  memdir agent path reviewer\n  memdir agent path reviewer --scope local"
    )]
    Path(One),
    /// Print what an agent is told: its own prompt, and the section about its memory
    #[command(
        after_help = "Examples:\n  memdir agent prompt reviewer\n  memdir agent prompt reviewer --scope user"
    )]
    Prompt(One),
    /// Print the tools that an agent gets, those included that its memory brings
    #[command(after_help = "Examples:\n  memdir agent tools reviewer")]
    Tools {
        /// The agent
        name: String,
        /// Print one JSON object
        #[arg(long)]
        json: bool,
    },
    /// Hand an agent's memory to everybody who has the project, or take it over
    Snapshot(snapshot::Snapshot),
}

#[derive(Debug, clap::Args)]
struct One {
    /// The agent
    name: String,
    /// Whose memory: user, project or local; the agent's definition says if this does not
    #[arg(long, value_name = "SCOPE")]
    scope: Option<Scope>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

impl Run for Agent {
    fn run(self, world: &mut World) -> Result<Exit> {
        let agents = Agents::open(&world.env()?, &self.client.flags())?;
        match self.action {
            Action::Ls { json } => list(&agents, json, world),
            Action::Path(one) => path(&agents, &one, world),
            Action::Prompt(one) => prompt(&agents, &one, world),
            Action::Tools { name, json } => tools(&agents, &name, json, world),
            Action::Snapshot(snapshot) => snapshot.run(&agents, world),
        }
    }
}

/// One agent as `ls --json` prints it.
#[derive(Serialize)]
struct Item<'a> {
    name: &'a str,
    description: &'a str,
    source: Home,
    path: &'a Utf8PathBuf,
    memory: Option<Scope>,
    memory_dir: Option<Utf8PathBuf>,
    tools: Option<Vec<String>>,
}

fn list(agents: &Agents, json: bool, world: &mut World) -> Result<Exit> {
    let found = agents.find();
    let enabled = agents.location().enabled;
    let items: Vec<Item<'_>> = found
        .agents
        .iter()
        .map(|(source, agent)| {
            let memory = agent.memory_while(enabled);
            Item {
                name: agent.name.as_str(),
                description: &agent.description,
                source: *source,
                path: &agent.path,
                memory,
                memory_dir: memory.map(|scope| agents.memory_dir(&agent.name, scope)),
                tools: agent.resolve_tools(enabled).tools,
            }
        })
        .collect();
    if json {
        return world.answer_json(&json!({"items": items, "warnings": found.warnings}));
    }
    let width = items.iter().map(|item| printable(item.name).chars().count()).max().unwrap_or(0).min(40);
    let paint = world.paint;
    for item in items {
        let name = paint.strong(&format!("{:width$}", printable(item.name)));
        let memory = paint.quiet(&format!("{:7}", item.memory.map_or("-", Scope::as_str)));
        let description = printable(item.description.lines().next().unwrap_or_default());
        writeln!(world.stdout, "{name}  {memory}  {description}")?;
    }
    world.stdout.flush()?;
    world.warn_all(&found.warnings)?;
    Ok(Exit::Yes)
}

fn path(agents: &Agents, one: &One, world: &mut World) -> Result<Exit> {
    let name = AgentName::parse(&one.name)?;
    let scope = scope(agents, one, &name)?;
    let memory_dir = agents.memory_dir(&name, scope);
    if one.json {
        return world.answer_json(&json!({
            "name": name.as_str(),
            "scope": scope,
            "memory_dir": memory_dir,
            "enabled": agents.location().enabled,
            "warnings": Vec::from_iter(name.warning()),
        }));
    }
    writeln!(world.stdout, "{}", printable(memory_dir.as_str()))?;
    world.stdout.flush()?;
    if let Some(warning) = name.warning() {
        world.warn(&warning)?;
    }
    if !agents.location().enabled {
        world.warn(&format!("memory is off ({}), so the agent has none", agents.location().decided_by))?;
    }
    Ok(Exit::Yes)
}

fn prompt(agents: &Agents, one: &One, world: &mut World) -> Result<Exit> {
    let name = AgentName::parse(&one.name)?;
    let definition = match one.scope {
        Some(_) => agents.get(name.as_str()).map(|(_, definition)| definition),
        None => Some(definition(agents, &name)?),
    };
    let scope = one.scope.or(definition.as_ref().and_then(|definition| definition.memory));
    let section = match scope {
        Some(scope) => agents.section(&name, scope, &[], world.now)?,
        None => None,
    };
    let mut parts: Vec<String> = definition.into_iter().map(|definition| definition.body).collect();
    if let Some(section) = section {
        world.warn_all(&section.warnings)?;
        parts.push(section.text);
    }
    parts.retain(|part| !part.is_empty());
    let text = (!parts.is_empty()).then(|| parts.join("\n\n"));
    print_section(one.json, text, agents.location(), world)
}

fn tools(agents: &Agents, name: &str, json: bool, world: &mut World) -> Result<Exit> {
    let name = AgentName::parse(name)?;
    let tools = definition(agents, &name)?.resolve_tools(agents.location().enabled);
    if json {
        return world.answer_json(&tools);
    }
    match &tools.tools {
        Some(tools) => {
            for tool in tools {
                writeln!(world.stdout, "{}", printable(tool))?;
            }
        }
        None => writeln!(world.stdout, "*")?,
    }
    world.stdout.flush()?;
    let paint = world.paint;
    if !tools.added.is_empty() {
        writeln!(
            world.stderr,
            "{}",
            paint.quiet(&format!("added for its memory: {}", tools.added.join(", ")))
        )?;
    }
    if !tools.denied.is_empty() {
        let denied = printable(&tools.denied.join(", "));
        writeln!(world.stderr, "{}", paint.quiet(&format!("denied by its definition: {denied}")))?;
    }
    Ok(Exit::Yes)
}

fn scope(agents: &Agents, one: &One, name: &AgentName) -> Result<Scope> {
    match one.scope {
        Some(scope) => Ok(scope),
        None => scope_of(agents, name),
    }
}
