//! One rule of the table: how a provider's secret is written.

use std::ops::Range;
use std::sync::OnceLock;

use regex::bytes::{Regex, RegexBuilder};

use super::judge;

/// How a secret of one kind is recognised.
///
/// A rule costs nothing until one of its keywords occurs; only then is its expression compiled, once a process.
pub(super) struct Rule {
    /// What a finding is called, and what the redacted text says.
    pub(super) name: &'static str,
    /// Literals, one of which every match contains; matched without regard to ASCII case.
    pub(super) keywords: &'static [&'static str],
    /// The expression; group 1, where there is one, is the secret.
    pattern: &'static str,
    /// How far before the keyword a match may begin; 0 anchors the match at the keyword.
    reach_back: usize,
    place: Place,
    check: Check,
    /// Whether what looks like a piece of a longer blob does not count: its keyword is short.
    stands_alone: bool,
}

/// A rule in use, with its expression once that was needed.
pub(super) struct LazyRule {
    pub(super) rule: &'static Rule,
    compiled: OnceLock<Option<Regex>>,
}

/// Where the keyword is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    /// It is part of the secret.
    Inside,
    /// It is a word before the secret: a variable's name, a header.
    Before,
    /// It is a word somewhere before the secret on the same line: a command.
    FarBefore,
}

/// What a match must pass besides its expression.
enum Check {
    /// Its letters must look drawn by lot, not typed as an example.
    Random,
    /// Its letters are few or regular by nature: only placeholders are left out.
    Shape,
    /// It must look like a password that a person chose.
    Password,
    /// Base64 of `user:password`.
    UserAndPassword,
    /// A JSON web token that is not one of the published samples.
    WebToken,
}

/// A match may not be longer than this, which bounds the work a keyword can cause.
const WINDOW: usize = 4096;
/// The same where the keyword is inside the match.
const WINDOW_AROUND: usize = 160;
/// The same where the keyword is before the secret.
const WINDOW_AFTER_WORD: usize = 1024;
/// No token is shorter than its keyword and this.
const SHORTEST_REST: usize = 8;

impl Rule {
    /// A secret that begins with its keyword.
    pub(super) const fn prefixed(
        name: &'static str,
        keywords: &'static [&'static str],
        pattern: &'static str,
    ) -> Self {
        Self {
            name,
            keywords,
            pattern,
            reach_back: 0,
            place: Place::Inside,
            check: Check::Random,
            stands_alone: false,
        }
    }

    /// A secret that follows a word: a variable's name, a command, a header; the word's case does not matter.
    pub(super) const fn phrase(
        name: &'static str,
        keywords: &'static [&'static str],
        pattern: &'static str,
    ) -> Self {
        Self { place: Place::Before, ..Self::prefixed(name, keywords, pattern) }
    }

    /// A secret somewhere behind a word on its line.
    pub(super) const fn command(
        name: &'static str,
        keywords: &'static [&'static str],
        pattern: &'static str,
    ) -> Self {
        Self { place: Place::FarBefore, ..Self::prefixed(name, keywords, pattern) }
    }

    /// A secret whose keyword is up to `reach_back` bytes after its beginning.
    pub(super) const fn around(
        name: &'static str,
        keywords: &'static [&'static str],
        reach_back: usize,
        pattern: &'static str,
    ) -> Self {
        Self { reach_back, ..Self::prefixed(name, keywords, pattern) }
    }

    /// A token that is not found inside base64, where three letters occur by chance.
    pub(super) const fn standing_alone(mut self) -> Self {
        self.stands_alone = true;
        self
    }

    pub(super) const fn shape_only(mut self) -> Self {
        self.check = Check::Shape;
        self
    }

    pub(super) const fn password(mut self) -> Self {
        self.check = Check::Password;
        self
    }

    pub(super) const fn user_and_password(mut self) -> Self {
        self.check = Check::UserAndPassword;
        self
    }

    pub(super) const fn web_token(mut self) -> Self {
        self.check = Check::WebToken;
        self
    }
}

impl LazyRule {
    pub(super) fn new(rule: &'static Rule) -> Self {
        Self { rule, compiled: OnceLock::new() }
    }

