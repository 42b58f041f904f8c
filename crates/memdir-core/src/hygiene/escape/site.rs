//! Finds the places where text could pass for structure.

use super::super::structure_names::{is_structure_after_identifier, is_structure_name};
use super::speaker;

/// A place for a backslash.
pub(crate) struct Site {
    /// Where it goes, in bytes.
    pub(crate) position: usize,
    /// How many are there already.
    pub(crate) backslashes: usize,
}

/// All sites of a text in order. Every look ahead and back is bounded, so a pass is linear.
pub(crate) struct Sites<'a> {
    text: &'a str,
    position: usize,
}

/// Blanks that may be between the parts of a forged tag.
const MOST_BLANKS: usize = 8;
/// Letters of the longest name that is looked at.
const LONGEST_NAME: usize = 40;
/// Tokens in brackets that chat templates use.
const BRACKET_TOKENS: [&str; 9] = [
    "inst",
    "/inst",
    "sys",
    "/sys",
    "system_prompt",
    "/system_prompt",
    "available_tools",
    "tool_calls",
    "tool_results",
];

impl<'a> Sites<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        Self { text, position: 0 }
    }

    fn site_at(&self, start: usize) -> Option<Site> {
        let rest = self.text.get(start..)?;
        let first = rest.chars().next()?;
        if speaker::is_colon(first) {
            let (position, backslashes) = speaker::before_colon(self.text, start)?;
            return Some(Site { position, backslashes });
        }
        let behind = start + first.len_utf8();
        if matches!(first, '[' | '［' | '【' | '〔' | '⟦') {
            let (backslashes, rest) = skip_backslashes(self.text.get(behind..)?);
            let is_end = |c: char| matches!(c, ']' | '］' | '】' | '〕' | '⟧');
            let name: String = rest.chars().take(LONGEST_NAME).take_while(|&c| !is_end(c)).collect();
            let is_token = BRACKET_TOKENS.contains(&speaker::plain_lower(name.trim()).as_str())
                || (speaker::is_speaker_label(name.trim())
                    && !is_link_text(rest.get(name.len()..).unwrap_or_default()));
            return is_token.then_some(Site { position: behind, backslashes });
        }
        let (length, is_encoded) = less_than_length(rest)?;
        let position = start + length;
        let (backslashes, rest) = skip_backslashes(self.text.get(position..)?);
        let before = self.text.get(..start)?.chars().next_back();
        let is_generic = before.is_some_and(|before| before.is_alphanumeric() || matches!(before, '_' | ':'));
        opens_tag(rest, is_encoded, is_generic).then_some(Site { position, backslashes })
    }
}

impl Iterator for Sites<'_> {
    type Item = Site;

    fn next(&mut self) -> Option<Site> {
        let bytes = self.text.as_bytes();
        while let Some(offset) = bytes.get(self.position..)?.iter().position(|&byte| is_candidate(byte)) {
            let start = self.position + offset;
            self.position = start + 1;
            if let Some(site) = self.site_at(start) {
                return Some(site);
            }
        }
        self.position = bytes.len();
        None
    }
}

/// Whether a character that matters can begin with this byte: an ASCII one, or the lead byte of its look-alikes.
fn is_candidate(byte: u8) -> bool {
    matches!(byte, b'<' | b'&' | b'\\' | b'%' | b'[' | b':' | 0xC2 | 0xCB | 0xD6 | 0xE1..=0xE3 | 0xEA | 0xEF)
}

/// Whether what follows the closing bracket makes the brackets a link.
fn is_link_text(behind: &str) -> bool {
    let mut characters = behind.chars();
    characters.next() == Some(']') && matches!(characters.next(), Some('(' | '['))
}

fn skip_backslashes(rest: &str) -> (usize, &str) {
    let unescaped = rest.trim_start_matches('\\');
    (rest.len() - unescaped.len(), unescaped)
}

/// The length of a less-than sign, plain or encoded, at the start, and whether it is encoded.
fn less_than_length(rest: &str) -> Option<(usize, bool)> {
    match rest.chars().next()? {
        '<' => Some((1, false)),
        sign @ ('＜' | '﹤') => Some((sign.len_utf8(), false)),
        // Quotation marks and brackets of honest text too, so what follows must be a name of structure.
        sign @ ('‹' | '«' | '˂' | '≺' | '\u{2329}' | '〈' | '⟨' | '《' | '⟪' | '❮' | '❰' | '⧼' | '⦑'
        | 'ᐸ') => Some((sign.len_utf8(), true)),
        '&' | '\\' | '%' => {
            const ENCODED: [&str; 11] = [
                "&lt;", "&#60;", "&#060;", "&#0060;", "&#x3c;", "&#x03c;", "&#x003c;", "&lt", "\\u003c",
                "\\x3c", "%3c",
            ];
            let form = ENCODED
                .iter()
                .find(|form| rest.get(..form.len()).is_some_and(|start| start.eq_ignore_ascii_case(form)))?;
            Some((form.len(), true))
        }
        _ => None,
    }
}

/// Whether what follows a less-than sign makes it a tag or a template token.
fn opens_tag(rest: &str, is_encoded: bool, is_generic: bool) -> bool {
    // The tail of an encoded sign has a site of its own; one here too would make escaping ambiguous.
    if ["u003c", "x3c"]
        .iter()
        .any(|tail| rest.get(..tail.len()).is_some_and(|start| start.eq_ignore_ascii_case(tail)))
    {
        return false;
    }
    let mut characters = rest.chars();
    match characters.next() {
        Some('/' | '／') => true,
        Some('!' | '?') => characters.next().is_some_and(|c| c.is_alphabetic() || matches!(c, '-' | '[')),
        Some('|' | '｜') => {
            characters.next().is_some_and(|c| c.is_alphanumeric() || matches!(c, '/' | '_' | '▁'))
        }
        Some(' ' | '\t' | '\n') => {
            let mut blanks = 0;
            let name = rest.trim_start_matches(|c: char| {
                blanks += 1;
                blanks <= MOST_BLANKS && c.is_whitespace()
            });
            name.starts_with('/') || is_structure_name(name)
        }
        Some(letter) if letter.is_alphabetic() || letter == '_' => {
            if is_generic {
                is_structure_after_identifier(rest)
            } else {
                !is_encoded || is_structure_name(rest)
            }
        }
        _ => false,
    }
}
