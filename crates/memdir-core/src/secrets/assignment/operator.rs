//! What joins a name and its value.

use std::sync::LazyLock;

use crate::word_list::{WordList, word_list};

/// Where a value begins, and how it is joined to its name.
pub(super) enum Operator {
    /// `=`, `:`, `=>`, a table's bar, a call's parenthesis, a closing tag.
    Joined(usize),
    /// `is`, `是`, or an operator some words further on.
    Told(usize),
    /// The line ends after the operator.
    NextLine(usize),
    /// Nothing but space.
    Space(usize),
}

/// How far behind a name an operator may be.
const GAP: usize = 64;

/// Verbs between a name and its value.
const VERBS: &[&str] = &[
    "has been changed to",
    "has been set to",
    "has been reset to",
    "has been rotated to",
    "was changed to",
    "was reset to",
    "is changed to",
    "got changed to",
    "will be",
    "is now",
    "is still",
    "is currently",
    "is set to",
    "was set to",
    "set to",
    "changed to",
    "rotated to",
    "reset to",
    "equals",
    "is",
    "are",
    "was",
    "ist",
    "lautet",
    "est",
    "es",
    "era",
    "é",
    "è",
    "är",
    "jest",
    "je",
    "-> ",
    "是",
    "为",
    "為",
    "设为",
    "改成",
    "は",
    "が",
    "는",
    "은",
    "가",
    "это",
];

/// Words between a name and an operator which say that the value is about the secret, not the secret.
static ABOUT: WordList = LazyLock::new(|| word_list(include_str!("words/about.txt")));

/// Finds the operator that follows a name.
pub(super) fn after_name(
    text: &str,
    name_end: usize,
    context: &str,
    name: &str,
    is_flag: bool,
) -> Option<Operator> {
    let closed = skip_closing_marks(text, name_end);
    let at = skip_blanks(text, closed);
    let rest = text.get(at..)?;
    if rest.starts_with('(') && at == name_end {
        // A call: `password("…")`.
        let inside = skip_blanks(text, at + 1);
        return text.get(inside..)?.starts_with(['"', '\'', '`']).then_some(Operator::Joined(inside));
    }
    if let Some(value) = after_tag(text, at, context) {
        return Some(Operator::Joined(value));
    }
    if let Some(value) = after_value_word(text, closed) {
        return Some(Operator::Joined(value));
    }
    let after_aside = skip_aside(text, at);
    if let Some(value) = after_sign(text, after_aside) {
        return value_or_next_line(text, value);
    }
    if let Some(value) = after_verb(text, after_aside) {
        return Some(Operator::Told(skip_opening_marks(text, value)));
    }
    // Scripts without spaces may join a value to its name: `密码abc123`.
    if at == closed && name.is_ascii() && rest.starts_with(|character: char| character.is_ascii()) {
        return None;
    }
    let assigns_by_space =
        ["ENV ", "ARG ", "setx ", "set -x ", "set -gx ", "set -Ux ", "requirepass", "masterauth"];
    if is_flag || assigns_by_space.iter().any(|word| context.ends_with(word) || name == *word) {
        return Some(if is_flag { Operator::Space(at) } else { Operator::Joined(at) });
    }
    if let Some(value) = after_gap(text, at) {
        return Some(Operator::Told(value));
    }
    Some(Operator::Space(at))
}

fn skip_closing_marks(text: &str, mut at: usize) -> usize {
    for _ in 0..6 {
        match text.get(at..).and_then(|rest| rest.chars().next()) {
            Some(mark) if "\"'`*_])\\”’」』》»】".contains(mark) => at += mark.len_utf8(),
            _ => break,
        }
    }
    at
}

