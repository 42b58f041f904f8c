//! `claudeMdExcludes`: instruction files that the user does not want loaded.

use super::braces::{self, Budget};
use super::glob::{self, Component, Dialect};
use crate::host_path::{HostPath, PathStyle};

/// Globs over absolute paths, of all settings together.
///
/// `*` and `?` stay within a component, `**` is any number of them, braces and classes work, hidden names are
/// like others, case counts, and nothing is relative to anything. A glob that begins with `!` excludes whatever
/// the rest of it does not match.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Excludes {
    globs: Vec<Glob>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Glob {
    /// As it is written, without a leading `!`.
    text: String,
    negated: bool,
    alternatives: Vec<Vec<Component>>,
}

impl Excludes {
    /// Reads the globs; braces are expanded within the same bounds as those of a rule.
    pub fn new<'a>(globs: impl IntoIterator<Item = &'a str>) -> Self {
        Self { globs: globs.into_iter().filter(|glob| !glob.is_empty()).map(Glob::parse).collect() }
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.globs.is_empty()
    }

    /// Whether a path is excluded.
    #[must_use]
    pub fn contain(&self, path: &str) -> bool {
        if PathStyle::of_absolute(path) == PathStyle::Windows {
            return self.contain_windows(path);
        }
        self.contain_text(path)
    }

    /// A glob may name a Windows path as the system does, with `/`, or as `/c/…`; case does not count. A path that is
    /// not plain counts as excluded if there is any glob.
    fn contain_windows(&self, path: &str) -> bool {
        let Some(host) = HostPath::parse(path, PathStyle::Windows).filter(|host| !host.has_short_name())
        else {
            return !self.globs.is_empty();
        };
        let forms = [host.posix_form(), host.text().replace('\\', "/").to_lowercase()];
        self.globs.iter().any(|glob| {
            let folded = glob.folded();
            forms.iter().any(|form| folded.matches(form)) != glob.negated
        })
    }

    fn contain_text(&self, path: &str) -> bool {
        self.globs.iter().any(|glob| glob.matches(path) != glob.negated)
    }
}

impl Glob {
    fn parse(text: &str) -> Self {
        let (negated, text) = text.strip_prefix('!').map_or((false, text), |rest| (true, rest));
        let expanded = braces::expand(text, &mut Budget::default(), braces::nested_group)
            .unwrap_or_else(|braces::TooMany| vec![text.to_owned()]);
        let alternatives = expanded.iter().map(|alternative| {
            alternative.split('/').map(|component| Component::parse(component, Dialect::Shell)).collect()
        });
        Self { text: text.to_owned(), negated, alternatives: alternatives.collect() }
    }

    fn matches(&self, path: &str) -> bool {
        let components: Vec<&str> = path.split('/').collect();
        self.alternatives.iter().any(|alternative| glob::matches(alternative, &components, Dialect::Shell))
    }

    /// The glob in lower case and with `/`, for paths of Windows.
    fn folded(&self) -> Self {
        Self { negated: false, ..Self::parse(&self.text.replace('\\', "/").to_lowercase()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn globs_match_windows_paths_in_every_spelling() {
        let path = r"C:\Users\x\Proj\CLAUDE.md";
        for glob in [
            "**/claude.md",
            r"C:\Users\x\Proj\CLAUDE.md",
            "C:/Users/**",
            "/c/users/x/**",
            "**/Proj/*.md",
            "!**/other.md",
        ] {
            assert!(Excludes::new([glob]).contain(path), "{glob}");
            assert!(Excludes::new([glob]).contain(r"C:\Users\x\PROJ~1\CLAUDE.md"), "a short name: {glob}");
        }
        for glob in ["**/other.md", "D:/**", "!**/claude.md"] {
            assert!(!Excludes::new([glob]).contain(path), "{glob}");
        }
    }

    #[test]
    fn globs_match_absolute_paths() {
        let check = |glob: &str, path: &str, expected: bool| {
            assert_eq!(Excludes::new([glob]).contain(path), expected, "{glob} {path}");
        };
        for (glob, path) in [
            ("**/e0.md", "/c/e0.md"),
            ("/c/e1.md", "/c/e1.md"),
            ("/c/sub/**", "/c/sub/e2.md"),
            ("/c/sub/**", "/c/sub/.b/c.md"),
            ("/c/*/e3.md", "/c/x/e3.md"),
            ("**/e{4,5}.md", "/c/e5.md"),
            ("**/e{3,{4,5}}.md", "/c/e5.md"),
            ("**/e[67].md", "/c/e7.md"),
            ("**/[^k]8.md", "/c/e8.md"),
            ("**/e[!3]9.md", "/c/e39.md"),
            ("**/.hid/**", "/c/.hid/h.md"),
            ("**/*13.md", "/c/q13.md"),
            ("/c/e14*", "/c/e14.md"),
            ("**/d17/*", "/c/d17/a.md"),
            ("**/e19.m?", "/c/e19.md"),
            ("**/e34.md/**", "/c/e34.md"),
            ("/c/d35/**/x.md", "/c/d35/x.md"),
            ("/c/d35/**/x.md", "/c/d35/y/x.md"),
            ("/**/e37.md", "/c/e37.md"),
            ("!**/CLAUDE.md", "/c/a.md"),
            ("/c/{a", "/c/{a"),
        ] {
            check(glob, path, true);
        }
        for (glob, path) in [
            ("e8.md", "/c/e8.md"),
            ("./e9.md", "/c/e9.md"),
            ("~/e10.md", "/h/e10.md"),
            ("**/E11.md", "/c/e11.md"),
            ("/c/d15", "/c/d15/a.md"),
            ("/c/d16/", "/c/d16/a.md"),
            ("**/d17/*", "/c/d17/b/c.md"),
            (" **/e21.md", "/c/e21.md"),
            ("**/e22.md ", "/c/e22.md"),
            ("**/e{26..28}.md", "/c/e27.md"),
            ("**/e[!3]9.md", "/c/e29.md"),
            ("**e33.md", "/c/e33.md"),
            ("*/e36.md", "/c/e36.md"),
            ("**/[^k]38.md", "/c/k38.md"),
            ("/tmp/*/e45.md", "/tmp/a/b/e45.md"),
            ("!**/CLAUDE.md", "/c/CLAUDE.md"),
            ("", "/c/CLAUDE.md"),
        ] {
            check(glob, path, false);
        }
    }
}
