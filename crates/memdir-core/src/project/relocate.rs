//! Bringing a project's files from an old directory to the one that counts now, as a plan.
//!
//! A plan only copies; once its copies are verified, the caller sets the old directory aside under a name
//! that says where its content went. Nothing is deleted, so it can be undone. The serialised form is part of
//! docs/FORMAT.md.

use std::collections::BTreeSet;

use camino::{Utf8Path, Utf8PathBuf};
use serde::{Deserialize, Serialize};

use super::encode_path::{Scheme, encode, encode_with};
use super::identity::IdentityKey;

/// The version of the serialised form.
pub const VERSION: u32 = 1;

/// What would be brought from where to where.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Relocation {
    /// The version of this form.
    pub v: u32,
    /// Why these belong together.
    pub because: Because,
    /// The directories that the files come from.
    pub from: End,
    /// The directories that they go to.
    pub to: End,
    /// What is brought.
    pub extent: Extent,
    /// What happens to each file.
    pub steps: Vec<Step>,
    /// What the old directory is called afterwards.
    pub set_aside: Utf8PathBuf,
    /// What the caller who applies it should be told.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

/// One end of a relocation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct End {
    /// The directory below `projects/`.
    pub project_dir: Utf8PathBuf,
    /// The memory directory, which may be elsewhere.
    pub memory_dir: Utf8PathBuf,
    /// The project's real path, if it is known.
    pub path: Option<Utf8PathBuf>,
}

/// Why lost memory is believed to be this project's.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "why", rename_all = "snake_case")]
pub enum Because {
    /// The same project was seen there.
    Identity {
        /// By this evidence.
        key: IdentityKey,
    },
    /// A client named the directory after one of the project's own paths.
    Name {
        /// By this scheme: `current`, `cwd` or `observed-89`.
        scheme: String,
        /// After this path.
        path: Utf8PathBuf,
    },
    /// The user said so.
    Asked,
}

/// How much of the old directory belongs elsewhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Extent {
    /// All of it: the old directory is no longer used.
    Whole,
    /// Its memory; sessions of a living directory still go there.
    Memory,
}

/// What happens to one file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Step {
    /// What kind of file it is.
    pub part: Part,
    /// What is done.
    #[serde(rename = "do")]
    pub action: Action,
    /// The file.
    pub from: Utf8PathBuf,
    /// Where it goes, or what it meets there.
    pub to: Utf8PathBuf,
    /// Its size.
    pub bytes: u64,
}

/// The kinds of files in a project's directory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Part {
    /// The memory directory.
    Memory,
    /// The memory of sub-agents.
    AgentMemory,
    /// Decisions, analyses and the like that the journal keeps beside the memory.
    Journal,
    /// Sessions, and what belongs to them.
    Transcripts,
}

/// What is done with one file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Action {
    /// Copied; nothing is at its place.
    Copy,
    /// Left: the same content is there already.
    Same,
    /// Both are indexes: their lines become one set.
    Merge,
    /// Another file has its name: copied under a free one.
    KeepBoth,
}

/// A file below a directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MovedFile {
    /// Its path below the directory.
    pub path: Utf8PathBuf,
    /// Its size.
    pub bytes: u64,
}

/// Plans to bring the files of one end to the other.
///
/// `files` are below the old project directory; `exists` and `same` answer for the disk.
#[must_use]
pub fn plan(
    because: Because,
    (from, to): (End, End),
    extent: Extent,
    files: &[MovedFile],
    exists: &dyn Fn(&Utf8Path) -> bool,
    same: &dyn Fn(&Utf8Path, &Utf8Path) -> bool,
) -> Relocation {
    let mut taken = BTreeSet::new();
    let mut steps = Vec::new();
    for file in files {
        let part = part_of(&file.path);
        if extent == Extent::Memory && part != Part::Memory {
            continue;
        }
        let source = from.project_dir.join(&file.path);
        let mut target = match file.path.strip_prefix("memory") {
            Ok(below) => to.memory_dir.join(below),
            Err(_) => to.project_dir.join(&file.path),
        };
        let action = if !exists(&target) {
            Action::Copy
        } else if same(&source, &target) {
            Action::Same
        } else if part == Part::Memory && target.file_name() == Some("MEMORY.md") {
            Action::Merge
        } else {
            target = free_name(&target, &|path| exists(path) || taken.contains(path));
            Action::KeepBoth
        };
        taken.insert(target.clone());
        steps.push(Step { part, action, from: source, to: target, bytes: file.bytes });
    }
    steps.sort_by(|one, other| (one.part, &one.from).cmp(&(other.part, &other.from)));
    let aside = match extent {
        Extent::Whole => &from.project_dir,
        Extent::Memory => &from.memory_dir,
    };
    let set_aside = set_aside_path(aside, &to.project_dir, exists);
    Relocation { v: VERSION, because, from, to, extent, steps, set_aside, warnings: Vec::new() }
}

