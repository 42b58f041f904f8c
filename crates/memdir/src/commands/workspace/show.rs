use std::io::Write;

use anyhow::Result;
use memdir_core::workspace::{Initiative, Project, Relation};
use memdir_lib::workspace::Workspace as Map;
use serde::Serialize;

use super::{overview, warn_of_problems};
use crate::exit::Exit;
use crate::output::{printable, printable_lines};
use crate::world::World;

/// One project, and the index of its journal.
pub(super) fn show(workspace: &Map, name: &str, json: bool, world: &mut World) -> Result<Exit> {
    let map = workspace.map()?;
    let key = if name == "." { workspace.key_for(workspace.here(), &map) } else { name.to_owned() };
    let Some(project) = map.project(&key) else {
        writeln!(world.stderr, "no project `{}` is registered", printable(&key))?;
        writeln!(world.stderr, "hint: `memdir workspace` shows those that are")?;
        return Ok(Exit::No);
    };
    let index = workspace.journal_index(&project.key)?;
    if json {
        #[derive(Serialize)]
        struct Shown<'s> {
            #[serde(flatten)]
            project: &'s Project,
            relations: Vec<&'s Relation>,
            initiatives: Vec<&'s Initiative>,
            index: Option<&'s str>,
        }
        return world.answer_json(&Shown {
            project,
            relations: map.relations_of(&project.key),
            initiatives: map.initiatives_of(&project.key),
            index: index.as_deref(),
        });
    }
    let paint = world.paint;
    let rows = [("path", &project.path), ("status", &project.status), ("about", &project.description)];
    writeln!(world.stdout, "{}", paint.strong(&printable(&project.key)))?;
    for (name, value) in rows.into_iter().filter(|(_, value)| !value.is_empty()) {
        writeln!(world.stdout, "{} {}", paint.quiet(&format!("{name:<9}")), printable(value))?;
    }
    for initiative in map.initiatives_of(&project.key) {
        let line = format!("{} ({})", initiative.name, initiative.status);
        writeln!(world.stdout, "{} {}", paint.quiet("part of  "), printable(&line))?;
    }
    overview::relations(&map, &project.key, world)?;
    match index {
        Some(index) => writeln!(world.stdout, "\n{}", printable_lines(&index))?,
        None => writeln!(world.stdout, "\nIt keeps no journal.")?,
    }
    warn_of_problems(&map, workspace, world)?;
    Ok(Exit::Yes)
}
