//! What an agent needs to go on after a compaction, most important first, within a budget.

use camino::Utf8Path;
use jiff::Timestamp;
use serde::Serialize;

use super::record::Kind;
use crate::hygiene::{caution, clean, quote_line, quote_lines, wrap};
use crate::secrets::redact;

mod character_budget;
#[cfg(test)]
mod tests;

use character_budget::CharacterBudget;

/// What a piece of a recovery is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Part {
    /// Task, progress, next step and blockers.
    State,
    /// The current task in full.
    Task,
    /// A record that matters for the task.
    Record,
    /// What the user prefers.
    Preferences,
    /// What the project is.
    Project,
    /// Projects that are related.
    Related,
}

/// A file, or a part of one, that an agent may need.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecoverySource {
    /// What it is.
    pub part: Part,
    /// Where it is, as a reader would open it.
    pub path: String,
    /// What it says.
    pub text: String,
    /// When it last changed.
    pub modified: Option<Timestamp>,
}

/// One record in the list of the newest.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RecordLine {
    /// The day, as the journal writes it.
    pub date: String,
    /// Its kind: `Decision`, `Analysis`, …
    pub kind: String,
    /// Its title.
    pub title: String,
    /// Its path below the journal.
    pub path: String,
}

/// Everything that a recovery can be made from.
#[derive(Debug, Clone, Default)]
pub struct RecoveryMaterial {
    /// The first lines, in our own words.
    pub opening: String,
    /// The state of the work: a label of ours and a value each.
    pub state: Vec<(&'static str, String)>,
    /// The task in full, if it says more than its title.
    pub task: Option<RecoverySource>,
    /// The newest records, newest first.
    pub recent: Vec<RecordLine>,
    /// The records that matter for the task, best first.
    pub records: Vec<RecoverySource>,
    /// Outputs of sub-agents that were not consolidated yet.
    pub waiting: Vec<RecordLine>,
    /// Preferences, project, related projects.
    pub background: Vec<RecoverySource>,
    /// Paths of records that would be next.
    pub more: Vec<String>,
}

/// A recovery, ready for a model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Recovered {
    /// The text.
    pub text: String,
    /// What it takes, at four characters a token.
    pub tokens: usize,
    /// The files that are in it.
    pub shown: Vec<Shown>,
    /// The newest records that are named, newest first.
    pub listed: Vec<RecordLine>,
    /// Outputs of sub-agents that wait to be taken over.
    pub waiting: Vec<String>,
    /// What is not in it, and where it is.
    pub left_out: Vec<String>,
}

/// A piece that is in a recovery.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Shown {
    /// What it is.
    pub part: Part,
    /// Where it is.
    pub path: String,
    /// Whether only its beginning is shown.
    pub cut: bool,
}

/// How many tokens a recovery takes if nothing else is said.
pub const DEFAULT_BUDGET: usize = 2_000;

const CHARACTERS_PER_TOKEN: usize = 4;
/// Characters for the frame and for the list of what was left out.
const CLOSING: usize = 400;
/// The most of one record.
const MOST_OF_RECORD: usize = 1_600;
/// A text is marked with its age from this on: dates of records are in the list anyway.
const OLD_DAYS: i64 = 30;
/// The fields of our own records, which are not names of speakers.
const LABELS: [&str; 14] = [
    "**Agent**:",
    "**Analyzed**:",
    "**Category**:",
    "**Date**:",
    "**Last Updated**:",
    "**Parent Context**:",
    "**Path**:",
    "**Progress**:",
    "**Status**:",
    "**Superseded by**:",
    "**Supersedes**:",
    "**Task**:",
    "**Type**:",
    "**Updated**:",
];

