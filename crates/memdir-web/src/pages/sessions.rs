//! Past conversations: which there were, what was said, and what became of it.

use maud::{Markup, html};
use memdir_core::operation::Operation;
use memdir_disk::real_look::RealLook;
use memdir_lib::sources;
use memdir_lib::usage::{UsageRecord, records};
use memdir_search::transcript::session_files;
use memdir_search::{
    SessionChoice, SessionSummary, SessionTurn, ShownMemories, choose_session, list_sessions,
};
use serde::Deserialize;

use super::memories::snippet;
use super::memory::{given_as, is_given, why_given};
use super::timeline::operation_row;
use crate::page::{Asked, Done, Tab, badge, empty, heading};
use crate::reply::{PageError, Reply};
use crate::text::{ago, bytes, count, cut, local, visible};

/// So many sessions are on a page.
const PAGE: usize = 100;
/// So many turns of a session are shown.
const MAX_TURNS: usize = 400;
/// So much of one turn is shown at once.
const MAX_TURN_CHARS: usize = 6_000;
/// In how many operations those of a session are looked for.
const LOOKED_AT: usize = 10_000;
/// How many turns around a hit are shown.
const AROUND: usize = 20;

/// What is looked for.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Filter {
    q: String,
    from: usize,
}

/// Which session, and which turn of it.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Which {
    id: String,
    around: String,
    from: usize,
}

pub(crate) fn sessions(asked: &Asked<'_>, filter: Filter) -> Result<Reply, PageError> {
    let found =
        if filter.q.trim().is_empty() { listed(asked, filter.from) } else { searched(asked, &filter.q)? };
    let body = html! {
        (heading("Sessions", &html! {}))
        form.search role="search" method="get" action=(asked.links.to("sessions", &[])) data-search="sessions" {
            div.search-line { input type="search" name="q" value=(filter.q) placeholder="Search what was said" aria-label="Search sessions"; }
        }
        div #sessions data-live="sessions" { (found) }
    };
    Ok(Reply::Html(asked.page(Tab::Sessions, "Sessions", &Done::default(), &body)))
}

fn listed(asked: &Asked<'_>, from: usize) -> Markup {
    let mut sessions = list_sessions(&RealLook, &asked.project.project_dir);
    sessions.sort_by(|one, other| other.modified.cmp(&one.modified).then_with(|| one.id.cmp(&other.id)));
    let total = sessions.len();
    html! {
        @if sessions.is_empty() { (empty("No sessions yet", &html! { "The client keeps what was said in a project's directory; nothing is there." })) }
        @else { p.quiet { (count(total, "session", "sessions")) } }
        ol.sessions { @for session in sessions.iter().skip(from).take(PAGE) { (session_row(asked, session)) } }
        @if total > from + PAGE { p { a.button href=(asked.links.to("sessions", &[("from", &(from + PAGE).to_string())])) { "Older" } } }
    }
}

fn session_row(asked: &Asked<'_>, session: &SessionSummary) -> Markup {
    html! {
        li { a.row href=(asked.links.to("session", &[("id", &session.id)])) {
            span.row-top {
                strong { (visible(&cut(&session.first_prompt, 120))) }
                span.row-side {
                    @if !session.branch.is_empty() { (badge("", &cut(&session.branch, 30))) }
                    @if session.agents > 0 { span { (count(session.agents, "agent", "agents")) } }
                    span { (bytes(session.bytes)) }
                    @if let Some(time) = session.modified { (ago(time, asked.viewer.now())) }
                }
            }
        } }
    }
}

fn searched(asked: &Asked<'_>, question: &str) -> Result<Markup, PageError> {
    let question: String = question.chars().take(400).collect();
    let found = asked.project.search_sessions(&question, 50, asked.viewer.now())?;
    Ok(html! {
        @if found.hits.is_empty() { (empty("Nothing found", &html! { "No session says that." })) }
        ol.sessions { @for hit in &found.hits {
            @let id = hit.path.file_stem().unwrap_or_default();
            li { a.row href=(asked.links.to("session", &[("id", id), ("around", &hit.uuid)])) {
                span.row-top { strong { (visible(&cut(&hit.title, 100))) } span.row-side { @if let Some(time) = hit.time { (ago(time, asked.viewer.now())) } } }
                span.row-text { (snippet(hit)) }
            } }
        } }
    })
}

