use camino::{Utf8Path, Utf8PathBuf};
use memdir_core::look::{Kind, Look};

use super::line::CLAUDE_CODE;

/// A transcript on disk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionFile {
    /// Where it is.
    pub path: Utf8PathBuf,
    /// The session's id: the file's stem, or the folder that holds its sub-agents.
    pub session: String,
    /// The sub-agent's id, if it is one's.
    pub agent: Option<String>,
    /// The agent that wrote it, by the name under which what it did is recorded.
    pub client: String,
}

/// The transcripts of one project directory, its sub-agents' too: each session is followed by its agents.
#[must_use]
pub fn session_files(look: &impl Look, project_dir: &Utf8Path) -> Vec<SessionFile> {
    let mut found = Vec::new();
    for entry in look.list(project_dir) {
        let path = project_dir.join(&entry.name);
        if let (Kind::File, Some(stem)) = (entry.kind, entry.name.strip_suffix(".jsonl")) {
            found.push(SessionFile {
                path,
                session: stem.to_owned(),
                agent: None,
                client: CLAUDE_CODE.to_owned(),
            });
        } else if entry.kind == Kind::Dir && entry.name != "memory" {
            let agents = path.join("subagents");
            for file in look.list(&agents).into_iter().filter(|file| file.kind == Kind::File) {
                let Some(stem) = file.name.strip_suffix(".jsonl") else { continue };
                found.push(SessionFile {
                    path: agents.join(&file.name),
                    session: entry.name.clone(),
                    agent: Some(stem.strip_prefix("agent-").unwrap_or(stem).to_owned()),
                    client: CLAUDE_CODE.to_owned(),
                });
            }
        }
    }
    found.sort_by(|one, other| (&one.session, &one.agent).cmp(&(&other.session, &other.agent)));
    found
}
