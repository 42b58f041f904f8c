//! The project of a memory directory, and our own state.

use jiff::{SignedDuration, Timestamp};

use super::{Finding, Fix, HookFailure, Severity, Surroundings};

pub(super) fn examine(surroundings: &Surroundings, now: Timestamp, findings: &mut Vec<Finding>) {
    let mut found = |id, severity, what: String, why, fix: Fix| {
        findings.push(Finding { id, severity, path: None, line: None, what, why, fix });
    };
    if let Some(rule) = &surroundings.write_refusal {
        found(
            "directory-unsafe",
            Severity::Error,
            rule.clone(),
            "memdir writes only where no other user can change what your agent is told",
            Fix::by_hand("make it a directory of yours that only you can write"),
        );
    }
    for other in &surroundings.collides_with {
        found(
            "project-collision",
            Severity::Warning,
            format!("`{other}` has the same encoded name, so both projects share this memory"),
            "what is true in one project is told to the agent in the other",
            Fix::by_hand("give one of the two a directory of its own: `memdir project fix-collision`"),
        );
    }
    if let Some(old) = &surroundings.moved_from {
        found(
            "project-moved",
            Severity::Warning,
            format!("the project was at `{old}`, and its memory stayed behind"),
            "the agent starts without what it learned there",
            Fix::by_hand("bring it here: `memdir project adopt`"),
        );
    }
    for path in &surroundings.split_stores {
        found(
            "project-split-store",
            Severity::Warning,
            format!("`{path}` belongs to this repository and has memory of its own"),
            "today's client uses one memory for a repository, its subdirectories and worktrees, and does not see that one",
            Fix::by_hand(format!("bring it here: `memdir project adopt --from {path}`")),
        );
    }
    for name in &surroundings.legacy_names {
        found(
            "project-legacy-name",
            Severity::Warning,
            format!("there is memory of this project under `{name}`, a name that an older client gave it"),
            "today's client looks under another name and does not see it",
            Fix::by_hand("bring it here: `memdir project adopt`"),
        );
    }
    for line in &surroundings.dead_journal_lines {
        found(
            "journal-dead-line",
            Severity::Warning,
            format!("the journal's index names `{}`, which does not exist", crate::hygiene::quote_line(line)),
            "an agent that follows the line after a compaction finds nothing",
            Fix::by_hand("make the index anew: `memdir journal rebuild`"),
        );
    }
    if let Some(old) = &surroundings.old_journal {
        found(
            "journal-old",
            Severity::Note,
            format!("`{old}` holds a journal of an older protocol"),
            "memdir does not read it there, so an agent starts without it",
            Fix::by_hand("bring it over: `memdir journal migrate` shows how, `--apply` does it"),
        );
    }
    let unreadable = [
        (
            &surroundings.registry_problems,
            "state-registry",
            "without this file memdir does not know the project again after a move",
            "nothing: it is set aside and learned again at the next write",
        ),
        (
            &surroundings.history_problems,
            "state-history",
            "what was recorded there can no longer be shown or undone; all other records are unaffected",
            "restore the segment from a backup; without one, move it away to hear no more of it",
        ),
        (
            &surroundings.staged_problems,
            "state-staged",
            "a change that waits for you cannot be shown, accepted or rejected; all others are unaffected",
            "remove the file and propose the change again",
        ),
        (
            &surroundings.rejection_problems,
            "state-rejected",
            "what you rejected may be proposed to you again; what could be read of it still counts",
            "look into the file, then remove it",
        ),
    ];
    for (problems, id, why, fix) in unreadable {
        for problem in problems {
            found(id, Severity::Warning, problem.clone(), why, Fix::by_hand(fix));
        }
    }
    for warning in &surroundings.config_warnings {
        found(
            "state-config-key",
            Severity::Warning,
            format!("config.toml, {warning}"),
            "a setting that memdir does not know does nothing, and is often a slip of the pen",
            Fix::by_hand("correct or remove the key"),
        );
    }
    for (failure, count) in grouped(&surroundings.hook_failures, now) {
        let is_fresh = now.duration_since(failure.time) < FRESH;
        let times = if count == 1 { String::new() } else { format!(", {count} times") };
        found(
            "state-hooks",
            if is_fresh { Severity::Warning } else { Severity::Note },
            format!("the hook {} failed at {:.0}{times}: {}", failure.event, failure.time, failure.message),
            "a hook that fails says nothing to the agent: what it should have remembered or recalled is missing",
            Fix::by_hand("fix what the message names; `memdir status` shows the latest failures"),
        );
    }
    for problem in &surroundings.config_problems {
        found(
            "state-config",
            Severity::Error,
            problem.clone(),
            "memdir does not guess what you meant, and refuses changes that depend on it",
            Fix::by_hand("fix the settings file"),
        );
    }
}

/// A failure of today is a fault; one that has not come back since is only worth knowing.
const FRESH: SignedDuration = SignedDuration::from_hours(24);

/// What happened before is forgotten.
const KEPT: SignedDuration = SignedDuration::from_hours(7 * 24);

/// So many different failures are named.
const MOST_FAILURES: usize = 5;

/// The latest of every kind of failure, newest first, and how often it happened.
fn grouped(failures: &[HookFailure], now: Timestamp) -> Vec<(&HookFailure, usize)> {
    let mut groups: Vec<(&HookFailure, usize)> = Vec::new();
    for failure in failures.iter().rev().filter(|failure| now.duration_since(failure.time) < KEPT) {
        let is_same = |(known, _): &(&HookFailure, usize)| {
            (&known.event, &known.message) == (&failure.event, &failure.message)
        };
        match groups.iter().position(is_same).and_then(|position| groups.get_mut(position)) {
            Some((_, count)) => *count += 1,
            None => groups.push((failure, 1)),
        }
    }
    groups.truncate(MOST_FAILURES);
    groups
}
