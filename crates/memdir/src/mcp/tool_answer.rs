use anyhow::Error;
use memdir_core::hygiene::{clean, escape, model_line};
use memdir_core::mcp::RpcError;
use memdir_core::memory::change::ChangeRefused;
use memdir_lib::journal::JournalError;
use memdir_lib::memory::MemoryError;
use serde_json::{Map, Value};

use crate::output::printable_lines;
use crate::report::message;

/// What a tool says.
#[derive(Debug)]
pub(super) struct ToolAnswer {
    text: String,
    structured: Option<Value>,
    is_error: bool,
}

impl ToolAnswer {
    pub(super) fn text(text: impl Into<String>) -> Self {
        Self { text: text.into(), structured: None, is_error: false }
    }

    pub(super) fn structured(text: impl Into<String>, value: Value) -> Self {
        Self { structured: Some(value), ..Self::text(text) }
    }

    pub(super) fn failed(text: impl Into<String>) -> Self {
        Self { is_error: true, ..Self::text(text) }
    }

    /// An error in the words that a person would get, with what a model can do about it.
    pub(super) fn of_error(error: &Error) -> Self {
        let (mut text, hints) = message(error);
        let hints = match error.chain().find_map(tool_hint) {
            Some(hint) => vec![hint.to_owned()],
            None => hints,
        };
        for hint in hints {
            text.push_str("\nhint: ");
            text.push_str(&hint);
        }
        Self::failed(inert(&text))
    }

    pub(super) fn into_result(self) -> Map<String, Value> {
        let mut result = Map::new();
        let text =
            Map::from_iter([("type".to_owned(), "text".into()), ("text".to_owned(), self.text.into())]);
        result.insert("content".to_owned(), Value::Array(vec![text.into()]));
        if let Some(structured) = self.structured {
            result.insert("structuredContent".to_owned(), structured);
        }
        if self.is_error {
            result.insert("isError".to_owned(), true.into());
        }
        result
    }
}

/// What to do next in the words of the tools, where a person would be told a command.
fn tool_hint(cause: &(dyn std::error::Error + 'static)) -> Option<&'static str> {
    const SECRET: &str = "nothing was written; leave the value out, and say where it is kept";
    if let Some(journal) = cause.downcast_ref::<JournalError>() {
        return match journal {
            JournalError::NoJournal { .. } | JournalError::Stopped { .. } => {
                Some("`journal` with the action `start` starts it")
            }
            JournalError::NotFound { .. } => Some("`journal` with the action `list` shows what there is"),
            JournalError::Secret(_) => Some(SECRET),
            JournalError::Memory(error) => tool_hint(error),
            _ => None,
        };
    }
    match cause.downcast_ref::<MemoryError>()? {
        MemoryError::NotFound { .. } => Some("`search` finds memories, `read` of MEMORY.md lists them"),
        MemoryError::Change(ChangeRefused::Exists { .. }) => {
            Some("choose another name, or change what is there with `edit`")
        }
        MemoryError::Change(ChangeRefused::IsIndex { .. }) => Some("it follows the memories by itself"),
        MemoryError::Secret(_) => Some(SECRET),
        _ => None,
    }
}

/// An error where there is no tool to answer for it.
pub(super) fn rpc_error(error: &Error) -> RpcError {
    RpcError::new(RpcError::INTERNAL, inert(&message(error).0))
}

/// An error message, which may repeat a name that a stranger chose.
fn inert(message: &str) -> String {
    escape(&clean(&printable_lines(message))).into_owned()
}

/// Foreign text as one harmless line.
pub(super) fn line_of(text: &str) -> String {
    model_line(text)
}
