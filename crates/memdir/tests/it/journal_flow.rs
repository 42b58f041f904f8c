//! The journal in the flow of a session: tasks that end, outputs of sub-agents, the index that follows, old journals.

use std::fs;

use serde_json::{Value, json};

use crate::harness::Sandbox;

fn started() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.ok(&["journal", "start"]);
    sandbox
}

/// What a hook tells the model; empty for silence.
fn hook(sandbox: &mut Sandbox, event: &str, fields: &Value) -> Value {
    let mut payload = json!({"hook_event_name": event, "session_id": "s-1", "cwd": sandbox.cwd});
    for (key, value) in fields.as_object().unwrap() {
        payload[key] = value.clone();
    }
    sandbox.stdin = payload.to_string();
    let block = sandbox.run(["hook", event]);
    sandbox.stdin.clear();
    assert_eq!((block.code, block.stderr.as_str()), (0, ""));
    if block.stdout.is_empty() {
        return Value::Null;
    }
    let answer: Value = serde_json::from_str(&block.stdout).unwrap();
    answer["hookSpecificOutput"].clone()
}

fn outputs(sandbox: &Sandbox) -> Vec<String> {
    let mut names: Vec<String> = sandbox
        .journal()
        .join("subagent")
        .read_dir_utf8()
        .unwrap()
        .map(|entry| entry.unwrap().file_name().to_owned())
        .collect();
    names.sort();
    names
}

#[test]
fn done_clears_the_task_and_its_steps_and_the_next_task_inherits_none() {
    let sandbox = started();
    sandbox.ok(&["journal", "task", "First", "--text", "Details of the first."]);
    sandbox.ok(&["journal", "progress", "--add", "step a", "--add", "step b"]);
    sandbox.ok(&["journal", "progress", "--check", "1"]);
    assert_eq!(sandbox.json(&["journal", "status"])["state"]["progress"], "1/2 subtasks");
    sandbox.ok(&["journal", "done"]);
    let recovered = sandbox.ok(&["journal", "recover"]);
    assert!(recovered.contains("Task: None\n"), "{recovered}");
    assert!(!recovered.contains("Details of the first.") && !recovered.contains("Next:"), "{recovered}");
    assert!(!recovered.contains("subtasks"), "{recovered}");
    let completed = sandbox.file("progress/completed.md");
    assert!(completed.contains(": First\n  [x] step a\n  [ ] step b\n"), "{completed}");
    let index = sandbox.file("_index.md");
    assert!(
        !index.contains("| context/current-task.md |") && !index.contains("| progress/active.md |"),
        "{index}"
    );
    sandbox.ok(&["journal", "task", "Second"]);
    assert_eq!(
        sandbox.json(&["journal", "status"])["state"],
        json!({"task": "Second", "progress": "None", "blocker": "None"})
    );
    // Another task takes the place of one that is not done: its steps go with it. The same task keeps them.
    sandbox.ok(&["journal", "progress", "--add", "step c"]);
    sandbox.ok(&["journal", "task", "Second", "--text", "More."]);
    assert_eq!(sandbox.json(&["journal", "status"])["state"]["progress"], "0/1 subtasks");
    sandbox.ok(&["journal", "task", "Third"]);
    assert_eq!(sandbox.json(&["journal", "status"])["state"]["progress"], "None");
    // A task with the words of one that was finished in the same second is a new one.
    sandbox.ok(&["journal", "done"]);
    sandbox.ok(&["journal", "task", "Third"]);
    assert_eq!(sandbox.json(&["journal", "status"])["state"]["task"], "Third");
    // What is done besides the task does not end it.
    sandbox.ok(&["journal", "done", "Something else"]);
    assert_eq!(sandbox.json(&["journal", "status"])["state"]["task"], "Third");
    // Done is one operation, so one undo brings task and steps back.
    sandbox.ok(&["journal", "progress", "--add", "step d"]);
    sandbox.ok(&["journal", "done"]);
    sandbox.ok(&["undo", "--dir", sandbox.journal().as_str()]);
    assert_eq!(
        sandbox.json(&["journal", "status"])["state"],
        json!({"task": "Third", "progress": "0/1 subtasks", "blocker": "None"})
    );
}

