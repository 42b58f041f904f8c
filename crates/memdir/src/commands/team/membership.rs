//! Making, joining and leaving a team.

use std::io::Write;

use anyhow::Result;
use memdir_core::settings::ClientFlags;
use memdir_sync::membership::{Left, invited_to};
use memdir_sync::remote::git::is_local;
use memdir_sync::team::Team as Shared;
use serde::Serialize;
use serde_json::json;

use super::show::Named;
use super::{name_or, open, sync_report};
use crate::commands::ask::confirm;
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
    let settings = team.membership().settings();
    let (address, name) = (settings.address(), settings.name());
    writeln!(world.stdout, "This project shares `team/` through {address} now; you are {name}.")?;
    if !report.is_quiet() {
        sync_report::print(&report, 0, false, false, world)?;
    }
    let invite = world.paint.code("memdir team invite");
    writeln!(world.stdout, "{invite} invites a team mate.")?;
    Ok(Exit::Yes)
}

pub(super) fn join(
    (token, local): (&str, bool),
    name: Option<String>,
    json: bool,
    world: &mut World,
) -> Result<Exit> {
    let address = invited_to(token, local)?;
    let name = name_or(name, world)?;
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
    let team = open(world)?;
    let token = team.membership().invite()?;
    let local = if is_local(&team.membership().settings().address()) { " --local" } else { "" };
    if json {
        return world.answer_json(&json!({
            "join": format!("memdir team join '{token}' --name NAME{local}"),
            "invitation": token,
        }));
    }
    writeln!(world.stdout, "{token}")?;
    writeln!(world.stderr, "This line lets one person join: send it on a private channel. It works once.")?;
    let join = world.paint.code(&format!("memdir team join 'LINE' --name NAME{local}"));
    writeln!(world.stderr, "In their clone of the project they say {join}.")?;
    Ok(Exit::Yes)
}

pub(super) fn token(
    name: &str,
    (read_only, days): (bool, i64),
    json: bool,
    world: &mut World,
) -> Result<Exit> {
    let mut team = open(world)?;
    let token = team.session_token(name, (read_only, days), world.now)?;
    if json {
        #[derive(Serialize)]
        struct Machine<'t> {
            token: String,
            name: &'t str,
            read_only: bool,
            days: i64,
        }
        world.print_json(&Machine { token, name, read_only, days })?;
        return Ok(Exit::Yes);
    }
    writeln!(world.stdout, "{token}")?;
    let end = world.paint.code(&format!("memdir team members --revoke {}", printable(name)));
    let ends = if days == 1 { "in one day".to_owned() } else { format!("in {days} days") };
    writeln!(
        world.stderr,
        "Set it as MEMDIR_TEAM_TOKEN where the session runs. It ends {ends}, or with {end}."
    )?;
    Ok(Exit::Yes)
}

/// Ends a session that a token let in.
fn end_session(team: Shared, json: bool, world: &mut World) -> Result<Exit> {
    let ended = team.end_session(world.now)?;
    if json {
        #[derive(Serialize)]
        struct Machine {
            left: bool,
            unsent: Vec<String>,
        }
        world.print_json(&Machine { left: true, unsent: ended.kept })?;
        return Ok(Exit::Yes);
    }
    writeln!(world.stdout, "The team's memory is removed from this machine; the token works until it ends.")?;
    warn_of_paths(&ended.kept, world)?;
    Ok(Exit::Yes)
}

pub(super) fn revoke(name: &str, with_data: bool, yes: bool, json: bool, world: &mut World) -> Result<Exit> {
    let mut team = open(world)?;
    let more = if with_data { " and every memory whose newest text is theirs" } else { "" };
    if !confirm(&format!("Remove {} from the team{more}?", printable(name)), yes, world)? {
        return Ok(Exit::Failed);
    }
    let report =
        if with_data { team.revoke_with_data(name, world.now)? } else { team.revoke(name, world.now)? };
    sync_report::print(&report, 0, false, json, world)
}

pub(super) fn leave(yes: bool, json: bool, world: &mut World) -> Result<Exit> {
    let team = open(world)?;
    if team.is_session() {
        return end_session(team, json, world);
    }
    let question = "Leave the team? Only a new invitation lets you in again; if you founded the team, no member can \
                    remove other members afterwards";
    if !confirm(question, yes, world)? {
        return Ok(Exit::Failed);
    }
    let left = team.leave(world.now)?;
    let revoke = format!("memdir team members --revoke {}", left.key.short());
    let next = if left.is_founder {
        "the founder cannot be removed, so for the others you are still a member".to_owned()
    } else {
        format!(
            "for the others you are still a member: ask the member who invited you, or the founder, to run `{revoke}`"
        )
    };
    if json {
        return print_left(&left, next, world);
    }
    writeln!(world.stdout, "This project shares nothing any more; the files in `team/` stay here.")?;
    warn_of_unsent(&left, world)?;
    if let Some(error) = &left.untold {
        world.warn(&format!("the others could not be told: {error}"))?;
        writeln!(world.stderr, "{} {next}", world.paint.code("hint:"))?;
    }
    if !left.out_of_reach.is_empty() {
        world.warn(&format!(
            "you founded this team: {} can no longer be removed; the others can start a new team on another branch",
            printable(&left.out_of_reach.join(", "))
        ))?;
    }
    Ok(Exit::Yes)
}

/// How a member left, for machines.
pub(in crate::commands) fn print_left(left: &Left, next: String, world: &mut World) -> Result<Exit> {
    #[derive(Serialize)]
    struct Machine<'l> {
        left: bool,
        told: bool,
        unsent: &'l [String],
        #[serde(skip_serializing_if = "Option::is_none")]
        why: Option<String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        next: Option<String>,
        #[serde(skip_serializing_if = "<[String]>::is_empty")]
        out_of_reach: &'l [String],
    }
    world.answer_json(&Machine {
        left: true,
        told: left.untold.is_none(),
        unsent: &left.unsent,
        why: left.untold.as_ref().map(ToString::to_string),
        next: left.untold.is_some().then_some(next),
        out_of_reach: &left.out_of_reach,
    })
}

/// Names what the others never got.
pub(in crate::commands) fn warn_of_unsent(left: &Left, world: &mut World) -> Result<()> {
    warn_of_paths(&left.unsent, world)
}

fn warn_of_paths(unsent: &[String], world: &mut World) -> Result<()> {
    let named: Vec<String> = unsent.iter().take(5).map(|path| format!("`{}`", printable(path))).collect();
    let more = unsent.len().saturating_sub(named.len());
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    if !named.is_empty() {
        world.warn(&format!("never sent, and only here: {}{more}", named.join(", ")))?;
    }
    Ok(())
}

fn print_team(team: &Shared, world: &mut World) -> Result<Exit> {
    world.answer_json(&Named::of(team))
}
