//! Requirements of the four documents that no other test pins by themselves. docs/SEEDS.md names these tests.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::Stdio;
use std::time::Duration;

use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::harness::Sandbox;

/// What a session is told when it starts.
fn start(sandbox: &mut Sandbox, source: &str) -> String {
    event(sandbox, "SessionStart", &json!({"source": source}))
}

fn event(sandbox: &mut Sandbox, name: &str, fields: &Value) -> String {
    let mut payload = json!({"hook_event_name": name, "session_id": "s-1", "cwd": sandbox.cwd});
    for (key, value) in fields.as_object().unwrap() {
        payload[key] = value.clone();
    }
    sandbox.stdin = payload.to_string();
    let ran = sandbox.run(["hook", name]);
    sandbox.stdin.clear();
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    let answer: Value = serde_json::from_str(&ran.stdout).unwrap_or_default();
    answer["hookSpecificOutput"]["additionalContext"].as_str().unwrap_or_default().to_owned()
}

/// A sandbox with these switches on.
fn with(switches: &str) -> Sandbox {
    let sandbox = Sandbox::new();
    let lines: String = switches.split_whitespace().map(|name| format!("{name} = true\n")).collect();
    sandbox.home.write("home/.config/memdir/config.toml", format!("[features]\n{lines}"));
    sandbox
}

fn started() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.ok(&["journal", "start"]);
    sandbox
}

#[test]
fn the_index_and_the_rules_of_the_team_reach_a_session() {
    let mut sandbox = with("team");
    let memory = sandbox.run(["path"]).stdout.trim_end().to_owned();
    sandbox.home.write(format!("{memory}/team/MEMORY.md"), "- [deploys](deploys.md) — on Tuesdays\n");
    let told = start(&mut sandbox, "startup");
    for expected in [
        "## Team memory",
        "no secret ever goes to the team",
        "(memory of the team, shared by its members)",
        "| - [deploys](deploys.md) — on Tuesdays",
    ] {
        assert!(told.contains(expected), "{expected}: {told}");
    }
    sandbox.home.write("home/.config/memdir/config.toml", "[features]\nteam = false\n");
    let told = start(&mut sandbox, "startup");
    assert!(!told.contains("deploys") && !told.contains("Team memory"), "{told}");
}

#[test]
fn the_daily_log_mode_reaches_a_session() {
    let mut sandbox = with("daily_logs");
    let told = start(&mut sandbox, "startup");
    assert!(told.contains("# Daily log") && told.contains("/logs/YYYY/MM/YYYY-MM-DD.md`"), "{told}");
    assert!(told.contains("Only append"), "{told}");
    assert!(!start(&mut Sandbox::new(), "startup").contains("# Daily log"));
}

#[test]
fn past_sessions_are_named_to_a_session() {
    let mut sandbox = with("session_search");
    let told = start(&mut sandbox, "startup");
    assert!(told.contains("# Past sessions") && told.contains("--in sessions"), "{told}");
    assert!(!start(&mut Sandbox::new(), "startup").contains("# Past sessions"));
}

#[test]
fn a_session_has_a_private_scratchpad_until_it_ends() {
    let mut sandbox = Sandbox::new();
    let told = start(&mut sandbox, "startup");
    let folder = sandbox.home.home().join(".local/share/memdir/scratch/s-1");
    assert!(told.contains("# Scratchpad") && told.contains(&format!("`{folder}/`")), "{told}");
    assert_eq!(fs::metadata(&folder).unwrap().permissions().mode() & 0o777, 0o700);
    event(&mut sandbox, "SessionEnd", &json!({"reason": "exit"}));
    assert!(!folder.exists());
}

#[test]
fn preferences_reach_a_session_that_has_no_journal() {
    let mut sandbox = Sandbox::new();
    assert!(!start(&mut sandbox, "startup").contains("known about the user"));
    sandbox.ok(&["user", "update", "preferences", "--text", "Use tabs"]);
    sandbox.ok(&["user", "update", "communication", "--observed", "--text", "Likes short answers"]);
    sandbox.ok(&["user", "update", "technical", "--text", &"a long remark about tools ".repeat(140)]);
    for source in ["startup", "resume", "compact", "clear"] {
        let told = start(&mut sandbox, source);
        assert!(told.contains("| - 2026-11-15: Use tabs"), "{source}: {told}");
        assert!(!told.contains("short answers"), "what was only observed waits: {told}");
        let left_out = told.lines().find(|line| line.starts_with("Left out")).unwrap();
        assert!(left_out.contains("/.claude/user/technical.md. Read the file"), "{source}: {left_out}");
        assert_eq!(told.matches("<memory-quote").count(), 1, "{told}");
    }
    sandbox.ok(&["journal", "start"]);
    sandbox.ok(&["journal", "stop"]);
    assert!(start(&mut sandbox, "startup").contains("Use tabs"), "also beside a journal that is stopped");
}

