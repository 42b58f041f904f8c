//! Every operation in time, and one of them with its diff.

use maud::{Markup, html};
use memdir_core::memory::topic::decode;
use memdir_core::operation::{Author, Operation};
use memdir_core::text_diff::unified;
use memdir_lib::memory::Memory;
use serde::Deserialize;

use crate::diff::diff;
use crate::page::{Asked, Done, Tab, badge, empty, heading, plan_diff};
use crate::reply::{PageError, Reply};
use crate::text::{ago, author, author_kind, count, cut, day, local, visible};

/// So many operations are on a page.
const PAGE: usize = 200;
/// So many files of an operation are shown with their diffs.
const MAX_FILES: usize = 40;

/// Which operations.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Filter {
    author: String,
    q: String,
    from: usize,
    #[serde(flatten)]
    done: Done,
}

/// Which operation, and which file of it.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Which {
    id: String,
    path: String,
}

pub(crate) fn timeline(asked: &Asked<'_>, filter: Filter) -> Result<Reply, PageError> {
    let mut memory = asked.project.memory()?;
    // What other programs changed becomes part of the history now. That this fails hides nothing else.
    let _ = memory.look(asked.viewer.now());
    let log = memory.log(filter.from.saturating_add(20 * PAGE))?;
    let undone = log.undone();
    let words = filter.q.to_lowercase();
    let is_wanted = |operation: &&Operation| {
        let kind = author_kind(operation.author.kind);
        let mentions = |operation: &Operation| {
            operation.reason.to_lowercase().contains(&words)
                || operation.changes.iter().any(|change| change.path.as_str().to_lowercase().contains(&words))
        };
        (filter.author.is_empty() || kind == filter.author) && (words.is_empty() || mentions(operation))
    };
    let wanted: Vec<&Operation> = log.operations.iter().filter(is_wanted).collect();
    let shown: Vec<&Operation> = wanted.iter().skip(filter.from).take(PAGE).copied().collect();
    let mut days: Vec<(String, Vec<&Operation>)> = Vec::new();
    for operation in &shown {
        let day = day(operation.time);
        match days.last_mut() {
            Some((last, operations)) if *last == day => operations.push(operation),
            _ => days.push((day, vec![operation])),
        }
    }
    let authors = [
        ("", "everybody"),
        ("person", "you"),
        ("agent", "agents"),
        ("extract", "extraction"),
        ("dream", "dream"),
        ("team", "team"),
        ("foreign", "other programs"),
    ];
    let next = (filter.from + PAGE).to_string();
    let body = html! {
        (heading("Timeline", &html! { span.quiet { (count(wanted.len(), "operation", "operations")) } }))
        form.search role="search" method="get" action=(asked.links.to("timeline", &[])) data-search="operations" {
            div.search-line {
                input type="search" name="q" value=(filter.q) placeholder="Filter by memory or reason" aria-label="Filter operations";
                select name="author" aria-label="Author" {
                    @for (value, text) in authors { option value=(value) selected[value == filter.author] { (text) } }
                }
            }
        }
        div #operations data-live="operations" {
            @if shown.is_empty() { (empty("Nothing here", &html! { "No operation matches. Every change by you, agents, extraction, dream or the team appears here." })) }
            @for (day, operations) in &days {
                h2.day { (day) }
                ol.timeline { @for operation in operations { (operation_row(asked, operation, undone.contains_key(&operation.id))) } }
            }
            @if wanted.len() > filter.from + PAGE {
                p { a.button href=(asked.links.to("timeline", &[("author", &filter.author), ("q", &filter.q), ("from", &next)])) { "Older" } }
            }
            @for problem in &log.problems { p.warning { (visible(problem)) } }
        }
    };
    Ok(Reply::Html(asked.page(Tab::Timeline, "Timeline", &filter.done, &body)))
}

/// One line of a timeline.
pub(crate) fn operation_row(asked: &Asked<'_>, operation: &Operation, is_undone: bool) -> Markup {
    let paths: Vec<&str> = operation
        .changes
        .iter()
        .map(|change| change.path.as_str())
        .filter(|path| *path != "MEMORY.md" && !operation.reason.contains(path))
        .collect();
    html! {
        li class=[is_undone.then_some("undone")] {
            span.when title=(local(operation.time)) { (ago(operation.time, asked.viewer.now())) }
            (badge(author_kind(operation.author.kind), &author(&operation.author)))
            a.what.row-link href=(asked.links.operation(&operation.id.0)) { (visible(&cut(&operation.reason, 160))) }
            @if !paths.is_empty() { span.path { (visible(&cut(&paths.join(" "), 100))) } }
            @if is_undone { (badge("warn", "undone")) }
        }
    }
}