/// Whether a directory below `projects/` is one that was set aside: no scheme makes such a name.
#[must_use]
pub fn is_set_aside(name: &str) -> bool {
    name.contains(MOVED_TO)
}

const MOVED_TO: &str = ".moved-to.";

/// The longest name that file systems allow.
const MAX_NAME: usize = 255;

/// The names below `projects/` under which memory of a project may be lost, with the reason; best first.
///
/// `paths` are the directory, the root of its repository and every worktree. A name that today's client gives to
/// one of them is in use for its sessions, so only its memory can be lost.
#[must_use]
pub fn lost_names(paths: &[Utf8PathBuf], slug: &str) -> Vec<(String, Because, Extent)> {
    let mut names: Vec<(String, Because, Extent)> = Vec::new();
    for scheme in Scheme::ALL {
        for path in paths {
            let name = encode_with(scheme, path.as_str());
            if name == slug || name.len() > MAX_NAME || names.iter().any(|(known, ..)| *known == name) {
                continue;
            }
            let in_use = paths.iter().any(|path| encode(path.as_str()) == name);
            let because = Because::Name { scheme: scheme.to_string(), path: path.clone() };
            names.push((name, because, if in_use { Extent::Memory } else { Extent::Whole }));
        }
    }
    names
}

fn part_of(path: &Utf8Path) -> Part {
    let mut components = path.components().map(|component| component.as_str());
    let first = components.next().unwrap_or_default();
    let is_directory = components.next().is_some();
    match first {
        "memory" if is_directory => Part::Memory,
        "agent-memory" | "agent-memory-local" if is_directory => Part::AgentMemory,
        "decisions" | "analysis" | "context" | "progress" | "subagent" if is_directory => Part::Journal,
        _ if is_directory => Part::Transcripts,
        name if name.ends_with(".jsonl") || name == "sessions-index.json" => Part::Transcripts,
        _ => Part::Journal,
    }
}

/// `name-adopted.md`, `name-adopted-2.md` and so on: the first that is free.
fn free_name(target: &Utf8Path, is_taken: &dyn Fn(&Utf8Path) -> bool) -> Utf8PathBuf {
    let stem = target.file_stem().unwrap_or_default();
    let extension = target.extension().map(|extension| format!(".{extension}")).unwrap_or_default();
    let name = |number: u32| match number {
        1 => format!("{stem}-adopted{extension}"),
        number => format!("{stem}-adopted-{number}{extension}"),
    };
    let mut number = 1;
    loop {
        let candidate = target.with_file_name(name(number));
        if !is_taken(&candidate) {
            return candidate;
        }
        number += 1;
    }
}

