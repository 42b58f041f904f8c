use std::io::Write;

use anyhow::Result;
use camino::Utf8PathBuf;
use clap::Args;
use memdir_lib::journal::{Journal, Migration, MigrationAction};
use serde::Serialize;

use super::as_writer;
use crate::exit::Exit;
use crate::output::printable;
use crate::world::World;

/// Old journals.
#[derive(Debug, Args)]
#[command(
    after_help = "Without --apply it only says what it would do. The old directory stays until --delete removes what was brought over and
verified.

Examples:
  memdir journal migrate
  memdir journal migrate --apply
  memdir journal migrate --apply --delete
  memdir journal migrate --from ~/old/app/.claude/memory"
)]
pub(super) struct Migrate {
    /// The old directory, instead of `.claude/memory` in the project
    #[arg(long, value_name = "DIR")]
    from: Option<Utf8PathBuf>,
    /// Do it
    #[arg(long)]
    apply: bool,
    /// Afterwards remove the old files that were brought over
    #[arg(long, requires = "apply")]
    delete: bool,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct MigrationReport<'r> {
    #[serde(flatten)]
    migration: Option<&'r Migration>,
    applied: bool,
    kept: &'r [String],
    warnings: &'r [String],
}

impl Migrate {
    pub(super) fn run(self, journal: &mut Journal, world: &mut World) -> Result<Exit> {
        let migration = journal.plan_migration(self.from.as_deref())?;
        let (mut kept, mut warnings) = (Vec::new(), Vec::new());
        if let Some(migration) = migration.as_ref().filter(|_| self.apply) {
            warnings = as_writer(world, |writer| journal.migrate(migration, writer))?.problems;
            if self.delete {
                kept = journal.delete_migrated(migration)?;
            }
        }
        if self.json {
            let applied = self.apply && migration.is_some();
            return world.answer_json(&MigrationReport {
                migration: migration.as_ref(),
                applied,
                kept: &kept,
                warnings: &warnings,
            });
        }
        let Some(migration) = migration else {
            writeln!(world.stdout, "There is no old journal to bring over.")?;
            return Ok(Exit::Yes);
        };
        let paint = world.paint;
        for step in &migration.steps {
            let verb = match (step.action, self.apply) {
                (MigrationAction::Copy, true) => "copied",
                (MigrationAction::Copy, false) => "would copy",
                (MigrationAction::KeepBoth, true) => "copied beside",
                (MigrationAction::KeepBoth, false) => "would copy beside",
                (MigrationAction::Same, _) => "is there already",
                (MigrationAction::Merge, true) => "taken over",
                (MigrationAction::Merge, false) => "would take over",
            };
            writeln!(world.stdout, "{} {}", paint.quiet(&format!("{verb:<17}")), printable(&step.to))?;
        }
        for left in &migration.left {
            writeln!(world.stdout, "{} {}", paint.quiet(&format!("{:<17}", "stays")), printable(left))?;
        }
        for path in &kept {
            world.warn(&format!("`{path}` was changed since and stays in the old directory"))?;
        }
        world.warn_all(&warnings)?;
        let (from, to) = (printable(migration.from.as_str()), printable(journal.directory().as_str()));
        if self.apply {
            writeln!(world.stdout, "The journal from {} is in {} now.", paint.code(&from), paint.code(&to))?;
        } else {
            writeln!(
                world.stdout,
                "Nothing is changed yet; {} brings it to {}.",
                paint.code("memdir journal migrate --apply"),
                paint.code(&to)
            )?;
        }
        Ok(Exit::Yes)
    }
}
