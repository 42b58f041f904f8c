//! A week of sessions: what it leaves behind is what a person would have written, and one command takes any of it back.

use std::collections::BTreeMap;
use std::fs;

use camino::Utf8PathBuf;
use serde_json::{Value, json};

use crate::harness::Sandbox;

const WEEK: &str = include_str!("../data/week.txt");

/// One session: its name, when it began, and the lines of its transcript.
struct Session {
    name: String,
    start: jiff::Timestamp,
    lines: Vec<Value>,
}

/// Reads the week as the client would have written it down.
fn sessions() -> Vec<Session> {
    let mut sessions: Vec<Session> = Vec::new();
    let mut open: Option<(char, String)> = None;
    for line in WEEK.lines().chain(["=="]) {
        let (mark, rest) = line.split_at(line.len().min(2));
        if mark == "  " || line.is_empty() {
            if let Some((_, text)) = &mut open {
                text.push('\n');
                text.push_str(rest);
            }
            continue;
        }
        if let (Some((mark, text)), Some(session)) = (open.take(), sessions.last_mut()) {
            session.add(mark, text.trim_end());
        }
        match mark {
            "==" => {
                if let Some((name, time)) = rest.trim().split_once(' ') {
                    let start = time.parse().unwrap();
                    sessions.push(Session { name: name.to_owned(), start, lines: Vec::new() });
                }
            }
            "# " => {}
            _ => open = Some((mark.chars().next().unwrap(), rest.to_owned())),
        }
    }
    sessions
}

impl Session {
    fn add(&mut self, mark: char, text: &str) {
        let number = self.lines.len();
        let id = |number: usize| format!("{}-{number}", self.name);
        let content = match mark {
            '>' => json!(text),
            '<' => json!([{"type": "text", "text": text}]),
            '$' => {
                json!([{"type": "tool_use", "id": id(number), "name": "Bash", "input": {"command": text}}])
            }
            '*' => {
                json!([{"type": "tool_use", "id": id(number), "name": "Edit", "input": {"file_path": format!("/src/{text}")}}])
            }
            '=' | '!' => {
                json!([{"type": "tool_result", "tool_use_id": id(number - 1), "is_error": mark == '!', "content": text}])
            }
            _ => panic!("{mark} {text}"),
        };
        let role = if "<$*".contains(mark) { "assistant" } else { "user" };
        let time = self.start + jiff::SignedDuration::from_mins(number as i64);
        self.lines.push(json!({
            "type": role, "uuid": id(number), "sessionId": self.name, "timestamp": time.to_string(),
            "message": {"role": role, "content": content},
        }));
    }
}

fn ask(sandbox: &Sandbox, line: &str) -> Value {
    let block = sandbox.run(line.split_whitespace());
    assert_eq!(block.code, 0, "{line}: {}", block.stderr);
    serde_json::from_str(&block.stdout).unwrap_or_else(|_| panic!("{line}: {}{}", block.stdout, block.stderr))
}

/// Lives through the week: after every prompt of every session the Stop hook's work is done.
fn live(sandbox: &mut Sandbox) -> Utf8PathBuf {
    let project: Utf8PathBuf = ask(sandbox, "path --json")["project_dir"].as_str().unwrap().into();
    fs::create_dir_all(&project).unwrap();
    for session in sessions() {
        let path = project.join(format!("{}.jsonl", session.name));
        let mut text = String::new();
        for (number, line) in session.lines.iter().enumerate() {
            text.push_str(&format!("{line}\n"));
            let next = session.lines.get(number + 1);
            if next.is_none_or(|next| next["message"]["content"].is_string()) {
                let now = session.start + jiff::SignedDuration::from_mins(number as i64);
                fs::write(&path, &text).unwrap();
                fs::File::options().write(true).open(&path).unwrap().set_modified(now.into()).unwrap();
                sandbox.now = now.to_string();
                ask(sandbox, "extract --json");
            }
        }
    }
    sandbox.now = "2026-03-16T03:00:00Z".to_owned();
    ask(sandbox, "path --json")["memory_dir"].as_str().unwrap().into()
}

fn files(directory: &Utf8PathBuf) -> BTreeMap<String, String> {
    let entries = directory.read_dir_utf8().unwrap().map(|entry| entry.unwrap().into_path());
    let memories = entries.filter(|path| path.extension() == Some("md"));
    memories.map(|path| (path.file_name().unwrap().to_owned(), fs::read_to_string(&path).unwrap())).collect()
}

#[test]
fn a_week_leaves_what_a_person_would_have_written() {
    let mut sandbox = Sandbox::new();
    let directory = live(&mut sandbox);
    let memories = files(&directory);
    let shown: String = memories
        .iter()
        .filter(|(name, _)| *name != "MEMORY.md")
        .map(|(name, text)| {
            let body = text.splitn(3, "---\n").nth(2).unwrap_or(text).trim();
            format!("== {name}\n{body}\n")
        })
        .collect();
    insta::assert_snapshot!("week", format!("{}\n{shown}", memories["MEMORY.md"]));
    for secret in ["hunter2", "Zt8-qPw2", "sk-live"] {
        assert!(memories.values().all(|text| !text.contains(secret)), "{secret}");
    }
    let spent = ask(&sandbox, "status --json")["model"].clone();
    assert!(spent.is_null() || spent["month"]["tokens"] == 0, "no bill: {spent}");
}

/// The memories as they are, and of the index what it lists, in no particular order.
fn sorted(files: &BTreeMap<String, String>) -> BTreeMap<&str, Vec<&str>> {
    files
        .iter()
        .map(|(name, text)| {
            let mut lines: Vec<&str> = text.lines().collect();
            if name == "MEMORY.md" {
                lines = lines.iter().filter_map(|line| line.split("](").nth(1)?.split(')').next()).collect();
                lines.sort_unstable();
            }
            (name.as_str(), lines)
        })
        .collect()
}

#[test]
fn one_command_takes_any_of_a_week_back() {
    let mut sandbox = Sandbox::new();
    let directory = live(&mut sandbox);
    let log = ask(&sandbox, "log --json -n 1000");
    let operations: Vec<&str> =
        log["items"].as_array().unwrap().iter().map(|item| item["id"].as_str().unwrap()).collect();
    let before = files(&directory);
    // Any one of them, and only that one.
    for operation in operations.iter().rev().step_by(5) {
        ask(&sandbox, &format!("undo {operation} --json"));
        ask(&sandbox, "redo --json");
        assert_eq!(sorted(&files(&directory)), sorted(&before), "taken back, and taken back again");
    }
    for operation in &operations {
        ask(&sandbox, &format!("undo {operation} --json"));
    }
    let left = files(&directory);
    assert!(left.keys().all(|name| name == "MEMORY.md"), "{left:?}");
}
