//! Making, joining and leaving a team.

use std::io::Write;

use anyhow::Result;
use memdir_core::settings::ClientFlags;
use memdir_sync::membership::invited_to;
use memdir_sync::team::Team as Shared;
use serde::Serialize;

use super::show::Named;
use super::{name_or, open, sync_report};
use crate::exit::Exit;
use crate::output::printable;
use crate::world::World;

pub(super) fn init(
    url: &str,
    branch: &str,
    name: Option<String>,
    json: bool,
    world: &mut World,
) -> Result<Exit> {
    let name = name_or(name, world)?;
    let (team, report) =
        Shared::init(&world.env()?, &ClientFlags::default(), (url, branch), &name, world.now)?;
    if json {
        return print_team(&team, world);
    }
    let address = team.membership().settings().address();
    writeln!(world.stdout, "This project shares `team/` through {address} now; you are {name}.")?;
    if !report.is_quiet() {
        sync_report::print(&report, 0, false, false, world)?;
    }
    let invite = world.paint.code("memdir team invite");
    writeln!(world.stdout, "{invite} lets somebody in.")?;
    Ok(Exit::Yes)
}

pub(super) fn join(
    (token, local): (&str, bool),
    name: Option<String>,
    json: bool,
    world: &mut World,
) -> Result<Exit> {
    let name = name_or(name, world)?;
    let address = invited_to(token, local)?;
    let (team, report) = Shared::join(&world.env()?, &ClientFlags::default(), token, &name, world.now)?;
    if json {
        return print_team(&team, world);
    }
    writeln!(
        world.stdout,
        "This project shares `team/` through {} now; you are {name}.",
        printable(&address)
    )?;
    sync_report::print(&report, 0, false, false, world)
}

pub(super) fn invite(json: bool, world: &mut World) -> Result<Exit> {
    let token = open(world)?.membership().invite()?;
    if json {
        #[derive(Serialize)]
        struct Machine {
            invitation: String,
        }
        world.print_json(&Machine { invitation: token })?;
    } else {
        writeln!(world.stdout, "{token}")?;
        writeln!(
            world.stderr,
            "Whoever has this line can join: send it by a way that only they read. It works once."
        )?;
    }
    Ok(Exit::Yes)
}

pub(super) fn revoke(name: &str, with_data: bool, json: bool, world: &mut World) -> Result<Exit> {
    let mut team = open(world)?;
    let report =
        if with_data { team.revoke_with_data(name, world.now)? } else { team.revoke(name, world.now)? };
    sync_report::print(&report, 0, false, json, world)
}

pub(super) fn leave(json: bool, world: &mut World) -> Result<Exit> {
    let team = open(world)?;
    let untold = team.leave(world.now)?;
    if json {
        #[derive(Serialize)]
        struct Machine {
            left: bool,
            told: bool,
        }
        world.print_json(&Machine { left: true, told: untold.is_none() })?;
        return Ok(Exit::Yes);
    }
    writeln!(world.stdout, "This project shares nothing any more; the files in `team/` stay here.")?;
    if let Some(error) = untold {
        world.warn(&format!("the others could not be told: {error}"))?;
    }
    Ok(Exit::Yes)
}

fn print_team(team: &Shared, world: &mut World) -> Result<Exit> {
    world.print_json(&Named::of(team))?;
    Ok(Exit::Yes)
}
