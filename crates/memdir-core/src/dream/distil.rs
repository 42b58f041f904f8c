//! Notes of the daily logs that are worth keeping become memories, or part of one. The logs stay as they are.

use std::collections::HashSet;

use jiff::civil::Date;

use super::account::Distilled;
use super::dates::dated;
use super::desk::{Desk, DeskFile};
use super::live::{without_day_before, without_time};
use super::merge::append;
use super::reading::{Reading, Readings};
use super::statement::{Chunk, ChunkKind, normal};
use crate::extract::reading::{memory_noted, memory_said};
use crate::extract::{Extracted, KnownTexts, Source, Standing};
use crate::hygiene::flag;
use crate::memory::memory_type::MemoryType;
use crate::rel_path::RelPath;
use crate::secrets::scan;

/// Shorter notes say nothing a month later, longer ones are not notes.
const FEWEST_WORDS: usize = 4;
const LONGEST_NOTE: usize = 700;
/// So many memories come out of one dream; the rest waits for the next.
const MOST_NEW: usize = 500;

/// The word by which a note is known again that was looked at.
const DISTIL: &str = "distil";

/// One note of a log.
struct Note<'s> {
    day: Date,
    log: &'s RelPath,
    text: String,
}

/// Distils what the logs say and no memory says yet.
pub(super) fn distil(desk: &mut Desk<'_>) {
    // Logs do not change, and what was looked at once stays so.
    if !desk.is_first(DISTIL) {
        return;
    }
    let notes: Vec<Note<'_>> =
        desk.logs.iter().flat_map(|(day, log, text)| notes(*day, log, text, desk.readings)).collect();
    desk.account.left_in_logs = 0;
    if notes.is_empty() {
        return;
    }
    let today = desk.scene.day_of(desk.scene.now);
    let mut known = known(desk);
    let mut said = said(desk);
    let mut added = desk.account.distilled.iter().filter(|done| done.is_new).count();
    for note in notes {
        if desk.is_done(DISTIL, &normal(&note.text)) {
            continue;
        }
        let Some(memory) = worth_keeping(&note, today) else {
            desk.account.left_in_logs += 1;
            continue;
        };
        let words = memory.statement.clone();
        if !said.insert(normal(&words)) {
            desk.may(DISTIL, &normal(&note.text));
            continue;
        }
        let into = match known.standing(&memory) {
            Standing::Said { whence } => match differs_in_numbers(desk, &whence, &note.text) {
                Some(path) => path,
                None => {
                    desk.may(DISTIL, &normal(&note.text));
                    continue;
                }
            },
            Standing::Updates { path } => desk.home_of(&path).clone(),
            Standing::New if added < MOST_NEW => match free_path(desk, &memory.name) {
                Some(path) => path,
                None => continue,
            },
            Standing::New => continue,
        };
        desk.may(DISTIL, &normal(&note.text));
        known.add_memory(into.clone(), &memory.name, Some(memory.memory_type.clone()), &memory.body);
        let is_new = !desk.topics.contains_key(&into);
        if is_new {
            added += 1;
            let file = DeskFile::new(memory.topic(desk.scene.now, None).render(), desk.scene.now, note.day);
            desk.add(into.clone(), file);
        } else if let Some(file) = desk.topics.get(&into) {
            let text = append(&file.text, &[format!("**Since {}:** {words}", note.day)]);
            desk.rewrite(&into, text);
        }
        desk.account.distilled.push(Distilled { from: note.log.clone(), into, statement: note.text, is_new });
    }
}

/// What the memories say word for word.
fn said(desk: &Desk<'_>) -> HashSet<String> {
    let mut said = HashSet::new();
    for reading in desk.topics.values().map(|file| desk.readings.of(&file.text)) {
        said_by(&reading, &mut said);
    }
    said
}

fn said_by(reading: &Reading, said: &mut HashSet<String>) {
    for statement in reading.said() {
        // What was replaced since is told too, and does not come back.
        said.insert(without_day_before(&statement.normal).to_owned());
        said.insert(statement.normal.clone());
    }
}

/// What is written down already, in memories and in what agents read anyway.
fn known(desk: &Desk<'_>) -> KnownTexts {
    let mut known = KnownTexts::default();
    for (name, text) in &desk.scene.documents {
        known.add_document(name, text);
    }
    for (path, file) in &desk.topics {
        let reading = desk.readings.of(&file.text);
        let (name, kind) = (&reading.topic.name, &reading.topic.memory_type);
        known.add_memory(path.clone(), name.as_deref().unwrap_or_default(), kind.clone(), reading.body());
    }
    known
}

