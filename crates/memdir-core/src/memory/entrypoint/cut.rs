//! The limits of MEMORY.md, the cut, and the warning that follows it.

use crate::memory::js_text;

/// How many lines of MEMORY.md are loaded.
pub const MAX_LINES: usize = 200;
/// How many units of MEMORY.md are loaded: UTF-16 code units today, bytes by the older rule.
pub const MAX_UNITS: usize = 25_000;
/// The longest piece of the first lost line that the warning shows, in units.
const PREVIEW_UNITS: usize = 80;

/// In what the size of a text is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unit {
    /// UTF-16 code units, as the client counts.
    Utf16,
    /// Bytes of UTF-8, as the older description says.
    Byte,
}

impl Unit {
    pub(super) fn length(self, text: &str) -> usize {
        match self {
            Self::Utf16 => js_text::units(text),
            Self::Byte => text.len(),
        }
    }

    /// The longest beginning of at most `limit` that ends between two characters.
    fn prefix(self, text: &str, limit: usize) -> &str {
        match self {
            Self::Utf16 => js_text::prefix(text, limit),
            Self::Byte => text.get(..text.floor_char_boundary(limit)).unwrap_or(text),
        }
    }
}

/// A text that was too long, cut.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Cut<'t> {
    /// The beginning that is loaded.
    pub kept: &'t str,
    /// How many whole lines are kept; 0 when even the first one had to be cut.
    pub whole_lines: usize,
}

/// How long a text is, as the limits see it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Size {
    pub lines: usize,
    pub units: usize,
}

impl Size {
    pub(super) fn of(text: &str, unit: Unit) -> Self {
        if text.is_empty() {
            return Self { lines: 0, units: 0 };
        }
        Self { lines: memchr::memchr_iter(b'\n', text.as_bytes()).count() + 1, units: unit.length(text) }
    }

    pub(super) fn fits(self) -> bool {
        self.lines <= MAX_LINES && self.units <= MAX_UNITS
    }
}

/// Cuts a trimmed text: by lines first, then, if that is still too much, at the last line end within the size,
/// or inside the first line when it alone is too long.
pub(super) fn cut(text: &str, unit: Unit) -> Cut<'_> {
    let by_lines = match memchr::memchr_iter(b'\n', text.as_bytes()).nth(MAX_LINES - 1) {
        Some(end) => text.get(..end).unwrap_or(text),
        None => text,
    };
    if unit.length(by_lines) <= MAX_UNITS {
        return Cut { kept: by_lines, whole_lines: by_lines.split('\n').count() };
    }
    let within = unit.prefix(by_lines, MAX_UNITS);
    // A line end that is exactly behind the limit still counts: everything before it fits.
    let line_end = if by_lines.as_bytes().get(within.len()) == Some(&b'\n') {
        Some(within.len())
    } else {
        memchr::memrchr(b'\n', within.as_bytes())
    };
    match line_end.filter(|end| *end > 0).and_then(|end| by_lines.get(..end)) {
        Some(kept) => Cut { kept, whole_lines: kept.split('\n').count() },
        None => Cut { kept: within, whole_lines: 0 },
    }
}

/// The warning that is put behind what was kept, the blank line before it included.
pub(super) fn warning(text: &str, size: Size, cut: &Cut<'_>, with_detail: bool) -> String {
    let reason = reason(size);
    let detail = if with_detail { detail(text, size, cut) } else { String::new() };
    format!(
        "\n\n> WARNING: MEMORY.md is {reason}. Only part of it was loaded{detail}. Keep index entries to one line under ~200 chars; move detail into topic files."
    )
}

fn reason(size: Size) -> String {
    let too_many = size.lines > MAX_LINES;
    let too_long = size.units > MAX_UNITS;
    match (too_many, too_long) {
        (true, true) => format!("{} lines and {}", size.lines, human(size.units)),
        (true, false) => format!("{} lines (limit: {MAX_LINES})", size.lines),
        (false, _) => {
            format!("{} (limit: {}) — index entries are too long", human(size.units), human(MAX_UNITS))
        }
    }
}

fn detail(text: &str, size: Size, cut: &Cut<'_>) -> String {
    if cut.whole_lines == 0 {
        return format!(": everything after the first {MAX_UNITS} characters of line 1 was cut off");
    }
    let lost = size.lines - cut.whole_lines;
    let preview = preview(text.split('\n').nth(cut.whole_lines).unwrap_or_default());
    format!(
        ": {lost} of {} lines were cut off, starting at line {}{preview}",
        size.lines,
        cut.whole_lines + 1
    )
}

fn preview(line: &str) -> String {
    let line = js_text::trim(line);
    if line.is_empty() {
        String::new()
    } else if js_text::units(line) <= PREVIEW_UNITS {
        format!(" (\"{line}\")")
    } else {
        format!(" (\"{}…\")", js_text::prefix(line, PREVIEW_UNITS - 1))
    }
}

/// A size with at most one decimal, which is left out when it is 0: `24.4KB`, `30KB`, `1.9MB`.
pub(super) fn human(units: usize) -> String {
    const MEGA: usize = 1024 * 1024;
    let (divisor, name) = if units >= MEGA { (MEGA, "MB") } else { (1024, "KB") };
    // Rounded half up in integers, so that no floating point can differ from machine to machine.
    let tenths = (units * 20 + divisor) / (divisor * 2);
    if tenths.is_multiple_of(10) {
        format!("{}{name}", tenths / 10)
    } else {
        format!("{}.{}{name}", tenths / 10, tenths % 10)
    }
}
