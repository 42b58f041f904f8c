//! All projects, and the one in which the viewer was started.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::time::{Duration, Instant};

use camino::Utf8PathBuf;
use maud::{Markup, html};
use memdir_core::memory::entrypoint::{MAX_LINES, MAX_UNITS, Usage};
use memdir_core::project::findings::Flag;
use memdir_core::settings::ClientFlags;
use memdir_lib::memory::Memory;
use memdir_lib::place::Place;
use memdir_lib::projects::ProjectEntry;

use super::overview::{examined, gauge, health_line};
use crate::access::Browser;
use crate::attention::Attention;
use crate::page::{Links, badge, empty, frame, heading};
use crate::project::SCOPES;
use crate::reply::{PageError, Reply};
use crate::text::{ago, bytes, count, visible};
use crate::viewer::Viewer;

/// How long all memories together may be read for what needs attention; the rest is told the next time.
const PATIENCE: Duration = Duration::from_millis(200);

pub(crate) fn home(viewer: &Viewer, browser: &Browser) -> Result<Reply, PageError> {
    let place = viewer.start()?;
    let links = Links::of(viewer, &place.here.slug);
    let mut survey = viewer.projects()?;
    survey.entries.sort_by_key(|entry| Reverse((entry.slug == place.here.slug, entry.last_used)));
    let waiting = waiting(viewer);
    let memories: u64 = survey.entries.iter().map(|entry| entry.memories).sum();
    let summary = format!(
        "{} with {}",
        count(survey.entries.len(), "project", "projects"),
        count(usize::try_from(memories).unwrap_or(usize::MAX), "memory", "memories")
    );
    let here = here(viewer, &place, &links)?;
    let deadline = Instant::now() + PATIENCE;
    let body = html! {
        main.wide #main tabindex="-1" data-live="main" {
            (heading("Projects", &html! { span.quiet { (summary) } }))
            (here)
            @if survey.entries.is_empty() {
                (empty("No projects yet", &html! {
                    "A project appears here after its first session or its first memory. "
                    code { "memdir demo" } " shows what that looks like."
                }))
            } @else {
                table.list {
                    thead { tr {
                        th { "Project" } th.number { "Memories" } th.number { "Sessions" } th.number { "Size" }
                        th { "MEMORY.md" } th.number { "Last used" } th { "Attention" }
                    } }
                    tbody {
                        @for entry in &survey.entries {
                            @let directory = place.projects.projects_dir().join(&entry.slug).join("memory");
                            @let attention = viewer.attentions.of(&directory, &viewer.env, deadline);
                            @let is_here = entry.slug == place.here.slug;
                            (row(entry, is_here, waiting.get(&entry.slug).copied(), attention, &links, viewer))
                        }
                        @for (slug, extent, title) in SCOPES {
                            @let memory = Memory::beside(extent, &viewer.env)?;
                            (scope_row(slug, title, &memory, &links)?)
                        }
                    }
                }
            }
            @for problem in &survey.problems { p.warning { (visible(&problem.to_string())) } }
        }
    };
    Ok(Reply::Html(frame("Projects", &links, browser, &body)))
}

/// The project in which the viewer was started: its health, and how full its index is.
fn here(viewer: &Viewer, place: &Place, links: &Links) -> Result<Markup, PageError> {
    let project = viewer.project(&place.here.slug)?;
    let catalogue = project.catalogue()?;
    if catalogue.entries.is_empty() {
        return Ok(html! {
            p.card {
                "You started in " code { (visible(place.here.root.as_str())) } ", which has no memory yet. "
                a href=(links.to("memories", &[])) { "Open it" } " to write the first one."
            }
        });
    }
    let memory = project.memory()?;
    let findings = examined(&memory, catalogue.entries.len(), viewer.now())?;
    // The table below counts without them.
    let n_shared = catalogue.entries.iter().filter(|entry| entry.path.as_str().starts_with("team/")).count();
    let usage = project.index_usage()?.unwrap_or(Usage { lines: 0, units: 0, loaded_lines: 0 });
    Ok(html! {
        section.card.here-card aria-label="This project" {
            div {
                h2 { a href=(links.to("overview", &[])) { (visible(project.title())) } }
                p.health {
                    span.quiet { (count(catalogue.entries.len() - n_shared, "memory", "memories")) @if n_shared > 0 { ", " (n_shared) " of the team" } }
                    @match &findings { Some(findings) => (health_line(findings)), None => span.quiet { "large: " code { "memdir doctor" } " checks it" } }
                }
            }
            div { (gauge("lines of MEMORY.md", usage.lines, MAX_LINES)) (gauge("characters", usage.units, MAX_UNITS)) }
        }
    })
}

