//! `memdir verify`: whether what memories say about the project is still so.

use std::io::Write;

use anyhow::Result;
use camino::Utf8PathBuf;
use clap::Parser;
use memdir_core::verify::{Freshness, Verified};
use memdir_lib::memory::{MemoryError, VerifiedMemory};
use serde::Serialize;
use serde_json::json;

use super::Run;
use super::memory::Which;
use crate::exit::Exit;
use crate::output::{Paint, printable};
use crate::report::answer_no;
use crate::world::World;

/// Check what memories cite against the project
#[derive(Debug, Parser)]
#[command(
    name = "verify",
    after_help = "Looks up the files, line numbers, symbols and commands in backticks, and the links to other memories.
What cannot be decided (other people's code, a project too large to read) is left out.

Exits with 1 if something that a memory cites has changed or is gone.

Examples:
  memdir verify
  memdir verify prices
  memdir verify --json | jq '.items[] | select(.freshness != \"fresh\")'"
)]
pub(crate) struct Verify {
    /// Only this memory: its name, its file's stem, or its path in the directory
    name: Option<String>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    which: Which,
}

#[derive(Serialize)]
struct Item {
    name: String,
    path: Utf8PathBuf,
    freshness: Freshness,
    citations: Vec<ItemCitation>,
}

#[derive(Serialize)]
struct ItemCitation {
    kind: &'static str,
    cited: String,
    line: usize,
    freshness: Freshness,
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<String>,
}

impl Run for Verify {
    fn run(self, world: &mut World) -> Result<Exit> {
        let memory = self.which.open(world)?;
        let catalogue = memory.catalogue()?;
        let verified = match &self.name {
            Some(name) => match catalogue.find(name, &memory) {
                Ok(entry) => memory.verify(std::slice::from_ref(entry), &catalogue)?,
                Err(error @ MemoryError::NotFound { .. }) => {
                    return Ok(answer_no(&error.into(), world));
                }
                Err(error) => return Err(error.into()),
            },
            None => memory.verify(&catalogue.entries, &catalogue)?,
        };
        for entry in catalogue.entries.iter().filter(|entry| entry.is_too_large()) {
            world.warn(&format!("`{}` is too large to be read, and was not verified", entry.path))?;
        }
        memory.remember_freshness(&verified, &catalogue, world.now);
        let all_fresh = verified.iter().all(|memory| memory.freshness() == Freshness::Fresh);
        if self.json {
            let items: Vec<Item> =
                verified.into_iter().map(|found| item(found, memory.directory())).collect();
            world.print_json(&json!({"items": items}))?;
        } else {
            for found in &verified {
                print(found, self.name.is_some(), world)?;
            }
        }
        Ok(if all_fresh { Exit::Yes } else { Exit::No })
    }
}

fn item(found: VerifiedMemory, directory: &camino::Utf8Path) -> Item {
    Item {
        freshness: found.freshness(),
        path: directory.join(found.path.as_path()),
        name: found.title,
        citations: found.citations.into_iter().map(citation).collect(),
    }
}

fn citation(found: Verified) -> ItemCitation {
    ItemCitation {
        kind: found.citation.cited.kind(),
        cited: found.citation.cited.to_string(),
        line: found.citation.line,
        freshness: found.freshness,
        why: found.why,
    }
}

/// A line for the memory, and one for everything that is not fresh; for a single memory one for everything.
fn print(found: &VerifiedMemory, whole: bool, world: &mut World) -> Result<()> {
    let paint = world.paint;
    let count = |freshness| found.citations.iter().filter(|cited| cited.freshness == freshness).count();
    let counts: Vec<String> = [Freshness::Fresh, Freshness::Changed, Freshness::Gone]
        .into_iter()
        .filter(|freshness| count(*freshness) > 0)
        .map(|freshness| format!("{} {}", count(freshness), freshness.as_str()))
        .collect();
    let counts =
        if counts.is_empty() { "cites nothing that can be looked up".to_owned() } else { counts.join(", ") };
    writeln!(world.stdout, "{}  {}", paint.strong(&printable(&found.title)), paint.quiet(&counts))?;
    for cited in found.citations.iter().filter(|cited| whole || cited.freshness != Freshness::Fresh) {
        let why = cited.why.as_deref().map(|why| format!("  {}", printable(why))).unwrap_or_default();
        let line = paint.quiet(&format!("line {}", cited.citation.line));
        let text = printable(&cited.citation.cited.to_string());
        writeln!(world.stdout, "  {}  {text}  {line}{why}", mark(cited.freshness, paint))?;
    }
    Ok(())
}

/// How fresh something is, in the colour of it.
fn mark(freshness: Freshness, paint: Paint) -> String {
    let word = format!("{:<7}", freshness.as_str());
    match freshness {
        Freshness::Fresh => paint.good(&word),
        Freshness::Changed => paint.warn(&word),
        Freshness::Gone => paint.bad(&word),
    }
}
