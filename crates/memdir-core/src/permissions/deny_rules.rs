//! Rules of the client's settings that forbid a tool to touch a file, or have it ask first.

use camino::{Utf8Path, Utf8PathBuf};

use super::Tool;
use crate::host_path::{HostPath, PathStyle};
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
    /// Everything is compared in the form of [`HostPath::posix_form`].
    fn parse(pattern: &str, cwd: &Utf8Path, own: &Utf8Path, home: Option<&Utf8Path>) -> Option<Self> {
        let style = PathStyle::of_absolute(cwd.as_str());
        let form = |path: &Utf8Path| comparable(path).map(Utf8PathBuf::from);
        let (cwd, own, home) = (form(cwd)?, form(own)?, home.and_then(form));
        let written = match style {
            PathStyle::Posix => pattern.to_owned(),
            PathStyle::Windows => windows_pattern(pattern),
        };
        let pattern = written.as_str();
        let (bases, below) = if let Some(absolute) = pattern.strip_prefix("//") {
            (vec![Utf8PathBuf::from("/")], format!("/{absolute}"))
        } else if let Some(below) = pattern.strip_prefix("~/") {
            (vec![home?], format!("/{below}"))
        } else if pattern.starts_with('/') {
            // A rule with a whole path means it, even where one slash says something else.
            (vec![own, cwd, "/".into()], pattern.to_owned())
        } else {
            (vec![cwd], pattern.strip_prefix("./").unwrap_or(pattern).to_owned())
        };
        Some(Self { bases, scope: PathScope::of_pattern(&below)? })
    }

    fn contain(&self, path: &Utf8Path) -> bool {
        // Where such a path leads is unclear: the rule may mean it.
        let Some(path) = comparable(path) else { return true };
        let path = Utf8Path::new(&path);
        let below = |base: &Utf8PathBuf| {
            path.strip_prefix(base).is_ok_and(|rest| self.scope.contains(&slashed(rest)))
        };
        self.bases.iter().any(below)
    }
}

/// A path in the form in which rules are compared; `None` if it is not plain.
fn comparable(path: &Utf8Path) -> Option<String> {
    let host = HostPath::parse(path.as_str(), PathStyle::of_absolute(path.as_str()))?;
    Some(host).filter(|host| !host.has_short_name()).map(|host| host.posix_form())
}

fn slashed(rest: &Utf8Path) -> String {
    rest.components().map(|component| component.as_str()).collect::<Vec<_>>().join("/")
}

/// A pattern in lower case with `/`; one that begins with a drive becomes an absolute one, `//c/…`.
fn windows_pattern(pattern: &str) -> String {
    let slashed = pattern.replace('\\', "/").to_lowercase();
    let bytes = slashed.as_bytes();
    match bytes {
        [drive, b':', b'/', ..] if drive.is_ascii_alphabetic() => {
            format!("//{}{}", char::from(*drive), slashed.get(2..).unwrap_or_default())
        }
        _ => slashed,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn denies(rule: &str, path: &str) -> bool {
        let home = Utf8Path::new(r"C:\Users\Alice");
        let rule =
            DenyRule::parse(rule, r"C:\Users\Alice\Proj".into(), r"C:\Users\Alice\Proj".into(), Some(home))
                .unwrap();
        DenyRules { rules: vec![rule] }.against(Tool::Read, &[Utf8Path::new(path)]).is_some()
    }

    #[test]
    fn a_rule_forbids_a_windows_file_however_it_is_spelled() {
        for rule in [
            "Read(./secret/**)",
            "Read(Secret/**)",
            r"Read(secret\**)",
            "Read(//c/Users/Alice/Proj/secret/**)",
            "Read(~/Proj/secret/*)",
            r"Read(C:\Users\alice\proj\secret\**)",
            "Read(/secret/**)",
            "Read(**/key.md)",
            "Read",
        ] {
            for path in [
                r"C:\Users\Alice\Proj\secret\key.md",
                "c:/users/ALICE/proj/SECRET/KEY.md",
                r"\\?\C:\Users\Alice\Proj\x\..\secret\key.md",
            ] {
                assert!(denies(rule, path), "{rule} {path}");
            }
            assert!(denies(rule, r"C:\Users\Alice\Proj\SECRET~1\key.md"), "a short name may be any: {rule}");
            if rule != "Read" && !rule.contains("key") {
                assert!(!denies(rule, r"C:\Users\Alice\Proj\open\key.md"), "{rule}");
            }
        }
    }
}
