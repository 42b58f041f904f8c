//! All projects.

use std::cmp::Reverse;
use std::collections::HashMap;

use camino::Utf8PathBuf;
use maud::{Markup, html};
use memdir_core::project::findings::Flag;
use memdir_core::settings::ClientFlags;
use memdir_lib::memory::Memory;
use memdir_lib::projects::ProjectEntry;

use crate::access::Browser;
use crate::page::{Links, badge, empty, frame, heading};
use crate::reply::{PageError, Reply};
use crate::text::{ago, bytes, count, visible};
use crate::viewer::Viewer;

pub(crate) fn home(viewer: &Viewer, browser: &Browser) -> Result<Reply, PageError> {
    let place = viewer.start()?;
    let links = Links::of(viewer, &place.here.slug);
    let mut survey = viewer.projects()?;
    survey.entries.sort_by_key(|entry| Reverse((entry.slug == place.here.slug, entry.last_used)));
    let waiting = waiting(viewer);
    let is_known = survey.entries.iter().any(|entry| entry.slug == place.here.slug);
    let body = html! {
        main.wide #main tabindex="-1" data-live="main" {
            (heading("Projects", &html! { span.quiet { (count(survey.entries.len(), "project", "projects")) } }))
            @if !is_known {
                p.card {
                    "You started in " code { (visible(place.here.root.as_str())) } ", which has no memory yet. "
                    a href=(links.to("memories", &[])) { "Open it" } " to write the first one."
                }
            }
            @if survey.entries.is_empty() {
                (empty("No projects yet", &html! {
                    "A project appears here after its first session or its first memory. "
                    code { "memdir demo" } " shows what that looks like."
                }))
            } @else {
                table.list {
                    thead { tr {
                        th { "Project" } th.number { "Memories" } th.number { "Sessions" } th.number { "Size" }
                        th.number { "Last used" } th { "Attention" }
                    } }
                    tbody {
                        @for entry in &survey.entries {
                            (row(entry, entry.slug == place.here.slug, waiting.get(&entry.slug).copied(), &links, viewer))
                        }
                    }
                }
            }
            @for problem in &survey.problems { p.warning { (visible(&problem.to_string())) } }
        }
    };
    Ok(Reply::Html(frame("Projects", &links, browser, &body)))
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
            td.number data-label="Last used" { @if let Some(used) = entry.last_used { (ago(used, now)) } }
            td.flags {
                @for flag in &entry.flags { (flag_badge(*flag)) " " }
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

fn flag_badge(flag: Flag) -> Markup {
    let kind = match flag {
        Flag::Moved | Flag::Collision => "bad",
        Flag::Orphan | Flag::LegacyName => "warn",
        Flag::Copy => "",
    };
    badge(kind, &flag.to_string())
}
