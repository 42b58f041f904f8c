//! Says what must happen to one text before it is shown, and shows it.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use super::escape::escape_html;
use super::render::{first_units, raw_start};
use super::{Reason, clean, escape, flag};

/// What a model is shown of one memory, in UTF-16 units: as much as the client loads of an index.
pub const PROMPT_UNITS: usize = 25_000;
/// What a person is shown of one memory, in UTF-16 units.
const READER_UNITS: usize = 1 << 20;
/// A memory larger than this in bytes is not read: the client skips such files too.
const LARGEST: u64 = 4 << 20;

/// Where a text is going to be shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Surface {
    /// Before a model.
    #[default]
    Prompt,
    /// On a terminal.
    Terminal,
    /// In a page.
    Html,
}

/// What was done to a text, from the mildest to the strongest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Action {
    /// Shown as it is.
    Allow,
    /// Invisible characters were removed.
    Strip,
    /// Markup was made inert.
    Escape,
    /// Shown, and marked as suspicious.
    Flag,
    /// Shown in part.
    Truncate,
    /// Not shown.
    Reject,
}

/// A text to check: whole, or as units and how often each is repeated.
#[derive(Debug, Clone, Default, Deserialize)]
pub struct MemoryInput {
    /// The whole text.
    #[serde(default)]
    pub text: Option<String>,
    /// Its parts, which may mean far more text than anybody would want in memory.
    #[serde(default)]
    pub text_parts: Option<Vec<(String, u64)>>,
}

/// The text would be larger than a memory may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the memory is larger than {LARGEST} bytes")]
pub struct MemoryTooLarge;

impl MemoryInput {
    /// The text, put together only if it is small enough.
    ///
    /// # Errors
    /// [`MemoryTooLarge`]; nothing was put together then.
    pub fn assemble(&self) -> Result<Cow<'_, str>, MemoryTooLarge> {
        let whole = self.text.as_deref().unwrap_or_default();
        let parts = self.text_parts.as_deref().unwrap_or_default();
        let size = parts
            .iter()
            .map(|(unit, count)| (unit.len() as u64).saturating_mul(*count))
            .fold(whole.len() as u64, u64::saturating_add);
        if size > LARGEST {
            return Err(MemoryTooLarge);
        }
        if parts.is_empty() {
            return Ok(Cow::Borrowed(whole));
        }
        let mut text = whole.to_owned();
        for (unit, count) in parts.iter().filter(|(unit, _)| !unit.is_empty()) {
            // The count is at most the size, which was just found to be small.
            text.push_str(&unit.repeat(usize::try_from(*count).map_err(|_| MemoryTooLarge)?));
        }
        Ok(Cow::Owned(text))
    }
}

/// The answer to [`check_memory`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Checked {
    /// The strongest thing that was needed.
    pub action: Action,
    /// The text with everything done that was needed; empty if it is rejected.
    pub rendered: String,
    /// Why.
    pub reasons: Vec<Reason>,
}

/// What is shown of a text on a surface, without the quotation that [`super::render()`] puts around it.
#[must_use]
pub fn check_memory(input: &MemoryInput, surface: Surface) -> Checked {
    let Ok(text) = input.assemble() else {
        return Checked { action: Action::Reject, rendered: String::new(), reasons: vec![Reason::TooLarge] };
    };
    let mut found = Findings::default();
    let cleaned = clean(&text);
    // Windows line endings are not a finding; a carriage return that would overwrite a line is one.
    if matches!(cleaned, Cow::Owned(_)) && cleaned != text.replace("\r\n", "\n") {
        found.add(Action::Strip, Reason::InvisibleCharacters);
    }
    let most_units = if surface == Surface::Prompt { PROMPT_UNITS } else { READER_UNITS };
    let shown = first_units(&cleaned, most_units);
    if shown.len() < cleaned.len() {
        found.add(Action::Truncate, Reason::TooLong);
    }
    for reason in flag(raw_start(&text, most_units)) {
        found.add(Action::Flag, reason);
    }
    let rendered = match surface {
        Surface::Terminal => shown.to_owned(),
        Surface::Prompt => {
            let escaped = escape_prompt(shown);
            if escaped != shown {
                found.add(Action::Escape, Reason::ForgedStructure);
            }
            escaped.into_owned()
        }
        Surface::Html => {
            let (escaped, is_bomb) = escape_html(shown);
            if is_bomb || escaped != shown {
                found.add(Action::Escape, Reason::ActiveMarkup);
            }
            escaped.into_owned()
        }
    };
    Checked { action: found.action, rendered, reasons: found.reasons }
}

struct Findings {
    action: Action,
    reasons: Vec<Reason>,
}

impl Default for Findings {
    fn default() -> Self {
        Self { action: Action::Allow, reasons: Vec::new() }
    }
}

impl Findings {
    fn add(&mut self, action: Action, reason: Reason) {
        self.action = self.action.max(action);
        self.reasons.push(reason);
    }
}

/// [`escape()`], and a first line of `---` made text where what follows is not plain frontmatter.
fn escape_prompt(text: &str) -> Cow<'_, str> {
    let escaped = escape(text);
    if text.starts_with("---") && !has_plain_frontmatter(text) {
        return Cow::Owned(format!("\\{escaped}"));
    }
    escaped
}

/// Whether the block between the first two `---` lines holds only keys with simple values.
fn has_plain_frontmatter(text: &str) -> bool {
    let mut lines = text.lines();
    if lines.next().map(str::trim_end) != Some("---") {
        return false;
    }
    for line in lines {
        if line.trim_end() == "---" {
            return true;
        }
        let content = line.trim_start();
        let indent = line.len() - content.len();
        let is_item = content.starts_with("- ") && !content.contains(['&', '*', '!', '{']);
        let is_key = content.split_once(':').is_some_and(|(key, value)| {
            let is_name =
                !key.is_empty() && key.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | ' '));
            is_name
                && (value.is_empty() || value.starts_with(' '))
                && !value.trim_start().starts_with(['&', '*', '!'])
        });
        if !(content.is_empty() || content.starts_with('#') || ((is_item || is_key) && indent <= 8)) {
            return false;
        }
    }
    false
}

#[cfg(test)]
mod tests;