/// The memory that says a note with other numbers: that is not a repetition, but news.
fn differs_in_numbers(desk: &Desk<'_>, whence: &str, note: &str) -> Option<RelPath> {
    let path = RelPath::parse(whence).ok()?;
    let file = desk.topics.get(&path)?;
    let numbers = |text: &str| -> HashSet<String> {
        let words = text.split(|character: char| !character.is_alphanumeric() && character != '.');
        let numbers = words.filter(|word| word.contains(|character: char| character.is_ascii_digit()));
        numbers.map(|word| word.trim_matches('.').to_lowercase()).collect()
    };
    (!numbers(note).is_subset(&numbers(&file.text))).then_some(path)
}

/// The notes of a log: its list items, and its paragraphs, without the time of day.
fn notes<'s>(day: Date, log: &'s RelPath, text: &str, readings: &Readings) -> Vec<Note<'s>> {
    let reading = readings.of(text);
    let is_note = |chunk: &&Chunk| chunk.kind.is_item() || chunk.kind == ChunkKind::Paragraph;
    let found = reading.chunks().iter().filter(is_note).map(|chunk| {
        let raw = text.get(chunk.range.clone()).unwrap_or_default();
        let line = raw.split_whitespace().collect::<Vec<_>>().join(" ");
        let line = line.trim_start_matches('\u{feff}');
        let line = line.strip_prefix("- ").or_else(|| line.strip_prefix("* ")).unwrap_or(line).trim_start();
        Note { day, log, text: without_time(line).to_owned() }
    });
    // A labelled line belongs to another one, and means nothing alone.
    found
        .filter(|note| {
            !note.text.is_empty() && (!note.text.starts_with("**") || tagged(&note.text).is_some())
        })
        .collect()
}

/// The memory that a note becomes; `None` if it is only of its day, or nothing that may be written down.
fn worth_keeping(note: &Note<'_>, today: Date) -> Option<Extracted> {
    let text = note.text.trim();
    let words = text.split_whitespace().count();
    let is_dense = !text.is_ascii() && text.chars().count() >= 8;
    if text.len() > LONGEST_NOTE || text.ends_with('?') || (words < FEWEST_WORDS && !is_dense) {
        return None;
    }
    let source = Source { turn: note.log.to_string(), time: None };
    let memory = match tagged(text) {
        Some((kind, text)) => memory_noted(&kind, &dated(text, note.day), &source, note.day),
        None => memory_said(text, &source, note.day)
            .or_else(|| Some(memory_noted(&noted_type(text)?, &dated(text, note.day), &source, note.day)))?,
    };
    // A day that was over before it was written down is nothing to remember, unless something began on it.
    if memory.day.is_some_and(|day| day < today) && !begins(text) {
        return None;
    }
    let all = format!("{}\n\n{}", memory.description, memory.body);
    (scan(&all).is_empty() && flag(&all).is_empty()).then_some(memory)
}

/// Whether a note says since when something is so.
fn begins(text: &str) -> bool {
    const SINCE: &str = "from since starting effective now ab seit jetzt desde partir ahora depuis désormais maintenant agora";
    let lower = text.to_lowercase();
    let mut words = lower.split(|character: char| !character.is_alphanumeric());
    words.any(|word| SINCE.split_whitespace().any(|known| known == word))
        || ["as of ", "から", "起", "开始"].iter().any(|since| lower.contains(since))
}

/// The type that a note names in front, as agents are asked to write it (`project: …`), and the rest of the note.
fn tagged(text: &str) -> Option<(MemoryType, &str)> {
    let (tag, rest) = text.split_once(':')?;
    let tag = tag.trim_matches(['*', '`', '[', ']', '(', ')', ' ']).to_lowercase();
    let kind = match tag.as_str() {
        "user" => MemoryType::User,
        "feedback" => MemoryType::Feedback,
        "project" => MemoryType::Project,
        "reference" => MemoryType::Reference,
        _ => return None,
    };
    let rest = rest.trim_start_matches(['*', ' ']);
    (!rest.is_empty()).then_some((kind, rest))
}

