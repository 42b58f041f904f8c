//! Where a frontmatter begins and ends.

use std::ops::Range;

use crate::memory::js_text;

/// How many lines a frontmatter may have. A longer one counts as text.
pub const MAX_FRONTMATTER_BYTES: usize = 64 * 1024;

/// The place of a frontmatter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Fences {
    /// The lines between the opening and the closing one.
    pub inner: Range<usize>,
    /// Where the text behind the closing line begins.
    pub body: usize,
    /// The line end of the opening line, which new lines get too.
    pub line_end: &'static str,
}

/// What the beginning of a text is.
pub(super) enum FoundFences {
    /// No frontmatter.
    Nothing,
    /// An opening line only; the place is everything behind it.
    Unclosed {
        /// The opened place.
        open: Fences,
    },
    /// A whole frontmatter.
    Closed(Fences),
}

/// Looks for a frontmatter: `---` alone on the first line (a byte-order mark may be before it) and `---` alone
/// on a later one.
pub(super) fn find(text: &str) -> FoundFences {
    let mark = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    let Some(first) = text.get(mark..).and_then(|rest| rest.split_inclusive('\n').next()) else {
        return FoundFences::Nothing;
    };
    if !first.ends_with('\n') || !is_fence(first) {
        return FoundFences::Nothing;
    }
    let line_end = if first.ends_with("\r\n") { "\r\n" } else { "\n" };
    let start = mark + first.len();
    let limit = text.floor_char_boundary(start.saturating_add(MAX_FRONTMATTER_BYTES));
    let mut offset = start;
    for line in text.get(start..limit).unwrap_or_default().split_inclusive('\n') {
        if is_fence(line) {
            return FoundFences::Closed(Fences { inner: start..offset, body: offset + line.len(), line_end });
        }
        offset += line.len();
    }
    FoundFences::Unclosed { open: Fences { inner: start..limit, body: limit, line_end } }
}

fn is_fence(line: &str) -> bool {
    line.strip_prefix("---").is_some_and(|rest| js_text::trim(rest).is_empty())
}
