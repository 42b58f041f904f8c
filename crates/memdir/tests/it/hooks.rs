//! The hooks, fed with what the real client sends.

use std::fs;

use camino::Utf8PathBuf;
use serde_json::{Value, json};

use crate::harness::Sandbox;

const TOKEN: &str = "ghp_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8";

/// A project with one memory, and the directory that holds it.
fn project() -> (Sandbox, Utf8PathBuf) {
    let sandbox = Sandbox::new();
    let text = "--text=Release only from the main branch, after the nightly run.";
    let added =
        sandbox.run(["add", "--type=project", "--name=release", "--description=how we release", text]);
    assert_eq!(added.code, 0, "{}", added.stderr);
    let directory = sandbox.run(["path"]).stdout.trim_end().into();
    (sandbox, directory)
}

/// What a hook answers; `Null` for silence.
fn hook(sandbox: &mut Sandbox, event: &str, fields: &Value) -> Value {
    let mut payload = json!({"hook_event_name": event, "session_id": "s-1", "unknown": {"later": true}});
    for (key, value) in fields.as_object().unwrap() {
        payload[key] = value.clone();
    }
    sandbox.stdin = payload.to_string();
    let block = sandbox.run(["hook", event]);
    assert_eq!((block.code, block.stderr.as_str()), (0, ""));
    if block.stdout.is_empty() { Value::Null } else { serde_json::from_str(&block.stdout).unwrap() }
}

fn write(path: &camino::Utf8Path, content: &str) -> Value {
    json!({"tool_name": "Write", "tool_input": {"file_path": path, "content": content}, "tool_use_id": "t"})
}

#[test]
fn a_write_of_the_agent_is_recorded_with_its_session_and_can_be_undone() {
    let (mut sandbox, memory) = project();
    let path = memory.join("release.md");
    let before = fs::read_to_string(&path).unwrap();
    let after = format!("{before}And never on a Friday.\n");
    let decided = hook(&mut sandbox, "PreToolUse", &write(&path, &after));
    assert_eq!(decided["hookSpecificOutput"]["permissionDecision"], "allow");
    fs::write(&path, &after).unwrap();
    assert_eq!(hook(&mut sandbox, "PostToolUse", &write(&path, &after)), Value::Null);
    let log: Value = serde_json::from_str(&sandbox.run(["log", "--json"]).stdout).unwrap();
    let newest = &log["items"][0];
    assert_eq!(newest["author"], json!({"kind": "agent", "id": "claude-code", "session": "s-1"}), "{log}");
    let op = newest["op"].as_str().or(newest["id"].as_str()).unwrap();
    assert_eq!(sandbox.run(["undo", op]).code, 0);
    assert_eq!(fs::read_to_string(&path).unwrap(), before);
}

#[test]
fn a_secret_is_stopped_and_its_value_not_repeated() {
    let (mut sandbox, memory) = project();
    let edit = write(&memory.join("token.md"), &format!("use {TOKEN}\n"));
    let answer = hook(&mut sandbox, "PreToolUse", &edit);
    let output = &answer["hookSpecificOutput"];
    assert_eq!(output["permissionDecision"], "ask");
    let why = output["permissionDecisionReason"].as_str().unwrap();
    assert!(why.contains("`token.md`, line 1: this looks like a secret") && !why.contains(TOKEN), "{why}");
    set_config(&sandbox, "[secrets]\non_write = \"block\"\n");
    assert_eq!(hook(&mut sandbox, "PreToolUse", &edit)["hookSpecificOutput"]["permissionDecision"], "deny");
}

