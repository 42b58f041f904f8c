//! MEMORY.md as an agent gets it.
//!
//! The order is the client's, observed: decode, drop the byte-order mark, take out frontmatter and block
//! comments, trim, judge both limits on the whole of that, cut by lines and then by size, append the warning,
//! clean, trim again. Changing the order changes what an agent sees.

use std::borrow::Cow;

use serde::Serialize;

mod clean;
mod cut;
mod strip;

#[cfg(test)]
mod tests;

pub use clean::{clean, is_hidden};
pub use cut::{MAX_LINES, MAX_UNITS};
pub use strip::{without_block_comments, without_frontmatter};

use super::js_text;
use cut::{Size, Unit};

/// The name of the index in every memory directory.
pub const ENTRYPOINT: &str = "MEMORY.md";

/// The largest MEMORY.md that is read, in bytes; an agent is shown a few thousandths of it.
pub const MAX_BYTES: u64 = 16 << 20;

/// Whose rule a MEMORY.md is loaded by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Profile {
    /// The client of today: UTF-16 units, frontmatter and block comments taken out.
    #[default]
    Current,
    /// The same for the memory of a custom agent, whose frontmatter and comments stay.
    Agent,
    /// The older description: trimmed, 200 lines, 25,000 bytes, and nothing else done to the text.
    Seed,
}

/// A MEMORY.md as an agent gets it, and what it lost on the way.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Loaded {
    /// Whether the agent sees an entry at all; an empty file leaves none.
    pub shown: bool,
    /// The text with its warning.
    pub text: String,
    /// The lines of the original, as the limit counts them.
    pub lines: usize,
    /// The size of the original, as the limit counts it.
    pub units: usize,
    /// Whether part of it was cut off.
    pub truncated: bool,
    /// The warning as it is at the end of `text`, the blank line before it included.
    pub warning: Option<String>,
}

/// Loads the bytes of a MEMORY.md.
#[must_use]
pub fn load(bytes: &[u8], profile: Profile) -> Loaded {
    let decoded = String::from_utf8_lossy(bytes);
    let text = decoded.strip_prefix('\u{feff}').unwrap_or(&decoded);
    let counted = counted(text, profile);
    let unit = if profile == Profile::Seed { Unit::Byte } else { Unit::Utf16 };
    let size = Size::of(&counted, unit);
    if size.fits() {
        let text = shown_text(&counted, profile).into_owned();
        return Loaded {
            shown: !text.is_empty(),
            text,
            lines: size.lines,
            units: size.units,
            truncated: false,
            warning: None,
        };
    }
    let cut = cut::cut(&counted, unit);
    let warning = cut::warning(&counted, size, &cut, profile != Profile::Seed);
    let text = shown_text(&format!("{}{warning}", cut.kept), profile).into_owned();
    let warning = if profile == Profile::Seed { warning } else { clean(&warning).into_owned() };
    Loaded {
        shown: true,
        text,
        lines: size.lines,
        units: size.units,
        truncated: true,
        warning: Some(warning),
    }
}

/// How much of the limits a MEMORY.md uses, and where it would be cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Usage {
    /// Lines as the client counts them: without frontmatter, block comments and white space at the ends.
    pub lines: usize,
    /// UTF-16 units, counted over the same text.
    pub units: usize,
    /// How many whole lines are loaded; all of them when it fits.
    pub loaded_lines: usize,
}

impl Usage {
    /// Measures the text of a MEMORY.md.
    #[must_use]
    pub fn of(text: &str) -> Self {
        let counted = counted(text.strip_prefix('\u{feff}').unwrap_or(text), Profile::Current);
        let size = Size::of(&counted, Unit::Utf16);
        let loaded_lines = if size.fits() { size.lines } else { cut::cut(&counted, Unit::Utf16).whole_lines };
        Self { lines: size.lines, units: size.units, loaded_lines }
    }

    /// Whether everything is loaded.
    #[must_use]
    pub fn fits(self) -> bool {
        self.lines <= MAX_LINES && self.units <= MAX_UNITS
    }

    /// Whether one of the limits is used to seven tenths or more, where the client begins to remind.
    #[must_use]
    pub fn is_near(self) -> bool {
        self.lines * 10 >= MAX_LINES * 7 || self.units * 10 >= MAX_UNITS * 7
    }
}

/// The part of a MEMORY.md that the client counts and loads, before any cut.
#[must_use]
pub fn counted(text: &str, profile: Profile) -> Cow<'_, str> {
    if profile != Profile::Current {
        return Cow::Borrowed(js_text::trim(text));
    }
    match without_block_comments(without_frontmatter(text)) {
        Cow::Borrowed(text) => Cow::Borrowed(js_text::trim(text)),
        Cow::Owned(text) => Cow::Owned(js_text::trim(&text).to_owned()),
    }
}

fn shown_text(text: &str, profile: Profile) -> Cow<'_, str> {
    if profile == Profile::Seed {
        return Cow::Borrowed(text);
    }
    match clean(text) {
        Cow::Borrowed(text) => Cow::Borrowed(js_text::trim(text)),
        Cow::Owned(text) => Cow::Owned(js_text::trim(&text).to_owned()),
    }
}
