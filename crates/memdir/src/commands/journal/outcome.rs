use std::io::Write;

use anyhow::Result;
use camino::Utf8PathBuf;
use memdir_lib::journal::{Journal, Written};
use serde::Serialize;

use crate::exit::Exit;
use crate::output::printable;
use crate::world::World;

/// Says what was written, and what did not follow.
pub(super) fn report(
    written: &Written,
    done: &str,
    journal: &Journal,
    json: bool,
    world: &mut World,
) -> Result<Exit> {
    let Written { path, warnings, followed } = written;
    let all: Vec<&String> = warnings.iter().chain(&followed.problems).collect();
    if json {
        #[derive(Serialize)]
        struct WrittenReport<'r> {
            path: Utf8PathBuf,
            file: &'r str,
            warnings: Vec<&'r String>,
            #[serde(skip_serializing_if = "Option::is_none")]
            branch_before: Option<&'r str>,
        }
        let branch_before = followed.branch_before.as_deref();
        return world.answer_json(&WrittenReport {
            path: journal.directory().join(path),
            file: path,
            warnings: all,
            branch_before,
        });
    }
    let paint = world.paint;
    writeln!(world.stdout, "{} {}", paint.good(done), paint.code(&printable(path)))?;
    if let Some(before) = &followed.branch_before {
        let line = format!("branch changed: {} → {}", printable(before), printable(journal.branch()));
        writeln!(world.stdout, "{}", paint.quiet(&line))?;
    }
    world.warn_all(all)?;
    Ok(Exit::Yes)
}
