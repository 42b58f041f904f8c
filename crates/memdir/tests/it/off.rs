//! Where memory is off, it is invisible to agents: every event of a hook, every tool and every background job, under
//! every switch. The lists are those of the program, so that a new one cannot be forgotten.

use std::fs;
use std::io::Write;
use std::process::Stdio;

use camino::Utf8PathBuf;
use memdir::{Job, hook_events};
use memdir_core::mcp::tools_list;
use memdir_testkit::TestHome;
use serde_json::{Value, json};

use crate::mcp_client::command;

/// A way to switch memory off, and the rule that `memdir path` names.
#[derive(Clone, Copy)]
struct Switch {
    rule: &'static str,
    var: Option<&'static str>,
    /// A file below the home directory, and what it holds.
    file: Option<(&'static str, &'static str)>,
}

const SWITCHES: [Switch; 5] = [
    Switch::var("env:CLAUDE_CODE_DISABLE_AUTO_MEMORY", "CLAUDE_CODE_DISABLE_AUTO_MEMORY"),
    Switch::var("env:CLAUDE_CODE_SIMPLE", "CLAUDE_CODE_SIMPLE"),
    Switch::var("env:CLAUDE_CODE_REMOTE", "CLAUDE_CODE_REMOTE"),
    Switch::file(
        "settings:local autoMemoryEnabled",
        "project/.claude/settings.local.json",
        "{\"autoMemoryEnabled\": false}",
    ),
    Switch::file(
        "config:features.auto_memory",
        ".config/memdir/config.toml",
        "[features]\nauto_memory = false\nextract = true\nextract_headless = true\ndream = true\nteam = true\ndaily_logs = true\nsession_search = true\n",
    ),
];

/// Everything that could happen by itself does.
const ALL_ON: &str = "[features]\nextract = true\nextract_headless = true\ndream = true\nteam = true\ndaily_logs = true\nsession_search = true\n";

impl Switch {
    const fn var(rule: &'static str, var: &'static str) -> Self {
        Self { rule, var: Some(var), file: None }
    }

    const fn file(rule: &'static str, path: &'static str, text: &'static str) -> Self {
        Self { rule, var: None, file: Some((path, text)) }
    }
}

/// A project with memory, a journal, a search index and a session.
struct Project {
    home: TestHome,
    memory: Utf8PathBuf,
    switch: Option<Switch>,
}

/// What a run of the program did.
struct Ran {
    stdout: String,
    stderr: String,
    code: i32,
    /// Calls that opened something below the memory of projects or our own state.
    opened: Vec<String>,
}

impl Project {
    fn new() -> Self {
        let home = TestHome::new();
        home.write("home/.config/memdir/config.toml", ALL_ON);
        let mut project = Self { home, memory: Utf8PathBuf::new(), switch: None };
        for arguments in [
            &[
                "add",
                "--type=project",
                "--name=release",
                "--description=how we release",
                "--text=Release on Tuesdays.",
            ][..],
            &["search", "release"],
            &["journal", "start"],
            &["journal", "task", "Port the parser"],
            &["today", "add", "The parser is half done."],
        ] {
            let ran = project.run(arguments, "");
            assert_eq!(ran.code, 0, "{arguments:?}: {}", ran.stderr);
        }
        project.memory = project.run(&["path"], "").stdout.trim_end().into();
        let said = json!({
            "type": "user", "uuid": "u1", "parentUuid": null, "sessionId": "s-1", "cwd": project.home.project(),
            "version": "2.1.325", "gitBranch": "main", "isSidechain": false, "userType": "external",
            "timestamp": "2026-10-01T10:00:00.000Z",
            "message": {"role": "user", "content": "Please never mock the database in tests, because it hides real errors."},
        });
        fs::write(project.memory.parent().unwrap().join("s-1.jsonl"), format!("{said}\n")).unwrap();
        project
    }

    fn switch(&mut self, switch: Switch) {
        if let Some((path, text)) = switch.file {
            self.home.write(format!("home/{path}"), text);
        }
        self.switch = Some(switch);
    }

    /// Runs the program and all that it starts.
    fn run(&self, arguments: &[&str], stdin: &str) -> Ran {
        let log = self.home.root().join("calls");
        let program = command(&self.home);
        let mut traced = std::process::Command::new("strace");
        traced.args(["-f", "-y", "-qq", "-e", "trace=open,openat,openat2", "-s", "4096", "-o"]);
        traced.arg(&log).arg(program.get_program()).args(arguments);
        traced.env_clear().env("PATH", "/usr/bin:/bin").env("TZ", "UTC");
        traced.env("HOME", self.home.home()).current_dir(self.home.project());
        if let Some(var) = self.switch.and_then(|switch| switch.var) {
            traced.env(var, "1");
        }
        traced.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = traced.spawn().unwrap();
        // A command that reads no input may be gone already.
        let _ = child.stdin.take().unwrap().write_all(stdin.as_bytes());
        let output = child.wait_with_output().unwrap();
        let home = self.home.home();
        let ours = [home.join(".claude/projects"), home.join(".local/share/memdir")];
        let calls = fs::read_to_string(&log).unwrap();
        let opened = calls.lines().filter(|call| ours.iter().any(|path| call.contains(path.as_str())));
        Ran {
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
            code: output.status.code().unwrap(),
            opened: opened.map(str::to_owned).collect(),
        }
    }

