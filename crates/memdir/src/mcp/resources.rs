use anyhow::Result;
use memdir_core::mcp::{Completion, MemoryUri, RpcError};
use memdir_core::rel_path::ENTRYPOINT;
use memdir_lib::memory::Entry;
use serde_json::{Map, Value, json};

use super::read_tool::quoted;
use super::tool_answer::{line_of, rpc_error};
use super::workplace::Asked;

/// So many memories are listed at once.
const PAGE: usize = 100;
/// So many ways to go on are offered.
const MOST_COMPLETIONS: usize = 100;
/// A cursor names the path behind which the next page begins.
const CURSOR: &str = "after:";

/// The memories in the order of their paths, a page of them.
pub(super) fn list(asked: &Asked<'_>, cursor: Option<&str>) -> Result<Map<String, Value>, RpcError> {
    let after = match cursor {
        None => None,
        Some(cursor) => {
            let path = cursor.strip_prefix(CURSOR);
            Some(path.ok_or_else(|| RpcError::invalid_params("invalid cursor"))?)
        }
    };
    let (has_index, entries) = memories(asked).map_err(|error| rpc_error(&error))?;
    let mut resources = Vec::new();
    if after.is_none() && has_index {
        resources.push(json!({
            "uri": MemoryUri::of_memory(ENTRYPOINT),
            "name": ENTRYPOINT,
            "description": "The index of this project's memories",
            "mimeType": "text/markdown",
        }));
    }
    let mut rest = entries.iter().filter(|entry| after.is_none_or(|after| entry.path.as_str() > after));
    let page: Vec<&Entry> = rest.by_ref().take(PAGE).collect();
    resources.extend(page.iter().map(|entry| resource(entry)));
    let mut result = Map::from_iter([("resources".to_owned(), Value::Array(resources))]);
    if let (Some(last), Some(_)) = (page.last(), rest.next()) {
        result.insert("nextCursor".to_owned(), format!("{CURSOR}{}", last.path).into());
    }
    Ok(result)
}

fn resource(entry: &Entry) -> Value {
    let mut resource = json!({
        "uri": MemoryUri::of_memory(entry.path.as_str()),
        "name": line_of(entry.title()),
        "mimeType": "text/markdown",
        "size": entry.bytes,
        "annotations": {"lastModified": entry.modified.to_string()},
    });
    if let (Some(description), Some(fields)) = (&entry.description, resource.as_object_mut()) {
        fields.insert("description".to_owned(), line_of(description).into());
    }
    resource
}

/// The forms of addresses.
pub(super) fn templates() -> Vec<Value> {
    let template = |(name, description, form): (&str, &str, &str)| json!({"uriTemplate": form, "name": name, "description": description, "mimeType": "text/markdown"});
    MemoryUri::TEMPLATES.into_iter().map(template).collect()
}

/// One memory, quoted.
pub(super) fn read(asked: &Asked<'_>, uri: &str) -> Result<Map<String, Value>, RpcError> {
    let parsed = MemoryUri::parse(uri).ok_or_else(|| RpcError::resource_not_found(uri))?;
    // A name that cannot be a path, and one that leads nowhere, get the same answer.
    let text = quoted(asked, &parsed).ok().flatten().ok_or_else(|| RpcError::resource_not_found(uri))?;
    let contents = json!([{"uri": uri, "mimeType": "text/markdown", "text": text}]);
    Ok(Map::from_iter([("contents".to_owned(), contents)]))
}

/// The paths that hold what was typed.
pub(super) fn complete(asked: &Asked<'_>, completion: &Completion) -> Result<Map<String, Value>, RpcError> {
    let is_memory = completion.template.as_deref() == Some(MemoryUri::TEMPLATES[0].2);
    let entries = match is_memory {
        true => memories(asked).map_err(|error| rpc_error(&error))?.1,
        false => Vec::new(),
    };
    let typed = completion.typed.to_lowercase();
    let matching: Vec<&str> = entries
        .iter()
        .map(|entry| entry.path.as_str())
        .filter(|path| path.to_lowercase().contains(&typed))
        .collect();
    let values = matching.get(..MOST_COMPLETIONS).unwrap_or(&matching);
    let completion =
        json!({"values": values, "total": matching.len(), "hasMore": matching.len() > values.len()});
    Ok(Map::from_iter([("completion".to_owned(), completion)]))
}

/// Whether there is an index, and the memories in the order of their paths.
fn memories(asked: &Asked<'_>) -> Result<(bool, Vec<Entry>)> {
    let (memory, _) = asked.memory()?;
    let mut entries = memory.catalogue()?.entries;
    entries.sort_by(|one, other| one.path.as_str().cmp(other.path.as_str()));
    Ok((memory.directory().join(ENTRYPOINT).is_file(), entries))
}
