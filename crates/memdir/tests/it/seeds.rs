//! docs/SEEDS.md names, for every requirement, a file and a test that exist.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use camino::{Utf8Path, Utf8PathBuf};

fn repository() -> Utf8PathBuf {
    Utf8Path::new(env!("CARGO_MANIFEST_DIR")).parent().and_then(Utf8Path::parent).unwrap().to_owned()
}

/// The names of all test functions below a folder.
fn tests_below(folder: &Utf8Path, found: &mut BTreeSet<String>) {
    for entry in folder.read_dir_utf8().unwrap() {
        let path = entry.unwrap().into_path();
        if path.is_dir() {
            tests_below(&path, found);
        } else if path.extension() == Some("rs") {
            let text = fs::read_to_string(&path).unwrap();
            let after = text.split("#[test]\n").skip(1);
            let functions = after.filter_map(|rest| rest.split("fn ").nth(1)?.split('(').next());
            found.extend(functions.map(str::to_owned));
        }
    }
}

#[test]
fn every_requirement_names_a_file_and_a_test_that_exist() {
    let root = repository();
    let text = fs::read_to_string(root.join("docs/SEEDS.md")).unwrap();
    let mut tests = BTreeSet::new();
    tests_below(&root.join("crates"), &mut tests);
    let mut rows: BTreeMap<&str, usize> = BTreeMap::new();
    let mut ids = BTreeSet::new();
    for line in text.lines().filter(|line| line.starts_with("| 00")) {
        let cells: Vec<&str> = line.trim_matches('|').split(" | ").map(str::trim).collect();
        let [id, requirement, place, named] = cells.as_slice() else { panic!("{line}") };
        assert!(ids.insert(*id), "{id} is there twice");
        *rows.entry(&id[..3]).or_default() += 1;
        assert!(requirement.len() > 5, "{id}");
        let place = place.trim_matches('`');
        assert!(root.join(place).exists(), "{id}: there is no file {place}");
        let named: Vec<&str> = named.split(", ").map(|name| name.trim_matches('`')).collect();
        assert!(!named.is_empty());
        for name in named {
            assert!(tests.contains(name), "{id}: there is no test {name}");
        }
    }
    assert_eq!(rows, BTreeMap::from([("000", 22), ("001", 58), ("002", 118), ("003", 67)]));
}
