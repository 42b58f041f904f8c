//! Sessions of agents that keep theirs in a database: our plugin hands over what was said, and here it is written down.

use std::io;

use camino::Utf8Path;

use crate::state_file;

/// Writes a whole session anew, below `sessions/AGENT/PROJECT/`. Names that could lead elsewhere are refused.
///
/// # Errors
/// What the system says.
pub fn record_session(
    state_dir: &Utf8Path,
    [agent, project, session]: [&str; 3],
    content: &[u8],
) -> io::Result<()> {
    let is_name = |name: &str| {
        let plain = |c: char| c.is_ascii_alphanumeric() || "-_".contains(c);
        !name.is_empty() && name.len() <= 255 && name.chars().all(plain)
    };
    if ![agent, project, session].into_iter().all(is_name) {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "not a name of a session"));
    }
    let folder = state_dir.join("sessions").join(agent).join(project);
    state_file::make_directory(&folder)?;
    state_file::replace(&folder.join(format!("{session}.jsonl")), content)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_stays_below_its_folder() {
        let folder = tempfile::tempdir().unwrap();
        let state = Utf8Path::from_path(folder.path()).unwrap();
        record_session(state, ["opencode", "-p", "ses_1"], b"{}\n").unwrap();
        assert_eq!(std::fs::read(state.join("sessions/opencode/-p/ses_1.jsonl")).unwrap(), b"{}\n");
        for names in [["..", "-p", "s"], ["a", "../../x", "s"], ["a", "-p", "../s"], ["a", "-p", ""]] {
            assert!(record_session(state, names, b"").is_err());
        }
    }
}
