//! How the agents write a line of a transcript. Every line says by its first bytes whose it is, so a reader needs to
//! know neither the agent nor the lines before.

use std::borrow::Cow;

use jiff::Timestamp;
use memchr::memmem;
use serde_json::Value;

use super::{Compaction, Entry, Position, Role, ToolCall, ToolResult, Turn, line};

mod codex;
mod copilot;
mod gemini;
mod pi;
mod qwen;
mod recorded;

/// One agent's form of a line.
pub(super) trait Dialect: Sync {
    /// Whether a line with this beginning is the agent's and may be a turn or a compaction.
    fn may_matter(&self, head: &[u8]) -> bool;

    /// What a line means; `None` if it means nothing to us.
    fn parse(&self, line: &Value, position: Position) -> Option<Entry<'static>>;
}

/// All but Claude Code's, whose lines `line.rs` reads without taking them apart first.
static DIALECTS: [&dyn Dialect; 6] =
    [&codex::Codex, &copilot::Copilot, &gemini::Gemini, &pi::Pi, &qwen::Qwen, &recorded::Recorded];

/// So much of a line is looked at to see whose it is: a path may come first.
const HEAD: usize = 6 << 10;

/// Whether a line can be a turn or a boundary at all, judged without parsing it.
pub(super) fn may_matter(line: &[u8]) -> bool {
    dialect_of(line).is_some() || line::may_matter(line)
}

/// Reads one line of whichever agent. `Ok(None)` is a line that means nothing to us.
pub(super) fn parse(text: &str, position: Position) -> serde_json::Result<Option<Entry<'_>>> {
    match dialect_of(text.as_bytes()) {
        Some(dialect) => Ok(dialect.parse(&serde_json::from_str(text)?, position)),
        None => line::parse(text, position),
    }
}

fn dialect_of(line: &[u8]) -> Option<&'static dyn Dialect> {
    let head = line.get(..HEAD).unwrap_or(line);
    DIALECTS.iter().copied().find(|dialect| dialect.may_matter(head))
}

/// Whether the beginning of a line holds one of these.
fn holds(head: &[u8], any: &[&str]) -> bool {
    any.iter().any(|part| memmem::find(head, part.as_bytes()).is_some())
}

/// A text of an object, empty if there is none.
fn text_at(object: &Value, pointer: &str) -> String {
    object.pointer(pointer).and_then(Value::as_str).unwrap_or_default().to_owned()
}

fn time_at(object: &Value, pointer: &str) -> Option<Timestamp> {
    object.pointer(pointer)?.as_str()?.parse().ok()
}

/// A turn of an agent, in which nothing has been said yet.
fn turn(client: &'static str, position: Position, role: Role, id: String) -> Turn<'static> {
    Turn { position, role, client: client.into(), uuid: id.into(), ..Turn::default() }
}

fn compaction(
    client: &'static str,
    position: Position,
    line: &Value,
    id: String,
    trigger: &str,
) -> Entry<'static> {
    Entry::Compaction(Compaction {
        position,
        client: client.into(),
        uuid: id.into(),
        session: Cow::default(),
        time: time_at(line, "/timestamp"),
        trigger: trigger.to_owned().into(),
    })
}

/// The texts of a list of parts, or the text itself.
fn texts(content: &Value) -> String {
    let parts = match content {
        Value::String(text) => return text.clone(),
        Value::Array(parts) => parts,
        _ => return String::new(),
    };
    let texts = parts.iter().filter_map(|part| part.get("text")?.as_str());
    texts.filter(|text| !text.is_empty()).collect::<Vec<_>>().join("\n\n")
}

/// A call of a tool, with what its arguments name, whatever the agent calls that.
fn call(id: String, name: String, arguments: &Value) -> ToolCall<'static> {
    // Codex writes them as a text.
    let parsed = arguments.as_str().and_then(|text| serde_json::from_str(text).ok());
    let arguments = parsed.as_ref().unwrap_or(arguments);
    let first = |names: &[&str]| {
        names.iter().find_map(|name| match arguments.get(name)? {
            Value::String(text) if !text.is_empty() => Some(Cow::Owned(text.clone())),
            Value::Array(words) => {
                let words: Vec<&str> = words.iter().filter_map(Value::as_str).collect();
                Some(Cow::Owned(words.join(" ")))
            }
            _ => None,
        })
    };
    ToolCall {
        id: id.into(),
        name: name.into(),
        file: first(&["file_path", "filePath", "absolute_path", "path"]),
        command: first(&["command", "cmd"]),
        purpose: first(&["description", "pattern", "query"]),
    }
}

/// As much of a tool's result as is kept.
const RESULT_BYTES: usize = 4_096;

fn result(id: String, text: &str, is_error: bool) -> ToolResult<'static> {
    let end = text.floor_char_boundary(RESULT_BYTES);
    let text = text.get(..end).unwrap_or_default().to_owned();
    ToolResult { id: id.into(), text: text.into(), is_error }
}

/// The text without the elements of these names, which an agent or a hook put around what a person said.
fn without_elements(text: &str, names: &[&str]) -> String {
    let mut kept = text.to_owned();
    for name in names {
        let (open, close) = (format!("<{name}>"), format!("</{name}>"));
        while let Some(start) = kept.find(&open) {
            let end = kept.get(start..).and_then(|rest| rest.find(&close));
            let end = end.map_or(kept.len(), |end| start + end + close.len());
            kept.replace_range(start..end, "");
        }
    }
    kept.trim().to_owned()
}
