//! What a dream would have lost is brought back before anybody checks.

use super::check::{Superseded, compare};
use super::desk::Desk;
use super::index_path;
use super::merge::append;
use super::relation::is_label_of;
use super::statement::{FIELD, STEPS, Statement};
use crate::rel_path::RelPath;

/// So many sentences of a memory are compared with a description that went.
const MOST_COMPARED: usize = 64;

/// Adds what would be lost to where it belongs. A description or an index line whose memory went may give way to that
/// of the memory that took its place.
pub(super) fn fix_index(desk: &mut Desk<'_>) {
    fix_some(desk, |_| true);
}

/// The same for what the index said about memories that were removed: its lines are ours, also if a model planned the rest.
pub(super) fn fix_lines(desk: &mut Desk<'_>) {
    fix_some(desk, |statement| statement.about.is_some());
}

fn fix_some(desk: &mut Desk<'_>, is_ours: impl Fn(&Statement) -> bool) {
    let lost = {
        let before = desk.scene.sources().into_iter().map(|source| (source.path, source.content)).collect();
        compare(&before, &desk.files(), &desk.account.superseded, desk.readings).lost
    };
    for (source, statement) in lost.into_iter().filter(|(_, statement)| is_ours(statement)) {
        let about = statement.about.as_deref().and_then(|path| RelPath::parse(path).ok());
        let home = desk.home_of(about.as_ref().unwrap_or(&source)).clone();
        let Some(file) = desk.topics.get(&home) else {
            keep_in_index(desk, &statement);
            continue;
        };
        let reading = desk.readings.of(&file.text);
        // The description of a memory that went is often one of its sentences in other words.
        let others =
            reading.statements(&home).filter(|said| !said.normal.starts_with(FIELD)).map(|said| &said.text);
        let replaced_by = (home != source)
            .then(|| others.take(MOST_COMPARED).find(|other| is_label_of(&statement.text, other)).cloned())
            .flatten();
        if let Some(replaced_by) = replaced_by.filter(|_| is_label(desk, &source, &statement)) {
            desk.account.superseded.push(Superseded { statement: statement.text, source, replaced_by });
        } else {
            let is_list = statement.normal.starts_with(STEPS);
            let block = if is_list { statement.text } else { format!("- {}", statement.text) };
            let text = append(&file.text, &[block]);
            desk.rewrite(&home, text);
        }
    }
}

/// Whether a statement is a title, a description or a heading of a memory that went.
fn is_label(desk: &Desk<'_>, source: &RelPath, statement: &Statement) -> bool {
    let file = || desk.scene.files.iter().find(|file| file.path == *source);
    let text = || file().and_then(|file| std::str::from_utf8(&file.content).ok());
    statement.range.is_empty()
        || statement.about.is_some()
        || desk.merged.contains_key(source)
            && text().is_some_and(|text| desk.readings.of(text).is_heading(statement))
}

/// What only the index said stays there, as a text of the user's.
fn keep_in_index(desk: &mut Desk<'_>, statement: &Statement) {
    if index_path().is_none() {
        return;
    }
    if let Some(indexes) = &mut desk.indexes {
        let text = indexes.index.clone().unwrap_or_default();
        indexes.index = Some(append(&text, &[format!("- {}", statement.text)]));
        desk.changes += 1;
    }
}