pub(crate) fn operation(asked: &Asked<'_>, which: Which) -> Result<Reply, PageError> {
    let memory = asked.project.memory()?;
    let log = memory.log(usize::MAX)?;
    let operation = log.find(&which.id)?;
    let undone = log.undone();
    let is_undone = undone.get(&operation.id).copied();
    let undo = memory.plan_undo(operation, format!("undo: {}", operation.reason), &log);
    let body = html! {
        (heading(&cut(&operation.reason, 120), &html! { a.back href=(asked.links.to("timeline", &[])) { "← Timeline" } }))
        p.facts {
            (badge(author_kind(operation.author.kind), &author(&operation.author)))
            span { (local(operation.time)) }
            span { code { (operation.id.0) } }
            @if let Some(session) = &operation.author.session {
                span { "session " a href=(asked.links.to("session", &[("id", session)])) { (visible(&cut(session, 8))) } }
            }
            @if let Some(of) = &operation.undo_of { span { "undoes " a href=(asked.links.operation(&of.0)) { (of.0) } } }
            @if let Some(by) = is_undone { span { "undone by " a href=(asked.links.operation(&by.0)) { (by.0) } } }
        }
        section { h2 { "What it changed" } (changes(asked, &memory, operation, &which.path)?) }
        @if is_undone.is_none() {
            section {
                h2 { "What an undo would do" }
                @match &undo {
                    Ok(plan) => { (plan_diff(plan)) p { (asked.button("undo", "Undo this operation", "primary", &[("id", &operation.id.0)])) " " span.quiet { "Later changes stay." } } },
                    Err(error) => p.warning { (visible(&error.to_string())) },
                }
            }
        }
    };
    Ok(Reply::Html(asked.page(Tab::Timeline, "Operation", &Done::default(), &body)))
}

/// The diffs of an operation, of one file if that is asked for.
fn changes(
    asked: &Asked<'_>,
    memory: &Memory,
    operation: &Operation,
    only: &str,
) -> Result<Markup, PageError> {
    let is_it = |path: &str| only.is_empty() || path == only;
    let mut wanted: Vec<_> = operation.changes.iter().filter(|change| is_it(change.path.as_str())).collect();
    if wanted.is_empty() {
        wanted = operation.changes.iter().collect();
    }
    let total = wanted.len();
    wanted.truncate(MAX_FILES);
    let hashes = wanted.iter().flat_map(|change| [change.before, change.after]).flatten().collect();
    let versions = memory.recorded_versions(&hashes)?;
    let text = |hash| versions.get(&hash).map(|content| decode(content).0.into_owned());
    Ok(html! {
        @for change in &wanted {
            @let old = change.renamed_from.as_ref().unwrap_or(&change.path);
            @let (before, after) = (change.before.map(text), change.after.map(text));
            p { a href=(asked.links.memory(change.path.as_str())) { (visible(change.path.as_str())) } }
            @if matches!(before, Some(None)) || matches!(after, Some(None)) { p.quiet { "History no longer holds this version." } }
            @else {
                @let (before, after) = (before.flatten(), after.flatten());
                (diff(&unified(
                    (before.as_ref().map(|_| old.as_str()), before.as_deref().unwrap_or_default()),
                    (after.as_ref().map(|_| change.path.as_str()), after.as_deref().unwrap_or_default()),
                )))
            }
        }
        @if total > MAX_FILES { p.quiet { "and " (total - MAX_FILES) " more files" } }
        @if operation.changes.is_empty() { p.quiet { "It changed no file." } }
    })
}

/// Shows the last operation of the person that can be undone.
pub(crate) fn undo_last(asked: &Asked<'_>, _: Done) -> Result<Reply, PageError> {
    let person = Author::person();
    let log = asked.project.memory()?.log_to_undo(&person)?;
    Ok(match log.to_undo(None, &person)? {
        Some(operation) => Reply::See(asked.links.operation(&operation.id.0)),
        None => {
            Reply::See(asked.links.to("timeline", &[("note", "There is no operation of yours to undo.")]))
        }
    })
}
