//! What the live files of a directory say.

use std::cell::OnceCell;
use std::collections::{BTreeSet, HashSet};

use jiff::civil::Date;

use super::check::Files;
use super::statement::{FIELD, Statement, normal, statements};
use crate::memory::auto_index::is_indexed;
use crate::memory::entrypoint::ENTRYPOINT;
use crate::memory::index::OVERFLOW;
use crate::memory::links::{LinkTargets, links};
use crate::memory::topic::Topic;

/// Every statement that stands in a live file, ready to be asked for.
pub(super) struct Live<'f> {
    files: &'f Files<'f>,
    normals: BTreeSet<String>,
    /// The statements that hold a link, to be compared without where it leads.
    linking: Vec<String>,
    without_targets: OnceCell<HashSet<String>>,
    targets: OnceCell<LinkTargets>,
}

impl<'f> Live<'f> {
    pub(super) fn of(files: &'f Files<'f>) -> Self {
        let mut normals = BTreeSet::new();
        let mut linking = Vec::new();
        for (path, content) in files.iter().filter(|(path, _)| is_live(path.as_str())) {
            let Ok(text) = std::str::from_utf8(content) else { continue };
            for said in statements(path, text) {
                if said.text.contains('[') {
                    linking.push(said.text);
                }
                // A day that was added in parentheses takes nothing away.
                if let Some(plain) = without_dates(&said.normal) {
                    normals.insert(plain);
                }
                normals.insert(said.normal);
            }
        }
        Self { files, normals, linking, without_targets: OnceCell::new(), targets: OnceCell::new() }
    }

    /// Whether a normal form stands in a live file.
    pub(super) fn holds(&self, normal: &str) -> bool {
        self.normals.contains(normal)
    }

    /// Whether a statement stands in a live file: as it is, whole where an index cut it, or with a link that had to
    /// follow a file.
    pub(super) fn says(&self, statement: &Statement) -> bool {
        if self.holds(&statement.normal) {
            return true;
        }
        // What a field of a header said may stand in the text.
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
        self.targets.get_or_init(|| link_targets(self.files))
    }

    /// Whether a statement begins with what an index showed of it.
    fn says_more_than(&self, cut: &str) -> bool {
        const FEWEST: usize = 12;
        let Some(shown) = cut.strip_suffix('…').map(str::trim_end).filter(|shown| shown.len() >= FEWEST)
        else {
            return false;
        };
        self.normals.range(shown.to_owned()..).next().is_some_and(|found| found.starts_with(shown))
    }
}

/// What links can lead to.
pub(super) fn link_targets(files: &Files<'_>) -> LinkTargets {
    let names: Vec<(Option<String>, &str)> = files
        .iter()
        .map(|(path, content)| {
            let text = std::str::from_utf8(content).unwrap_or_default();
            (Topic::parse_head_of_whole(text).0.name, path.as_str())
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
fn without_dates(normal: &str) -> Option<String> {
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
