//! What a dream would have lost is brought back before anybody checks.

use super::check::{Superseded, compare};
use super::desk::Desk;
use super::index_path;
use super::merge::append;
use super::statement::{STEPS, Statement, normal};
use super::subject::{is_about_the_same, names_no_more_than};
use crate::extract::reading::negates;
use crate::rel_path::RelPath;

/// So many statements one may take the place of; the check allows a few more.
const MOST_PER_REPLACEMENT: usize = 3;
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
        let is_label = statement.range.is_empty() || statement.about.is_some();
        let reading = desk.readings.of(&file.text);
        let description = reading.topic.description.clone();
        // The description of a memory that went is often one of its sentences in other words.
        let others = description.into_iter().chain(reading.said().map(|said| said.text.clone()));
        let gives_way_to = (is_label && home != source)
            .then(|| others.take(MOST_COMPARED).find(|other| gives_way(desk, &statement, other, &file.text)))
            .flatten();
        if let Some(replaced_by) = gives_way_to {
            desk.account.superseded.push(Superseded { statement: statement.text, source, replaced_by });
        } else {
            let is_list = statement.normal.starts_with(STEPS);
            let block = if is_list { statement.text } else { format!("- {}", statement.text) };
            let text = append(&file.text, &[block]);
            desk.rewrite(&home, text);
        }
    }
}

fn gives_way(desk: &Desk<'_>, statement: &Statement, description: &str, text: &str) -> bool {
    let taken = desk.account.superseded.iter().filter(|known| known.replaced_by == description).count();
    let new = normal(description);
    desk.supersedes_left() > 0
        && taken < MOST_PER_REPLACEMENT
        && !new.is_empty()
        && !new.contains(". ")
        && is_about_the_same(&statement.normal, &new)
        // What tells two memories apart stays.
        && negates(&statement.normal) == negates(&new)
        && names_no_more_than(&statement.normal, text)
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
