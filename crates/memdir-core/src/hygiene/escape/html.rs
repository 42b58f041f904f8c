//! Makes a memory safe to show in a page as text.

use std::borrow::Cow;

/// Schemes that a page may not carry in a link; images may not be remote at all.
const ACTIVE_SCHEMES: [&str; 7] = ["javascript", "vbscript", "data", "file", "blob", "livescript", "jar"];
/// From here on a text that consists mostly of markup characters is a bomb for a parser, not prose.
const BOMB_LENGTH: usize = 8_192;

/// The text as the content of an HTML element.
///
/// Beyond the five characters of HTML it disarms what a Markdown viewer would make active: links with a scheme that
/// runs code, and images from elsewhere. `true` if the text must be shown literally instead of parsed as Markdown.
pub(crate) fn escape_html(text: &str) -> (Cow<'_, str>, bool) {
    let mut output = String::new();
    let mut copied = 0;
    let mut markup = 0;
    for (position, byte) in text.bytes().enumerate() {
        let replacement = match byte {
            b'&' => "&amp;",
            b'<' => "&lt;",
            b'>' => "&gt;",
            b'"' => "&quot;",
            b'\'' => "&#39;",
            b':' if ends_with_active_scheme(text.get(..position).unwrap_or_default()) => "&#58;",
            b'[' if position > 0 && text.as_bytes().get(position - 1) == Some(&b'!') => "&#91;",
            _ => "",
        };
        markup += usize::from(is_markup(byte));
        if !replacement.is_empty() {
            output.push_str(text.get(copied..position).unwrap_or_default());
            output.push_str(replacement);
            copied = position + 1;
        }
    }
    let is_bomb = text.len() >= BOMB_LENGTH && markup > text.len() / 5;
    if copied == 0 {
        return (Cow::Borrowed(text), is_bomb);
    }
    output.push_str(text.get(copied..).unwrap_or_default());
    (Cow::Owned(output), is_bomb)
}

/// Looks past white space and control characters, as a browser does.
fn ends_with_active_scheme(before: &str) -> bool {
    let letters: String = before
        .chars()
        .rev()
        .filter(|c| !c.is_whitespace() && !c.is_control())
        .take(16)
        .take_while(char::is_ascii_alphabetic)
        .map(|c| c.to_ascii_lowercase())
        .collect();
    let name: String = letters.chars().rev().collect();
    ACTIVE_SCHEMES.iter().any(|scheme| name == *scheme) && is_link_target(before, &name)
}

/// A scheme counts right after what can begin a link target, so that prose such as `data: see below` stays.
fn is_link_target(before: &str, scheme: &str) -> bool {
    if matches!(scheme, "javascript" | "vbscript" | "livescript") {
        return true;
    }
    let lead = before.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    lead.ends_with(['(', '<', '"', '\'', '='])
}

fn is_markup(byte: u8) -> bool {
    matches!(
        byte,
        b'[' | b']' | b'*' | b'_' | b'>' | b'`' | b'|' | b'~' | b'!' | b'(' | b')' | b'#' | b'+' | b'\\'
    )
}
