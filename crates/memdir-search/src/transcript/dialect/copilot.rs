//! Copilot on the command line: `session-state/ID/events.jsonl`.

use serde_json::Value;

use super::{Dialect, call, compaction, result, text_at, time_at, turn};
use crate::transcript::{Entry, Position, Role};

pub(super) struct Copilot;

const CLIENT: &str = "copilot";

const EVENTS: [&str; 4] =
    ["user.message", "assistant.message", "tool.execution_complete", "session.compaction_complete"];

impl Dialect for Copilot {
    fn may_matter(&self, head: &[u8]) -> bool {
        let event = head.strip_prefix(br#"{"type":""#).unwrap_or_default();
        EVENTS
            .iter()
            .any(|name| event.strip_prefix(name.as_bytes()).is_some_and(|rest| rest.first() == Some(&b'"')))
    }

    fn parse(&self, line: &Value, position: Position) -> Option<Entry<'static>> {
        let (data, id) = (line.get("data")?, text_at(line, "/id"));
        let event = line.get("type")?.as_str()?;
        if event == "session.compaction_complete" {
            return Some(compaction(CLIENT, position, line, id, ""));
        }
        let role = if event == "assistant.message" { Role::Assistant } else { Role::User };
        let mut turn = turn(CLIENT, position, role, id);
        turn.time = time_at(line, "/timestamp");
        turn.parent = text_at(line, "/parentId").into();
        if event == "tool.execution_complete" {
            let failed = data.get("success") == Some(&Value::Bool(false));
            let text =
                if failed { text_at(data, "/error/message") } else { text_at(data, "/result/content") };
            turn.results.push(result(text_at(data, "/toolCallId"), &text, failed));
        } else {
            turn.text = text_at(data, "/content").into();
            let calls = data.get("toolRequests").and_then(Value::as_array).into_iter().flatten();
            turn.calls = calls
                .map(|asked| {
                    let arguments = asked.get("arguments").unwrap_or(&Value::Null);
                    call(text_at(asked, "/toolCallId"), text_at(asked, "/name"), arguments)
                })
                .collect();
        }
        Some(Entry::Turn(turn))
    }
}
