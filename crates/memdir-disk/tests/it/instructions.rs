//! Instruction files on disk against what the client was seen to load: each case in a map and on the real disk.

use std::collections::BTreeMap;

use camino::{Utf8Path, Utf8PathBuf};
use memdir_core::env::Env;
use memdir_core::instructions::{Kind, Surroundings, collect, reading};
use memdir_core::look::{Look, MapLook};
use memdir_core::project::encode_path::encode;
use memdir_core::settings::ClientFlags;
use memdir_disk::real_look::RealLook;
use serde::Deserialize;

use crate::real_git::Place;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    id: String,
    #[serde(default)]
    cwd: Option<String>,
    #[serde(default)]
    files: BTreeMap<String, Content>,
    #[serde(default)]
    dirs: Vec<String>,
    #[serde(default)]
    links: BTreeMap<String, String>,
    #[serde(default)]
    hard_links: BTreeMap<String, String>,
    #[serde(default)]
    env: Option<BTreeMap<String, String>>,
    #[serde(default)]
    args: Vec<String>,
    #[serde(default)]
    git: Option<String>,
    #[serde(default)]
    repositories: Vec<String>,
    #[serde(default)]
    worktree: Option<String>,
    loaded: Vec<Loaded>,
    #[serde(default)]
    reading: Option<String>,
    #[serde(default)]
    added: Vec<String>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Content {
    Text(String),
    Repeated { unit: String, count: usize },
}

#[derive(Deserialize)]
struct Loaded {
    path: String,
    text: String,
    #[serde(default)]
    label: Option<String>,
    #[serde(default)]
    kind: Option<String>,
}

/// Where the letters of a case are.
struct Roots {
    base: Utf8PathBuf,
    memory: Utf8PathBuf,
    cwd: Utf8PathBuf,
}

impl Roots {
    fn new(base: &Utf8Path, case: &Case) -> Self {
        let mut roots = Self { base: base.to_owned(), memory: Utf8PathBuf::new(), cwd: Utf8PathBuf::new() };
        roots.cwd = roots.path(case.cwd.as_deref().unwrap_or("C"));
        let root = if case.git.is_some() { roots.path("C") } else { roots.cwd.clone() };
        roots.memory = base.join("h/.claude/projects").join(encode(root.as_str())).join("memory");
        roots
    }

    fn text(&self, text: &str) -> String {
        let mut expanded = text.to_owned();
        for (letter, path) in [("$C", "r/c"), ("$R", "r"), ("$H", "h"), ("$A", "w")] {
            expanded = expanded.replace(letter, self.base.join(path).as_str());
        }
        expanded.replace("$M", self.memory.as_str())
    }

    fn path(&self, path: &str) -> Utf8PathBuf {
        let lettered = path.starts_with(['R', 'C', 'H', 'A', 'M'])
            && matches!(path.as_bytes().get(1), None | Some(b'/'));
        let expanded = self.text(&if lettered { format!("${path}") } else { path.to_owned() });
        let expanded = match expanded.strip_prefix("/w/") {
            Some(rest) => self.base.join("w").join(rest).into_string(),
            None => expanded,
        };
        match expanded.split_once("/r/../") {
            Some((before, behind)) => format!("{before}/{behind}").into(),
            None => expanded.into(),
        }
    }
}

/// The tree of a case, as a list of what to make.
enum Node {
    File(Utf8PathBuf, String),
    Dir(Utf8PathBuf),
    Link(Utf8PathBuf, String),
    HardLink(Utf8PathBuf, Utf8PathBuf),
}

fn tree(case: &Case, roots: &Roots) -> Vec<Node> {
    let mut nodes: Vec<Node> =
        ["r/c", "h", "w"].iter().map(|path| Node::Dir(roots.base.join(path))).collect();
    if !case.links.keys().any(|path| roots.path(path) == roots.cwd) {
        nodes.push(Node::Dir(roots.cwd.clone()));
    }
    for (path, content) in &case.files {
        let content = match content {
            Content::Text(text) => roots.text(text),
            Content::Repeated { unit, count } => unit.repeat(*count),
        };
        nodes.push(Node::File(roots.path(path), content));
    }
    nodes.extend(case.dirs.iter().map(|path| Node::Dir(roots.path(path))));
    nodes.extend(case.hard_links.iter().map(|(path, to)| Node::HardLink(roots.path(path), roots.path(to))));
    for repository in case.repositories.iter().chain(&case.git) {
        nodes.push(Node::File(roots.path(repository).join(".git/HEAD"), "ref: refs/heads/main\n".to_owned()));
    }
    if let Some(worktree) = &case.worktree {
        let (checkout, entry) = (roots.path(worktree), roots.path("C").join(".git/worktrees/w"));
        nodes.push(Node::File(entry.join("commondir"), "../..\n".to_owned()));
        nodes.push(Node::File(entry.join("gitdir"), format!("{checkout}/.git\n")));
        nodes.push(Node::File(checkout.join(".git"), format!("gitdir: {entry}\n")));
    }
    for (path, target) in &case.links {
        let target =
            if target.starts_with(['/', '$']) { roots.path(target).into_string() } else { target.clone() };
        nodes.push(Node::Link(roots.path(path), target));
    }
    nodes
}

fn in_map(nodes: &[Node]) -> MapLook {
    nodes.iter().fold(MapLook::new(), |look, node| match node {
        Node::File(path, content) => look.file(path.as_str(), content),
        Node::Dir(path) => look.dir(path.as_str()),
        Node::Link(path, target) => look.link(path.as_str(), target),
        Node::HardLink(path, to) => {
            let content = look.read(to, u64::MAX).unwrap();
            look.file(path.as_str(), content)
        }
    })
}

