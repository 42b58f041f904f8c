//! Looking up what was cited.

use std::cell::OnceCell;

use camino::{Utf8Path, Utf8PathBuf};

use super::project_view::{Effort, MAX_FILE, Names, Words, words_of};
use super::{Citation, Cited, Freshness, Verified};
use crate::host_path::PathStyle;
use crate::look::Look;
use crate::memory::links::LinkTargets;

/// Looks up what memories cite: in a project, and among the other memories.
///
/// The project is listed and read once, when the first citation asks for it, however many memories are verified.
pub struct Verifier<'v> {
    root: Option<&'v Utf8Path>,
    look: &'v dyn Look,
    targets: &'v LinkTargets,
    effort: Effort,
    names: OnceCell<Names>,
    words: OnceCell<Words>,
}

impl<'v> Verifier<'v> {
    /// A verifier for a project's root (`None`: there is no project, so only links are looked up) and its memories.
    #[must_use]
    pub fn new(root: Option<&'v Utf8Path>, look: &'v dyn Look, targets: &'v LinkTargets) -> Self {
        Self { root, look, targets, effort: Effort::FULL, names: OnceCell::new(), words: OnceCell::new() }
    }

    /// The same with more or less patience.
    #[must_use]
    pub fn with_effort(self, effort: Effort) -> Self {
        Self { effort, ..self }
    }

    /// Looks up citations of one memory. What cannot be decided is left out.
    #[must_use]
    pub fn verify(&self, citations: &[Citation]) -> Vec<Verified> {
        let verified = citations.iter().filter_map(|citation| {
            let (freshness, why) = match &citation.cited {
                Cited::Link(target) => self.link(target),
                Cited::Path { path, line, certain } => self.path(self.root?, path, *line, *certain)?,
                Cited::Symbol(symbol) => self.symbol(self.root?, symbol, citation.line, citations)?,
                Cited::Command(command) => self.command(self.root?, command)?,
            };
            Some(Verified { citation: citation.clone(), freshness, why })
        });
        verified.collect()
    }

    fn link(&self, target: &str) -> Verdict {
        let name = target.rsplit('/').next().unwrap_or(target);
        if self.targets.resolve(target).is_empty() && !matches!(name, "MEMORY.md" | "MEMORY-overflow.md") {
            return (Freshness::Gone, Some("no memory has that name".to_owned()));
        }
        FRESH
    }

    fn path(&self, root: &Utf8Path, path: &str, line: Option<usize>, certain: bool) -> Option<Verdict> {
        let Some(found) = self.find(root, path, certain)? else {
            return Some((Freshness::Gone, Some("the project has no such file".to_owned())));
        };
        let Some(line) = line else { return Some(FRESH) };
        let content = self.look.read(&root.join(found), MAX_FILE).ok()?;
        let lines = memchr::memchr_iter(b'\n', &content).count() + usize::from(!content.ends_with(b"\n"));
        if line > lines {
            return Some((Freshness::Changed, Some(format!("the file ends at line {lines}"))));
        }
        Some(FRESH)
    }

    /// The cited path below the root: `None` if that cannot be decided, `Some(None)` if it is not there.
    fn find(&self, root: &Utf8Path, path: &str, certain: bool) -> Option<Option<Utf8PathBuf>> {
        let relative = if PathStyle::HERE.is_absolute(path) {
            Utf8Path::new(path).strip_prefix(root).ok()?
        } else {
            Utf8Path::new(path)
        };
        if self.look.kind(&root.join(relative)).is_some() {
            return Some(Some(relative.to_owned()));
        }
        if !self.targets.resolve(relative.as_str()).is_empty() {
            return None;
        }
        let names = self.names(root);
        if let Some(found) = names.ending_with(relative.as_str()) {
            return Some(Some(found.into()));
        }
        let first = relative.components().next().map_or("", |component| component.as_str());
        let meant = certain || self.look.kind(&root.join(first)).is_some();
        (meant && names.complete).then_some(None)
    }

    fn symbol(&self, root: &Utf8Path, symbol: &str, line: usize, citations: &[Citation]) -> Option<Verdict> {
        let name = symbol.trim_end_matches("()").trim_end_matches('!');
        let name = name.rsplit(['.', ':']).next().unwrap_or(name);
        let words = self.words.get_or_init(|| Words::of(root, self.names(root), self.look, self.effort));
        if !words.holds(name) {
            return words
                .complete
                .then(|| (Freshness::Gone, Some("the word is nowhere in the project".to_owned())));
        }
        // A file on the same line is where the memory says that it is.
        let files: Vec<Vec<u8>> = citations
            .iter()
            .filter(|other| other.line == line)
            .filter_map(|other| match &other.cited {
                Cited::Path { path, certain: true, .. } => {
                    let found = self.find(root, path, true)??;
                    self.look.read(&root.join(found), MAX_FILE).ok()
                }
                _ => None,
            })
            .collect();
        let holds = |content: &Vec<u8>| words_of(content).any(|word| word == name.as_bytes());
        if files.is_empty() || files.iter().any(holds) {
            return Some(FRESH);
        }
        Some((Freshness::Changed, Some("it is in another file now".to_owned())))
    }

    fn command(&self, root: &Utf8Path, command: &str) -> Option<Verdict> {
        let mut words = command.split_whitespace();
        let first = words.next()?;
        if let Some(path) = first.strip_prefix("./") {
            return self.path(root, path, None, true);
        }
        let (files, target): (&[&str], &str) = match first {
            "make" => (&["Makefile", "makefile", "GNUmakefile"], words.next()?),
            "just" => (&["justfile", "Justfile", ".justfile"], words.next()?),
            _ => (&["package.json"], words.nth(1)?),
        };
        let names = self.names(root);
        if names.complete && !files.iter().any(|file| names.holds_name(file)) {
            return Some((Freshness::Gone, Some(format!("the project has no `{}`", files.first()?))));
        }
        let content = files.iter().find_map(|file| self.look.read(&root.join(file), MAX_FILE).ok())?;
        let text = String::from_utf8_lossy(&content);
        let there = if first == "make" || first == "just" {
            defines_target(&text, target)?
        } else {
            serde_json::from_str::<serde_json::Value>(&text).ok()?.get("scripts")?.get(target).is_some()
        };
        let gone = || (Freshness::Gone, Some(format!("`{target}` is not defined any more")));
        Some(if there { FRESH } else { gone() })
    }

    fn names(&self, root: &Utf8Path) -> &Names {
        self.names.get_or_init(|| Names::of(root, self.look, self.effort))
    }
}

type Verdict = (Freshness, Option<String>);

const FRESH: Verdict = (Freshness::Fresh, None);

/// Whether a file of targets defines one; `None` if it includes targets from elsewhere, which we do not read.
fn defines_target(text: &str, target: &str) -> Option<bool> {
    let defines = |line: &str| {
        let head = line.trim_start_matches('@');
        head.strip_prefix(target).is_some_and(|rest| rest.starts_with([':', ' ', '\t']) && rest.contains(':'))
    };
    if text.lines().any(defines) {
        return Some(true);
    }
    let from_elsewhere = |line: &str| {
        ["include", "-include", "import", "mod "].iter().any(|word| line.starts_with(word))
            || line.contains('%')
    };
    if text.lines().any(from_elsewhere) { None } else { Some(false) }
}