#[test]
fn a_finished_task_of_an_older_version_is_not_current() {
    let sandbox = started();
    sandbox.ok(&["journal", "task", "Old", "--text", "Old details."]);
    sandbox.ok(&["journal", "progress", "--add", "old step"]);
    let (task, active) = (sandbox.file("context/current-task.md"), sandbox.file("progress/active.md"));
    sandbox.ok(&["journal", "done"]);
    // Older versions left both files as they were.
    let task = task.replace("**Updated**: 2026-11-15T12", "**Updated**: 2026-11-15T11");
    sandbox.home.write(sandbox.journal().join("context/current-task.md"), task);
    sandbox.home.write(sandbox.journal().join("progress/active.md"), active);
    let recovered = sandbox.ok(&["journal", "recover"]);
    assert!(!recovered.contains("Old details.") && !recovered.contains("old step"), "{recovered}");
    sandbox.ok(&["journal", "task", "New"]);
    assert_eq!(sandbox.json(&["journal", "status"])["state"]["progress"], "None");
}

#[test]
fn the_quick_lookup_keeps_an_active_blocker_and_groups_by_topic() {
    let sandbox = started();
    sandbox.ok(&["journal", "block", "No access to staging"]);
    for number in 0..21 {
        sandbox.ok(&[
            "journal",
            "decide",
            "--category=process",
            "--decision=x",
            "--title",
            &format!("Login rule {number}"),
        ]);
    }
    let index = sandbox.file("_index.md");
    assert!(index.contains("- **Active Blocker**: No access to staging"), "{index}");
    let lookup = index.split("## Quick Lookup\n").nth(1).unwrap();
    let lines: Vec<&str> = lookup.lines().filter(|line| line.starts_with("- ")).collect();
    assert_eq!(
        lines,
        [
            "- Login decisions → decisions/*login*.md",
            "- All decisions → decisions/",
            "- Current task → context/current-task.md",
            "- Blockers → context/blockers.md",
            "- Sub-agent outputs → subagent/",
        ]
    );
}

#[test]
fn the_index_keeps_no_line_to_a_file_that_is_gone_and_doctor_finds_one() {
    let sandbox = started();
    sandbox.ok(&["journal", "decide", "--title=Oops", "--category=process", "--decision=x"]);
    let name = "decisions/2026-11-15_001_oops.md";
    let index = sandbox.file("_index.md");
    let with_own = index.replace("## Quick Lookup\n", &format!("## Quick Lookup\n- the oops → {name}\n"));
    sandbox.home.write(sandbox.journal().join("_index.md"), &with_own);
    let find = || {
        let report: Value = serde_json::from_str(&sandbox.run(["doctor", "--json"]).stdout).unwrap();
        let items = report["items"].as_array().unwrap().clone();
        items.into_iter().filter(|item| item["id"] == "journal-dead-line").count()
    };
    assert_eq!(find(), 0);
    fs::remove_file(sandbox.journal().join(name)).unwrap();
    assert_eq!(find(), 1, "the row and the line name one file");
    sandbox.ok(&["journal", "rebuild"]);
    assert_eq!(find(), 0);
    assert!(!sandbox.file("_index.md").contains("oops"));
    // Our own line to a file that is gone is found as well, and goes with the next record.
    fs::remove_file(sandbox.journal().join("context/blockers.md")).unwrap();
    assert_eq!(find(), 1);
    sandbox.ok(&["journal", "decide", "--title=Tabs", "--category=process", "--decision=x"]);
    assert!(!sandbox.file("_index.md").contains("Blockers →"));
    sandbox.ok(&["journal", "block", "No key"]);
    assert!(sandbox.file("_index.md").contains("- Blockers → context/blockers.md"));
    assert_eq!(find(), 0);
    // An undo leaves no line either, and our own writes are not foreign edits.
    sandbox.ok(&["journal", "decide", "--title=Oops", "--category=process", "--decision=x"]);
    sandbox.ok(&["undo", "--dir", sandbox.journal().as_str()]);
    assert!(!sandbox.file("_index.md").to_lowercase().contains("oops"), "{}", sandbox.file("_index.md"));
    let log = sandbox.ok(&["log", "--dir", sandbox.journal().as_str()]);
    assert!(!log.contains("_index"), "{log}");
}

