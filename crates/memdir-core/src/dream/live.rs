//! What the live files of a directory say.

use std::cell::OnceCell;
use std::collections::{BTreeMap, HashSet};

use jiff::civil::Date;

use super::check::Files;
use super::reading::Readings;
use super::statement::{FIELD, Statement, normal};
use crate::extract::reading::negates;
use crate::memory::auto_index::is_indexed;
use crate::memory::entrypoint::ENTRYPOINT;
use crate::memory::index::OVERFLOW;
use crate::memory::links::{LinkTargets, links};

/// Every statement of a live file, ready to be asked for.
pub(super) struct Live<'f> {
    files: &'f Files<'f>,
    readings: &'f Readings,
    /// Whether each is in a text, or only in a header or a line of an index.
    normals: BTreeMap<String, bool>,
    /// What the logs say, without the time of day.
    notes: Vec<String>,
    /// The statements that hold a link, to be compared without where it leads.
    linking: Vec<String>,
    without_targets: OnceCell<HashSet<String>>,
    targets: OnceCell<LinkTargets>,
}

impl<'f> Live<'f> {
    pub(super) fn of(files: &'f Files<'f>, readings: &'f Readings) -> Self {
        let mut normals: BTreeMap<String, bool> = BTreeMap::new();
        let mut linking = Vec::new();
        let mut notes = Vec::new();
        for (path, content) in files.iter().filter(|(path, _)| is_live(path.as_str())) {
            let Ok(text) = std::str::from_utf8(content) else { continue };
            let is_log = log_day(path.as_str()).is_some();
            let mut add = |normal: &str, is_text: bool| match normals.get_mut(normal) {
                Some(known) => *known |= is_text,
                None => {
                    normals.insert(normal.to_owned(), is_text);
                }
            };
            for said in readings.of(text).must_stand(path) {
                if said.text.contains('[') {
                    linking.push(said.text.clone());
                }
                // A day that was added in parentheses takes nothing away.
                if let Some(plain) = without_dates(&said.normal) {
                    add(&plain, said.is_text());
                }
                if is_log {
                    let note = without_time(&said.normal);
                    add(note, true);
                    notes.push(note.to_owned());
                }
                add(&said.normal, said.is_text());
            }
        }
        let (without_targets, targets) = (OnceCell::new(), OnceCell::new());
        Self { files, readings, normals, notes, linking, without_targets, targets }
    }

    /// Whether a normal form is in a live file.
    pub(super) fn holds(&self, normal: &str) -> bool {
        self.normals.contains_key(normal)
    }

    /// Whether a memory said this before, whatever days were added to it since, and whatever word opened it in a log.
    pub(super) fn told(&self, normal: &str) -> bool {
        let undated = without_dates(normal);
        let plain = without_day_before(undated.as_deref().unwrap_or(normal));
        self.holds(normal) || self.holds(plain) || self.notes.iter().any(|note| is_rest_of(note, plain))
    }

    /// Whether a statement is in a live file: as it is, whole where an index cut it, or with a link that had to
    /// follow a file.
    pub(super) fn says(&self, statement: &Statement) -> bool {
        match self.normals.get(&statement.normal) {
            // What a text said is not said any more if only a label does.
            Some(is_text) if *is_text || !statement.is_text() => return true,
            Some(_) => return false,
            None => {}
        }
        // What a field of a header said may be in the text.
        if statement.normal.starts_with(FIELD) && self.holds(&normal(&statement.text)) {
            return true;
        }
        if statement.about.is_some() && self.says_more_than(&statement.normal) {
            return true;
        }
        let follows = |text: &str| {
            let links = links(text);
            links.iter().any(|link| self.targets().resolve(&link.target).is_empty())
        };
        statement.text.contains('[') && follows(&statement.text) && {
            let all = || self.linking.iter().map(|text| without_targets(text)).collect();
            self.without_targets.get_or_init(all).contains(&without_targets(&statement.text))
        }
    }

    fn targets(&self) -> &LinkTargets {
        self.targets.get_or_init(|| link_targets(self.files, self.readings))
    }

    /// Whether a statement begins with what an index showed of it.
    fn says_more_than(&self, cut: &str) -> bool {
        const FEWEST: usize = 12;
        let Some(shown) = cut.strip_suffix('…').map(str::trim_end).filter(|shown| shown.len() >= FEWEST)
        else {
            return false;
        };
        self.normals.range(shown.to_owned()..).next().is_some_and(|(found, _)| found.starts_with(shown))
    }
}

