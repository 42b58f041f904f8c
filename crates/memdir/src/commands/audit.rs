//! `memdir audit`: secrets that are stored already.

use std::io::Write;

use anyhow::{Context, Result};
use camino::Utf8PathBuf;
use clap::Parser;
use memdir_core::secrets::Fingerprint;
use memdir_core::settings::ClientFlags;
use memdir_disk::allow_list;
use memdir_lib::audit::audit;
use memdir_lib::memory::MemoryError;
use memdir_lib::place::Place;
use serde::Serialize;
use serde_json::json;

use super::Run;
use crate::exit::Exit;
use crate::output::printable;
use crate::world::World;

/// Find secrets that are stored in memory, journal and history
#[derive(Debug, Parser)]
#[command(
    name = "audit",
    after_help = "The value itself is never printed. Exits with 1 if something was found.

Examples:
  memdir audit
  memdir audit --json
  memdir audit --allow 0123456789abcdef0123456789abcdef"
)]
pub(crate) struct Audit {
    /// Declare the value with this fingerprint harmless
    #[arg(long, value_name = "FINGERPRINT")]
    allow: Vec<String>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Item {
    path: Utf8PathBuf,
    op: Option<String>,
    line: usize,
    column: usize,
    rule: &'static str,
    fingerprint: String,
}

impl Run for Audit {
    fn run(self, world: &mut World) -> Result<Exit> {
        let env = world.env()?;
        let place = Place::find(&env, &ClientFlags::default())?;
        for written in &self.allow {
            let fingerprint = Fingerprint::from_hex(written)
                .with_context(|| format!("`{written}` is not a fingerprint: it has 32 hexadecimal digits"))?;
            allow_list::allow(&env.state_dir().ok_or(MemoryError::NoStateDir)?, fingerprint)?;
        }
        let found = audit(&place, &env)?;
        let exit = if found.stored.is_empty() { Exit::Yes } else { Exit::No };
        let items: Vec<Item> = found
            .stored
            .iter()
            .map(|stored| Item {
                path: stored.path.clone(),
                op: stored.operation.as_ref().map(ToString::to_string),
                line: stored.line,
                column: stored.column,
                rule: stored.rule,
                fingerprint: stored.fingerprint.to_string(),
            })
            .collect();
        if self.json {
            world.print_json(&json!({
                "items": items,
                "files": found.files,
                "versions": found.versions,
                "problems": found.problems,
            }))?;
            return Ok(exit);
        }
        let paint = world.paint;
        for item in &items {
            let place = format!("{}:{}:{}", printable(item.path.as_str()), item.line, item.column);
            let past = item.op.as_ref().map(|op| format!("  in history, operation {op}")).unwrap_or_default();
            writeln!(
                world.stdout,
                "{place}  {}{}  {}",
                paint.bad(item.rule),
                paint.warn(&past),
                paint.quiet(&item.fingerprint)
            )?;
        }
        world.warn_all(&found.problems)?;
        let looked = format!("Looked at {} files and {} old versions.", found.files, found.versions);
        writeln!(world.stderr, "{}", paint.quiet(&looked))?;
        Ok(exit)
    }
}
