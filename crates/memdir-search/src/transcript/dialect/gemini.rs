//! Gemini CLI: `tmp/PROJECT/chats/session-….jsonl`.

use serde_json::Value;

use super::{Dialect, call, holds, result, text_at, texts, time_at, turn, without_elements};
use crate::transcript::{Entry, Position, Role};

pub(super) struct Gemini;

const CLIENT: &str = "gemini";

impl Dialect for Gemini {
    fn may_matter(&self, head: &[u8]) -> bool {
        head.starts_with(br#"{"id":""#)
            && holds(head, &[r#""type":"user","content":"#, r#""type":"gemini","content":"#])
    }

    fn parse(&self, line: &Value, position: Position) -> Option<Entry<'static>> {
        let content = line.get("content")?;
        let is_user = line.get("type")? == "user";
        let calls = line.get("toolCalls").and_then(Value::as_array);
        // The same line is written again when its calls are known; of what is said, the first counts.
        let id = match calls {
            Some(_) => format!("{}-calls", text_at(line, "/id")),
            None => text_at(line, "/id"),
        };
        let role = if is_user { Role::User } else { Role::Assistant };
        let mut turn = turn(CLIENT, position, role, id);
        turn.time = time_at(line, "/timestamp");
        match calls {
            None => {
                let said = texts(content);
                turn.meta = said.starts_with("<session_context>");
                turn.text = without_elements(&said, &["hook_context"]).into();
            }
            Some(calls) => {
                let arguments = |asked: &Value| asked.get("args").cloned().unwrap_or_default();
                turn.calls = calls
                    .iter()
                    .map(|asked| call(text_at(asked, "/id"), text_at(asked, "/name"), &arguments(asked)))
                    .collect();
            }
        }
        let answers =
            content.as_array().into_iter().flatten().filter_map(|part| part.get("functionResponse"));
        turn.results = answers
            .map(|answer| {
                let error = answer.pointer("/response/error");
                let said = error.or(answer.pointer("/response/output")).and_then(Value::as_str);
                result(text_at(answer, "/id"), said.unwrap_or_default(), error.is_some())
            })
            .collect();
        Some(Entry::Turn(turn))
    }
}
