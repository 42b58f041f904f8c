//! An absolute path that an agent's tool was given, judged by name against a memory root.

use std::borrow::Cow;

use camino::Utf8Path;

use crate::host_path::{HostPath, PathStyle};
use crate::rel_path::{PathRefused, RelPath};

/// Where a tool's path leads, as far as names tell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolPath {
    /// The file below the root, in its normal form.
    pub path: RelPath,
    /// The same, spelt as the tool will open it: `.`, `..` and `//` resolved, letters not normalised.
    pub spelled: String,
    /// Every directory that the given path entered and left again by `..`. If one of them is a link, the system
    /// does not arrive where the names say.
    pub left_again: Vec<String>,
}

impl ToolPath {
    /// Judges an absolute path, or one that begins with `~/`, by its components: the root's own components must
    /// be its first ones. Only Markdown is writable for tools.
    ///
    /// # Errors
    /// The first rule that the path breaks.
    pub fn parse(input: &str, root: &Utf8Path, home: Option<&Utf8Path>) -> Result<Self, PathRefused> {
        if input.contains('\0') {
            return PathRefused::because("holds a NUL");
        }
        let style = PathStyle::of_absolute(root.as_str());
        let absolute = expand_home(input, home, style);
        if !style.is_absolute(&absolute) {
            return PathRefused::because("not an absolute path");
        }
        if absolute.len() > crate::rel_path::MAX_PATH_BYTES {
            return PathRefused::because("longer than the system allows");
        }
        if matches!(style.slashed(&absolute).rsplit('/').next(), Some("" | "." | "..")) {
            return PathRefused::because("names a directory, not a file");
        }
        let (Some(host), Some(root)) =
            (HostPath::parse(&absolute, style), HostPath::parse(root.as_str(), style))
        else {
            return PathRefused::because("not a plain path");
        };
        let Some(below) = host.below(&root) else {
            return PathRefused::because("outside the memory directory");
        };
        if below.is_empty() {
            return PathRefused::because("names the memory directory itself");
        }
        let spelled = below.join("/");
        let path = RelPath::parse(&spelled)?;
        if !path.is_markdown() {
            return PathRefused::because("not a `.md` file");
        }
        Ok(Self { path, spelled, left_again: host.left_again() })
    }
}

/// The part of a tool's path below a root, as far as names tell; `None` if it leads elsewhere.
#[must_use]
pub fn below(input: &str, root: &Utf8Path, home: Option<&Utf8Path>) -> Option<String> {
    let style = PathStyle::of_absolute(root.as_str());
    let expanded = expand_home(input, home, style);
    if expanded.len() > crate::rel_path::MAX_PATH_BYTES {
        return None;
    }
    let (path, root) = (HostPath::parse(&expanded, style)?, HostPath::parse(root.as_str(), style)?);
    path.below(&root).filter(|below| !below.is_empty()).map(|below| below.join("/"))
}

/// The path with the home directory in the place of `~`.
fn expand_home<'a>(input: &'a str, home: Option<&Utf8Path>, style: PathStyle) -> Cow<'a, str> {
    let rest = input.strip_prefix('~').filter(|rest| style.slashed(rest).starts_with('/'));
    match (rest, home) {
        (Some(rest), Some(home)) => Cow::Owned(format!("{home}{rest}")),
        _ => Cow::Borrowed(input),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_paths_are_judged_by_windows_rules() {
        let root = r"C:\Users\x\.claude\m";
        let check = |input: &str, expected: Result<&str, &str>| {
            let answer = ToolPath::parse(input, root.into(), Some(r"C:\Users\x".into()));
            let answer = answer.as_ref().map(|tool| tool.path.as_str()).map_err(|refused| refused.rule);
            assert_eq!(answer, expected, "{input}");
        };
        check(r"C:\Users\x\.claude\m\a.md", Ok("a.md"));
        check("c:/USERS/x/.claude/m/sub/a.md", Ok("sub/a.md"));
        check(r"\\?\C:\Users\x\.claude\m\a.md", Ok("a.md"));
        check(r"~\.claude\m\a.md", Ok("a.md"));
        check(r"C:\Users\x\.claude\m\..\a.md", Err("outside the memory directory"));
        check(r"D:\Users\x\.claude\m\a.md", Err("outside the memory directory"));
        check(r"C:\Users\x\.claude\m\a.md:s.md", Err("not a plain path"));
        check(r"\\.\C:\Users\x\.claude\m\a.md", Err("not an absolute path"));
        check(r"\Users\x\.claude\m\a.md", Err("not an absolute path"));
        check("/Users/x/.claude/m/a.md", Err("not an absolute path"));
    }

    #[test]
    fn components_decide_not_string_prefixes() {
        let check = |input: &str, expected: Result<&str, &str>| {
            let answer = ToolPath::parse(input, "/h/.claude/m/".into(), Some("/h".into()));
            let answer = answer.as_ref().map(|tool| tool.path.as_str()).map_err(|refused| refused.rule);
            assert_eq!(answer, expected, "{input}");
        };
        check("/h/.claude/m/a.md", Ok("a.md"));
        check("//h/.claude/./m/x/../.y.md", Ok(".y.md"));
        check("/h/.claude/m/../m/d.md", Ok("d.md"));
        check("~/.claude/m/a.md", Ok("a.md"));
        check("~u/.claude/m/a.md", Err("not an absolute path"));
        check("a.md", Err("not an absolute path"));
        check("/h/.claude/mm/a.md", Err("outside the memory directory"));
        check("/h/.claude/m/../a.md", Err("outside the memory directory"));
        check("/h/.claude/m", Err("names the memory directory itself"));
        check("/h/.claude/m/a.md/", Err("names a directory, not a file"));
        check("/h/.claude/m/a.MD", Err("not a `.md` file"));
        check("/h/.claude/m/.md", Err("not a `.md` file"));
        check(
            "/h/.claude/m/sub/.Git/a.md",
            Err("lies in a directory that tools act on (.git, .claude, .vscode, .idea)"),
        );
        let tool =
            ToolPath::parse("/h/x/../.claude/m/y/../cafe\u{301}.md", "/h/.claude/m".into(), None).unwrap();
        assert_eq!(tool.left_again, ["/h/x", "/h/.claude/m/y"]);
        assert_eq!((tool.path.as_str(), tool.spelled.as_str()), ("café.md", "cafe\u{301}.md"));
    }
}
