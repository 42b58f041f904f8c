//! `memdir check path`: is this a path that memory may be written to?

use std::ffi::OsString;

use anyhow::{Context, Result, bail};
use camino::{Utf8Path, Utf8PathBuf};
use clap::{Args, ValueEnum};
use memdir_core::{base64, trust};
use memdir_disk::check_path::{PathJudge, Surface as JudgedOnDisk};
use memdir_disk::platform::argument_bytes;
use serde_json::{Map, Value};

use super::verdict;
use crate::exit::Exit;
use crate::json_lines;
use crate::world::World;

/// Is this a path that memory may be written to?
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  memdir check path --root ~/notes/memory --surface local topics/tabs.md
  memdir check path --root ~/notes/memory --surface tool_path /etc/passwd
  memdir check path --root ~/notes/memory --jsonl < questions.jsonl")]
pub(super) struct CheckPath {
    /// The memory directory
    #[arg(long, value_name = "DIR")]
    root: Utf8PathBuf,
    /// Where the path comes from
    #[arg(long, value_name = "SURFACE", required_unless_present = "jsonl")]
    surface: Option<Surface>,
    /// The path
    #[arg(required_unless_present = "jsonl")]
    input: Option<OsString>,
    /// Read `{id, surface, input | input_b64}` a line from standard input, answer `{id, verdict, why}` a line
    #[arg(long, conflicts_with_all = ["surface", "input"])]
    jsonl: bool,
}

/// Where a path comes from.
#[derive(Debug, Clone, Copy, ValueEnum)]
#[value(rename_all = "snake_case")]
enum Surface {
    /// An argument of a command, relative to the root
    Local,
    /// An absolute path that an agent's tool is about to write
    ToolPath,
    /// The user's own setting of a memory directory
    Root,
    /// The same setting in a file that a repository contains
    ProjectSettings,
    /// The key of an entry of the team's memory
    TeamKey,
}

impl CheckPath {
    pub(super) fn run(self, world: &mut World) -> Result<Exit> {
        let home = world.home.clone();
        let root =
            if self.root.is_absolute() { self.root.clone() } else { world.env()?.cwd.join(&self.root) };
        let judge = PathJudge::open(&root, home.as_deref())?;
        if self.jsonl {
            json_lines::answer_each(world, "id", |question| {
                let surface = json_lines::text(question, "surface")?;
                let surface = Surface::from_str(surface, false)
                    .map_err(|_| anyhow::anyhow!("there is no surface `{surface}`"))?;
                Ok(verdict::fields(answer(surface, &input_bytes(question)?, &judge, home.as_deref())))
            })?;
            return Ok(Exit::Yes);
        }
        let (Some(surface), Some(input)) = (self.surface, self.input) else {
            bail!("a surface and a path are needed")
        };
        verdict::print(answer(surface, &argument_bytes(&input), &judge, home.as_deref()), world)
    }
}

/// The path as it would be used, or the rule that it breaks.
fn answer(
    surface: Surface,
    input: &[u8],
    judge: &PathJudge,
    home: Option<&Utf8Path>,
) -> Result<String, String> {
    let on_disk = |surface| judge.judge(surface, input).map(|path| path.to_string());
    let as_root = |surface| {
        let text = std::str::from_utf8(input).map_err(|_| "not UTF-8".to_owned())?;
        trust::judge_root(text, home, surface).map(Into::into).map_err(|refused| refused.to_string())
    };
    match surface {
        Surface::Local => on_disk(JudgedOnDisk::Local),
        Surface::ToolPath => on_disk(JudgedOnDisk::ToolPath),
        Surface::TeamKey => on_disk(JudgedOnDisk::TeamKey),
        Surface::Root => as_root(trust::RootSurface::User),
        Surface::ProjectSettings => as_root(trust::RootSurface::ProjectSettings),
    }
}

fn input_bytes(question: &Map<String, Value>) -> Result<Vec<u8>> {
    if let Some(text) = question.get("input").and_then(Value::as_str) {
        return Ok(text.as_bytes().to_vec());
    }
    let encoded = json_lines::text(question, "input_b64").context("`input` or `input_b64` is needed")?;
    base64::decode(encoded).context("`input_b64` is not base64")
}
