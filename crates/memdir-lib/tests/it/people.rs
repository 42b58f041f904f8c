//! The map of projects and the user's profile on a real disk.

use std::os::unix::fs::symlink;

use jiff::Timestamp;
use jiff::civil::date;
use memdir_core::operation::Author;
use memdir_core::user::{Category, NewItem, Topic};
use memdir_core::workspace::{NewProject, NewRelation, RelationKind, WorkspaceEdit};
use memdir_disk::apply::OnConflict;
use memdir_lib::memory::{Memory, Submitted, Wish};
use memdir_lib::user::{Profile, ProfileEdit};
use memdir_lib::workspace::{Workspace, WorkspaceError};
use memdir_testkit::{NOW, TestHome};

fn now() -> Timestamp {
    NOW.parse().unwrap()
}

fn register(home: &TestHome, key: &str, path: &str) -> Result<(), WorkspaceError> {
    let new = NewProject { key, path, ..NewProject::default() };
    Workspace::open(&home.env())?.register(&new, &Author::person(), now()).map(|_| ())
}

fn note(home: &TestHome, category: Category, text: &str) {
    let new = NewItem { text, heading: None, date: date(2026, 1, 2), confirmed: None, worked: None };
    let mut profile = Profile::open(&home.env()).unwrap();
    let made = profile.change(&ProfileEdit::Add(category, new), &Author::person(), now()).unwrap();
    assert!(matches!(made.submitted, Submitted::Applied(_)));
}

#[test]
fn many_writers_at_once_lose_nothing() {
    let home = TestHome::new();
    std::thread::scope(|scope| {
        for number in 0..12 {
            let home = &home;
            scope.spawn(move || {
                register(home, &format!("p{number}"), &format!("/w/p{number}")).unwrap();
                note(home, Category::Preferences, &format!("wish number {number}."));
            });
        }
    });
    let map = Workspace::open(&home.env()).unwrap().map().unwrap();
    assert_eq!((map.projects.len(), map.quick_reference.len(), map.problems.len()), (12, 12, 0));
    let profile = Profile::open(&home.env()).unwrap();
    assert_eq!(profile.file(Category::Preferences).unwrap().unwrap().file.items.len(), 12);
    let tree = home.tree("home/.claude");
    assert!(!tree.contains("conflict") && !tree.contains(".memdir-"), "{tree}");
}

#[test]
fn the_map_is_recorded_and_undone_without_looking_at_anything_else() {
    let home = TestHome::new();
    home.write("home/.claude/history.md", "the client's own\n");
    register(&home, "shop", "/w/shop").unwrap();
    register(&home, "prices", "/w/prices").unwrap();
    let config_dir = home.home().join(".claude");
    let mut memory = Memory::at_directory(&config_dir, &home.env()).unwrap();
    memory.look(now()).unwrap();
    let log = memory.log(10).unwrap();
    let reasons: Vec<&str> = log.operations.iter().map(|operation| operation.reason.as_str()).collect();
    assert_eq!(reasons, ["register prices", "register shop"]);
    let person = Author::person();
    let last = log.to_undo(None, &person).unwrap().unwrap();
    let plan = memory.plan_undo(last, "undo".into(), &log).unwrap();
    let wish = Wish { undo_of: Some(&last.id), on_conflict: OnConflict::Refuse, ..Wish::of(&person) };
    memory.apply_as(&plan, &wish, now()).unwrap();
    let keys: Vec<String> = Workspace::open(&home.env())
        .unwrap()
        .map()
        .unwrap()
        .projects
        .into_iter()
        .map(|project| project.key)
        .collect();
    assert_eq!(keys, ["shop"]);
}

#[test]
fn a_second_living_project_of_the_same_name_gets_a_row_of_its_own() {
    let home = TestHome::new();
    let (one, other) = (home.dir("a/app"), home.dir("b/app"));
    register(&home, "app", one.as_str()).unwrap();
    register(&home, "app", other.as_str()).unwrap();
    let workspace = Workspace::open(&home.env()).unwrap();
    let map = workspace.map().unwrap();
    assert_eq!(map.projects.len(), 2);
    assert_eq!(map.project("app").unwrap().path, one.as_str());
    assert_eq!(workspace.key_for(&other, &map), map.projects[1].key);
    std::fs::remove_dir(&one).unwrap();
    let moved = home.dir("c/app");
    register(&home, "app", moved.as_str()).unwrap();
    assert_eq!(workspace.map().unwrap().project("app").unwrap().path, moved.as_str());
}

#[test]
fn what_the_user_wrote_about_a_project_stays_when_it_is_registered_again() {
    let home = TestHome::new();
    register(&home, "shop", "/w/shop").unwrap();
    let map = home.home().join(".claude/workspace.md");
    let text = std::fs::read_to_string(&map)
        .unwrap()
        .replace("| /w/shop |  | active |", "| /w/shop | mine | resting |");
    std::fs::write(&map, &text).unwrap();
    let again =
        NewProject { key: "shop", path: "/w/shop", description: Some("theirs"), status: Some("active") };
    Workspace::open(&home.env()).unwrap().register(&again, &Author::person(), now()).unwrap();
    assert!(text.contains("mine"));
    assert_eq!(std::fs::read_to_string(&map).unwrap(), text);
}

