use super::*;
use crate::look::MapLook;

fn around() -> Surroundings {
    Surroundings { managed_dir: "/etc/managed".into(), ..Surroundings::new("/p".into(), "/h".into()) }
}

/// The files as `kind path` with their parents, in order.
fn names(collected: &Collected) -> Vec<String> {
    let name = |file: &InstructionFile| match &file.parent {
        Some(parent) => format!("{:?} {} <- {parent}", file.kind, file.path),
        None => format!("{:?} {}", file.kind, file.path),
    };
    collected.files.iter().map(name).collect()
}

fn left_out(collected: &Collected) -> Vec<(&str, Reason)> {
    collected.left_out.iter().map(|left_out| (left_out.path.as_str(), left_out.reason)).collect()
}

#[test]
fn managed_policy_comes_first_and_may_not_import_from_outside() {
    let look = MapLook::new()
        .file("/etc/managed/CLAUDE.md", "M @inc.md")
        .file("/etc/managed/inc.md", "I")
        .file("/etc/managed/CLAUDE.local.md", "no")
        .file("/etc/managed/.claude/rules/m.md", "MR")
        .file("/etc/managed/.claude/rules/c.md", "---\npaths: '*.txt'\n---\nMC")
        .file("/h/.claude/CLAUDE.md", "U")
        .file("/h/.claude/rules/c.md", "---\npaths: '*.txt'\n---\nUC")
        .file("/p/CLAUDE.md", "P");
    let mut around = around();
    around.excludes = Excludes::new(["/etc/**"]);
    let collected = collect(&around, &look);
    assert_eq!(
        names(&collected),
        [
            "Managed /etc/managed/CLAUDE.md",
            "Managed /etc/managed/.claude/rules/m.md",
            "User /h/.claude/CLAUDE.md",
            "Project /p/CLAUDE.md",
        ]
    );
    assert_eq!(
        left_out(&collected),
        [
            ("/etc/managed/inc.md", Reason::External),
            ("/etc/managed/.claude/rules/c.md", Reason::Conditional),
            ("/h/.claude/rules/c.md", Reason::Conditional),
        ]
    );
    assert_eq!(
        names(&reading(&around, "f.txt".into(), &look)),
        ["Managed /etc/managed/.claude/rules/c.md", "User /h/.claude/rules/c.md"]
    );
    around.switches = Switches { user: false, project: false, local: false, ..Switches::default() };
    assert_eq!(
        names(&collect(&around, &look)),
        ["Managed /etc/managed/CLAUDE.md", "Managed /etc/managed/.claude/rules/m.md"]
    );
    around.switches.any = false;
    assert_eq!(names(&collect(&around, &look)), [""; 0]);
    assert_eq!(names(&reading(&around, "f.txt".into(), &look)), [""; 0]);
}

#[test]
fn memory_comes_last_and_says_whose_it_is() {
    let memory = |path: &str| MemoryFile { path: path.into(), text: "- x".into() };
    let look = MapLook::new().file("/p/CLAUDE.md", "P");
    let around = Surroundings {
        auto_memory: Some(memory("/m/MEMORY.md")),
        more_memory: vec![(Kind::Team, memory("/m/team/MEMORY.md"))],
        ..around()
    };
    let collected = collect(&around, &look);
    assert_eq!(
        names(&collected),
        ["Project /p/CLAUDE.md", "AutoMemory /m/MEMORY.md", "Team /m/team/MEMORY.md"]
    );
    assert_eq!(collected.files[1].label, "user's auto-memory, persists across conversations");
}

#[test]
fn everything_left_out_has_its_reason() {
    let look = MapLook::new()
        .file(
            "/p/CLAUDE.md",
            "@a.md @gone.md @pic.png @dir @../out.md @link.md @a.md @./a.md @no.md @empty.md",
        )
        .file("/p/a.md", "A @CLAUDE.md")
        .file("/p/pic.png", "x")
        .file("/p/dir/x", "x")
        .file("/out.md", "O")
        .link("/p/link.md", "/out.md")
        .file("/p/no.md", "N")
        .file("/p/empty.md", "<!-- x -->")
        .file("/p/AGENTS.md", "A");
    let mut around = around();
    around.excludes = Excludes::new(["**/no.md"]);
    let collected = collect(&around, &look);
    assert_eq!(names(&collected), ["Project /p/CLAUDE.md", "Project /p/a.md <- /p/CLAUDE.md"]);
    assert_eq!(
        left_out(&collected),
        [
            ("/p/CLAUDE.md", Reason::Duplicate),
            ("/p/gone.md", Reason::Missing),
            ("/p/pic.png", Reason::NotText),
            ("/p/dir", Reason::NotFile),
            ("/out.md", Reason::External),
            ("/p/link.md", Reason::LinkOutside),
            ("/p/a.md", Reason::Duplicate),
            ("/p/no.md", Reason::Excluded),
            ("/p/empty.md", Reason::Empty),
            ("/p/AGENTS.md", Reason::ClaudeFileExists),
        ]
    );
    assert_eq!(collected.warnings, []);
}

