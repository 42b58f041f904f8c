//! Rules about the tree itself: no forgotten test file, no file too long, no stand-in.

use std::fs;

use camino::{Utf8Path, Utf8PathBuf};

fn workspace() -> Utf8PathBuf {
    Utf8Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize_utf8().unwrap()
}

/// Every source file of the workspace, with its path relative to it.
fn sources() -> Vec<(Utf8PathBuf, String)> {
    fn walk(directory: &Utf8Path, found: &mut Vec<Utf8PathBuf>) {
        for entry in directory.read_dir_utf8().unwrap() {
            let path = entry.unwrap().into_path();
            if path.is_dir() {
                walk(&path, found);
            } else if path.extension() == Some("rs") {
                found.push(path);
            }
        }
    }
    let root = workspace();
    let mut found = Vec::new();
    walk(&root.join("crates"), &mut found);
    let relative = |path: &Utf8Path| path.strip_prefix(&root).unwrap().to_owned();
    found.iter().map(|path| (relative(path), fs::read_to_string(path).unwrap())).collect()
}

#[test]
fn no_test_file_is_forgotten() {
    for (path, text) in sources() {
        if !path.as_str().ends_with("tests/it/main.rs") {
            continue;
        }
        let folder = workspace().join(path.parent().unwrap());
        for entry in folder.read_dir_utf8().unwrap() {
            let entry = entry.unwrap();
            let Some(stem) = entry.file_name().strip_suffix(".rs").filter(|stem| *stem != "main") else {
                continue;
            };
            assert!(
                text.contains(&format!("mod {stem};")),
                "`{path}` does not name `{stem}`: its tests would never run"
            );
        }
    }
}

#[test]
fn files_are_short_enough_to_read_in_one_sitting() {
    let too_long: Vec<String> = sources()
        .into_iter()
        .filter(|(path, _)| !path.as_str().contains("/tests"))
        .filter_map(|(path, text)| {
            let code = text.split("\n#[cfg(test)]\nmod tests {").next().unwrap_or(&text);
            let lines = code.lines().count();
            (lines > 600).then(|| format!("{path}: {lines} lines"))
        })
        .collect();
    assert!(too_long.is_empty(), "split these: {too_long:#?}");
}

#[test]
fn names_say_what_is_inside() {
    for (path, _) in sources() {
        let stem = path.file_stem().unwrap();
        let vague = ["utils", "util", "helpers", "helper", "common", "manager", "misc", "mod"];
        assert!(!vague.contains(&stem), "`{path}`: a file is named after its main type or verb");
    }
}

#[test]
fn nothing_is_left_for_later_or_skipped() {
    // Written in two parts so that this file does not find itself.
    let stand_ins = ["todo", "unimplemented"].map(|name| format!("{name}!("));
    for (path, text) in sources() {
        for stand_in in &stand_ins {
            assert!(!text.contains(stand_in.as_str()), "`{path}` has a stand-in");
        }
        assert!(!text.contains(concat!("#[ign", "ore")), "`{path}` skips a test");
    }
}
