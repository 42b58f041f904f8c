//! A unified diff as a person reads it: the file, then numbered lines.

use std::collections::HashSet;

use maud::{Markup, html};
use memdir_core::text_diff::unified;

use crate::text::{count, visible};

/// No more lines of a diff than this are shown.
const MAX_LINES: usize = 2_000;

/// One line of a diff.
#[derive(Debug, PartialEq, Eq)]
enum Line<'d> {
    /// From here on it is about this file.
    File {
        old: &'d str,
        new: &'d str,
    },
    /// Lines are left out.
    Gap,
    Text {
        class: &'static str,
        number: usize,
        text: &'d str,
    },
}

/// A unified diff, coloured.
pub(crate) fn diff(text: &str) -> Markup {
    let lines = lines(text);
    html! {
        @if lines.is_empty() { p.quiet { "No difference in the text." } }
        @else {
            div.diff tabindex="0" role="region" aria-label="Difference" {
                @for line in lines.iter().take(MAX_LINES) { (shown(line)) }
            }
            @if lines.len() > MAX_LINES { p.quiet { (count(lines.len() - MAX_LINES, "more line", "more lines")) } }
        }
    }
}

/// Two texts beside each other, each with its name; what only one of them has is coloured.
pub(crate) fn side_by_side(left: (&str, &str), right: (&str, &str)) -> Markup {
    let between = unified((Some(left.0), left.1), (Some(right.0), right.1));
    let differing = |wanted: &str| -> HashSet<usize> {
        let number = |line: Line<'_>| match line {
            Line::Text { class, number, .. } if class == wanted => Some(number),
            _ => None,
        };
        lines(&between).into_iter().filter_map(number).collect()
    };
    let pane = |(name, text): (&str, &str), class: &str| {
        let differing = differing(class);
        html! {
            div.diff tabindex="0" role="region" aria-label=(name) {
                div.file { (visible(name)) }
                @for (line, number) in text.lines().zip(1..=MAX_LINES) {
                    div class=(if differing.contains(&number) { class } else { "same" }) data-n=(number) { (visible(line)) }
                }
            }
        }
    };
    html! { div.beside { (pane(left, "removed")) (pane(right, "added")) } }
}

fn shown(line: &Line<'_>) -> Markup {
    html! {
        @match line {
            Line::File { old: "", new } => div.file { (visible(new)) span.tag.good { "new" } },
            Line::File { old, new: "" } => div.file { (visible(old)) span.tag.bad { "removed" } },
            Line::File { old, new } if old == new => div.file { (visible(new)) },
            Line::File { old, new } => div.file { (visible(old)) " → " (visible(new)) },
            Line::Gap => div.gap { "⋯" },
            Line::Text { class, number, text } => div class=(class) data-n=(number) { (visible(text)) },
        }
    }
}

fn lines(text: &str) -> Vec<Line<'_>> {
    let (mut old_name, mut is_first_hunk) = ("", true);
    let mut hunk = Hunk::default();
    let mut lines = Vec::new();
    for line in text.lines() {
        // Inside a hunk even a line that looks like a header is text.
        if let Some((class, number)) = hunk.take(line) {
            lines.push(Line::Text { class, number, text: line });
        } else if let Some(old) = line.strip_prefix("--- ") {
            old_name = name(old);
        } else if let Some(new) = line.strip_prefix("+++ ") {
            lines.push(Line::File { old: old_name, new: name(new) });
            is_first_hunk = true;
        } else if let Some(begun) = Hunk::begin(line) {
            if !is_first_hunk {
                lines.push(Line::Gap);
            }
            (hunk, is_first_hunk) = (begun, false);
        } else {
            lines.push(Line::Text { class: "note", number: 0, text: line });
        }
    }
    lines
}

/// Lines that belong together: the number of the next one, and how many are still to come, in the old and the new text.
#[derive(Default)]
struct Hunk {
    old: (usize, usize),
    new: (usize, usize),
}

impl Hunk {
    /// Reads `@@ -1,2 +3,4 @@`.
    fn begin(line: &str) -> Option<Self> {
        let (old, rest) = line.strip_prefix("@@ -")?.split_once(" +")?;
        let range = |text: &str| {
            let text = text.split(' ').next()?;
            let (first, many) = text.split_once(',').unwrap_or((text, "1"));
            Some((first.parse().ok()?, many.parse().ok()?))
        };
        Some(Self { old: range(old)?, new: range(rest)? })
    }

    /// How a line of it looks, and its number; `None` if the hunk is over.
    fn take(&mut self, line: &str) -> Option<(&'static str, usize)> {
        if self.old.1 + self.new.1 == 0 || line.starts_with('\\') {
            return None;
        }
        let (in_old, in_new) = (!line.starts_with('+'), !line.starts_with('-'));
        let number = if in_new { self.new.0 } else { self.old.0 };
        for (is_in, (next, left)) in [(in_old, &mut self.old), (in_new, &mut self.new)] {
            *next += usize::from(is_in);
            *left = left.saturating_sub(usize::from(is_in));
        }
        let class = match (in_old, in_new) {
            (true, true) => "same",
            (false, _) => "added",
            (true, false) => "removed",
        };
        Some((class, number))
    }
}

/// A name in a header, without the letter that tells old from new; empty for a file that is not there.
fn name(name: &str) -> &str {
    if name == "/dev/null" { "" } else { name.strip_prefix("a/").or(name.strip_prefix("b/")).unwrap_or(name) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(before: Option<&str>, after: Option<&str>) -> Vec<String> {
        let (old, new) = (before.map(|_| "a.md"), after.map(|_| "b.md"));
        let text = unified((old, before.unwrap_or_default()), (new, after.unwrap_or_default()));
        let told = |line: &Line<'_>| match line {
            Line::File { old, new } => format!("{old}>{new}"),
            Line::Gap => "gap".to_owned(),
            Line::Text { number, text, .. } => format!("{number}{text}"),
        };
        lines(&text).iter().map(told).collect()
    }

    #[test]
    fn lines_are_numbered_as_in_the_file_that_has_them() {
        assert_eq!(told(Some("x\ny\n"), Some("x\nz\n")), ["a.md>b.md", "1 x", "2-y", "2+z"]);
        assert_eq!(told(None, Some("--- x\n+++ y\n")), [">b.md", "1+--- x", "2++++ y"]);
        assert_eq!(told(Some("x\n"), None), ["a.md>", "1-x"]);
        let long: String = (1..=20).map(|number| format!("{number}\n")).collect();
        let changed = long.replace("2\n3\n", "2\nnew\n").replace("19\n", "old\n");
        assert!(told(Some(&long), Some(&changed)).contains(&"gap".to_owned()));
    }

    #[test]
    fn a_removed_line_that_looks_like_a_header_is_a_line() {
        assert_eq!(told(Some("-- a\n"), Some("++ b\n")), ["a.md>b.md", "1--- a", "1+++ b"]);
    }
}