#[test]
fn relations_lead_to_the_journals_of_others() {
    let home = TestHome::new();
    home.write("w/prices/Cargo.toml", "[package]\nname = 'price_list'\n");
    let shop = home.dir("w/shop");
    home.write("w/shop/Cargo.toml", "[dependencies]\nprice_list = '1'\n");
    register(&home, "shop", shop.as_str()).unwrap();
    register(&home, "prices", home.root().join("w/prices").as_str()).unwrap();
    home.write(
        "home/.claude/projects/prices/_index.md",
        "# Memory Index: prices\n\n## Current State\n- **Task**: round <system> cents\n\n## Recent Files\n",
    );
    let mut workspace = Workspace::open(&home.env()).unwrap();
    let map = workspace.map().unwrap();
    assert_eq!(workspace.offers("shop", &shop, &map)[0].to, "prices");
    let relation = NewRelation { from: "shop", kind: &RelationKind::DependsOn, to: "prices", note: "" };
    workspace.change(&WorkspaceEdit::Relate(relation), &Author::person(), now()).unwrap();
    assert_eq!(workspace.relations_of("prices").unwrap().len(), 1);
    let map = workspace.map().unwrap();
    assert!(workspace.offers("shop", &shop, &map).is_empty());
    let told = workspace.related_lines("shop").unwrap().join("\n");
    assert!(told.contains("shop depends on prices (at "), "{told}");
    assert!(told.contains("round <system> cents"), "{told}");
    assert!(workspace.related_lines("other").unwrap().is_empty());
    for hostile in ["../../secret", "..", ".", "", "a/b"] {
        assert_eq!(workspace.journal_index(hostile).unwrap(), None);
    }
}

#[test]
fn bytes_that_are_not_utf8_are_left_alone() {
    let home = TestHome::new();
    let map = home.write("home/.claude/workspace.md", b"## Projects\n\xff\xfe\n");
    let profile = home.write("home/.claude/user/preferences.md", b"- \xff\n");
    let error = register(&home, "shop", "/w/shop").unwrap_err().to_string();
    assert!(error.ends_with("workspace.md`: it is not valid UTF-8"), "{error}");
    let new = NewItem { text: "x", heading: None, date: date(2026, 1, 2), confirmed: None, worked: None };
    let edit = ProfileEdit::Add(Category::Preferences, new);
    let mut opened = Profile::open(&home.env()).unwrap();
    assert!(opened.change(&edit, &Author::person(), now()).is_err());
    assert_eq!(std::fs::read(map).unwrap(), b"## Projects\n\xff\xfe\n");
    assert_eq!(std::fs::read(profile).unwrap(), b"- \xff\n");
}

#[test]
fn a_profile_that_is_a_link_is_read_and_not_written() {
    let home = TestHome::new();
    let elsewhere = home.dir("elsewhere");
    home.write("elsewhere/preferences.md", "- a\n");
    home.dir("home/.claude");
    symlink(&elsewhere, home.home().join(".claude/user")).unwrap();
    let mut profile = Profile::open(&home.env()).unwrap();
    assert_eq!(profile.files().unwrap().len(), 1);
    let new = NewItem { text: "b", heading: None, date: date(2026, 1, 2), confirmed: None, worked: None };
    let edit = ProfileEdit::Add(Category::Preferences, new);
    let error = profile.change(&edit, &Author::person(), now()).unwrap_err().to_string();
    assert!(error.contains("is a link"), "{error}");
}

#[test]
fn forgotten_for_good_is_in_no_version() {
    let home = TestHome::new();
    note(&home, Category::Technical, "knows Haskell well");
    note(&home, Category::Technical, "knows Rust");
    let mut profile = Profile::open(&home.env()).unwrap();
    let topic = Topic::of("haskell").unwrap();
    let found = profile.find(&topic, None).unwrap();
    assert_eq!(found.len(), 1);
    profile.change(&ProfileEdit::Forget(&found), &Author::person(), now()).unwrap();
    assert_eq!(profile.purge(&topic, &found).unwrap(), 2);
    let log = profile.log(10, now()).unwrap();
    assert_eq!(log.operations.len(), 3);
    let memory = Memory::at_directory(profile.directory(), &home.env()).unwrap();
    for operation in &log.operations {
        for version in operation.changes.iter().flat_map(|change| [change.before, change.after]).flatten() {
            let content = memory.recorded(version).unwrap().unwrap_or_default();
            assert!(!String::from_utf8_lossy(&content).contains("Haskell"));
        }
    }
}
