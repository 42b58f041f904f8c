//! When each agent last started a session with our hooks, for `memdir status`.

use std::fs;
use std::io::{self, Write};

use camino::{Utf8Path, Utf8PathBuf};
use jiff::Timestamp;

use crate::platform::OpenOwn;
use crate::state_file::{make_directory, read};

/// A time is shorter.
const MAX_BYTES: usize = 64;

/// Remembers that an agent's hook ran. Nothing is synced: after a crash `memdir status` knows less.
///
/// # Errors
/// The agent's name is not a plain name, or the cache cannot be written.
pub fn note_hook(state_dir: &Utf8Path, agent: &str, now: Timestamp) -> io::Result<()> {
    let path = place(state_dir, agent).ok_or(io::ErrorKind::InvalidInput)?;
    if let Some(folder) = path.parent() {
        make_directory(folder)?;
    }
    let mut options = fs::OpenOptions::new();
    options
        .create(true)
        .write(true)
        .truncate(true)
        .private()
        .not_waiting()
        .open(path)?
        .write_all(now.to_string().as_bytes())
}

/// When an agent's hook last ran; `None` if it never did.
#[must_use]
pub fn last_hook(state_dir: &Utf8Path, agent: &str) -> Option<Timestamp> {
    let content = read(&place(state_dir, agent)?, MAX_BYTES).ok().flatten()?;
    std::str::from_utf8(&content).ok()?.parse().ok()
}

fn place(state_dir: &Utf8Path, agent: &str) -> Option<Utf8PathBuf> {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    let is_name = !agent.is_empty() && agent.len() <= 64 && agent.bytes().all(is_plain);
    is_name.then(|| state_dir.join("cache/hooks").join(agent))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_hook_of_each_agent_is_remembered() {
        let temporary = tempfile::tempdir().unwrap();
        let state = Utf8Path::from_path(temporary.path()).unwrap();
        let (early, late) = (Timestamp::from_second(1).unwrap(), Timestamp::from_second(2).unwrap());
        assert_eq!(last_hook(state, "codex"), None);
        note_hook(state, "codex", early).unwrap();
        note_hook(state, "codex", late).unwrap();
        note_hook(state, "claude-code", early).unwrap();
        assert_eq!((last_hook(state, "codex"), last_hook(state, "claude-code")), (Some(late), Some(early)));
        assert!(note_hook(state, "../out", late).is_err());
    }
}
