use insta::assert_snapshot;
use jiff::Timestamp;

use super::*;
use crate::memory::memory_type::MemoryType;
use crate::memory::topic::validity::ALWAYS_VALID;

fn path(text: &str) -> RelPath {
    RelPath::parse(text).unwrap()
}

fn topic<'t>(name: &'t str, description: &'t str) -> NewTopic<'t> {
    NewTopic {
        name,
        description,
        memory_type: &MemoryType::Feedback,
        body: "Use tabs.",
        cues: &[],
        validity: &ALWAYS_VALID,
        modified: Timestamp::UNIX_EPOCH,
        origin_session: None,
    }
}

/// The plan as a person would read it: what becomes of each file.
fn show(plan: &Plan) -> String {
    let mut text = format!("{}\n", plan.reason);
    for change in &plan.changes {
        match change {
            Change::Write { path, content, base } => {
                let verb = if base.is_some() { "change" } else { "create" };
                text.push_str(&format!("{verb} {path}\n{}", String::from_utf8_lossy(&content.0)));
            }
            Change::Delete { path, .. } => text.push_str(&format!("delete {path}\n")),
            Change::Rename { from, to, .. } => text.push_str(&format!("rename {from} {to}\n")),
        }
    }
    for warning in &plan.warnings {
        text.push_str(&format!("! {warning}\n"));
    }
    text
}

