//! Changes that wait for the person, as diffs.

use axum::http::StatusCode;
use maud::{Markup, html};
use memdir_core::memory::entrypoint::ENTRYPOINT;
use memdir_core::plan::Change;
use memdir_core::review::StagedPlan;
use serde::Deserialize;

use crate::change::Outcome;
use crate::page::{Asked, Done, Tab, badge, empty, heading, plan_diff};
use crate::reply::{PageError, Reply};
use crate::text::{ago, author, author_kind, count, visible};

/// What the person says to one change.
#[derive(Debug, Deserialize)]
pub(crate) struct Answered {
    id: String,
    /// `accept`, `reject` or `edit`.
    answer: String,
    /// The edited text of its first file.
    #[serde(default)]
    text: Option<String>,
}

pub(crate) fn review(asked: &Asked<'_>, done: Done) -> Result<Reply, PageError> {
    let memory = asked.project.memory()?;
    let waiting = memory.waiting()?;
    let elsewhere = memory.waiting_elsewhere();
    let body = html! {
        (heading("Review", &html! { span.quiet { (count(waiting.plans.len(), "change waits", "changes wait")) } }))
        @if waiting.plans.is_empty() {
            (empty("Nothing waits", &html! { "Changes of agents wait here if you ask for that: " code { "memdir config set writes review" } "." }))
        } @else { p.quiet { kbd { "j" } " " kbd { "k" } " move, " kbd { "a" } " accepts, " kbd { "x" } " rejects." } }
        @for staged in &waiting.plans { (card(asked, staged)) }
        @for problem in &waiting.problems { p.warning { (visible(problem)) } }
        @if !elsewhere.is_empty() {
            section { h2 { "In other projects" } ul { @for (directory, number) in &elsewhere {
                @let slug = directory.parent().and_then(|parent| parent.file_name()).unwrap_or_default();
                li { a href=(asked.links.in_project(slug).to("review", &[])) { (visible(slug)) } " " (badge("waiting", &number.to_string())) }
            } } }
        }
    };
    Ok(Reply::Html(asked.page(Tab::Review, "Review", &done, &body)))
}

fn card(asked: &Asked<'_>, staged: &StagedPlan) -> Markup {
    let text = editable(staged).map(|(_, text)| text);
    html! {
        article.card.staged tabindex="0" data-item="" aria-label=(staged.plan.reason) {
            header {
                strong { (visible(&staged.plan.reason)) } " "
                (badge(author_kind(staged.author.kind), &author(&staged.author)))
                span.quiet { " " (ago(staged.time, asked.viewer.now())) }
            }
            (plan_diff(&staged.plan))
            div.actions {
                form.inline method="post" action=(asked.links.to("answer", &[])) {
                    (asked.token()) input type="hidden" name="id" value=(staged.id);
                    button.primary type="submit" name="answer" value="accept" data-key="a" { "Accept" }
                }
                form.inline method="post" action=(asked.links.to("answer", &[])) {
                    (asked.token()) input type="hidden" name="id" value=(staged.id);
                    button.danger type="submit" name="answer" value="reject" data-key="x" { "Reject" }
                }
                @if let Some(text) = text {
                    details.menu {
                        summary.button { "Edit" }
                        form.card.editor method="post" action=(asked.links.to("answer", &[])) {
                            (asked.token()) input type="hidden" name="id" value=(staged.id);
                            label { "Text" textarea name="text" rows="12" { "\n" (text) } }
                            button.primary type="submit" name="answer" value="edit" { "Save, and let it wait" }
                        }
                    }
                }
            }
        }
    }
}

/// The file of a change that a person would edit: its place in the plan and its text.
fn editable(staged: &StagedPlan) -> Option<(usize, String)> {
    let only_index = staged.plan.changes.iter().all(|change| change.path().as_str() == ENTRYPOINT);
    staged.plan.changes.iter().enumerate().find_map(|(place, change)| match change {
        Change::Write { path, content, .. } if only_index || path.as_str() != ENTRYPOINT => {
            Some((place, String::from_utf8(content.0.clone()).ok()?))
        }
        _ => None,
    })
}

pub(crate) fn answer(asked: &Asked<'_>, answered: Answered) -> Result<Reply, PageError> {
    let now = asked.viewer.now();
    let mut memory = asked.project.memory_to_change(now)?;
    let mut staged = memory.waiting_plan(&answered.id)?;
    let note = |text: &str| Outcome { operation: None, notes: vec![text.to_owned()] };
    let outcome = match (answered.answer.as_str(), answered.text) {
        ("accept", _) => Outcome::of(memory.accept(&staged, now)?),
        ("reject", _) => {
            let said = memory.reject(&staged)?;
            let mut outcome = note("Rejected. The same change is not proposed again.");
            outcome.notes.extend(said);
            outcome
        }
        ("edit", Some(text)) => {
            let place = editable(&staged).map(|(place, _)| place);
            match place.and_then(|place| staged.plan.changes.get_mut(place)) {
                Some(Change::Write { content, .. }) => *content = text.replace("\r\n", "\n").into(),
                _ => {
                    return Err(PageError::new(
                        StatusCode::CONFLICT,
                        "the change writes no text that could be edited",
                    ));
                }
            }
            memory.replace_waiting(&staged)?;
            note("Saved. The edited change waits.")
        }
        _ => return Err(PageError::new(StatusCode::BAD_REQUEST, "accept, reject or edit")),
    };
    Ok(outcome.see(asked, "review", &[]))
}
