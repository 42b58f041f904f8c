//! What holds for every command.

use std::io::Write;
use std::process::{Command, Stdio};

use insta::assert_snapshot;

use crate::harness::Sandbox;

#[test]
fn an_unknown_command_names_the_nearest_one() {
    assert_snapshot!(Sandbox::new().show("mna"), @r"
    exit 2
    --- stderr
    error: unknown command `mna`
    hint: did you mean `memdir man`?
    ");
}

#[test]
fn a_directory_that_does_not_exist_is_named() {
    assert_snapshot!(Sandbox::new().show("--cwd nowhere completions bash"), @r"
    exit 2
    --- stderr
    error: cannot use `nowhere` as working directory: it does not exist or is a loop of links
    ");
}

#[test]
fn completions_and_manual_pages_come_from_the_parsers() {
    let sandbox = Sandbox::new();
    for shell in ["bash", "zsh", "fish"] {
        let block = sandbox.run(["completions", shell]);
        assert_eq!(block.code, 0);
        assert!(block.stdout.contains("memdir complete"), "{shell}");
    }
    let page = sandbox.run(["man", "completions"]);
    assert!(page.stdout.contains(".TH memdir-completions"), "{}", page.stdout);
    assert_eq!(sandbox.run(["man", "nothing"]).code, 2);
}

#[test]
fn a_hook_always_ends_well() {
    let mut sandbox = Sandbox::new();
    sandbox.stdin = "not json".to_owned();
    for line in ["hook", "hook Nonsense --what", "hook SessionStart"] {
        assert_eq!(sandbox.show(line), "exit 0", "{line}");
    }
}

#[test]
fn a_reader_that_has_seen_enough_is_not_an_error() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_memdir"))
        .args(["completions", "zsh"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), String::from_utf8_lossy(&output.stderr).as_ref()), (Some(0), ""));
}

#[test]
fn a_directory_deleted_under_our_feet_is_said() {
    let sandbox = Sandbox::new();
    let doomed = sandbox.home.dir("doomed");
    let mut shell = Command::new("sh")
        .args(["-c", "read _ && exec \"$0\" path", env!("CARGO_BIN_EXE_memdir")])
        .current_dir(&doomed)
        .stdin(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    std::fs::remove_dir(&doomed).unwrap();
    shell.stdin.take().unwrap().write_all(b"go\n").unwrap();
    let output = shell.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("no longer exists"));
}

#[test]
fn the_demonstration_runs_and_leaves_nothing_behind() {
    let sandbox = Sandbox::new();
    let temporary = sandbox.home.dir("tmp");
    let sandbox = sandbox.var("TMPDIR", temporary.as_str());
    let before = sandbox.home.tree("");
    let block = sandbox.run(["demo"]);
    assert_eq!((block.code, block.stderr.as_str()), (0, ""));
    let end = block.stdout.split("$ memdir show release").nth(1).unwrap();
    assert!(end.contains("Run the tests twice.") && end.contains("Push the tag and tell everyone."), "{end}");
    // Every scene shows what it promises.
    for shown in ["| Never use a float", "merged ", "Task: Show prices with tax", "by an agent", "Done. "] {
        assert!(block.stdout.contains(shown), "{shown}: {}", block.stdout);
    }
    let lines = block.stdout.lines().count();
    assert!((60..=90).contains(&lines), "{lines} lines: {}", block.stdout);
    assert!(!block.stdout.contains('{'), "{}", block.stdout);
    assert!(!block.stdout.contains("conflict-"), "{}", block.stdout);
    assert_eq!(sandbox.home.tree(""), before);
}

#[test]
fn global_options_stand_before_any_command_and_subcommand() {
    let sandbox = Sandbox::new();
    let elsewhere = sandbox.home.dir("home/elsewhere");
    for (line, code) in [
        (vec!["path", "encode", "/a/b"], 0),
        (vec!["review", "ls"], 1),
        (vec!["review", "accept", "--all"], 0),
        (vec!["project", "ls"], 0),
    ] {
        let before: Vec<&str> = ["--cwd", elsewhere.as_str()].into_iter().chain(line.clone()).collect();
        let after: Vec<&str> = line.into_iter().chain(["--cwd", elsewhere.as_str()]).collect();
        let (before, after) = (sandbox.run(before.clone()), sandbox.run(after));
        assert_eq!((before.code, &before.stdout), (code, &after.stdout), "{}", before.stderr);
    }
}
