//! Finding secrets in text, and taking them out.
//!
//! A memory is read by models, copied to team mates and kept in history; a secret that gets into one is everywhere.
//! So whatever stores, shows or sends text scans it first. Three kinds of evidence count: the form that a provider
//! gives its keys (`rules`), a name that announces a secret (`assignment`), and the place (`url`, `armour`).
//! What only looks like one is left alone: placeholders, references, checksums, published samples (`judge`).
//!
//! The work is linear in the text: one pass finds keywords, each keyword is looked at through a bounded window,
//! and a rule's expression is compiled only when its keyword occurs.

mod armour;
mod assignment;
mod fingerprint;
mod guard;
mod judge;
mod keywords;
mod name;
mod position;
mod rule;
mod rules;
mod shape;
mod unhidden;
mod url;
mod value_text;
mod word_set;

use std::ops::Range;

use aho_corasick::AhoCorasick;
use serde::Serialize;

pub use fingerprint::{AllowList, Fingerprint, FingerprintKey};
pub use guard::{SecretBlocked, guard};
use judge::Kind;
use keywords::{KEYWORDS, Keywords, Trigger};
use position::Positions;

/// A secret in a text. It says where, never what.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// The rule that found it.
    pub rule: &'static str,
    /// Its bytes in the text, on character boundaries.
    #[serde(skip)]
    pub range: Range<usize>,
    /// Its line, from 1.
    pub line: usize,
    /// Its column in characters, from 1.
    pub column: usize,
}

impl std::fmt::Display for Finding {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{}:{}: {}", self.line, self.column, self.rule)
    }
}

/// Every secret in a text, in order, without overlaps.
#[must_use]
pub fn scan(text: &str) -> Vec<Finding> {
    let mut positions = Positions::new(text);
    let mut candidates = find_ranges(&KEYWORDS, text);
    if let Some(plain) = unhidden::Unhidden::of(text) {
        let found = find_ranges(&KEYWORDS, plain.text());
        candidates.extend(
            found
                .into_iter()
                .map(|candidate| Candidate { range: plain.original(&candidate.range), ..candidate }),
        );
        candidates = without_overlaps(candidates);
    }
    candidates
        .into_iter()
        .map(|Candidate { rule, range, .. }| {
            let (line, column) = positions.of(range.start);
            Finding { rule, range, line, column }
        })
        .collect()
}

/// The same without those whose value the user declared harmless.
#[must_use]
pub fn scan_except(text: &str, allowed: &AllowList) -> Vec<Finding> {
    let mut findings = scan(text);
    findings.retain(|finding| !text.get(finding.range.clone()).is_some_and(|value| allowed.allows(value)));
    findings
}

/// The text with every secret replaced by `[redacted:rule]`, and what was found.
///
/// A value that was found once is taken out wherever else it is, also where nothing announces it.
#[must_use]
pub fn redact(text: &str) -> (String, Vec<Finding>) {
    let findings = scan(text);
    (redact_findings(text, &findings), findings)
}

/// The text without the values of these findings, which [`scan`] or [`scan_except`] made of the same text.
#[must_use]
pub fn redact_findings(text: &str, findings: &[Finding]) -> String {
    if findings.is_empty() {
        return text.to_owned();
    }
    let repeated = repetitions(text, findings);
    redact_places(text, findings, &repeated)
}

/// The text without these findings and without these places.
fn redact_places(text: &str, findings: &[Finding], repeated: &[(Range<usize>, &str)]) -> String {
    let mut places: Vec<(&Range<usize>, &str)> =
        findings.iter().map(|finding| (&finding.range, finding.rule)).collect();
    places.extend(repeated.iter().map(|(range, rule)| (range, *rule)));
    places.sort_by_key(|(range, _)| (range.start, std::cmp::Reverse(range.end)));
    let mut redacted = String::with_capacity(text.len());
    let mut copied = 0;
    for (range, rule) in places {
        if range.start < copied {
            // Part of it is gone already; the rest goes too.
            copied = copied.max(range.end);
            continue;
        }
        redacted.push_str(text.get(copied..range.start).unwrap_or_default());
        redacted.push_str("[redacted:");
        redacted.push_str(rule);
        redacted.push(']');
        copied = range.end;
    }
    redacted.push_str(text.get(copied..).unwrap_or_default());
    redacted
}

/// Shorter values may be elsewhere by chance.
const SHORTEST_REPEATED: usize = 8;
/// Values searched for again, together, in bytes; a text that is nothing but secrets holds no more than this repeated.
const MOST_REPEATED_BYTES: usize = 1 << 20;

