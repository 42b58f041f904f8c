//! No switch of `[features]` is dead: each changes what an agent is told or what memdir does by itself.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;

use memdir_core::config::Features;
use serde_json::{Value, json};

use crate::harness::Sandbox;

/// All that agents are told and all that is started, with these switches.
fn observed(switches: &[(String, bool)]) -> String {
    let mut sandbox = Sandbox::new();
    let lines: Vec<String> = switches.iter().map(|(name, on)| format!("{name} = {on}\n")).collect();
    sandbox.home.write("home/.config/memdir/config.toml", format!("[features]\n{}", lines.concat()));
    let memory = sandbox.run(["path"]).stdout.trim_end().to_owned();
    sandbox.home.write(format!("{memory}/team/MEMORY.md"), "- [deploys](deploys.md) — on Tuesdays\n");
    sandbox.home.write(
        format!("{memory}/house-rule.md"),
        "---\nname: house-rule\ndescription: Tabs\npinned: true\nwhen: Bash(make fmt)\n---\nUse tabs.\n",
    );
    sandbox.home.write(
        "home/project/.claude/agents/reviewer.md",
        "---\nname: reviewer\ndescription: reviews\nmemory: user\n---\nReview.\n",
    );
    sandbox.home.write("home/.claude/agent-memory/reviewer/MEMORY.md", "Look at the tests first.\n");
    assert_eq!(sandbox.run(["agent", "snapshot", "create", "reviewer"]).code, 0);
    // Another user has the snapshot and no memory of the agent.
    fs::remove_dir_all(sandbox.home.home().join(".claude/agent-memory")).unwrap();
    fs::remove_dir_all(sandbox.home.home().join(".local/share/memdir")).unwrap();
    let started = sandbox.home.root().join("started");
    let program = sandbox.home.write("program", format!("#!/bin/sh\necho \"$@\" >> {started}\n"));
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    sandbox.program = Some(program);
    let mut seen = sandbox.run(["prompt"]).stdout;
    for (event, entrypoint) in [
        ("SessionStart", "cli"),
        ("UserPromptSubmit", "cli"),
        ("PreToolUse", "cli"),
        ("Stop", "cli"),
        ("Stop", "sdk-cli"),
        ("SessionEnd", "cli"),
    ] {
        sandbox.vars = vec![("CLAUDE_CODE_ENTRYPOINT".to_owned(), entrypoint.to_owned())];
        sandbox.stdin = json!({
            "hook_event_name": event, "session_id": format!("s-{event}-{entrypoint}"), "source": "startup",
            "prompt": "Rename it", "tool_name": "Bash", "tool_input": {"command": "make fmt"},
        })
        .to_string();
        seen.push_str(&sandbox.run(["hook", event]).stdout);
    }
    // The jobs are not waited for.
    let is_on = |wanted: &str| switches.iter().any(|(name, on)| name == wanted && *on);
    let extracts = usize::from(is_on("extract")) + usize::from(is_on("extract") && is_on("extract_headless"));
    let expected = if is_on("auto_memory") { extracts + usize::from(is_on("dream")) } else { 0 };
    let mut jobs = Vec::new();
    for _ in 0..500 {
        let lines = fs::read_to_string(&started).unwrap_or_default();
        jobs = lines
            .lines()
            .filter(|line| !line.starts_with("work"))
            .map(str::to_owned)
            .collect::<Vec<String>>();
        if jobs.len() >= expected {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    jobs.sort_unstable();
    let learned = sandbox.home.home().join(".claude/agent-memory/reviewer/MEMORY.md").is_file();
    let used = sandbox.home.home().join(".local/share/memdir/cache/usage/usage.jsonl").is_file();
    let git = |arguments: &[&str]| {
        let git = Command::new("git").args(arguments).current_dir(&sandbox.cwd).status().unwrap();
        assert!(git.success(), "{arguments:?}");
    };
    git(&["init", "--quiet", "--initial-branch=main"]);
    assert_eq!(sandbox.run(["journal", "start"]).code, 0);
    assert_eq!(sandbox.run(["journal", "task", "Ship it"]).code, 0);
    git(&["symbolic-ref", "HEAD", "refs/heads/other"]);
    assert_eq!(sandbox.run(["journal", "progress", "--add", "write the notes"]).code, 0);
    let task = sandbox.run(["journal", "show", "context/current-task.md"]).stdout.contains("Ship it");
    let text = format!("{seen}\n{jobs:?}\n{learned} {used} {task}");
    text.replace(sandbox.home.root().as_str(), "[ROOT]")
        .replace(&memdir_core::project::encode_path::encode(sandbox.home.root().as_str()), "[SLUG]")
}

#[test]
fn every_switch_changes_something() {
    let Value::Object(names) = serde_json::to_value(Features::default()).unwrap() else {
        panic!("an object")
    };
    let all: Vec<(String, bool)> = names.keys().map(|name| (name.clone(), true)).collect();
    let with_all = observed(&all);
    assert_eq!(observed(&all), with_all, "nothing but a switch may make a difference");
    let changes_nothing = |name: &&String| {
        let without: Vec<(String, bool)> =
            all.iter().map(|(other, _)| (other.clone(), other != *name)).collect();
        observed(&without) == with_all
    };
    assert_eq!(names.keys().filter(changes_nothing).collect::<Vec<_>>(), Vec::<&String>::new());
}
