//! Sessions that memdir wrote down itself, of agents that keep theirs in a database: our plugin hands them over.

use serde_json::Value;

use super::{Dialect, call, result, text_at, time_at, turn};
use crate::transcript::{Entry, Position, Role};

pub(super) struct Recorded;

impl Dialect for Recorded {
    fn may_matter(&self, head: &[u8]) -> bool {
        head.starts_with(br#"{"recorded_from":""#)
    }

    fn parse(&self, line: &Value, position: Position) -> Option<Entry<'static>> {
        let role = if line.get("role")? == "assistant" { Role::Assistant } else { Role::User };
        let mut turn = turn("", position, role, text_at(line, "/id"));
        turn.client = text_at(line, "/recorded_from").into();
        turn.time = time_at(line, "/time");
        turn.cwd = text_at(line, "/cwd").into();
        turn.text = text_at(line, "/text").into();
        for asked in line.get("calls").and_then(Value::as_array).into_iter().flatten() {
            let arguments = asked.get("input").unwrap_or(&Value::Null);
            turn.calls.push(call(text_at(asked, "/id"), text_at(asked, "/name"), arguments));
            let failed = asked.get("failed") == Some(&Value::Bool(true));
            turn.results.push(result(text_at(asked, "/id"), &text_at(asked, "/output"), failed));
        }
        Some(Entry::Turn(turn))
    }
}
