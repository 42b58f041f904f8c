//! `memdir context`: every instruction file that the client loads, in its order, and why others are left out.

use std::borrow::Cow;
use std::io::Write;

use anyhow::Result;
use camino::Utf8PathBuf;
use clap::Parser;
use memdir_core::hygiene::clean;
use memdir_core::instructions::{Collected, Surroundings, collect, reading};
use memdir_disk::real_look::RealLook;
use memdir_lib::place::Place;
use memdir_lib::session_memory::more_memory;

use super::Run;
use crate::arguments::ClientOptions;
use crate::exit::Exit;
use crate::output::printable;
use crate::world::World;

/// Show every instruction that the agent is given
#[derive(Debug, Parser)]
#[command(
    name = "context",
    after_help = "Examples:
  memdir context
  memdir context --why
  memdir context --reading src/main.rs
  memdir context --json | jq -r '.files[].path'"
)]
pub(crate) struct Context {
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    /// List the files with their sizes, and say why others are left out
    #[arg(long, conflicts_with = "json")]
    why: bool,
    /// Show what reading this file would add
    #[arg(long, value_name = "FILE")]
    reading: Option<Utf8PathBuf>,
    /// As with the client's --add-dir
    #[arg(long, value_name = "DIR", help_heading = "Options of the client")]
    add_dir: Vec<Utf8PathBuf>,
    #[command(flatten)]
    client: ClientOptions,
}

impl Run for Context {
    fn run(self, world: &mut World) -> Result<Exit> {
        let env = world.env()?;
        let flags = self.client.flags();
        let mut surroundings = Surroundings::find(&env, &flags, &self.add_dir, &RealLook)?;
        if surroundings.switches.any
            && let Ok(place) = Place::find(&env, &flags)
            && place.location.enabled
        {
            surroundings.more_memory = more_memory(&env, &flags, &place.here.memory_dir);
        }
        let collected = match &self.reading {
            Some(file) => reading(&surroundings, &env.cwd.join(file), &RealLook),
            None => collect(&surroundings, &RealLook),
        };
        if self.json {
            return world.answer_json(&collected);
        }
        if self.why {
            list(&collected, world)?;
        } else {
            texts(&collected, world)?;
        }
        for warning in &collected.warnings {
            world.warn(&warning.to_string())?;
        }
        Ok(Exit::Yes)
    }
}

fn texts(collected: &Collected, world: &mut World) -> Result<()> {
    let paint = world.paint;
    for (number, file) in collected.files.iter().enumerate() {
        let gap = if number == 0 { "" } else { "\n" };
        // The number of lines tells our headings from those that a file imitates.
        let lines = count_of(file.text.lines().count(), "line");
        let heading = format!("── {} ({}), {lines}", printable(file.path.as_str()), file.label);
        let text = for_eyes(&file.text, world.terminal.stdout);
        writeln!(world.stdout, "{gap}{}\n\n{text}", paint.quiet(&heading))?;
    }
    Ok(())
}

/// The bytes that the client loads; on a terminal without what would steer it, and every line marked as quoted.
pub(super) fn for_eyes(text: &str, is_terminal: bool) -> Cow<'_, str> {
    if !is_terminal {
        return Cow::Borrowed(text);
    }
    let lines: Vec<String> = clean(text).lines().map(|line| format!("│ {line}")).collect();
    Cow::Owned(lines.join("\n"))
}

fn count_of(number: usize, unit: &str) -> String {
    if number == 1 { format!("1 {unit}") } else { format!("{number} {unit}s") }
}

fn list(collected: &Collected, world: &mut World) -> Result<()> {
    let paint = world.paint;
    for file in &collected.files {
        let from = file.parent.as_ref().map(|parent| format!("  imported by {}", printable(parent.as_str())));
        let size = paint.quiet(&format!("{:>8}", file.text.chars().count()));
        let path = paint.strong(&printable(file.path.as_str()));
        writeln!(world.stdout, "{size}  {path}  {}{}", paint.quiet(file.label), from.unwrap_or_default())?;
    }
    for left_out in &collected.left_out {
        let path = printable(left_out.path.as_str());
        writeln!(world.stdout, "{}  {path}  {}", paint.warn("left out"), left_out.reason)?;
    }
    Ok(())
}
