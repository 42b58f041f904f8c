use std::io::Write;

use anyhow::Result;
use clap::Args;
use memdir_core::journal::stamp;
use memdir_lib::journal::{Filter, Journal, JournalError};

use crate::commands::when;
use crate::exit::Exit;
use crate::output::{printable, printable_lines};
use crate::world::World;

/// The index.
#[derive(Debug, Args)]
pub(super) struct Index {
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

impl Index {
    pub(super) fn run(self, journal: &Journal, world: &mut World) -> Result<Exit> {
        let (text, index) = journal.index()?;
        for problem in &index.problems {
            world.warn(&format!("`_index.md`: {problem}"))?;
        }
        if self.json {
            world.print_json(&serde_json::json!({
                "path": journal.directory().join("_index.md"),
                "state": index.state(),
                "rows": index.rows(),
                "lookup": index.lookup_lines(),
                "problems": index.problems,
            }))?;
        } else {
            writeln!(world.stdout, "{}", printable_lines(&text))?;
        }
        Ok(Exit::Yes)
    }
}

/// One file.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  memdir journal show decisions/2026-01-19_001_use-cookies.md
  memdir journal show 2026-01-19_001
  memdir journal show blockers --json")]
pub(super) struct Show {
    /// Its path in the journal, its name, or a part of its name
    name: String,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

impl Show {
    pub(super) fn run(self, journal: &Journal, world: &mut World) -> Result<Exit> {
        let (path, text) = match journal.show(&self.name) {
            Err(error @ JournalError::NotFound { .. }) => {
                writeln!(world.stderr, "{error}")?;
                return Ok(Exit::No);
            }
            found => found?,
        };
        if self.json {
            world.print_json(&serde_json::json!({
                "path": journal.directory().join(&path), "file": path, "text": text
            }))?;
        } else {
            writeln!(world.stdout, "{}", printable_lines(&text))?;
        }
        Ok(Exit::Yes)
    }
}

/// The records.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  memdir journal list
  memdir journal list --category decision --status decided
  memdir journal list --category architecture --since 2026-01-01
  memdir journal list --since 7d --json")]
pub(super) struct List {
    /// decision, analysis, context, progress, subagent, or a decision's own category
    #[arg(long)]
    category: Option<String>,
    /// Only records since a time: 3d, yesterday, 2026-10, 2026-10-05
    #[arg(long, value_name = "TIME")]
    since: Option<String>,
    /// Only decisions that are decided, pending or superseded
    #[arg(long)]
    status: Option<String>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

impl List {
    pub(super) fn run(self, journal: &Journal, world: &mut World) -> Result<Exit> {
        let since = self.since.as_deref().map(|since| when::since(since, world).map(stamp)).transpose()?;
        let status = self.status.as_deref().map(str::to_lowercase);
        let filter = Filter { category: self.category.as_deref(), since, status: status.as_deref() };
        let items = journal.list(&filter)?;
        if self.json {
            return world.answer_json(&serde_json::json!({"items": items}));
        }
        let paint = world.paint;
        for item in &items {
            let kind = format!("{:<8}", item.row.category.to_string());
            let day = item.row.updated.get(..10).unwrap_or_default();
            let status = match item.status.as_deref() {
                Some("decided") | None => String::new(),
                Some(status) => format!(" {}", paint.warn(&format!("[{}]", printable(status)))),
            };
            writeln!(
                world.stdout,
                "{} {} {}{status}  {}",
                paint.quiet(day),
                paint.quiet(&kind),
                paint.strong(&printable(&item.title)),
                paint.code(&printable(&item.row.file)),
            )?;
        }
        if items.is_empty() {
            writeln!(world.stderr, "No record matches.")?;
        }
        Ok(Exit::Yes)
    }
}
