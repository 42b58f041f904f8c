//! Where other agents keep the sessions of a project.

use std::io::Read;

use camino::{Utf8Path, Utf8PathBuf};
use memdir_core::env::{CODEX_HOME, COPILOT_HOME, Env, PI_CODING_AGENT_DIR};
use memdir_core::look::{Kind, Look};
use memdir_core::project::encode_path::encode;
use serde_json::Value;

use super::SessionFile;
use crate::collection::open_file;

/// No more folders of one agent are looked through.
const MOST_FOLDERS: usize = 5_000;
/// So much of a file is read to see to which project it belongs.
const HEAD: u64 = 4 << 10;
/// The largest description of a session that is read.
const MAX_ABOUT: u64 = 64 << 10;
/// The largest list of projects that is read.
const MAX_LIST: u64 = 4 << 20;

/// The transcripts of the project at `root` that other agents than Claude Code wrote, each session's one file.
#[must_use]
pub fn sessions_of_others(env: &Env, root: &Utf8Path, look: &impl Look) -> Vec<SessionFile> {
    let Some(home) = env.home.as_deref() else { return Vec::new() };
    let named = |variable: &str, folder: &str| {
        let named = env.var(variable).filter(|value| !value.is_empty());
        named.map_or_else(|| home.join(folder), |value| env.cwd.join(value))
    };
    let mut found = FoundSessions { look, files: Vec::new() };
    found.codex(&named(CODEX_HOME, ".codex").join("sessions"), root);
    found.copilot(&named(COPILOT_HOME, ".copilot").join("session-state"), root);
    let key = encode(root.as_str());
    found.folder("qwen", &home.join(".qwen/projects").join(&key).join("chats"));
    let path = root.as_str().trim_start_matches('/').replace(['/', '\\', ':'], "-");
    found.folder("pi", &named(PI_CODING_AGENT_DIR, ".pi/agent").join(format!("sessions/--{path}--")));
    found.gemini(&home.join(".gemini"), root);
    if let Some(state_dir) = env.state_dir() {
        let recorded = state_dir.join("sessions");
        for client in look.list(&recorded).into_iter().filter(|entry| entry.kind == Kind::Dir) {
            found.folder(&client.name, &recorded.join(&client.name).join(&key));
        }
    }
    found.files.sort_by(|one, other| (&one.client, &one.path).cmp(&(&other.client, &other.path)));
    found.files
}

struct FoundSessions<'l, L> {
    look: &'l L,
    files: Vec<SessionFile>,
}

impl<L: Look> FoundSessions<'_, L> {
    fn add(&mut self, client: &str, path: Utf8PathBuf, session: &str) {
        let (session, client) = (session.to_owned(), client.to_owned());
        self.files.push(SessionFile { path, session, agent: None, client });
    }

    /// A folder that holds the sessions of one project.
    fn folder(&mut self, client: &str, folder: &Utf8Path) {
        for entry in self.look.list(folder) {
            if let (Kind::File, Some(stem)) = (entry.kind, entry.name.strip_suffix(".jsonl")) {
                let path = folder.join(&entry.name);
                let named = text_in(&path, r#""sessionId":"#).filter(|_| client == "gemini");
                self.add(client, path, named.as_deref().unwrap_or(session_in(stem)));
            }
        }
    }

    /// Codex sorts sessions by day; the first line of each says in which directory it was started.
    fn codex(&mut self, folder: &Utf8Path, root: &Utf8Path) {
        let belongs = |path: &Utf8Path| {
            text_in(path, r#""cwd":"#).is_some_and(|cwd| Utf8Path::new(&cwd).starts_with(root))
        };
        let mut pending = vec![folder.to_owned()];
        let mut seen = 0;
        while let Some(directory) = pending.pop() {
            seen += 1;
            if seen > MOST_FOLDERS {
                return;
            }
            for entry in self.look.list(&directory) {
                let path = directory.join(&entry.name);
                match entry.name.strip_suffix(".jsonl") {
                    _ if entry.kind == Kind::Dir => pending.push(path),
                    Some(stem) if belongs(&path) => {
                        self.add("codex", path, session_in(stem));
                    }
                    _ => {}
                }
            }
        }
    }

    /// Copilot has a folder for each session, and a file in it that says where it was started.
    fn copilot(&mut self, folder: &Utf8Path, root: &Utf8Path) {
        for entry in self.look.list(folder).into_iter().take(MOST_FOLDERS) {
            let session = folder.join(&entry.name);
            let Ok(about) = self.look.read(&session.join("workspace.yaml"), MAX_ABOUT) else { continue };
            let about = String::from_utf8_lossy(&about);
            let cwd = about.lines().find_map(|line| line.strip_prefix("cwd: "));
            let events = session.join("events.jsonl");
            let is_here = cwd.is_some_and(|cwd| Utf8Path::new(cwd.trim()).starts_with(root));
            if is_here && self.look.kind(&events) == Some(Kind::File) {
                self.add("copilot", events, &entry.name);
            }
        }
    }

    /// Gemini CLI has a list of projects and gives each a folder; a file's name holds only the beginning of the id.
    fn gemini(&mut self, folder: &Utf8Path, root: &Utf8Path) {
        let Ok(list) = self.look.read(&folder.join("projects.json"), MAX_LIST) else { return };
        let list: Value = serde_json::from_slice(&list).unwrap_or_default();
        let name = list.get("projects").and_then(|projects| projects.get(root.as_str())?.as_str());
        // A name is one folder: the list may be wrong, and must not lead elsewhere.
        if let Some(name) = name.filter(|name| !name.contains(['/', '\\']) && *name != "..") {
            self.folder("gemini", &folder.join("tmp").join(name).join("chats"));
        }
    }
}

/// The session's id at the end of a file's name, where the name begins with a time.
fn session_in(stem: &str) -> &str {
    const UUID: usize = 36;
    let tail = stem.len().checked_sub(UUID).and_then(|start| stem.get(start..));
    tail.filter(|tail| tail.matches('-').count() == 4).unwrap_or(stem)
}

/// The text behind a key at the beginning of a file.
fn text_in(path: &Utf8Path, key: &str) -> Option<String> {
    let mut head = Vec::new();
    open_file(path).ok()?.take(HEAD).read_to_end(&mut head).ok()?;
    let head = String::from_utf8_lossy(&head);
    let rest = head.split_once(key)?.1;
    serde_json::Deserializer::from_str(rest).into_iter().next()?.ok()
}
