//! Text as lines with a tone, wrapped to a width.

use ratatui::style::{Color, Modifier, Style};
use unicode_width::UnicodeWidthChar;

use crate::output::printable;

/// No more lines than this are wrapped: a longer text is read in an editor.
const MAX_LINES: usize = 20_000;

/// What a line is, which decides how it looks.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Tone {
    #[default]
    Plain,
    Strong,
    Quiet,
    Accent,
    Good,
    Warn,
    Bad,
    /// The line that a search found.
    Hit,
}

impl Tone {
    /// The colours are the terminal's own sixteen, so they suit its background.
    pub(super) fn style(self, is_coloured: bool) -> Style {
        let plain = Style::new();
        let (coloured, colourless) = match self {
            Self::Plain => (plain, plain),
            Self::Strong => (plain.add_modifier(Modifier::BOLD), plain.add_modifier(Modifier::BOLD)),
            Self::Quiet => (plain.add_modifier(Modifier::DIM), plain.add_modifier(Modifier::DIM)),
            Self::Accent => (plain.fg(Color::Cyan), plain),
            Self::Good => (plain.fg(Color::Green), plain),
            Self::Warn => (plain.fg(Color::Yellow), plain),
            Self::Bad => (plain.fg(Color::Red), plain),
            Self::Hit => (
                plain.fg(Color::Yellow).add_modifier(Modifier::BOLD),
                plain.add_modifier(Modifier::BOLD | Modifier::UNDERLINED),
            ),
        };
        if is_coloured { coloured } else { colourless }
    }
}

/// One line of a text. Control and invisible characters are spelt out.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Line {
    pub(super) text: String,
    pub(super) tone: Tone,
}

impl Line {
    pub(super) fn new(text: &str, tone: Tone) -> Self {
        Self { text: text.split('\t').map(printable).collect::<Vec<_>>().join("    "), tone }
    }

    pub(super) fn empty() -> Self {
        Self::default()
    }
}

/// Markdown with its headings, quotes and code told apart. `hit` is the line that a search found, from 1.
pub(super) fn markdown(text: &str, hit: Option<u64>) -> Vec<Line> {
    let mut is_code = false;
    let tone = |line: &str, is_code: &mut bool| {
        let start = line.trim_start();
        if start.starts_with("```") || start.starts_with("~~~") {
            *is_code = !*is_code;
            return Tone::Quiet;
        }
        match start.as_bytes() {
            _ if *is_code => Tone::Accent,
            [b'#', ..] => Tone::Strong,
            [b'>', ..] => Tone::Quiet,
            _ => Tone::Plain,
        }
    };
    let lines = text.lines().enumerate().map(|(place, line)| {
        let tone = tone(line, &mut is_code);
        let is_hit = hit == Some(place as u64 + 1);
        Line::new(line, if is_hit { Tone::Hit } else { tone })
    });
    lines.collect()
}

/// A unified diff.
pub(super) fn diff(text: &str) -> Vec<Line> {
    let tone = |line: &str| match line.as_bytes() {
        [b'-', b'-', b'-', ..] | [b'+', b'+', b'+', ..] => Tone::Strong,
        [b'+', ..] => Tone::Good,
        [b'-', ..] => Tone::Bad,
        [b'@', ..] => Tone::Quiet,
        _ => Tone::Plain,
    };
    if text.is_empty() {
        return vec![Line::new("No difference in the text.", Tone::Quiet)];
    }
    text.lines().map(|line| Line::new(line, tone(line))).collect()
}

/// Breaks lines that are wider than the room, at a space if one is near.
pub(super) fn wrap(lines: &[Line], width: usize) -> Vec<Line> {
    let width = width.max(4);
    let mut wrapped = Vec::new();
    for line in lines {
        let mut rest = line.text.as_str();
        loop {
            let (now, later) = rest.split_at(break_at(rest, width));
            wrapped.push(Line { text: now.trim_end().to_owned(), tone: line.tone });
            rest = later.trim_start_matches(' ');
            if rest.is_empty() || wrapped.len() >= MAX_LINES {
                break;
            }
        }
        if wrapped.len() >= MAX_LINES {
            wrapped.push(Line::new("The rest is not shown here.", Tone::Quiet));
            break;
        }
    }
    wrapped
}

/// Where a text must end to fit.
fn break_at(text: &str, width: usize) -> usize {
    let (mut used, mut last_space) = (0, None);
    for (place, c) in text.char_indices() {
        used += c.width().unwrap_or(0);
        if used > width {
            let is_near = |space: &usize| *space > 0 && place - space < width / 2;
            return last_space.filter(is_near).unwrap_or_else(|| place.max(c.len_utf8()));
        }
        if c == ' ' {
            last_space = Some(place + 1);
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wrapped(text: &str, width: usize) -> Vec<String> {
        wrap(&[Line::new(text, Tone::Plain)], width).into_iter().map(|line| line.text).collect()
    }

    #[test]
    fn lines_break_at_spaces_and_long_words_anywhere() {
        assert_eq!(wrapped("one two three", 8), ["one two", "three"]);
        assert_eq!(wrapped("abcdefghij", 4), ["abcd", "efgh", "ij"]);
        assert_eq!(wrapped("", 4), [""]);
        // A wide character takes two columns.
        assert_eq!(wrapped("日本語日本語", 4), ["日本", "語日", "本語"]);
    }

    #[test]
    fn what_speaks_to_a_terminal_is_spelt_out() {
        assert_eq!(Line::new("a\u{1b}[2Jb\u{202e}c\td", Tone::Plain).text, "a\\u{1b}[2Jb\\u{202e}c    d");
    }

    #[test]
    fn code_is_told_from_headings() {
        let tones: Vec<Tone> =
            markdown("# a\n```\n# b\n```\n> c", None).iter().map(|line| line.tone).collect();
        assert_eq!(tones, [Tone::Strong, Tone::Quiet, Tone::Accent, Tone::Quiet, Tone::Quiet]);
    }
}
