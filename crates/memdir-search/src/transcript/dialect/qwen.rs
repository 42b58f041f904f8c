//! Qwen Code: `projects/PROJECT/chats/ID.jsonl`. Its lines look like Claude Code's, with Gemini's parts in them.

use serde_json::Value;

use super::{Dialect, call, compaction, holds, result, text_at, texts, time_at, turn};
use crate::transcript::{Entry, Position, Role};

pub(super) struct Qwen;

const CLIENT: &str = "qwen";

impl Dialect for Qwen {
    fn may_matter(&self, head: &[u8]) -> bool {
        head.starts_with(br#"{"uuid":""#)
            && holds(head, &[r#""parts":["#, r#""subtype":"chat_compression""#])
            && holds(head, &[r#""sessionId":"#])
    }

    fn parse(&self, line: &Value, position: Position) -> Option<Entry<'static>> {
        let id = text_at(line, "/uuid");
        if text_at(line, "/subtype") == "chat_compression" {
            return Some(compaction(CLIENT, position, line, id, ""));
        }
        let parts = line.pointer("/message/parts")?;
        let kind = line.get("type")?.as_str()?;
        let role = if kind == "assistant" { Role::Assistant } else { Role::User };
        let mut turn = turn(CLIENT, position, role, id);
        turn.time = time_at(line, "/timestamp");
        turn.parent = text_at(line, "/parentUuid").into();
        turn.session = text_at(line, "/sessionId").into();
        turn.cwd = text_at(line, "/cwd").into();
        turn.branch = text_at(line, "/gitBranch").into();
        turn.meta = kind == "system";
        let provenance = text_at(line, "/provenance");
        turn.meta |= kind == "user" && !matches!(provenance.as_str(), "" | "real_user");
        turn.text = said(parts).into();
        for part in parts.as_array()? {
            if let Some(asked) = part.get("functionCall") {
                let arguments = asked.get("args").unwrap_or(&Value::Null);
                turn.calls.push(call(text_at(asked, "/id"), text_at(asked, "/name"), arguments));
            }
            if let Some(answer) = part.get("functionResponse") {
                let error = answer.pointer("/response/error");
                let text = error.or(answer.pointer("/response/output")).and_then(Value::as_str);
                turn.results.push(result(text_at(answer, "/id"), text.unwrap_or_default(), error.is_some()));
            }
        }
        Some(Entry::Turn(turn))
    }
}

/// What was said aloud.
fn said(parts: &Value) -> String {
    let parts = parts.as_array().into_iter().flatten();
    let aloud = parts.filter(|part| part.get("thought") != Some(&Value::Bool(true)));
    texts(&Value::Array(aloud.cloned().collect()))
}
