//! The index rebuilt: a line for every memory, none that leads nowhere, all within the limits.

use std::collections::{HashMap, HashSet};

use jiff::{Timestamp, ToSpan};

use super::account::LeftAlone;
use super::desk::{Desk, DeskIndexes};
use super::live::Live;
use super::statement::{entry_words, normal};
use crate::memory::auto_index::{IndexSource, reindex};
use crate::memory::entrypoint::Usage;
use crate::memory::index::{
    Index, IndexEntry, MAX_LINE_UNITS, OVERFLOW, OVERFLOW_HEADING, all_out, balance, format_line,
    remove_lines,
};
use crate::memory::js_text;
use crate::memory::manifest::client_description;
use crate::memory::topic::validity::Validity;
use crate::rel_path::RelPath;

/// A use in one session counts like a day of youth, up to this many.
const MOST_USES: u32 = 90;

/// Rebuilds the index in the user's own order and below the user's own headings.
pub(super) fn prune(desk: &mut Desk<'_>) {
    let Some(indexes) = desk.indexes.clone() else { return };
    if desk.topics.is_empty() && indexes.index.is_none() {
        return;
    }
    let (text, overflow) = whole(&indexes);
    let mark = if text.starts_with('\u{feff}') { "\u{feff}" } else { "" };
    let text = text.trim_start_matches('\u{feff}').to_owned();
    let text = without_dead_lines(desk, &text);
    let sources = sources(desk, &text, overflow.as_deref());
    let others: Vec<&str> = desk
        .scene
        .files
        .iter()
        .map(|file| file.path.as_str())
        .filter(|path| RelPath::parse(path).is_ok_and(|path| !desk.topics.contains_key(&path)))
        .chain(desk.scene.unread.iter().map(|LeftAlone { path, .. }| path.as_str()))
        .collect();
    let text = reindex(&text, sources, &others);
    let youth =
        desk.topics.iter().map(|(path, file)| (path.to_string(), youth(desk, file.modified, file.used)));
    let mut balanced = balance(&text, overflow.as_deref(), &youth.collect());
    if !Usage::of(&balanced.index).fits() {
        let overflow = balanced.overflow.clone().unwrap_or_default();
        balanced = all_out(&balanced.index, &overflow).unwrap_or(balanced);
    }
    let index =
        (indexes.index.is_some() || !balanced.index.is_empty()).then(|| format!("{mark}{}", balanced.index));
    let pruned = DeskIndexes { index, overflow: balanced.overflow };
    if pruned != indexes {
        desk.changes += 1;
        desk.indexes = Some(pruned);
    }
}

/// The index together with what did not fit, so that what is used most gets the room. An overflow file that holds
/// more than lines stays as it is.
fn whole(indexes: &DeskIndexes) -> (String, Option<String>) {
    let index = indexes.index.clone().unwrap_or_default();
    let Some(overflow) = &indexes.overflow else { return (index, None) };
    let parsed = Index::parse(overflow);
    let is_ours = |raw: &str| raw.trim().is_empty() || raw.trim() == OVERFLOW_HEADING;
    if !parsed.lines.iter().all(|line| line.entry.is_some() || is_ours(line.raw)) {
        return (index, Some(overflow.clone()));
    }
    let plain = remove_lines(&index, OVERFLOW);
    let lines = Index::parse(&plain);
    let behind = lines.entries().last().map_or(lines.lines.len(), |(number, _)| number);
    let end = if plain.contains("\r\n") { "\r\n" } else { "\n" };
    let mut text = String::with_capacity(plain.len() + overflow.len());
    let mut push = |raw: &str| {
        text.push_str(raw);
        if !raw.ends_with('\n') {
            text.push_str(end);
        }
    };
    lines.lines.iter().take(behind).for_each(|line| push(line.raw));
    for line in parsed.lines.iter().filter(|line| line.entry.is_some()) {
        push(&format!("{}{end}", line.raw.trim_end()));
    }
    text.extend(lines.lines.iter().skip(behind).map(|line| line.raw));
    (text, None)
}