#[test]
fn a_stopped_journal_stays_stopped_without_its_session_file() {
    let sandbox = started();
    sandbox.ok(&["journal", "note", "Something"]);
    sandbox.ok(&["journal", "stop"]);
    let session = sandbox.journal().join("_session.json");
    for also in [None, Some("_index.md")] {
        fs::remove_file(&session).unwrap();
        if let Some(name) = also {
            fs::remove_file(sandbox.journal().join(name)).unwrap();
        }
        assert_eq!(sandbox.json(&["journal", "status"])["active"], false);
        assert_eq!(sandbox.run(["journal", "note", "x"]).code, 2);
        sandbox.ok(&["journal", "rebuild"]);
        assert_eq!(sandbox.json(&["journal", "status"])["active"], false);
        assert!(sandbox.file("_index.md").contains("Status: INACTIVE"));
    }
    sandbox.ok(&["journal", "start"]);
    fs::remove_file(&session).unwrap();
    sandbox.ok(&["journal", "note", "Kept"]);
    assert_eq!(sandbox.json(&["journal", "status"])["active"], true);
}

/// A sub-agent's transcript: what it was asked, what it ran, and what came back. The client calls few failures errors.
fn transcript(sandbox: &Sandbox, name: &str, asked: &str, calls: &[(&str, Value, &str)]) -> String {
    let mut lines = vec![json!({"type": "user", "isSidechain": true, "agentId": name, "uuid": "u0",
        "timestamp": "2026-11-15T12:00:00Z", "message": {"role": "user", "content": asked}})];
    for (number, (tool, input, answer)) in calls.iter().enumerate() {
        let id = format!("t{number}");
        lines.push(json!({"type": "assistant", "isSidechain": true, "uuid": format!("a{number}"),
            "message": {"role": "assistant", "content": [{"type": "tool_use", "id": id, "name": tool, "input": input}]}}));
        lines.push(json!({"type": "user", "isSidechain": true, "uuid": format!("r{number}"),
            "message": {"role": "user", "content": [{"type": "tool_result", "tool_use_id": id, "is_error": false, "content": answer}]}}));
    }
    let path = sandbox.home.home().join(format!("agent-{name}.jsonl"));
    let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
    fs::write(&path, text).unwrap();
    path.into_string()
}

#[test]
fn an_output_is_named_after_the_task_and_the_parent_is_told_once() {
    let mut sandbox = started();
    let asked = "Find every caller of parse() and say which ignore its error. Only in src/.";
    let path = transcript(&sandbox, "a1", asked, &[]);
    let stopped = json!({"agent_id": "a1", "agent_type": "Explore", "agent_transcript_path": path,
        "last_assistant_message": "## Findings\n\nThree callers ignore it. Two log it.\n\n- a.rs"});
    assert_eq!(hook(&mut sandbox, "SubagentStop", &stopped), Value::Null);
    let names = outputs(&sandbox);
    assert!(names.len() == 1 && names[0].contains("_find-every-caller-of-parse"), "{names:?}");
    let text = sandbox.file(&format!("subagent/{}", names[0]));
    for expected in [
        "# Find every caller of parse() and say which ignore its error\n",
        "**Agent**: Explore\n",
        "**Task**: Find every caller of parse() and say which ignore its error. Only in src/.\n",
        "## Summary\nThree callers ignore it. Two log it.\n",
        "## Details\n#### Findings\n",
    ] {
        assert!(text.contains(expected), "{expected}:\n{text}");
    }
    // Nothing for another sub-agent; then one line for the parent, once.
    let prompt = json!({"prompt": "go on"});
    assert_eq!(
        hook(&mut sandbox, "PostToolUse", &json!({"tool_name": "Read", "agent_id": "a2"})),
        Value::Null
    );
    let told =
        hook(&mut sandbox, "UserPromptSubmit", &prompt)["additionalContext"].as_str().unwrap().to_owned();
    assert_eq!(told.lines().count(), 1, "{told}");
    assert!(
        told.contains("1 output of a sub-agent waits") && told.contains("`memdir journal consolidate`"),
        "{told}"
    );
    assert_eq!(hook(&mut sandbox, "UserPromptSubmit", &prompt), Value::Null);
    let recovered = sandbox.ok(&["journal", "recover"]);
    assert!(
        recovered.contains("Outputs of sub-agents that wait") && recovered.contains(&names[0]),
        "{recovered}"
    );
    sandbox.ok(&["journal", "consolidate"]);
    assert!(!sandbox.ok(&["journal", "recover"]).contains("Outputs of sub-agents that wait"));
    // The end of a foreground agent is reported with its own tool.
    let path = transcript(&sandbox, "a3", "Count the tests", &[]);
    let stopped = json!({"agent_id": "a3", "agent_type": "Plan", "agent_transcript_path": path, "last_assistant_message": "There are 12."});
    hook(&mut sandbox, "SubagentStop", &stopped);
    let told =
        hook(&mut sandbox, "PostToolUse", &json!({"tool_name": "Agent", "tool_input": {"prompt": "x"}}));
    assert!(told["additionalContext"].as_str().unwrap().contains("count-the-tests"), "{told}");
}