/// How many changes wait for the user, by project.
fn waiting(viewer: &Viewer) -> HashMap<String, usize> {
    let Ok(memory) = Memory::open(&viewer.env, &ClientFlags::default()) else { return HashMap::new() };
    let slug =
        |directory: &Utf8PathBuf| directory.parent().and_then(|parent| parent.file_name()).map(str::to_owned);
    let mut waiting: HashMap<String, usize> = memory
        .waiting_elsewhere()
        .into_iter()
        .filter_map(|(directory, count)| Some((slug(&directory)?, count)))
        .collect();
    if let Some(own) = slug(&memory.directory().to_owned()) {
        waiting.insert(own, memory.waiting_count());
    }
    waiting.retain(|_, count| *count > 0);
    waiting
}

fn row(
    entry: &ProjectEntry,
    is_here: bool,
    waiting: Option<usize>,
    attention: Attention,
    links: &Links,
    viewer: &Viewer,
) -> Markup {
    let links = links.in_project(&entry.slug);
    let now = viewer.now();
    let name = entry.path.as_ref().and_then(|path| path.file_name()).unwrap_or(&entry.slug);
    html! {
        tr {
            td.name {
                a.row-link href=(links.to("overview", &[])) { strong { (visible(name)) } }
                @if is_here { " " (badge("here", "you are here")) }
                div.path { (visible(entry.path.as_ref().map_or(entry.slug.as_str(), |path| path.as_str()))) }
            }
            td.number data-label="Memories" { a href=(links.to("memories", &[])) { (entry.memories) } }
            td.number data-label="Sessions" { a href=(links.to("sessions", &[])) { (entry.sessions) } }
            td.number data-label="Size" { (bytes(entry.bytes)) }
            td.fill data-label="MEMORY.md" { @if let Some(usage) = attention.index { (fill(usage)) } }
            td.number data-label="Last used" { @if let Some(used) = entry.last_used { (ago(used, now)) } }
            td.flags {
                @for flag in &entry.flags { (flag_badge(*flag)) " " }
                @if attention.index.is_some_and(|usage| !usage.fits()) { (badge("bad", "over the limit")) " " }
                @if attention.secrets > 0 { (badge("bad", &count(attention.secrets, "secret", "secrets"))) " " }
                @if let Some(waiting) = waiting {
                    a href=(links.to("review", &[])) { (badge("waiting", &format!("{waiting} to review"))) }
                }
                @if let Some(to) = &entry.moved_to {
                    div.path { "moved to " (visible(to.as_str())) ": " code { "memdir project adopt" } }
                }
            }
        }
    }
}

/// How full an index is, by what is fuller: its lines or its characters.
fn fill(usage: Usage) -> Markup {
    let percent = (usage.lines * 100 / MAX_LINES).max(usage.units * 100 / MAX_UNITS);
    let class = match percent {
        0..70 => "good",
        70..=100 => "warn",
        _ => "bad",
    };
    let label = format!("{} of {MAX_LINES} lines, {} of {MAX_UNITS} characters", usage.lines, usage.units);
    html! {
        svg class=(class) viewBox="0 0 100 4" preserveAspectRatio="none" role="img" aria-label=(label) {
            title { (label) }
            rect.track width="100" height="4" {} rect.used width=(percent.min(100)) height="4" {}
        }
        span.quiet { (percent) " %" }
    }
}

/// Memory that counts in all projects or on this machine, if there is any.
fn scope_row(slug: &str, title: &str, memory: &Memory, links: &Links) -> Result<Markup, PageError> {
    let entries = memory.catalogue()?.entries;
    let links = links.in_project(slug);
    let size = entries.iter().map(|entry| entry.bytes).sum();
    Ok(html! {
        @if !entries.is_empty() {
            tr {
                td.name {
                    a.row-link href=(links.to("memories", &[])) { strong { (title) } }
                    div.path { (visible(memory.directory().as_str())) }
                }
                td.number data-label="Memories" { (entries.len()) }
                td.number {} td.number data-label="Size" { (bytes(size)) } td {} td {} td {}
            }
        }
    })
}

fn flag_badge(flag: Flag) -> Markup {
    let kind = match flag {
        Flag::Moved | Flag::Collision => "bad",
        Flag::Orphan | Flag::LegacyName => "warn",
        Flag::Copy => "",
    };
    badge(kind, &flag.to_string())
}
