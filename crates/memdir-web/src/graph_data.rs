//! Memories and their links as numbers, for the drawing.

use std::collections::HashMap;

use memdir_core::memory::memory_type::MemoryType;
use memdir_core::memory::topic::{Topic, decode};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::markdown::Linking;
use crate::page::Asked;
use crate::reply::{PageError, Reply};
use crate::text::visible;

/// More nodes than this are not drawn: the newest count.
const MAX_NODES: usize = 3_000;
/// More links of one memory than this are not drawn.
const MAX_LINKS: usize = 200;

/// Memories are neighbours from this similarity of meaning on; only an installed model knows it.
const LEAST_SIMILAR: f32 = 0.5;
/// No more memories than this are compared with each other.
const MAX_COMPARED: usize = 1_000;

/// Nothing is asked.
#[derive(Debug, Deserialize)]
pub(crate) struct Nothing {}

pub(crate) fn graph_data(asked: &Asked<'_>, _: Nothing) -> Result<Reply, PageError> {
    let memory = asked.project.memory()?;
    let catalogue = asked.project.catalogue()?;
    let linking = Linking::new(&catalogue, &asked.links);
    let entries = catalogue.entries.get(..MAX_NODES).unwrap_or(&catalogue.entries);
    let mut edges = Vec::new();
    for (place, entry) in entries.iter().enumerate() {
        let Ok(Some(content)) = memory.read(&entry.path) else { continue };
        let (topic, _) = Topic::parse(&decode(&content).0);
        let targets =
            topic.links.iter().take(MAX_LINKS).filter_map(|target| linking.targets.resolve(target).first());
        edges.extend(targets.filter(|to| **to < entries.len() && **to != place).map(|to| json!([place, to])));
    }
    let node = |entry: &memdir_lib::memory::Entry| {
        json!({
            "path": entry.path.as_str(),
            "title": visible(entry.title()),
            "type": entry.memory_type.as_ref().map_or("untyped", MemoryType::as_str),
        })
    };
    let nodes: Vec<Value> = entries.iter().map(node).collect();
    let places: HashMap<&str, usize> =
        entries.iter().enumerate().map(|(place, entry)| (entry.path.as_str(), place)).collect();
    let near = asked.project.neighbours(LEAST_SIMILAR, MAX_COMPARED)?;
    let near: Vec<Value> = near
        .iter()
        .filter_map(|(one, other)| Some(json!([places.get(one.as_str())?, places.get(other.as_str())?])))
        .collect();
    Ok(Reply::Json(json!({ "nodes": nodes, "edges": edges, "near": near, "total": catalogue.entries.len() })))
}
