//! How things look: JSON for machines, aligned and quietly coloured text for people.

use std::io::{self, Write};

use anstyle::{AnsiColor, Style};
use anyhow::Result;
use memdir_core::hidden_char::{holds_hidden, is_hidden};
use serde::Serialize;

use crate::exit::Exit;
use crate::world::World;

/// Whether to colour, and with what. A style that is off prints nothing.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Paint {
    on: bool,
}

impl Paint {
    /// Colours on a terminal, unless the user has asked for none.
    #[must_use]
    pub fn for_terminal(is_terminal: bool, no_color: Option<&str>, term: Option<&str>) -> Self {
        Self { on: is_terminal && no_color.is_none_or(str::is_empty) && term != Some("dumb") }
    }

    /// Colours whatever the streams are.
    #[must_use]
    pub fn always() -> Self {
        Self { on: true }
    }

    /// No colours.
    #[must_use]
    pub fn never() -> Self {
        Self { on: false }
    }

    /// Whether colours are on.
    #[must_use]
    pub fn is_on(self) -> bool {
        self.on
    }

    fn wrap(self, style: Style, text: &str) -> String {
        if self.on { format!("{style}{text}{style:#}") } else { text.to_owned() }
    }

    /// A name or heading.
    #[must_use]
    pub fn strong(self, text: &str) -> String {
        self.wrap(Style::new().bold(), text)
    }

    /// What matters less.
    #[must_use]
    pub fn quiet(self, text: &str) -> String {
        self.wrap(Style::new().dimmed(), text)
    }

    /// All is well.
    #[must_use]
    pub fn good(self, text: &str) -> String {
        self.wrap(AnsiColor::Green.on_default(), text)
    }

    /// Worth a look.
    #[must_use]
    pub fn warn(self, text: &str) -> String {
        self.wrap(AnsiColor::Yellow.on_default(), text)
    }

    /// Wrong.
    #[must_use]
    pub fn bad(self, text: &str) -> String {
        self.wrap(AnsiColor::Red.on_default().bold(), text)
    }

    /// A path or a command to type.
    #[must_use]
    pub fn code(self, text: &str) -> String {
        self.wrap(AnsiColor::Cyan.on_default(), text)
    }
}

impl World {
    /// Prints one JSON object with its version in front.
    pub(crate) fn print_json(&mut self, value: &impl Serialize) -> io::Result<()> {
        #[derive(Serialize)]
        struct Versioned<'a, T> {
            v: u32,
            #[serde(flatten)]
            value: &'a T,
        }
        serde_json::to_writer(&mut self.stdout, &Versioned { v: 1, value }).map_err(io::Error::from)?;
        writeln!(self.stdout)
    }

    /// Prints a value as [`World::print_json`] does, as the whole answer of a command.
    pub(crate) fn answer_json(&mut self, value: &impl Serialize) -> Result<Exit> {
        self.print_json(value)?;
        Ok(Exit::Yes)
    }

    /// Prints warnings, one a line.
    pub(crate) fn warn_all(&mut self, texts: impl IntoIterator<Item = impl AsRef<str>>) -> io::Result<()> {
        texts.into_iter().try_for_each(|text| self.warn(text.as_ref()))
    }

    /// Prints a warning where talk goes. Control characters in it cannot move the cursor.
    pub(crate) fn warn(&mut self, text: &str) -> io::Result<()> {
        let label = self.paint.warn("warning:");
        writeln!(self.stderr, "{label} {}", printable_lines(text))
    }
}

/// A text of several lines, each printable.
#[must_use]
pub(crate) fn printable_lines(text: &str) -> String {
    let lines: Vec<String> = text.lines().map(printable).collect();
    lines.join("\n")
}

/// One line with control characters made visible, line ends among them, so that a hostile name cannot speak to the terminal.
#[must_use]
pub(crate) fn printable(text: &str) -> String {
    if !holds_hidden(text) {
        return text.to_owned();
    }
    let visible = |c: char| if is_hidden(c) { c.escape_unicode().to_string() } else { c.to_string() };
    text.chars().map(visible).collect()
}

/// How many columns a text takes on a terminal.
#[must_use]
pub(crate) fn width(text: &str) -> usize {
    unicode_width::UnicodeWidthStr::width(text)
}