#[test]
fn sources_that_are_off_are_named() {
    let look = MapLook::new()
        .file("/h/.claude/CLAUDE.md", "U")
        .file("/p/CLAUDE.md", "P")
        .file("/p/CLAUDE.local.md", "L")
        .file("/x/CLAUDE.md", "X");
    let mut around = around();
    around.add_dirs = vec!["/x".into()];
    around.switches = Switches { user: false, project: false, local: false, ..Switches::default() };
    assert_eq!(
        left_out(&collect(&around, &look)),
        [
            ("/h/.claude/CLAUDE.md", Reason::SourceOff),
            ("/p/CLAUDE.md", Reason::SourceOff),
            ("/p/CLAUDE.local.md", Reason::SourceOff),
            ("/x", Reason::AdditionalOff),
        ]
    );
}

#[test]
fn bad_files_are_named_and_everything_else_still_loads() {
    let long = "y".repeat(40_001);
    let look = MapLook::new()
        .dir("/CLAUDE.md/x")
        .denied("/p/.claude/CLAUDE.md")
        .file("/p/CLAUDE.md", vec![b'x'; 4 * 1024 * 1024 + 1])
        .file("/p/CLAUDE.local.md", &long)
        .file(
            "/p/.claude/rules/braces.md",
            format!("---\npaths: '{{{}}}'\n---\nB", vec!["x"; 10_000].join(",")),
        )
        .file("/p/.claude/rules/ok.md", [b'O', 0xff, b'K'])
        .link("/p/.claude/rules/loop", ".")
        .link("/p/.claude/rules/self.md", "self.md")
        .link("/AGENTS.md", "AGENTS.md");
    let collected = collect(&around(), &look);
    assert_eq!(names(&collected), ["Project /p/.claude/rules/ok.md", "Local /p/CLAUDE.local.md"]);
    assert_eq!(collected.files[0].text, "O\u{fffd}K");
    let warnings: Vec<_> = collected.warnings.iter().map(ToString::to_string).collect();
    insta::assert_snapshot!(warnings.join("\n"), @r"
    `/CLAUDE.md`: not a regular file: it is not loaded
    `/p/CLAUDE.md`: larger than 4 MiB: it is not loaded
    `/p/.claude/CLAUDE.md`: cannot be read: it is not loaded
    `/p/.claude/rules/braces.md`: `paths` that expand to more than 1,000 patterns: every one is tried for every file
    `/p/CLAUDE.local.md`: over 40000 characters: it costs much of the context
    ");
}

#[test]
fn forty_thousand_characters_are_counted_as_the_client_counts() {
    let warned = |text: String| {
        let look = MapLook::new().file("/p/CLAUDE.md", text);
        !collect(&around(), &look).warnings.is_empty()
    };
    assert!(!warned("日".repeat(40_000)));
    assert!(warned("日".repeat(40_001)));
    assert!(warned("😀".repeat(20_001)));
}

#[test]
fn imports_that_import_each_other_end() {
    let mut look = MapLook::new().file("/p/CLAUDE.md", "@n0.md");
    for number in 0..50 {
        let all: Vec<String> = (0..50).map(|other| format!("@n{other}.md")).collect();
        look = look.file(&format!("/p/n{number}.md"), all.join(" "));
    }
    assert_eq!(collect(&around(), &look).files.len(), 51);
}

#[test]
fn a_broken_approvals_file_approves_nothing() {
    let check = |content: &str, expected: bool| {
        let look = MapLook::new()
            .file("/p/CLAUDE.md", "@../out.md")
            .file("/out.md", "O")
            .file("/h/.claude.json", content);
        assert_eq!(collect(&around(), &look).files.len() == 2, expected, "{content}");
    };
    let approve = |value: &str| {
        format!(
            r#"{{"projects": {{"/p": {{"hasClaudeMdExternalIncludesApproved": {value}, "x": [1]}}, "/q": {{}}}}, "y": 1}}"#
        )
    };
    for yes in ["true", "1", "\"yes\"", "[]", "{}"] {
        check(&approve(yes), true);
    }
    for no in ["false", "0", "\"\"", "null"] {
        check(&approve(no), false);
    }
    for broken in ["", "{", "[]", r#"{"projects": []}"#, r#"{"projects": {"/p": 5}}"#, "{\"projects\": {}} x"]
    {
        check(broken, false);
    }
}

#[test]
fn in_the_home_directory_the_users_file_is_the_users() {
    let look = MapLook::new().file("/h/.claude/CLAUDE.md", "U").file("/h/AGENTS.md", "A");
    let around = Surroundings { managed_dir: "/m".into(), ..Surroundings::new("/h".into(), "/h".into()) };
    assert_eq!(names(&collect(&around, &look)), ["User /h/.claude/CLAUDE.md", "Project /h/AGENTS.md"]);
}

proptest::proptest! {
    /// Whatever the files say, nothing from outside the project gets in without approval.
    #[test]
    fn no_text_of_a_project_reaches_outside(text in "(@|\\.\\./|~/|/|secret\\.md|a\\.md|[ \\n*`<>()\\[\\]!-]){0,40}") {
        let look = MapLook::new()
            .file("/secret.md", "S")
            .file("/h/secret.md", "S")
            .file("/q/secret.md", "S")
            .link("/p/a.md", "/q/secret.md")
            .file("/p/CLAUDE.md", &text)
            .file("/p/.claude/rules/r.md", &text);
        let collected = collect(&around(), &look);
        proptest::prop_assert!(collected.files.iter().all(|file| file.text != "S"));
    }
}

#[test]
fn an_index_that_is_not_given_is_named() {
    let check = |reason: Reason, warned: bool| {
        let mut around = around();
        around.memory_left_out = Some(LeftOut { path: "/m/MEMORY.md".into(), reason, parent: None });
        let collected = collect(&around, &MapLook::new());
        assert_eq!(left_out(&collected), [("/m/MEMORY.md", reason)]);
        assert_eq!(collected.warnings.len(), usize::from(warned), "{reason:?}");
    };
    check(Reason::IndexTooLarge, true);
    check(Reason::NotFile, true);
    check(Reason::Unreadable, true);
    check(Reason::Empty, false);
    check(Reason::MemoryOff, false);
}

#[test]
fn an_index_says_why_it_cannot_be_loaded() {
    let look = MapLook::new()
        .file("/ok/MEMORY.md", "- x")
        .file("/empty/MEMORY.md", "\n")
        .file("/dir/MEMORY.md/x", "x")
        .denied("/denied/MEMORY.md");
    let reason =
        |dir: &str| MemoryFile::load(dir.into(), &look).map(|file| file.text).map_err(|left| left.reason);
    assert_eq!(reason("/ok"), Ok("- x".to_owned()));
    assert_eq!(reason("/empty"), Err(Reason::Empty));
    assert_eq!(reason("/dir"), Err(Reason::NotFile));
    assert_eq!(reason("/denied"), Err(Reason::Unreadable));
    assert_eq!(reason("/none"), Err(Reason::Missing));
}

#[test]
fn only_what_is_there_is_called_excluded_or_loaded_already() {
    let look = MapLook::new().file("/h/.claude/CLAUDE.md", "U").file("/h/.claude/rules/r.md", "R");
    let mut around = Surroundings::new("/h".into(), "/h".into());
    around.excludes = Excludes::new(["**/CLAUDE.local.md", "/h/CLAUDE.md"]);
    assert_eq!(left_out(&collect(&around, &look)), []);
}

#[test]
fn a_file_that_is_not_utf8_is_named() {
    let look = MapLook::new().file("/p/CLAUDE.md", "A @blob").file("/p/blob", "x\0y");
    let collected = collect(&around(), &look);
    assert_eq!(names(&collected).len(), 2);
    let warned: Vec<&str> = collected.warnings.iter().map(|warning| warning.path.as_str()).collect();
    assert_eq!(warned, ["/p/blob"]);
}
