//! The journal: started, written by many at once, damaged, rebuilt, recovered from, moved.

use std::collections::BTreeSet;
use std::fs;
use std::process::{Command, Stdio};

use camino::Utf8PathBuf;
use insta::assert_snapshot;
use memdir_testkit::Git;
use serde_json::Value;

use crate::harness::Sandbox;

impl Sandbox {
    pub(crate) fn journal(&self) -> Utf8PathBuf {
        self.home.home().join(".claude/projects/project")
    }

    pub(crate) fn file(&self, path: &str) -> String {
        fs::read_to_string(self.journal().join(path)).unwrap()
    }

    pub(crate) fn json(&self, arguments: &[&str]) -> Value {
        let block = self.run(arguments.iter().copied().chain(["--json"]));
        assert_eq!(block.code, 0, "{arguments:?}: {}", block.stderr);
        serde_json::from_str(&block.stdout).unwrap()
    }

    pub(crate) fn ok(&self, arguments: &[&str]) -> String {
        let block = self.run(arguments.iter().copied());
        assert_eq!(block.code, 0, "{arguments:?}: {}", block.stderr);
        block.stdout
    }

    /// The same command in a process of its own.
    pub(crate) fn process(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_memdir"));
        command.args(arguments).current_dir(&self.cwd).env_clear().env("HOME", self.home.home());
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
        command
    }

    pub(crate) fn decide(&self, title: &str) -> Value {
        self.json(&["journal", "decide", "--title", title, "--category", "process", "--decision", "Do it."])
    }
}

fn started() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.ok(&["journal", "start"]);
    sandbox
}