fn skip_opening_marks(text: &str, at: usize) -> usize {
    let mut at = skip_blanks(text, at);
    // Emphasis around the value or the end of emphasis around the name: `**Password:** x`.
    for _ in 0..3 {
        match text.as_bytes().get(at) {
            Some(b'*') if text.as_bytes().get(at + 1).is_some_and(|next| b"* `".contains(next)) => at += 1,
            Some(b'_') if text.as_bytes().get(at + 1).is_some_and(|next| b"_ `".contains(next)) => at += 1,
            _ => break,
        }
    }
    let at = skip_blanks(text, at);
    // YAML may say that a value is text.
    if text.get(at..).is_some_and(|rest| rest.starts_with("!!str ")) { skip_blanks(text, at + 6) } else { at }
}

fn skip_blanks(text: &str, at: usize) -> usize {
    let rest = text.get(at..).unwrap_or_default();
    let blanks =
        rest.chars().take(40).take_while(|character| matches!(character, ' ' | '\t' | '\u{a0}' | '\u{3000}'));
    at + blanks.map(char::len_utf8).sum::<usize>()
}

/// `(staging)` between a name and its operator.
fn skip_aside(text: &str, at: usize) -> usize {
    let rest = text.get(at..).unwrap_or_default();
    let close = match rest.chars().next() {
        Some('(') => ')',
        Some('（') => '）',
        Some('[') => ']',
        _ => return at,
    };
    let mut end = at;
    for character in rest.chars().take(48) {
        end += character.len_utf8();
        if character == '\n' {
            return at;
        }
        if character == close {
            let after = skip_closing_marks(text, end);
            return skip_blanks(text, after);
        }
    }
    at
}

fn after_sign(text: &str, at: usize) -> Option<usize> {
    let rest = text.get(at..)?;
    let signs = [
        ":::", "===", ":=", "?=", "+=", "==", "=>", "->", "<-", "::", "=", ":", "：", "＝", "→", "⇒", "➜",
        "—", "–", "|", "│", "~>",
    ];
    let sign = signs.iter().find(|sign| rest.starts_with(*sign))?;
    // A path in code: `password::hash`.
    (*sign != "::").then_some(at + sign.len())
}

/// After a colon there may be a type before the value, or the value may be on the next line.
fn value_or_next_line(text: &str, at: usize) -> Option<Operator> {
    let at = skip_opening_marks(text, at);
    let rest = text.get(at..)?;
    if let Some(value) = after_type(rest) {
        return Some(Operator::Joined(at + value));
    }
    if !rest.starts_with(['\n', '\r'])
        && !rest.starts_with("|\n")
        && !rest.starts_with(">\n")
        && !rest.starts_with(">-\n")
    {
        return Some(Operator::Joined(at));
    }
    let mut position = at;
    for line in rest.split_inclusive('\n').take(5) {
        let plain = line.trim();
        let is_fence = plain.starts_with("```") || plain.starts_with("~~~");
        if plain.is_empty() || is_fence || [">", "|", ">-", "|-"].contains(&plain) {
            position += line.len();
            continue;
        }
        if line.len() > 600 {
            return None;
        }
        let indent = line.len() - line.trim_start_matches([' ', '\t', '>', '-', '*', '+']).len();
        return Some(Operator::NextLine(position + indent));
    }
    None
}

/// The length of a type annotation and its `=`: `: &str = "…"`.
fn after_type(rest: &str) -> Option<usize> {
    let window = rest.as_bytes().get(..rest.len().min(40))?;
    let equals = window.iter().position(|&byte| byte == b'=')?;
    let annotation = window.get(..equals)?;
    let is_type = annotation.first().is_some_and(|byte| byte.is_ascii_alphabetic() || b"&*".contains(byte))
        && annotation.last() == Some(&b' ')
        && annotation.iter().all(|byte| byte.is_ascii_alphanumeric() || b"_<>[]&'|?. ".contains(byte));
    let after = window.get(equals + 1..)?;
    let blanks = after.iter().take_while(|byte| **byte == b' ').count();
    let quoted = after.get(blanks).is_some_and(|byte| b"\"'`".contains(byte));
    (is_type && quoted).then_some(equals + 1 + blanks)
}

