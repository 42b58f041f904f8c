//! Index and archive from the records alone.

use jiff::Timestamp;

use super::archive::Archive;
use super::index::{CurrentState, Head, Index, LookupLine, MOST_ROWS, lookups_for};
use super::record::{Kind, Record};
use super::row::{Category, Row};
use super::session::Stats;
use super::state::is_placeholder;
use super::{decode, stamp};

/// A file of a journal, or its beginning.
#[derive(Debug, Clone, Copy)]
pub struct FoundFile<'a> {
    /// Its path below the journal.
    pub path: &'a str,
    /// Its first bytes.
    pub head: &'a [u8],
    /// When it last changed.
    pub modified: Timestamp,
}

/// What the records say.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rebuilt {
    /// The new index.
    pub index: String,
    /// The new archive.
    pub archive: String,
    /// The new statistics.
    pub stats: Stats,
    /// How many files there are of each kind.
    pub counts: Counts,
    /// Files of which no row was made, and why.
    pub problems: Vec<String>,
}

/// How many files there are of each kind.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize)]
pub struct Counts {
    /// Decisions.
    pub decisions: u64,
    /// Analyses.
    pub analyses: u64,
    /// Files about the task.
    pub context: u64,
    /// Files about the progress.
    pub progress: u64,
    /// Outputs of sub-agents.
    pub subagent: u64,
}

impl Counts {
    /// Counts one file.
    pub fn add(&mut self, category: &Category) {
        match category {
            Category::Decision => self.decisions += 1,
            Category::Analysis => self.analyses += 1,
            Category::Context => self.context += 1,
            Category::Progress => self.progress += 1,
            Category::SubAgent => self.subagent += 1,
            Category::Other(_) => {}
        }
    }
}

/// The kind of form that files of a category have.
#[must_use]
pub fn kind_of(category: &Category) -> Kind {
    match category {
        Category::Decision => Kind::Decision,
        Category::Analysis => Kind::Analysis,
        Category::SubAgent => Kind::SubAgent,
        Category::Context | Category::Progress | Category::Other(_) => Kind::Note,
    }
}

/// The row and the title of a file; `None` if it is not a record, or still says nothing.
#[must_use]
pub fn entry(file: &FoundFile<'_>) -> Option<(Row, String)> {
    let category = Category::of_path(file.path).filter(|_| file.path.ends_with(".md"))?;
    let (text, _) = decode(file.head);
    if is_placeholder(file.path, &text) {
        return None;
    }
    let kind = kind_of(&category);
    let record = Record::parse(&text);
    let date =
        [kind.date_field(), "Updated"].iter().find_map(|name| record.field(name)?.parse::<Timestamp>().ok());
    let date = date.or_else(|| date_in_name(file.path)).unwrap_or(file.modified);
    let name = file.path.rsplit('/').next().unwrap_or_default().trim_end_matches(".md");
    let title = if record.title.is_empty() { name.to_owned() } else { record.title.clone() };
    let summary = match category {
        Category::Context | Category::Progress => super::state_summary(file.path, &record, &text),
        _ => record.summary(kind),
    };
    let summary = if summary.is_empty() { title.clone() } else { summary };
    Some((Row::new(category, file.path, &stamp(date), &summary), title))
}

/// `YYYY-MM-DD` at the beginning of a name, with `HHMMSS` after it if it is there.
fn date_in_name(path: &str) -> Option<Timestamp> {
    let name = path.rsplit('/').next()?;
    let date = name.get(..10)?;
    let clock = name.get(11..17).filter(|clock| clock.bytes().all(|byte| byte.is_ascii_digit()));
    let (hour, minute, second) = match clock {
        Some(clock) => (clock.get(..2)?, clock.get(2..4)?, clock.get(4..6)?),
        None => ("00", "00", "00"),
    };
    format!("{date}T{hour}:{minute}:{second}Z").parse().ok()
}