#[test]
fn starting_makes_the_protocols_files_and_overwrites_none() {
    let sandbox = Sandbox::new();
    assert_snapshot!(sandbox.show("journal status"), @r"
    exit 0
    --- stdout
    There is no journal for project yet. memdir journal start starts one.
    ");
    assert_snapshot!(sandbox.show("journal start"), @r"
    exit 0
    --- stdout
    The journal of project is kept from now on in [ROOT]/home/.claude/projects/project.
    `memdir journal project` describes what this project is, for every session to come.
    ");
    let mut names: Vec<String> = sandbox
        .journal()
        .read_dir_utf8()
        .unwrap()
        .map(|entry| entry.unwrap().file_name().to_owned())
        .collect();
    names.sort();
    assert_eq!(
        names,
        [
            "_index-archive.md",
            "_index.md",
            "_session.json",
            "analysis",
            "context",
            "decisions",
            "progress",
            "subagent"
        ]
    );
    let session: Value = serde_json::from_str(&sandbox.file("_session.json")).unwrap();
    let fields: Vec<&String> = session.as_object().unwrap().keys().collect();
    assert_eq!(
        fields,
        ["active", "started", "projectKey", "projectPath", "branch", "lastActivity", "stats", "sessions"]
    );
    sandbox.home.write(sandbox.journal().join("context/blockers.md"), "mine");
    fs::remove_file(sandbox.journal().join("progress/active.md")).unwrap();
    assert!(sandbox.ok(&["journal", "start"]).contains("goes on"));
    assert_eq!(sandbox.file("context/blockers.md"), "mine");
    assert!(sandbox.file("progress/active.md").starts_with("# Active Work"));
    let map = fs::read_to_string(sandbox.home.home().join(".claude/workspace.md")).unwrap();
    assert!(map.contains(sandbox.cwd.as_str()), "{map}");
}

#[test]
fn status_is_the_contracts_object() {
    let sandbox = started();
    sandbox.decide("One");
    let status = sandbox.json(&["journal", "status"]);
    assert_eq!(status["v"], 1);
    assert_eq!(status["active"], true);
    assert_eq!(status["project_key"], "project");
    assert_eq!(status["project_path"], sandbox.cwd.as_str());
    for field in ["started", "last_activity"] {
        assert!(status[field].is_string(), "{status}");
    }
    assert_eq!(
        status["counts"],
        serde_json::json!({"decisions": 1, "analyses": 0, "context": 2, "progress": 2, "subagent": 0})
    );
    assert_eq!((&status["index"]["entries"], &status["index"]["archived"]), (&1.into(), &0.into()));
    assert_eq!(sandbox.json(&["journal", "stop"])["active"], false);
    assert!(sandbox.file("_index.md").contains("Status: INACTIVE"));
    assert!(sandbox.file("_index-archive.md").contains("| 2026-"));
}

#[test]
fn nothing_is_written_where_no_journal_is_kept() {
    let sandbox = Sandbox::new();
    for line in [
        "journal note x",
        "journal stop",
        "journal rebuild",
        "journal recover",
        "journal breadcrumb",
        "journal subagent write --task t --text x",
    ] {
        let shown = sandbox.show(line);
        assert!(shown.starts_with("exit 2") && shown.contains("memdir journal start"), "{line}: {shown}");
    }
    assert_eq!(sandbox.home.tree("home/.claude"), "");
    let sandbox = started();
    sandbox.ok(&["journal", "stop"]);
    let stopped = sandbox.show("journal note x");
    assert!(stopped.starts_with("exit 2") && stopped.contains("is stopped"), "{stopped}");
}

#[test]
fn words_and_texts_are_validated() {
    let sandbox = started();
    let check = |arguments: &[&str], expected: &str| {
        let block = sandbox.run(arguments.iter().copied());
        assert_eq!(block.code, 2, "{arguments:?}");
        assert!(block.stderr.contains(expected), "{arguments:?}: {}", block.stderr);
    };
    check(
        &["journal", "decide", "--title", "x", "--category", "mood", "--decision", "y"],
        "`mood` is not a category: architecture,",
    );
    check(
        &[
            "journal",
            "decide",
            "--title",
            "x",
            "--category",
            "process",
            "--status",
            "maybe",
            "--decision",
            "y",
        ],
        "`maybe` is not a status",
    );
    check(
        &["journal", "decide", "--title", " ", "--category", "process", "--decision", "y"],
        "needs a title",
    );
    check(&["journal", "decide", "--title", "x", "--category", "process", "--text", " "], "what was decided");
    check(&["journal", "decide", "--title", "x", "--category", "process"], "nothing to write down");
    check(&["journal", "analyze", "--summary", "x"], "path or component");
    check(&["journal", "analyze", "a", "--type", "thing", "--summary", "x"], "`thing` is not a type");
    check(&["journal", "project", "--type", "thing"], "`thing` is not a type");
    check(&["journal", "done"], "no current task");
    check(&["journal", "block", "--resolve", "nothing"], "no open blocker");
    check(&["journal", "progress", "--check", "9"], "no such step");
    check(&["journal", "list", "--status", "maybe"], "`maybe` is not a status");
    check(
        &["journal", "subagent", "write", "--task", "t", "--text", "## Details\nx"],
        "`Summary` is missing",
    );
    assert_eq!(sandbox.run(["journal", "show", "nothing"]).code, 1);
    assert_eq!(sandbox.json(&["journal", "status"])["counts"]["decisions"], 0);
}

#[test]
fn a_decision_is_a_whole_record_from_any_source() {
    let mut sandbox = started();
    sandbox.stdin =
        "# Ignored title\n\n## Context\nTokens leaked.\n\n## Decision\nUse cookies.\n\n## Own\nkept\n"
            .to_owned();
    let first = sandbox.json(&[
        "journal",
        "decide",
        "--title",
        "Use | cookies",
        "--category",
        "Architecture",
        "--file",
        "-",
    ]);
    assert!(first["path"].as_str().unwrap().ends_with("_001_use-cookies.md"), "{first}");
    let second = sandbox.json(&[
        "journal",
        "decide",
        "--title",
        "Tokens",
        "--category",
        "architecture",
        "--status",
        "pending",
        "--text",
        "plain words",
        "--supersedes",
        "001",
    ]);
    let old = fs::read_to_string(first["path"].as_str().unwrap()).unwrap();
    assert_snapshot!(old, @r"
    # Use | cookies

    **Date**: 2026-11-15T12:00:00Z
    **Category**: architecture
    **Status**: superseded
    **Superseded by**: decisions/2026-11-15_002_tokens.md

    ## Context
    Tokens leaked.

    ## Decision
    Use cookies.

    ## Alternatives Considered

    ## Consequences

    ## Own
    kept
    ");
    assert!(
        fs::read_to_string(second["path"].as_str().unwrap()).unwrap().contains("**Supersedes**: decisions/")
    );
    let listed = sandbox.json(&["journal", "list", "--category", "decision", "--status", "superseded"]);
    assert_eq!(listed["items"].as_array().unwrap().len(), 1);
    assert_eq!(listed["items"][0]["title"], "Use | cookies");
    // The same path again replaces the analysis; another path of the same name does not.
    for path in ["src/a_b.rs", "src/a/b.rs", "src/a_b.rs"] {
        sandbox.ok(&["journal", "analyze", path, "--summary", "Found it."]);
    }
    let names: BTreeSet<String> = sandbox
        .journal()
        .join("analysis")
        .read_dir_utf8()
        .unwrap()
        .map(|entry| entry.unwrap().file_name().to_owned())
        .collect();
    assert_eq!(names, BTreeSet::from(["src_a_b-2.md".to_owned(), "src_a_b.md".to_owned()]));
}

#[test]
fn the_index_is_rebuilt_from_the_files_alone() {
    let sandbox = started();
    for number in 0..23 {
        sandbox.decide(&format!("Decision {number}"));
    }
    sandbox.ok(&["journal", "task", "Count to thirty"]);
    let before = sandbox.json(&["journal", "status"]);
    assert_eq!((&before["index"]["entries"], &before["index"]["archived"]), (&20.into(), &4.into()));
    let index = sandbox
        .file("_index.md")
        .replace("## Quick Lookup\n", "## Quick Lookup\n- my own way → decisions/2026-*_00*.md\n");
    sandbox.home.write(sandbox.journal().join("_index.md"), index);
    sandbox.ok(&["journal", "note", "Another"]);
    assert!(sandbox.file("_index.md").contains("- my own way → decisions/2026-*_00*.md"));
    for gone in ["_index.md", "_index-archive.md", "_session.json"] {
        fs::remove_file(sandbox.journal().join(gone)).unwrap();
    }
    sandbox.ok(&["journal", "rebuild"]);
    let after = sandbox.json(&["journal", "status"]);
    assert_eq!(
        (&after["counts"], &after["state"]),
        (&sandbox.json(&["journal", "rebuild"])["counts"], &before["state"])
    );
    assert_eq!((&after["index"]["entries"], &after["index"]["archived"]), (&20.into(), &5.into()));
    let everything = sandbox.file("_index.md") + &sandbox.file("_index-archive.md");
    for number in 0..23 {
        assert!(everything.contains(&format!("_decision-{number}.md")), "{number}");
    }
    assert!(sandbox.file("_index.md").contains("- **Task**: Count to thirty"));
    let session: Value = serde_json::from_str(&sandbox.file("_session.json")).unwrap();
    assert_eq!(
        session["stats"],
        serde_json::json!({"decisions": 23, "analyses": 0, "indexArchived": 5, "subagentOutputs": 0})
    );
}

#[test]
fn sixty_four_sub_agents_in_one_second_lose_nothing() {
    let sandbox = started();
    let at = ["--now", "2026-01-19T22:30:00Z", "journal", "subagent", "write", "--task", "scan"];
    let children: Vec<_> = (0..64)
        .map(|number| {
            // Half of them say the very same.
            let text = if number % 2 == 0 { "the same".to_owned() } else { format!("output {number}") };
            sandbox.process(&at).args(["--text", &text]).spawn().unwrap()
        })
        .collect();
    for child in children {
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
    let names: Vec<String> = sandbox
        .journal()
        .join("subagent")
        .read_dir_utf8()
        .unwrap()
        .map(|entry| entry.unwrap().file_name().to_owned())
        .collect();
    assert_eq!(names.len(), 64, "{names:?}");
    assert_eq!(sandbox.json(&["journal", "status"])["index"]["entries"], 0, "only a parent writes the index");
    let done = sandbox.json(&["journal", "consolidate", "scan", "--wait", "0"]);
    assert_eq!((done["filed"].as_array().unwrap().len(), done["missing"].as_array().unwrap().len()), (64, 0));
    let status = sandbox.json(&["journal", "status"]);
    assert_eq!(status["index"], serde_json::json!({"entries": 20, "archived": 44, "waiting": 0}));
    let session: Value = serde_json::from_str(&sandbox.file("_session.json")).unwrap();
    assert_eq!(
        (&session["stats"]["subagentOutputs"], &session["stats"]["indexArchived"]),
        (&64.into(), &44.into())
    );
    assert_eq!(sandbox.json(&["journal", "consolidate"])["filed"].as_array().unwrap().len(), 0);
    assert_eq!(sandbox.run(["journal", "consolidate", "never-ran", "--wait", "0"]).code, 1);
}

#[test]
fn many_agents_decide_at_once_and_every_number_is_given_once() {
    let sandbox = started();
    let children: Vec<_> = (0..24)
        .map(|number| {
            let session = format!("session-{}", number % 4);
            let mut command = sandbox.process(&[
                "journal",
                "decide",
                "--category",
                "process",
                "--decision",
                "Do it.",
                "--title",
            ]);
            command
                .arg(format!("Title {number}"))
                .env("CLAUDECODE", "1")
                .env("CLAUDE_CODE_SESSION_ID", session);
            command.spawn().unwrap()
        })
        .collect();
    for child in children {
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
    let names: Vec<String> = sandbox
        .journal()
        .join("decisions")
        .read_dir_utf8()
        .unwrap()
        .map(|entry| entry.unwrap().file_name().to_owned())
        .collect();
    let numbers: BTreeSet<&str> = names.iter().map(|name| &name[..14]).collect();
    assert_eq!((names.len(), numbers.len()), (24, 24), "{names:?}");
    let status = sandbox.json(&["journal", "status"]);
    assert_eq!((&status["index"]["entries"], &status["index"]["archived"]), (&20.into(), &4.into()));
    assert_eq!(status["sessions"].as_array().unwrap().len(), 4);
}

#[test]
fn what_is_damaged_is_read_reported_left_and_repaired() {
    type Damage = fn(&str) -> Vec<u8>;
    let cases: [(&str, Damage, bool); 7] = [
        ("_index.md", |index| index.as_bytes()[..index.find("|---").unwrap()].to_vec(), true),
        (
            "_index.md",
            |index| {
                let begun = index.replace("| Decision |", "<<<<<<< HEAD\n| Decision |");
                (begun + "=======\n>>>>>>> other\n").into_bytes()
            },
            true,
        ),
        ("_index.md", |index| [index.as_bytes(), b"caf\xE9\n"].concat(), true),
        ("_index.md", |index| index.replace("Do it |", "Do | it |").into_bytes(), false),
        ("_session.json", |session| session.as_bytes()[..session.len() / 2].to_vec(), true),
        (
            "_session.json",
            |session| format!("<<<<<<< HEAD\n{session}=======\n>>>>>>> x\n").into_bytes(),
            true,
        ),
        (
            "_session.json",
            |session| {
                let units = session.encode_utf16().flat_map(u16::to_le_bytes);
                [0xFF, 0xFE].into_iter().chain(units).collect()
            },
            false,
        ),
    ];
    for (name, damage, is_reported) in cases {
        let sandbox = started();
        sandbox.decide("One");
        let damaged = damage(&sandbox.file(name));
        sandbox.home.write(sandbox.journal().join(name), &damaged);
        let label = format!("{name}: {:?}", String::from_utf8_lossy(&damaged));
        let status = sandbox.json(&["journal", "status"]);
        assert_eq!(status["active"], true, "{label}");
        assert_eq!(!status["problems"].as_array().unwrap().is_empty(), is_reported, "{label} {status}");
        // A record goes through; what was not understood is not written over.
        sandbox.decide("Two");
        let now = fs::read(sandbox.journal().join(name)).unwrap();
        let (kept, now) = (String::from_utf8_lossy(&damaged), String::from_utf8_lossy(&now).into_owned());
        let strange = |line: &&str| line.contains("<<<") || line.contains('\u{FFFD}');
        let lost: Vec<&str> = kept.lines().filter(strange).filter(|line| !now.contains(line)).collect();
        assert!(lost.is_empty() || !is_reported, "{label}");
        let rebuilt = sandbox.json(&["journal", "rebuild"]);
        assert_eq!(!rebuilt["warnings"].as_array().unwrap().is_empty(), is_reported, "{label} {rebuilt}");
        assert_eq!(sandbox.journal().join(format!("{name}.broken")).exists(), is_reported, "{label}");
        let status = sandbox.json(&["journal", "status"]);
        assert_eq!(
            (&status["problems"], &status["counts"]["decisions"], &status["index"]["entries"]),
            (&serde_json::json!([]), &2.into(), &2.into()),
            "{label}"
        );
    }
}

#[test]
fn a_sub_agent_writes_nowhere_but_below_subagent() {
    let sandbox = started();
    let journal = sandbox.journal();
    let code = |agent: Option<&str>, tool: &str, path: &str| {
        let path = journal.join(path);
        let mut arguments = vec!["check", "write", "--tool", tool];
        arguments.extend(agent.iter().flat_map(|agent| ["--agent", agent]));
        sandbox.run(arguments.into_iter().chain([path.as_str()])).code
    };
    assert_eq!(code(Some("scout"), "Write", "subagent/2026-01-19_223000_scan.md"), 0);
    for path in ["_index.md", "_session.json", "decisions/x.md", "subagent/../_index.md", "subagent/x.json"] {
        assert_eq!(code(Some("scout"), "Write", path), 1, "{path}");
    }
    assert_eq!(code(Some("scout"), "Read", "_index.md"), 0);
    assert_eq!(code(None, "Write", "_index.md"), 1);
}

#[test]
fn an_agent_is_told_about_the_journal_while_it_is_kept() {
    let sandbox = started();
    let prompt = sandbox.ok(&["prompt", "--assemble"]);
    assert!(
        prompt.contains("# Journal") && prompt.contains("<!-- MEMORY_BREADCRUMB: project TIME -->"),
        "{prompt}"
    );
    let comment = sandbox.ok(&["journal", "breadcrumb"]);
    assert!(
        comment.starts_with("<!-- MEMORY_BREADCRUMB: project 20") && comment.ends_with("Z -->\n"),
        "{comment}"
    );
    sandbox.ok(&["journal", "stop"]);
    assert!(!sandbox.ok(&["prompt", "--assemble"]).contains("# Journal"));
}

#[test]
fn two_projects_of_one_name_have_a_journal_each() {
    let mut sandbox = started();
    sandbox.decide("Of the first");
    sandbox.cwd = sandbox.home.dir("home/elsewhere/Project");
    let other = sandbox.json(&["journal", "start"]);
    let key = other["project_key"].as_str().unwrap();
    assert!(key.starts_with("project-") && key.len() == "project-".len() + 6, "{key}");
    assert_eq!(other["counts"]["decisions"], 0);
    sandbox.decide("Of the second");
    assert_eq!(fs::read_dir(sandbox.journal().join("decisions")).unwrap().count(), 1);
}

/// A session that starts, decides, analyses, is compacted, recovers, spawns sub-agents, is stopped, resumes another day,
/// is archived; then rebuilt from its files; then moved to another path.
#[test]
fn the_whole_story() {
    let mut sandbox = Sandbox::new().var("CLAUDECODE", "1").var("CLAUDE_CODE_SESSION_ID", "first");
    Git::run(&sandbox.cwd, &["init", "-q", "-b", "main"]);
    sandbox.now = "2026-01-19T09:00:00Z".to_owned();
    sandbox.ok(&["journal", "start"]);
    sandbox.ok(&["journal", "project", "--type", "application", "--overview", "A shop."]);
    sandbox.ok(&["journal", "task", "Move sessions to cookies", "--text", "Keep old tokens for a week."]);
    sandbox.ok(&["journal", "progress", "--add", "write the migration", "--add", "test it", "--check", "1"]);
    sandbox.ok(&[
        "journal",
        "decide",
        "--title",
        "Use httpOnly cookies",
        "--category",
        "architecture",
        "--decision",
        "Scripts cannot read them.",
    ]);
    sandbox.ok(&[
        "journal",
        "analyze",
        "src/session.ts",
        "--summary",
        "Sessions are tokens in local storage.",
    ]);
    sandbox.ok(&["journal", "block", "No access to staging"]);
    Git::run(&sandbox.cwd, &["checkout", "-q", "-b", "cookies"]);
    sandbox.now = "2026-01-19T10:00:00Z".to_owned();
    assert!(sandbox.ok(&["journal", "note", "Deploy on Tuesdays"]).contains("main → cookies"));

    // The client compacts; the session that starts again asks for a recovery.
    sandbox.stdin =
        r#"{"hook_event_name": "SessionStart", "source": "compact", "session_id": "first"}"#.to_owned();
    let recovered = sandbox.json(&["journal", "recover", "--payload", "-"]);
    assert_eq!(recovered["compaction"], serde_json::json!({"compacted": true, "by": "session_start"}));
    let text = recovered["text"].as_str().unwrap();
    for expected in [
        "Task: Move sessions to cookies",
        "1/2 subtasks",
        "Next: test it",
        "No access to staging",
        "Scripts cannot read them.",
        "local storage",
        "A shop.",
        "Keep old tokens",
    ] {
        assert!(text.contains(expected), "{expected}:\n{text}");
    }
    assert!(recovered["tokens"].as_u64().unwrap() <= 2_000);
    let small = sandbox.json(&["journal", "recover", "--budget", "300"]);
    assert!(small["tokens"].as_u64().unwrap() <= 300 && !small["left_out"].as_array().unwrap().is_empty());
    assert!(small["text"].as_str().unwrap().contains("Move sessions to cookies"));

    // Sub-agents work; their parent takes over what they found.
    assert!(sandbox.ok(&["journal", "subagent", "prompt", "--task", "scan"]).contains("--task scan"));
    for task in ["scan", "load test"] {
        sandbox.ok(&[
            "journal",
            "subagent",
            "write",
            "--task",
            task,
            "--text",
            "## Summary\nAll well.\n\n## Details\nx\n",
        ]);
    }
    sandbox.ok(&["journal", "consolidate", "scan", "load test", "--wait", "0"]);
    sandbox.ok(&["journal", "block", "--resolve", "staging"]);
    sandbox.ok(&["journal", "done"]);
    sandbox.now = "2026-01-19T18:00:00Z".to_owned();
    sandbox.ok(&["journal", "stop"]);
    assert_eq!(sandbox.run(["journal", "note", "too late"]).code, 2);

    // Another day, another session.
    sandbox.vars.retain(|(name, _)| name != "CLAUDE_CODE_SESSION_ID");
    sandbox.vars.push(("CLAUDE_CODE_SESSION_ID".to_owned(), "second".to_owned()));
    sandbox.now = "2026-01-20T09:00:00Z".to_owned();
    let resumed = sandbox.json(&["journal", "start"]);
    assert_eq!(
        (&resumed["started"], &resumed["sessions"]),
        (&"2026-01-20T09:00:00Z".into(), &serde_json::json!(["second"]))
    );
    assert_eq!(resumed["state"]["task"], "None");
    sandbox.ok(&[
        "journal",
        "decide",
        "--title",
        "Cookies for a day",
        "--category",
        "configuration",
        "--decision",
        "One day.",
        "--supersedes",
        "httponly",
    ]);
    sandbox.ok(&["journal", "stop"]);
    let archive = sandbox.file("_index-archive.md");
    assert!(
        archive.contains("| 2026-01-19T09:00:00Z | 2026-01-19T18:00:00Z | 0 |")
            && archive.contains("| 2026-01-20T09:00:00Z |"),
        "{archive}"
    );

    // Rebuilt from its files.
    let before = sandbox.json(&["journal", "status"]);
    fs::remove_file(sandbox.journal().join("_index.md")).unwrap();
    sandbox.ok(&["journal", "rebuild"]);
    let after = sandbox.json(&["journal", "status"]);
    assert_eq!(
        (&after["counts"], &after["index"], &after["state"], &after["active"]),
        (&before["counts"], &before["index"], &before["state"], &before["active"])
    );

    // Moved: found where it is, and it goes on.
    let new = sandbox.home.home().join("renamed");
    fs::rename(&sandbox.cwd, &new).unwrap();
    sandbox.cwd = new;
    let moved = sandbox.json(&["journal", "start"]);
    assert_eq!((&moved["counts"], &moved["project_path"]), (&after["counts"], &sandbox.cwd.as_str().into()));
    sandbox.ok(&["journal", "note", "Still here"]);
    assert_eq!(sandbox.json(&["journal", "status"])["counts"]["context"], 4);
}

#[test]
fn an_old_journal_is_brought_over_and_kept_until_told() {
    let sandbox = Sandbox::new();
    let old = sandbox.cwd.join(".claude/memory");
    let write = |path: &str, text: &str| sandbox.home.write(old.join(path), text);
    write("decisions/2025-12-01_001_db.md", "# Database\n\n## Decision\nPostgreSQL.\n");
    write("context/current-task.md", "# Current Task\n\nShip it\n");
    write(
        "_index.md",
        "# Memory Index\n\n## Recent Files (Last 20)\n| Category | File | Updated | Summary |\n|---|---|---|---|\n\n## Quick Lookup\n- mine → decisions/2025*.md\n",
    );
    write("_session.json", "{\"active\": true, \"started\": \"2025-12-01T00:00:00Z\", \"own\": 1}");
    write("notes.txt", "other");
    let before = sandbox.home.tree("");
    let plan = sandbox.json(&["journal", "migrate"]);
    assert_eq!((&plan["applied"], plan["steps"].as_array().unwrap().len()), (&false.into(), 4), "{plan}");
    assert_eq!(sandbox.home.tree(""), before, "a dry run changes nothing");
    sandbox.ok(&["journal", "migrate", "--apply"]);
    assert!(old.join("decisions/2025-12-01_001_db.md").exists());
    let status = sandbox.json(&["journal", "status"]);
    assert_eq!(
        (&status["active"], &status["counts"]["decisions"], &status["state"]["task"]),
        (&true.into(), &1.into(), &"Ship it".into())
    );
    let session: Value = serde_json::from_str(&sandbox.file("_session.json")).unwrap();
    assert_eq!(
        (&session["projectKey"], &session["own"], &session["started"]),
        (&"project".into(), &1.into(), &"2025-12-01T00:00:00Z".into())
    );
    assert!(sandbox.file("_index.md").contains("- mine → decisions/2025*.md"));
    // Again: nothing is doubled; and now the old files go, but nothing else does.
    sandbox.ok(&["journal", "migrate", "--apply", "--delete"]);
    assert_eq!(sandbox.json(&["journal", "status"])["counts"]["decisions"], 1);
    assert_eq!(sandbox.home.tree("home/project/.claude"), "memory/notes.txt: \"other\"");
    assert_eq!(sandbox.json(&["journal", "migrate"])["steps"], Value::Null);
    assert!(sandbox.file("migrated/_index.md").starts_with("# Memory Index\n"));
}

#[test]
fn the_memory_for_all_projects_is_not_an_old_journal_of_the_home_directory() {
    let mut sandbox = Sandbox::new();
    sandbox.cwd = sandbox.home.home();
    sandbox.ok(&["add", "--scope", "user", "-n", "project", "-t", "user", "All my projects use tabs."]);
    let memory = sandbox.home.home().join(".claude/memory/project.md");
    assert!(memory.exists());
    assert_eq!(sandbox.json(&["journal", "migrate", "--apply", "--delete"])["steps"], Value::Null);
    assert!(memory.exists());
    assert!(!sandbox.run(["doctor", "--json"]).stdout.contains("journal-old"));
    // It is one if the client's configuration is elsewhere.
    let elsewhere = sandbox.home.home().join("config");
    let sandbox = sandbox.var("CLAUDE_CONFIG_DIR", elsewhere.as_str());
    assert_eq!(sandbox.json(&["journal", "migrate"])["steps"].as_array().unwrap().len(), 1);
}

#[test]
fn what_the_new_index_does_not_say_is_kept_before_an_old_one_goes() {
    let sandbox = started();
    let old = sandbox.cwd.join(".claude/memory");
    let index = "# Memory Index\n\n## Current State\n- **Task**: the old one\n\n## My notes\nsauce\n";
    for (name, text) in [
        ("_index.md", index),
        ("_session.json", "{\"active\": true, \"own\": \"keep\"}"),
        ("_index-archive.md", "# Archive\nan old line\n"),
    ] {
        sandbox.home.write(old.join(name), text);
    }
    sandbox.ok(&["journal", "migrate", "--apply", "--delete"]);
    assert_eq!(sandbox.home.tree("home/project/.claude"), "");
    assert_eq!(sandbox.file("migrated/_index.md"), index);
    assert!(sandbox.file("migrated/_session.json").contains("keep"));
    assert!(sandbox.file("migrated/_index-archive.md").contains("an old line"));
}

#[test]
fn a_damaged_session_ends_no_journal() {
    for damage in ["", "null", "[]", "{\"act", "{\"active\":\"yes\",\"stats\":[]}"] {
        let sandbox = started();
        sandbox.home.write(sandbox.home.home().join(".claude/projects/project/_session.json"), damage);
        sandbox.ok(&["journal", "decide", "--title", "t", "--category", "process", "--decision", "x"]);
        assert_eq!(sandbox.json(&["journal", "status"])["active"], true, "{damage}");
    }
}

#[test]
fn an_index_with_an_unfinished_merge_is_left_alone_until_it_is_rebuilt() {
    let sandbox = started();
    let decide = |title: &str| {
        sandbox.run(["journal", "decide", "--title", title, "--category", "process", "--decision", "x"])
    };
    decide("One");
    let path = sandbox.home.home().join(".claude/projects/project/_index.md");
    let merging = sandbox.file("_index.md").replacen("| Decision", "<<<<<<< HEAD\n| Decision", 1);
    sandbox.home.write(&path, &merging);
    let block = decide("Two");
    assert_eq!((block.code, sandbox.file("_index.md")), (0, merging), "{}", block.stderr);
    assert!(block.stderr.contains("rebuild"), "{}", block.stderr);
    sandbox.ok(&["journal", "rebuild"]);
    assert!(sandbox.file("_index.md").contains("two") && !sandbox.file("_index.md").contains("<<<<"));
}

#[test]
fn the_index_follows_when_a_record_is_taken_back() {
    let sandbox = started();
    for title in ["One", "Two"] {
        sandbox.ok(&["journal", "decide", "--title", title, "--category", "process", "--decision", "x"]);
    }
    let directory = sandbox.home.home().join(".claude/projects/project");
    sandbox.ok(&["undo", "--dir", directory.as_str()]);
    let index = sandbox.file("_index.md");
    let rows: Vec<&str> = index.lines().filter(|line| line.starts_with("| Decision")).collect();
    assert!(rows.len() == 1 && rows[0].contains("_one.md"), "{index}");
    assert_eq!(sandbox.json(&["journal", "status"])["counts"]["decisions"], 1);
}

#[test]
fn a_session_that_starts_is_told_and_a_compacted_one_goes_on() {
    let mut sandbox = started();
    sandbox.ok(&["journal", "task", "Move sessions to cookies"]);
    let mut start = |source: &str| {
        sandbox.stdin = serde_json::json!({
            "hook_event_name": "SessionStart", "source": source, "session_id": "s-1", "cwd": sandbox.cwd
        })
        .to_string();
        let block = sandbox.run(["hook", "SessionStart"]);
        assert_eq!((block.code, block.stderr.as_str()), (0, ""));
        block.stdout
    };
    let (begun, compacted, resumed) = (start("startup"), start("compact"), start("resume"));
    assert!(begun.contains("# Journal\\n") && begun.contains("MEMORY_BREADCRUMB"), "{begun}");
    assert!(
        compacted.contains("Your context was compacted") && compacted.contains("Move sessions to cookies"),
        "{compacted}"
    );
    assert_eq!(compacted.matches("Your context was compacted").count(), 1);
    assert!(
        resumed.contains("Move sessions to cookies") && !resumed.contains("MEMORY_BREADCRUMB"),
        "{resumed}"
    );
    assert_eq!(sandbox.json(&["journal", "status"])["sessions"], serde_json::json!(["s-1"]));
    sandbox.ok(&["journal", "stop"]);
    sandbox.stdin = serde_json::json!({"source": "compact", "cwd": sandbox.cwd}).to_string();
    assert_eq!(sandbox.run(["hook", "SessionStart"]).stdout, "");
}

#[test]
fn a_transcript_that_never_ends_is_refused() {
    let sandbox = Sandbox::new();
    sandbox.ok(&["journal", "start"]);
    for path in ["/dev/zero", "/"] {
        let block = sandbox.run(["journal", "recover", "--transcript", path]);
        let message = format!("error: cannot read the transcript `{path}`: not a regular file\n");
        assert_eq!((block.code, block.stderr), (2, message));
    }
}

#[test]
fn each_branch_has_its_own_task_where_the_user_wants_that() {
    let sandbox = Sandbox::new();
    Git::init(&sandbox.cwd, "first");
    sandbox.run(["journal", "start"]);
    sandbox.run(["journal", "task", "port the parser"]);
    sandbox.run(["journal", "progress", "--add", "write the lexer"]);
    Git::run(&sandbox.cwd, &["switch", "-qc", "fix/login"]);
    sandbox.run(["journal", "block", "waits for a key"]);
    let shown = |path: &str| sandbox.run(["journal", "show", path]).stdout;
    assert!(
        shown("context/current-task.md").contains("port the parser"),
        "one state, unless the user says so"
    );
    sandbox.run(["journal", "unblock"]);
    Git::run(&sandbox.cwd, &["switch", "-q", "main"]);
    sandbox.run(["journal", "progress", "--add", "write the tests"]);

    sandbox.run(["config", "set", "features.branch_journal", "true"]);
    Git::run(&sandbox.cwd, &["switch", "-q", "fix/login"]);
    assert_eq!(sandbox.run(["journal", "task", "repair the login"]).code, 0);
    assert!(shown("context/current-task.md").contains("repair the login"));
    assert!(!shown("progress/active.md").contains("write the lexer"), "{}", shown("progress/active.md"));
    Git::run(&sandbox.cwd, &["switch", "-q", "main"]);
    assert_eq!(sandbox.run(["journal", "progress", "--add", "write the printer"]).code, 0);
    let active = shown("progress/active.md");
    assert!(active.contains("write the lexer") && active.contains("write the printer"), "{active}");
    let task = shown("context/current-task.md");
    assert!(task.contains("port the parser") && !task.contains("login"), "{task}");
    Git::run(&sandbox.cwd, &["switch", "-q", "fix/login"]);
    assert_eq!(sandbox.run(["journal", "start"]).code, 0);
    assert!(shown("context/current-task.md").contains("repair the login"));
}
