//! Codex: `sessions/YYYY/MM/DD/rollout-….jsonl`.

use serde_json::Value;

use super::{Dialect, call, compaction, holds, result, text_at, texts, time_at, turn};
use crate::transcript::{Entry, Position, Role};

pub(super) struct Codex;

const CLIENT: &str = "codex";

/// What Codex itself says in the user's name begins so.
const CONTEXT: [&str; 4] =
    ["<environment_context>", "<user_instructions>", "# AGENTS.md instructions", "<turn_aborted>"];

impl Dialect for Codex {
    fn may_matter(&self, head: &[u8]) -> bool {
        head.starts_with(br#"{"timestamp":""#)
            && holds(head, &[r#""type":"response_item""#, r#""type":"compacted""#])
            && holds(head, &[r#""payload":"#])
    }

    fn parse(&self, line: &Value, position: Position) -> Option<Entry<'static>> {
        let payload = line.get("payload")?;
        // Lines have no identity of their own, and a call and its answer share theirs.
        let id = format!("{}-{}", text_at(line, "/timestamp"), position.line + 1);
        if line.get("type")? == "compacted" {
            return Some(compaction(CLIENT, position, line, id, "auto"));
        }
        let mut turn = turn(CLIENT, position, Role::Assistant, id);
        turn.time = time_at(line, "/timestamp");
        match payload.get("type")?.as_str()? {
            "message" => {
                let text = texts(payload.get("content")?);
                match payload.get("role")?.as_str()? {
                    "user" => {
                        turn.role = Role::User;
                        turn.meta = CONTEXT.iter().any(|start| text.trim_start().starts_with(start));
                    }
                    "assistant" => {}
                    _ => return None,
                }
                turn.text = text.into();
            }
            "function_call" | "custom_tool_call" | "local_shell_call" => {
                let arguments = ["arguments", "input", "action"].iter().find_map(|key| payload.get(*key))?;
                let name = match payload.get("namespace").and_then(Value::as_str) {
                    Some(space) => format!("{space}__{}", text_at(payload, "/name")),
                    None => text_at(payload, "/name"),
                };
                turn.calls.push(call(text_at(payload, "/call_id"), name, arguments));
            }
            "function_call_output" | "custom_tool_call_output" => {
                turn.role = Role::User;
                let output = payload.get("output")?;
                let text = if output.is_array() { texts(output) } else { text_at(payload, "/output") };
                let is_error = text.contains("Process exited with code ")
                    && !text.contains("Process exited with code 0");
                turn.results.push(result(text_at(payload, "/call_id"), &text, is_error));
            }
            _ => return None,
        }
        Some(Entry::Turn(turn))
    }
}
