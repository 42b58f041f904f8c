//! Finds the places where text could pass for structure.

use super::super::structure_names::{is_structure_after_identifier, is_structure_name};

/// A place for a backslash.
pub(crate) struct Site {
    /// Where it goes, in bytes.
    pub(crate) position: usize,
    /// How many stand there already.
    pub(crate) backslashes: usize,
}

/// All sites of a text in order. Every look ahead and back is bounded, so a pass is linear.
pub(crate) struct Sites<'a> {
    text: &'a str,
    position: usize,
}

/// Blanks that may stand between the parts of a forged tag or speaker.
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
/// Speakers of a transcript, wherever they stand and whatever stands before them.
const SPEAKERS: [&str; 4] = ["Human", "Assistant", "HUMAN", "ASSISTANT"];
/// Names that are speakers only at the beginning of a line.
const LINE_SPEAKERS: [&str; 12] = [
    "human",
    "assistant",
    "system",
    "user",
    "developer",
    "tool",
    "function",
    "model",
    "ai",
    "instruction",
    "instructions",
    "response",
];

impl<'a> Sites<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        Self { text, position: 0 }
    }

    fn site_at(&self, start: usize, byte: u8) -> Option<Site> {
        let rest = self.text.get(start..)?;
        match byte {
            0xEF if rest.starts_with(['：', '﹕']) => self.speaker_at(start),
            b':' => self.speaker_at(start),
            b'<' | 0xEF | b'&' | b'\\' | b'%' => {
                let (length, is_encoded) = less_than_length(rest)?;
                let position = start + length;
                let (backslashes, rest) = skip_backslashes(self.text.get(position..)?);
                let before = self.text.get(..start)?.chars().next_back();
                let is_generic =
                    before.is_some_and(|before| before.is_alphanumeric() || matches!(before, '_' | ':'));
                opens_tag(rest, is_encoded, is_generic).then_some(Site { position, backslashes })
            }
            b'[' => {
                let (backslashes, rest) = skip_backslashes(rest.get(1..)?);
                let name: String = rest.chars().take(LONGEST_NAME).take_while(|&c| c != ']').collect();
                BRACKET_TOKENS
                    .contains(&name.trim().to_ascii_lowercase().as_str())
                    .then_some(Site { position: start + 1, backslashes })
            }
            _ => None,
        }
    }

    /// A site before the colon at `start`, if a speaker's name stands before it.
    fn speaker_at(&self, start: usize) -> Option<Site> {
        let before = self.text.get(..start)?;
        let unescaped = before.trim_end_matches('\\');
        let backslashes = before.len() - unescaped.len();
        let mut blanks = 0;
        let named = unescaped.trim_end_matches(|c: char| {
            blanks += 1;
            blanks <= MOST_BLANKS && matches!(c, ' ' | '\t' | '*' | '_')
        });
        let name_length = named.bytes().rev().take(LONGEST_NAME).take_while(u8::is_ascii_alphabetic).count();
        let (lead, name) = named.split_at_checked(named.len() - name_length)?;
        let is_capital = name.starts_with(|c: char| c.is_ascii_uppercase());
        let is_speaker = SPEAKERS.iter().any(|speaker| name.ends_with(speaker))
            || (LINE_SPEAKERS.contains(&name.to_ascii_lowercase().as_str()) && begins_turn(lead, is_capital));
        is_speaker.then_some(Site { position: unescaped.len(), backslashes })
    }
}

impl Iterator for Sites<'_> {
    type Item = Site;

    fn next(&mut self) -> Option<Site> {
        let bytes = self.text.as_bytes();
        while let Some(offset) = bytes.get(self.position..)?.iter().position(|&byte| is_candidate(byte)) {
            let start = self.position + offset;
            self.position = start + 1;
            if let Some(site) = bytes.get(start).and_then(|&byte| self.site_at(start, byte)) {
                return Some(site);
            }
        }
        self.position = bytes.len();
        None
    }
}

fn is_candidate(byte: u8) -> bool {
    matches!(byte, b'<' | b'&' | b'\\' | b'%' | b'[' | b':' | 0xEF)
}

fn skip_backslashes(rest: &str) -> (usize, &str) {
    let unescaped = rest.trim_start_matches('\\');
    (rest.len() - unescaped.len(), unescaped)
}

/// The length of a less-than sign, plain or encoded, at the start, and whether it is encoded.
fn less_than_length(rest: &str) -> Option<(usize, bool)> {
    match rest.chars().next()? {
        '<' => Some((1, false)),
        '＜' | '﹤' => Some((3, false)),
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

/// Whether a speaker's name after `lead` begins a turn: at the start of a line that is not the first, and unless it
/// has a capital also after an empty line.
fn begins_turn(lead: &str, is_capital: bool) -> bool {
    let mut decorations = 0;
    let line = lead.trim_end_matches(|c: char| {
        decorations += 1;
        decorations <= MOST_BLANKS && matches!(c, ' ' | '\t' | '#' | '*' | '>' | '_' | '-')
    });
    let Some(previous) = line.strip_suffix('\n') else { return false };
    is_capital || previous.is_empty() || previous.ends_with('\n')
}