fn repetitions<'findings>(text: &str, findings: &'findings [Finding]) -> Vec<(Range<usize>, &'findings str)> {
    let mut values: Vec<(&str, &str)> = Vec::new();
    let mut bytes = 0;
    for finding in findings {
        if let Some(value) = text.get(finding.range.clone())
            && (SHORTEST_REPEATED..=4096).contains(&value.len())
        {
            bytes += value.len();
            values.push((value, finding.rule));
        }
        if bytes > MOST_REPEATED_BYTES {
            break;
        }
    }
    values.sort_unstable();
    values.dedup_by_key(|value| value.0);
    let Ok(automaton) = AhoCorasick::new(values.iter().map(|value| value.0)) else {
        return Vec::new();
    };
    automaton
        .find_iter(text)
        .filter_map(|hit| values.get(hit.pattern().as_usize()).map(|value| (hit.start()..hit.end(), value.1)))
        .collect()
}

/// A place that may be a secret, with the weight of its evidence.
struct Candidate {
    rule: &'static str,
    range: Range<usize>,
    /// Smaller wins where two overlap: a provider's form says more than a name.
    rank: usize,
}

/// Ranks behind every rule of the table.
const BY_URL: usize = 10_000;
const BY_NAME: usize = 20_000;

fn find_ranges(keywords: &Keywords, text: &str) -> Vec<Candidate> {
    let mut candidates: Vec<Candidate> = shape::bot_tokens(text)
        .into_iter()
        .map(|range| Candidate { rule: "discord-bot-token", range, rank: 0 })
        .collect();
    // Where each rule looked last: it need not look twice into one token.
    let mut tried_until: Vec<usize> = vec![0; keywords.rules.len()];
    let mut name_read_until = 0;
    let mut armour_until = 0;
    keywords.words.find(text.as_bytes(), |word, trigger| match trigger {
        Trigger::Rule(index) => {
            let (Some(rule), Some(until)) = (keywords.rules.get(index), tried_until.get_mut(index)) else {
                return;
            };
            if word.start < *until {
                return;
            }
            let (looked_until, found) = rule.find_at(text, word.clone());
            *until = looked_until;
            if let Some(range) = found {
                candidates.push(Candidate { rule: rule.rule.name, range, rank: index });
            }
        }
        Trigger::NameWord if word.start < name_read_until => {}
        Trigger::NameWord => {
            let (read_until, found) = assignment::at_name_word(text, word.clone());
            name_read_until = read_until;
            candidates.extend(found.map(by_name));
        }
        Trigger::ForeignWord(kind) => {
            candidates.extend(assignment::at_foreign_word(text, word.clone(), kind).map(by_name));
        }
        Trigger::Url => {
            candidates.extend(url::password_at(text, word.clone()).map(|range| Candidate {
                rule: "url-password",
                range,
                rank: BY_URL,
            }));
        }
        Trigger::Armour if word.start < armour_until => {}
        Trigger::Armour => {
            if let Some(range) = armour::block_at(text, word.clone()) {
                armour_until = range.end;
                candidates.push(Candidate { rule: "private-key", range, rank: 0 });
            }
        }
        Trigger::PuttyLines => {
            candidates.extend(armour::putty_lines_at(text, word.clone()).map(|range| Candidate {
                rule: "putty-private-key",
                range,
                rank: 0,
            }));
        }
    });
    without_overlaps(candidates)
}

fn by_name(assigned: assignment::Assigned) -> Candidate {
    let rule = match assigned.kind {
        Kind::Password => "password",
        Kind::Secret => "secret",
        Kind::Token => "token",
        Kind::Loose => "key",
    };
    Candidate { rule, range: assigned.range, rank: BY_NAME }
}

/// Joins candidates that overlap; the best evidence names the result.
fn without_overlaps(mut candidates: Vec<Candidate>) -> Vec<Candidate> {
    candidates.sort_by_key(|candidate| (candidate.range.start, candidate.rank));
    let mut joined: Vec<Candidate> = Vec::with_capacity(candidates.len());
    for candidate in candidates {
        match joined.last_mut() {
            Some(last) if candidate.range.start < last.range.end => {
                last.range.end = last.range.end.max(candidate.range.end);
                if candidate.rank < last.rank {
                    last.rank = candidate.rank;
                    last.rule = candidate.rule;
                }
            }
            _ => joined.push(candidate),
        }
    }
    joined
}

#[cfg(test)]
mod tests;
