//! The list of memories, searched and filtered, beside the one that is open.

use jiff::Timestamp;
use maud::{Markup, html};
use memdir_core::memory::memory_type::MemoryType;
use memdir_core::verify::Freshness;
use memdir_lib::memory::Entry;
use memdir_lib::sources;
use memdir_search::Hit;
use memdir_sync::conflict_copy::original_of;
use serde::Deserialize;

use super::memory::detail;
use crate::page::{Asked, Done, Tab, badge, empty};
use crate::reply::{PageError, Reply};
use crate::text::{ago, author_kind, count, cut, visible};

/// So many rows are sent at once; the script asks for the next ones when they come into view.
pub(crate) const CHUNK: usize = 100;
/// So many hits a search shows.
const MAX_HITS: usize = 200;
/// A longer question is cut.
const MAX_QUESTION: usize = 400;

/// What is looked for.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Filter {
    q: String,
    r#type: String,
    age: String,
    author: String,
    scope: String,
    state: String,
    /// The memory that is open.
    path: String,
    /// From which row on.
    from: usize,
    /// The part of the page that the script wants: `rows`, `list` or `detail`.
    part: String,
    #[serde(flatten)]
    done: Done,
}

/// A row of the list.
struct Row<'r> {
    entry: &'r Entry,
    hit: Option<Hit>,
}

pub(crate) fn memories(asked: &Asked<'_>, filter: Filter) -> Result<Reply, PageError> {
    if filter.part == "detail" {
        return Ok(Reply::Html(detail(asked, &filter.path)?));
    }
    let catalogue = asked.project.catalogue()?;
    let rows = rows(asked, &filter, &catalogue.entries)?;
    if filter.part == "rows" {
        return Ok(Reply::Html(chunk(asked, &filter, &rows, filter.from)?));
    }
    let list = list(asked, &filter, &rows, catalogue.entries.len())?;
    if filter.part == "list" {
        return Ok(Reply::Html(list));
    }
    let body = html! {
        div class={"panes" @if !filter.path.is_empty() { " has-open" }} {
            section.pane-list aria-label="Memories" {
                (search_form(asked, &filter))
                div #list data-live="list" { (list) }
            }
            section.pane-detail #detail aria-label="Memory" data-live="detail" {
                @if filter.path.is_empty() { (nothing_open(asked, catalogue.entries.len())) }
                @else { (detail(asked, &filter.path)?) }
            }
        }
    };
    Ok(Reply::Html(asked.page(Tab::Memories, "Memories", &filter.done, &body)))
}

fn nothing_open(asked: &Asked<'_>, number: usize) -> Markup {
    if number == 0 {
        return empty(
            "No memories yet",
            &html! {
                "Agents write them while they work, and you can write the first one: "
                a href=(asked.links.to("new", &[])) { "new memory" } "."
            },
        );
    }
    empty(
        "Choose a memory",
        &html! { kbd { "j" } " and " kbd { "k" } " move, " kbd { "Enter" } " opens, " kbd { "/" } " searches." },
    )
}

fn search_form(asked: &Asked<'_>, filter: &Filter) -> Markup {
    let select = |name: &str, label: &str, chosen: &str, options: &[(&str, &str)]| {
        html! {
            select name=(name) aria-label=(label) {
                @for (value, text) in options { option value=(value) selected[*value == chosen] { (text) } }
            }
        }
    };
    html! {
        form.search role="search" method="get" action=(asked.links.to("memories", &[])) data-search="list" {
            div.search-line {
                input type="search" name="q" value=(filter.q) placeholder="Search memories" aria-label="Search memories"
                    autocomplete="off" spellcheck="false" maxlength=(MAX_QUESTION);
                a.button.small href=(asked.links.to("new", &[])) { "New" }
            }
            div.filters {
                (select("type", "Type", &filter.r#type, &[("", "any type"), ("user", "user"), ("feedback", "feedback"), ("project", "project"), ("reference", "reference"), ("untyped", "untyped")]))
                (select("age", "Age", &filter.age, &[("", "any age"), ("1", "today"), ("7", "7 days"), ("30", "30 days"), ("old", "over 90 days")]))
                (select("author", "Author", &filter.author, &[("", "any author"), ("person", "you"), ("agent", "agents"), ("extract", "extraction"), ("dream", "dream"), ("team", "team"), ("foreign", "other programs")]))
                (select("scope", "Scope", &filter.scope, &[("", "any scope"), ("private", "private"), ("team", "team"), ("log", "daily logs")]))
                (select("state", "State", &filter.state, &[("", "any state"), ("stale", "stale citations"), ("broken", "broken header"), ("conflict", "kept twice")]))
            }
        }
    }
}

/// The rows that a filter leaves, in the order of the search or newest first.
fn rows<'c>(asked: &Asked<'_>, filter: &Filter, entries: &'c [Entry]) -> Result<Vec<Row<'c>>, PageError> {
    let now = asked.viewer.now();
    let mut rows: Vec<Row<'c>> = if filter.q.trim().is_empty() {
        entries.iter().map(|entry| Row { entry, hit: None }).collect()
    } else {
        let question: String = filter.q.chars().take(MAX_QUESTION).collect();
        let found = asked.project.search(&question, MAX_HITS, now)?;
        let hits = found.hits.into_iter().chain(found.nearest);
        let in_directory =
            |hit: &Hit| hit.path.strip_prefix(&asked.project.memory_dir).ok().map(ToString::to_string);
        let by_path: std::collections::HashMap<&str, &Entry> =
            entries.iter().map(|entry| (entry.path.as_str(), entry)).collect();
        let row = |hit: Hit| {
            let entry = in_directory(&hit).and_then(|path| by_path.get(path.as_str()).copied())?;
            Some(Row { entry, hit: Some(hit) })
        };
        hits.filter_map(row).collect()
    };
    if !filter.r#type.is_empty() {
        let is_it = |entry: &Entry| match &entry.memory_type {
            Some(kind) => kind.as_str() == filter.r#type,
            None => filter.r#type == "untyped",
        };
        rows.retain(|row| is_it(row.entry));
    }
    if !filter.age.is_empty() {
        rows.retain(|row| is_of_age(row.entry.modified, now, &filter.age));
    }
    if !filter.scope.is_empty() {
        rows.retain(|row| scope_of(row.entry) == filter.scope);
    }
    if !filter.author.is_empty() {
        let authors = asked.project.authors()?;
        rows.retain(|row| {
            let kind = authors.get(row.entry.path.as_str()).map(|author| author_kind(author.kind));
            kind.unwrap_or("foreign") == filter.author
        });
    }
    match filter.state.as_str() {
        "stale" => {
            let freshness = asked.project.freshness()?;
            rows.retain(|row| {
                freshness.get(&row.entry.path).is_some_and(|known| known.freshness != Freshness::Fresh)
            });
        }
        "broken" => rows.retain(|row| !row.entry.problems.is_empty()),
        "conflict" => rows.retain(|row| original_of(row.entry.path.as_str()).is_some()),
        _ => {}
    }
    Ok(rows)
}