#[test]
fn an_output_that_the_agent_wrote_itself_is_stored_once() {
    let mut sandbox = started();
    let said = "## Summary\nThree holes in the login.\n\n## Details\nSee login.rs.\n";
    let write = |sandbox: &Sandbox, task: &str| {
        sandbox.ok(&["journal", "subagent", "write", "--task", task, "--agent=Explore", "--text", said])
    };
    let command = json!({"command": "memdir journal subagent write --task explore --file - <<'E'"});
    let stop = |sandbox: &mut Sandbox, path: Option<String>, message: &str| {
        let mut event = json!({"agent_id": "a1", "agent_type": "Explore", "last_assistant_message": message});
        if let Some(path) = path {
            event["agent_transcript_path"] = json!(path);
        }
        hook(sandbox, "SubagentStop", &event);
    };
    // With a transcript: the command, or the Write tool.
    let answer = write(&sandbox, "explore");
    let path = transcript(&sandbox, "a1", "Look for holes", &[("Bash", command.clone(), &answer)]);
    stop(&mut sandbox, Some(path), "Done.");
    assert_eq!(outputs(&sandbox).len(), 1);
    let file = sandbox.journal().join("subagent/2026-11-15_130000_by-tool.md");
    fs::write(&file, said).unwrap();
    let path = transcript(
        &sandbox,
        "a2",
        "Look for holes",
        &[("Write", json!({"file_path": file, "content": said}), "File created")],
    );
    stop(&mut sandbox, Some(path), "I wrote it down.");
    assert_eq!(outputs(&sandbox).len(), 2);
    // A command that failed or only mentions ours stored nothing, so the last words are kept.
    let grep = json!({"command": "grep -rn 'memdir journal subagent write' docs"});
    let calls = [
        ("Bash", command, "error: memdir cannot be found"),
        ("Bash", grep, "docs/a.md: it says `stored subagent/2026-11-15_120000_x.md`"),
    ];
    let path = transcript(&sandbox, "a3", "Look for holes again", &calls);
    stop(&mut sandbox, Some(path.clone()), "The command failed, so here: one hole in reset.rs.");
    assert_eq!(outputs(&sandbox).len(), 3);
    // The client reported the same end twice.
    stop(&mut sandbox, Some(path), "The command failed, so here: one hole in reset.rs.");
    assert_eq!(outputs(&sandbox).len(), 3);
    // Without a transcript: the same words are stored once, others are not lost.
    stop(&mut sandbox, None, "I found three holes in the login, details are stored.");
    assert_eq!(outputs(&sandbox).len(), 3);
    stop(&mut sandbox, None, "The payment callback compares signatures with a timing leak.");
    assert_eq!(outputs(&sandbox).len(), 4);
    sandbox.ok(&["journal", "consolidate"]);
    let session: Value = serde_json::from_str(&sandbox.file("_session.json")).unwrap();
    assert_eq!(session["stats"]["subagentOutputs"], 4);
}

