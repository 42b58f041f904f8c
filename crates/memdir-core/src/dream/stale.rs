//! Memories that may no longer hold: marked, never removed.

use super::account::Marked;
use super::desk::Desk;
use super::merge::append;
use crate::doctor::{OLD, OLD_PROJECT};
use crate::memory::manifest::age_days;
use crate::memory::memory_type::MemoryType;
use crate::memory::topic::Topic;
use crate::rel_path::RelPath;

/// How the line of a mark begins.
pub(super) const MARK: &str = "**Stale since ";

/// So many things that are gone are named.
const NAMED: usize = 5;

/// Marks what cites things that are gone, and what nobody has touched or used for long.
pub(super) fn mark(desk: &mut Desk<'_>) {
    let today = desk.scene.day_of(desk.scene.now);
    let paths: Vec<RelPath> = desk.topics.keys().cloned().collect();
    for path in paths {
        let Some(file) = desk.topics.get(&path) else { continue };
        if file.text.contains(MARK) || file.text.trim().is_empty() {
            continue;
        }
        let (topic, _) = Topic::parse_head_of_whole(&file.text);
        let limit = if topic.memory_type == Some(MemoryType::Project) { OLD_PROJECT } else { OLD };
        let written = topic.modified.filter(|time| *time <= desk.scene.now).unwrap_or(file.modified);
        let why = if !file.gone.is_empty() {
            let named: Vec<String> = file.gone.iter().take(NAMED).map(|gone| format!("`{gone}`")).collect();
            let verb = if named.len() == 1 { "is" } else { "are" };
            format!("{} {verb} gone", named.join(", "))
        } else if age_days(written.max(file.modified), desk.scene.now) > limit && file.used == 0 {
            format!("nothing changed it since {}", desk.scene.day_of(written.max(file.modified)))
        } else {
            continue;
        };
        if desk.may("stale", &format!("{path}\0{why}")) {
            let Some(file) = desk.topics.get(&path) else { continue };
            let text =
                append(&file.text, &[format!("{MARK}{today}:** {why}; check it before you rely on it.")]);
            desk.rewrite(&path, text);
            desk.account.marked.push(Marked { path, why });
        }
    }
}
