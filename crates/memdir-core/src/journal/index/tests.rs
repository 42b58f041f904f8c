use super::super::row::Category;
use super::*;

fn head() -> Head<'static> {
    Head { key: "app", session: "2026-01-19T22:00:00Z", status: Status::Active, path: "/h/app" }
}

fn row(number: u32) -> Row {
    let file = format!("decisions/2026-01-19_{number:03}_x.md");
    Row::new(Category::Decision, &file, &format!("2026-01-19T22:{number:02}:00Z"), "Use | cookies")
}

fn fixed() -> Vec<String> {
    lookups_for(&[]).iter().map(LookupLine::line).collect()
}

#[test]
fn a_new_index_has_the_protocols_form() {
    let index = Index::new(&head(), &CurrentState::default(), &[row(1)], &fixed());
    insta::assert_snapshot!(index.to_text(), @r"
    # Memory Index: app
    Session: 2026-01-19T22:00:00Z
    Status: ACTIVE
    Path: /h/app

    ## Current State
    - **Task**: None
    - **Progress**: None
    - **Active Blocker**: None

    ## Recent Files (Last 20)
    | Category | File | Updated | Summary |
    |----------|------|---------|---------|
    | Decision | decisions/2026-01-19_001_x.md | 2026-01-19T22:01:00Z | Use \| cookies |

    ## Quick Lookup
    - Current task → context/current-task.md
    - Blockers → context/blockers.md
    - Sub-agent outputs → subagent/

    <!-- Older entries archived to _index-archive.md -->
    ");
    let read = Index::parse(index.to_text().as_bytes());
    assert_eq!((read.rows(), read.problems.len(), read.is_sound), (vec![row(1)], 0, true));
}

#[test]
fn the_twenty_first_row_pushes_the_oldest_out() {
    let mut index = Index::new(&head(), &CurrentState::default(), &[], &fixed());
    for number in 1..=22 {
        index.put_row(&row(number));
    }
    // A file that changes moves up and is not counted twice.
    index.put_row(&Row { updated: "2026-01-19T23:00:00Z".into(), ..row(1) });
    assert_eq!(index.take_surplus(), [row(2), row(3)]);
    let files: Vec<String> = index.rows().into_iter().map(|row| row.file).collect();
    assert_eq!((files.len(), files[0].as_str()), (20, "decisions/2026-01-19_001_x.md"));
}

#[test]
fn an_edit_changes_its_lines_and_no_other() {
    let text = "# Memory Index: app\nStatus: INACTIVE\nmine\n\n## Current State\n- **Task**: old\n- note of mine\n\n## Recent Files (Last 20)\n| Category | File | Updated | Summary |\n|---|---|---|---|\n<<<<<<< HEAD\n| Decision | decisions/a.md | 2026-01-01T00:00:00Z | a |\n=======\n| Decision | decisions/b.md | 2026-01-02T00:00:00Z | b |\n>>>>>>> x\n| broken |\n\n## Quick Lookup\n- mine → decisions/2026*.md\n\n## Own\ntext\n";
    let mut index = Index::parse(text.as_bytes());
    assert_eq!(index.problems.len(), 4, "{:?}", index.problems);
    assert!(!index.is_sound, "a merge that was never finished is not written over");
    assert_eq!(index.rows().len(), 2);
    index.put_row(&row(1));
    index.set_state(&CurrentState { task: "new".into(), ..CurrentState::default() });
    index.set_head(&head());
    index.refresh_lookups(|_| false);
    let changed = index.to_text();
    for line in text.lines().filter(|line| !line.starts_with("Status") && !line.contains("old")) {
        assert!(changed.contains(line), "{line} is gone:\n{changed}");
    }
    assert!(changed.contains("Status: ACTIVE\n") && changed.contains("- **Task**: new\n"));
    assert_eq!(index.foreign_sections(), ["## Own\ntext\n"]);
}

#[test]
fn our_look_up_lines_follow_the_rows_and_the_users_stay() {
    let lines = ["- Old → decisions/gone.md", "- mine → decisions/a.md", "- Blockers → context/blockers.md"];
    let lines = lines.map(str::to_owned);
    let mut index = Index::new(&head(), &CurrentState::default(), &[row(1)], &lines);
    let is_stale = |line: &LookupLine| line.target == "decisions/gone.md";
    for _ in 0..2 {
        index.refresh_lookups(is_stale);
        assert_eq!(
            index.lookup_lines(),
            [
                "- All decisions → decisions/",
                "- Current task → context/current-task.md",
                "- Blockers → context/blockers.md",
                "- Sub-agent outputs → subagent/",
                "- mine → decisions/a.md",
            ]
        );
    }
}

#[test]
fn a_truncated_or_foreign_file_is_read_and_not_trusted() {
    let whole = Index::new(&head(), &CurrentState::default(), &[row(1)], &fixed()).to_text();
    let cut = Index::parse(&whole.as_bytes()[..whole.find("|---").unwrap()]);
    assert!(!cut.is_sound && !cut.problems.is_empty());
    assert_eq!(cut.head("Path"), Some("/h/app"));
    let row_start = whole.find("| Decision").or_else(|| whole.find("decisions/")).unwrap();
    assert!(!Index::parse(&whole.as_bytes()[..row_start + 14]).is_sound, "cut inside a row");
    let wide: Vec<u8> =
        [0xFF, 0xFE].into_iter().chain(whole.encode_utf16().flat_map(u16::to_le_bytes)).collect();
    let wide = Index::parse(&wide);
    assert_eq!((wide.rows(), wide.is_sound), (vec![row(1)], false));
    let latin = Index::parse(&[whole.as_bytes(), b"caf\xE9\n"].concat());
    assert!(!latin.is_sound);
    assert_eq!(latin.rows(), [row(1)]);
}

#[test]
fn an_underlined_heading_is_not_a_merge_mark() {
    let whole = Index::new(&head(), &CurrentState::default(), &[row(1)], &fixed()).to_text();
    assert!(Index::parse(format!("{whole}\nMy own\n=======\nwords\n").as_bytes()).is_sound);
}
