//! Secrets that only their name gives away: `password = …`, `the API key is …`, `密码是…`.

mod operator;
mod words;

use std::ops::Range;

use super::judge::{self, Kind, Letters, Link};
use super::name;
use super::value_text::{self, ValueText};
use operator::Operator;
pub(super) use words::{FOREIGN_WORDS, NAME_WORDS};

/// A name may not be longer than this on either side of the word that was seen.
const NAME_REACH: usize = 80;
/// A run without a break that is longer than this is data, not assignments.
const LONG_RUN: usize = 256;
/// How much of the line before a name is looked at.
const CONTEXT_REACH: usize = 64;

/// What was found beside a name.
pub(super) struct Assigned {
    pub(super) kind: Kind,
    pub(super) range: Range<usize>,
}

/// Looks at the name around a word such as `token`; also returns where that name ends.
pub(super) fn at_name_word(text: &str, word: Range<usize>) -> (usize, Option<Assigned>) {
    let bytes = text.as_bytes();
    let is_name_byte = |byte: &&u8| byte.is_ascii_alphanumeric() || b"_.-".contains(byte);
    let left_limit = word.start.saturating_sub(NAME_REACH);
    let right_limit = bytes.len().min(word.end + NAME_REACH);
    let left = bytes.get(left_limit..word.start).unwrap_or_default();
    let right = bytes.get(word.end..right_limit).unwrap_or_default();
    let mut start = word.start - left.iter().rev().take_while(is_name_byte).count();
    let mut end = word.end + right.iter().take_while(is_name_byte).count();
    let name_end = end;
    while end > word.end && matches!(bytes.get(end - 1), Some(b'.' | b'-')) {
        end -= 1;
    }
    // An escape before the name is not part of it: `\npassword`.
    if start > 0
        && bytes.get(start - 1) == Some(&b'\\')
        && matches!(bytes.get(start), Some(b'n' | b't' | b'r'))
    {
        start += 1;
    }
    let found = text.get(start..end).and_then(|name| {
        let context = line_before(text, start);
        let kind = name::announces(name, context)?;
        let named = Named { name, end, context, kind };
        find_value(text, &named)
            .or_else(|| value_beside(text, &named))
            .or_else(|| value_before(start, context, kind))
    });
    // Names inside one long unbroken run are not read one by one: the run is the value of the first.
    let run = bytes.get(name_end..bytes.len().min(name_end + LONG_RUN)).unwrap_or_default();
    let is_long_run =
        run.len() == LONG_RUN && run.iter().all(|byte| *byte > b' ' && !b"\"'`,;&<>|".contains(byte));
    (if is_long_run { name_end + LONG_RUN / 2 } else { name_end }, found)
}

/// Looks behind a word of another language, which needs no further reading: it announces its kind.
pub(super) fn at_foreign_word(text: &str, word: Range<usize>, kind: Kind) -> Option<Assigned> {
    let rest = text.get(word.end..)?;
    // Inflections: `пароля`, `Passwortes`.
    let inflection = rest.chars().take(4).take_while(|character| is_cased_letter(*character));
    let end = word.end + inflection.map(char::len_utf8).sum::<usize>();
    let name = text.get(word.start..end)?;
    let context = line_before(text, word.start);
    find_value(text, &Named { name, end, context, kind })
}

/// A name that announces a secret, where it is.
struct Named<'text> {
    name: &'text str,
    end: usize,
    context: &'text str,
    kind: Kind,
}

fn find_value(text: &str, named: &Named<'_>) -> Option<Assigned> {
    let is_flag = named.name.starts_with('-');
    let is_query = named.context.ends_with(['?', '&']) && named.context.contains(['/', '&']);
    let operator = operator::after_name(text, named.end, named.context, named.name, is_flag)?;
    // A login is a page, a button or a name, unless a user and something behind it follow.
    let is_login = named.name.to_ascii_lowercase().trim_end_matches('s').ends_with("login");
    if is_login && !matches!(operator, Operator::Joined(_) | Operator::Told(_)) {
        return None;
    }
    let (value_start, link) = match operator {
        Operator::Joined(at) => (at, Link::Bare),
        Operator::Told(at) => (at, Link::Prose),
        Operator::NextLine(at) => {
            let value = value_text::read(text, at, false)?;
            let alone = text.get(value.end_with_quote..)?.lines().next().unwrap_or_default();
            let stands_alone = alone.trim_matches([' ', '`', '\r', '*']).is_empty();
            let strong = judge::is_secret(value.text, Kind::Loose, Link::Prose)
                || named.kind != Kind::Loose && judge::is_secret(value.text, Kind::Token, Link::Prose);
            return (stands_alone && strong).then_some(Assigned { kind: named.kind, range: value.range });
        }
        Operator::Space(at) => {
            let value = value_text::read(text, at, is_query)?;
            return is_secret_after_space(&value, named, is_flag)
                .then_some(Assigned { kind: named.kind, range: value.range });
        }
    };
    let value = value_text::read(text, value_start, is_query)?;
    let value = without_scheme(text, value, is_query)?;
    let value_start = value.range.start;
    let value = if named.kind == Kind::Secret { without_user(text, value) } else { value };
    if is_login && (value.range.start == value_start || !is_strong(value.text)) {
        return None;
    }
    if is_called_an_example(text, value.end_with_quote) {
        return None;
    }
    let link = if value.quoted && link == Link::Bare { Link::Quoted } else { link };
    judge::is_secret(value.text, named.kind, link)
        .then_some(Assigned { kind: named.kind, range: value.range })
}