#[test]
fn a_memory_comes_with_its_line() {
    let indexes = Indexes { index: Some(b"# Mine\n- [A](a.md) \xe2\x80\x94 a\n"), ..Indexes::default() };
    let plan = add(&topic("tabs", "wants tabs"), "tabs", &path("tabs.md"), None, &[], &indexes).unwrap();
    assert_snapshot!(show(&plan), @r"
    add tabs.md
    create tabs.md
    ---
    name: tabs
    description: wants tabs
    metadata:
      node_type: memory
      type: feedback
      modified: 1970-01-01T00:00:00.000Z
    ---

    Use tabs.
    change MEMORY.md
    # Mine
    - [A](a.md) — a
    - [tabs](tabs.md) — wants tabs
    ");
    let taken = add(&topic("tabs", "x"), "tabs", &path("tabs.md"), Some(b""), &[], &indexes);
    assert_snapshot!(taken.unwrap_err(), @"`tabs.md` exists already");
    let reserved = add(&topic("x", "x"), "x", &path("memory.md"), None, &[], &indexes);
    assert_snapshot!(reserved.unwrap_err(), @"`memory.md` is the index, not a memory");
}

#[test]
fn without_an_index_the_other_memories_get_their_lines_too() {
    let files = vec![IndexSource {
        path: "old.md".into(),
        description: Some("an old one".into()),
        modified: Timestamp::UNIX_EPOCH,
    }];
    let plan = add(
        &topic("tabs", "wants tabs"),
        "tabs",
        &path("tabs.md"),
        None,
        &[],
        &Indexes { files, ..Indexes::default() },
    );
    assert_snapshot!(show(&plan.unwrap()), @r"
    add tabs.md
    create tabs.md
    ---
    name: tabs
    description: wants tabs
    metadata:
      node_type: memory
      type: feedback
      modified: 1970-01-01T00:00:00.000Z
    ---

    Use tabs.
    create MEMORY.md
    - [old](old.md) — an old one
    - [tabs](tabs.md) — wants tabs
    ");
}

#[test]
fn one_field_changes_and_the_index_follows_a_description() {
    let content = b"---\nname: tabs\ndescription: old\nmine: kept\n---\n\nUse tabs.\n";
    let file_path = path("tabs.md");
    let file = FoundFile { path: &file_path, content };
    let indexes = Indexes { index: Some("- [My tabs](tabs.md) — old\n".as_bytes()), ..Indexes::default() };
    assert_snapshot!(show(&set(file, "description", Some("new"), &indexes).unwrap()), @r"
    set description of tabs.md
    change tabs.md
    ---
    name: tabs
    description: new
    mine: kept
    ---

    Use tabs.
    change MEMORY.md
    - [My tabs](tabs.md) — new
    ");
    assert_snapshot!(show(&set(file, "mine", None, &indexes).unwrap()), @r"
    set mine of tabs.md
    change tabs.md
    ---
    name: tabs
    description: old
    ---

    Use tabs.
    ");
    assert!(set(file, "description", Some("old"), &indexes).unwrap().changes.is_empty());
}

#[test]
fn what_is_removed_leaves_no_line_and_says_who_still_links() {
    let (tabs, other) = (path("tabs.md"), path("other.md"));
    let file = FoundFile { path: &tabs, content: b"x" };
    let indexes =
        Indexes { index: Some("- [T](tabs.md)\n- [O](other.md)\n".as_bytes()), ..Indexes::default() };
    assert_snapshot!(show(&remove(file, &[&other], &indexes).unwrap()), @r"
    remove tabs.md
    delete tabs.md
    change MEMORY.md
    - [O](other.md)
    ! `other.md` still links to `tabs.md`
    ");
}

#[test]
fn links_and_index_follow_a_rename() {
    let (tabs, other, new) = (path("tabs.md"), path("other.md"), path("style/indent.md"));
    let file = FoundFile { path: &tabs, content: b"---\nname: tabs\n---\nUse tabs.\n" };
    let linking = [FoundFile { path: &other, content: b"See [[tabs]] and [that](tabs.md).\r\n" }];
    let indexes = Indexes { index: Some("- [T](tabs.md) — t\n".as_bytes()), ..Indexes::default() };
    assert_snapshot!(show(&rename(file, &new, false, &linking, &indexes).unwrap()), @r"
    rename tabs.md to style/indent.md
    rename tabs.md style/indent.md
    change style/indent.md
    ---
    name: indent
    ---
    Use tabs.
    change other.md
    See [[indent]] and [that](style/indent.md).
    change MEMORY.md
    - [T](style/indent.md) — t
    ");
    assert!(rename(file, &new, true, &[], &indexes).is_err());
}

#[test]
fn a_link_is_added_once() {
    let tabs = path("tabs.md");
    let once = link(FoundFile { path: &tabs, content: b"Use tabs." }, "editor").unwrap();
    assert_snapshot!(show(&once), @r"
    link tabs.md to editor
    change tabs.md
    Use tabs.

    - [[editor]]
    ");
    let again = link(FoundFile { path: &tabs, content: b"Use tabs.\n\n- [[editor]]\n" }, "editor").unwrap();
    assert!(again.changes.is_empty());
    let third = link(FoundFile { path: &tabs, content: b"Use tabs.\n\n- [[editor]]\n" }, "vim").unwrap();
    assert_snapshot!(show(&third), @r"
    link tabs.md to vim
    change tabs.md
    Use tabs.

    - [[editor]]
    - [[vim]]
    ");
}

#[test]
fn bytes_that_are_not_utf8_are_never_edited_away() {
    let tabs = path("tabs.md");
    let broken = FoundFile { path: &tabs, content: b"\xff" };
    assert!(matches!(
        set(broken, "name", Some("x"), &Indexes::default()),
        Err(ChangeRefused::NotText { .. })
    ));
    let index = Indexes { index: Some(b"\xff"), ..Indexes::default() };
    assert!(matches!(
        remove(FoundFile { path: &tabs, content: b"" }, &[], &index),
        Err(ChangeRefused::NotText { .. })
    ));
}

#[test]
fn near_the_limit_the_lines_are_named_and_over_it_they_move() {
    let line = |number: usize, width: usize| format!("- [T{number}](t{number}.md) — {}\n", "x".repeat(width));
    let near: String = (0..150).map(|number| line(number, if number == 7 { 160 } else { 10 })).collect();
    let indexes = Indexes { index: Some(near.as_bytes()), ..Indexes::default() };
    let plan = add(&topic("tabs", "wants tabs"), "tabs", &path("tabs.md"), None, &[], &indexes).unwrap();
    assert_snapshot!(plan.warnings.join("\n"), @r"
    MEMORY.md uses 151 of 200 lines and 4610 of 25000 characters that agents load
      line 8 has 176 characters, 150 are enough: - [T7](t7.md) — xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
    ");
    let full: String = (0..200).map(|number| line(number, 10)).collect();
    let indexes = Indexes { index: Some(full.as_bytes()), ..Indexes::default() };
    let plan = add(&topic("tabs", "wants tabs"), "tabs", &path("tabs.md"), None, &[], &indexes).unwrap();
    assert_eq!(plan.changes.len(), 3, "topic, index, overflow");
    assert_snapshot!(plan.warnings.join("\n"), @r"
    2 lines of MEMORY.md do not fit and went to MEMORY-overflow.md:
      - [T199](t199.md) — xxxxxxxxxx
      - [tabs](tabs.md) — wants tabs
    MEMORY.md uses 200 of 200 lines and 6020 of 25000 characters that agents load; merge or remove memories that are no longer needed
    ");
}

#[test]
fn a_replaced_memory_keeps_its_text_and_leaves_the_index() {
    let old =
        "---\nname: monday\ndescription: on Mondays\nmetadata:\n  type: project\n---\n\nDeploy on Mondays.\n";
    let (old_path, new_path) = (path("monday.md"), path("tuesday.md"));
    let replaced = [FoundFile { path: &old_path, content: old.as_bytes() }];
    let indexes = Indexes { index: Some(b"- [monday](monday.md)\n"), ..Indexes::default() };
    let validity = Validity { supersedes: vec!["monday".to_owned()], pinned: true, ..Validity::NONE };
    let new = NewTopic { validity: &validity, ..topic("tuesday", "on Tuesdays") };
    let plan = add(&new, "tuesday", &new_path, None, &replaced, &indexes).unwrap();
    assert_snapshot!(show(&plan), @r"
    add tuesday.md
    create tuesday.md
    ---
    name: tuesday
    description: on Tuesdays
    metadata:
      node_type: memory
      type: feedback
      supersedes:
        - monday
      pinned: true
      modified: 1970-01-01T00:00:00.000Z
    ---

    Use tabs.
    change monday.md
    ---
    name: monday
    description: on Mondays
    metadata:
      type: project
      superseded_by: tuesday
      superseded_on: 1970-01-01
    ---

    Deploy on Mondays.
    change MEMORY.md
    - [tuesday](tuesday.md) — on Tuesdays
    ");
    let text = |wanted: &str| {
        let written = plan.changes.iter().find_map(|change| match change {
            Change::Write { path, content, .. } if path.as_str() == wanted => Some(content.0.clone()),
            _ => None,
        });
        written.unwrap()
    };
    let (old, new) = (text("monday.md"), text("tuesday.md"));
    // What it no longer replaces counts again; what is described anew stays out of the index while it is replaced.
    let replacement = Replacement {
        on: day(Timestamp::UNIX_EPOCH),
        replaced: &[],
        released: &[FoundFile { path: &old_path, content: &old }],
    };
    let index = text("MEMORY.md");
    let indexes = Indexes { index: Some(&index), ..Indexes::default() };
    let back = set_supersedes(FoundFile { path: &new_path, content: &new }, &replacement, &indexes).unwrap();
    assert_snapshot!(show(&back), @r"
    set supersedes of tuesday.md
    change tuesday.md
    ---
    name: tuesday
    description: on Tuesdays
    metadata:
      node_type: memory
      type: feedback
      pinned: true
      modified: 1970-01-01T00:00:00.000Z
    ---

    Use tabs.
    change monday.md
    ---
    name: monday
    description: on Mondays
    metadata:
      type: project
    ---

    Deploy on Mondays.
    change MEMORY.md
    - [tuesday](tuesday.md) — on Tuesdays
    - [monday](monday.md) — on Mondays
    ");
    let described =
        set(FoundFile { path: &old_path, content: &old }, "description", Some("on some Mondays"), &indexes);
    assert_eq!(described.unwrap().changes.len(), 1);
    let circle = Replacement { replaced: &[FoundFile { path: &new_path, content: &new }], ..replacement };
    let refused = set_supersedes(FoundFile { path: &old_path, content: &old }, &circle, &indexes);
    assert!(matches!(refused, Err(ChangeRefused::Circular { .. })), "{refused:?}");
}
