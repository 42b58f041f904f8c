//! Why nothing could be fetched.

use crate::remote::RemoteError;

/// Tells a disk that is full here, and a repository that is damaged there, from a network that failed.
pub(super) fn read(said: &str) -> RemoteError {
    let message = said.to_owned();
    let says = |signs: &[&str]| signs.iter().any(|sign| said.contains(sign));
    if says_full(said) && !said.contains("remote:") {
        RemoteError::Here { message: format!("git failed: {message}") }
    } else if says(&DAMAGED) || says(&UNPACKABLE) && !says(&BROKEN_OFF) {
        RemoteError::Malformed { message }
    } else {
        RemoteError::Unreachable { message }
    }
}

/// Whether git says that a disk is full.
pub(crate) fn says_full(said: &str) -> bool {
    FULL.iter().any(|sign| said.contains(sign))
}

/// What git says when it cannot write what it got.
const FULL: [&str; 4] =
    ["No space left on device", "Disk quota exceeded", "File too large", "unable to write"];

/// What git says when the other side has not what it should have.
const DAMAGED: [&str; 5] = [
    "repository corruption on the remote side",
    "did not send all necessary objects",
    "bad tree object",
    "missing blob object",
    "unable to parse object",
];

/// What git says when it cannot read what it got.
const UNPACKABLE: [&str; 5] = [
    "index-pack failed",
    "unpack-objects failed",
    "bad pack header",
    "fsck error",
    "invalid index-pack output",
];

/// What git says when there was more to come.
const BROKEN_OFF: [&str; 5] =
    ["early EOF", "hung up unexpectedly", "unexpected disconnect", "RPC failed", "Connection reset"];

#[cfg(test)]
mod tests {
    use super::*;

    fn check(said: &str, expected: &str) {
        let found = read(said).to_string();
        assert!(found.starts_with(expected), "{found}");
    }

    #[test]
    fn a_damaged_repository_is_not_called_unreachable() {
        let malformed = "the remote sent an invalid team memory";
        check("error: bad tree object abc; fatal: the remote end hung up unexpectedly", malformed);
        check("remote: aborting due to possible repository corruption on the remote side.", malformed);
        check("fatal: remote did not send all necessary objects", malformed);
        check("fatal: pack has bad object; fatal: index-pack failed", malformed);
        check("fatal: early EOF; fatal: index-pack failed", "cannot reach the remote");
        check("fatal: unable to access 'https://x': Could not resolve host", "cannot reach the remote");
        check("fatal: write error: No space left on device; fatal: index-pack failed", "git failed");
        check("remote: fatal: write error: No space left on device", "cannot reach the remote");
    }
}
