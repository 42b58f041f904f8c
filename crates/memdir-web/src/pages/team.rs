//! The team of a project: who is in it, what the next sync sends, and what is kept twice.

use std::collections::HashSet;

use axum::http::StatusCode;
use maud::{Markup, html};
use memdir_core::settings::ClientFlags;
use memdir_lib::memory::{Catalogue, Entry, Memory};
use memdir_sync::conflict_copy::{original_of, renamed_copy};
use memdir_sync::team::Team;
use memdir_sync::team_error::TeamError;
use memdir_wire::roster::Standing;
use serde::Deserialize;

use crate::change::{Outcome, apply, remove};
use crate::diff::side_by_side;
use crate::page::{Asked, Done, Tab, badge, empty, heading};
use crate::reply::{PageError, Reply};
use crate::text::{count, visible};

/// Which of two versions is kept.
#[derive(Debug, Deserialize)]
pub(crate) struct Choice {
    /// The copy that was set aside.
    copy: String,
    /// `mine` or `theirs`.
    keep: String,
}

pub(crate) fn team(asked: &Asked<'_>, done: Done) -> Result<Reply, PageError> {
    let team = match asked.project.env() {
        Ok(env) => Team::open(env, &ClientFlags::default()),
        Err(_) => Err(TeamError::NoTeam),
    };
    let body = html! {
        (heading("Team", &html! {}))
        @match team {
            Ok(team) => (members(asked, team)?),
            Err(TeamError::NoTeam) => (empty("No team", &html! { "Share memory with the people of this project: " code { "memdir team init REMOTE" } "." })),
            Err(error) => p.warning { (visible(&error.to_string())) },
        }
        (conflicts(asked)?)
    };
    Ok(Reply::Html(asked.page(Tab::Team, "Team", &done, &body)))
}

fn members(asked: &Asked<'_>, mut team: Team) -> Result<Markup, PageError> {
    let outgoing = team.own_changes(asked.viewer.now())?;
    let membership = team.membership();
    let (status, settings) = (membership.status()?, membership.settings());
    Ok(html! {
        p.facts { span { "Remote " code { (visible(&settings.address())) } } span { (count(status.memories, "shared memory", "shared memories")) }
            @if status.head.is_none() { (badge("warn", "not synced yet")) }
            @else if outgoing.is_empty() { (badge("good", "everything is sent")) }
            @else { (badge("waiting", &count(outgoing.len(), "change to send", "changes to send"))) }
            @if status.interrupted { (badge("warn", "a sync was interrupted; the next one goes on")) } }
        section { h2 { "Members" } table.list { thead { tr { th { "Name" } th { "Key" } th { "State" } } } tbody {
            @for member in status.roster.members() {
                @let is_member = matches!(status.roster.standing(&member.key), Standing::Member(_));
                tr { td.name { (visible(&member.name)) @if member.key == membership.key() { " " (badge("here", "you")) } }
                    td { code { (member.key.short()) } }
                    td { @if is_member { (badge("good", "member")) } @else { (badge("warn", "no longer a member")) } } }
            }
        } } }
        section { h2 { "The next sync sends" }
            @if outgoing.is_empty() { p.quiet { "Nothing: the team has everything that you share." } }
            ul { @for change in &outgoing { li { code { (visible(&change.path)) }
                @match &change.refused { Some(why) => { " " (badge("warn", "stays here")) " " span.quiet { (visible(why)) } }, None => {} } } } }
            p.quiet { code { "memdir team sync" } " sends and receives." }
        }
    })
}

/// Copies that a sync made beside memories, as long as both are there.
fn copies<'c>(catalogue: &'c Catalogue) -> Vec<(&'c Entry, &'c Entry)> {
    let copies = catalogue.entries.iter().filter(|entry| entry.path.as_str().starts_with("team/"));
    let with_original = |copy: &'c Entry| {
        let original = original_of(copy.path.as_str())?;
        Some((catalogue.entries.iter().find(|entry| entry.path.as_str() == original)?, copy))
    };
    copies.filter_map(with_original).collect()
}

fn conflicts(asked: &Asked<'_>) -> Result<Markup, PageError> {
    let memory = asked.project.memory()?;
    let catalogue = asked.project.catalogue()?;
    let copies = copies(&catalogue);
    let seen: HashSet<&str> = copies.iter().map(|(original, _)| original.path.as_str()).collect();
    Ok(html! {
        @if !copies.is_empty() {
            section {
                h2 { "Kept twice" }
                p.quiet { (count(seen.len(), "memory was", "memories were")) " changed on two machines in a way that cannot be merged." }
                @for (original, copy) in &copies {
                    @let theirs = text_of(&memory, original)?;
                    @let mine = renamed_copy(&text_of(&memory, copy)?, original.title());
                    article.card {
                        strong { (visible(original.title())) }
                        (side_by_side(("theirs", &theirs), ("mine", &mine)))
                        div.actions {
                            (asked.button("resolve", "Keep theirs", "", &[("copy", copy.path.as_str()), ("keep", "theirs")]))
                            (asked.button("resolve", "Keep mine", "", &[("copy", copy.path.as_str()), ("keep", "mine")]))
                            a.button href=(asked.links.to("merge", &[("path", original.path.as_str()), ("with", copy.path.as_str())])) { "Edit both into one" }
                        }
                    }
                }
            }
        }
    })
}

fn text_of(memory: &Memory, entry: &Entry) -> Result<String, PageError> {
    Ok(String::from_utf8_lossy(&memory.read(&entry.path)?.unwrap_or_default()).into_owned())
}

pub(crate) fn resolve(asked: &Asked<'_>, choice: Choice) -> Result<Reply, PageError> {
    let now = asked.viewer.now();
    let mut memory = asked.project.memory_to_change(now)?;
    let catalogue = memory.catalogue()?;
    let copies = copies(&catalogue);
    let found = copies.iter().find(|(_, copy)| copy.path.as_str() == choice.copy);
    let (original, copy) = found.ok_or_else(|| PageError::missing("this conflict is resolved already"))?;
    let mut notes = Vec::new();
    match choice.keep.as_str() {
        "theirs" => {}
        "mine" => {
            let mine = renamed_copy(&text_of(&memory, copy)?, original.title());
            let outcome = apply(asked, &mut memory, |memory| {
                let theirs = memory.read(&original.path)?.unwrap_or_default();
                Ok(memory.plan_replace(&original.path, &theirs, &mine)?)
            })?;
            notes = outcome.notes;
        }
        _ => return Err(PageError::new(StatusCode::BAD_REQUEST, "keep mine or theirs")),
    }
    let removed = remove(asked, &mut memory, &choice.copy)?;
    notes.extend(removed.notes);
    notes.push("The next sync settles it for the team.".to_owned());
    Ok(Outcome { operation: removed.operation, notes }.see(asked, "team", &[]))
}