/// The client writes the last turns of an agent's transcript while the hook already runs.
#[test]
fn an_output_is_stored_once_although_the_transcript_comes_late() {
    let mut sandbox = started();
    let file = sandbox.journal().join("subagent/2026-11-15_130000_by-tool.md");
    fs::write(&file, "## Summary\nThree holes.\n").unwrap();
    let call = ("Write", json!({"file_path": file, "content": "## Summary\nThree holes.\n"}), "File created");
    let path = transcript(&sandbox, "a1", "Look for holes", &[call]);
    let whole = fs::read_to_string(&path).unwrap();
    let said = json!({"type": "assistant", "isSidechain": true, "uuid": "a9",
        "message": {"role": "assistant", "content": [{"type": "text", "text": "I wrote it down."}]}});
    fs::write(&path, whole.split_inclusive('\n').next().unwrap()).unwrap();
    let late = path.clone();
    let client = std::thread::spawn(move || {
        std::thread::sleep(std::time::Duration::from_millis(100));
        fs::write(late, format!("{whole}{said}\n")).unwrap();
    });
    let event = json!({"agent_id": "a1", "agent_type": "Explore", "agent_transcript_path": path,
        "last_assistant_message": "I wrote it down."});
    hook(&mut sandbox, "SubagentStop", &event);
    client.join().unwrap();
    assert_eq!(outputs(&sandbox), ["2026-11-15_130000_by-tool.md"]);
}

/// The transcript of an agent that lived for a tenth of a second is written after its end was reported.
#[test]
fn an_output_is_named_after_the_task_although_the_transcript_is_not_there_yet() {
    let mut sandbox = started();
    let path = transcript(&sandbox, "a1", "Count the callers of parse()", &[]);
    let whole = fs::read_to_string(&path).unwrap();
    fs::remove_file(&path).unwrap();
    let said = json!({"type": "assistant", "isSidechain": true, "uuid": "a9",
        "message": {"role": "assistant", "content": [{"type": "text", "text": "There are three."}]}});
    let late = path.clone();
    let client = std::thread::spawn(move || {
        std::thread::sleep(std::time::Duration::from_millis(100));
        fs::write(late, format!("{whole}{said}\n")).unwrap();
    });
    let event = json!({"agent_id": "a1", "agent_type": "Explore", "agent_transcript_path": path,
        "last_assistant_message": "There are three."});
    hook(&mut sandbox, "SubagentStop", &event);
    client.join().unwrap();
    let names = outputs(&sandbox);
    assert!(names.len() == 1 && names[0].contains("_count-the-callers"), "{names:?}");
}

#[test]
fn a_folder_that_cannot_be_read_is_said_and_not_taken_for_empty() {
    let sandbox = started();
    sandbox.ok(&["journal", "decide", "--title=Use tabs", "--category=process", "--decision=x"]);
    sandbox.ok(&["journal", "subagent", "write", "--task=scan", "--text", "Found it."]);
    // A link is never followed, so what is behind it cannot be listed.
    for name in ["subagent", "decisions"] {
        let aside = sandbox.home.home().join(name);
        fs::rename(sandbox.journal().join(name), &aside).unwrap();
        std::os::unix::fs::symlink(&aside, sandbox.journal().join(name)).unwrap();
    }
    let refused = sandbox.run(["journal", "consolidate"]);
    assert_eq!(refused.code, 2, "{}", refused.stdout);
    assert!(refused.stderr.contains("cannot list"), "{}", refused.stderr);
    let noted = sandbox.run(["journal", "note", "More", "--text", "x"]);
    assert_eq!(noted.code, 0);
    assert!(noted.stderr.contains("cannot list") && noted.stderr.contains("/decisions"), "{}", noted.stderr);
    let session: Value = serde_json::from_str(&sandbox.file("_session.json")).unwrap();
    assert_eq!(session["stats"]["decisions"], 1, "the number stays");
    assert!(sandbox.ok(&["journal", "recover"]).contains("More"));
}

