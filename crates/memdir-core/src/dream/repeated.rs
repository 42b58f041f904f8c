//! Items that stand twice in one section of a file.

use std::collections::HashSet;

use super::account::Repeated;
use super::desk::Desk;
use super::statement::{Chunk, ChunkKind, chunks};
use crate::rel_path::RelPath;

/// Takes second items out, and leaves the first.
pub(super) fn take_out(desk: &mut Desk<'_>) {
    let paths: Vec<RelPath> = desk.topics.keys().cloned().collect();
    for path in paths {
        let Some(file) = desk.topics.get(&path) else { continue };
        let mut seen: HashSet<String> = HashSet::new();
        let mut second: Vec<Chunk> = Vec::new();
        for chunk in chunks(&file.text) {
            match chunk.kind {
                ChunkKind::Heading => seen.clear(),
                ChunkKind::Item if !chunk.statements.is_empty() && !seen.insert(said(&chunk)) => {
                    second.push(chunk);
                }
                _ => {}
            }
        }
        if second.is_empty() {
            continue;
        }
        let mut text = file.text.clone();
        for chunk in second.into_iter().rev() {
            let Some(statement) = chunk.statements.first() else { continue };
            if desk.may("repeat", &format!("{path}\0{}", statement.normal)) {
                text.replace_range(chunk.range.clone(), "");
                let statement = statement.text.clone();
                desk.account.repeated.push(Repeated { path: path.clone(), statement });
            }
        }
        desk.rewrite(&path, text);
    }
}

fn said(chunk: &Chunk) -> String {
    chunk.statements.iter().map(|statement| statement.normal.as_str()).collect::<Vec<_>>().join("\n")
}