fn after_verb(text: &str, at: usize) -> Option<usize> {
    let rest = text.get(at..)?;
    let first = rest.chars().next()?.to_ascii_lowercase();
    VERBS.iter().filter(|verb| verb.starts_with(first)).find_map(|verb| {
        let start = rest.get(..verb.len())?;
        let after = rest.get(verb.len()..)?;
        let ascii = verb.bytes().all(|byte| byte.is_ascii_alphabetic() || byte == b' ');
        let ends = !ascii || after.starts_with([' ', ':', '=', '`', '"', '\'', '「', '“', '\n']);
        if !(start.eq_ignore_ascii_case(verb) && ends) {
            return None;
        }
        let after = skip_blanks(text, at + verb.len());
        Some(
            after
                + text
                    .get(after..)
                    .map_or(0, |rest| rest.len() - rest.trim_start_matches([':', '：', '=']).len()),
        )
    })
}

/// `<password>…`, `<property name="password">…`, `<key>Password</key><string>…`.
fn after_tag(text: &str, at: usize, context: &str) -> Option<usize> {
    let rest = text.get(at..)?;
    let opened =
        context.rfind('<').is_some_and(|open| !context.get(open..).unwrap_or_default().contains('>'));
    if let Some(inside) = rest.strip_prefix('>')
        && opened
        && !context.ends_with('/')
    {
        return (!inside.starts_with('<')).then_some(at + 1);
    }
    let after_key = rest.strip_prefix("</key>")?.trim_start();
    let value = after_key.strip_prefix("<string>")?;
    Some(text.len() - value.len())
}

/// `"DB_PASSWORD", "value": …` and the same in YAML and XML.
fn after_value_word(text: &str, at: usize) -> Option<usize> {
    let rest = text.get(at..)?;
    let mut window_end = rest.len().min(80);
    while !rest.is_char_boundary(window_end) {
        window_end -= 1;
    }
    let window = rest.get(..window_end)?;
    let blanks = window.len() - window.trim_start_matches([' ', ',', '\n', '\r', '\t', '"', '\'']).len();
    if blanks == 0 {
        return None;
    }
    let after = window.get(blanks..)?;
    let word = ["value", "Value", "VALUE", "default", "password_value"]
        .iter()
        .find(|word| after.starts_with(*word))?;
    let mut position = at + blanks + word.len();
    position = skip_blanks(text, skip_closing_marks(text, position));
    let sign = after_sign(text, position)?;
    Some(skip_blanks(text, sign))
}

/// An operator after some more words: `password for the staging database is …`.
fn after_gap(text: &str, at: usize) -> Option<usize> {
    let rest = text.get(at..)?;
    let mut limit = rest.len().min(GAP);
    while !rest.is_char_boundary(limit) {
        limit -= 1;
    }
    let window = rest.get(..limit)?;
    let bytes = window.as_bytes();
    let mut start = None;
    for (index, byte) in bytes.iter().enumerate() {
        match byte {
            b'\n' | b';' | b'?' | b'!' | b'|' | b'{' | b'}' | b'<' | b'>' | b'"' => return None,
            b'.' if bytes.get(index + 1) == Some(&b' ') => return None,
            b':' | b'=' | b' ' | 0x80.. => {
                let here = window.get(index..).unwrap_or_default();
                if let Some(sign) = SIGNS.iter().find(|sign| here.starts_with(*sign)) {
                    start = Some((index, *sign));
                    break;
                }
            }
            _ => {}
        }
    }
    let (start, sign) = start?;
    let gap = window.get(..start)?;
    let about = gap
        .split(|character: char| !character.is_alphanumeric())
        .any(|word| ABOUT.contains(&word.to_ascii_lowercase().as_str()));
    let width = sign.len() - usize::from(sign.ends_with('`'));
    (!about).then(|| skip_opening_marks(text, at + start + width))
}

/// What an operator looks like at the end of a gap.
const SIGNS: &[&str] = &[
    " is now ",
    " is: ",
    " is ",
    " are ",
    " has been changed to ",
    " was changed to ",
    ": ",
    " = ",
    ":`",
    "=`",
    "：",
    " ist ",
    " est ",
    " es ",
    "是",
    "为",
    " -> ",
    " → ",
    " — ",
    " – ",
];