/// Puts a recovery together: the state of the work, a line for each of the newest records, the texts of those that
/// matter, outputs that wait, preferences, project and relations; what did not fit is named.
///
/// Everything that was read from files is in one frame. Preferences and what follows them have up to a third of
/// the room for sure, because records would always fill it.
#[must_use]
pub fn compose(material: &RecoveryMaterial, budget: usize, now: Timestamp) -> Recovered {
    let total = budget.saturating_mul(CHARACTERS_PER_TOKEN);
    let opening = format!("{}\n", material.opening.trim_end());
    let mut room = CharacterBudget::new(total.saturating_sub(opening.chars().count() + CLOSING));
    let mut pieces = Pieces { now, ..Pieces::default() };

    let state = room.part(2, |room| state_lines(&material.state, room));
    let task = material.task.iter().map(|task| room.part(2, |room| pieces.quote(task, room)));
    let task: String = task.collect();

    let is_alone = material.state.is_empty()
        && material.recent.is_empty()
        && material.records.is_empty()
        && material.waiting.is_empty();
    let share = if is_alone { room.left() } else { room.left() / 3 };
    let mut background = String::new();
    let mut reserve = CharacterBudget::new(share);
    for (number, source) in material.background.iter().enumerate() {
        // The last one may take all that is left; the others leave something.
        let parts = if number + 1 == material.background.len() { 1 } else { 2 };
        background.push_str(&reserve.part(parts, |room| pieces.quote(source, room)));
    }
    room.take(share - reserve.left());
    let (waiting, shown_waiting) = room.part_of(4, |room| waiting_lines(&material.waiting, room));
    let (recent, listed) = recent_lines(&material.recent, &mut room);
    let mut records = String::new();
    for source in &material.records {
        let mut one = CharacterBudget::new(room.left().min(MOST_OF_RECORD));
        let text = pieces.quote(source, &mut one);
        room.take(text.chars().count());
        records.push_str(&text);
    }

    let mut left_out = pieces.left_out;
    let unlisted = material.recent.iter().skip(listed).map(|line| line.path.clone());
    let unshown = material.waiting.iter().skip(shown_waiting).map(|line| line.path.clone());
    for path in unlisted.chain(unshown).chain(material.more.iter().cloned()) {
        if !left_out.contains(&path) && !pieces.shown.iter().any(|shown| shown.path == path) {
            left_out.push(path);
        }
    }
    let body = format!("{state}{task}{recent}{records}{waiting}{background}");
    let framed = if body.is_empty() { String::new() } else { wrap(&body) };
    let named = material.recent.get(..listed).unwrap_or_default();
    let text = format!("{opening}{framed}{}", closing(&left_out, named, budget));
    let text = first_characters(text, total);
    pieces.shown.sort_by_key(|shown| shown.part);
    if !state.is_empty() {
        pieces
            .shown
            .insert(0, Shown { part: Part::State, path: super::key::INDEX_FILE.to_owned(), cut: false });
    }
    Recovered {
        tokens: text.chars().count().div_ceil(CHARACTERS_PER_TOKEN),
        text,
        shown: pieces.shown,
        listed: named.to_vec(),
        waiting: material.waiting.iter().map(|line| line.path.clone()).collect(),
        left_out,
    }
}

/// The texts that were quoted so far.
#[derive(Default)]
struct Pieces {
    now: Timestamp,
    shown: Vec<Shown>,
    left_out: Vec<String>,
}

impl Pieces {
    /// A text below its path, as much of it as fits; empty if not even a few lines do.
    fn quote(&mut self, source: &RecoverySource, room: &mut CharacterBudget) -> String {
        /// Less of a text is not worth its heading.
        const LEAST: usize = 100;
        if source.text.trim().is_empty() {
            return String::new();
        }
        let (text, _) = redact(source.text.trim());
        let heading = format!("\n{}{}:\n", quote_line(&source.path), self.remarks(source, &text));
        let cut_note = "| […]\n";
        let frame = heading.chars().count() + cut_note.chars().count();
        let most = room.left().saturating_sub(frame);
        let mut units = most;
        let needed = text.chars().count().min(LEAST);
        while units >= needed {
            let (quoted, is_cut) = quote_lines(&text, &LABELS, units);
            let length = quoted.chars().count();
            if length <= most {
                let note = if is_cut { cut_note } else { "" };
                let piece = format!("{heading}{quoted}{note}");
                room.take(piece.chars().count());
                self.shown.push(Shown { part: source.part, path: source.path.clone(), cut: is_cut });
                if is_cut && source.part != Part::Record {
                    self.left_out.push(source.path.clone());
                }
                return piece;
            }
            units = units.saturating_sub(length - most + LEAST / 4);
        }
        self.left_out.push(source.path.clone());
        String::new()
    }

    /// How old a text is, if that matters, and whether it looks like an attack.
    fn remarks(&self, source: &RecoverySource, text: &str) -> String {
        let days = source.modified.map_or(0, |time| (self.now.as_second() - time.as_second()) / 86_400);
        let age = (days >= OLD_DAYS).then(|| format!("{days} days old"));
        let caution = caution(text).map(|caution| format!("caution: {}", quote_line(&caution)));
        let remarks: Vec<String> = age.into_iter().chain(caution).collect();
        if remarks.is_empty() { String::new() } else { format!(" ({})", remarks.join("; ")) }
    }
}

