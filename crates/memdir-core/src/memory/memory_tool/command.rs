//! A command of the memory tool, read from JSON.

use serde_json::{Map, Value};

use super::{MemoryPath, MemoryToolAnswer};

/// One command with its arguments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Command {
    /// Shows a folder, or a file with line numbers.
    View {
        /// What to show.
        path: MemoryPath,
        /// The first and the last line, counted from 1; -1 as the last one means the end.
        view_range: Option<(i64, i64)>,
    },
    /// Makes a new file.
    Create {
        /// Where.
        path: MemoryPath,
        /// Its content.
        file_text: String,
    },
    /// Replaces a text that occurs once.
    StrReplace {
        /// In which file.
        path: MemoryPath,
        /// The text that goes.
        old_str: String,
        /// The text that comes; empty: nothing.
        new_str: String,
    },
    /// Inserts a text behind a line.
    Insert {
        /// In which file.
        path: MemoryPath,
        /// The line; 0 is the top.
        insert_line: i64,
        /// The text.
        insert_text: String,
    },
    /// Removes a file, or a folder with all that is in it.
    Delete {
        /// Which one.
        path: MemoryPath,
    },
    /// Gives a file or folder another name.
    Rename {
        /// The old one.
        old_path: MemoryPath,
        /// The new one, where nothing may be.
        new_path: MemoryPath,
    },
}

impl Command {
    /// Reads a command.
    ///
    /// # Errors
    /// The answer for the model, which says what is wrong.
    pub fn parse(json: &str) -> Result<Self, MemoryToolAnswer> {
        let value: Value = serde_json::from_str(json)
            .map_err(|error| MemoryToolAnswer::error(format!("Error: The input is not JSON: {error}")))?;
        let Value::Object(input) = value else {
            return Err(MemoryToolAnswer::error("Error: The input is not a JSON object"));
        };
        match text(&input, "command")?.as_str() {
            "view" => Ok(Self::View { path: path(&input, "path")?, view_range: view_range(&input)? }),
            "create" => {
                Ok(Self::Create { path: path(&input, "path")?, file_text: text(&input, "file_text")? })
            }
            "str_replace" => Ok(Self::StrReplace {
                path: path(&input, "path")?,
                old_str: text(&input, "old_str")?,
                new_str: if is_absent(&input, "new_str") { String::new() } else { text(&input, "new_str")? },
            }),
            "insert" => Ok(Self::Insert {
                path: path(&input, "path")?,
                insert_line: integer(&input, "insert_line")?,
                insert_text: text(&input, "insert_text")?,
            }),
            "delete" => Ok(Self::Delete { path: path(&input, "path")? }),
            "rename" => {
                Ok(Self::Rename { old_path: path(&input, "old_path")?, new_path: path(&input, "new_path")? })
            }
            other => Err(MemoryToolAnswer::error(format!("Error: Unknown command: {other}"))),
        }
    }
}

fn is_absent(input: &Map<String, Value>, key: &str) -> bool {
    input.get(key).is_none_or(Value::is_null)
}

fn text(input: &Map<String, Value>, key: &str) -> Result<String, MemoryToolAnswer> {
    match input.get(key) {
        Some(Value::String(text)) => Ok(text.clone()),
        None | Some(Value::Null) => Err(MemoryToolAnswer::error(format!("Error: Missing parameter `{key}`"))),
        Some(_) => {
            Err(MemoryToolAnswer::error(format!("Error: Invalid `{key}` parameter: it should be a string")))
        }
    }
}

fn integer(input: &Map<String, Value>, key: &str) -> Result<i64, MemoryToolAnswer> {
    match input.get(key) {
        None | Some(Value::Null) => Err(MemoryToolAnswer::error(format!("Error: Missing parameter `{key}`"))),
        Some(value) => value.as_i64().ok_or_else(|| {
            MemoryToolAnswer::error(format!("Error: Invalid `{key}` parameter: it should be an integer"))
        }),
    }
}

fn path(input: &Map<String, Value>, key: &str) -> Result<MemoryPath, MemoryToolAnswer> {
    MemoryPath::parse(&text(input, key)?)
}

fn view_range(input: &Map<String, Value>) -> Result<Option<(i64, i64)>, MemoryToolAnswer> {
    if is_absent(input, "view_range") {
        return Ok(None);
    }
    let items = input.get("view_range").and_then(Value::as_array);
    let numbers: Option<Vec<Option<i64>>> = items.map(|items| items.iter().map(Value::as_i64).collect());
    match numbers.as_deref() {
        Some([Some(first), Some(last)]) => Ok(Some((*first, *last))),
        _ => Err(MemoryToolAnswer::error(
            "Error: Invalid `view_range` parameter: it should be a list of two integers",
        )),
    }
}
