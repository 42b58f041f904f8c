//! What the client makes of a topic file that its own tools write: the oracle for what we write.

use serde_json::{Map, Value};

use super::super::client_slug;
use crate::memory::frontmatter::{Frontmatter, METADATA, quoted, set};
use crate::memory::js_text;
use crate::memory::problem::Problem;

/// The file as the client leaves it on disk. Files that it does not understand stay as they are.
pub(super) fn client_rewrite(text: &str, session: &str, now: &str) -> String {
    let (Some(fields), problems) = Frontmatter::parse(text) else { return text.to_owned() };
    let understood = !problems
        .iter()
        .any(|problem| matches!(problem, Problem::BrokenLine { .. } | Problem::DashesInFrontmatter));
    if !text.starts_with("---") || !understood {
        return text.to_owned();
    }
    if fields.value("originSessionId").is_some() {
        return set(text, "modified", now).unwrap();
    }
    let metadata = metadata(&fields, session, now);
    let mut rewritten = String::from("---\n");
    let name = text_value(&fields, "name").map(|name| client_slug(&name)).unwrap_or_default();
    rewritten.push_str(&format!("name: {}\n", quoted(&name)));
    if let Some(description) = text_value(&fields, "description").filter(|text| !text.is_empty()) {
        rewritten.push_str(&format!("description: {}\n", quoted(&description)));
    }
    rewritten.push_str("metadata:");
    emit(&Value::Object(metadata), 1, &mut rewritten);
    rewritten.push_str("---\n\n");
    rewritten.push_str(js_text::trim_start(&text[fields.body_start()..]));
    rewritten
}

fn metadata(fields: &Frontmatter<'_>, session: &str, now: &str) -> Map<String, Value> {
    let mut metadata = Map::new();
    metadata.insert("node_type".into(), "memory".into());
    let top = |key: &String| {
        !key.starts_with("metadata.") && !matches!(key.as_str(), "name" | "description" | METADATA)
    };
    for key in fields.keys().iter().filter(|key| top(key)) {
        metadata.insert(key.clone(), value(fields, key));
    }
    for key in fields.keys() {
        if let Some(name) = key.strip_prefix("metadata.") {
            metadata.insert(name.to_owned(), value(fields, &key));
        }
    }
    metadata.retain(|_, value| !value.is_null());
    metadata["node_type"] = "memory".into();
    if !metadata.get("originSessionId").is_some_and(Value::is_string) {
        metadata.insert("originSessionId".into(), session.into());
    }
    metadata.insert("modified".into(), now.into());
    metadata
}

fn value(fields: &Frontmatter<'_>, key: &str) -> Value {
    fields.value(key).map_or(Value::Null, |(value, _)| value)
}

/// A text at the top level; there the client takes what looks like a comment for part of the text.
fn text_value(fields: &Frontmatter<'_>, key: &str) -> Option<String> {
    let (value, _) = fields.value(key)?;
    let raw = fields.raw_line(key)?;
    match value {
        Value::String(_) | Value::Null if raw.contains('#') && !raw.starts_with(['"', '\'']) => {
            Some(raw.to_owned())
        }
        Value::String(text) => Some(text),
        _ => None,
    }
}

fn emit(value: &Value, depth: usize, out: &mut String) {
    let indent = "  ".repeat(depth);
    match value {
        Value::Object(map) if !map.is_empty() => {
            if !out.ends_with("- ") {
                out.push('\n');
            }
            for (key, value) in map {
                if !out.ends_with("- ") {
                    out.push_str(&indent);
                }
                out.push_str(&format!("{}:", quoted(key)));
                emit(value, depth + 1, out);
            }
        }
        Value::Array(items) if !items.is_empty() => {
            if !out.ends_with("- ") {
                out.push('\n');
            }
            for item in items {
                if !out.ends_with("- ") {
                    out.push_str(&indent);
                }
                out.push_str("- ");
                emit(item, depth + 1, out);
            }
        }
        scalar => {
            if !out.ends_with("- ") {
                out.push(' ');
            }
            match scalar {
                Value::String(text) => out.push_str(&quoted(text)),
                Value::Number(number) if number.as_f64().is_some_and(|float| float.fract() == 0.0) => {
                    out.push_str(&format!("{}", number.as_f64().unwrap()));
                }
                other => out.push_str(&other.to_string()),
            }
            out.push('\n');
        }
    }
}