    /// What every event could need, in one.
    fn event(&self, name: &str) -> String {
        json!({
            "hook_event_name": name, "session_id": "s-1", "cwd": self.home.project(), "source": "startup",
            "transcript_path": self.memory.parent().unwrap().join("s-1.jsonl"),
            "prompt": "on which day do we release, Tuesdays?",
            "tool_name": "Write", "tool_use_id": "t",
            "tool_input": {"file_path": self.memory.join("release.md"), "content": "Release on Mondays."},
            "agent_id": "a1", "agent_type": "Explore", "last_assistant_message": "Found three callers.",
            "trigger": "auto", "compact_summary": "We port the parser.", "custom_instructions": "keep names",
        })
        .to_string()
    }

    /// A conversation with the MCP server: all that was answered, by id.
    fn converse(&self, requests: &[Value]) -> (Vec<Value>, Ran) {
        let hello = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
            "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}});
        let ready = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
        let lines: Vec<String> = [&hello, &ready].into_iter().chain(requests).map(Value::to_string).collect();
        let ran = self.run(&["mcp", "--memory-tool"], &format!("{}\n", lines.join("\n")));
        let mut answers: Vec<Value> =
            ran.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        answers.retain(|answer| answer["id"].is_u64());
        answers.sort_by_key(|answer| answer["id"].as_u64());
        (answers, ran)
    }
}

/// A call of a tool that it understands. A new tool is called with what it requires.
fn call(id: usize, tool: &Value) -> Value {
    let name = tool["name"].as_str().unwrap();
    let arguments = match name {
        "read" => json!({"name": "release"}),
        "edit" => json!({"name": "release", "old": "Tuesdays", "new": "Mondays"}),
        "journal" => json!({"action": "status"}),
        "memory" => json!({"command": "view", "path": "/memories"}),
        "save" => json!({"name": "new", "description": "new", "type": "project", "text": "New."}),
        _ => {
            let required = tool["inputSchema"]["required"].as_array().cloned().unwrap_or_default();
            required.iter().map(|key| (key.as_str().unwrap().to_owned(), json!("release"))).collect()
        }
    };
    json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {"name": name, "arguments": arguments}})
}

fn tool_calls() -> Vec<Value> {
    tools_list(true).iter().enumerate().map(|(at, tool)| call(at + 1, tool)).collect()
}

