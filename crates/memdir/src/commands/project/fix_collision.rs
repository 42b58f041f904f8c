//! `memdir project fix-collision`.

use std::io::Write;

use anyhow::Result;
use camino::Utf8PathBuf;
use memdir_core::settings::ClientFlags;
use memdir_lib::place::Place;
use memdir_lib::setup::{Mode, Setup};
use serde::Serialize;

use crate::commands::settings_diff::{Item, Words, changes_something, exit, items, print, takes_effect};
use crate::exit::Exit;
use crate::output::printable;
use crate::world::World;

pub(super) fn fix_collision(dry_run: bool, json: bool, world: &mut World) -> Result<Exit> {
    #[derive(Serialize)]
    struct Output<'o> {
        dry_run: bool,
        changed: bool,
        collides_with: &'o [Utf8PathBuf],
        shared_dir: Option<&'o Utf8PathBuf>,
        memory_dir: &'o Utf8PathBuf,
        settings: Vec<Item>,
    }
    let env = world.env()?;
    let place = Place::find(&env, &ClientFlags::default())?;
    let mode = if dry_run { Mode::DryRun } else { Mode::Do };
    let Some(fix) = Setup::begin(&env, mode)?.fix_collision(&place, mode) else {
        if json {
            let (collides_with, memory_dir) = (&place.look_up.collides_with, &place.here.memory_dir);
            let output = Output {
                dry_run,
                changed: false,
                collides_with,
                shared_dir: None,
                memory_dir,
                settings: Vec::new(),
            };
            world.print_json(&output)?;
        } else {
            let memory_dir = printable(place.here.memory_dir.as_str());
            writeln!(world.stdout, "Nothing to do: this project shares {memory_dir} with no other.")?;
        }
        return Ok(Exit::Yes);
    };
    let reports = [fix.report];
    let changed = changes_something(&reports);
    if json {
        world.print_json(&Output {
            dry_run,
            changed,
            collides_with: &place.look_up.collides_with,
            shared_dir: Some(&fix.shared),
            memory_dir: &fix.own,
            settings: items(&reports),
        })?;
        return Ok(exit(&reports));
    }
    let words = Words {
        changed: if dry_run { "would be put apart" } else { "put apart" },
        written: if dry_run { "would be written" } else { "written" },
        unchanged: "nothing to do",
        folder: "",
    };
    print(&reports, &words, world)?;
    if takes_effect(&reports) {
        let others: Vec<String> =
            place.look_up.collides_with.iter().map(|other| printable(other.as_str())).collect();
        let (root, shared) = (printable(place.here.root.as_str()), printable(fix.shared.as_str()));
        writeln!(
            world.stdout,
            "From the next session on the memory of {root} lives in {}.",
            printable(fix.own.as_str())
        )?;
        writeln!(world.stdout, "{shared} stays as it is, for {}.", others.join(", "))?;
        writeln!(
            world.stdout,
            "Nothing was copied: what there belongs to this project is yours to pick out."
        )?;
    }
    Ok(exit(&reports))
}
