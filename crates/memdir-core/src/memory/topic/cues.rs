//! Cues: short phrases that say when a memory will be needed. Search and recall read them; no model is shown them.

use serde_json::Value;

use super::{one_line, place_of};
use crate::hidden_char::is_hidden;
use crate::memory::frontmatter::{self, EditRefused, Frontmatter, METADATA, quoted};

/// The field.
pub const CUES: &str = "cues";
/// A memory has no more.
pub const MAX_CUES: usize = 12;
/// A cue is no longer, in characters.
pub const MAX_CUE: usize = 120;

/// The cues of a file: a list below `metadata` or at the top level, or one text with semicolons.
#[must_use]
pub fn cues(text: &str) -> Vec<String> {
    let Some(fields) = Frontmatter::parse(text).0 else { return Vec::new() };
    let value = fields.value(&format!("{METADATA}.{CUES}")).or_else(|| fields.value(CUES));
    match value.map(|(value, _)| value) {
        Some(Value::Array(items)) => {
            let texts = items.iter().map(|item| match item {
                Value::String(text) => text.clone(),
                other => other.to_string(),
            });
            clean(texts)
        }
        Some(Value::String(text)) => split(&text),
        _ => Vec::new(),
    }
}

/// The cues in a text that a person typed, with semicolons between them.
#[must_use]
pub fn split(text: &str) -> Vec<String> {
    clean(text.split(';').map(str::to_owned))
}

/// Each in one line, none empty, none twice, not too many.
pub fn clean(cues: impl IntoIterator<Item = String>) -> Vec<String> {
    let mut kept: Vec<String> = Vec::new();
    for cue in cues {
        let seen = cue.chars().filter(|c| !is_hidden(*c)).map(|c| if c.is_control() { ' ' } else { c });
        let cue: String = one_line(&seen.collect::<String>()).trim().chars().take(MAX_CUE).collect();
        let cue = cue.trim_end().to_owned();
        if !cue.is_empty() && !kept.contains(&cue) && kept.len() < MAX_CUES {
            kept.push(cue);
        }
    }
    kept
}

/// The text with other cues, wherever this file keeps them; none remove the field. Every other byte stays.
///
/// # Errors
/// When the change cannot be made without touching something else.
pub fn set_cues(text: &str, cues: &[String]) -> Result<String, EditRefused> {
    let place = place_of(text, CUES);
    let without = frontmatter::remove(text, &place)?;
    if cues.is_empty() {
        return Ok(without);
    }
    frontmatter::set_list(&without, &place, cues)
}

/// The lines of a new file, as the client writes them.
pub(super) fn render(cues: &[String]) -> String {
    let cues = clean(cues.iter().cloned());
    if cues.is_empty() {
        return String::new();
    }
    let mut lines = format!("  {CUES}:\n");
    for cue in cues {
        lines.push_str(&format!("    - {}\n", quoted(&cue)));
    }
    lines
}
