use std::io::Write;

use anyhow::Result;
use camino::Utf8Path;
use memdir_core::workspace::{Project, WorkspaceMap};
use memdir_lib::workspace::Workspace as Map;
use serde_json::json;

use super::warn_of_problems;
use crate::exit::Exit;
use crate::output::printable;
use crate::world::World;

/// The whole map, with the project in which the user is first in mind.
pub(super) fn overview(workspace: &Map, json: bool, world: &mut World) -> Result<Exit> {
    let map = workspace.map()?;
    let here = workspace.here();
    let key = workspace.key_for(here, &map);
    let registered = workspace.project_at(here, &map).is_some();
    if json {
        return world.answer_json(&json!({
            "file": workspace.file(),
            "here": {"key": key, "path": here, "registered": registered},
            "projects": map.projects,
            "relations": map.relations,
            "initiatives": map.initiatives,
            "quick_reference": map.quick_reference,
            "offers": if registered { workspace.offers(&key, here, &map) } else { Vec::new() },
            "problems": Vec::from_iter(map.problems.iter().map(ToString::to_string)),
        }));
    }
    let paint = world.paint;
    if map.projects.is_empty() {
        writeln!(world.stdout, "No project is registered in {}.", workspace.file())?;
    } else {
        projects(&map, &key, registered, world)?;
    }
    if registered {
        relations(&map, &key, world)?;
    }
    initiatives(&map, world)?;
    if registered {
        offers(workspace, &key, here, world)?;
    } else {
        writeln!(world.stdout, "\n{} registers this project.", paint.code("memdir workspace add"))?;
    }
    warn_of_problems(&map, workspace, world)?;
    Ok(Exit::Yes)
}

fn projects(map: &WorkspaceMap, key: &str, registered: bool, world: &mut World) -> Result<()> {
    let paint = world.paint;
    let width = |text: fn(&Project) -> &str, name: &str| {
        let longest = map.projects.iter().map(|project| printable(text(project)).chars().count()).max();
        longest.unwrap_or(0).max(name.len()).min(48)
    };
    let (keys, states, paths) = (
        width(|project| &project.key, "project"),
        width(|project| &project.status, "status"),
        width(|project| &project.path, "path"),
    );
    let heading = format!("  {:<keys$}  {:<states$}  {:<paths$}  description", "project", "status", "path");
    writeln!(world.stdout, "{}", paint.quiet(&heading))?;
    for project in &map.projects {
        let is_here = registered && project.key == key;
        let name = format!("{:<keys$}", printable(&project.key));
        let line = format!(
            "{} {}  {:<states$}  {:<paths$}  {}",
            if is_here { ">" } else { " " },
            if is_here { paint.good(&name) } else { paint.strong(&name) },
            printable(&project.status),
            printable(&project.path),
            printable(&project.description),
        );
        writeln!(world.stdout, "{}", line.trim_end())?;
    }
    Ok(())
}

/// The relations of a project, each on a line of its own.
pub(super) fn relations(map: &WorkspaceMap, key: &str, world: &mut World) -> Result<()> {
    let paint = world.paint;
    for (index, relation) in map.relations_of(key).into_iter().enumerate() {
        if index == 0 {
            writeln!(world.stdout)?;
        }
        let (other, how) = relation.seen_from(key);
        let note = if relation.note.is_empty() {
            String::new()
        } else {
            format!("  ({})", printable(&relation.note))
        };
        writeln!(
            world.stdout,
            "{} {} {}{}",
            paint.strong(&printable(key)),
            printable(how),
            paint.strong(&printable(other)),
            paint.quiet(&note)
        )?;
    }
    Ok(())
}

fn initiatives(map: &WorkspaceMap, world: &mut World) -> Result<()> {
    let paint = world.paint;
    if !map.initiatives.is_empty() {
        writeln!(world.stdout, "\n{}", paint.quiet("initiatives"))?;
    }
    for initiative in &map.initiatives {
        let projects = initiative.projects.join(", ");
        let mut line =
            format!("  {}  {}", paint.strong(&printable(&initiative.name)), printable(&initiative.status));
        for more in [&projects, &initiative.updated, &initiative.notes] {
            if !more.is_empty() {
                line.push_str(&format!("  {}", printable(more)));
            }
        }
        writeln!(world.stdout, "{line}")?;
    }
    Ok(())
}

/// Relations that the project's manifests speak of and the map does not know.
pub(super) fn offers(workspace: &Map, key: &str, root: &Utf8Path, world: &mut World) -> Result<()> {
    let paint = world.paint;
    let map = workspace.map()?;
    let offers = workspace.offers(key, root, &map);
    if !offers.is_empty() {
        writeln!(world.stdout)?;
    }
    for offer in offers {
        let command = format!("memdir workspace relate {} depends-on {}", offer.from, offer.to);
        writeln!(
            world.stdout,
            "{} needs {}: {}",
            offer.manifest,
            printable(&offer.dependency),
            paint.code(&printable(&command))
        )?;
    }
    Ok(())
}
