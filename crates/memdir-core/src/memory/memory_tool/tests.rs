use std::collections::BTreeMap;

use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::rel_path::RelPath;

struct Map(BTreeMap<String, Vec<u8>>);

impl ToolFiles for Map {
    fn found(&self, path: &str) -> Option<EntryKind> {
        if let Some(bytes) = self.0.get(path) {
            return Some(EntryKind::File { size: bytes.len() as u64 });
        }
        let folder = format!("{path}/");
        (path.is_empty() || self.0.keys().any(|key| key.starts_with(&folder))).then_some(EntryKind::Folder)
    }

    fn names(&self, folder: &str) -> Vec<String> {
        let prefix = if folder.is_empty() { String::new() } else { format!("{folder}/") };
        let below = self.0.keys().filter_map(|key| key.strip_prefix(&prefix));
        let names: std::collections::BTreeSet<&str> =
            below.filter_map(|rest| rest.split('/').next()).collect();
        names.into_iter().map(str::to_owned).collect()
    }

    fn read(&self, path: &str) -> Result<Vec<u8>, String> {
        self.0.get(path).cloned().ok_or_else(|| "gone".to_owned())
    }
}

fn store() -> Map {
    let files = [
        ("MEMORY.md", "- a\n".repeat(1408)),
        ("notes/a.md", "one\ntwo\ntwo\n".to_owned()),
        ("notes/deep/b.txt", "x".repeat(2048)),
        ("notes/deep/er/c.txt", "x".to_owned()),
        (".hidden", "x".to_owned()),
        ("node_modules/m.js", "x".to_owned()),
        ("empty.md", String::new()),
    ];
    Map(files.into_iter().map(|(path, text)| (path.to_owned(), text.into_bytes())).collect())
}

fn check(command: &serde_json::Value, expected: Result<&str, &str>) -> Vec<Change> {
    let outcome = run(&command.to_string(), &store());
    let content = outcome.answer.content.as_str();
    assert_eq!(if outcome.answer.is_error { Err(content) } else { Ok(content) }, expected, "{command}");
    outcome.changes
}

