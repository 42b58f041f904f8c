//! `memdir project mv` and `adopt` carried out: everything arrives, is merged, and goes back; also after a kill.

use std::fs;
use std::process::Command;

use camino::Utf8PathBuf;
use insta::assert_snapshot;
use memdir_core::project::encode_path::encode;

use crate::harness::Sandbox;

const SESSION: &str = "0b0e8a9c-0000-4000-8000-000000000001.jsonl";

fn project_dir(sandbox: &Sandbox, path: &str) -> Utf8PathBuf {
    let root = sandbox.home.root().join(path);
    sandbox.home.home().join(".claude/projects").join(encode(root.as_str()))
}

/// A project at `home/app` with memory, a session, agents' memory and a journal, and an empty one at `home/new`.
fn two_projects() -> Sandbox {
    let mut sandbox = Sandbox::new();
    sandbox.home.dir("home/app");
    sandbox.home.dir("home/new");
    sandbox.cwd = sandbox.home.root().join("home/app");
    add(&sandbox, "tabs");
    let old = project_dir(&sandbox, "home/app");
    sandbox.home.write(old.join(SESSION), "{}\n");
    sandbox.home.write(old.join("agent-memory-local/helper/MEMORY.md"), "- helps\n");
    sandbox.home.write(old.join("decisions/2026-01-01_001_x.md"), "decided\n");
    sandbox.cwd = sandbox.home.root().join("home/new");
    sandbox
}

fn add(sandbox: &Sandbox, name: &str) {
    let name = format!("--name={name}");
    let block = sandbox.run(["add", "--type=feedback", &name, "--description=d", "--text=t"]);
    assert_eq!(block.code, 0, "{}", block.stderr);
}

fn ok(sandbox: &Sandbox, line: &str) -> String {
    let block = sandbox.run(line.split_whitespace());
    assert_eq!(block.code, 0, "{line}: {}{}", block.stdout, block.stderr);
    block.stdout
}

fn tree(sandbox: &Sandbox) -> String {
    format!("{:#?}", sandbox.home.tree("home/.claude"))
}