#[test]
fn in_review_mode_the_change_is_staged_and_the_model_told() {
    let (mut sandbox, memory) = project();
    set_config(&sandbox, "[writes]\nmemory = \"review\"\n");
    let answer = hook(&mut sandbox, "PreToolUse", &write(&memory.join("new.md"), "New.\n"));
    assert_eq!(answer["hookSpecificOutput"]["permissionDecision"], "deny");
    let why = answer["hookSpecificOutput"]["permissionDecisionReason"].as_str().unwrap();
    assert!(why.contains("waits for the user's review"), "{why}");
    let review = sandbox.run(["review"]).stdout;
    assert!(review.contains("new.md"), "{review}");
    let start = hook(&mut sandbox, "SessionStart", &json!({"source": "startup"}));
    let context = start["hookSpecificOutput"]["additionalContext"].as_str().unwrap();
    assert!(context.contains("One change of memory waits"), "{context}");
}

#[test]
fn files_that_are_not_memory_are_none_of_our_business() {
    let (mut sandbox, memory) = project();
    for path in ["/etc/passwd", "relative.md", "~/elsewhere.md"] {
        let edit = write(camino::Utf8Path::new(path), &format!("use {TOKEN}\n"));
        assert_eq!(hook(&mut sandbox, "PreToolUse", &edit), Value::Null, "{path}");
        assert_eq!(hook(&mut sandbox, "PostToolUse", &edit), Value::Null, "{path}");
    }
    std::os::unix::fs::symlink("/etc/hostname", memory.join("link.md")).unwrap();
    let answer = hook(&mut sandbox, "PreToolUse", &write(&memory.join("link.md"), "x"));
    assert_eq!(answer["hookSpecificOutput"]["permissionDecision"], "deny");
}

#[test]
fn a_full_index_and_a_broken_header_are_pointed_out() {
    let (mut sandbox, memory) = project();
    let index = "- [release](release.md) — how we release\n".repeat(180);
    let path = memory.join("MEMORY.md");
    hook(&mut sandbox, "PreToolUse", &write(&path, &index));
    fs::write(&path, &index).unwrap();
    let answer = hook(&mut sandbox, "PostToolUse", &write(&path, &index));
    let context = answer["hookSpecificOutput"]["additionalContext"].as_str().unwrap();
    assert!(context.starts_with("MEMORY.md uses 180 of 200 lines"), "{context}");
    let path = memory.join("broken.md");
    fs::write(&path, "---\nname: x\n").unwrap();
    let answer = hook(&mut sandbox, "PostToolUse", &write(&path, "---\nname: x\n"));
    assert!(answer.to_string().contains("the frontmatter is never closed"), "{answer}");
}

#[test]
fn a_prompt_brings_back_the_memory_that_matters_once() {
    let (mut sandbox, _) = project();
    sandbox.run(["search", "release"]);
    let prompt = json!({"prompt": "please release from the main branch after the nightly run"});
    let answer = hook(&mut sandbox, "UserPromptSubmit", &prompt);
    let context = answer["hookSpecificOutput"]["additionalContext"].as_str().unwrap();
    assert!(context.contains("Release only from the main branch"), "{context}");
    assert_eq!(hook(&mut sandbox, "UserPromptSubmit", &prompt), Value::Null);
    let other = json!({"prompt": "thanks, that looks good"});
    assert_eq!(hook(&mut sandbox, "UserPromptSubmit", &other), Value::Null);
}