#[test]
fn a_folder_is_shown_two_levels_deep() {
    check(
        &json!({"command": "view", "path": "/memories"}),
        Ok(
            "Here're the files and directories up to 2 levels deep in /memories, excluding hidden items and node_modules:\n\
            7.5K\t/memories\n5.5K\t/memories/MEMORY.md\n0B\t/memories/empty.md\n2.0K\t/memories/notes\n12B\t/memories/notes/a.md\n2.0K\t/memories/notes/deep",
        ),
    );
    check(
        &json!({"command": "view", "path": "/memories/notes/deep/"}),
        Ok(
            "Here're the files and directories up to 2 levels deep in /memories/notes/deep, excluding hidden items and node_modules:\n\
            2.0K\t/memories/notes/deep\n2K\t/memories/notes/deep/b.txt\n1B\t/memories/notes/deep/er\n1B\t/memories/notes/deep/er/c.txt",
        ),
    );
    let empty = run(r#"{"command": "view", "path": "/memories"}"#, &Map(BTreeMap::new()));
    assert!(empty.answer.content.ends_with(":\n0B\t/memories") && !empty.answer.is_error);
}

#[test]
fn a_file_is_shown_with_line_numbers() {
    let view = |range: serde_json::Value| json!({"command": "view", "path": "/memories/notes/a.md", "view_range": range});
    let head = "Here's the content of /memories/notes/a.md with line numbers:\n";
    check(&view(json!(null)), Ok(&format!("{head}     1\tone\n     2\ttwo\n     3\ttwo")));
    check(&view(json!([2, -1])), Ok(&format!("{head}     2\ttwo\n     3\ttwo")));
    check(&view(json!([1, 1])), Ok(&format!("{head}     1\tone")));
    check(&view(json!([3, 99])), Ok(&format!("{head}     3\ttwo")));
    for bad in [[0, 1], [4, 5], [3, 2], [-2, 1]] {
        let message = format!(
            "Error: Invalid `view_range` parameter: [{}, {}]. It should be within the range of lines of the file: [1, 3]",
            bad[0], bad[1]
        );
        check(&view(json!(bad)), Err(&message));
    }
    check(
        &view(json!("x")),
        Err("Error: Invalid `view_range` parameter: it should be a list of two integers"),
    );
    check(
        &json!({"command": "view", "path": "/memories/empty.md"}),
        Ok("Here's the content of /memories/empty.md with line numbers:\n"),
    );
    check(
        &json!({"command": "view", "path": "/memories/no.md"}),
        Err("The path /memories/no.md does not exist. Please provide a valid path."),
    );
}

#[test]
fn a_file_with_too_many_lines_is_not_shown() {
    let files = Map([("big.md".to_owned(), "\n".repeat(1_000_000).into_bytes())].into());
    let outcome = run(r#"{"command": "view", "path": "/memories/big.md"}"#, &files);
    assert_eq!(
        outcome.answer,
        MemoryToolAnswer::error("File /memories/big.md exceeds maximum line limit of 999,999 lines.")
    );
}

#[test]
fn a_file_is_made_where_none_is() {
    let create = |path: &str, text: &str| json!({"command": "create", "path": path, "file_text": text});
    let changes =
        check(&create("/memories/new/x.md", "hi"), Ok("File created successfully at: /memories/new/x.md"));
    assert_eq!(
        changes,
        [Change::Write { path: RelPath::parse("new/x.md").unwrap(), content: "hi".into(), base: None }]
    );
    for existing in ["/memories/notes/a.md", "/memories/notes", "/memories"] {
        assert_eq!(check(&create(existing, ""), Err(&format!("Error: File {existing} already exists"))), []);
    }
    check(
        &create("/memories/notes/a.md/x.md", ""),
        Err("Error: The path /memories/notes/a.md/x.md is below a file"),
    );
    check(
        &create("/memories/big.md", &"x".repeat(MAX_FILE_BYTES + 1)),
        Err("Error: File /memories/big.md would be larger than 1048576 bytes"),
    );
}

#[test]
fn a_text_is_replaced_where_it_is_unique() {
    let replace = |path: &str, old: &str, new: serde_json::Value| json!({"command": "str_replace", "path": path, "old_str": old, "new_str": new});
    let path = "/memories/notes/a.md";
    let changes = check(
        &replace(path, "one\n", json!("1\n1b\n")),
        Ok("The memory file has been edited.\n     1\t1\n     2\t1b\n     3\ttwo\n     4\ttwo"),
    );
    let [Change::Write { content, base, .. }] = changes.as_slice() else { panic!() };
    assert_eq!((content, base), (&"1\n1b\ntwo\ntwo\n".into(), &Some("one\ntwo\ntwo\n".into())));
    let changes = check(
        &replace(path, "one\n", json!(null)),
        Ok("The memory file has been edited.\n     1\ttwo\n     2\ttwo"),
    );
    assert_eq!(changes.len(), 1);
    check(
        &replace(path, "two", json!("2")),
        Err(
            "No replacement was performed. Multiple occurrences of old_str `two` in lines: 2, 3. Please ensure it is unique",
        ),
    );
    check(
        &replace(path, "three", json!("3")),
        Err("No replacement was performed, old_str `three` did not appear verbatim in /memories/notes/a.md."),
    );
    check(
        &replace(path, "", json!("3")),
        Err("No replacement was performed, old_str `` did not appear verbatim in /memories/notes/a.md."),
    );
    for missing in ["/memories/no.md", "/memories/notes", "/memories"] {
        check(
            &replace(missing, "a", json!("b")),
            Err(&format!("Error: The path {missing} does not exist. Please provide a valid path.")),
        );
    }
}

#[test]
fn a_text_is_inserted_behind_a_line() {
    let insert = |path: &str, line: i64, text: &str| json!({"command": "insert", "path": path, "insert_line": line, "insert_text": text});
    let path = "/memories/notes/a.md";
    let written = |line: i64, text: &str| {
        let changes = check(&insert(path, line, text), Ok("The file /memories/notes/a.md has been edited."));
        let [Change::Write { content, .. }] = changes.as_slice() else { panic!() };
        String::from_utf8(content.0.clone()).unwrap()
    };
    assert_eq!(written(0, "zero"), "zero\none\ntwo\ntwo\n");
    assert_eq!(written(1, "x\ny\n"), "one\nx\ny\ntwo\ntwo\n");
    assert_eq!(written(3, "end"), "one\ntwo\ntwo\nend\n");
    check(
        &insert(path, 4, "x"),
        Err(
            "Error: Invalid `insert_line` parameter: 4. It should be within the range of lines of the file: [0, 3]",
        ),
    );
    check(
        &insert(path, -1, "x"),
        Err(
            "Error: Invalid `insert_line` parameter: -1. It should be within the range of lines of the file: [0, 3]",
        ),
    );
    check(&insert("/memories/no.md", 0, "x"), Err("Error: The path /memories/no.md does not exist"));
    check(&insert("/memories/notes", 0, "x"), Err("Error: The path /memories/notes does not exist"));
}

#[test]
fn files_and_folders_are_removed_and_renamed_but_never_the_root() {
    let delete = |path: &str| json!({"command": "delete", "path": path});
    let rename = |old: &str, new: &str| json!({"command": "rename", "old_path": old, "new_path": new});
    assert_eq!(check(&delete("/memories/notes"), Ok("Successfully deleted /memories/notes")).len(), 3);
    check(&delete("/memories/no"), Err("Error: The path /memories/no does not exist"));
    for root in ["/memories", "/memories/", "/memories//"] {
        check(&delete(root), Err("Error: The directory /memories itself cannot be deleted"));
        check(&rename(root, "/memories/x"), Err("Error: The directory /memories itself cannot be renamed"));
        check(&rename("/memories/notes", root), Err("Error: The destination /memories already exists"));
    }
    let changes = check(
        &rename("/memories/notes", "/memories/old/n"),
        Ok("Successfully renamed /memories/notes to /memories/old/n"),
    );
    let Some(Change::Rename { from, to, .. }) = changes.last() else { panic!() };
    assert_eq!((from.as_str(), to.as_str()), ("notes/deep/er/c.txt", "old/n/deep/er/c.txt"));
    check(&rename("/memories/no", "/memories/x"), Err("Error: The path /memories/no does not exist"));
    check(
        &rename("/memories/notes", "/memories/empty.md"),
        Err("Error: The destination /memories/empty.md already exists"),
    );
    check(
        &rename("/memories/notes", "/memories/notes/in"),
        Err("Error: The destination /memories/notes/in is inside /memories/notes"),
    );
}

#[test]
fn paths_outside_are_refused() {
    for path in [
        "/memoriesX",
        "/memoriesX/a.md",
        "/etc/passwd",
        "memories/a.md",
        "",
        "/memories/../x",
        "/memories/a/../../x",
        "/memories/%2e%2e%2fx",
        "/memories/..\\x",
        "/memories/a\0b",
        "/Memories/a.md",
    ] {
        for command in [
            json!({"command": "view", "path": path}),
            json!({"command": "delete", "path": path}),
            json!({"command": "create", "path": path, "file_text": ""}),
        ] {
            let outcome = run(&command.to_string(), &store());
            assert!(outcome.answer.is_error && outcome.changes.is_empty(), "{command}");
            assert!(
                outcome.answer.content.starts_with(&format!("Error: The path {path} is not allowed: ")),
                "{}",
                outcome.answer.content
            );
        }
    }
}

#[test]
fn an_unknown_command_is_an_error() {
    let check = |input: &str, expected: &str| {
        let outcome = run(input, &store());
        assert!(outcome.answer.is_error);
        assert!(outcome.answer.content.starts_with(expected), "{}", outcome.answer.content);
    };
    check("", "Error: The input is not JSON");
    check("[]", "Error: The input is not a JSON object");
    check("{}", "Error: Missing parameter `command`");
    check(r#"{"command": "format"}"#, "Error: Unknown command: format");
    check(r#"{"command": "view"}"#, "Error: Missing parameter `path`");
    check(r#"{"command": "view", "path": 1}"#, "Error: Invalid `path` parameter: it should be a string");
    check(
        r#"{"command": "insert", "path": "/memories/x", "insert_line": 1.5, "insert_text": ""}"#,
        "Error: Invalid `insert_line` parameter: it should be an integer",
    );
}

proptest! {
    #[test]
    fn any_input_is_answered(input in "(?s).{0,100}", path in "(/memories)?(?s).{0,20}") {
        let _ = run(&input, &store());
        let _ = run(&json!({"command": "delete", "path": path}).to_string(), &store());
    }
}
