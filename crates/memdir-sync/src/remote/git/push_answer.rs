//! What a host answered to a push.

use super::process::Finished;
use crate::remote::{Published, RefusalCause, RemoteError};

/// Reads the answer: done, another member was faster, or a reason in the host's own words.
pub(super) fn read(pushed: &Finished) -> Result<Published, RemoteError> {
    if pushed.is_success() {
        return Ok(Published::Done);
    }
    let output = String::from_utf8_lossy(&pushed.output).into_owned();
    verdict(&output, &pushed.said())
}

fn verdict(output: &str, said: &str) -> Result<Published, RemoteError> {
    let Some(line) = output.lines().find(|line| line.starts_with('!')) else {
        return Err(RemoteError::Unreachable { message: said.to_owned() });
    };
    let summary = line.splitn(3, '\t').nth(2).unwrap_or_default();
    if summary.starts_with("[remote failure]") {
        // It took what was sent, perhaps, and said nothing about it.
        return Err(RemoteError::Unreachable { message: said.to_owned() });
    }
    let reason = summary.split_once('(').map_or(summary, |(_, reason)| reason.trim_end_matches(')'));
    if summary.starts_with("[rejected]") || RACES.iter().any(|race| reason.contains(race)) {
        return Ok(Published::Moved);
    }
    // What the host's hooks say is on lines of its own.
    let remote: Vec<&str> = said
        .split("; ")
        .filter_map(|line| line.strip_prefix("remote:"))
        .map(str::trim)
        .filter(|line| !line.is_empty())
        .collect();
    let message =
        if remote.is_empty() { reason.to_owned() } else { format!("{reason}: {}", remote.join("; ")) };
    // Git says so in words alone.
    let is_storage = message.contains("unpacker error");
    let cause = if is_storage { RefusalCause::Storage } else { RefusalCause::Rule };
    Err(RemoteError::Refused { message, cause })
}

/// What hosts say when two pushes meet at the very same moment.
const RACES: [&str; 6] = [
    "failed to update ref",
    "cannot lock ref",
    "failed to lock",
    "incorrect old value",
    "reference already exists",
    "fetch first",
];

#[cfg(test)]
mod tests {
    use super::*;

    fn check(output: &str, said: &str, expected: &str) {
        let found = match verdict(output, said) {
            Ok(published) => format!("{published:?}"),
            Err(error) => error.to_string(),
        };
        assert_eq!(found, expected);
    }

    #[test]
    fn a_refusal_is_explained_in_the_hosts_words_and_a_race_is_none() {
        check("To x\n!\ta:b\t[rejected] (fetch first)\nDone\n", "", "Moved");
        check("!\ta:b\t[rejected] (non-fast-forward)\n", "", "Moved");
        check("!\ta:b\t[remote rejected] (failed to update ref)\n", "", "Moved");
        check(
            "!\ta:b\t[remote rejected] (pre-receive hook declined)\n",
            "remote: Only maintainers write here.; remote: ; To x",
            "the remote refused: pre-receive hook declined: Only maintainers write here.",
        );
        check(
            "!\ta:b\t[remote rejected] (unpacker error)\n",
            "remote: fatal: early EOF",
            "the remote refused: unpacker error: fatal: early EOF",
        );
        check("!\ta:b\t[remote rejected] (protected branch)\n", "", "the remote refused: protected branch");
        check(
            "!\ta:b\t[remote failure] (remote failed to report status)\n",
            "fatal: the remote end hung up unexpectedly",
            "cannot reach the remote: fatal: the remote end hung up unexpectedly",
        );
        check("", "fatal: unable to access", "cannot reach the remote: fatal: unable to access");
    }
}