    /// How far the rule looked, and where the secret is whose keyword was seen, if it is one.
    pub(super) fn find_at(&self, text: &str, keyword: Range<usize>) -> (usize, Option<Range<usize>>) {
        let bytes = text.as_bytes();
        let continues_blob = self.rule.stands_alone
            && keyword
                .start
                .checked_sub(1)
                .and_then(|at| bytes.get(at))
                .is_some_and(|byte| b"+/-_".contains(byte));
        if continues_blob || self.rule.reach_back == 0 && !starts_a_word(bytes, keyword.start) {
            return (keyword.start, None);
        }
        if self.rule.place != Place::Inside {
            let found = self.match_at(text, keyword.clone());
            // A line that was looked through from a command's first word on need not be from the next.
            let ahead = bytes.get(keyword.end..bytes.len().min(keyword.end + WINDOW_AFTER_WORD / 2));
            let passed = match self.rule.place {
                Place::FarBefore => {
                    ahead.map_or(0, |ahead| memchr::memchr(b'\n', ahead).unwrap_or(ahead.len()))
                }
                _ => 0,
            };
            return (found.as_ref().map_or(keyword.end + passed, |range| range.end), found);
        }
        // A cheap look before the expression: the case, and room for the rest of the token.
        let seen = bytes.get(keyword.clone()).unwrap_or_default();
        let case_fits = self.rule.keywords.iter().any(|word| word.as_bytes() == seen);
        let rest = bytes.get(keyword.end..bytes.len().min(keyword.end + WINDOW)).unwrap_or_default();
        let room = || rest.get(..SHORTEST_REST).is_some_and(|rest| rest.iter().all(|byte| *byte > b' '));
        if !case_fits || !(self.rule.reach_back > 0 || room()) {
            return (keyword.start, None);
        }
        let run = rest.iter().take_while(|byte| is_token_byte(**byte)).count();
        (keyword.end + run, self.match_at(text, keyword))
    }

    fn match_at(&self, text: &str, keyword: Range<usize>) -> Option<Range<usize>> {
        let bytes = text.as_bytes();
        let window_start = keyword.start.saturating_sub(self.rule.reach_back);
        let window_length = match self.rule.place {
            Place::Inside if self.rule.reach_back == 0 => WINDOW,
            Place::Inside => WINDOW_AROUND,
            Place::Before | Place::FarBefore => WINDOW_AFTER_WORD,
        };
        let window_end = bytes.len().min(keyword.end + window_length);
        let window = bytes.get(window_start..window_end)?;
        let regex = self.regex()?;
        // Most attempts fail, and failing is much cheaper where no groups are asked for.
        let captures = if regex.is_match(window) { regex.captures(window)? } else { return None };
        let whole = captures.get(0)?;
        let secret = captures.get(1).unwrap_or(whole);
        let covers_keyword =
            window_start + whole.start() <= keyword.start && window_start + whole.end() >= keyword.end;
        let start = window_start + secret.start();
        let mut end = window_start + secret.end();
        if end == window_end && window_end < bytes.len() {
            end += bytes.get(end..)?.iter().take_while(|byte| is_token_byte(**byte)).count();
        }
        let ends_inside_a_word = bytes.get(end).is_some_and(u8::is_ascii_alphanumeric);
        // What is before a group, the expression itself has said: `-pPASSWORD`.
        let starts_inside_a_word = captures.get(1).is_none() && !starts_a_word(bytes, start);
        if !covers_keyword || ends_inside_a_word || starts_inside_a_word {
            return None;
        }
        let value = text.get(start..end)?;
        let accepted = match self.rule.check {
            Check::Random => judge::is_random_after_prefix(value),
            Check::Shape => !judge::is_placeholder(value),
            Check::Password => judge::is_chosen_password(value),
            Check::UserAndPassword => judge::is_encoded_user_and_password(value),
            Check::WebToken => judge::is_private_web_token(value),
        };
        accepted.then_some(start..end)
    }

    fn regex(&self) -> Option<&Regex> {
        self.compiled
            .get_or_init(|| {
                let anchor = if self.rule.reach_back == 0 { "^" } else { "" };
                RegexBuilder::new(&format!("{anchor}(?:{})", self.rule.pattern))
                    .unicode(false)
                    .size_limit(1 << 22)
                    .build()
                    .ok()
            })
            .as_ref()
    }

    #[cfg(test)]
    pub(super) fn is_compiled(&self) -> bool {
        self.compiled.get().is_some()
    }

    #[cfg(test)]
    pub(super) fn compiles(&self) -> bool {
        self.regex().is_some()
    }
}

fn is_token_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"_-+/=".contains(&byte)
}

/// Whether a token may begin here: not in the middle of a word, unless that word is an escape (`\n`, `%3D`).
pub(super) fn starts_a_word(bytes: &[u8], position: usize) -> bool {
    let byte_before = |distance: usize| position.checked_sub(distance).and_then(|at| bytes.get(at)).copied();
    match byte_before(1) {
        Some(b'n' | b'r' | b't') if byte_before(2) == Some(b'\\') => true,
        Some(last) if last.is_ascii_alphanumeric() => {
            last.is_ascii_hexdigit()
                && byte_before(2).is_some_and(|byte| byte.is_ascii_hexdigit())
                && byte_before(3) == Some(b'%')
        }
        _ => true,
    }
}
