//! What the commands say about a team, and what they refuse, so that nothing is shared or lost unnoticed.

use insta::assert_snapshot;

use crate::harness::Sandbox;
use crate::team::{Team, add, json, memory_dir};

const SECRET: &str = "It is ghp_16C7e42F292c6912E7710c838347Ae178B4a here.\n";

/// A team in which everybody has one memory.
fn with_one() -> Team {
    let team = Team::new();
    add(&team.ada, "one", "project", "We deploy on Mondays.");
    team.ada.run(["team", "share", "one"]);
    settle(&team);
    team
}

fn settle(team: &Team) {
    for sandbox in [&team.ada, &team.bob, &team.ada, &team.bob] {
        assert_eq!(sandbox.run(["team", "sync"]).code, 0);
    }
}

fn change(sandbox: &Sandbox, path: &str, from: &str, to: &str) {
    let path = memory_dir(sandbox).join(path);
    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, text.replace(from, to)).unwrap();
}

#[test]
fn a_new_name_neither_shares_nor_takes_back() {
    let team = with_one();
    assert_snapshot!(team.ada.show("rename one sub/two"), @"
    exit 0
    --- stdout
    renamed  team/one.md to team/sub/two.md
    changed  team/sub/two.md
    changed  team/MEMORY.md
    ");
    assert_eq!(team.ada.run(["rename", "team/sub/two", "team/three"]).code, 0);
    settle(&team);
    assert!(memory_dir(&team.bob).join("team/three.md").exists());
    add(&team.bob, "priv", "project", "Nobody's business.");
    assert_snapshot!(team.bob.show("rename priv team/priv"), @"
    exit 2
    --- stderr
    error: `priv.md` is private, and a new name shares nothing
    hint: `memdir team share priv` shows what would go, and shares it
    ");
    assert!(memory_dir(&team.bob).join("priv.md").exists());
    assert_snapshot!(team.ada.show("team share three"), @"
    exit 2
    --- stderr
    error: `team/three.md` is the team's already
    hint: `memdir team unshare` removes it
    ");
}

#[test]
fn a_conflict_is_over_when_one_of_the_two_is_gone() {
    let team = with_one();
    change(&team.ada, "team/one.md", "Mondays", "Tuesdays");
    change(&team.bob, "team/one.md", "Mondays", "Fridays");
    team.ada.run(["team", "sync"]);
    team.bob.run(["team", "sync"]);
    // A reader who only hears of it is told where to look.
    let told = team.ada.run(["team", "sync"]).stderr;
    assert!(told.contains("`one.md` is kept twice") && told.contains("`memdir team conflicts`"), "{told}");
    assert_eq!(team.bob.run(["team", "conflicts"]).code, 0);
    assert_eq!(team.bob.run(["rm", "one"]).code, 0);
    settle(&team);
    for sandbox in [&team.ada, &team.bob] {
        assert_eq!(sandbox.show("team conflicts").trim(), "exit 1");
        assert_eq!(json(sandbox, "team status --json")["conflicts"], 0);
    }
}

#[test]
fn what_a_sync_in_the_background_did_not_share_is_named() {
    let mut team = with_one();
    std::fs::write(memory_dir(&team.bob).join("team/key.md"), SECRET).unwrap();
    assert_eq!(team.bob.run(["work"]).code, 0);
    let line = "1 memory in `team/` was not shared with the team: `memdir team status` says why.";
    team.bob.stdin =
        format!(r#"{{"hook_event_name":"SessionStart","cwd":"{}","source":"startup"}}"#, team.bob.cwd);
    for _ in 0..2 {
        let told = team.bob.run(["hook", "SessionStart"]).stdout;
        assert!(told.contains(line), "{told}");
    }
    let status = team.bob.show("status");
    assert!(status.contains("team      1 memory not shared: `memdir team status` says why"), "{status}");
    assert_eq!(json(&team.bob, "status --json")["not_shared"], 1);
    assert!(team.bob.show("team status").contains("`key.md` is not shared: line 1 looks like a secret"));
    std::fs::remove_file(memory_dir(&team.bob).join("team/key.md")).unwrap();
    team.bob.run(["work"]);
    assert!(!team.bob.run(["hook", "SessionStart"]).stdout.contains("not shared"));
    assert_eq!(json(&team.bob, "status --json")["not_shared"], 0);
}

#[test]
fn the_overview_leaves_the_teams_memories_to_their_own_index() {
    let team = with_one();
    add(&team.ada, "own", "project", "Mine.");
    let overview = team.ada.run(Vec::<String>::new()).stdout;
    assert!(overview.contains("memories") && !overview.contains("wrong"), "{overview}");
}

#[test]
fn the_derived_index_causes_no_conflict() {
    let team = with_one();
    add(&team.ada, "two", "project", "Two.");
    team.ada.run(["team", "share", "two"]);
    settle(&team);
    // Ada takes one back, and then the last of the others goes, and the index with it.
    assert_eq!(team.ada.run(["team", "unshare", "one"]).code, 0);
    settle(&team);
    assert_eq!(team.bob.run(["rm", "two"]).code, 0);
    settle(&team);
    assert!(!memory_dir(&team.ada).join("team/MEMORY.md").exists());
    let undone = team.ada.show("undo");
    assert!(undone.starts_with("exit 0"), "{undone}");
    settle(&team);
    let index = std::fs::read_to_string(memory_dir(&team.bob).join("team/MEMORY.md")).unwrap();
    assert_eq!(index, "- [one](one.md) — about it\n");
    // What is there can be undone although the index says something else since.
    add(&team.ada, "three", "project", "Three.");
    team.ada.run(["team", "share", "three"]);
    change(&team.ada, "team/three.md", "about it", "about three");
    settle(&team);
    let undone = team.ada.show("undo");
    assert!(undone.starts_with("exit 0"), "{undone}");
    settle(&team);
    assert!(memory_dir(&team.ada).join("three.md").exists());
    assert!(!memory_dir(&team.bob).join("team/three.md").exists());
}

#[test]
fn a_newcomer_with_a_taken_name_is_reported() {
    let team = Team::new();
    let token = team.ada.run(["team", "invite"]).stdout;
    let other = Sandbox::new();
    assert_eq!(other.run(["team", "join", token.trim(), "--name", "Ada", "--local"]).code, 0);
    for sandbox in [&team.ada, &team.bob] {
        let told = sandbox.run(["team", "sync"]).stderr;
        assert!(told.contains("is now a member: another Ada, "), "{told}");
    }
    assert_snapshot!(Sandbox::new().show("team join garbage"), @"
    exit 2
    --- stderr
    error: this is not an invitation, or it is incomplete
    hint: copy the whole line that `memdir team invite` printed
    ");
}
