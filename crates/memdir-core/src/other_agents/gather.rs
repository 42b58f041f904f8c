use camino::{Utf8Path, Utf8PathBuf};

use serde_json::Value;

use super::OtherAgent;
use super::source::Base;
use crate::env::{Env, XDG_CONFIG_HOME};
use crate::host_path::PathStyle;
use crate::look::{Kind, Look};
use crate::project::encode_path::encode;
use crate::wiring::without_section;

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

/// The largest list of projects that is read.
const MAX_LIST: u64 = 4 << 20;

/// Reads what an agent keeps for the user and for the project at `root`.
#[must_use]
pub fn gather(agent: OtherAgent, env: &Env, root: &Utf8Path, look: &dyn Look) -> Gathered {
    let mut gathered = Gathered::default();
    for place in agent.0.places {
        let Some((base, of_user)) = base(&place.base, env, root) else { continue };
        let mut path = place.path.replace("{key}", &encode(root.as_str()));
        if path.contains("{gemini}") {
            let Some(name) = gemini_name(&base, root, look) else { continue };
            path = path.replace("{gemini}", &name);
        }
        let path = base.join(path);
        if place.endings.is_empty() {
            gathered.file(&base, &path, of_user, look);
        } else {
            gathered.folder(&base, &path, (place.endings, of_user), look);
        }
    }
    gathered
}

/// Where a place begins, and whether what lies there is about the user in all projects.
fn base(base: &Base, env: &Env, root: &Utf8Path) -> Option<(Utf8PathBuf, bool)> {
    let absolute =
        |name: &str| env.var(name).filter(|dir| PathStyle::HERE.is_absolute(dir)).map(Utf8PathBuf::from);
    let home = env.home.clone();
    Some(match base {
        Base::Home => (home?, true),
        Base::HomeOfProject => (home?, false),
        Base::Named(variable, below) => (absolute(variable).or_else(|| Some(home?.join(below)))?, true),
        Base::Config => (absolute(XDG_CONFIG_HOME).or_else(|| Some(home?.join(".config")))?, true),
        Base::Project => (root.to_owned(), false),
    })
}

/// The name of the folder that Gemini CLI gave the project.
fn gemini_name(home: &Utf8Path, root: &Utf8Path, look: &dyn Look) -> Option<String> {
    let list = look.read(&home.join(".gemini/projects.json"), MAX_LIST).ok()?;
    let list: Value = serde_json::from_slice(&list).ok()?;
    let name = list.get("projects")?.get(root.as_str())?.as_str()?;
    (!name.contains(['/', '\\']) && name != "..").then(|| name.to_owned())
}

impl Gathered {
    fn folder(
        &mut self,
        root: &Utf8Path,
        folder: &Utf8Path,
        (endings, of_user): (&[&str], bool),
        look: &dyn Look,
    ) {
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
        found.iter().for_each(|path| self.file(root, path, of_user, look));
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
            Ok(Ok(text)) => {
                // What set-up wrote there is not a memory.
                let text = without_section(&text);
                self.files.push(SourceFile { path: path.to_owned(), of_user, text });
            }
            Ok(Err(_)) => self.problems.push(format!("`{path}` is left out: not valid UTF-8")),
            Err(error) => self.problems.push(format!("`{path}` is left out: {error}")),
        }
    }
}
