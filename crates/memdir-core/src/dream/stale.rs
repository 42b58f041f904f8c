//! Memories that may no longer hold: marked, never removed.

use jiff::ToSpan;
use jiff::civil::Date;

use super::account::Marked;
use super::desk::{Desk, DeskFile};
use super::merge::append;
use super::reading::Reading;
use crate::doctor::{OLD, OLD_PROJECT};
use crate::extract::reading::negates;
use crate::memory::manifest::age_days;
use crate::memory::memory_type::MemoryType;
use crate::rel_path::RelPath;

/// How the line of a mark begins.
pub(super) const MARK: &str = "**Stale since ";

/// So many things that are gone are named.
const NAMED: usize = 5;

/// Marks what cites things that are gone, and what was not changed or used for long.
pub(super) fn mark(desk: &mut Desk<'_>) {
    let today = desk.scene.day_of(desk.scene.now);
    let paths: Vec<RelPath> = desk.topics.keys().cloned().collect();
    for path in paths {
        let Some(file) = desk.topics.get(&path) else { continue };
        if let Some(text) = without_old_mark(file, &desk.readings.of(&file.text)) {
            desk.rewrite(&path, text);
            continue;
        }
        if file.text.contains(MARK) || file.text.trim().is_empty() {
            continue;
        }
        let reading = desk.readings.of(&file.text);
        let topic = &reading.topic;
        let limit = if topic.memory_type == Some(MemoryType::Project) { OLD_PROJECT } else { OLD };
        let written = topic.modified.filter(|time| *time <= desk.scene.now).unwrap_or(file.modified);
        let gone: Vec<&String> = file.gone.iter().filter(|path| is_relied_on(path, &reading)).collect();
        let why = if !gone.is_empty() {
            let named: Vec<String> = gone.iter().take(NAMED).map(|gone| format!("`{gone}`")).collect();
            let verb = if named.len() == 1 { "is" } else { "are" };
            format!("{} {verb} gone", named.join(", "))
        } else if let Some(day) = past_day(&reading, today) {
            format!("{day} is past")
        } else if age_days(written.max(file.modified), desk.scene.now) > limit && file.used == 0 {
            format!("nothing changed it since {}", desk.scene.day_of(written.max(file.modified)))
        } else {
            continue;
        };
        if desk.may("stale", &format!("{path}\0{why}")) {
            let Some(file) = desk.topics.get(&path) else { continue };
            let text =
                append(&file.text, &[format!("{MARK}{today}:** {why}; check it before you rely on it.")]);
            desk.rewrite(&path, text);
            desk.account.marked.push(Marked { path, why });
        }
    }
}

/// The text without a mark whose reason no longer holds: what was gone is there again.
fn without_old_mark(file: &DeskFile, reading: &Reading) -> Option<String> {
    let mark = reading.body().lines().find(|line| line.starts_with(MARK))?;
    let was_gone = mark.contains("` is gone;") || mark.contains("` are gone;");
    let is_back = was_gone && !file.gone.iter().any(|path| mark.contains(&format!("`{path}`")));
    let at = file.text.find(mark).filter(|_| is_back)?;
    let mut text = file.text.get(..at)?.trim_end().to_owned();
    text.push_str(if file.text.contains("\r\n") { "\r\n" } else { "\n" });
    text.push_str(file.text.get(at + mark.len()..)?.trim_start_matches(['\r', '\n']));
    Some(text)
}

/// Whether a memory needs a file, rather than telling that it went, that it is made, or that it must not be.
fn is_relied_on(path: &str, reading: &Reading) -> bool {
    const OTHERWISE: &str = "removed remove deleted delete renamed rename moved replaced dropped gone writes generates \
        generated creates produces output outputs example formerly was entfernt geloscht umbenannt eliminado borrado \
        renombrado supprime renomme removido apagado renomeado";
    let mut about = reading.said().filter(|said| said.text.contains(path));
    about.any(|said| {
        let mut words = said.normal.split(|character: char| !character.is_alphanumeric());
        !negates(&said.text) && !words.any(|word| OTHERWISE.split_whitespace().any(|known| known == word))
    })
}

/// The last day of a deadline that is well past.
fn past_day(reading: &Reading, today: Date) -> Option<Date> {
    const GRACE: i64 = 30;
    const ENDS: [&str; 16] = [
        "due", "deadline", "freeze", "release", "launch", "starts", "ends", "until", "by", "expires", "demo",
        "frist", "bis", "entrega", "plazo", "prazo",
    ];
    if reading.topic.memory_type != Some(MemoryType::Project) {
        return None;
    }
    let first = reading.said().next()?;
    let mut words = first.normal.split(|character: char| !character.is_alphanumeric());
    let is_deadline = words.any(|word| ENDS.contains(&word));
    let days = first.text.split(|character: char| !character.is_ascii_digit() && character != '-');
    let last = days.filter(|day| day.len() == 10).filter_map(|day| day.parse::<Date>().ok()).max()?;
    let is_history = first.normal.starts_with("until ") || first.normal.starts_with("since ");
    (is_deadline && !is_history && last.checked_add(GRACE.days()).ok()? < today).then_some(last)
}