fn on_disk(nodes: &[Node]) {
    for node in nodes {
        let (Node::File(path, _) | Node::Dir(path) | Node::Link(path, _) | Node::HardLink(path, _)) = node;
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        match node {
            Node::File(path, content) => std::fs::write(path, content).unwrap(),
            Node::Dir(path) => std::fs::create_dir_all(path).unwrap(),
            Node::Link(path, target) => std::os::unix::fs::symlink(target, path).unwrap(),
            Node::HardLink(path, to) => std::fs::hard_link(to, path).unwrap(),
        }
    }
}

fn surroundings(case: &Case, roots: &Roots, look: &dyn Look) -> Surroundings {
    let vars = case.env.iter().flatten().map(|(name, value)| (name.clone(), roots.path(value).into_string()));
    let env = Env {
        home: Some(roots.base.join("h")),
        cwd: look.real_path(&roots.cwd).unwrap(),
        vars: vars.collect(),
    };
    let mut flags = ClientFlags { managed_dir: roots.base.join("managed"), ..ClientFlags::default() };
    let mut add_dirs = Vec::new();
    let mut arguments = case.args.iter().peekable();
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--bare" => flags.bare = true,
            "--safe-mode" => flags.safe_mode = true,
            "--setting-sources" => flags.setting_sources = arguments.next().cloned(),
            "--settings" => flags.settings = arguments.next().map(|settings| roots.text(settings)),
            "--allowedTools" => drop(arguments.next()),
            "--add-dir" => {
                while let Some(directory) = arguments.next_if(|argument| !argument.starts_with("--")) {
                    add_dirs.push(roots.path(directory));
                }
            }
            other => assert_eq!(other, "a flag of the client", "{}", case.id),
        }
    }
    Surroundings::find(&env, &flags, &add_dirs, look).unwrap()
}

fn kind_name(kind: Kind) -> &'static str {
    match kind {
        Kind::Managed => "managed",
        Kind::User => "user",
        Kind::Project => "project",
        Kind::Local => "local",
        Kind::AutoMemory => "auto_memory",
        Kind::Team => "team",
        Kind::UserMemory => "user_memory",
        Kind::MachineMemory => "machine_memory",
        Kind::BranchMemory => "branch_memory",
    }
}

/// Compares two lists of which the order among rules does not count.
fn assert_same<T: Ord + Clone + std::fmt::Debug>(
    found: &[T],
    expected: &[T],
    is_rule: impl Fn(&T) -> bool,
    what: &str,
) {
    let sorted = |list: &[T]| {
        let mut list = list.to_vec();
        list.sort();
        list
    };
    assert_eq!(sorted(found), sorted(expected), "{what}");
    let others = |list: &[T]| list.iter().filter(|item| !is_rule(item)).cloned().collect::<Vec<_>>();
    assert_eq!(others(found), others(expected), "{what}, in order");
}

fn check(case: &Case, roots: &Roots, look: &dyn Look, place: &str) {
    let what = format!("{} {place}", case.id);
    let surroundings = surroundings(case, roots, look);
    let collected = collect(&surroundings, look);
    let has_linked_rules = case.links.keys().any(|path| path.contains("rules"));
    let is_rule = |path: &str| has_linked_rules || path.contains("/rules/");
    let found: Vec<_> = collected
        .files
        .iter()
        .map(|file| (file.path.to_string(), kind_name(file.kind).to_owned(), file.text.clone()))
        .collect();
    let expected: Vec<_> = case
        .loaded
        .iter()
        .map(|loaded| {
            let of_label = collected.files.iter().find(|file| Some(file.label) == loaded.label.as_deref());
            let kind = loaded.kind.clone().or_else(|| of_label.map(|file| kind_name(file.kind).to_owned()));
            (roots.path(&loaded.path).into_string(), kind.unwrap_or_default(), roots.text(&loaded.text))
        })
        .collect();
    assert_same(&found, &expected, |(path, _, _)| is_rule(path), &what);
    if let Some(file) = &case.reading {
        let added = reading(&surroundings, &roots.path(file), look);
        let found: Vec<_> = added.files.iter().map(|file| file.path.to_string()).collect();
        let expected: Vec<_> = case.added.iter().map(|path| roots.path(path).into_string()).collect();
        assert_same(&found, &expected, |path| is_rule(path), &format!("{what}, reading"));
    }
}

fn check_all(cases: &[Case]) {
    for case in cases {
        let roots = Roots::new("/base".into(), case);
        check(case, &roots, &in_map(&tree(case, &roots)), "in a map");
        let place = Place::new();
        let roots = Roots::new(&place.root, case);
        on_disk(&tree(case, &roots));
        check(case, &roots, &RealLook, "on disk");
    }
}

#[test]
fn the_golden_cases_load_as_the_client_loads_them() {
    #[derive(Deserialize)]
    struct Golden {
        cases: Vec<Case>,
    }
    let golden: Golden = serde_json::from_str(include_str!("../data/instructions.json")).unwrap();
    assert_eq!(golden.cases.len(), 12);
    check_all(&golden.cases);
}

#[test]
fn whatever_the_client_was_seen_to_load_we_load() {
    let cases: Vec<Case> = include_str!("../data/instructions_observed.jsonl")
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert!(cases.len() > 150);
    check_all(&cases);
}
