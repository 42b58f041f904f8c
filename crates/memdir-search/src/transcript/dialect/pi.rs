//! pi: `sessions/--PROJECT--/….jsonl`.

use serde_json::Value;

use super::{Dialect, call, compaction, result, text_at, texts, time_at, turn};
use crate::transcript::{Entry, Position, Role};

pub(super) struct Pi;

const CLIENT: &str = "pi";

impl Dialect for Pi {
    fn may_matter(&self, head: &[u8]) -> bool {
        head.starts_with(br#"{"type":"message","id":""#)
            || head.starts_with(br#"{"type":"compaction","id":""#)
    }

    fn parse(&self, line: &Value, position: Position) -> Option<Entry<'static>> {
        let id = text_at(line, "/id");
        if line.get("type")? == "compaction" {
            return Some(compaction(CLIENT, position, line, id, ""));
        }
        let message = line.get("message")?;
        let content = message.get("content")?;
        let role = message.get("role")?.as_str()?;
        let speaker = if role == "assistant" { Role::Assistant } else { Role::User };
        let mut turn = turn(CLIENT, position, speaker, id);
        turn.time = time_at(line, "/timestamp");
        turn.parent = text_at(line, "/parentId").into();
        match role {
            "toolResult" => {
                let is_error = message.get("isError") == Some(&Value::Bool(true));
                turn.results.push(result(text_at(message, "/toolCallId"), &texts(content), is_error));
            }
            "user" | "assistant" => {
                turn.text = texts(content).into();
                let calls = content.as_array().into_iter().flatten();
                turn.calls = calls
                    .filter(|part| part.get("type").is_some_and(|kind| kind == "toolCall"))
                    .map(|asked| {
                        let arguments = asked.get("arguments").unwrap_or(&Value::Null);
                        call(text_at(asked, "/id"), text_at(asked, "/name"), arguments)
                    })
                    .collect();
            }
            _ => return None,
        }
        Some(Entry::Turn(turn))
    }
}
