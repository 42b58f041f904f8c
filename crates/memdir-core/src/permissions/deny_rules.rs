//! Rules of the client's settings that forbid a tool to touch a file, or have it ask first.

use camino::{Utf8Path, Utf8PathBuf};

use super::Tool;
use crate::instructions::PathScope;
use crate::settings::{Level, Settings};

/// The rules of all settings together; any of them is enough.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DenyRules {
    rules: Vec<DenyRule>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct DenyRule {
    /// As it is written, for the answer.
    written: String,
    tool: Tool,
    /// `None`: every file.
    files: Option<Files>,
}

/// Files that a pattern selects, below any of some directories.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Files {
    bases: Vec<Utf8PathBuf>,
    scope: PathScope,
}

impl DenyRules {
    /// Reads the rules. A path that begins with `//` is absolute, with `~/` below the home directory, with `/` below
    /// the directory that the settings belong to; all others are below the working directory.
    #[must_use]
    pub fn new(settings: &Settings, cwd: &Utf8Path, root: &Utf8Path, home: Option<&Utf8Path>) -> Self {
        let config_dir = cwd.join(settings.config_dir());
        let rules = settings.rules_against().filter_map(|(level, written)| {
            let own = if level == Level::User { config_dir.as_path() } else { root };
            DenyRule::parse(written, cwd, own, home)
        });
        Self { rules: rules.collect() }
    }

    /// The rule that keeps a tool from a file without a question, if there is one.
    #[must_use]
    pub fn against(&self, tool: Tool, paths: &[&Utf8Path]) -> Option<&str> {
        let rule = self.rules.iter().find(|rule| {
            // What forbids editing forbids writing, and the other way round: both replace the content.
            let is_meant = (rule.tool == Tool::Read) == (tool == Tool::Read);
            is_meant && rule.files.as_ref().is_none_or(|files| paths.iter().any(|path| files.contain(path)))
        })?;
        Some(&rule.written)
    }
}

impl DenyRule {
    fn parse(written: &str, cwd: &Utf8Path, own: &Utf8Path, home: Option<&Utf8Path>) -> Option<Self> {
        let (name, pattern) = match written.trim().split_once('(') {
            Some((name, rest)) => (name.trim(), Some(rest.strip_suffix(')')?.trim())),
            None => (written.trim(), None),
        };
        let tool = match name {
            "MultiEdit" | "NotebookEdit" => Tool::Edit,
            name => Tool::from_name(name)?,
        };
        let files = match pattern {
            None | Some("" | "*" | "**") => None,
            Some(pattern) => Some(Files::parse(pattern, cwd, own, home)?),
        };
        Some(Self { written: written.to_owned(), tool, files })
    }
}

impl Files {
    fn parse(pattern: &str, cwd: &Utf8Path, own: &Utf8Path, home: Option<&Utf8Path>) -> Option<Self> {
        let (bases, below) = if let Some(absolute) = pattern.strip_prefix("//") {
            (vec![Utf8PathBuf::from("/")], format!("/{absolute}"))
        } else if let Some(below) = pattern.strip_prefix("~/") {
            (vec![home?.to_owned()], format!("/{below}"))
        } else if pattern.starts_with('/') {
            // Whoever writes a whole path means it, even where one slash says something else.
            (vec![own.to_owned(), cwd.to_owned(), "/".into()], pattern.to_owned())
        } else {
            (vec![cwd.to_owned()], pattern.strip_prefix("./").unwrap_or(pattern).to_owned())
        };
        Some(Self { bases, scope: PathScope::of_pattern(&below)? })
    }

    fn contain(&self, path: &Utf8Path) -> bool {
        let below =
            |base: &Utf8PathBuf| path.strip_prefix(base).is_ok_and(|rest| self.scope.contains(rest.as_str()));
        self.bases.iter().any(below)
    }
}