fn set_aside_path(
    directory: &Utf8Path,
    new_project_dir: &Utf8Path,
    exists: &dyn Fn(&Utf8Path) -> bool,
) -> Utf8PathBuf {
    let old = directory.file_name().unwrap_or_default();
    let new = new_project_dir.file_name().unwrap_or_default();
    let mut number = 1;
    loop {
        let ending = if number == 1 { String::new() } else { format!(".{number}") };
        let room = MAX_NAME.saturating_sub(old.len() + MOVED_TO.len() + ending.len());
        // The end of a path says more than its beginning.
        let mut start = new.len().saturating_sub(room);
        while !new.is_char_boundary(start) {
            start += 1;
        }
        let path = directory.with_file_name(format!("{old}{MOVED_TO}{}{ending}", &new[start..]));
        if !exists(&path) {
            return path;
        }
        number += 1;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn end(slug: &str) -> End {
        let project_dir = Utf8PathBuf::from(format!("/c/projects/{slug}"));
        End { memory_dir: project_dir.join("memory"), project_dir, path: None }
    }

    fn check(extent: Extent, files: &[&str], there: &[&str], same: &[&str]) -> String {
        let files: Vec<MovedFile> =
            files.iter().map(|path| MovedFile { path: (*path).into(), bytes: 1 }).collect();
        let exists = |path: &Utf8Path| there.contains(&path.as_str());
        let same = |_: &Utf8Path, target: &Utf8Path| same.contains(&target.as_str());
        let plan = plan(Because::Asked, (end("-old"), end("-new")), extent, &files, &exists, &same);
        let line = |step: &Step| {
            format!("{:?} {:?} {} -> {}", step.part, step.action, step.from.file_name().unwrap(), step.to)
        };
        let steps: Vec<String> = plan.steps.iter().map(line).collect();
        format!("{}\naside {}", steps.join("\n"), plan.set_aside)
    }

    #[test]
    fn everything_is_copied_and_what_meets_is_merged_left_or_kept_twice() {
        let files = [
            "memory/MEMORY.md",
            "memory/same.md",
            "memory/differs.md",
            "memory/deep/new.md",
            "decisions/2026-01-01_001_x.md",
            "_session.json",
            "s.jsonl",
            "s/subagents/agent-1.jsonl",
            "agent-memory-local/a/MEMORY.md",
        ];
        let there = [
            "/c/projects/-new/memory/MEMORY.md",
            "/c/projects/-new/memory/same.md",
            "/c/projects/-new/memory/differs.md",
            "/c/projects/-new/memory/differs-adopted.md",
        ];
        insta::assert_snapshot!(check(Extent::Whole, &files, &there, &["/c/projects/-new/memory/same.md"]), @r"
        Memory Merge MEMORY.md -> /c/projects/-new/memory/MEMORY.md
        Memory Copy new.md -> /c/projects/-new/memory/deep/new.md
        Memory KeepBoth differs.md -> /c/projects/-new/memory/differs-adopted-2.md
        Memory Same same.md -> /c/projects/-new/memory/same.md
        AgentMemory Copy MEMORY.md -> /c/projects/-new/agent-memory-local/a/MEMORY.md
        Journal Copy _session.json -> /c/projects/-new/_session.json
        Journal Copy 2026-01-01_001_x.md -> /c/projects/-new/decisions/2026-01-01_001_x.md
        Transcripts Copy agent-1.jsonl -> /c/projects/-new/s/subagents/agent-1.jsonl
        Transcripts Copy s.jsonl -> /c/projects/-new/s.jsonl
        aside /c/projects/-old.moved-to.-new
        ");
        insta::assert_snapshot!(check(Extent::Memory, &files[2..], &["/c/projects/-old/memory.moved-to.-new"], &[]), @r"
        Memory Copy new.md -> /c/projects/-new/memory/deep/new.md
        Memory Copy differs.md -> /c/projects/-new/memory/differs.md
        aside /c/projects/-old/memory.moved-to.-new.2
        ");
    }

    #[test]
    fn a_plan_is_stored_as_readable_json_and_reads_back() {
        let files = [MovedFile { path: "memory/a.md".into(), bytes: 3 }];
        let because = Because::Name { scheme: "cwd".into(), path: "/old".into() };
        let plan =
            plan(because, (end("-old"), end("-new")), Extent::Whole, &files, &|_| false, &|_, _| false);
        let json = serde_json::to_string(&plan).unwrap();
        insta::assert_snapshot!(json, @r#"{"v":1,"because":{"why":"name","scheme":"cwd","path":"/old"},"from":{"project_dir":"/c/projects/-old","memory_dir":"/c/projects/-old/memory","path":null},"to":{"project_dir":"/c/projects/-new","memory_dir":"/c/projects/-new/memory","path":null},"extent":"whole","steps":[{"part":"memory","do":"copy","from":"/c/projects/-old/memory/a.md","to":"/c/projects/-new/memory/a.md","bytes":3}],"set_aside":"/c/projects/-old.moved-to.-new"}"#);
        assert_eq!(serde_json::from_str::<Relocation>(&json).unwrap(), plan);
    }

    #[test]
    fn lost_memory_is_looked_for_under_every_scheme_and_path() {
        let long = format!("/r/{}", "x".repeat(100));
        let paths: Vec<Utf8PathBuf> = vec!["/r/a_b".into(), "/r".into(), "/wt".into(), long.into()];
        let names: Vec<String> = lost_names(&paths, "-r")
            .into_iter()
            .map(|(name, because, extent)| match because {
                Because::Name { scheme, .. } => format!("{scheme} {extent:?} {}", name.len()),
                other => format!("{other:?}"),
            })
            .collect();
        // Two directories of sessions, the long one too; then what only the oldest scheme made.
        assert_eq!(
            names,
            [
                "current Memory 6",
                "current Memory 3",
                "current Memory 103",
                "observed-89 Whole 6",
                "observed-89 Whole 89"
            ]
        );
    }

    proptest! {
        #[test]
        fn a_directory_set_aside_has_a_name_that_fits_and_is_known(old in "-[a-z-]{0,206}", new in "[a-zé-]{0,150}") {
            let path = set_aside_path(&Utf8Path::new("/c").join(&old), &Utf8Path::new("/c").join(new), &|_| false);
            let name = path.file_name().unwrap();
            prop_assert!(name.len() <= 255 && is_set_aside(name));
            prop_assert!(!is_set_aside(&old));
        }
    }
}
