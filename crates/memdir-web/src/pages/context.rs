//! What an agent is told: at the start of a session, and for a prompt.

use std::time::{Duration, Instant};

use maud::{Markup, html};
use memdir_core::instructions::{Surroundings, collect};
use memdir_core::memory::entrypoint::{MAX_LINES, MAX_UNITS, Profile};
use memdir_core::settings::ClientFlags;
use memdir_disk::real_look::RealLook;
use memdir_lib::freshness;
use memdir_lib::place::Place;
use memdir_lib::recall::{Occasion, Wanted, recall};
use memdir_lib::session_memory::more_memory;
use memdir_search::FEATURE_NAMES;
use serde::Deserialize;

use super::memory::source;
use super::overview::gauge;
use crate::page::{Asked, Done, Tab, badge, empty, heading};
use crate::reply::{PageError, Reply};
use crate::text::{count, cut, visible};

/// How many tokens a recall may take, as for a prompt of a session.
const BUDGET: usize = 1_500;
/// How long a first indexing may take.
const PATIENCE: Duration = Duration::from_secs(2);
/// So many memories that were looked at are listed.
const MAX_CONSIDERED: usize = 12;

/// The prompt that the user asks about.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Wondered {
    prompt: String,
}

pub(crate) fn context(asked: &Asked<'_>, wondered: Wondered) -> Result<Reply, PageError> {
    let body = html! {
        (heading("What the agent sees", &html! {}))
        (recalled(asked, &wondered.prompt)?)
        (at_start(asked)?)
    };
    Ok(Reply::Html(asked.page(Tab::Context, "What the agent sees", &Done::default(), &body)))
}

fn at_start(asked: &Asked<'_>) -> Result<Markup, PageError> {
    let Ok(env) = asked.project.env() else {
        return Ok(empty("No session can start here", &html! { "The project's own directory is gone." }));
    };
    let flags = ClientFlags::default();
    let mut surroundings = Surroundings::find(env, &flags, &[], &RealLook)?;
    let place = Place::find(env, &flags)?;
    if surroundings.switches.any && place.location.enabled {
        surroundings.more_memory = more_memory(env, &flags, &place.here.memory_dir);
    }
    let collected = collect(&surroundings, &RealLook);
    let loaded = asked.project.memory()?.load(Profile::Current)?;
    let total: usize = collected.files.iter().map(|file| file.text.chars().count()).sum();
    Ok(html! {
        section {
            h2 { "At the start of a session" }
            @if !place.location.enabled { p.warning { "Memory is off here: " code { (visible(&place.location.decided_by)) } } }
            div.card {
                (gauge("lines of MEMORY.md", loaded.lines, MAX_LINES))
                (gauge("characters of MEMORY.md", loaded.units, MAX_UNITS))
                @if let Some(warning) = &loaded.warning { p.warning { (visible(warning)) } }
                p.quiet { (count(collected.files.len(), "file", "files")) ", " (total) " characters, about " (total / 4) " tokens" }
            }
            @if collected.files.is_empty() { (empty("Nothing", &html! { "There is no CLAUDE.md and no memory for this project." })) }
            @for file in &collected.files {
                @let units = file.text.chars().count();
                details.part {
                    summary {
                        span.part-name { code { (visible(file.path.as_str())) } }
                        span.quiet { (file.label) @if let Some(parent) = &file.parent { ", imported by " (visible(parent.as_str())) } }
                        svg.share viewBox="0 0 100 4" preserveAspectRatio="none" role="img" aria-label={(units * 100 / total.max(1)) " percent"} {
                            rect.track width="100" height="4" {} rect.used width=(units * 100 / total.max(1)) height="4" {}
                        }
                        span.number { (units) " chars" }
                    }
                    (source(&file.text))
                }
            }
            @if !collected.left_out.is_empty() {
                h3 { "Left out" }
                ul { @for left_out in &collected.left_out { li { code { (visible(left_out.path.as_str())) } " " (visible(&left_out.reason.to_string())) } } }
            }
            @for warning in &collected.warnings { p.warning { (visible(&warning.to_string())) } }
        }
    })
}

/// Which memories a prompt brings up, and why.
fn recalled(asked: &Asked<'_>, prompt: &str) -> Result<Markup, PageError> {
    Ok(html! {
        section {
            h2 { "For a prompt" }
            form.search method="get" action=(asked.links.to("context", &[])) {
                div.search-line {
                    input type="search" name="prompt" value=(prompt) maxlength="2000" placeholder="Type a prompt: which memories would be recalled, and why?" aria-label="Prompt";
                    button.primary type="submit" { "Ask" }
                }
            }
            @if !prompt.trim().is_empty() { (answer(asked, prompt)?) }
        }
    })
}

fn answer(asked: &Asked<'_>, prompt: &str) -> Result<Markup, PageError> {
    let (env, now, flags) = (asked.project.env()?, asked.viewer.now(), ClientFlags::default());
    let _ = freshness::build_missing(env, &flags, now, Instant::now() + PATIENCE);
    let wanted = Wanted { prompt, session: None, budget: BUDGET, tools: &[], occasion: Occasion::Asked };
    let found = recall(env, &flags, &wanted, now)?;
    let own =
        |path: &camino::Utf8Path| path.strip_prefix(&asked.project.memory_dir).ok().map(ToString::to_string);
    Ok(html! {
        @if found.memories.is_empty() && found.named.is_empty() { p.quiet { "Nothing would be recalled: no memory is likely enough to be needed." } }
        @for memory in &found.memories {
            details.part open {
                summary { strong { (visible(&memory.name)) } (badge("good", "quoted")) span.number { (percent(memory.probability)) " likely" } }
                (source(&memory.text))
            }
        }
        @for named in &found.named {
            p { strong { (visible(&named.name)) } " " (badge("", "named")) " " span.quiet { (visible(&cut(&named.description, 160))) } }
        }
        @if !found.considered.is_empty() {
            h3 { "Looked at" }
            table.list { thead { tr { th { "Memory" } th.number { "Likely" } th { "Why" } } } tbody {
                @for memory in found.considered.iter().take(MAX_CONSIDERED) {
                    tr {
                        td.name { @match own(&memory.path) {
                            Some(path) => a href=(asked.links.memory(&path)) { (visible(&memory.name)) },
                            None => (visible(&memory.name)),
                        } }
                        td.number data-label="Likely" { (percent(memory.probability)) }
                        td.why {
                            @for (name, value) in FEATURE_NAMES.iter().zip(memory.features.values()).filter(|(_, value)| *value != 0.0) {
                                span.feature { (name.replace('_', " ")) " " (format!("{value:.2}")) } " "
                            }
                        }
                    }
                }
            } }
        }
    })
}

fn percent(probability: f32) -> String {
    format!("{:.0} %", probability * 100.0)
}
