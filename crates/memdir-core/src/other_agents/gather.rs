use camino::{Utf8Path, Utf8PathBuf};

use super::OtherAgent;
use crate::env::{CODEX_HOME, Env};
use crate::host_path::PathStyle;
use crate::look::{Kind, Look};

/// What was found of an agent's memory.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Gathered {
    /// The files, in the order in which they are proposed.
    pub files: Vec<SourceFile>,
    /// What was left out, each with the reason.
    pub problems: Vec<String>,
}

/// One file of another agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceFile {
    /// Where it is.
    pub path: Utf8PathBuf,
    /// Whether it is about the user in all projects, and not about this one.
    pub of_user: bool,
    /// Its text.
    pub text: String,
}

/// The largest file that is read.
const MAX_BYTES: u64 = 1 << 20;
/// The most files of one folder.
const MAX_FILES: usize = 200;
/// How deep rules may lie in folders.
const MAX_DEPTH: usize = 4;

/// Reads what an agent keeps for the user and for the project at `root`.
#[must_use]
pub fn gather(agent: OtherAgent, env: &Env, root: &Utf8Path, look: &dyn Look) -> Gathered {
    let mut gathered = Gathered::default();
    let below_home = |name: &str| env.home.as_deref().map(|home| home.join(name));
    let mut user = |base: Option<Utf8PathBuf>, names: &[&str]| {
        let Some(base) = base else { return };
        names.iter().for_each(|name| gathered.file(&base, &base.join(name), true, look));
    };
    match agent {
        OtherAgent::Codex => {
            let named =
                env.var(CODEX_HOME).filter(|dir| PathStyle::HERE.is_absolute(dir)).map(Utf8PathBuf::from);
            user(named.or_else(|| below_home(".codex")), &["memories/MEMORY.md", "AGENTS.md"]);
        }
        OtherAgent::Gemini => {
            user(below_home(".gemini"), &["GEMINI.md"]);
            gathered.file(root, &root.join("GEMINI.md"), false, look);
        }
        OtherAgent::AgentsMd => gathered.file(root, &root.join("AGENTS.md"), false, look),
        OtherAgent::Cursor => {
            gathered.folder(root, &root.join(".cursor/rules"), &["mdc", "md"], look);
            gathered.file(root, &root.join(".cursorrules"), false, look);
        }
        OtherAgent::MemoryBank => gathered.folder(root, &root.join("memory-bank"), &["md"], look),
        OtherAgent::Windsurf => {
            gathered.folder(root, &root.join(".windsurf/rules"), &["md"], look);
            gathered.file(root, &root.join(".windsurfrules"), false, look);
        }
        OtherAgent::Copilot => {
            gathered.file(root, &root.join(".github/copilot-instructions.md"), false, look);
        }
    }
    gathered
}

impl Gathered {
    fn folder(&mut self, root: &Utf8Path, folder: &Utf8Path, endings: &[&str], look: &dyn Look) {
        let mut pending = vec![(folder.to_owned(), 1)];
        let mut found = Vec::new();
        while let Some((directory, depth)) = pending.pop() {
            for entry in look.list(&directory) {
                let path = directory.join(&entry.name);
                let is_rule = path.extension().is_some_and(|ending| endings.contains(&ending));
                match entry.kind {
                    Kind::Dir if depth < MAX_DEPTH => pending.push((path, depth + 1)),
                    Kind::File | Kind::Link if is_rule && found.len() < MAX_FILES => found.push(path),
                    Kind::File if is_rule => {
                        self.problems.push(format!("`{path}` is left out: more than {MAX_FILES} files"));
                    }
                    _ => {}
                }
            }
            if pending.len() > MAX_FILES {
                break;
            }
        }
        found.sort();
        found.iter().for_each(|path| self.file(root, path, false, look));
    }

    /// Reads one file, if it lies where its path says.
    fn file(&mut self, base: &Utf8Path, path: &Utf8Path, of_user: bool, look: &dyn Look) {
        match look.kind(path) {
            None => return,
            Some(Kind::File | Kind::Link) => {}
            Some(_) => return self.problems.push(format!("`{path}` is left out: not a regular file")),
        }
        // A link of a repository could lead to anything that the user can read.
        let real_base = look.real_path(base).unwrap_or_else(|| base.to_owned());
        if !look.real_path(path).is_some_and(|real| real.starts_with(&real_base)) {
            return self.problems.push(format!("`{path}` is left out: a link leads out of `{base}`"));
        }
        match look.read(path, MAX_BYTES).map(String::from_utf8) {
            Ok(Ok(text)) => self.files.push(SourceFile { path: path.to_owned(), of_user, text }),
            Ok(Err(_)) => self.problems.push(format!("`{path}` is left out: not valid UTF-8")),
            Err(error) => self.problems.push(format!("`{path}` is left out: {error}")),
        }
    }
}
