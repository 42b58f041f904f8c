use serde_json::Value;

/// What a tool of the agent wants to make of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolEdit {
    /// The file, as the tool was given it.
    pub path: String,
    change: Change,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Change {
    Write { content: String },
    Edit { edits: Vec<Replacement> },
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Replacement {
    old: String,
    new: String,
    everywhere: bool,
}

impl ToolEdit {
    /// Reads the input of the client's `Write`, `Edit` or `MultiEdit`; `None` for any other tool or form.
    #[must_use]
    pub fn parse(tool: &str, input: &Value) -> Option<Self> {
        let change = match tool {
            "Write" => Change::Write { content: text(input, "content")? },
            "Edit" => Change::Edit { edits: vec![replacement(input)?] },
            "MultiEdit" => {
                let edits = input.get("edits")?.as_array()?;
                Change::Edit { edits: edits.iter().map(replacement).collect::<Option<_>>()? }
            }
            _ => return None,
        };
        Some(Self { path: text(input, "file_path")?, change })
    }

    /// What the file would hold afterwards; `None` if the tool itself will refuse.
    #[must_use]
    pub fn result(&self, current: Option<&str>) -> Option<String> {
        let edits = match &self.change {
            Change::Write { content } => return Some(content.clone()),
            Change::Edit { edits } => edits,
        };
        let mut content = current.unwrap_or_default().to_owned();
        for edit in edits {
            content = match (edit.old.is_empty(), edit.everywhere) {
                (true, _) if content.is_empty() => edit.new.clone(),
                (true, _) => return None,
                _ if !content.contains(&edit.old) => return None,
                (false, true) => content.replace(&edit.old, &edit.new),
                (false, false) => content.replacen(&edit.old, &edit.new, 1),
            };
        }
        Some(content)
    }
}

fn replacement(edit: &Value) -> Option<Replacement> {
    Some(Replacement {
        old: text(edit, "old_string")?,
        new: text(edit, "new_string")?,
        everywhere: edit.get("replace_all").and_then(Value::as_bool).unwrap_or(false),
    })
}

fn text(value: &Value, key: &str) -> Option<String> {
    value.get(key)?.as_str().map(ToOwned::to_owned)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_tool_changes_a_file_as_the_client_will() {
        let check = |tool: &str, input: Value, current: Option<&str>, expected: Option<&str>| {
            let edit = ToolEdit::parse(tool, &input);
            assert_eq!(edit.and_then(|edit| edit.result(current)).as_deref(), expected, "{tool} {input}");
        };
        let edit = |old: &str, new: &str, all: bool| json!({"file_path": "/m/a.md", "old_string": old, "new_string": new, "replace_all": all});
        check("Write", json!({"file_path": "/m/a.md", "content": "new"}), Some("old"), Some("new"));
        check("Write", json!({"content": "new"}), None, None);
        check("Edit", edit("a", "b", false), Some("aa"), Some("ba"));
        check("Edit", edit("a", "b", true), Some("aa"), Some("bb"));
        check("Edit", edit("x", "b", false), Some("aa"), None);
        check("Edit", edit("", "b", false), None, Some("b"));
        check("Edit", edit("", "b", false), Some("a"), None);
        let many = json!({"file_path": "/m/a.md", "edits": [
            {"old_string": "a", "new_string": "b"}, {"old_string": "b", "new_string": "c"}]});
        check("MultiEdit", many, Some("a"), Some("c"));
        check("Bash", json!({"command": "ls"}), None, None);
    }
}