/// The type of a note about the user, the work or the project; `None` if it only tells what was done.
fn noted_type(text: &str) -> Option<MemoryType> {
    let lower = text.to_lowercase();
    let words: Vec<&str> =
        lower.split(|character: char| !character.is_alphanumeric() && character != '\'').collect();
    let has = |list: &str| list.split_whitespace().any(|wanted| words.contains(&wanted));
    let holds = |list: &[&str]| list.iter().any(|wanted| lower.contains(wanted));
    if holds(&[" says", " said", " wrote", " schreibt", " dice ", " dit ", " diz "])
        && !lower.contains("user ")
    {
        return None;
    }
    let about_user = matches!(words.first(), Some(&"user")) || lower.starts_with("the user ");
    if holds(&["http://", "https://"]) {
        return Some(MemoryType::Reference);
    }
    if has("prefers prefer preference wants dislikes hates likes insists bevorzugt prefiere préfère prefere")
        || has("always never immer niemals nie siempre nunca toujours jamais sempre")
        || holds(&[
            "don't ",
            "do not ",
            "must not",
            "from now on",
            "asked to",
            "asked for",
            "请",
            "不要",
            "必ず",
        ])
    {
        return Some(MemoryType::Feedback);
    }
    if about_user {
        return Some(MemoryType::User);
    }
    let is_decided = has(
        "decided decision agreed chose chosen settled beschlossen entschieden decidimos decidido décidé decidiu",
    ) || holds(&[
        "going with",
        "we will ",
        "we'll ",
        "root cause",
        "turns out",
        "turned out",
        "决定",
        "決め",
    ]);
    let is_bound = has(
        "deadline due freeze launch until only must cannot can't needs need requires required because since \
        learned learnt lesson depends expires owns bis braucht muss weil hasta necesita porque jusqu'au besoin até precisa",
    ) || holds(&["因为", "必须", "必要", "まで"]);
    let is_changed = has("moved switched replaced renamed runs lives now jetzt ahora maintenant agora");
    let has_number = text.contains(|character: char| character.is_ascii_digit());
    let is_state =
        is_changed || has_number && has("is are uses run listens needs ist sind está son est sont é usa");
    let is_deed = matches!(
        words.first().copied().unwrap_or_default(),
        "fixed"
            | "fix"
            | "merged"
            | "merge"
            | "ran"
            | "started"
            | "start"
            | "working"
            | "wip"
            | "bump"
            | "add"
            | "added"
            | "update"
            | "updated"
            | "todo"
            | "done"
            | "reviewed"
            | "refactor"
            | "refactored"
            | "rename"
            | "renamed"
            | "remove"
            | "removed"
            | "meeting"
            | "lunch"
            | "tried"
            | "looked"
            | "read"
            | "debugging"
    );
    (is_decided || (is_bound || is_state) && !is_deed).then_some(MemoryType::Project)
}

fn free_path(desk: &Desk<'_>, name: &str) -> Option<RelPath> {
    let taken = |path: &RelPath| {
        let is = |other: &RelPath| other.as_str().eq_ignore_ascii_case(path.as_str());
        desk.topics.keys().any(is)
            || desk.scene.files.iter().any(|file| is(&file.path))
            || desk.scene.unread.iter().any(|left| left.path.eq_ignore_ascii_case(path.as_str()))
    };
    let names = std::iter::once(name.to_owned()).chain((2..100).map(|number| format!("{name}-{number}")));
    names.filter_map(|name| RelPath::parse(&format!("{name}.md")).ok()).find(|path| !taken(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_note_is_of_the_type_that_it_names() {
        let check = |text: &str, expected: Option<(&str, &str)>| {
            let found = tagged(text);
            assert_eq!(found.as_ref().map(|(kind, rest)| (kind.as_str(), *rest)), expected, "{text}");
        };
        check("project: the kiosk needs Node 18", Some(("project", "the kiosk needs Node 18")));
        check("**User:** works late on Fridays", Some(("user", "works late on Fridays")));
        check("[reference] : the board is at X", Some(("reference", "the board is at X")));
        check("feedback:", None);
        check("decided: cookies", None);
        check("The user: a person", None);
        let log = RelPath::parse("logs/2026/03/2026-03-12.md").unwrap();
        let day: Date = "2026-03-12".parse().unwrap();
        let kept = |text: &str| worth_keeping(&Note { day, log: &log, text: text.to_owned() }, day);
        for (text, kind) in [
            ("project: fixed the importer for the kiosk of the museum", "project"),
            ("user: never works on Fridays in the office", "user"),
        ] {
            let memory = kept(text).unwrap();
            assert_eq!(memory.memory_type.as_str(), kind, "{text}");
            assert!(!memory.name.contains("project-project") && !memory.body.starts_with(kind), "{memory:?}");
        }
    }
}
