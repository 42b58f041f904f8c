//! ARCHITECTURE.md draws the edges between crates; Cargo may not know any other.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::process::Command;

use camino::Utf8Path;
use serde_json::Value;

type Edges = BTreeMap<String, BTreeSet<String>>;

/// The table of ARCHITECTURE.md whose rows are `| crate | holds | may depend on |`.
fn drawn() -> Edges {
    let path = Utf8Path::new(env!("CARGO_MANIFEST_DIR")).join("../../ARCHITECTURE.md");
    let text = fs::read_to_string(path).unwrap();
    let mut edges = Edges::new();
    for line in text.lines().filter(|line| line.starts_with("| `memdir")) {
        let cells: Vec<&str> = line.trim_matches('|').split(" | ").collect();
        let [name, _, allowed] = cells[..] else { panic!("three cells expected: {line}") };
        let name = name.trim().trim_matches('`').to_owned();
        let allowed = allowed.split(',').map(|cell| cell.trim().trim_matches(['`', '|', ' ']).to_owned());
        edges.insert(name, allowed.filter(|cell| cell.starts_with("memdir")).collect());
    }
    edges
}

/// The edges that Cargo knows, development dependencies apart: those serve tests only.
fn real() -> Edges {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--no-deps", "--offline"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: Value = serde_json::from_slice(&output.stdout).unwrap();
    let mut edges = Edges::new();
    for package in metadata["packages"].as_array().unwrap() {
        let dependencies = package["dependencies"].as_array().unwrap().iter();
        let ours = dependencies
            .filter(|dependency| dependency["kind"].as_str() != Some("dev"))
            .filter_map(|dependency| dependency["name"].as_str());
        let ours = ours.filter(|name| name.starts_with("memdir")).map(str::to_owned).collect();
        edges.insert(package["name"].as_str().unwrap().to_owned(), ours);
    }
    edges
}

#[test]
fn only_the_edges_that_are_drawn_exist() {
    let drawn = drawn();
    for (name, dependencies) in real() {
        let allowed = drawn.get(&name).unwrap_or_else(|| panic!("ARCHITECTURE.md does not list `{name}`"));
        let undrawn: Vec<&String> = dependencies.difference(allowed).collect();
        assert!(
            undrawn.is_empty(),
            "`{name}` may not depend on {undrawn:?}: ARCHITECTURE.md draws {allowed:?}"
        );
    }
}

#[test]
fn the_core_depends_on_nothing_of_ours() {
    assert_eq!(real()["memdir-core"], BTreeSet::new());
}

/// The files that ARCHITECTURE.md names as `crate/path`, where `crate` stands for `crates/memdir-crate/src`.
#[test]
fn every_file_that_is_named_exists() {
    let root = Utf8Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let text = fs::read_to_string(root.join("ARCHITECTURE.md")).unwrap();
    let crates = ["core", "os", "disk", "search", "lib", "wire", "sync", "server", "web", "memdir"];
    let mut named = 0;
    for word in text.split('`').skip(1).step_by(2) {
        let Some((first, path)) = word.split_once('/').filter(|(first, _)| crates.contains(first)) else {
            continue;
        };
        let of_crate = if first == "memdir" { first.to_owned() } else { format!("memdir-{first}") };
        let path = root.join("crates").join(of_crate).join("src").join(path);
        assert!(path.exists() || path.with_extension("rs").exists(), "`{word}` does not exist");
        named += 1;
    }
    assert!(named > 50, "{named}");
}

/// The licences of deny.toml.
fn allowed_licences() -> Vec<String> {
    let path = Utf8Path::new(env!("CARGO_MANIFEST_DIR")).join("../../deny.toml");
    let text = fs::read_to_string(path).unwrap();
    let list = text.split("allow = [").nth(1).unwrap().split(']').next().unwrap();
    list.split(',')
        .map(|name| name.trim().trim_matches('"').to_owned())
        .filter(|name| !name.is_empty())
        .collect()
}

/// Whether a licence expression leaves a choice that is allowed.
fn is_allowed(expression: &str, allowed: &[String]) -> bool {
    expression.split(" AND ").all(|part| {
        let part = part.trim_matches(['(', ')', ' ']);
        part.split(" OR ").flat_map(|choice| choice.split('/')).any(|choice| {
            let choice = choice.trim_matches(['(', ')', ' ']);
            allowed.iter().any(|name| name == choice)
        })
    })
}

#[test]
fn every_dependency_comes_from_the_registry_under_a_licence_that_may_be_shipped() {
    let allowed = allowed_licences();
    assert!(!is_allowed("GPL-3.0-only", &allowed) && !is_allowed("MIT AND GPL-3.0-only", &allowed));
    let version = Command::new(env!("CARGO")).arg("-vV").output().unwrap();
    let version = String::from_utf8(version.stdout).unwrap();
    let host = version.lines().find_map(|line| line.strip_prefix("host: ")).unwrap();
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--locked", "--offline", "--filter-platform", host])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: Value = serde_json::from_slice(&output.stdout).unwrap();
    let packages = metadata["packages"].as_array().unwrap();
    assert!(packages.len() > 100, "{}", packages.len());
    for package in packages {
        let name = package["name"].as_str().unwrap();
        let licence = package["license"].as_str().unwrap_or_default();
        assert!(is_allowed(licence, &allowed), "`{name}` has the licence `{licence}`");
        let is_ours = package["source"].is_null() && name.starts_with("memdir");
        let source = package["source"].as_str().unwrap_or_default();
        assert!(is_ours || source.starts_with("registry+"), "`{name}` comes from `{source}`");
    }
}
