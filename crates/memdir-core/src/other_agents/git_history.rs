//! Decisions in the messages of commits, found by fixed rules: what a message gives a reason for, what it takes back, and
//! what it breaks.

use super::Proposal;
use crate::memory::memory_type::MemoryType;
use crate::memory::topic::{client_slug, one_line};

/// Between the fields of a commit in [`LOG_FORMAT`].
const FIELD: char = '\u{1f}';
/// Between commits.
const COMMIT: char = '\u{1e}';
/// The format for `git log` that [`decisions`] reads: hash, day, subject, body.
pub const LOG_FORMAT: &str = "--format=%H%x1f%as%x1f%s%x1f%b%x1e";

/// The most commits that become candidates at once.
const MAX_CANDIDATES: usize = 200;
/// A body shorter than this gives no reason that a subject does not.
const SHORTEST_BODY: usize = 40;
/// No candidate is longer, in characters.
const MAX_BODY: usize = 4_000;
const MAX_NAME: usize = 48;
const MAX_DESCRIPTION: usize = 110;

/// Words with which a message gives a reason or names what was not chosen.
const REASONS: [&str; 17] = [
    "because",
    "so that",
    ", so ",
    "instead of",
    "rather than",
    "in order to",
    "due to",
    "decided",
    "decision",
    "to avoid",
    "otherwise",
    "the reason",
    "trade-off",
    "tradeoff",
    "no longer",
    "turned out",
    "from now on",
];

/// Beginnings of subjects that say nothing about a decision.
const NOISE: [&str; 8] =
    ["bump ", "chore(deps", "build(deps", "fixup!", "squash!", "wip", "update dependency", "release "];

/// What git printed for [`LOG_FORMAT`], as memories that could be added, newest first. Each cites its commit.
#[must_use]
pub fn decisions(log: &str) -> Vec<Proposal> {
    log.split(COMMIT).filter_map(decision).take(MAX_CANDIDATES).collect()
}

fn decision(commit: &str) -> Option<Proposal> {
    let mut fields = commit.trim_start_matches('\n').splitn(4, FIELD);
    let (hash, day, subject, body) = (fields.next()?, fields.next()?, fields.next()?, fields.next()?);
    let is_hash = hash.len() >= 12 && hash.bytes().all(|byte| byte.is_ascii_hexdigit());
    let (subject, body) = of_merge(subject, body).unwrap_or((subject, body));
    let subject = one_line(subject);
    let lower = subject.to_lowercase();
    if !is_hash || subject.is_empty() || NOISE.iter().any(|noise| lower.starts_with(noise)) {
        return None;
    }
    let body = without_trailers(body);
    if !is_decision(&subject, &body) {
        return None;
    }
    let short = hash.get(..12)?;
    let text: String = body.chars().take(MAX_BODY).collect();
    let text = if text.is_empty() { subject.clone() } else { format!("{subject}\n\n{text}") };
    let name: String = client_slug(&subject).chars().take(MAX_NAME).collect();
    Some(Proposal {
        name: format!("{}-{}", name.trim_end_matches('-'), hash.get(..7)?),
        memory_type: MemoryType::Project,
        description: subject.chars().take(MAX_DESCRIPTION).collect(),
        body: format!("{text}\n\nFrom commit `{short}` of {day}.\n"),
        source: cited(short),
    })
}

/// What a merge is about: its subject names only the branch, and its text begins with the title of the work.
fn of_merge<'c>(subject: &str, body: &'c str) -> Option<(&'c str, &'c str)> {
    let body = body.trim_start();
    let (title, rest) = body.split_once('\n').unwrap_or((body, ""));
    (subject.starts_with("Merge ") && !title.trim().is_empty()).then_some((title, rest))
}

/// How a candidate names its commit, by which it is known again.
fn cited(short: &str) -> String {
    format!("commit `{short}`")
}

fn is_decision(subject: &str, body: &str) -> bool {
    let is_revert = subject.starts_with("Revert ") || body.contains("This reverts commit");
    let kind = subject.split(':').next().filter(|kind| kind.len() < subject.len());
    let is_breaking = body.contains("BREAKING") || kind.is_some_and(|kind| kind.ends_with('!'));
    let lower = one_line(&format!("{subject}\n{body}")).to_lowercase();
    let has_reason =
        body.chars().count() >= SHORTEST_BODY && REASONS.iter().any(|reason| lower.contains(reason));
    is_revert || is_breaking || has_reason
}

/// A message without `Signed-off-by:` and its like at the end.
fn without_trailers(body: &str) -> String {
    let is_trailer = |line: &&str| {
        let key = line.split(':').next().filter(|key| key.len() < line.len()).unwrap_or_default();
        key.contains('-') && key.bytes().all(|byte| byte.is_ascii_alphabetic() || byte == b'-')
            || line.trim().is_empty()
    };
    let lines: Vec<&str> = body.trim().lines().collect();
    let kept = lines.len() - lines.iter().rev().take_while(|line| is_trailer(line)).count();
    lines.get(..kept).unwrap_or_default().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decisions_are_reasons_reverts_and_breaks() {
        let commit = |number: u8, subject: &str, body: &str| {
            format!("{number:040x}\u{1f}2026-03-0{number}\u{1f}{subject}\u{1f}{body}\u{1e}\n")
        };
        let log = [
            commit(
                1,
                "Use SQLite",
                "A server was too much to run,\nso that one file is enough.\n\nSigned-off-by: A <a@b>\n",
            ),
            commit(2, "Fix a typo", ""),
            commit(3, "Revert \"Use threads\"", ""),
            commit(4, "feat(api)!: drop v1", ""),
            commit(5, "Bump serde", "because of a security fix in the version that we had before\n"),
            commit(6, "Rename a function", "The old name was long.\n"),
            commit(7, "config: new form", "BREAKING CHANGE: `a` is now `b`\n"),
            commit(
                8,
                "Merge branch 'queue'",
                "Use a queue for mail\n\nThe request waited for the mail server, so that users saw errors.\n",
            ),
            commit(9, "Merge branch 'typo'", ""),
            commit(
                9,
                "Use rustls instead of OpenSSL",
                "A static program cannot find the host's certificates.\n",
            ),
            commit(9, "Limit uploads", "A photo of 80 MB stopped the worker,\nso the proxy refuses them.\n"),
            commit(9, "Prefer tabs instead of spaces", "As agreed.\n"),
            "not a commit".to_owned(),
        ];
        let found = decisions(&log.concat());
        let names: Vec<&str> = found.iter().map(|found| found.description.as_str()).collect();
        assert_eq!(
            names,
            [
                "Use SQLite",
                "Revert \"Use threads\"",
                "feat(api)!: drop v1",
                "config: new form",
                "Use a queue for mail",
                "Use rustls instead of OpenSSL",
                "Limit uploads",
            ]
        );
        assert_eq!(
            found[0].body,
            "Use SQLite\n\nA server was too much to run,\nso that one file is enough.\n\nFrom commit `000000000000` of 2026-03-01.\n"
        );
        assert_eq!(found[0].name, "use-sqlite-0000000");
        assert!(decisions("").is_empty());
    }
}
