//! What a session is told at its start, and what it finds there.

use std::fs;

use camino::Utf8PathBuf;
use memdir_core::project::encode_path::{Scheme, encode, encode_with};
use memdir_testkit::Git;
use serde_json::{Value, json};

use crate::harness::Sandbox;

fn hook(sandbox: &mut Sandbox, event: &str, fields: &Value) -> String {
    let mut payload = json!({"hook_event_name": event, "session_id": "s-1"});
    for (key, value) in fields.as_object().unwrap() {
        payload[key] = value.clone();
    }
    sandbox.stdin = payload.to_string();
    let ran = sandbox.run(["hook", event]);
    sandbox.stdin.clear();
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    let answer: Value = serde_json::from_str(&ran.stdout).unwrap_or_default();
    let output = &answer["hookSpecificOutput"];
    let said = [&output["additionalContext"], &output["permissionDecision"], &output["decision"]["behavior"]];
    said.iter().find_map(|field| field.as_str()).unwrap_or_default().to_owned()
}

fn start(sandbox: &mut Sandbox) -> String {
    hook(sandbox, "SessionStart", &json!({"source": "startup"}))
}

fn memory_dir(sandbox: &Sandbox) -> Utf8PathBuf {
    sandbox.run(["path"]).stdout.trim_end().into()
}

#[test]
fn the_memory_directory_is_there_after_the_start_of_a_session() {
    let mut sandbox = Sandbox::new();
    let memory = memory_dir(&sandbox);
    assert!(!memory.exists());
    start(&mut sandbox);
    assert!(memory.is_dir() && fs::read_dir(&memory).unwrap().next().is_none());
}

#[test]
fn status_says_when_an_agent_last_started_a_session() {
    let mut sandbox = Sandbox { program: Some("/opt/bin/memdir".into()), ..Sandbox::new() };
    sandbox.home.dir("home/.claude");
    let claude = |sandbox: &Sandbox| {
        let status: Value = serde_json::from_str(&sandbox.run(["status", "--json"]).stdout).unwrap();
        status["agents"].as_array().unwrap().iter().find(|agent| agent["name"] == "claude").unwrap().clone()
    };
    assert!(claude(&sandbox).get("last_hook").is_none());
    start(&mut sandbox);
    assert!(claude(&sandbox)["last_hook"].is_string());
    assert!(sandbox.run(["status"]).stdout.contains("last session just now"));
}

#[test]
fn memory_under_an_older_name_is_announced_until_it_is_adopted() {
    let mut sandbox = Sandbox::new();
    let project = sandbox.home.project();
    Git::init(&project, "p");
    let below = sandbox.home.dir("home/project/my_part");
    sandbox.cwd = below.clone();
    let older = encode_with(Scheme::Observed89, below.as_str());
    let file = sandbox.home.write(format!("home/.claude/projects/{older}/memory/a.md"), "Old.\n");
    let named = format!("older name: memory of this project is in `{}`", file.parent().unwrap());
    assert!(sandbox.run([] as [&str; 0]).stderr.contains(&named));
    assert!(start(&mut sandbox).contains(&named));
    // The start of a session made the directory; that it is empty changes nothing.
    assert!(start(&mut sandbox).contains(&named));
    assert_eq!(sandbox.run(["project", "adopt"]).code, 0);
    assert!(!start(&mut sandbox).contains("older name"));
    assert!(memory_dir(&sandbox).join("a.md").is_file());
}

#[test]
fn the_project_is_the_one_in_which_the_session_was_started() {
    let mut sandbox = Sandbox::new();
    let (one, two) = (sandbox.home.dir("home/one"), sandbox.home.dir("home/two"));
    sandbox.cwd = one.clone();
    assert_eq!(sandbox.run(["journal", "start"]).code, 0);
    assert_eq!(sandbox.run(["journal", "task", "Port the parser"]).code, 0);
    let line = json!({"type": "user", "cwd": one, "message": {"role": "user", "content": "hi"}});
    let transcript = sandbox.home.write(
        format!("home/.claude/projects/{}/s-1.jsonl", encode(one.as_str())),
        format!("{{\"type\":\"summary\"}}\n{line}\n"),
    );
    for cwd in [two, sandbox.home.dir("home/one/below")] {
        let fields = json!({"source": "compact", "cwd": cwd, "transcript_path": transcript});
        let told = hook(&mut sandbox, "SessionStart", &fields);
        assert!(told.contains("Port the parser"), "{cwd}: {told}");
    }
}