#[test]
fn a_record_written_with_the_write_tool_gets_its_row() {
    let mut sandbox = started();
    let text = "# Use cookies\n\n**Date**: 2026-11-15T12:30:00Z\n**Category**: architecture\n**Status**: decided\n\n## Decision\nhttpOnly cookies.\n";
    let path = sandbox.journal().join("decisions/2026-11-15_001_use-cookies.md");
    fs::write(&path, text).unwrap();
    let event = json!({"tool_name": "Write", "tool_input": {"file_path": path, "content": text}});
    assert_eq!(hook(&mut sandbox, "PostToolUse", &event), Value::Null);
    let index = sandbox.file("_index.md");
    assert!(index.contains("| Decision | decisions/2026-11-15_001_use-cookies.md |"), "{index}");
    let session: Value = serde_json::from_str(&sandbox.file("_session.json")).unwrap();
    assert_eq!(session["stats"]["decisions"], 1);
}

#[test]
fn a_sub_agent_is_refused_the_index_with_a_reason() {
    let mut sandbox = started();
    let write = |sandbox: &mut Sandbox, path: &str, agent: Option<&str>| {
        let path = sandbox.journal().join(path);
        let mut event = json!({"tool_name": "Write", "tool_input": {"file_path": path, "content": "x"}});
        if let Some(agent) = agent {
            event["agent_id"] = json!(agent);
        }
        hook(sandbox, "PreToolUse", &event)
    };
    for path in ["_index.md", "decisions/2026-11-15_001_x.md", "_session.json", "subagent/../_index.md"] {
        let answer = write(&mut sandbox, path, Some("a1"));
        assert_eq!(answer["permissionDecision"], "deny", "{path}");
        let why = answer["permissionDecisionReason"].as_str().unwrap();
        assert!(
            why.contains("only below `subagent/`") && why.contains("memdir journal consolidate"),
            "{why}"
        );
    }
    let denied = |answer: Value| answer["permissionDecision"] == "deny";
    assert!(!denied(write(&mut sandbox, "subagent/2026-11-15_120000_scan.md", Some("a1"))));
    assert!(!denied(write(&mut sandbox, "_index.md", None)), "the parent may");
}

#[test]
fn compactions_can_be_told_apart() {
    let mut sandbox = started();
    for summary in ["We port the parser to Rust. More.", "The parser is done; now the printer."] {
        hook(&mut sandbox, "PostCompact", &json!({"compact_summary": summary}));
    }
    let listed = sandbox.ok(&["journal", "list"]);
    assert!(
        listed.contains("Compaction: We port the parser to Rust") && listed.contains("now the printer"),
        "{listed}"
    );
}

#[test]
fn a_migration_names_unknown_files_keeps_progress_and_is_offered() {
    let sandbox = Sandbox::new();
    let old = sandbox.cwd.join(".claude/memory");
    let write = |path: &str, text: &str| sandbox.home.write(old.join(path), text);
    write("decisions/2025-12-01_001_db.md", "# Database\n\n## Decision\nPostgreSQL.\n");
    write("random.txt", "other");
    write(
        "_index.md",
        "# Memory Index\n\n## Current State\n- **Task**: Ship it\n- **Progress**: 50%\n- **Active Blocker**: No key\n\n## Recent Files (Last 20)\n| Category | File | Updated | Summary |\n|---|---|---|---|\n",
    );
    let offered = || {
        let report: Value = serde_json::from_str(&sandbox.run(["doctor", "--json"]).stdout).unwrap();
        report["items"].as_array().unwrap().iter().any(|item| {
            item["id"] == "journal-old"
                && item["fix"]["what"].as_str().unwrap().contains("memdir journal migrate")
        })
    };
    assert!(offered());
    assert!(sandbox.ok(&["journal", "migrate"]).contains("random.txt: not a file of a journal"));
    let applied = sandbox.json(&["journal", "migrate", "--apply"]);
    assert!(applied["warnings"].to_string().contains("random.txt"), "{applied}");
    assert_eq!(
        sandbox.json(&["journal", "status"])["state"],
        json!({"task": "Ship it", "progress": "50%", "blocker": "No key"})
    );
    assert!(!offered(), "once is enough");
    assert!(old.join("random.txt").exists());
}