pub(crate) fn session(asked: &Asked<'_>, which: Which) -> Result<Reply, PageError> {
    let files = session_files(&RealLook, &asked.project.project_dir);
    let chosen = match choose_session(&files, &which.id) {
        SessionChoice::One(chosen) => chosen,
        SessionChoice::Nothing => return Err(PageError::missing("this session is not here any more")),
        SessionChoice::Several(_) => {
            return Err(PageError::missing("more than one session begins like this"));
        }
    };
    let around = (!which.around.is_empty()).then_some((which.around.as_str(), AROUND));
    let reading = chosen.read(around)?;
    let log = asked.project.memory()?.log(LOOKED_AT)?;
    let undone = log.undone();
    let of_session = |operation: &&Operation| operation.author.session.as_deref() == Some(chosen.id.as_str());
    let written: Vec<&Operation> = log.operations.iter().filter(of_session).collect();
    let records = records(&asked.viewer.env);
    let given: Vec<&UsageRecord> = records
        .iter()
        .filter(|record| record.session.as_deref() == Some(chosen.id.as_str()) && is_given(record))
        .collect();
    // What was shown before there was a record.
    let shown =
        sources::recall_folder(&asked.viewer.env).map(|folder| ShownMemories::load(&folder, &chosen.id));
    let is_recorded = |path: &str| given.iter().any(|record| record.path == path);
    let mut recalled: Vec<String> =
        shown.iter().flat_map(ShownMemories::paths).map(ToString::to_string).collect();
    recalled.retain(|path| !is_recorded(path));
    recalled.sort();
    let first = reading.turns.iter().find(|turn| turn.role.is_some() && !turn.text.trim().is_empty());
    let title = first.and_then(|turn| turn.text.lines().next()).unwrap_or(&chosen.id);
    let total = reading.turns.len();
    let next = (which.from + MAX_TURNS).to_string();
    let body = html! {
        (heading(&cut(title, 90), &html! { a.back href=(asked.links.to("sessions", &[])) { "← Sessions" } }))
        p.facts {
            span { "Session " code { (visible(&chosen.id)) } }
            span { (count(total, "turn", "turns")) }
            @if let Some(time) = reading.modified { span { (local(time)) } }
            @if around.is_some() { span { a href=(asked.links.to("session", &[("id", &chosen.id)])) { "the whole session" } } }
        }
        div.relations {
            section { h2 { "Written from it" }
                @if written.is_empty() { p.quiet { "No memory was written in or from this session." } }
                ol.timeline { @for operation in &written { (operation_row(asked, operation, undone.contains_key(&operation.id))) } }
            }
            section { h2 { "Recalled into it" }
                @if recalled.is_empty() && given.is_empty() { p.quiet { "No memory was recalled, or it is not recorded any more." } }
                ul {
                    @for record in &given { li { (memory_link(asked, record.path.as_str())) " " (given_as(record)) " " span.quiet { (why_given(record)) } } }
                    @for path in &recalled { li { (memory_link(asked, path)) } }
                }
            }
        }
        @if let Some(unread) = reading.unread() { p.warning { (visible(&unread)) } }
        ol.turns { @for turn in reading.turns.iter().skip(which.from).take(MAX_TURNS) { (turn_row(turn, turn.uuid == which.around)) } }
        @if total > which.from + MAX_TURNS { p { a.button href=(asked.links.to("session", &[("id", &chosen.id), ("from", &next)])) { "Next turns" } } }
    };
    Ok(Reply::Html(asked.page(Tab::Sessions, "Session", &Done::default(), &body)))
}

fn memory_link(asked: &Asked<'_>, path: &str) -> Markup {
    match path.strip_prefix(&format!("{}/", asked.project.memory_dir)) {
        Some(own) => html! { a href=(asked.links.memory(own)) { (visible(own)) } },
        None => html! { code { (visible(path)) } },
    }
}

fn turn_row(turn: &SessionTurn, is_meant: bool) -> Markup {
    let role = turn.role.map_or("compaction", |role| role.as_str());
    html! {
        li class={"turn " (role) @if is_meant { " meant" }} {
            header { strong { (role) } @if let Some(time) = turn.time { span.quiet { " " (local(time)) } } }
            @if !turn.text.is_empty() { div.said { (visible(&cut(&turn.text, MAX_TURN_CHARS))) } }
            @if !turn.actions.is_empty() {
                details { summary { (count(turn.actions.len(), "action", "actions")) } ul { @for action in &turn.actions { li { code { (visible(&cut(action, 300))) } } } } }
            }
        }
    }
}