#[test]
fn what_was_extracted_in_the_background_is_said_once() {
    let mut sandbox = Sandbox::new();
    let line = json!({
        "type": "user", "uuid": "u1", "parentUuid": null, "sessionId": "s-0", "cwd": sandbox.cwd, "version": "2.1.325",
        "gitBranch": "main", "isSidechain": false, "userType": "external", "timestamp": "2026-10-01T10:00:00.000Z",
        "message": {"role": "user", "content": "Please never mock the database in tests, because it hides real errors."},
    });
    let folder = memory_dir(&sandbox).parent().unwrap().to_owned();
    sandbox.home.write(folder.join("s-0.jsonl"), format!("{line}\n"));
    let extracted = sandbox.run(["extract", "--ended=s-0"]);
    assert_eq!(extracted.code, 0, "{}", extracted.stderr);
    let told = start(&mut sandbox);
    assert!(told.contains("Noted from what the user said in earlier turns"), "{told} {}", extracted.stdout);
    assert!(!start(&mut sandbox).contains("Noted from"));
}

/// A project with an agent whose memory it hands on, for a user who has none.
fn with_snapshot() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.home.write(
        "home/project/.claude/agents/reviewer.md",
        "---\nname: reviewer\ndescription: reviews\nmemory: user\n---\nReview.\n",
    );
    sandbox.home.write("home/.claude/agent-memory/reviewer/MEMORY.md", "Look at the tests first.\n");
    assert_eq!(sandbox.run(["agent", "snapshot", "create", "reviewer"]).code, 0);
    fs::remove_dir_all(sandbox.home.home().join(".claude/agent-memory")).unwrap();
    fs::remove_dir_all(sandbox.home.home().join(".local/share/memdir")).unwrap();
    sandbox
}

#[test]
fn a_snapshot_is_taken_over_where_there_is_no_memory_and_undone_like_anything_else() {
    let mut sandbox = with_snapshot();
    let memory = sandbox.home.home().join(".claude/agent-memory/reviewer");
    let told = start(&mut sandbox);
    assert!(
        told.contains("The agent `reviewer` begins with the memory that this project hands on"),
        "{told}"
    );
    assert_eq!(fs::read_to_string(memory.join("MEMORY.md")).unwrap(), "Look at the tests first.\n");
    assert!(!start(&mut sandbox).contains("reviewer"), "said once");
    let standing = |sandbox: &Sandbox| {
        let status = sandbox.run(["agent", "snapshot", "status", "reviewer", "--json"]).stdout;
        serde_json::from_str::<Value>(&status).unwrap()["standing"].as_str().unwrap_or(&status).to_owned()
    };
    assert_eq!(standing(&sandbox), "current");
    // The command that is named undoes it.
    let command = told.split('`').find(|part| part.starts_with("memdir undo ")).unwrap();
    let undone = sandbox.run(command.split(' ').skip(1));
    assert_eq!(undone.code, 0, "{}", undone.stderr);
    assert_eq!(standing(&sandbox), "initialise");
    // A memory that is gone begins anew, by hand as at the start of a session.
    start(&mut sandbox);
    assert_eq!(standing(&sandbox), "current");
    fs::remove_dir_all(&memory).unwrap();
    assert_eq!(standing(&sandbox), "initialise");
    assert!(sandbox.run(["agent", "snapshot", "apply", "reviewer"]).stdout.starts_with("took"));
    fs::remove_dir_all(&memory).unwrap();
    assert!(start(&mut sandbox).contains("The agent `reviewer` begins"));
    assert!(memory.join("MEMORY.md").is_file());
}

