//! The plugin folder as it is in the repository: every file of the form that the client reads, every command that
//! it names one that exists.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Stdio};

use camino::{Utf8Path, Utf8PathBuf};
use serde_json::Value;

use crate::harness::Sandbox;

/// The events that the client knows; a name that it does not know can void a whole file.
const EVENTS: [&str; 11] = [
    "SessionStart",
    "UserPromptSubmit",
    "PreToolUse",
    "PermissionRequest",
    "PostToolUse",
    "SubagentStart",
    "SubagentStop",
    "Stop",
    "PreCompact",
    "PostCompact",
    "SessionEnd",
];

fn repository() -> Utf8PathBuf {
    Utf8Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize_utf8().unwrap()
}

fn json(path: &str) -> Value {
    let text = fs::read_to_string(repository().join(path)).unwrap();
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{path}: {error}"))
}

#[test]
fn the_manifests_say_who_and_what() {
    let plugin = json("plugin/.claude-plugin/plugin.json");
    assert_eq!(plugin["name"], "memdir");
    assert_eq!(plugin["version"], env!("CARGO_PKG_VERSION"));
    for (path, source) in [(".claude-plugin", "./plugin"), ("plugin/.claude-plugin", "./")] {
        let marketplace = json(&format!("{path}/marketplace.json"));
        assert_eq!(marketplace["name"], "memdir");
        assert!(marketplace["owner"]["name"].is_string() && marketplace["description"].is_string());
        let [listed] = marketplace["plugins"].as_array().unwrap().as_slice() else { panic!("one plugin") };
        assert_eq!(listed["name"], plugin["name"]);
        assert_eq!(listed["description"], plugin["description"]);
        assert_eq!(listed["source"], source);
        let folder = repository().join(path).parent().unwrap().join(source);
        assert!(folder.join(".claude-plugin/plugin.json").exists());
    }
}

#[test]
fn the_hooks_are_those_that_memdir_serves() {
    let hooks = json("plugin/hooks/hooks.json");
    let events: Vec<&str> = hooks["hooks"].as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(events, EVENTS);
    let served: Vec<&str> = memdir::hook_events().collect();
    for event in EVENTS {
        assert!(served.contains(&event), "{event} is not served");
        let [group] = hooks["hooks"][event].as_array().unwrap().as_slice() else { panic!("{event}") };
        let [hook] = group["hooks"].as_array().unwrap().as_slice() else { panic!("{event}") };
        assert_eq!(hook["type"], "command");
        assert_eq!(hook["command"], format!("sh \"${{CLAUDE_PLUGIN_ROOT}}/hooks/memdir.sh\" {event}"));
        assert!(hook["timeout"].as_u64().is_some_and(|seconds| seconds <= 10));
        let matches_tools = event.ends_with("ToolUse") || event == "PermissionRequest";
        assert_eq!(group.get("matcher").is_some(), matches_tools);
    }
    let server = &json("plugin/.mcp.json")["mcpServers"]["memdir"];
    assert_eq!(server["command"], "memdir");
    assert_eq!(server["args"], serde_json::json!(["mcp"]));
}

#[test]
fn a_hook_exits_with_0_and_says_how_to_get_what_is_missing() {
    let script = repository().join("plugin/hooks/memdir.sh");
    let run = |path: &str, event: &str| {
        let output = Command::new("/bin/sh")
            .args([script.as_str(), event])
            .env_clear()
            .env("PATH", path)
            .stdin(Stdio::null())
            .output()
            .unwrap();
        assert!(output.status.success());
        String::from_utf8(output.stdout).unwrap()
    };
    let said: Value = serde_json::from_str(&run("/nonexistent", "SessionStart")).unwrap();
    assert!(said["systemMessage"].as_str().unwrap().contains("cargo install"));
    assert_eq!(run("/nonexistent", "PostToolUse"), "");
    let sandbox = Sandbox::new();
    let fake = sandbox.home.write("bin/memdir", "#!/bin/sh\necho \"$@\"\nexit 3\n");
    fs::set_permissions(&fake, fs::Permissions::from_mode(0o755)).unwrap();
    assert_eq!(run(fake.parent().unwrap().as_str(), "SessionEnd"), "hook SessionEnd\n");
}

#[test]
fn commands_and_skill_name_what_exists() {
    let folder = repository().join("plugin");
    let mut texts: Vec<(String, String)> = Vec::new();
    for entry in folder.join("commands").read_dir_utf8().unwrap() {
        let entry = entry.unwrap();
        texts.push((entry.file_name().to_owned(), fs::read_to_string(entry.path()).unwrap()));
    }
    let names: BTreeSet<&str> = texts.iter().map(|(name, _)| name.trim_end_matches(".md")).collect();
    let expected = ["cues", "dream", "rebuild", "review", "start", "status", "stop", "user", "workspace"];
    assert_eq!(names, expected.into_iter().collect());
    texts.push(("SKILL.md".to_owned(), fs::read_to_string(folder.join("skills/memory/SKILL.md")).unwrap()));
    for (name, text) in &texts {
        let (head, body) = text.strip_prefix("---\n").and_then(|rest| rest.split_once("\n---\n")).unwrap();
        let field = |key: &str| head.lines().find_map(|line| line.strip_prefix(&format!("{key}: ")));
        assert!(field("description").is_some_and(|text| text.len() > 20), "{name}");
        let allowed = field("allowed-tools").unwrap();
        for rule in allowed.split(", ") {
            let command = rule.strip_prefix("Bash(").and_then(|rest| rest.strip_suffix(')')).unwrap();
            exists(command.trim_end_matches(":*"), name);
        }
        for run in body.lines().filter_map(|line| line.strip_prefix("!`")) {
            // A command that answers no or fails is an answer for the model, not the end of it.
            let commands = run.strip_suffix(" 2>&1 || true`").unwrap();
            for command in commands.split(" && ") {
                exists(command, name);
                assert!(
                    allowed.split(", ").any(|rule| rule == format!("Bash({command})")),
                    "{name}: {command}"
                );
            }
        }
        for named in body.split('`').skip(1).step_by(2).filter(|code| code.starts_with("memdir")) {
            exists(named, name);
        }
    }
}

/// Asks the program for the help of a command: its words up to the first that is not a name of a command.
fn exists(command: &str, whence: &str) {
    let is_name =
        |word: &&str| word.chars().all(|c| c.is_ascii_lowercase() || c == '-') && !word.starts_with('-');
    let words: Vec<&str> = command.split_whitespace().skip(1).take_while(is_name).collect();
    let shown = Sandbox::new().run(words.into_iter().chain(["--help"]));
    assert_eq!(shown.code, 0, "{whence} names `{command}`: {}", shown.stderr);
}