fn is_of_age(modified: Timestamp, now: Timestamp, age: &str) -> bool {
    let days = (now.as_second() - modified.as_second()).max(0) / 86_400;
    match age {
        "old" => days > 90,
        most => most.parse().is_ok_and(|most: i64| days < most),
    }
}

pub(crate) fn scope_of(entry: &Entry) -> &'static str {
    match entry.path.as_str().split('/').next() {
        Some("team") => "team",
        Some("logs") => "log",
        _ => "private",
    }
}

/// The list: the first rows, and how many there are.
fn list(asked: &Asked<'_>, filter: &Filter, rows: &[Row<'_>], all: usize) -> Result<Markup, PageError> {
    let is_filtered = rows.len() != all || !filter.q.is_empty();
    Ok(html! {
        p.quiet.total role="status" {
            @if is_filtered { (rows.len()) " of " } (count(all, "memory", "memories"))
        }
        @if rows.is_empty() && all > 0 {
            (empty("Nothing found", &html! { "No memory matches. " a href=(asked.links.to("memories", &[])) { "Show all" } }))
        }
        div.rows data-total=(rows.len()) data-chunk=(CHUNK) { (chunk(asked, filter, rows, 0)?) }
    })
}

fn chunk(asked: &Asked<'_>, filter: &Filter, rows: &[Row<'_>], from: usize) -> Result<Markup, PageError> {
    let shown = rows.iter().skip(from).take(CHUNK);
    let freshness = asked.project.freshness()?;
    let usage = sources::usage(&asked.viewer.env);
    let now = asked.viewer.now();
    Ok(html! {
        ol.chunk start=(from + 1) {
            @for Row { entry, hit } in shown {
                @let path = entry.path.as_str();
                @let recalled = usage.count(&asked.project.memory_dir.join(path));
                @let is_open = path == filter.path;
                li {
                    a.row href=(row_address(asked, filter, path)) data-pane="detail" aria-current=[is_open.then_some("true")] {
                        span.row-top {
                            span class={"dot " (entry.memory_type.as_ref().map_or("untyped", MemoryType::as_str))}
                                role="img" aria-label=(entry.memory_type.as_ref().map_or("untyped", MemoryType::as_str))
                                title=(entry.memory_type.as_ref().map_or("untyped", MemoryType::as_str)) {}
                            strong { (visible(entry.title())) }
                            span.row-side {
                                @match freshness.get(&entry.path).map(|known| known.freshness) {
                                    Some(Freshness::Fresh) | None => {},
                                    Some(_) => (badge("warn", "stale")),
                                }
                                @if scope_of(entry) != "private" { (badge("", scope_of(entry))) }
                                @if !entry.problems.is_empty() { (badge("bad", "header")) }
                                @if recalled > 0 { span.recalled title={"recalled " (recalled) " times"} { "↺" (recalled) } }
                                (ago(entry.modified, now))
                            }
                        }
                        span.row-text {
                            @match hit.as_ref().filter(|hit| !hit.snippet.is_empty()) {
                                Some(hit) => (snippet(hit)),
                                None => (visible(&cut(entry.description.as_deref().unwrap_or_default(), 160))),
                            }
                        }
                    }
                }
            }
        }
    })
}

/// The address of a row keeps what was looked for.
fn row_address(asked: &Asked<'_>, filter: &Filter, path: &str) -> String {
    let Filter { q, r#type, age, author, scope, state, .. } = filter;
    let fields =
        [("q", q), ("type", r#type), ("age", age), ("author", author), ("scope", scope), ("state", state)];
    let mut asked_for: Vec<(&str, &str)> =
        fields.iter().map(|(name, value)| (*name, value.as_str())).collect();
    asked_for.push(("path", path));
    asked.links.to("memories", &asked_for)
}

/// The words that were found, marked.
pub(crate) fn snippet(hit: &Hit) -> Markup {
    let part = |range: std::ops::Range<usize>| visible(hit.snippet.get(range).unwrap_or_default());
    let mut from = 0;
    let mut parts = Vec::new();
    for mark in &hit.marks {
        parts.push((part(from..mark.start), part(mark.clone())));
        from = mark.end;
    }
    html! {
        @for (before, marked) in &parts { (before) mark { (marked) } }
        (part(from..hit.snippet.len()))
    }
}