#[test]
fn a_move_brings_everything_and_goes_back() {
    let sandbox = two_projects();
    let before = tree(&sandbox);
    assert_snapshot!(sandbox.show("project mv ../app ../new"), @r"
    exit 0
    --- stdout
    from  [ROOT]/home/.claude/projects/[SLUG]-home-app
      to  [ROOT]/home/.claude/projects/[SLUG]-home-new
     why  you asked for it
      memory           145 B  2 copied
      agent memory       8 B  1 copied
      journal            8 B  1 copied
      transcripts        3 B  1 copied
    then the old directory becomes  [ROOT]/home/.claude/projects/[SLUG]-home-app.moved-to.[SLUG]-home-new
    Done. memdir undo takes it back.
    --- stderr
    warning: `[ROOT]/home/app` still lives: it starts with an empty memory afterwards
    ");
    let new = project_dir(&sandbox, "home/new");
    for file in [
        SESSION,
        "memory/tabs.md",
        "memory/MEMORY.md",
        "agent-memory-local/helper/MEMORY.md",
        "decisions/2026-01-01_001_x.md",
    ] {
        assert!(new.join(file).is_file(), "{file}");
    }
    assert!(!project_dir(&sandbox, "home/app").exists());
    let log = ok(&sandbox, "log");
    assert!(log.contains("bring memory from") && log.contains("add tabs.md"), "history came along: {log}");
    assert_snapshot!(sandbox.show("undo"), @r"
    exit 0
    --- stdout
    Taken back: the files are where they were.
    ");
    assert_eq!(tree(&sandbox), before);
    let mut sandbox = sandbox;
    sandbox.cwd = sandbox.home.root().join("home/app");
    assert!(ok(&sandbox, "log").contains("undo: bring memory from"), "history went back");
}

#[test]
fn two_memories_are_merged_and_parted_again() {
    let sandbox = two_projects();
    add(&sandbox, "spaces");
    sandbox.home.write(project_dir(&sandbox, "home/new").join("memory/tabs.md"), "another\n");
    sandbox.home.write(project_dir(&sandbox, "home/new").join(SESSION), "{\"other\":1}\n");
    ok(&sandbox, "log");
    let before = tree(&sandbox);
    ok(&sandbox, "project adopt --from ../app");
    let new = project_dir(&sandbox, "home/new");
    assert_eq!(
        fs::read_to_string(new.join("memory/MEMORY.md")).unwrap(),
        "- [tabs](tabs.md) — d\n- [spaces](spaces.md) — d\n"
    );
    assert_eq!(fs::read_to_string(new.join("memory/tabs.md")).unwrap(), "another\n");
    assert!(fs::read_to_string(new.join("memory/tabs-adopted.md")).unwrap().contains("name: tabs"));
    assert!(new.join(SESSION.replace(".jsonl", "-adopted.jsonl")).is_file());
    let log = ok(&sandbox, "log");
    assert!(log.contains("add spaces.md") && log.contains("add tabs.md"), "both histories are there: {log}");
    ok(&sandbox, "undo");
    assert_eq!(tree(&sandbox), before);
}

#[test]
fn what_was_changed_since_stays_when_a_move_goes_back() {
    let sandbox = two_projects();
    ok(&sandbox, "project mv ../app ../new");
    fs::write(project_dir(&sandbox, "home/new").join(SESSION), "{}\n{}\n").unwrap();
    let shown = sandbox.show("undo");
    assert!(shown.contains("was changed since and stays"), "{shown}");
    assert!(project_dir(&sandbox, "home/app").join(SESSION).is_file());
    assert!(project_dir(&sandbox, "home/new").join(SESSION).is_file());

    let sandbox = two_projects();
    ok(&sandbox, "project mv ../app ../new");
    fs::create_dir(project_dir(&sandbox, "home/app")).unwrap();
    let before = tree(&sandbox);
    let shown = sandbox.show("undo");
    assert!(shown.contains("exit 2") && shown.contains("the old directory exists again"), "{shown}");
    assert_eq!(tree(&sandbox), before);
}

/// Runs the real program and kills it at its `call`th system call that changes something. Whether it was killed.
fn killed_at(sandbox: &Sandbox, call: usize, arguments: &[&str]) -> bool {
    let changing =
        "write,rename,renameat,renameat2,fsync,fdatasync,mkdir,mkdirat,unlink,unlinkat,rmdir,copy_file_range";
    let status = Command::new("strace")
        .args(["-f", "-qq", "-o", "/dev/null", "-e", &format!("trace={changing}")])
        .args(["-e", &format!("inject={changing}:signal=KILL:when={call}")])
        .arg(env!("CARGO_BIN_EXE_memdir"))
        .args(arguments)
        .args(["--now", &sandbox.now])
        .current_dir(&sandbox.cwd)
        .env_clear()
        .env("HOME", sandbox.home.home())
        .env("PATH", "/usr/bin:/bin")
        .output()
        .expect("strace is needed for this test");
    !status.status.success()
}

#[test]
fn a_move_that_is_killed_anywhere_is_finished_or_never_was() {
    let reference = two_projects();
    let untouched = tree(&reference);
    ok(&reference, "project mv ../app ../new");
    let names =
        |text: String, sandbox: &Sandbox| text.replace(&encode(sandbox.home.root().as_str()), "[SLUG]");
    let moved = names(tree(&reference), &reference);
    let untouched = names(untouched, &reference);
    // Every third call, with another beginning each, so that a run stays short and all are reached over a few.
    let mut call = 1;
    loop {
        let sandbox = two_projects();
        let killed = killed_at(&sandbox, call, &["project", "mv", "../app", "../new"]);
        ok(&sandbox, "log");
        let found = names(tree(&sandbox), &sandbox);
        assert!(found == moved || (killed && found == untouched), "killed at {call}: {found}");
        if !killed {
            break;
        }
        call += 3;
    }
    assert!(call > 30, "{call}: hardly anything was killed");
}

#[test]
fn taking_a_move_back_survives_a_kill_too() {
    let names =
        |text: String, sandbox: &Sandbox| text.replace(&encode(sandbox.home.root().as_str()), "[SLUG]");
    let mut call = 2;
    loop {
        let sandbox = two_projects();
        let untouched = names(tree(&sandbox), &sandbox);
        ok(&sandbox, "project mv ../app ../new");
        let moved = names(tree(&sandbox), &sandbox);
        let killed = killed_at(&sandbox, call, &["undo"]);
        ok(&sandbox, "log");
        let found = names(tree(&sandbox), &sandbox);
        assert!(found == untouched || (killed && found == moved), "killed at {call}: {found}");
        if !killed {
            break;
        }
        call += 4;
    }
    assert!(call > 20, "{call}: hardly anything was killed");
}
