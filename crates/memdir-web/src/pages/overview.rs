//! One project at a glance: how full its index is, what needs attention, what happened last.

use std::collections::BTreeMap;

use jiff::Timestamp;
use maud::{Markup, html};
use memdir_core::doctor::{Finding, Severity, examine};
use memdir_core::memory::entrypoint::{ENTRYPOINT, MAX_LINES, MAX_UNITS, Usage};
use memdir_core::settings::ClientFlags;
use memdir_lib::memory::Memory;
use memdir_lib::place::switched_off;

use super::timeline::operation_row;
use crate::page::{Asked, Done, Tab, badge, heading};
use crate::reply::{PageError, Reply};
use crate::text::{ago, count, visible, with_code};

/// So many findings of one kind are listed.
const LISTED: usize = 12;
/// In a larger memory the health check takes too long for a page.
const MAX_EXAMINED: usize = 2_000;

pub(crate) fn overview(asked: &Asked<'_>, done: Done) -> Result<Reply, PageError> {
    let memory = asked.project.memory()?;
    let catalogue = asked.project.catalogue()?;
    let now = asked.viewer.now();
    let index = asked.project.index_usage()?;
    let usage = index.unwrap_or(Usage { lines: 0, units: 0, loaded_lines: 0 });
    let mut kinds: BTreeMap<&str, usize> = BTreeMap::new();
    for entry in &catalogue.entries {
        *kinds.entry(entry.memory_type.as_ref().map_or("untyped", |kind| kind.as_str())).or_default() += 1;
    }
    let findings = examined(&memory, catalogue.entries.len(), now)?;
    let log = memory.log(12)?;
    let undone = log.undone();
    let off =
        asked.project.env.as_ref().and_then(|env| switched_off(env, &ClientFlags::default()).ok().flatten());
    let waiting = memory.waiting_count();
    let body = html! {
        (heading(asked.project.title(), &html! { span.path { (visible(memory.directory().as_str())) } }))
        @if let Some(rule) = off { p.warning { "Memory is off here for agents: " code { (visible(&rule)) } } }
        div.cards {
            section.card {
                h2 { "Index" }
                (gauge("lines", usage.lines, MAX_LINES))
                (gauge("characters", usage.units, MAX_UNITS))
                p.quiet {
                    @if index.is_none() { "There is no MEMORY.md yet." }
                    @else if usage.fits() { "The agent gets all of MEMORY.md at the start of a session." }
                    @else { "The client cuts MEMORY.md off: the agent does not see its end." }
                }
            }
            section.card {
                h2 { "Memories" }
                p.big { (catalogue.entries.len()) }
                p { @for (kind, number) in &kinds {
                    a href=(asked.links.to("memories", &[("type", kind)])) { (badge(kind, &format!("{number} {kind}"))) } " "
                } }
                @if let Some(newest) = catalogue.entries.first() {
                    p.quiet { "Newest: " a href=(asked.links.memory(newest.path.as_str())) { (visible(newest.title())) }
                        " " (ago(newest.modified, now)) }
                }
            }
            section.card {
                h2 { "Waiting for you" }
                p.big { (waiting) }
                @if waiting > 0 { p { a.button href=(asked.links.to("review", &[])) { "Review" } } }
                @else { p.quiet { "No change waits for review." } }
            }
        }
        section {
            h2 { "Health" }
            @match &findings {
                Some(findings) => (health(asked, findings)),
                None => p.quiet { "With so many memories the check takes a while: " code { "memdir doctor" } " runs it." },
            }
        }
        section {
            h2 { "Lately" }
            @if log.operations.is_empty() { p.quiet { "No change is recorded yet." } }
            ol.timeline { @for operation in &log.operations {
                (operation_row(asked, operation, undone.contains_key(&operation.id)))
            } }
            p { a href=(asked.links.to("timeline", &[])) { "The whole timeline" } }
        }
    };
    Ok(Reply::Html(asked.page(Tab::Overview, "Overview", &done, &body)))
}

/// What the health check finds; `None` where that would take too long.
pub(crate) fn examined(
    memory: &Memory,
    number: usize,
    now: Timestamp,
) -> Result<Option<Vec<Finding>>, PageError> {
    Ok(if number <= MAX_EXAMINED { Some(examine(&memory.patient(now)?)) } else { None })
}

/// How full something is, drawn.
pub(crate) fn gauge(what: &str, used: usize, most: usize) -> Markup {
    let percent = (used * 100 / most.max(1)).min(100);
    let class = match used * 100 / most.max(1) {
        0..70 => "good",
        70..=100 => "warn",
        _ => "bad",
    };
    html! {
        div.gauge {
            svg class=(class) viewBox="0 0 100 4" preserveAspectRatio="none" role="img"
                aria-label={(used) " of " (most) " " (what)} {
                rect.track width="100" height="4" {}
                rect.used width=(percent) height="4" {}
            }
            span { strong { (used) } " of " (most) " " (what) }
        }
    }
}

/// The health of a memory in a few words.
pub(crate) fn health_line(findings: &[Finding]) -> Markup {
    let of = |severity: Severity| findings.iter().filter(move |finding| finding.severity == severity);
    let (errors, warnings, notes) =
        (of(Severity::Error).count(), of(Severity::Warning).count(), of(Severity::Note).count());
    html! {
        @if errors + warnings == 0 { (badge("good", "healthy")) }
        @if errors > 0 { (badge("bad", &count(errors, "error", "errors"))) }
        @if warnings > 0 { (badge("warn", &count(warnings, "warning", "warnings"))) }
        @if notes > 0 { (badge("", &count(notes, "note", "notes"))) }
    }
}

fn health(asked: &Asked<'_>, findings: &[Finding]) -> Markup {
    html! {
        p.health { (health_line(findings)) }
        ul.findings {
            @for finding in findings.iter().take(LISTED) {
                @let class = match finding.severity { Severity::Error => "bad", Severity::Warning => "warn", Severity::Note => "note" };
                li class=(class) {
                    @match &finding.path {
                        Some(path) if path.ends_with(".md") && path != ENTRYPOINT => a href=(asked.links.memory(path)) { (visible(path)) },
                        Some(path) => code { (visible(path)) },
                        None => {},
                    }
                    " " (with_code(&finding.what))
                    div.quiet { (with_code(finding.why)) }
                    div.quiet { "→ " (with_code(&finding.fix.what)) }
                    @if finding.fix.plan.is_some() {
                        (asked.button("fix", "Fix", "small", &[("id", finding.id), ("path", finding.path.as_deref().unwrap_or_default())]))
                    }
                }
            }
        }
        @if findings.len() > LISTED { p.quiet { "and " (findings.len() - LISTED) " more: " code { "memdir doctor" } } }
    }
}