/// `use x as the password`: the value is before its name, and must speak for itself.
fn value_before(name_start: usize, context: &str, kind: Kind) -> Option<Assigned> {
    const JOINTS: [&str; 8] =
        [" as the ", " as a ", " as ", " as its ", " as their ", " as my ", " is the ", " is our "];
    if kind != Kind::Password {
        return None;
    }
    let joint = JOINTS.iter().find(|joint| context.ends_with(*joint))?;
    let before = context.strip_suffix(joint)?.trim_end_matches(['`', '"', '\'', '”', '」']);
    let word = before.rsplit([' ', '`', '"', '\'', '“', '「', '(', '，']).next()?;
    let start = name_start - context.len() + (before.len() - word.len());
    (is_strong(word) && judge::is_secret(word, Kind::Password, Link::Prose))
        .then_some(Assigned { kind, range: start..start + word.len() })
}

/// `the password (x)`, `the password, x, …`: the value must speak for itself.
fn value_beside(text: &str, named: &Named<'_>) -> Option<Assigned> {
    let rest = text.get(named.end..)?;
    let joint = [" (", ", "].iter().find(|joint| rest.starts_with(*joint))?;
    let value = value_text::read(text, named.end + joint.len(), false)?;
    (named.kind == Kind::Password && is_strong(value.text) && is_secret_after_space(&value, named, false))
        .then_some(Assigned { kind: named.kind, range: value.range })
}

/// Whether such words in prose announce a password and nothing else.
fn is_strong(value: &str) -> bool {
    let letters = Letters::of(value);
    letters.length >= 8
        && letters.digits > 0
        && letters.letters() > 0
        && (letters.symbols > 0 || letters.upper > 0 && letters.lower > 0 && letters.turns >= 2)
}

/// Where only a space joins name and value, the value must speak for itself, unless the name is an option.
fn is_secret_after_space(value: &ValueText<'_>, named: &Named<'_>, is_flag: bool) -> bool {
    if is_flag {
        return judge::is_secret(value.text, named.kind, Link::Bare);
    }
    let letters = Letters::of(value.text);
    let mixed = letters.digits > 0 && letters.letters() > 0;
    match named.kind {
        // `two-pass x`, `pass x`: too many things pass.
        Kind::Password if named.name.to_ascii_lowercase().ends_with("pass") => false,
        Kind::Password => {
            let strong = mixed
                && (letters.symbols > 0 || letters.upper > 0 && letters.lower > 0 && letters.turns >= 2)
                && letters.length >= 8;
            (strong || value.quoted && mixed && letters.turns > 0)
                && judge::is_secret(value.text, Kind::Password, Link::Prose)
        }
        _ => {
            judge::is_secret(value.text, Kind::Loose, Link::Prose)
                || named.kind == Kind::Token
                    && letters.length >= 32
                    && judge::is_secret(value.text, Kind::Token, Link::Prose)
                    && !value.text.contains('-')
        }
    }
}

/// `Bearer x` and `token x` after an operator: the scheme is not the secret.
fn without_scheme<'text>(
    text: &'text str,
    value: ValueText<'text>,
    is_query: bool,
) -> Option<ValueText<'text>> {
    let schemes = ["bearer ", "token ", "basic ", "apikey ", "key "];
    let folded = text.get(value.range.start..)?.as_bytes();
    let scheme = schemes.iter().find(|scheme| {
        folded.get(..scheme.len()).is_some_and(|start| start.eq_ignore_ascii_case(scheme.as_bytes()))
    });
    match scheme {
        Some(scheme) => value_text::read(text, value.range.start + scheme.len(), is_query),
        None => Some(value),
    }
}

/// `admin:x` and `admin / x` after `credentials`: the user is not the secret.
fn without_user<'text>(text: &'text str, value: ValueText<'text>) -> ValueText<'text> {
    let is_user = |user: &str| {
        !user.is_empty()
            && user.len() <= 40
            && user.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._@-".contains(&byte))
            && !Letters::of(user).is_drawn_by_lot()
    };
    let after = text.get(value.end_with_quote..).unwrap_or_default();
    if is_user(value.text) && [" / ", " : "].iter().any(|joint| after.starts_with(joint)) {
        let start = value.end_with_quote + 3;
        return value_text::read(text, start, false).unwrap_or(value);
    }
    match value.text.split_once([':', '/']) {
        Some((user, password)) if is_user(user) && !password.is_empty() && !password.contains(['/', ':']) => {
            let start = value.range.end - password.len();
            ValueText { text: password, range: start..value.range.end, ..value }
        }
        _ => value,
    }
}

fn is_called_an_example(text: &str, end: usize) -> bool {
    let mut limit = text.len().min(end + 32);
    while !text.is_char_boundary(limit) {
        limit -= 1;
    }
    let after = text.get(end..limit).unwrap_or_default().lines().next().unwrap_or_default();
    let after = after.trim_start_matches([' ', ',', ';', '"', '\'', '`']).to_ascii_lowercase();
    (after.starts_with('(') || after.starts_with('#') || after.starts_with("//") || after.starts_with("<!--"))
        && ["example", "fake", "dummy", "placeholder", "masked", "not a real", "sample", "not real"]
            .iter()
            .any(|word| after.contains(word))
}

/// The part of the line before a position, bounded.
fn line_before(text: &str, position: usize) -> &str {
    let mut start = position.saturating_sub(CONTEXT_REACH);
    while !text.is_char_boundary(start) {
        start += 1;
    }
    let before = text.get(start..position).unwrap_or_default();
    before.rfind('\n').and_then(|at| before.get(at + 1..)).unwrap_or(before)
}

fn is_cased_letter(character: char) -> bool {
    character.is_lowercase() || character.is_uppercase()
}