#[test]
fn while_memory_is_off_no_hook_tool_or_job_reads_says_or_writes_anything() {
    for switch in SWITCHES {
        let rule = switch.rule;
        let mut project = Project::new();
        project.switch(switch);
        let before = project.home.tree("home");
        for event in hook_events() {
            let ran = project.run(&["hook", event], &project.event(event));
            assert_eq!(
                (ran.code, ran.stdout.as_str(), ran.stderr.as_str()),
                (0, "", ""),
                "{event} with {rule}"
            );
            assert!(ran.opened.is_empty(), "{event} with {rule}: {:?}", ran.opened);
        }
        for job in Job::all() {
            let arguments = job.arguments(Some("s-1"));
            let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
            let ran = project.run(&arguments, "");
            assert_eq!((ran.code, ran.stdout.as_str()), (0, ""), "{job:?} with {rule}");
            // At night all projects are listed; no file of one that is off is opened.
            let of_file =
                |call: &&String| !call.contains("O_DIRECTORY") && call.contains(project.memory.as_str());
            let opened: Vec<&String> = match job {
                Job::NightlyDream => ran.opened.iter().filter(of_file).collect(),
                _ => ran.opened.iter().collect(),
            };
            assert!(opened.is_empty(), "{job:?} with {rule}: {opened:?}");
        }
        let (answers, ran) = project.converse(&tool_calls());
        assert!(answers[0]["result"].get("instructions").is_none(), "{rule}: {}", answers[0]);
        assert_eq!(answers.len(), tools_list(true).len() + 1, "{rule}: {}", ran.stderr);
        for answer in &answers[1..] {
            let said = answer["result"]["content"][0]["text"].as_str().unwrap_or_default();
            assert_eq!(
                said,
                format!("memory is off here ({rule}): nothing was read or written."),
                "{answer}"
            );
        }
        assert!(ran.opened.is_empty(), "mcp with {rule}: {:?}", ran.opened);
        let asked = ["tools/list", "resources/list"]
            .map(|method| json!({"jsonrpc": "2.0", "id": 1, "method": method}));
        for request in asked {
            let (answers, _) = project.converse(std::slice::from_ref(&request));
            let result = &answers[1]["result"];
            let listed = result.get("tools").or(result.get("resources")).unwrap();
            assert_eq!(*listed, json!([]), "{request} with {rule}");
        }
        let uri = "memory://memories/release.md";
        let others = [
            ("resources/read", json!({"uri": uri})),
            ("resources/subscribe", json!({"uri": uri})),
            ("prompts/get", json!({"name": "status"})),
            (
                "completion/complete",
                json!({"ref": {"type": "ref/resource", "uri": "memory://memories/{+path}"},
                "argument": {"name": "path", "value": "r"}}),
            ),
        ];
        for (method, params) in others {
            let request = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
            let (answers, ran) = project.converse(&[request]);
            assert!(!answers[1].to_string().contains("elease"), "{method} with {rule}: {}", answers[1]);
            assert!(ran.opened.is_empty(), "{method} with {rule}: {:?}", ran.opened);
        }
        let ran = project.run(&["tool"], r#"{"command": "view", "path": "/memories/release.md"}"#);
        assert!(
            ran.stdout.contains("memory is off here") && ran.opened.is_empty(),
            "{rule}: {:?}",
            ran.opened
        );
        assert_eq!(project.home.tree("home"), before, "{rule}");
    }
}

/// The walk above would notice: with memory on, each of them opens what belongs to the project.
#[test]
fn while_memory_is_on_every_hook_tool_and_job_opens_it() {
    let project = Project::new();
    for event in hook_events() {
        let ran = project.run(&["hook", event], &project.event(event));
        assert!(!ran.opened.is_empty(), "{event}");
    }
    for job in Job::all() {
        let arguments = job.arguments(Some("s-1"));
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let ran = project.run(&arguments, "");
        assert!(!ran.opened.is_empty(), "{job:?}: {}", ran.stderr);
    }
    for request in tool_calls() {
        let (answers, ran) = project.converse(std::slice::from_ref(&request));
        assert!(!ran.opened.is_empty(), "{request}");
        assert!(!answers[1].to_string().contains("memory is off"), "{answers:?}");
    }
}

#[test]
fn the_switch_that_decided_is_named_and_a_person_can_still_work() {
    for switch in SWITCHES {
        let rule = switch.rule;
        let mut project = Project::new();
        project.switch(switch);
        let path: Value = serde_json::from_str(&project.run(&["path", "--json"], "").stdout).unwrap();
        assert_eq!((&path["enabled"], &path["decided_by"]), (&json!(false), &json!(rule)));
        let said = project.run(&["path"], "").stderr;
        let reason = format!("would write  no, agents' memory is off  ({rule})");
        assert!(said.lines().any(|line| line.trim() == reason), "{said}");
        let status: Value = serde_json::from_str(&project.run(&["status", "--json"], "").stdout).unwrap();
        assert_eq!((&status["enabled"], &status["decided_by"]), (&json!(false), &json!(rule)));
        for command in [&[][..], &["status"]] {
            let said = project.run(command, "").stdout;
            assert!(said.contains(&format!("off ({rule})")), "{command:?}: {said}");
        }
        let note = format!("note: agents' memory is off here ({rule})");
        let add = ["add", "--type=user", "--name=tea", "--description=drinks tea", "--text=Tea at four."];
        for command in [
            &add[..],
            &["ls"],
            &["show", "release"],
            &["search", "Tuesdays"],
            &["log"],
            &["dream", "--dry-run"],
        ] {
            let ran = project.run(command, "");
            assert_eq!(ran.code, 0, "{command:?} with {rule}: {}", ran.stderr);
            assert_eq!(
                ran.stderr.lines().filter(|line| *line == note).count(),
                1,
                "{command:?}: {}",
                ran.stderr
            );
        }
        assert!(project.memory.join("tea.md").is_file(), "{rule}");
        let before = project.home.tree("home");
        for command in ["extract", "dream"] {
            let ran = project.run(&[command], "");
            assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{command} with {rule}: {}", ran.stderr);
            assert!(ran.stderr.contains("memory is off for this project"), "{command}: {}", ran.stderr);
        }
        assert_eq!(project.home.tree("home"), before, "{rule}: no lock is left");
        let recalled = project.run(&["recall", "--prompt", "on which day do we release"], "");
        assert_eq!((recalled.stdout.as_str(), recalled.stderr), ("", format!("{note}\n")), "{rule}");
        let told = project.run(&["tool"], "{\"command\": \"view\", \"path\": \"/memories\"}").stdout;
        assert!(told.contains("memory is off here") && !told.contains("release"), "{told}");
    }
}
