//! An agent's own Write and Edit in every store: the user's mode and the rule for secrets bind them as they bind our
//! commands.

use camino::Utf8PathBuf;
use serde_json::{Value, json};

use crate::harness::Sandbox;

const TOKEN: &str = "ghp_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8";

/// A file in each store that an agent may write without a question.
fn stores(sandbox: &Sandbox) -> Vec<Utf8PathBuf> {
    let config = sandbox.home.home().join(".claude");
    let memory: Utf8PathBuf = sandbox.run(["path"]).stdout.trim_end().into();
    vec![
        memory.join("new.md"),
        config.join("projects/project/context/notes.md"),
        config.join("projects/project/decisions/2026-11-15_001_new.md"),
        config.join("workspace.md"),
        config.join("user/preferences.md"),
        config.join("agent-memory/rev/MEMORY.md"),
        sandbox.cwd.join(".claude/agent-memory/rev/MEMORY.md"),
        sandbox.cwd.join(".claude/agent-memory-local/rev/MEMORY.md"),
    ]
}

/// Files in stores of ours about which the client asks.
fn asked_about(sandbox: &Sandbox) -> Vec<Utf8PathBuf> {
    let config = sandbox.home.home().join(".claude");
    let machine = sandbox.home.home().join(".local/share/memdir/machine-memory/new.md");
    vec![config.join("projects/project/_index.md"), config.join("memory/new.md"), machine]
}

fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.ok(&["journal", "start"]);
    sandbox.ok(&["user", "update", "preferences", "--text", "Use tabs"]);
    sandbox
}

/// What the hook decides about a Write, and why.
fn decision(sandbox: &mut Sandbox, path: &Utf8PathBuf, content: &str) -> (String, String) {
    sandbox.stdin = json!({"hook_event_name": "PreToolUse", "session_id": "s-1", "cwd": sandbox.cwd, "tool_name": "Write",
        "tool_input": {"file_path": path, "content": content}})
    .to_string();
    let ran = sandbox.run(["hook", "PreToolUse"]);
    sandbox.stdin.clear();
    let answer: Value = serde_json::from_str(&ran.stdout).unwrap_or_default();
    let text = |field: &str| answer["hookSpecificOutput"][field].as_str().unwrap_or_default().to_owned();
    (text("permissionDecision"), text("permissionDecisionReason"))
}

fn config(sandbox: &Sandbox, text: &str) {
    sandbox.home.write("home/.config/memdir/config.toml", text);
}

#[test]
fn a_tool_of_an_agent_meets_the_mode_in_every_store() {
    let mut sandbox = sandbox();
    for path in stores(&sandbox) {
        assert_eq!(decision(&mut sandbox, &path, "text\n").0, "allow", "{path}");
    }
    config(&sandbox, "writes = \"off\"\n");
    for path in [stores(&sandbox), asked_about(&sandbox)].concat() {
        let (decided, why) = decision(&mut sandbox, &path, "text\n");
        assert_eq!(decided, "deny", "{path}: {why}");
        assert!(why.contains("`writes = \"off\"`"), "{path}: {why}");
    }
    config(&sandbox, "writes = \"review\"\n");
    for path in stores(&sandbox) {
        let (decided, why) = decision(&mut sandbox, &path, "text for the user to look at\n");
        assert_eq!(decided, "deny", "{path}: {why}");
        let waits =
            why.contains("waits for the user's review as") || why.contains("waits for `memdir review`");
        assert!(waits, "{path}: {why}");
        // What waits holds no secret, and what cannot wait is not written instead.
        let (decided, why) = decision(&mut sandbox, &path, &format!("use {TOKEN}\n"));
        assert_eq!(decided, "deny", "{path}: {why}");
        assert!(!why.contains(TOKEN), "{why}");
    }
    assert!(!sandbox.home.tree("home").contains(TOKEN));
}

#[test]
fn a_tool_of_an_agent_meets_the_rule_for_secrets_in_every_store() {
    let mut sandbox = sandbox();
    for (policy, expected) in [("warn", "ask"), ("redact", "deny"), ("block", "deny")] {
        config(&sandbox, &format!("[secrets]\non_write = \"{policy}\"\n"));
        for path in [stores(&sandbox), asked_about(&sandbox)].concat() {
            let (decided, why) = decision(&mut sandbox, &path, &format!("use {TOKEN}\n"));
            assert_eq!(decided, expected, "{policy} {path}: {why}");
            assert!(why.contains("looks like a secret") && !why.contains(TOKEN), "{path}: {why}");
        }
    }
    // Elsewhere the client decides alone.
    let path = sandbox.cwd.join("src/main.rs");
    assert_eq!(decision(&mut sandbox, &path, TOKEN).0, "");
}
