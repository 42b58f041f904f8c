//! Items that occur twice in one section of a file.

use std::collections::HashSet;

use super::account::Repeated;
use super::desk::Desk;
use super::statement::{Chunk, ChunkKind};

/// Takes second items out, and leaves the first. A numbered list is a procedure, in which a step may come twice.
pub(super) fn take_out(desk: &mut Desk<'_>) {
    for path in desk.fresh("repeat") {
        let Some(file) = desk.topics.get(&path) else { continue };
        let mut seen: HashSet<String> = HashSet::new();
        let mut second: Vec<&Chunk> = Vec::new();
        let reading = desk.readings.of(&file.text);
        for chunk in reading.chunks() {
            match chunk.kind {
                ChunkKind::Heading => seen.clear(),
                ChunkKind::Item if may_go(chunk) && !seen.insert(said(chunk)) => {
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

/// Whether a second one of it says nothing: a box to tick is an item of its own.
fn may_go(chunk: &Chunk) -> bool {
    let first = chunk.statements.first().map(|said| said.normal.as_str()).unwrap_or_default();
    !first.is_empty() && !["[ ]", "[x]"].iter().any(|tick| first.starts_with(tick))
}

fn said(chunk: &Chunk) -> String {
    chunk.statements.iter().map(|statement| statement.normal.as_str()).collect::<Vec<_>>().join("\n")
}