#[test]
fn the_first_prompt_names_what_may_matter_and_later_ones_only_add_what_is_sure() {
    let (mut sandbox, _) = project();
    sandbox.run([
        "add",
        "--type",
        "project",
        "--name",
        "fonts",
        "--description",
        "Exports need fonts",
        "--text",
        "Kestrel renders every export; without the licensed fonts pages come out empty.",
        "--cue",
        "PDF page is blank",
        "--cue",
        "empty print",
    ]);
    let ask =
        |sandbox: &mut Sandbox, prompt: &str| hook(sandbox, "UserPromptSubmit", &json!({"prompt": prompt}));
    // Found at once, though nothing has searched: an acknowledged memory is known to the very next hook.
    let vague = "does anything in the export depend on it?";
    let first = ask(&mut sandbox, vague).to_string();
    assert!(first.contains("may bear on it") && first.contains("`fonts.md`: Exports need fonts"), "{first}");
    assert_eq!(ask(&mut sandbox, vague), Value::Null, "a later prompt names nothing");
    let sure = ask(&mut sandbox, "the PDF page is blank, the print is empty").to_string();
    assert!(sure.contains("licensed fonts") && !sure.contains("PDF page is blank"), "{sure}");
    hook(&mut sandbox, "SessionStart", &json!({"source": "compact"}));
    let again = ask(&mut sandbox, "the PDF page is blank, the print is empty").to_string();
    assert!(again.contains("licensed fonts"), "after a compaction it is given again: {again}");
    sandbox.home.write("home/.config/memdir/config.toml", "recall = \"off\"\n");
    hook(&mut sandbox, "SessionStart", &json!({"source": "compact"}));
    assert_eq!(ask(&mut sandbox, "the PDF page is blank, the print is empty"), Value::Null);
}

#[test]
fn what_the_agent_wrote_is_recalled_without_a_search() {
    let (mut sandbox, memory) = project();
    sandbox.run(["search", "release"]);
    let path = memory.join("database.md");
    let text = "The staging database lives on the host kestrel and is emptied every Sunday.\n";
    fs::write(&path, text).unwrap();
    hook(&mut sandbox, "PostToolUse", &write(&path, text));
    let answer =
        hook(&mut sandbox, "UserPromptSubmit", &json!({"prompt": "when is the staging database emptied"}));
    assert!(answer.to_string().contains("kestrel"), "{answer}");
}

#[test]
fn usage_says_what_was_given_and_read_until_it_is_switched_off_or_purged() {
    let (mut sandbox, memory) = project();
    let path = memory.join("database.md");
    let text = "The staging database lives on the host kestrel and is emptied every Sunday.\n";
    fs::write(&path, text).unwrap();
    hook(&mut sandbox, "PostToolUse", &write(&path, text));
    let prompt = "when is the staging database emptied";
    hook(&mut sandbox, "UserPromptSubmit", &json!({"prompt": prompt}));
    let usage = |sandbox: &Sandbox| {
        let usage: Value = serde_json::from_str(&sandbox.run(["usage", "--json"]).stdout).unwrap();
        let items = usage["items"].as_array().unwrap().clone();
        items.into_iter().find(|item| item["path"] == path.as_str()).unwrap()
    };
    let item = usage(&sandbox);
    assert_eq!((&item["shown"], &item["read"], &item["state"]), (&json!(1), &json!(0), &json!("used")));
    sandbox.run(["show", "database"]);
    assert_eq!(usage(&sandbox)["read"], json!(1));
    hook(&mut sandbox, "PostToolUse", &json!({"tool_name": "Read", "tool_input": {"file_path": path}}));
    hook(
        &mut sandbox,
        "PostToolUse",
        &json!({"tool_name": "Read", "tool_input": {"file_path": "/etc/hosts"}}),
    );
    sandbox.stdin = json!({"command": "view", "path": "/memories/database.md"}).to_string();
    sandbox.run(["tool"]);
    sandbox.stdin.clear();
    assert_eq!(usage(&sandbox)["read"], json!(3));
    let said = "It is emptied <cc-memory filenames=\"database.md\">on Sundays</cc-memory>.";
    hook(&mut sandbox, "Stop", &json!({"last_assistant_message": said}));
    assert_eq!(usage(&sandbox)["cited"], json!(1));
    let why: Value = serde_json::from_str(&sandbox.run(["why", "database", "--json"]).stdout).unwrap();
    let why = &why["injections"][0];
    assert_eq!((&why["reason"], &why["event"]), (&json!("words"), &json!("shown")));
    assert!(why["score"].as_f64().unwrap() > 0.3 && !why.to_string().contains("emptied"), "{why}");
    let features = why["features"].as_object().unwrap();
    assert!(features["words"].as_f64().unwrap() > 0.0 && !features.contains_key("pinned"), "{why}");
    let session = why["session"].as_str().unwrap();
    let said = sandbox.run(["why", session]).stdout;
    let minute = why["time"].as_str().unwrap().get(..16).unwrap().replace('T', " ");
    assert!(said.starts_with(&format!("{minute}  database.md  shown")), "{said}");
    let words = format!("\n  words {:.2}, ", features["words"].as_f64().unwrap());
    assert!(said.contains(&words) && said.contains("coverage 1.00"), "{said}");
    assert_eq!(sandbox.run(["why", "no-such-session"]).code, 1);
    sandbox.home.write("home/.config/memdir/config.toml", "[features]\nusage = false\n");
    sandbox.run(["show", "database"]);
    assert_eq!(usage(&sandbox)["read"], json!(3), "switched off");
    sandbox.run(["purge", "--pattern", "kestrel", "--yes"]);
    assert_eq!(usage(&sandbox)["state"], json!("never"));
}