/// Whether a note says this behind a word or two that only open it.
fn is_rest_of(note: &str, said: &str) -> bool {
    const LONGEST: usize = 24;
    let opening = note.strip_suffix(said).filter(|_| !said.is_empty());
    opening.is_some_and(|opening| opening.len() <= LONGEST && !negates(opening))
}

/// A statement without the day from or until which it holds: `since 2026-03-12: …`.
pub(super) fn without_day_before(normal: &str) -> &str {
    let rest = normal.strip_prefix("since ").or_else(|| normal.strip_prefix("until "));
    let Some(rest) = rest.filter(|rest| rest.get(..10).is_some_and(|day| day.parse::<Date>().is_ok())) else {
        return normal;
    };
    rest.split_once(": ").filter(|(day, _)| day.len() <= 30).map_or(normal, |(_, said)| said)
}

/// A note without the time of day before it.
pub(super) fn without_time(note: &str) -> &str {
    let (first, rest) = note.split_once(' ').unwrap_or((note, ""));
    let word = first.trim_matches(['[', ']', '(', ')', '*', ':', '-']);
    let is_time = word.len() >= 4
        && word.contains(':')
        && word.chars().all(|character| character.is_ascii_digit() || character == ':');
    if is_time { rest.trim_start_matches(['-', '—', '–', ':', ' ']) } else { note }
}

/// What links can lead to.
pub(super) fn link_targets(files: &Files<'_>, readings: &Readings) -> LinkTargets {
    let names: Vec<(Option<String>, &str)> = files
        .iter()
        .map(|(path, content)| {
            let text = std::str::from_utf8(content).unwrap_or_default();
            (readings.of(text).topic.name.clone(), path.as_str())
        })
        .collect();
    LinkTargets::new(names.iter().map(|(name, path)| (name.as_deref(), *path)))
}

/// Whether agents are shown a file, or can open it by the index or the day.
pub(super) fn is_live(path: &str) -> bool {
    is_indexed(path) || [ENTRYPOINT, OVERFLOW].contains(&path) || log_day(path).is_some()
}

/// The day of a daily log, by its path.
pub(super) fn log_day(path: &str) -> Option<Date> {
    let mut parts = path.strip_prefix("logs/")?.split('/');
    let (year, month, name) = (parts.next()?, parts.next()?, parts.next()?);
    let day = name.strip_suffix(".md")?;
    let is_in_place = day.starts_with(&format!("{year}-{month}-")) && day.len() == 10;
    let date: Date = day.parse().ok()?;
    (is_in_place && parts.next().is_none()).then_some(date)
}

/// A statement without days in parentheses; `None` if it has none.
pub(super) fn without_dates(normal: &str) -> Option<String> {
    let mut plain = String::with_capacity(normal.len());
    let mut rest = normal;
    while let Some(at) = rest.find(" (") {
        let inside = rest.get(at + 2..).unwrap_or_default();
        let is_day = inside.get(..10).is_some_and(|day| day.parse::<Date>().is_ok())
            && inside.get(10..).is_some_and(|end| end.starts_with(')'));
        let taken = if is_day { at + 13 } else { at + 2 };
        plain.push_str(rest.get(..if is_day { at } else { taken }).unwrap_or_default());
        rest = rest.get(taken..).unwrap_or_default();
    }
    plain.push_str(rest);
    (plain.len() < normal.len()).then(|| plain.trim_end_matches([' ', '.', '!', ',', ';', ':']).to_owned())
}

/// The normal form with every link leading nowhere.
fn without_targets(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut copied = 0;
    for link in links(text) {
        plain.push_str(text.get(copied..link.range.start).unwrap_or_default());
        plain.push('\u{1}');
        copied = link.range.end;
    }
    plain.push_str(text.get(copied..).unwrap_or_default());
    normal(&plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_in_parentheses_take_nothing_away() {
        let check = |text: &str, expected: Option<&str>| {
            assert_eq!(without_dates(text).as_deref(), expected, "{text}");
        };
        check("freeze starts thursday (2026-03-12)", Some("freeze starts thursday"));
        check("thursday (2026-03-12), not friday (2026-03-13)", Some("thursday, not friday"));
        check("freeze (until 2026-03-12)", None);
        check("freeze (thursday)", None);
    }

    #[test]
    fn a_log_is_known_by_its_place() {
        assert!(log_day("logs/2026/03/2026-03-11.md").is_some());
        for other in [
            "logs/2026/03/2026-04-11.md",
            "logs/2026-03-11.md",
            "logs/2026/03/x.md",
            "2026-03-11.md",
            "logs/2026/02/2026-02-30.md",
        ] {
            assert_eq!(log_day(other), None, "{other}");
        }
    }
}
