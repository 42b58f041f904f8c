//! What people may not have meant: said at once, or refused.

use std::fs;

use camino::Utf8PathBuf;

use crate::harness::Sandbox;

fn directory(sandbox: &Sandbox) -> Utf8PathBuf {
    sandbox.run(["path"]).stdout.trim_end().into()
}

fn add(sandbox: &Sandbox, name: &str, text: &str) -> String {
    let block = sandbox.run(["add", "--type=user", "--description=d", "--name", name, "--text", text]);
    format!("{} {}", block.code, block.stderr)
}

#[test]
fn what_a_new_memory_loses_or_lacks_is_said() {
    let sandbox = Sandbox::new();
    assert_eq!(add(&sandbox, "plain.md", "text"), "0 ");
    assert!(directory(&sandbox).join("plain.md").is_file());
    assert!(add(&sandbox, "head", "---\nname: x\n---\ntext").contains("begins with a header of its own"));
    assert!(add(&sandbox, "blank", " \n").contains("`blank.md` has no text"));
}

#[test]
fn a_file_that_is_not_a_memory_is_not_called_missing() {
    let sandbox = Sandbox::new();
    add(&sandbox, "a", "text");
    let pipe = directory(&sandbox).join("pipe.md");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    for name in ["pipe", "pipe.md"] {
        let block = sandbox.run(["show", name]);
        assert_eq!(block.code, 2, "{}", block.stderr);
        assert!(block.stderr.contains("pipe.md` as a memory: not a regular file"));
    }
    assert_eq!(sandbox.run(["show", "nobody"]).code, 1);
}

#[test]
fn an_index_line_of_a_file_that_cannot_be_read_survives_a_rebuild() {
    let sandbox = Sandbox::new();
    add(&sandbox, "a", "text");
    let memory = directory(&sandbox);
    assert!(std::process::Command::new("mkfifo").arg(memory.join("pipe.md")).status().unwrap().success());
    let index = fs::read_to_string(memory.join("MEMORY.md")).unwrap() + "- [pipe](pipe.md) — by hand\n";
    fs::write(memory.join("MEMORY.md"), &index).unwrap();
    assert_eq!(sandbox.run(["reindex"]).code, 0);
    assert_eq!(fs::read_to_string(memory.join("MEMORY.md")).unwrap(), index);
}

#[test]
fn an_editor_that_empties_a_memory_or_drops_its_header_changes_nothing() {
    let sandbox = Sandbox::new().var("PATH", "/usr/bin:/bin");
    add(&sandbox, "a", "text");
    let before = fs::read_to_string(directory(&sandbox).join("a.md")).unwrap();
    let edit = |sandbox: &Sandbox| sandbox.run(["edit", "a"]).stderr;
    let sandbox = sandbox.var("EDITOR", "truncate -s 0");
    assert!(edit(&sandbox).contains("would be empty"));
    let sandbox = sandbox.var("EDITOR", "sed -i '1,/^$/d'");
    assert!(edit(&sandbox).contains("would lose its header"));
    assert_eq!(fs::read_to_string(directory(&sandbox).join("a.md")).unwrap(), before);
    assert_eq!(sandbox.run(["edit", "a", "--force"]).code, 0);
}

#[test]
fn a_name_cannot_be_emptied() {
    let sandbox = Sandbox::new();
    add(&sandbox, "a", "text");
    let block = sandbox.run(["set", "a", "name", " "]);
    assert_eq!((block.code, block.stderr.contains("`a.md` needs a name")), (2, true), "{}", block.stderr);
}

#[test]
fn the_newest_memories_stay_in_a_full_index() {
    let sandbox = Sandbox::new();
    add(&sandbox, "first", "text");
    let memory = directory(&sandbox);
    let long_ago = std::time::SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(1_000_000_000);
    let mut index = String::new();
    for at in 0..199 {
        let path = memory.join(format!("f{at}.md"));
        fs::write(&path, "text\n").unwrap();
        fs::File::options().write(true).open(&path).unwrap().set_modified(long_ago).unwrap();
        index += &format!("- [f{at}](f{at}.md)\n");
    }
    fs::write(memory.join("MEMORY.md"), format!("{index}- [first](first.md)\n")).unwrap();
    assert!(add(&sandbox, "newest", "text").contains("went to MEMORY-overflow.md"));
    let index = fs::read_to_string(memory.join("MEMORY.md")).unwrap();
    assert!(index.contains("(newest.md)") && index.contains("(first.md)"), "{index}");
}
