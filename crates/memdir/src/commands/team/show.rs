//! What there is to know about a team.

use std::io::Write;

use anyhow::Result;
use jiff::Timestamp;
use memdir_core::plan::{Change, Content, Plan};
use memdir_core::rel_path::RelPath;
use memdir_sync::report::Sent;
use memdir_sync::team::{OwnChange, Team as Shared};
use memdir_wire::roster::Standing;
use serde::Serialize;
use serde_json::json;

use super::{conflicts, open, sync_report};
use crate::commands::plan_diff::print_diff;
use crate::exit::Exit;
use crate::output::{human_age, printable};
use crate::world::World;

/// A team as machines are told of it: which, where, and who one is there.
#[derive(Serialize)]
pub(super) struct Named<'t> {
    team: &'t str,
    remote: String,
    branch: &'t str,
    name: &'t str,
    key: String,
}

impl<'t> Named<'t> {
    pub(super) fn of(team: &'t Shared) -> Self {
        let settings = team.membership().settings();
        Self {
            team: settings.team.as_str(),
            remote: settings.address(),
            branch: &settings.branch,
            name: settings.name(),
            key: team.membership().key().to_string(),
        }
    }
}

pub(super) fn status(json: bool, world: &mut World) -> Result<Exit> {
    #[derive(Serialize)]
    struct Machine<'t> {
        #[serde(flatten)]
        named: Named<'t>,
        members: usize,
        memories: usize,
        conflicts: usize,
        waiting: usize,
        outgoing: Vec<OwnChange>,
        interrupted: bool,
        is_member: bool,
    }
    let mut team = open(world)?;
    let outgoing = team.own_changes(world.now)?;
    let status = team.membership().status()?;
    let settings = team.membership().settings();
    let is_member = |key| matches!(status.roster.standing(key), Standing::Member(_));
    let members = status.roster.members().filter(|member| is_member(&member.key)).count();
    let is_out = status.roster.revocation_of(&team.membership().key()).is_some();
    let conflicts = conflicts::found(team.memory())?.len();
    let waiting = team.memory().waiting_count();
    if json {
        return world.answer_json(&Machine {
            named: Named::of(&team),
            members,
            memories: status.memories,
            conflicts,
            waiting,
            outgoing,
            interrupted: status.interrupted,
            is_member: !is_out,
        });
    }
    let paint = world.paint;
    writeln!(
        world.stdout,
        "{}    {} (branch {})",
        paint.quiet("remote"),
        printable(&settings.address()),
        settings.branch
    )?;
    writeln!(
        world.stdout,
        "{}       {} ({})",
        paint.quiet("you"),
        printable(settings.name()),
        team.membership().key().short()
    )?;
    writeln!(world.stdout, "{}   {members}", paint.quiet("members"))?;
    writeln!(world.stdout, "{}  {}", paint.quiet("memories"), status.memories)?;
    if is_out {
        world.warn(
            "you are no longer a member: nothing is received or sent; `memdir team leave` ends it here",
        )?;
    } else {
        print_own_changes(&outgoing, world)?;
    }
    if conflicts > 0 {
        world.warn(&format!("{conflicts} kept twice: `memdir team conflicts`"))?;
    }
    if waiting > 0 {
        world.warn(&format!("{waiting} wait for you: `memdir review`"))?;
    }
    if status.interrupted {
        world.warn("a sync was interrupted; the next one goes on")?;
    }
    Ok(Exit::Yes)
}

/// Names what goes out at the next sync, and what does not though it is there.
fn print_own_changes(changes: &[OwnChange], world: &mut World) -> Result<()> {
    let (stays, goes): (Vec<&OwnChange>, Vec<&OwnChange>) =
        changes.iter().partition(|change| change.refused.is_some());
    let paint = world.paint;
    for change in goes.iter().take(NAMED) {
        let (mark, path) = (sync_report::mark(change.change), printable(&change.path));
        writeln!(world.stdout, "{}   {mark} {path}", paint.quiet("to send"))?;
    }
    if goes.len() > NAMED {
        writeln!(world.stdout, "{}   and {} more", paint.quiet("to send"), goes.len() - NAMED)?;
    }
    if !goes.is_empty() {
        let command = paint.code("memdir team sync --dry-run");
        writeln!(world.stdout, "The next sync sends these; {command} shows what they say.")?;
    }
    for change in stays.iter().take(NAMED) {
        let why = printable(change.refused.as_deref().unwrap_or_default());
        world.warn(&format!("`{}` is not shared: {why}", printable(&change.path)))?;
    }
    Ok(())
}

/// How many changes are named.
const NAMED: usize = 20;

/// Shows what would be sent, as a diff against what the others have.
pub(super) fn print_outgoing(sent: &[Sent], world: &mut World) -> Result<()> {
    let mut plan = Plan::new("what would be sent");
    for sent in sent {
        let path = RelPath::parse(&format!("team/{}", sent.path))?;
        plan.changes.extend(match (sent.before.clone(), sent.after.clone()) {
            (before, Some(after)) => {
                let base = before.map(|before| Content(before.into_bytes()));
                Some(Change::Write { path, content: after.into(), base })
            }
            (Some(before), None) => Some(Change::Delete { path, base: Content(before.into_bytes()) }),
            (None, None) => None,
        });
    }
    print_diff(&plan, world)
}

pub(super) fn members(json: bool, world: &mut World) -> Result<Exit> {
    #[derive(Serialize)]
    struct Item {
        name: String,
        key: String,
        standing: &'static str,
        you: bool,
        #[serde(skip_serializing_if = "Option::is_none")]
        introduced_by: Option<String>,
    }
    let team = open(world)?;
    let status = team.membership().status()?;
    let items: Vec<Item> = status
        .roster
        .members()
        .map(|member| Item {
            name: member.name.clone(),
            key: member.key.to_string(),
            standing: if matches!(status.roster.standing(&member.key), Standing::Member(_)) {
                "member"
            } else {
                "revoked"
            },
            you: member.key == team.membership().key(),
            introduced_by: member.introduced_by().map(|by| by.to_string()),
        })
        .collect();
    if json {
        return world.answer_json(&json!({"items": items}));
    }
    for item in items {
        let key: String = item.key.chars().take(8).collect();
        let you = if item.you { " (you)" } else { "" };
        let founder = if item.introduced_by.is_none() { ", founder" } else { "" };
        let gone = if item.standing == "revoked" { ", no longer a member" } else { "" };
        writeln!(world.stdout, "{key} {}{you}{founder}{gone}", printable(&item.name))?;
    }
    Ok(Exit::Yes)
}

pub(super) fn log(count: usize, json: bool, world: &mut World) -> Result<Exit> {
    let commits = open(world)?.membership().log(count)?;
    if json {
        let items = commits.into_iter().map(|commit| {
            let time = Timestamp::from_second(commit.seconds).map(|time| time.to_string());
            json!({
                "id": commit.id,
                "time": time.unwrap_or_default(),
                "author": commit.author,
                "subject": commit.subject,
            })
        });
        return world.answer_json(&json!({"items": Vec::from_iter(items)}));
    }
    for commit in commits {
        let age = human_age(world.now.as_second().saturating_sub(commit.seconds));
        let short: String = commit.id.chars().take(8).collect();
        let paint = world.paint;
        writeln!(
            world.stdout,
            "{} {} {} {}",
            paint.code(&short),
            paint.quiet(&age),
            printable(&commit.author),
            printable(&commit.subject)
        )?;
    }
    Ok(Exit::Yes)
}