fn state_lines(state: &[(&'static str, String)], room: &mut CharacterBudget) -> String {
    let mut text = String::new();
    for (label, value) in state {
        let line = format!("{label}: {}\n", quote_line(&redact(value).0));
        if !room.fits(&line) {
            let line: String = line.chars().take(room.left().saturating_sub(2)).collect();
            if line.chars().count() > label.len() + 20 {
                text.push_str(&format!("{}…\n", line.trim_end()));
                room.take(line.chars().count() + 2);
            }
            break;
        }
        text.push_str(&line);
    }
    text
}

fn record_line(line: &RecordLine) -> String {
    let RecordLine { date, kind, title, path } = line;
    let title = super::text::one_line(&redact(title).0, 80);
    format!("{} {}: {} ({})\n", quote_line(date), quote_line(kind), quote_line(&title), quote_line(path))
}

/// One line for each of the newest records, and how many there was room for.
fn recent_lines(recent: &[RecordLine], room: &mut CharacterBudget) -> (String, usize) {
    let mut text = "\nRecords, newest first:\n".to_owned();
    if recent.is_empty() || !room.fits(&text) {
        return (String::new(), 0);
    }
    let mut listed = 0;
    for line in recent.iter().map(record_line).take_while(|line| room.fits(line)) {
        text.push_str(&line);
        listed += 1;
    }
    if listed == 0 { (String::new(), 0) } else { (text, listed) }
}

fn waiting_lines(waiting: &[RecordLine], room: &mut CharacterBudget) -> (String, usize) {
    let mut text = "\nOutputs of sub-agents that wait for `memdir journal consolidate`:\n".to_owned();
    if waiting.is_empty() || !room.fits(&text) {
        return (String::new(), 0);
    }
    let mut listed = 0;
    for line in waiting.iter().map(record_line).take_while(|line| room.fits(line)) {
        text.push_str(&line);
        listed += 1;
    }
    (text, listed)
}

const SHOW_RECORD: &str = "`memdir journal show PATH` prints a record, `memdir journal list` lists all";

/// What did not fit, by path. Records that are in the list need not be named twice.
fn closing(left_out: &[String], listed: &[RecordLine], budget: usize) -> String {
    let is_listed = |path: &&String| listed.iter().any(|line| line.path == **path);
    let unnamed: Vec<&String> = left_out.iter().filter(|path| !is_listed(path)).collect();
    // A path in full is not one of a record: the profile, the project's page of another journal, the map.
    let (outside, records): (Vec<&String>, Vec<&String>) =
        left_out.iter().partition(|path| Utf8Path::new(path).is_absolute());
    let show = match (records.is_empty(), outside.is_empty()) {
        (true, _) => "Read the file itself if it matters".to_owned(),
        (false, true) => SHOW_RECORD.to_owned(),
        (false, false) => format!("{SHOW_RECORD}; read a file with a full path itself"),
    };
    let mut names = String::new();
    let mut named = 0;
    for path in &unnamed {
        if names.len() + path.len() > CLOSING - 250 {
            break;
        }
        names.push_str(if named == 0 { "" } else { ", " });
        names.push_str(&clean(path));
        named += 1;
    }
    let rest = match unnamed.len() - named {
        0 => String::new(),
        rest if named == 0 => format!("{rest} files"),
        rest => format!(" and {rest} more"),
    };
    match (unnamed.is_empty(), left_out.is_empty()) {
        (true, true) => String::new(),
        (true, false) => format!("The other texts did not fit into {budget} tokens: {show}.\n"),
        (false, _) => format!("Left out to stay within {budget} tokens: {names}{rest}. {show}.\n"),
    }
}

fn first_characters(text: String, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => text.get(..end).unwrap_or_default().to_owned(),
        None => text,
    }
}

/// A record as briefly as it can be told: its title and date are in the list, empty sections say nothing.
#[must_use]
pub fn brief(text: &str, kind: Kind) -> String {
    let mut record = super::record::Record::parse(text);
    record.sections.retain(|(_, body)| !body.trim().is_empty());
    let is_known = |name: &str| [kind.date_field(), "Category", "Type"].contains(&name);
    record.fields.retain(|(name, value)| !(is_known(name) || name == "Status" && value == "decided"));
    let text = record.to_string();
    let body = text.split_once('\n').map_or("", |(_, body)| body);
    body.trim().to_owned()
}
