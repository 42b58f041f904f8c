//! `memdir project mv` and `adopt` carried out: everything arrives, is merged, and goes back; also after a kill.

use std::fs;

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
    let written = std::time::UNIX_EPOCH + std::time::Duration::from_secs(1_700_000_000);
    let memory = project_dir(&sandbox, "home/app").join("memory/tabs.md");
    fs::File::options().write(true).open(&memory).unwrap().set_modified(written).unwrap();
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
    Done. memdir undo undoes it.
    --- stderr
    warning: `[ROOT]/home/app` still lives: it starts with an empty memory afterwards
    ");
    let new = project_dir(&sandbox, "home/new");
    let brought = fs::metadata(new.join("memory/tabs.md")).unwrap().modified().unwrap();
    assert_eq!(brought, written, "a memory is as old as before");
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
    let undone = ok(&sandbox, "undo");
    assert!(undone.contains("(yours, just now): bring memory from"), "{undone}");
    assert!(undone.ends_with("Undone: the files are in their old place again.\n"), "{undone}");
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

#[test]
fn a_move_that_was_taken_back_can_be_made_again_and_again() {
    let mut sandbox = two_projects();
    add(&sandbox, "spaces");
    let before = tree(&sandbox);
    ok(&sandbox, "project mv ../app ../new");
    let moved = tree(&sandbox);
    for _ in 0..3 {
        sandbox.cwd = sandbox.home.root().join("home/new");
        assert!(ok(&sandbox, "undo").contains("Undone: "));
        assert_eq!(tree(&sandbox), before);
        sandbox.cwd = sandbox.home.root().join("home/app");
        assert!(ok(&sandbox, "redo").starts_with("Redone: "));
        assert_eq!(tree(&sandbox), moved);
    }
    sandbox.cwd = sandbox.home.root().join("home/new");
    ok(&sandbox, "undo");
    // What was learned in the old place meanwhile comes along.
    sandbox.cwd = sandbox.home.root().join("home/app");
    add(&sandbox, "later");
    let with_later = tree(&sandbox);
    ok(&sandbox, "redo");
    assert!(project_dir(&sandbox, "home/new").join("memory/later.md").is_file());
    sandbox.cwd = sandbox.home.root().join("home/new");
    ok(&sandbox, "undo");
    assert_eq!(tree(&sandbox), with_later);
}

#[test]
fn a_move_is_made_again_from_where_it_was_taken_back() {
    for command in ["project mv ../app ../new", "project adopt --from ../app"] {
        for has_memory in [false, true] {
            let sandbox = two_projects();
            if has_memory {
                add(&sandbox, "spaces");
            }
            fs::remove_dir(sandbox.home.root().join("home/app")).unwrap();
            let before = tree(&sandbox);
            ok(&sandbox, &command.replace("..", sandbox.home.root().join("home").as_str()));
            let moved = tree(&sandbox);
            for _ in 0..2 {
                assert!(ok(&sandbox, "undo").contains("Undone: "), "{command}");
                assert_eq!(tree(&sandbox), before, "{command}");
                assert!(ok(&sandbox, "redo --dry-run").contains("tabs"), "{command}");
                assert_eq!(tree(&sandbox), before, "{command}");
                assert!(ok(&sandbox, "redo").starts_with("Redone: "), "{command}");
                assert_eq!(tree(&sandbox), moved, "{command}");
            }
            assert!(sandbox.show("redo").contains("there is no undo of yours to redo"), "{command}");
            // What was undone here since comes first.
            ok(&sandbox, "undo");
            add(&sandbox, "here");
            ok(&sandbox, "undo");
            ok(&sandbox, "redo");
            let new = project_dir(&sandbox, "home/new").join("memory");
            assert!(new.join("here.md").is_file() && !new.join("tabs.md").exists(), "{command}");
            assert!(ok(&sandbox, "redo").starts_with("Redone: "), "{command}");
            assert!(new.join("here.md").is_file() && new.join("tabs.md").is_file(), "{command}");
            assert!(ok(&sandbox, "log").contains("add here.md"), "its history stays");
        }
    }
}

#[test]
fn a_journal_under_its_own_name_moves_along_and_back() {
    for command in ["project mv ../app ../new", "project adopt --from ../app"] {
        let sandbox = two_projects();
        let projects = sandbox.home.home().join(".claude/projects");
        let app = sandbox.home.root().join("home/app");
        let session = format!("{{\"active\": true, \"projectPath\": \"{app}\"}}\n");
        sandbox.home.write(projects.join("app/_session.json"), &session);
        sandbox.home.write(projects.join("app/decisions/2026-01-01_001_x.md"), "decided\n");
        let before = tree(&sandbox);
        ok(&sandbox, command);
        assert_eq!(fs::read_to_string(projects.join("new/_session.json")).unwrap(), session, "{command}");
        assert!(projects.join("new/decisions/2026-01-01_001_x.md").is_file(), "{command}");
        assert!(!projects.join("app").exists(), "{command}");
        ok(&sandbox, "undo");
        assert_eq!(tree(&sandbox), before, "{command}");
    }
}

#[test]
fn a_project_that_has_only_a_journal_moves_too() {
    let mut sandbox = Sandbox::new();
    let (app, projects) = (sandbox.home.dir("home/app"), sandbox.home.home().join(".claude/projects"));
    sandbox.home.dir("home/new");
    sandbox.home.write(projects.join("app/_session.json"), format!("{{\"projectPath\": \"{app}\"}}\n"));
    sandbox.cwd = sandbox.home.root().join("home/new");
    ok(&sandbox, "project mv ../app ../new");
    assert!(projects.join("new/_session.json").is_file() && !projects.join("app").exists());
    ok(&sandbox, "undo");
    assert!(projects.join("app/_session.json").is_file() && !projects.join("new").exists());
    assert_eq!(sandbox.run(["project", "mv", "../nobody", "../new"]).code, 2);
}
