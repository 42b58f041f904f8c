//! The content of a message: a string, or a list of blocks.

use std::borrow::Cow;

use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

use super::text::{Flag, Text, lenient_struct, otherwise_default};
use super::{ToolCall, ToolResult, Turn};

/// As much of a tool's result as is kept: enough for an error message or a commit's report.
const RESULT_BYTES: usize = 4_096;

lenient_struct! {
    /// A part of a message.
    struct Block {
        kind: Text<'a> = "type",
        text: Text<'a> = "text",
        id: Text<'a> = "id",
        name: Text<'a> = "name",
        input: Option<&'a RawValue> = "input",
        tool_use_id: Text<'a> = "tool_use_id",
        content: Option<&'a RawValue> = "content",
        is_error: Flag = "is_error",
    }
}

lenient_struct! {
    /// What the client's own tools call the things that we look for.
    struct Input {
        file_path: Text<'a> = "file_path",
        notebook_path: Text<'a> = "notebook_path",
        path: Text<'a> = "path",
        command: Text<'a> = "command",
        description: Text<'a> = "description",
        pattern: Text<'a> = "pattern",
        query: Text<'a> = "query",
    }
}

lenient_struct! {
    /// A part of a tool's result.
    struct RawText {
        text: Option<&'a RawValue> = "text",
    }
}

/// The content of a message.
#[derive(Debug, Default)]
pub(super) enum Content<'a> {
    /// Nothing that says anything to us.
    #[default]
    Other,
    Text(Cow<'a, str>),
    Blocks(Vec<Block<'a>>),
}

impl<'de: 'a, 'a> Deserialize<'de> for Content<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ContentVisitor)
    }
}

struct ContentVisitor;

impl<'de> Visitor<'de> for ContentVisitor {
    type Value = Content<'de>;
    otherwise_default!(open Content<'de>);

    fn visit_bool<E>(self, _: bool) -> Result<Self::Value, E> {
        Ok(Content::Other)
    }
    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Self::Value, E> {
        Ok(Content::Text(Cow::Borrowed(text)))
    }
    fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
        Ok(Content::Text(Cow::Owned(text.to_owned())))
    }
    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Self::Value, A::Error> {
        let mut blocks = Vec::new();
        while let Some(block) = items.next_element()? {
            blocks.push(block);
        }
        Ok(Content::Blocks(blocks))
    }
    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Self::Value, A::Error> {
        while entries.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(Content::Other)
    }
}

impl<'a> Content<'a> {
    /// Adds what was said and done to its turn.
    pub(super) fn add_to(self, turn: &mut Turn<'a>) {
        let blocks = match self {
            Self::Other => return,
            Self::Text(text) => {
                turn.text = text;
                return;
            }
            Self::Blocks(blocks) => blocks,
        };
        for block in blocks {
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
        return beginning(content.get());
    }
    let mut text: Cow<'_, str> = Cow::default();
    for raw in lenient::<Vec<&RawValue>>(content).unwrap_or_default() {
        if text.len() >= RESULT_BYTES {
            break;
        }
        if let Some(block) = lenient::<RawText<'_>>(raw)
            && let Some(raw) = block.text.filter(|raw| raw.get().starts_with('"'))
        {
            add_text(&mut text, beginning(raw.get()));
        }
    }
    cut(text)
}

/// The beginning of a string in JSON: of a long one, no more is read than is kept.
fn beginning(raw: &str) -> Cow<'_, str> {
    // No escape is longer than two of six characters, and none makes less than a byte of those six.
    const LONGEST_ESCAPE: usize = 12;
    const ENOUGH: usize = RESULT_BYTES * 6;
    let safe_end = |end: usize| {
        let before = raw.as_bytes().get(end - LONGEST_ESCAPE..end).unwrap_or_default();
        raw.is_char_boundary(end) && !before.contains(&b'\\')
    };
    if raw.len() > ENOUGH * 2
        && let Some(end) = (ENOUGH..ENOUGH * 2).find(|end| safe_end(*end))
        && let Some(start) = raw.get(..end)
        && let Ok(text) = serde_json::from_str::<String>(&format!("{start}\""))
    {
        return cut(Cow::Owned(text));
    }
    cut(serde_json::from_str::<Text<'_>>(raw).unwrap_or_default().0)
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

/// The value, or nothing if it has another shape than ours.
fn lenient<'a, T: Deserialize<'a>>(raw: &'a RawValue) -> Option<T> {
    serde_json::from_str(raw.get()).ok()
}
