//! Which records matter for a task, judged by the words of their rows: cheap enough for thousands.

use std::borrow::Cow;

use memchr::memmem;

use super::row::Row;

/// Words that say nothing about a task.
pub(super) const EMPTY_WORDS: [&str; 48] = [
    "the", "and", "for", "with", "that", "this", "from", "into", "are", "was", "were", "will", "can", "not",
    "but", "all", "any", "has", "have", "had", "its", "our", "out", "new", "use", "using", "make", "add",
    "get", "set", "now", "then", "than", "when", "what", "which", "who", "how", "why", "should", "would",
    "could", "also", "more", "some", "none", "let", "per",
];

/// How many words of a task are looked for.
const MOST_TERMS: usize = 24;

/// The words of a task that can tell records apart, in lower case.
#[must_use]
pub fn terms(task: &str) -> Vec<String> {
    let mut terms: Vec<String> = Vec::new();
    for word in task.split(|c: char| !c.is_alphanumeric()) {
        let word = word.to_lowercase();
        let is_short = word.chars().count() < 3 && word.is_ascii();
        if word.is_empty() || is_short || EMPTY_WORDS.contains(&word.as_str()) || terms.contains(&word) {
            continue;
        }
        // Endings hide the same word: `cookies` finds `cookie`.
        let stem = word.strip_suffix('s').filter(|stem| stem.len() > 3).map_or(word.clone(), str::to_owned);
        if !terms.contains(&stem) {
            terms.push(stem);
        }
        if terms.len() == MOST_TERMS {
            break;
        }
    }
    terms
}

/// The rows that share most with a task: from the index, where the newest come first among equals and even without
/// a shared word, and from the text of the archive, where a shared word is needed.
#[must_use]
pub fn relevant(recent: &[Row], archive: &[u8], terms: &[String], most: usize) -> Vec<Row> {
    let mut scored: Vec<(usize, Row)> = Vec::new();
    for row in recent {
        let text = format!("{} {}", row.file, row.summary).to_lowercase();
        let shared = terms.iter().filter(|term| text.contains(term.as_str())).count();
        scored.push((shared * 2 + 1, row.clone()));
    }
    for (shared, line) in archive_lines(archive, terms, most) {
        if let Some((row, _)) = Row::parse_archived(&line)
            && !scored.iter().any(|(_, known)| known.file == row.file)
        {
            scored.push((shared * 2, row));
        }
    }
    // Stable: records of one second keep the order of the index, newest first.
    scored.sort_by(|(one, first), (other, second)| {
        other.cmp(one).then_with(|| second.updated.cmp(&first.updated))
    });
    scored.truncate(most);
    scored.into_iter().map(|(_, row)| row).collect()
}

/// The newest rows of the archive, newest first. Only its end is read: an archive may hold thousands.
#[must_use]
pub fn newest_archived(archive: &[u8], most: usize) -> Vec<Row> {
    let lines = archive.rsplit(|byte| *byte == b'\n').take_while(|line| !line.starts_with(b"#"));
    let rows = lines.filter_map(|line| Row::parse_archived(&String::from_utf8_lossy(line)));
    rows.map(|(row, _)| row).filter(|row| row.file.ends_with(".md")).take(most).collect()
}

/// The lines of the archive that share most words, found by a search over its bytes.
fn archive_lines<'a>(archive: &'a [u8], terms: &[String], most: usize) -> Vec<(usize, Cow<'a, str>)> {
    let mut lines: Vec<usize> = Vec::new();
    for term in terms {
        let mut holding: Vec<usize> = Vec::new();
        // A copy in lower case would cost more than two looks: words begin small or large, or are all capitals.
        for form in forms(term) {
            for at in memmem::find_iter(archive, form.as_bytes()) {
                let before = archive.get(..at).unwrap_or_default();
                holding.push(memchr::memrchr(b'\n', before).map_or(0, |end| end + 1));
            }
        }
        // A line counts once for every word.
        holding.sort_unstable();
        holding.dedup();
        lines.append(&mut holding);
    }
    lines.sort_unstable();
    let counted = lines.chunk_by(|one, other| one == other);
    let mut found: Vec<(usize, usize)> =
        counted.filter_map(|same| Some((same.len(), *same.first()?))).collect();
    // Later lines were archived later.
    found.sort_unstable_by(|one, other| other.cmp(one));
    found.truncate(most.saturating_mul(2));
    let line = |start: usize| {
        let rest = archive.get(start..).unwrap_or_default();
        let end = memchr::memchr(b'\n', rest).unwrap_or(rest.len());
        String::from_utf8_lossy(rest.get(..end).unwrap_or_default())
    };
    found.into_iter().map(|(count, start)| (count, line(start))).collect()
}

/// How a word is written: `login`, `Login`, `LOGIN`.
fn forms(term: &str) -> Vec<String> {
    let mut characters = term.chars();
    let first: String = characters.next().into_iter().flat_map(char::to_uppercase).collect();
    let mut forms = vec![term.to_owned(), format!("{first}{}", characters.as_str()), term.to_uppercase()];
    forms.dedup();
    forms
}

#[cfg(test)]
mod tests {
    use super::super::row::Category;
    use super::*;

    #[test]
    fn records_of_one_second_are_listed_newest_first() {
        let row = |number: u32| {
            let file = format!("decisions/2026-01-19_{number:03}_d.md");
            Row::new(Category::Decision, &file, "2026-01-19T10:00:00Z", "same")
        };
        let recent: Vec<Row> = (1..=5).rev().map(row).collect();
        assert_eq!(relevant(&recent, b"", &[], 5), recent);
        let archive = format!(
            "# A\n\n## Archived Entries\n| Category | File | Updated | Summary | Archived |\n|---|---|---|---|---|\n{}\n{}\n",
            row(1).archived_line("x"),
            row(2).archived_line("x")
        );
        assert_eq!(newest_archived(archive.as_bytes(), 9), [row(2), row(1)]);
    }

    #[test]
    fn what_shares_words_with_the_task_comes_first() {
        let row =
            |file: &str, updated: &str, summary: &str| Row::new(Category::Decision, file, updated, summary);
        let recent = [
            row("decisions/new.md", "2026-02-02T00:00:00Z", "colours"),
            row("decisions/old.md", "2026-02-01T00:00:00Z", "Login by cookie"),
        ];
        let archive = format!(
            "{}\n{}\n",
            row("decisions/a.md", "2025-01-01T00:00:00Z", "LOGIN cookies expire").archived_line("x"),
            row("decisions/b.md", "2025-01-02T00:00:00Z", "fonts").archived_line("x")
        );
        let terms = terms("Fix the login cookies");
        assert_eq!(terms, ["fix", "login", "cookie"]);
        let files: Vec<String> =
            relevant(&recent, archive.as_bytes(), &terms, 3).into_iter().map(|row| row.file).collect();
        assert_eq!(files, ["decisions/old.md", "decisions/a.md", "decisions/new.md"]);
    }
}
