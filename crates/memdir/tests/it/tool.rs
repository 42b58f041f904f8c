//! `memdir tool`: the API's memory tool with its documented strings.

use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::harness::Sandbox;

fn call(sandbox: &mut Sandbox, command: Value) -> String {
    sandbox.stdin = command.to_string();
    let block = sandbox.run(["tool", "--dir", "notes"]);
    assert_eq!(block.code, 0, "{}", block.stderr);
    let answer: Value = serde_json::from_str(&block.stdout).unwrap();
    let mark = if answer["is_error"] == true { "! " } else { "" };
    format!("{mark}{}", answer["content"].as_str().unwrap())
}

#[test]
fn the_six_commands_in_their_documented_words() {
    let mut sandbox = Sandbox::new();
    let sandbox = &mut sandbox;
    let path = "/memories/plan.md";
    assert_snapshot!(call(sandbox, json!({"command": "view", "path": "/memories"})), @r"
    Here're the files and directories up to 2 levels deep in /memories, excluding hidden items and node_modules:
    0B	/memories
    ");
    assert_snapshot!(call(sandbox, json!({"command": "create", "path": path, "file_text": "one\ntwo\n"})), @"File created successfully at: /memories/plan.md");
    assert_snapshot!(call(sandbox, json!({"command": "create", "path": path, "file_text": "x"})), @"! Error: File /memories/plan.md already exists");
    assert_snapshot!(call(sandbox, json!({"command": "view", "path": path})), @r"
    Here's the content of /memories/plan.md with line numbers:
         1	one
         2	two
    ");
    assert_snapshot!(call(sandbox, json!({"command": "str_replace", "path": path, "old_str": "two", "new_str": "2"})), @r"
    The memory file has been edited.
         1	one
         2	2
    ");
    assert_snapshot!(call(sandbox, json!({"command": "insert", "path": path, "insert_line": 1, "insert_text": "mid\n"})), @"The file /memories/plan.md has been edited.");
    assert_snapshot!(call(sandbox, json!({"command": "insert", "path": path, "insert_line": 99, "insert_text": "x"})), @"! Error: Invalid `insert_line` parameter: 99. It should be within the range of lines of the file: [0, 3]");
    assert_snapshot!(call(sandbox, json!({"command": "rename", "old_path": path, "new_path": "/memories/done.md"})), @"Successfully renamed /memories/plan.md to /memories/done.md");
    assert_snapshot!(call(sandbox, json!({"command": "delete", "path": "/memories/done.md"})), @"Successfully deleted /memories/done.md");
    assert_snapshot!(call(sandbox, json!({"command": "delete", "path": "/memories/done.md"})), @"! Error: The path /memories/done.md does not exist");
}

#[test]
fn the_root_stays_and_nothing_outside_is_reached() {
    let mut sandbox = Sandbox::new();
    let sandbox = &mut sandbox;
    sandbox.home.write("home/project/notes/a.md", "a");
    sandbox.home.write("home/project/notesX/secret.md", "s");
    for command in [
        json!({"command": "delete", "path": "/memories"}),
        json!({"command": "delete", "path": "/memories/"}),
        json!({"command": "rename", "old_path": "/memories/", "new_path": "/memories/b"}),
        json!({"command": "view", "path": "/memoriesX/secret.md"}),
        json!({"command": "view", "path": "/memories/../notesX/secret.md"}),
        json!({"command": "view", "path": "/memories/%2e%2e/notesX/secret.md"}),
        json!({"command": "create", "path": "/memories/big.md", "file_text": "x".repeat(2 << 20)}),
        json!({"command": "explode"}),
        json!("view"),
    ] {
        let answer = call(sandbox, command.clone());
        assert!(answer.starts_with("! "), "{command} answered {answer}");
    }
    assert_eq!(sandbox.home.tree("home/project"), "notes/a.md: \"a\"\nnotesX/secret.md: \"s\"");
}

#[test]
fn a_folder_that_is_deleted_or_renamed_is_gone() {
    let mut sandbox = Sandbox::new();
    let sandbox = &mut sandbox;
    call(sandbox, json!({"command": "create", "path": "/memories/d/e/b.md", "file_text": "b"}));
    assert_eq!(
        call(sandbox, json!({"command": "delete", "path": "/memories/d"})),
        "Successfully deleted /memories/d"
    );
    assert!(!sandbox.home.project().join("notes/d").exists());
    call(sandbox, json!({"command": "create", "path": "/memories/q/a.md", "file_text": "a"}));
    call(sandbox, json!({"command": "rename", "old_path": "/memories/q", "new_path": "/memories/r"}));
    assert_eq!(sandbox.home.tree("home/project/notes"), "r/a.md: \"a\"");
    assert!(!sandbox.home.project().join("notes/q").exists());
}

#[test]
fn no_option_opens_a_system_or_credential_directory() {
    let mut sandbox = Sandbox::new();
    sandbox.home.dir("home/.ssh");
    let home = sandbox.home.home();
    for directory in ["/etc", "/", home.as_str(), home.join(".ssh").as_str()] {
        sandbox.stdin = json!({"command": "create", "path": "/memories/q.md", "file_text": "x"}).to_string();
        let block = sandbox.run(["tool", "--dir", directory]);
        assert!(block.stdout.contains("\"is_error\":true"), "{directory}: {}", block.stdout);
    }
    assert_eq!(sandbox.home.tree("home/.ssh"), "");
}

#[test]
fn a_refusal_names_the_directory_as_the_model_knows_it() {
    let mut sandbox = Sandbox::new();
    sandbox.home.dir("home/project/notes");
    std::os::unix::fs::symlink("/tmp", sandbox.home.project().join("notes/away")).unwrap();
    let answer =
        call(&mut sandbox, json!({"command": "create", "path": "/memories/away/q.md", "file_text": "x"}));
    assert!(answer.starts_with("! ") && answer.contains("/memories/away"), "{answer}");
    assert!(!answer.contains(sandbox.home.home().as_str()), "{answer}");
}