#[test]
fn only_memory_of_scope_user_is_handed_on() {
    let mut sandbox = with_snapshot();
    let definition = sandbox.cwd.join(".claude/agents/reviewer.md");
    let text = fs::read_to_string(&definition).unwrap();
    for scope in ["project", "local"] {
        sandbox.home.write(&definition, text.replace("memory: user", &format!("memory: {scope}")));
        assert!(!start(&mut sandbox).contains("snapshot") && !start(&mut sandbox).contains("begins with"));
        let kept = [
            "home/.claude/agent-memory",
            "home/project/.claude/agent-memory",
            "home/project/.claude/agent-memory-local",
        ];
        assert_eq!(kept.map(|folder| sandbox.home.tree(folder)), ["", "", ""], "{scope}");
    }
    sandbox.home.write(&definition, text);
    assert!(start(&mut sandbox).contains("The agent `reviewer` begins"));
}

#[test]
fn a_newer_snapshot_is_offered_and_never_taken_over_unasked() {
    let mut sandbox = with_snapshot();
    let own = sandbox.home.write("home/.claude/agent-memory/reviewer/MEMORY.md", "Mine.\n");
    let told = start(&mut sandbox);
    assert!(told.contains("`memdir agent snapshot apply reviewer`"), "{told}");
    assert_eq!(fs::read_to_string(own).unwrap(), "Mine.\n");
    sandbox.home.write("home/.config/memdir/config.toml", "[features]\nsnapshots = false\n");
    assert!(!start(&mut sandbox).contains("snapshot"));
}

#[test]
fn a_tool_needs_no_question_exactly_where_check_write_allows_it() {
    let mut sandbox = Sandbox::new();
    assert_eq!(sandbox.run(["journal", "start"]).code, 0);
    assert_eq!(sandbox.run(["user", "update", "preferences", "--text", "Use tabs"]).code, 0);
    let memory = memory_dir(&sandbox);
    let config = sandbox.home.home().join(".claude");
    let paths = [
        memory.join("new.md"),
        memory.join("new.sh"),
        config.join("projects/project/context/notes.md"),
        config.join("projects/project/_session.json"),
        config.join("workspace.md"),
        config.join("user/preferences.md"),
        config.join("user/deep/preferences.md"),
        config.join("CLAUDE.md"),
        config.join("settings.json"),
        sandbox.cwd.join("src/main.rs"),
        "/etc/passwd".into(),
    ];
    let mut allowed = Vec::new();
    for path in &paths {
        let tool = json!({"tool_name": "Write", "tool_input": {"file_path": path, "content": "x"}});
        let decision = hook(&mut sandbox, "PreToolUse", &tool);
        let code = sandbox.run(["check", "write", "--tool", "Write", path.as_str()]).code;
        assert_eq!(decision == "allow", code == 0, "{path}: {decision}");
        let answered = hook(&mut sandbox, "PermissionRequest", &tool);
        assert_eq!(answered == "allow", code == 0, "{path}: {answered}");
        allowed.extend((code == 0).then(|| path.file_name().unwrap()));
    }
    assert_eq!(allowed, ["new.md", "notes.md", "workspace.md", "preferences.md"]);
    let reads =
        |path: &str| sandbox.run(["check", "write", "--tool", "Read", config.join(path).as_str()]).code;
    assert_eq!(reads("projects/other-project/_index.md"), 0);
    assert_eq!(reads("projects/-home-me-other/memory/MEMORY.md"), 1);
}

#[test]
fn a_question_about_a_secret_is_left_to_the_user() {
    let mut sandbox = Sandbox::new();
    start(&mut sandbox);
    let content = "use ghp_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8\n";
    let path = memory_dir(&sandbox).join("token.md");
    let tool = json!({"tool_name": "Write", "tool_input": {"file_path": path, "content": content}});
    assert_eq!(hook(&mut sandbox, "PreToolUse", &tool), "ask");
    assert_eq!(hook(&mut sandbox, "PermissionRequest", &tool), "");
}
