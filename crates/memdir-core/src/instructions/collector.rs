//! Loading one file after the other, each with what it imports.

use std::collections::{HashMap, HashSet};

use camino::{Utf8Path, Utf8PathBuf};

use super::imports::{imports, is_importable};
use super::{
    Collected, InstructionFile, Kind, LeftOut, PathScope, Reason, Surroundings, Warning, path_scope, rules,
};
use crate::host_path::normal_form;
use crate::look::{self, Look, LookError};
use crate::memory::entrypoint::{self, Profile};
use crate::memory::js_text;

/// The largest file that is loaded.
const MAX_BYTES: u64 = 4 * 1024 * 1024;
/// The length in UTF-16 units from which on a file costs the model more than it helps.
const LONG_UNITS: usize = 40_000;
/// How much of a file is looked at to see whether it is text.
const BINARY_START: usize = 8 * 1024;
/// How many imports a file may be away from the one that began.
const MAX_DEPTH: usize = 4;
/// How many files are loaded in all.
const MAX_FILES: usize = 10_000;

/// The state of one collection.
pub(super) struct Collector<'a> {
    pub(super) around: &'a Surroundings,
    pub(super) look: &'a dyn Look,
    pub(super) shown: Vec<Shown>,
    pub(super) left_out: Vec<LeftOut>,
    warnings: Vec<Warning>,
    /// Every file that was reached, by real path.
    reached: HashMap<Utf8PathBuf, Reached>,
    /// Every file that the model has, by real path.
    given: HashSet<Utf8PathBuf>,
    real_directories: HashMap<Utf8PathBuf, Option<Utf8PathBuf>>,
    external_approved: Option<bool>,
}

/// A file that was reached.
struct Reached {
    /// How it was named the first time.
    path: Utf8PathBuf,
    /// Whether it holds anything.
    holds_text: bool,
}

/// A file that is shown, and the directory of the chain that it was loaded for.
pub(super) struct Shown {
    pub(super) file: InstructionFile,
    pub(super) owner: Option<Utf8PathBuf>,
}

/// A file that was loaded and may be shown.
pub(super) struct Candidate {
    file: InstructionFile,
    real: Utf8PathBuf,
    scope: Option<PathScope>,
}

/// Which of the files below a rules directory are wanted.
#[derive(Clone, Copy)]
pub(super) enum Wanted<'a> {
    /// Those that always count.
    Unconditional,
    /// Those whose `paths` match this path, relative to the directory that the rules belong to.
    For(&'a str),
}

/// A file to load.
struct Request<'a> {
    path: &'a Utf8Path,
    kind: Kind,
    parent: Option<&'a Utf8Path>,
    is_rule: bool,
    depth: usize,
}

impl<'a> Collector<'a> {
    pub(super) fn new(around: &'a Surroundings, look: &'a dyn Look) -> Self {
        Self {
            around,
            look,
            shown: Vec::new(),
            left_out: Vec::new(),
            warnings: Vec::new(),
            reached: HashMap::new(),
            given: HashSet::new(),
            real_directories: HashMap::new(),
            external_approved: None,
        }
    }

    pub(super) fn finish(self) -> Collected {
        let files = self.shown.into_iter().map(|shown| shown.file).collect();
        Collected { files, left_out: self.left_out, warnings: self.warnings }
    }

    /// Begins a second collection that adds to the first: what the model has it does not get again.
    pub(super) fn forget_what_is_shown(&mut self) {
        self.shown.clear();
        self.left_out.clear();
        self.warnings.clear();
        self.reached.clear();
    }

    /// Begins a pass in which files may be reached again that an earlier one reached and did not show.
    pub(super) fn forget_what_was_reached(&mut self) {
        self.reached.clear();
    }

    /// Marks a file as one that the model has.
    pub(super) fn has(&mut self, path: &Utf8Path) {
        if let Some((real, _)) = self.real(path) {
            self.given.insert(real);
        }
    }

    /// Loads one file and what it imports, and shows them. Says whether the file itself holds anything.
    pub(super) fn file(&mut self, path: &Utf8Path, kind: Kind, owner: Option<&Utf8Path>) -> bool {
        let mut candidates = Vec::new();
        let found =
            self.load(Request { path, kind, parent: None, is_rule: false, depth: 0 }, &mut candidates);
        self.show(candidates, owner);
        found
    }

