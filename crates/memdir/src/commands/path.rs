//! `memdir path`: where this project's memory is, which rule decided, and whether we would write there.

use std::ffi::OsString;
use std::io::Write;

use anyhow::Result;
use camino::Utf8PathBuf;
use clap::{Parser, Subcommand};
use memdir_core::env;
use memdir_core::operation::StoreId;
use memdir_core::project::encode_path::{Scheme, encode_with};
use memdir_core::rel_path::ENTRYPOINT;
use memdir_lib::place::Place;
use serde::Serialize;

use super::Run;
use crate::arguments::ClientOptions;
use crate::exit::Exit;
use crate::output::printable;
use crate::world::World;

/// Show where this project's memory is, and why
#[derive(Debug, Parser)]
#[command(
    name = "path",
    after_help = "Standard output is the directory alone; the reasons go to standard error.

Examples:
  memdir path
  cd \"$(memdir path)\"
  memdir path --json
  memdir path encode /home/me/my_project"
)]
pub(crate) struct Path {
    #[command(subcommand)]
    action: Option<Action>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    client: ClientOptions,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Print the name of the directory that a path gets below `projects/`
    #[command(after_help = "Examples:
  memdir path encode /home/me/my_project
  memdir path encode --scheme observed-89 /home/me/my.project")]
    Encode {
        /// How versions of the client have encoded: current, cwd or observed-89
        #[arg(long, default_value = "current")]
        scheme: Scheme,
        /// The path, as it is
        path: OsString,
    },
}

impl Run for Path {
    fn run(self, world: &mut World) -> Result<Exit> {
        if let Some(Action::Encode { scheme, path }) = self.action {
            writeln!(world.stdout, "{}", encode_with(scheme, &path.to_string_lossy()))?;
            return Ok(Exit::Yes);
        }
        let answer = PathAnswer::find(&self.client, world)?;
        if self.json {
            world.print_json(&answer)?;
        } else {
            answer.explain(world)?;
        }
        Ok(Exit::Yes)
    }
}

/// The answer, as `--json` prints it.
#[derive(Debug, Serialize)]
struct PathAnswer {
    enabled: bool,
    decided_by: String,
    memory_dir: Utf8PathBuf,
    entrypoint: Utf8PathBuf,
    project_dir: Utf8PathBuf,
    root: Utf8PathBuf,
    slug: String,
    source: String,
    trusted: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    store: Option<StoreId>,
    warnings: Vec<String>,
}

impl PathAnswer {
    fn find(client: &ClientOptions, world: &World) -> Result<Self> {
        let place = Place::find(&world.env()?, &client.flags())?;
        let warnings = place.warnings();
        let location = place.location;
        Ok(Self {
            enabled: location.enabled,
            trusted: location.trusted(),
            source: location.source.to_string(),
            decided_by: location.decided_by,
            entrypoint: location.memory_dir.join(ENTRYPOINT),
            memory_dir: location.memory_dir,
            project_dir: location.project_dir,
            root: location.root,
            slug: location.slug,
            store: place.look_up.store,
            warnings,
        })
    }

    fn explain(&self, world: &mut World) -> Result<()> {
        let paint = world.paint;
        writeln!(world.stdout, "{}", printable(self.memory_dir.as_str()))?;
        let state = if self.enabled { paint.good("on") } else { paint.warn("off") };
        let (writes, why_not) = match (self.enabled, self.trusted) {
            (false, _) => (paint.warn("no, agents' memory is off"), self.decided_by.as_str()),
            (true, false) => (paint.warn("no"), ""),
            (true, true) => (paint.good("yes"), ""),
        };
        let rows = [
            ("memory", state, self.decided_by.as_str()),
            ("directory", chosen_by(&self.source), self.source.as_str()),
            ("project", self.root.to_string(), ""),
            ("would write", writes, why_not),
        ];
        // The data first: both streams often share one terminal.
        world.stdout.flush()?;
        for (name, value, why) in rows {
            let why = if why.is_empty() { String::new() } else { paint.quiet(&format!("  ({why})")) };
            writeln!(world.stderr, "  {}  {}{why}", paint.quiet(&format!("{name:<11}")), printable(&value))?;
        }
        world.warn_all(&self.warnings)?;
        Ok(())
    }
}

/// The rule that chose the directory, in words.
fn chosen_by(source: &str) -> String {
    match source.split_once(':') {
        Some(("settings", level)) => format!("named by autoMemoryDirectory in the {level} settings"),
        _ if source == "override" => format!("named by {}", env::MEMORY_PATH_OVERRIDE),
        _ if source == "remote" => format!("below {}", env::REMOTE_MEMORY_DIR),
        _ => "the usual place".to_owned(),
    }
}
