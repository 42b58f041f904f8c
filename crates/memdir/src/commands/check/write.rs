//! `memdir check write`: may an agent's tool touch this path without asking?

use anyhow::{Context, Result, bail};
use clap::Args;
use memdir_core::permissions::{Tool, may_touch};
use memdir_disk::real_look::RealLook;
use memdir_lib::permissions::permitted_places;
use memdir_lib::place::Place;
use serde_json::Value;

use super::verdict;
use crate::arguments::ClientOptions;
use crate::exit::Exit;
use crate::json_lines;
use crate::world::World;

/// May an agent's tool touch this path without asking?
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  memdir check write --tool Write ~/.claude/projects/-home-me-app/memory/tabs.md
  memdir check write --tool Edit --agent reviewer notes.md
  memdir check write --jsonl < questions.jsonl")]
pub(super) struct CheckWrite {
    /// The tool: Read, Write or Edit
    #[arg(long, value_name = "TOOL", required_unless_present = "jsonl")]
    tool: Option<String>,
    /// The sub-agent that wants it; without one, the main loop
    #[arg(long, value_name = "NAME")]
    agent: Option<String>,
    /// The path
    #[arg(required_unless_present = "jsonl")]
    path: Option<String>,
    /// Read `{id, tool, path, agent?}` a line from standard input, answer `{id, verdict, why}` a line
    #[arg(long, conflicts_with_all = ["tool", "agent", "path"])]
    jsonl: bool,
    #[command(flatten)]
    client: ClientOptions,
}

impl CheckWrite {
    pub(super) fn run(self, world: &mut World) -> Result<Exit> {
        let env = world.env()?;
        let place = Place::find(&env, &self.client.flags())?;
        let places = permitted_places(&place, &env);
        let answer = |tool: &str, path: &str, agent: Option<&str>| {
            let tool = Tool::from_name(tool)
                .with_context(|| format!("there is no tool `{tool}`: Read, Write or Edit"))?;
            let found = may_touch(tool, path, agent, &places, &RealLook);
            anyhow::Ok(if found.allow { Ok(found.why) } else { Err(found.why) })
        };
        if self.jsonl {
            json_lines::answer_each(world, "id", |question| {
                let agent = question.get("agent").and_then(Value::as_str);
                let (tool, path) = (json_lines::text(question, "tool")?, json_lines::text(question, "path")?);
                Ok(verdict::fields(answer(tool, path, agent)?))
            })?;
            return Ok(Exit::Yes);
        }
        let (Some(tool), Some(path)) = (&self.tool, &self.path) else {
            bail!("a tool and a path are needed")
        };
        verdict::print(answer(tool, path, self.agent.as_deref())?, world)
    }
}