    /// Loads the rules below a directory, and shows the wanted ones.
    pub(super) fn rules(
        &mut self,
        directory: &Utf8Path,
        kind: Kind,
        owner: Option<&Utf8Path>,
        wanted: Wanted<'_>,
    ) {
        let around = self.around;
        let absolute = resolve(&around.cwd, directory);
        let within = matches!(kind, Kind::Project | Kind::Local).then_some(around.cwd.as_path());
        let mut refused = Vec::new();
        let found = rules::rule_files(&absolute, within, self.look, &mut |path, reason| {
            refused.push(LeftOut { path: path.to_owned(), reason, parent: None });
        });
        for refused in refused {
            if matches!(refused.reason, Reason::NotFile | Reason::Unreadable | Reason::TooMany) {
                self.warn(&refused.path, format!("{}: it is not loaded", refused.reason));
            }
            self.leave_out(refused);
        }
        for rule in found {
            if rule.found_as != rule.path && self.is_excluded(&rule.found_as, kind) {
                self.omit(&rule.found_as, Reason::Excluded, None);
                continue;
            }
            let mut candidates = Vec::new();
            self.load(
                Request { path: &rule.path, kind, parent: None, is_rule: true, depth: 0 },
                &mut candidates,
            );
            let (wanted, others): (Vec<_>, Vec<_>) =
                candidates.into_iter().partition(|candidate| match (&candidate.scope, wanted) {
                    (scope, Wanted::Unconditional) => scope.is_none(),
                    (Some(scope), Wanted::For(file)) => scope.contains(file),
                    (None, Wanted::For(_)) => false,
                });
            for candidate in others.into_iter().filter(|candidate| candidate.scope.is_some()) {
                self.omit(&candidate.file.path, Reason::Conditional, candidate.file.parent.as_deref());
            }
            self.show(wanted, owner);
        }
    }

    /// Whether a file holds anything, without showing it.
    pub(super) fn holds_text(&self, path: &Utf8Path, kind: Kind) -> bool {
        !self.is_excluded(path, kind)
            && self
                .look
                .read(path, MAX_BYTES)
                .is_ok_and(|bytes| !Prepared::new(&bytes, false).text.is_empty())
    }

    pub(super) fn omit(&mut self, path: &Utf8Path, reason: Reason, parent: Option<&Utf8Path>) {
        self.leave_out(LeftOut { path: path.to_owned(), reason, parent: parent.map(Utf8Path::to_owned) });
    }

    fn leave_out(&mut self, left_out: LeftOut) {
        if self.left_out.len() < MAX_FILES {
            self.left_out.push(left_out);
        }
    }

    fn show(&mut self, candidates: Vec<Candidate>, owner: Option<&Utf8Path>) {
        for candidate in candidates {
            if self.given.insert(candidate.real) {
                self.shown.push(Shown { file: candidate.file, owner: owner.map(Utf8Path::to_owned) });
            }
        }
    }

    fn load(&mut self, request: Request<'_>, candidates: &mut Vec<Candidate>) -> bool {
        let Request { path, kind, parent, .. } = request;
        let found = self.real(path);
        // A missing file needs no exclusion, unless it was asked for by name.
        if (found.is_some() || parent.is_some()) && self.is_excluded(path, kind) {
            self.omit(path, Reason::Excluded, parent);
            return false;
        }
        let Some((real, is_link)) = found else {
            if parent.is_some() {
                self.omit(path, Reason::Missing, parent);
            }
            return false;
        };
        if parent.is_some() && is_link && !self.around.is_inside(&real) && !self.may_import_external(kind) {
            self.omit(path, Reason::LinkOutside, parent);
            return false;
        }
        if let Some(reached) = self.reached.get(&real) {
            let holds_text = reached.holds_text;
            // Under the same name and not asked for, it is not left out: it is in the list.
            if parent.is_some() || reached.path != path {
                self.omit(path, Reason::Duplicate, parent);
            }
            return holds_text;
        }
        if self.reached.len() >= MAX_FILES {
            self.omit(path, Reason::TooMany, parent);
            return false;
        }
        self.reached.insert(real.clone(), Reached { path: path.to_owned(), holds_text: false });
        let Some(bytes) = self.read(path, &real, parent) else { return false };
        if memchr::memchr(0, bytes.get(..bytes.len().min(BINARY_START)).unwrap_or_default()).is_some() {
            self.warn(path, "not text: the model is given its bytes all the same".to_owned());
        }
        let prepared = Prepared::new(&bytes, request.is_rule);
        drop(bytes);
        if let Some(problem) = prepared.problem {
            self.warn(path, problem.to_owned());
        }
        if prepared.text.is_empty() {
            self.omit(path, Reason::Empty, parent);
            return false;
        }
        if prepared.text.len() > LONG_UNITS && js_text::units(&prepared.text) > LONG_UNITS {
            self.warn(path, format!("over {LONG_UNITS} characters: it costs much of the context"));
        }
        self.reached.insert(real.clone(), Reached { path: path.to_owned(), holds_text: true });
        let imported = imports(&prepared.text);
        let file = InstructionFile {
            path: path.to_owned(),
            kind,
            label: kind.label(),
            text: prepared.text,
            parent: parent.map(Utf8Path::to_owned),
        };
        candidates.push(Candidate { file, real: real.clone(), scope: prepared.scope });
        let directory = real.parent().unwrap_or(&real);
        for named in imported {
            self.import(&named, directory, &request, candidates);
        }
        true
    }