#[test]
fn what_is_pinned_comes_with_the_first_prompt_of_a_session_whatever_it_says() {
    let (mut sandbox, _) = project();
    sandbox.run(["add", "-n", "brief", "-t", "user", "-d", "x", "--text", "Answers are short.", "--pin"]);
    sandbox.run(["add", "-n", "everywhere", "-d", "x", "--text", "No emoji.", "--pin", "--scope", "user"]);
    sandbox.run(["search", "release"]);
    let prompt = json!({"prompt": "compile the kernel module"});
    let first = hook(&mut sandbox, "UserPromptSubmit", &prompt).to_string();
    assert!(first.contains("Answers are short.") && first.contains("No emoji."), "{first}");
    assert_eq!(first.matches(r#"changed-by=\"the user\""#).count(), 2, "{first}");
    assert_eq!(hook(&mut sandbox, "UserPromptSubmit", &prompt), Value::Null, "once");
    hook(&mut sandbox, "SessionStart", &json!({"source": "compact"}));
    let again = hook(&mut sandbox, "UserPromptSubmit", &prompt).to_string();
    assert!(again.contains("Answers are short."), "after a compaction: {again}");
    let why = sandbox.run(["why", "brief"]).stdout;
    assert!(why.contains("it is pinned") && !why.contains("words"), "no number decided it: {why}");
}

#[test]
fn a_memory_warns_before_the_tool_call_that_it_names_and_refuses_it_once_accepted() {
    let (mut sandbox, _) = project();
    let call = |command: &str| json!({"tool_name": "Bash", "tool_input": {"command": command}});
    sandbox.run(["add", "-n", "lockfile", "-t", "feedback", "-d", "npm", "--text", "Use pnpm here."]);
    sandbox.run(["set", "lockfile", "when", "Bash(npm install *)"]);
    assert_eq!(hook(&mut sandbox, "PreToolUse", &call("npm install x")), Value::Null, "off by default");
    sandbox.home.write("home/.config/memdir/config.toml", "[features]\nwarnings = true\n");
    assert_eq!(hook(&mut sandbox, "PreToolUse", &call("npm test")), Value::Null);
    let warned = hook(&mut sandbox, "PreToolUse", &call("cd web && npm install x"));
    let context = warned["hookSpecificOutput"]["additionalContext"].as_str().unwrap();
    assert!(context.contains("Use pnpm here.") && context.contains("lockfile.md"), "{context}");
    assert_eq!(hook(&mut sandbox, "PreToolUse", &call("npm install y")), Value::Null, "once a session");
    let why = sandbox.run(["why", "lockfile"]).stdout;
    assert!(why.contains("its `when` names the tool call"), "{why}");

    assert!(sandbox.run(["set", "lockfile", "block", "true"]).stdout.contains("waits for `memdir review`"));
    assert_eq!(hook(&mut sandbox, "PreToolUse", &call("npm install y")), Value::Null, "not accepted yet");
    sandbox.run(["review", "accept", "--all"]);
    for _ in 0..2 {
        let refused = hook(&mut sandbox, "PreToolUse", &call("npm install y"));
        assert_eq!(refused["hookSpecificOutput"]["permissionDecision"], json!("deny"), "{refused}");
    }
    let file = sandbox.run(["show", "lockfile", "--json"]).stdout;
    let file: Value = serde_json::from_str(&file).unwrap();
    let path = file["path"].as_str().unwrap();
    let text = fs::read_to_string(path).unwrap() + "Really.\n";
    fs::write(path, &text).unwrap();
    assert_eq!(hook(&mut sandbox, "PreToolUse", &call("npm install y")), Value::Null, "another version");
}

#[test]
fn what_others_changed_is_found_by_work_and_said_once() {
    let (mut sandbox, memory) = project();
    assert_eq!(sandbox.run(["work"]).stdout, "Done; others changed 0 memories.\n");
    fs::write(memory.join("release.md"), "Another program wrote this.\n").unwrap();
    assert_eq!(sandbox.run(["work"]).stdout, "Done; others changed 1 memory.\n");
    let status: Value = serde_json::from_str(&sandbox.run(["status", "--json"]).stdout).unwrap();
    assert_eq!(status["changed_by_others"], json!(["release.md"]));
    let start = hook(&mut sandbox, "SessionStart", &json!({"source": "startup"}));
    assert!(start.to_string().contains("these memories were changed outside of it: `release.md`"), "{start}");
    let again = hook(&mut sandbox, "SessionStart", &json!({"source": "startup"}));
    assert!(!again.to_string().contains("changed outside of it"), "{again}");
}

#[test]
fn a_paused_session_gets_nothing_and_leaves_nothing() {
    let (mut sandbox, memory) = project();
    let secret = write(&memory.join("token.md"), &format!("use {TOKEN}\n"));
    assert_eq!(sandbox.run(["pause", "--session", "s-1"]).code, 0);
    assert_eq!(hook(&mut sandbox, "PreToolUse", &secret), Value::Null);
    assert_eq!(sandbox.run(["resume", "--session", "s-1"]).code, 0);
    assert!(hook(&mut sandbox, "PreToolUse", &secret).is_object());
    assert_eq!(sandbox.run(["pause"]).stdout, "Paused for this project; `memdir resume` ends it.\n");
    assert_eq!(hook(&mut sandbox, "PreToolUse", &secret), Value::Null);
    assert!(sandbox.run(["status"]).stdout.contains("paused for this project"));
    assert_eq!(sandbox.run(["resume"]).stdout, "On again for this project.\n");
}

#[test]
fn a_session_in_which_the_client_was_told_to_pause_memory_is_paused_here_too() {
    let (mut sandbox, _) = project();
    let transcript = sandbox.home.root().join("s-1.jsonl");
    let mut said = String::from("{\"type\":\"user\"}\n");
    let mut tell = |mode: &str, second: u8| {
        let time = format!("2026-01-01T12:00:{second:02}.000Z");
        let line = json!({"type": "memory-mode", "mode": mode, "afterUuid": null, "timestamp": time, "sessionId": "s-1"});
        said.push_str(&format!("{line}\n"));
        fs::write(&transcript, &said).unwrap();
    };
    sandbox.run(["search", "release"]);
    let prompt = json!({"prompt": "release from the main branch after the nightly run", "transcript_path": transcript});
    tell("off", 1);
    assert_eq!(hook(&mut sandbox, "UserPromptSubmit", &prompt), Value::Null, "off");
    tell("on", 2);
    assert!(hook(&mut sandbox, "UserPromptSubmit", &prompt).is_object(), "on again");
    tell("off", 3);
    assert_eq!(hook(&mut sandbox, "SessionStart", &prompt), Value::Null);
    // What the user tells memdir later counts more than what the client was told before.
    assert_eq!(sandbox.run(["resume", "--session", "s-1"]).code, 0);
    sandbox.run(["add", "-n", "late", "-d", "x", "--text", "The nightly run is on Sundays.", "--pin"]);
    hook(
        &mut sandbox,
        "SessionStart",
        &json!({"source": "compact", "transcript_path": prompt["transcript_path"]}),
    );
    assert!(hook(&mut sandbox, "UserPromptSubmit", &prompt).is_object(), "resumed by memdir");
}

#[test]
fn a_session_gets_the_state_of_the_work_and_a_compacted_one_everything() {
    let (mut sandbox, _) = project();
    let before = hook(&mut sandbox, "SessionStart", &json!({"source": "compact"}));
    assert!(!before.to_string().contains("ournal"), "{before}");
    assert_eq!(sandbox.run(["journal", "start"]).code, 0);
    assert_eq!(sandbox.run(["journal", "task", "Port the parser"]).code, 0);
    for source in ["startup", "compact"] {
        let answer = hook(&mut sandbox, "SessionStart", &json!({"source": source}));
        let context = answer["hookSpecificOutput"]["additionalContext"].as_str().unwrap();
        assert!(context.contains("Port the parser"), "{context}");
    }
    let started = hook(&mut sandbox, "SubagentStart", &json!({"agent_id": "a1", "agent_type": "explorer"}));
    assert!(started.to_string().contains("subagent"), "{started}");
    let stopped = json!({"agent_id": "a1", "agent_type": "explorer", "last_assistant_message": "Found three callers of parse()."});
    assert_eq!(hook(&mut sandbox, "SubagentStop", &stopped), Value::Null);
    let before = json!({"trigger": "manual", "custom_instructions": "keep the names of the callers"});
    assert_eq!(hook(&mut sandbox, "PreCompact", &before), Value::Null);
    let summary = json!({"trigger": "auto", "compact_summary": "We port the parser."});
    assert_eq!(hook(&mut sandbox, "PostCompact", &summary), Value::Null);
    let status: Value = serde_json::from_str(&sandbox.run(["journal", "status", "--json"]).stdout).unwrap();
    assert_eq!(status["counts"]["subagent"], 1, "{status}");
    let listed = sandbox.run(["journal", "list"]).stdout;
    assert!(listed.contains("Compaction: We port the parser"), "{listed}");
    assert!(listed.contains("Asked of a compaction: keep the names of the callers"), "{listed}");
    assert!(sandbox.run(["status", "--json"]).stdout.contains("\"failures\":[]"));
}

#[test]
fn a_subagent_that_the_client_does_not_tell_gets_the_index() {
    let (mut sandbox, _) = project();
    for (kind, told) in [("Explore", true), ("Plan", true), ("general-purpose", false)] {
        let answer = hook(&mut sandbox, "SubagentStart", &json!({"agent_id": "a1", "agent_type": kind}));
        assert_eq!(answer.to_string().contains("how we release"), told, "{answer}");
    }
}

#[test]
fn an_agent_that_does_not_read_the_index_can_have_it() {
    let (mut sandbox, _) = project();
    sandbox.stdin = json!({"hook_event_name": "SessionStart", "source": "startup"}).to_string();
    for (arguments, told) in
        [(&["hook", "SessionStart", "--agent=codex"][..], true), (&["hook", "SessionStart"], false)]
    {
        let answer = sandbox.run(arguments.iter().copied()).stdout;
        assert_eq!(answer.contains("how we release"), told, "{answer}");
    }
}

#[test]
fn what_an_agent_did_is_recorded_under_its_name() {
    let (mut sandbox, memory) = project();
    let file = memory.join("a.md");
    for (agent, text) in [("claude-code", "one"), ("codex", "two")] {
        fs::write(&file, text).unwrap();
        let mut event = write(&file, text);
        event["hook_event_name"] = json!("PostToolUse");
        sandbox.stdin = event.to_string();
        assert_eq!(sandbox.run(["hook", "PostToolUse", &format!("--agent={agent}")]).code, 0);
    }
    sandbox.stdin.clear();
    let log: Value = serde_json::from_str(&sandbox.run(["log", "--json"]).stdout).unwrap();
    let by: Vec<&Value> = log["items"].as_array().unwrap().iter().map(|item| &item["author"]["id"]).collect();
    assert_eq!(by[..2], [&json!("codex"), &json!("claude-code")], "{log}");
}

#[test]
fn what_goes_wrong_is_written_down_and_not_said() {
    let (mut sandbox, memory) = project();
    let state: Utf8PathBuf = sandbox.home.home().join(".local/share/memdir");
    set_config(&sandbox, "this is not toml");
    assert_eq!(hook(&mut sandbox, "PreToolUse", &write(&memory.join("a.md"), "x")), Value::Null);
    let log = fs::read_to_string(state.join("log/failures.jsonl")).unwrap();
    assert!(log.contains("PreToolUse") && log.contains("config.toml"), "{log}");
    set_config(&sandbox, "");
    sandbox.stdin.clear();
    let report = sandbox.run(["doctor", "--json"]);
    let report: Value = serde_json::from_str(&report.stdout).unwrap();
    let found: Vec<&Value> =
        report["items"].as_array().unwrap().iter().filter(|item| item["id"] == "state-hooks").collect();
    assert_eq!(found.len(), 1, "{report}");
    assert!(found[0]["what"].as_str().unwrap().starts_with("the hook PreToolUse failed at "), "{report}");
    assert_eq!(found[0]["severity"], "warning");
}

fn set_config(sandbox: &Sandbox, text: &str) {
    let path: Utf8PathBuf = sandbox.home.home().join(".config/memdir/config.toml");
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

#[test]
fn the_hooks_of_gemini_cli_bring_the_index_and_what_matters() {
    let (mut sandbox, _) = project();
    assert_eq!(sandbox.run(["search", "release"]).code, 0);
    let answer = hook(&mut sandbox, "BeforeAgent", &json!({"prompt": "From which branch do we release?"}));
    let output = &answer["hookSpecificOutput"];
    assert_eq!(output["hookEventName"], "BeforeAgent", "{answer}");
    assert!(output["additionalContext"].as_str().unwrap().contains("only from the main branch"), "{answer}");
    let start = sandbox.run(["hook", "SessionStart", "--agent=codex"]);
    assert!(start.stdout.contains("how we release"), "{}", start.stdout);
}

#[test]
fn what_hooks_keep_in_the_journal_holds_no_secret() {
    let (mut sandbox, _) = project();
    assert_eq!(sandbox.run(["journal", "start"]).code, 0);
    let said = json!({"agent_type": "Explore", "last_assistant_message": format!("The key is {TOKEN}.")});
    hook(&mut sandbox, "SubagentStop", &said);
    hook(&mut sandbox, "PreCompact", &json!({"custom_instructions": format!("keep {TOKEN}")}));
    hook(&mut sandbox, "PostCompact", &json!({"compact_summary": format!("We used {TOKEN}.")}));
    let journal = sandbox.run(["search", "--in", "journal", "redacted"]).stdout;
    assert!(journal.contains("[redacted:github-pat]"), "{journal}");
    let mut folders = vec![sandbox.home.home().join(".claude")];
    let mut kept = 0;
    while let Some(folder) = folders.pop() {
        for entry in folder.read_dir_utf8().unwrap().flatten() {
            if entry.file_type().unwrap().is_dir() {
                folders.push(entry.path().to_owned());
            } else if let Ok(text) = fs::read_to_string(entry.path()) {
                assert!(!text.contains(TOKEN), "{}", entry.path());
                kept += text.matches("[redacted:github-pat]").count();
            }
        }
    }
    assert!(kept >= 3, "{kept}");
}
