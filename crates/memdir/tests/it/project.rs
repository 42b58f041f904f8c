//! `memdir project`, from real directories: renames, moves, clones, copies, collisions.

use std::fs;

use insta::assert_snapshot;
use memdir_core::project::encode_path::{Scheme, encode, encode_with};
use memdir_testkit::Git;

use crate::harness::Sandbox;

/// A project at `path` below the root, with one memory and one session.
fn project(sandbox: &Sandbox, path: &str) {
    let directory = sandbox.home.dir(path);
    let slug = encode(directory.as_str());
    sandbox
        .home
        .write(format!("home/.claude/projects/{slug}/memory/MEMORY.md"), "- [Tabs](tabs.md) — tabs\n");
    sandbox.home.write(format!("home/.claude/projects/{slug}/memory/tabs.md"), "Use tabs.\n");
    let line = format!("{{\"type\":\"user\",\"cwd\":\"{directory}\"}}\n");
    sandbox
        .home
        .write(format!("home/.claude/projects/{slug}/0b0e8a9c-0000-4000-8000-000000000001.jsonl"), line);
}

fn flags(sandbox: &Sandbox) -> Vec<(String, Vec<String>)> {
    let listed: serde_json::Value =
        serde_json::from_str(&sandbox.run(["project", "ls", "--json"]).stdout).unwrap();
    let items = listed["items"].as_array().unwrap().iter();
    items
        .map(|item| {
            let path =
                item["path"].as_str().unwrap_or("unknown").replace(sandbox.home.root().as_str(), "[ROOT]");
            let flags =
                item["flags"].as_array().unwrap().iter().map(|flag| flag.as_str().unwrap().to_owned());
            (path, flags.collect())
        })
        .collect()
}