    fn import(
        &mut self,
        named: &str,
        directory: &Utf8Path,
        importer: &Request<'_>,
        candidates: &mut Vec<Candidate>,
    ) {
        let path = match (named.strip_prefix("~/"), &self.around.home) {
            (Some(rest), Some(home)) => resolve(home, Utf8Path::new(rest)),
            (Some(_), None) => return,
            (None, _) => resolve(directory, Utf8Path::new(named)),
        };
        let parent = Some(importer.path);
        if !path.file_name().is_some_and(is_importable) {
            self.omit(&path, Reason::NotText, parent);
        } else if importer.depth >= MAX_DEPTH {
            self.omit(&path, Reason::TooDeep, parent);
        } else if !self.around.is_inside(&path) && !self.may_import_external(importer.kind) {
            self.omit(&path, Reason::External, parent);
        } else {
            let request = Request {
                path: &path,
                kind: importer.kind,
                parent,
                is_rule: importer.is_rule,
                depth: importer.depth + 1,
            };
            self.load(request, candidates);
        }
    }

    fn read(&mut self, path: &Utf8Path, real: &Utf8Path, parent: Option<&Utf8Path>) -> Option<Vec<u8>> {
        let reason = match self.look.read(real, MAX_BYTES) {
            Ok(bytes) => return Some(bytes),
            // It was there a moment ago.
            Err(LookError::NotFound) => Reason::Missing,
            Err(LookError::NotFile) => Reason::NotFile,
            Err(LookError::TooLarge { .. }) => Reason::TooLarge,
            Err(LookError::Denied | LookError::Other(_)) => Reason::Unreadable,
        };
        let expected = parent.is_some() && matches!(reason, Reason::NotFile);
        if !expected && reason != Reason::Missing {
            self.warn(path, format!("{reason}: it is not loaded"));
        }
        self.omit(path, reason, parent);
        None
    }

    pub(super) fn warn(&mut self, path: &Utf8Path, message: String) {
        self.warnings.push(Warning { path: path.to_owned(), message });
    }

    fn is_excluded(&self, path: &Utf8Path, kind: Kind) -> bool {
        kind != Kind::Managed
            && !self.around.excludes.is_empty()
            && self.around.excludes.contain(resolve(&self.around.cwd, path).as_str())
    }

    fn may_import_external(&mut self, kind: Kind) -> bool {
        kind == Kind::User
            || *self.external_approved.get_or_insert_with(|| self.around.external_imports_approved(self.look))
    }

    /// The path with links resolved, and whether its last component is one; `None` if nothing is there.
    ///
    /// Directories are resolved once each, so a file costs one question to the disk.
    fn real(&mut self, path: &Utf8Path) -> Option<(Utf8PathBuf, bool)> {
        let absolute = resolve(&self.around.cwd, path);
        let kind = self.look.kind(&absolute)?;
        if kind == look::Kind::Link {
            return Some((self.look.real_path(&absolute)?, true));
        }
        let (Some(directory), Some(name)) = (absolute.parent(), absolute.file_name()) else {
            return Some((absolute, false));
        };
        let look = self.look;
        let real = self
            .real_directories
            .entry(directory.to_owned())
            .or_insert_with(|| look.real_path(directory))
            .as_ref()?;
        let is_link = real != directory;
        Some((real.join(name), is_link))
    }
}

/// Joins a path to the directory that it is relative to, and takes `.` and `..` out by name.
pub(super) fn resolve(base: &Utf8Path, path: &Utf8Path) -> Utf8PathBuf {
    let joined = base.join(path);
    let text = joined.as_str();
    if text.starts_with('/') && !text.contains("/.") && !text.contains("//") && !text.ends_with('/') {
        return joined;
    }
    normal_form(joined.as_str()).into()
}

/// The text of a file as the model gets it, and what its frontmatter says.
struct Prepared {
    text: String,
    scope: Option<PathScope>,
    problem: Option<&'static str>,
}

impl Prepared {
    fn new(bytes: &[u8], is_rule: bool) -> Self {
        let decoded = String::from_utf8_lossy(bytes);
        let text = decoded.strip_prefix('\u{feff}').unwrap_or(&decoded);
        let scoped =
            if is_rule { frontmatter(text).map(path_scope::scope_of) } else { None }.unwrap_or_default();
        let text = entrypoint::counted(text, Profile::Current).into_owned();
        Self { text, scope: scoped.scope, problem: scoped.problem }
    }
}

/// The block between the fences, if the text begins with one.
fn frontmatter(text: &str) -> Option<&str> {
    let body = entrypoint::without_frontmatter(text);
    let block = text.get(..text.len() - body.len())?;
    block.strip_prefix("---")?.strip_suffix("---")
}
