//! The content of a message: a string, or a list of blocks.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::line::lenient;
use super::text::{Flag, Text};
use super::{ToolCall, ToolResult, Turn};

/// As much of a tool's result as is kept: enough for an error message or a commit's report.
const RESULT_BYTES: usize = 4_096;

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Block<'a> {
    #[serde(borrow, rename = "type")]
    kind: Text<'a>,
    #[serde(borrow)]
    text: Text<'a>,
    #[serde(borrow)]
    id: Text<'a>,
    #[serde(borrow)]
    name: Text<'a>,
    #[serde(borrow)]
    input: Option<&'a RawValue>,
    #[serde(borrow)]
    tool_use_id: Text<'a>,
    #[serde(borrow)]
    content: Option<&'a RawValue>,
    is_error: Flag,
}

/// What the client's own tools call the things that we look for.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Input<'a> {
    #[serde(borrow)]
    file_path: Text<'a>,
    #[serde(borrow)]
    notebook_path: Text<'a>,
    #[serde(borrow)]
    path: Text<'a>,
    #[serde(borrow)]
    command: Text<'a>,
    #[serde(borrow)]
    description: Text<'a>,
    #[serde(borrow)]
    pattern: Text<'a>,
    #[serde(borrow)]
    query: Text<'a>,
}

/// Adds the content of a message to its turn.
pub(super) fn read_content<'a>(content: &'a RawValue, turn: &mut Turn<'a>) {
    if content.get().starts_with('"') {
        turn.text = lenient::<Text<'a>>(content).unwrap_or_default().0;
        return;
    }
    let Some(blocks) = lenient::<Vec<&'a RawValue>>(content) else { return };
    for raw in blocks {
        let Some(block) = lenient::<Block<'a>>(raw) else { continue };
        match block.kind.0.as_ref() {
            "text" => add_text(&mut turn.text, block.text.0),
            "tool_use" | "server_tool_use" | "mcp_tool_use" => {
                turn.calls.push(call(block.id.0, block.name.0, block.input));
            }
            "tool_result" => turn.results.push(ToolResult {
                id: block.tool_use_id.0,
                text: block.content.map(result_text).unwrap_or_default(),
                is_error: block.is_error.0,
            }),
            _ => {}
        }
    }
}

fn add_text<'a>(whole: &mut Cow<'a, str>, part: Cow<'a, str>) {
    if whole.is_empty() {
        *whole = part;
    } else if !part.is_empty() {
        let whole = whole.to_mut();
        whole.push_str("\n\n");
        whole.push_str(&part);
    }
}

fn call<'a>(id: Cow<'a, str>, name: Cow<'a, str>, input: Option<&'a RawValue>) -> ToolCall<'a> {
    let input = input.and_then(lenient::<Input<'a>>).unwrap_or_default();
    let first = |candidates: [Cow<'a, str>; 3]| candidates.into_iter().find(|text| !text.is_empty());
    ToolCall {
        id,
        name,
        file: first([input.file_path.0, input.notebook_path.0, input.path.0]),
        command: Some(input.command.0).filter(|text| !text.is_empty()),
        purpose: first([input.description.0, input.pattern.0, input.query.0]),
    }
}

/// The beginning of a tool's result, which is a string or a list of blocks of its own.
fn result_text(content: &RawValue) -> Cow<'_, str> {
    if content.get().starts_with('"') {
        return cut(lenient::<Text<'_>>(content).unwrap_or_default().0);
    }
    let mut text: Cow<'_, str> = Cow::default();
    for raw in lenient::<Vec<&RawValue>>(content).unwrap_or_default() {
        if text.len() >= RESULT_BYTES {
            break;
        }
        if let Some(block) = lenient::<Block<'_>>(raw) {
            add_text(&mut text, block.text.0);
        }
    }
    cut(text)
}

fn cut(text: Cow<'_, str>) -> Cow<'_, str> {
    if text.len() <= RESULT_BYTES {
        return text;
    }
    let end = text.floor_char_boundary(RESULT_BYTES);
    match text {
        Cow::Borrowed(text) => Cow::Borrowed(text.get(..end).unwrap_or_default()),
        Cow::Owned(mut text) => {
            text.truncate(end);
            text.shrink_to_fit();
            Cow::Owned(text)
        }
    }
}