/// A text in at most so many columns: the end is left out.
#[must_use]
pub(crate) fn cut(text: &str, columns: usize) -> String {
    if width(text) <= columns {
        return text.to_owned();
    }
    format!("{}…", beginning(text, columns.saturating_sub(1)).trim_end())
}

/// A name in at most so many columns: the middle is left out, because names differ at both ends.
#[must_use]
pub(crate) fn cut_middle(text: &str, columns: usize) -> String {
    if width(text) <= columns {
        return text.to_owned();
    }
    let front = beginning(text, columns.saturating_sub(1).div_ceil(2));
    let backwards: String = text.chars().rev().collect();
    let back: String = beginning(&backwards, columns.saturating_sub(1) / 2).chars().rev().collect();
    format!("{front}…{back}")
}

/// A text filled with spaces to so many columns.
#[must_use]
pub(crate) fn pad(text: &str, columns: usize) -> String {
    format!("{text}{}", " ".repeat(columns.saturating_sub(width(text))))
}

fn beginning(text: &str, columns: usize) -> &str {
    let mut used = 0;
    for (at, character) in text.char_indices() {
        used += unicode_width::UnicodeWidthChar::width(character).unwrap_or(0);
        if used > columns {
            return text.get(..at).unwrap_or_default();
        }
    }
    text
}

/// A path as people write it: `~` for the home directory.
#[must_use]
pub(crate) fn short_path(path: &camino::Utf8Path, world: &World) -> String {
    let below = world
        .home
        .as_deref()
        .filter(|home| home.as_str() != "/")
        .and_then(|home| path.strip_prefix(home).ok());
    match below {
        Some(rest) if rest.as_str().is_empty() => "~".to_owned(),
        Some(rest) => format!("~{}{}", std::path::MAIN_SEPARATOR, printable(rest.as_str())),
        None => printable(path.as_str()),
    }
}

/// A count of bytes as a person writes it: three digits at most.
#[must_use]
pub(crate) fn human_bytes(bytes: u64) -> String {
    const UNITS: [&str; 5] = ["B", "kB", "MB", "GB", "TB"];
    let mut size = bytes as f64;
    let mut unit = 0;
    while size >= 999.5 && unit + 1 < UNITS.len() {
        size /= 1000.0;
        unit += 1;
    }
    if unit == 0 || size >= 9.95 {
        format!("{size:.0} {}", UNITS[unit])
    } else {
        format!("{size:.1} {}", UNITS[unit])
    }
}

/// How long ago something was, in the largest unit that fits.
#[must_use]
pub(crate) fn human_age(seconds: i64) -> String {
    match seconds {
        ..60 => "just now".to_owned(),
        60..3_600 => format!("{} min ago", seconds / 60),
        3_600..86_400 => format!("{} h ago", seconds / 3_600),
        86_400..172_800 => "yesterday".to_owned(),
        _ => format!("{} days ago", seconds / 86_400),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_and_ages_are_short() {
        let sizes: Vec<_> =
            [0, 999, 1000, 9_949, 9_951, 999_499, 1_000_000, u64::MAX].map(human_bytes).into();
        assert_eq!(sizes, ["0 B", "999 B", "1.0 kB", "9.9 kB", "10 kB", "999 kB", "1.0 MB", "18446744 TB"]);
        let ages: Vec<_> = [-5, 59, 60, 3_600, 86_400, 172_800].map(human_age).into();
        assert_eq!(ages, ["just now", "just now", "1 min ago", "1 h ago", "yesterday", "2 days ago"]);
    }

    #[test]
    fn long_texts_fit_into_columns() {
        assert_eq!(cut("money is integer cents", 10), "money is…");
        assert_eq!(cut("short", 10), "short");
        assert_eq!(
            cut_middle("feedback-no-dont-add-dependencies", 15),
            "feedbac…ndencie".replace("ndencie", "dencies")
        );
        assert_eq!(cut("日本語の説明", 7), "日本語…");
        assert_eq!(pad("日本", 6), "日本  ");
    }

    #[test]
    fn a_hostile_name_cannot_move_the_cursor() {
        assert_eq!(printable("a\u{1b}[2Jb\u{202e}c"), "a\\u{1b}[2Jb\\u{202e}c");
    }
}