#[test]
fn a_fresh_home_has_no_projects() {
    assert_snapshot!(Sandbox::new().show("project ls"), @r"
    exit 0
    --- stdout
    No projects yet below [ROOT]/home/.claude/projects.
    ");
    assert_snapshot!(Sandbox::new().show("project adopt --dry-run"), @r"
    exit 0
    --- stdout
    Nothing to bring home: this project has left no memory behind.
    ");
}

#[test]
fn a_rename_is_recognised_from_a_look_before() {
    let mut sandbox = Sandbox::new();
    project(&sandbox, "home/app");
    assert_eq!(flags(&sandbox), [("[ROOT]/home/app".to_owned(), vec![])]);
    fs::rename(sandbox.home.root().join("home/app"), sandbox.home.root().join("home/application")).unwrap();
    assert_eq!(flags(&sandbox)[0].1, ["moved"]);
    sandbox.cwd = sandbox.home.root().join("home/application");
    let path = sandbox.show("path");
    assert!(path.contains("moved: this project was at `[ROOT]/home/app`"), "{path}");
    assert!(sandbox.show("project adopt --dry-run").contains("1 copied"));
}

#[test]
fn a_journal_is_listed_with_its_project_after_a_move_too() {
    let mut sandbox = Sandbox::new();
    project(&sandbox, "home/app");
    sandbox.cwd = sandbox.home.root().join("home/app");
    sandbox.run(["journal", "start"]);
    let size = |sandbox: &Sandbox| {
        let listed: serde_json::Value =
            serde_json::from_str(&sandbox.run(["project", "ls", "--json"]).stdout).unwrap();
        listed["items"][0]["bytes"].as_u64().unwrap()
    };
    assert_eq!(flags(&sandbox), [("[ROOT]/home/app".to_owned(), vec![])]);
    assert!(size(&sandbox) > 500, "the journal is counted with the project");
    fs::rename(sandbox.home.root().join("home/app"), sandbox.home.root().join("home/application")).unwrap();
    sandbox.cwd = sandbox.home.root().join("home/application");
    assert_eq!(flags(&sandbox), [("[ROOT]/home/app".to_owned(), vec!["moved".to_owned()])]);
    sandbox.run(["project", "adopt"]);
    assert_eq!(flags(&sandbox), [("[ROOT]/home/application".to_owned(), vec![])]);
    assert!(size(&sandbox) > 500, "the journal moved with the project");
}

#[test]
fn a_rename_of_a_parent_is_recognised() {
    let sandbox = Sandbox::new();
    project(&sandbox, "home/work/client/app");
    flags(&sandbox);
    fs::rename(sandbox.home.root().join("home/work"), sandbox.home.root().join("home/labour")).unwrap();
    assert_eq!(flags(&sandbox)[0].1, ["moved"]);
}

#[test]
fn a_clone_made_anew_is_recognised_and_a_copy_is_not_a_move() {
    let mut sandbox = Sandbox::new();
    let origin = sandbox.home.dir("origin");
    Git::init(&origin, "first");
    Git::run(sandbox.home.root(), &["clone", "-q", origin.as_str(), "home/app"]);
    project(&sandbox, "home/app");
    flags(&sandbox);
    Git::run(sandbox.home.root(), &["clone", "-q", origin.as_str(), "home/second"]);
    sandbox.cwd = sandbox.home.root().join("home/second");
    assert!(sandbox.show("project adopt --dry-run").contains("Nothing to bring home"));
    fs::remove_dir_all(sandbox.home.root().join("home/app")).unwrap();
    let plan = sandbox.show("project adopt --dry-run");
    assert!(plan.contains("memory") && plan.contains("the same project was seen there"), "{plan}");
}

#[test]
fn a_collision_is_named_where_one_looks() {
    let mut sandbox = Sandbox::new();
    project(&sandbox, "home/my_app");
    sandbox.home.dir("home/my-app");
    assert_eq!(flags(&sandbox)[0].1, ["collision"]);
    sandbox.cwd = sandbox.home.root().join("home/my_app");
    assert_snapshot!(sandbox.show("path"), @r"
    exit 0
    --- stdout
    [ROOT]/home/.claude/projects/[SLUG]-home-my-app/memory
    --- stderr
      memory       on  (default)
      directory    the usual place  (config)
      project      [ROOT]/home/my_app
      would write  yes
    warning: collision: `[ROOT]/home/my-app` has the same encoded name, so both projects share this memory directory; `memdir project fix-collision` puts them apart
    ");
}

#[test]
fn orphans_and_old_names_are_told_apart() {
    let sandbox = Sandbox::new();
    sandbox.home.write("home/.claude/projects/-nobody-knows/memory/a.md", "a");
    let living = sandbox.home.dir("home/old_style.app");
    let legacy = encode_with(Scheme::Observed89, living.as_str());
    if legacy.len() < 89 {
        sandbox.home.write(format!("home/.claude/projects/{legacy}/memory/a.md"), "a");
    }
    let found = flags(&sandbox);
    assert!(found.contains(&("unknown".to_owned(), vec!["orphan".to_owned()])), "{found:?}");
    assert!(
        found.contains(&("[ROOT]/home/old_style.app".to_owned(), vec!["legacy name".to_owned()])),
        "{found:?}"
    );
}

#[test]
fn a_move_by_hand_is_planned_and_shown() {
    let sandbox = Sandbox::new();
    project(&sandbox, "home/app");
    sandbox.home.dir("home/new");
    let before = sandbox.home.tree("home/.claude");
    assert_snapshot!(sandbox.show("project mv ../app ../new --dry-run"), @r"
    exit 0
    --- stdout
    from  [ROOT]/home/.claude/projects/[SLUG]-home-app
      to  [ROOT]/home/.claude/projects/[SLUG]-home-new
     why  you asked for it
      memory            37 B  2 copied
      transcripts       57 B  1 copied
    then the old directory becomes  [ROOT]/home/.claude/projects/[SLUG]-home-app.moved-to.[SLUG]-home-new
    --- stderr
    warning: `[ROOT]/home/app` still lives: it starts with an empty memory afterwards
    ");
    assert_eq!(sandbox.home.tree("home/.claude"), before, "a dry run changes nothing");
    assert_snapshot!(sandbox.show("project mv ../nowhere ../new --dry-run"), @r"
    exit 2
    --- stderr
    error: no project directory for `[ROOT]/home/project/../nowhere`
    ");
}

#[test]
fn what_is_forgotten_is_forgotten_and_no_file_is_touched() {
    let sandbox = Sandbox::new();
    project(&sandbox, "home/app");
    flags(&sandbox);
    let before = sandbox.home.tree("home/.claude");
    assert!(sandbox.show("project forget --yes ../app").contains("Forgotten"));
    assert!(sandbox.show("project forget --yes ../app").contains("knows nothing"));
    assert_eq!(sandbox.home.tree("home/.claude"), before);
}

#[test]
fn a_project_that_was_only_read_is_recognised_after_it_was_renamed() {
    for command in [&[][..], &["ls"], &["path"], &["load"], &["search", "old"], &["context"]] {
        let mut sandbox = Sandbox::new();
        let directory: camino::Utf8PathBuf = sandbox.run(["path"]).stdout.trim_end().into();
        assert!(
            !sandbox.home.home().join(".local/share/memdir").exists(),
            "without memory there is nothing to know"
        );
        sandbox.home.write(directory.join("a.md"), "The client wrote this in the old days.\n");
        sandbox.run(command.iter().copied());
        let renamed = sandbox.home.home().join("renamed");
        fs::rename(&sandbox.cwd, &renamed).unwrap();
        sandbox.cwd = renamed;
        let told = sandbox.run(["path"]).stderr;
        assert!(told.contains("moved: this project was at"), "{command:?}: {told}");
    }
}