/// The index without lines of what was merged, second lines that say nothing new, and links that lead nowhere: what
/// only such a line says, stays as text.
fn without_dead_lines(desk: &mut Desk<'_>, text: &str) -> String {
    let parsed = Index::parse(text);
    let existing: HashSet<&str> = desk
        .topics
        .keys()
        .map(RelPath::as_str)
        .chain(desk.scene.files.iter().map(|file| file.path.as_str()))
        .chain(desk.scene.unread.iter().map(|left| left.path.as_str()))
        .chain([OVERFLOW])
        .collect();
    let files = desk.files();
    let others = files.iter().filter(|(path, _)| !path.as_str().starts_with("MEMORY"));
    let others = others.map(|(path, content)| (*path, *content)).collect();
    let live = std::cell::OnceCell::new();
    let is_said = |said: &str| {
        said.is_empty() || live.get_or_init(|| Live::of(&others, desk.readings)).holds(&normal(said))
    };
    let mut kept = String::with_capacity(text.len());
    let mut unlinked = Vec::new();
    let mut seen: HashMap<&str, &IndexEntry> = HashMap::new();
    for line in &parsed.lines {
        let Some(entry) = &line.entry else {
            kept.push_str(line.raw);
            continue;
        };
        let content = line.raw.trim_end();
        let indent = content.len() - content.trim_start().len();
        let end = line.raw.get(content.len()..).unwrap_or_default();
        let path = RelPath::parse(&entry.path).ok();
        if path.as_ref().is_some_and(|path| desk.merged.contains_key(path)) {
            continue;
        }
        if !existing.contains(entry.path.as_str()) {
            unlinked.push(content.trim_start().to_owned());
            for said in entry_words(entry).filter(|said| !is_said(said)) {
                kept.push_str(line.raw.get(..indent).unwrap_or_default());
                kept.push_str(&format!("- {said}{}", if end.is_empty() { "\n" } else { end }));
            }
            continue;
        }
        if let Some(first) = seen.get(entry.path.as_str()) {
            let is_same = |one: &str, other: &str| normal(one) == normal(other) || is_said(one);
            if is_same(&entry.hook, &first.hook) && (entry.title == first.title || is_said(&entry.title)) {
                continue;
            }
        } else {
            seen.insert(entry.path.as_str(), entry);
        }
        let is_long = js_text::units(content) > MAX_LINE_UNITS && entry.path != OVERFLOW;
        let short = is_long.then(|| format_line(&entry.title, &entry.path, &entry.hook));
        match short.filter(|short| js_text::units(short) <= MAX_LINE_UNITS && is_said(&entry.hook)) {
            Some(short) => {
                kept.push_str(line.raw.get(..indent).unwrap_or_default());
                kept.push_str(&short);
                kept.push_str(end);
            }
            None => kept.push_str(line.raw),
        }
    }
    desk.account.unlinked.extend(unlinked);
    kept
}

/// What lines are made from: a memory that has one keeps it, the others get one unless the user took it back.
fn sources(desk: &mut Desk<'_>, text: &str, overflow: Option<&str>) -> Vec<IndexSource> {
    let in_index = listed(text);
    let in_overflow = overflow.map(listed).unwrap_or_default();
    let paths: Vec<RelPath> = desk.topics.keys().cloned().collect();
    let mut sources = Vec::new();
    for path in paths {
        if in_overflow.contains(path.as_str()) && !in_index.contains(path.as_str()) {
            continue;
        }
        let is_listed = in_index.contains(path.as_str());
        if desk.topics.get(&path).is_some_and(|file| !Validity::of(&file.text).is_indexed()) {
            continue;
        }
        if !is_listed {
            if !desk.may("link", path.as_str()) {
                continue;
            }
            desk.account.linked.push(path.to_string());
        }
        let Some(file) = desk.topics.get(&path) else { continue };
        let description = if is_listed { None } else { client_description(&file.text) };
        sources.push(IndexSource { path: path.to_string(), description, modified: file.modified });
    }
    sources
}

fn listed(text: &str) -> HashSet<String> {
    Index::parse(text).entries().map(|(_, entry)| entry.path.clone()).collect()
}

/// How young a memory counts, by when it was written and how often it was of use. Whole days, so that the order in
/// which one dream writes files does not matter to the next.
fn youth(desk: &Desk<'_>, modified: Timestamp, used: u32) -> Timestamp {
    let day = desk.scene.day_of(modified).checked_add(i64::from(used.min(MOST_USES)).days());
    let start = day.ok().and_then(|day| day.to_zoned(desk.scene.zone.clone()).ok());
    start.map_or(modified, |start| start.timestamp())
}