#[test]
fn an_agent_is_told_to_say_when_it_uses_a_preference() {
    let sentence = "say so: `💭 Based on your preference: …`";
    let mut sandbox = started();
    sandbox.ok(&["user", "update", "preferences", "--text", "Use tabs"]);
    assert!(start(&mut sandbox, "startup").contains(sentence));
    assert!(sandbox.ok(&["user", "show", "--told"]).contains(sentence));
    sandbox.ok(&["journal", "stop"]);
    assert!(start(&mut sandbox, "startup").contains(sentence));
}

#[test]
fn a_journal_begins_with_its_four_files_of_state() {
    let sandbox = started();
    let begins = [
        ("context/current-task.md", "# Current Task\n\nNo task is set."),
        ("context/blockers.md", "# Blockers\n\n"),
        ("progress/active.md", "# Active Work\n\nNothing is listed."),
        ("progress/completed.md", "# Completed"),
    ];
    for (path, begin) in begins {
        let text = sandbox.file(path);
        assert!(text.starts_with(begin), "{path}: {text}");
    }
}

#[test]
fn the_page_of_a_project_has_the_protocols_form() {
    let sandbox = started();
    sandbox.ok(&["journal", "project", "--type", "application", "--overview", "A shop."]);
    assert_snapshot!(sandbox.file("project.md").replace(sandbox.home.root().as_str(), "[ROOT]"), @r"
    # Project: project

    **Path**: [ROOT]/home/project
    **Type**: application
    **Last Updated**: 2026-11-15T12:00:00Z

    ## Overview
    A shop.

    ## Role

    ## Tech Stack

    ## Related Projects

    ## Notes
    ");
}

#[test]
fn stopping_a_journal_says_that_its_files_stay() {
    let sandbox = started();
    assert_snapshot!(sandbox.show("journal stop"), @r"
    exit 0
    --- stdout
    The journal is stopped. Its files stay in [ROOT]/home/.claude/projects/project.
    ");
    assert!(sandbox.file("_index.md").contains("Status: INACTIVE"));
}

#[test]
fn an_agent_is_told_when_to_write_and_what_to_read_first() {
    let told = start(&mut started(), "startup");
    for command in ["decide", "task", "recover", "subagent write", "consolidate"] {
        assert!(told.contains(&format!("memdir journal {command}")), "{command}: {told}");
    }
    for expected in
        ["`block`, `progress`, `done`", "_index.md` first", "only the file that answers the question"]
    {
        assert!(told.contains(expected), "{expected}: {told}");
    }
}

#[test]
fn the_index_and_a_single_record_are_read_alone() {
    let sandbox = started();
    for (title, decision) in [("Use cookies", "Scripts cannot read them."), ("Use tabs", "Shorter.")] {
        sandbox.ok(&["journal", "decide", "--title", title, "--category=process", "--decision", decision]);
    }
    let index = sandbox.ok(&["journal", "index"]);
    assert!(index.contains("_001_use-cookies.md") && !index.contains("Shorter."), "{index}");
    let record = sandbox.ok(&["journal", "show", "001"]);
    assert!(record.contains("Scripts cannot read them.") && !record.contains("Shorter."), "{record}");
}

#[test]
fn a_sub_agent_reads_every_journal_the_map_and_the_profile() {
    let sandbox = started();
    let config = sandbox.home.home().join(".claude");
    for path in [
        "projects/project/_index.md",
        "projects/project/decisions/2026-01-19_001_x.md",
        "projects/other/_index.md",
        "workspace.md",
        "user/preferences.md",
    ] {
        sandbox.home.write(config.join(path), "x\n");
        let path = config.join(path);
        let code = |tool: &str| {
            let arguments = ["check", "write", "--tool", tool, "--agent", "scout", path.as_str()];
            sandbox.run(arguments).code
        };
        assert_eq!((code("Read"), code("Write")), (0, 1), "{path}");
    }
    sandbox.home.write(config.join("settings.json"), "{}\n");
    let settings = config.join("settings.json");
    let arguments = ["check", "write", "--tool", "Read", "--agent", "scout", settings.as_str()];
    assert_eq!(sandbox.run(arguments).code, 1);
}

#[test]
fn a_parent_waits_for_the_output_of_a_sub_agent() {
    let sandbox = started();
    let parent = sandbox
        .process(&["journal", "consolidate", "late", "--wait", "60", "--json"])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    std::thread::sleep(Duration::from_millis(300));
    sandbox.ok(&["journal", "subagent", "write", "--task", "late", "--text", "Found it at last."]);
    let output = parent.wait_with_output().unwrap();
    let done: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((done["filed"].as_array().unwrap().len(), &done["missing"]), (1, &json!([])), "{done}");
}

#[test]
fn parents_that_consolidate_at_once_take_each_output_over_once() {
    let sandbox = started();
    for number in 0..8 {
        let text = format!("Output {number}.");
        sandbox.ok(&["journal", "subagent", "write", "--task", &format!("scan {number}"), "--text", &text]);
    }
    let parents: Vec<_> =
        (0..4).map(|_| sandbox.process(&["journal", "consolidate"]).spawn().unwrap()).collect();
    for parent in parents {
        let output = parent.wait_with_output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
    let index = sandbox.file("_index.md");
    for number in 0..8 {
        assert_eq!(index.matches(&format!("_scan-{number}.md |")).count(), 1, "{index}");
    }
    let session: Value = serde_json::from_str(&sandbox.file("_session.json")).unwrap();
    assert_eq!(session["stats"]["subagentOutputs"], 8, "{session}");
}

#[test]
fn an_initiative_of_several_projects_has_a_status() {
    let sandbox = started();
    sandbox.ok(&["workspace", "initiative", "2.0", "--projects", "project", "--note", "soon"]);
    sandbox.ok(&["workspace", "initiative", "2.0", "--status", "done", "--note", "shipped"]);
    let shown = sandbox.json(&["workspace"]);
    let initiative = &shown["initiatives"][0];
    assert_eq!((&initiative["status"], &initiative["notes"]), (&json!("done"), &json!("shipped")), "{shown}");
    let recovered = sandbox.ok(&["journal", "recover"]);
    assert!(!recovered.contains("2.0"), "what is done is not brought: {recovered}");
}

#[test]
fn an_analysis_has_the_protocols_form() {
    let sandbox = started();
    let told = ["--summary", "Three holes.", "--findings", "- no rate limit", "--issues", "- none logged"];
    sandbox
        .ok(&[&["journal", "analyze", "src/auth.rs", "--recommendations", "Limit it."], &told[..]].concat());
    assert_snapshot!(sandbox.file("analysis/src_auth.md"), @r"
    # Analysis: src/auth.rs

    **Analyzed**: 2026-11-15T12:00:00Z
    **Path**: src/auth.rs
    **Type**: file

    ## Summary
    Three holes.

    ## Key Findings
    - no rate limit

    ## Issues Found
    - none logged

    ## Recommendations
    Limit it.
    ");
}

#[test]
fn every_record_gets_its_row_and_moves_the_last_activity() {
    let mut sandbox = started();
    let session = |sandbox: &Sandbox| serde_json::from_str::<Value>(&sandbox.file("_session.json")).unwrap();
    assert_eq!(session(&sandbox)["lastActivity"], "2026-11-15T12:00:00Z");
    let records: [(&[&str], &str); 4] = [
        (
            &["decide", "--title=Use tabs", "--category=process", "--decision=x"],
            "decisions/2026-11-15_001_use-tabs.md",
        ),
        (&["analyze", "src/auth.rs", "--summary=Fine."], "analysis/src_auth.md"),
        (&["note", "Tuesday", "--text=Deploys."], "context/2026-11-15_121300_tuesday.md"),
        (&["block", "No key"], "context/blockers.md"),
    ];
    for (number, (arguments, path)) in records.into_iter().enumerate() {
        sandbox.now = format!("2026-11-15T12:1{}:00Z", number + 1);
        sandbox.ok(&[&["journal"], arguments].concat());
        let index = sandbox.file("_index.md");
        assert_eq!(index.matches(&format!(" {path} |")).count(), 1, "{path}: {index}");
        assert_eq!(session(&sandbox)["lastActivity"], sandbox.now);
    }
    let stats = &session(&sandbox)["stats"];
    assert_eq!((&stats["decisions"], &stats["analyses"]), (&json!(1), &json!(1)));
}

#[test]
fn each_session_of_a_journal_is_archived_under_its_own_start() {
    let mut sandbox = Sandbox::new();
    for day in ["19", "20"] {
        sandbox.now = format!("2026-01-{day}T09:00:00Z");
        sandbox.ok(&["journal", "start"]);
        sandbox.decide(&format!("Of the {day}"));
        sandbox.now = format!("2026-01-{day}T18:00:00Z");
        sandbox.ok(&["journal", "stop"]);
    }
    let archive = sandbox.file("_index-archive.md");
    for day in ["19", "20"] {
        let row = format!("| 2026-01-{day}T09:00:00Z | 2026-01-{day}T18:00:00Z |");
        assert_eq!(archive.matches(&row).count(), 1, "{archive}");
        assert!(sandbox.ok(&["journal", "show", &format!("of-the-{day}")]).contains("Do it."));
    }
}