/// Makes index and archive anew. What the old index holds of the user's own is kept: sections, and lines of the look-up.
#[must_use]
pub fn rebuild(
    files: &[FoundFile<'_>],
    head: &Head<'_>,
    state: &CurrentState,
    old_index: Option<&Index>,
    old_archive: Option<&Archive>,
    now: Timestamp,
) -> Rebuilt {
    let mut entries: Vec<(Row, String)> = Vec::new();
    let mut counts = Counts::default();
    let mut problems = Vec::new();
    for file in files {
        let Some(category) = Category::of_path(file.path) else { continue };
        counts.add(&category);
        match entry(file) {
            Some((row, title)) => {
                if decode(file.head).1.is_some() && file.head.len() < HEAD_BYTES {
                    problems
                        .push(format!("`{}` is not valid UTF-8; its row shows what can be read", file.path));
                }
                entries.push((row, title));
            }
            None => continue,
        }
    }
    entries.sort_by(|(one, _), (other, _)| {
        other.updated.cmp(&one.updated).then_with(|| other.file.cmp(&one.file))
    });
    let surplus = entries.split_off(entries.len().min(MOST_ROWS));

    let mut archive = Archive::new(head.key);
    let known: std::collections::HashMap<String, String> = old_archive
        .map(|archive| archive.entries().into_iter().map(|(row, archived)| (row.file, archived)).collect())
        .unwrap_or_default();
    let now = stamp(now);
    let mut dated: Vec<(Row, String)> = surplus
        .iter()
        .map(|(row, _)| (row.clone(), known.get(&row.file).cloned().unwrap_or_else(|| now.clone())))
        .collect();
    // The archive grows at its end, so its oldest row comes first.
    dated.reverse();
    archive.add_dated(&dated);
    for session in old_archive.map(Archive::sessions).unwrap_or_default() {
        archive.add_session(&session);
    }

    let all: Vec<&(Row, String)> = entries.iter().chain(&surplus).collect();
    let rows: Vec<Row> = entries.iter().map(|(row, _)| row.clone()).collect();
    let exists = |path: &str| files.iter().any(|file| file.path == path);
    let foreign = old_index.map(|index| foreign_lookups(index, &all, exists)).unwrap_or_default();
    let targets: Vec<String> =
        foreign.iter().filter_map(|line| LookupLine::parse(line)).map(|line| line.target).collect();
    let leads_somewhere = |line: &LookupLine| !line.names_a_record() || exists(&line.target);
    let ours = lookups_for(&rows).into_iter();
    let ours = ours.filter(|line| !targets.contains(&line.target) && leads_somewhere(line));
    let lookups: Vec<String> = ours.map(|line| line.line()).chain(foreign.iter().cloned()).collect();
    let mut index = Index::new(head, state, &rows, &lookups);
    if let Some(old) = old_index {
        index.add_sections(&old.foreign_sections());
        let missing =
            old.rows().into_iter().filter(|row| !all.iter().any(|(known, _)| known.file == row.file));
        let missing = missing.filter(|row| Category::of_path(&row.file).is_some());
        problems.extend(missing.map(|row| format!("`{}` had a row and is no longer there", row.file)));
    }
    let stats = Stats {
        decisions: counts.decisions,
        analyses: counts.analyses,
        index_archived: surplus.len() as u64,
        subagent_outputs: counts.subagent,
    };
    Rebuilt { index: index.to_text(), archive: archive.to_text(), stats, counts, problems }
}

/// How much of each file is read; a file this long may be cut within a character.
pub const HEAD_BYTES: usize = 16 << 10;

/// The lines of the look-up that the user wrote, without those whose file is gone.
fn foreign_lookups(index: &Index, entries: &[&(Row, String)], exists: impl Fn(&str) -> bool) -> Vec<String> {
    let is_dropped = |line: &String| {
        LookupLine::parse(line).is_some_and(|line| {
            let titled = |(row, title): &&(Row, String)| row.file == line.target && line.is_titled(title);
            line.is_ours() || (line.names_a_record() && !exists(&line.target)) || entries.iter().any(titled)
        })
    };
    let lines = index.lookup_lines().into_iter();
    lines.filter(|line| !is_dropped(line) && !super::document::is_conflict_marker(line)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::journal::index::Status;

    fn head() -> Head<'static> {
        Head { key: "app", session: "2026-01-19T22:00:00Z", status: Status::Active, path: "/h/app" }
    }

    fn file<'a>(path: &'a str, head: &'a str) -> FoundFile<'a> {
        FoundFile { path, head: head.as_bytes(), modified: Timestamp::UNIX_EPOCH }
    }

    #[test]
    fn everything_that_the_files_say_is_in_index_and_archive() {
        let decisions: Vec<(String, String)> = (1..=25)
            .map(|number| {
                let path = format!("decisions/2026-01-19_{number:03}_d.md");
                (path, format!("# Title {number}\n\n**Date**: 2026-01-19T10:{number:02}:00Z\n\n## Decision\nDo {number}.\n"))
            })
            .collect();
        let mut files: Vec<FoundFile<'_>> = decisions.iter().map(|(path, text)| file(path, text)).collect();
        files.push(file("context/current-task.md", super::super::state::PLACEHOLDERS[0].1));
        files.push(file("subagent/2026-01-19_120000_scan.md", "free text"));
        files.push(file(
            "analysis/src_a.md",
            "# Analysis: src/a\n\n**Analyzed**: 2026-01-19T11:00:00Z\n\n## Summary\nAll well.\n",
        ));
        let rebuilt = rebuild(
            &files,
            &head(),
            &CurrentState::default(),
            None,
            None,
            "2026-02-01T00:00:00Z".parse().unwrap(),
        );
        assert_eq!(
            rebuilt.counts,
            Counts { decisions: 25, analyses: 1, context: 1, progress: 0, subagent: 1 }
        );
        let (index, archive) =
            (Index::parse(rebuilt.index.as_bytes()), Archive::parse(rebuilt.archive.as_bytes()));
        assert_eq!((index.rows().len(), archive.entries().len(), rebuilt.stats.index_archived), (20, 7, 7));
        assert_eq!(index.rows()[0].file, "subagent/2026-01-19_120000_scan.md");
        assert_eq!(index.rows()[0].summary, "free text");
        assert_eq!(archive.entries()[0].0.file, "decisions/2026-01-19_001_d.md");
        // A second time changes nothing, also later.
        let again = rebuild(
            &files,
            &head(),
            &CurrentState::default(),
            Some(&index),
            Some(&archive),
            "2027-01-01T00:00:00Z".parse().unwrap(),
        );
        assert_eq!((again.index, again.archive), (rebuilt.index, rebuilt.archive));
    }

    #[test]
    fn what_the_user_wrote_into_the_index_is_kept() {
        let text = "# Memory Index: app\n\n## Recent Files (Last 20)\n| Category | File | Updated | Summary |\n|---|---|---|---|\n| Decision | decisions/gone.md | 2026-01-01T00:00:00Z | x |\n\n## Quick Lookup\n- Title → decisions/2026-01-19_001_d.md\n- everything about login → decisions/2026-01-19_*.md\nplain words\n\n## My notes\n- mine\n";
        let files = [file("decisions/2026-01-19_001_d.md", "# Title\n\n## Decision\nDo.\n")];
        let rebuilt = rebuild(
            &files,
            &head(),
            &CurrentState::default(),
            Some(&Index::parse(text.as_bytes())),
            None,
            Timestamp::UNIX_EPOCH,
        );
        assert!(
            rebuilt.index.contains("- everything about login → decisions/2026-01-19_*.md\nplain words\n")
        );
        assert_eq!(rebuilt.index.matches("- Title → ").count(), 0, "the form of older versions goes");
        assert!(rebuilt.index.contains("## My notes\n- mine\n"));
        assert_eq!(rebuilt.problems, ["`decisions/gone.md` had a row and is no longer there"]);
    }
}
