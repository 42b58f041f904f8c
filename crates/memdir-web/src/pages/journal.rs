//! The journal of a project: the state of the work, and its records.

use maud::html;
use memdir_core::journal::state::{ACTIVE_FILE, BLOCKERS_FILE, TASK_FILE, is_placeholder, open_blockers};
use memdir_core::settings::ClientFlags;
use memdir_lib::journal::{Filter, Journal};
use serde::Deserialize;

use crate::markdown::render;
use crate::page::{Asked, Done, Tab, badge, empty, heading};
use crate::reply::{PageError, Reply};
use crate::text::visible;

/// Which records, and which one is open.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Which {
    category: String,
    file: String,
}

const CATEGORIES: [(&str, &str); 6] = [
    ("", "all records"),
    ("decision", "decisions"),
    ("analysis", "analyses"),
    ("context", "context"),
    ("progress", "progress"),
    ("subagent", "sub-agent outputs"),
];

pub(crate) fn journal(asked: &Asked<'_>, which: Which) -> Result<Reply, PageError> {
    let journal = match asked.project.env() {
        Ok(env) => Some(Journal::open(env, &ClientFlags::default())?).filter(Journal::exists),
        Err(_) => None,
    };
    let Some(journal) = journal else {
        let body = html! {
            (heading("Journal", &html! {}))
            (empty("No journal", &html! { "A journal keeps the task, decisions and blockers of long work across compactions. " code { "memdir journal start" } " starts one." }))
        };
        return Ok(Reply::Html(asked.page(Tab::Journal, "Journal", &Done::default(), &body)));
    };
    let category = Some(which.category.as_str()).filter(|category| !category.is_empty());
    let records = journal.list(&Filter { category, since: None, status: None })?;
    let text =
        |file: &str| journal.show(file).map(|(_, text)| text).ok().filter(|text| !is_placeholder(file, text));
    let blockers = text(BLOCKERS_FILE).map(|text| open_blockers(&text)).unwrap_or_default();
    let open = if which.file.is_empty() { None } else { Some(journal.show(&which.file)?) };
    let body = html! {
        (heading("Journal", &html! { span.path { (visible(journal.directory().as_str())) } }))
        div.cards {
            section.card { h2 { "Task" } @match text(TASK_FILE) { Some(text) => div.rendered { (render(&essence(&text), None)) }, None => p.quiet { "No task is set." } } }
            section.card { h2 { "Progress" } @match text(ACTIVE_FILE) { Some(text) => div.rendered { (render(&essence(&text), None)) }, None => p.quiet { "No step is under way." } } }
            section.card { h2 { "Blockers" }
                @if blockers.is_empty() { p.quiet { "Nothing blocks the work." } }
                ul { @for blocker in &blockers { li { (badge("bad", "blocked")) " " (visible(blocker)) } } }
            }
        }
        nav.tabs aria-label="Records" { @for (value, label) in CATEGORIES {
            a href=(asked.links.to("journal", &[("category", value)])) aria-current=[(value == which.category).then_some("page")] { (label) }
        } }
        @if let Some((path, text)) = &open {
            article.card { p.facts { code { (visible(path)) } a href=(asked.links.to("journal", &[("category", &which.category)])) { "close" } } div.rendered { (render(text, None)) } }
        }
        @if records.is_empty() { p.quiet { "No record of this kind." } }
        ol.sessions { @for record in &records {
            li { a.row href=(asked.links.to("journal", &[("category", &which.category), ("file", &record.row.file)])) {
                span.row-top { strong { (visible(&record.title)) } span.row-side {
                    @if let Some(status) = record.status.as_deref().filter(|status| *status != "decided") { (badge("warn", status)) }
                    (badge("", &record.row.category.to_string())) span { (visible(record.row.updated.get(..10).unwrap_or_default())) } } }
                span.row-text { (visible(&record.row.summary)) }
            } }
        } }
    };
    Ok(Reply::Html(asked.page(Tab::Journal, "Journal", &Done::default(), &body)))
}

/// A state file without its title, its date and the heading that says the title again.
fn essence(text: &str) -> String {
    let is_frame =
        |line: &&str| line.starts_with("# ") || line.starts_with("**Updated**") || *line == "## Task";
    text.lines().filter(|line| !is_frame(line)).collect::<Vec<_>>().join("\n")
}
