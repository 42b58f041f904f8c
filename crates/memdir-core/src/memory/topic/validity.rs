//! Whether a memory still counts, and where: what it replaces, what replaced it, its pin, its end and its branch.
//!
//! All of it is in fields of the header that a stock client reads past and keeps.

use std::ops::Not;

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use serde_json::Value;

use super::cues::clean;
pub use super::expiry::{Expiry, InvalidEnd};
use super::place_of;
use crate::memory::frontmatter::{self, EditRefused, Frontmatter, METADATA, quoted};

/// The memories that this one replaces: a list of names.
pub const SUPERSEDES: &str = "supersedes";
/// The memory that replaced this one.
pub const SUPERSEDED_BY: &str = "superseded_by";
/// The day since which it is replaced.
pub const SUPERSEDED_ON: &str = "superseded_on";
/// Whether it always has a line in the index and a place in recall.
pub const PINNED: &str = "pinned";
/// The day after which it no longer counts, a number of days such as `90d`, or an event in words.
pub const EXPIRES: &str = "expires";
/// The tool calls before which it is shown: patterns such as `Bash(npm install *)`.
pub const WHEN: &str = "when";
/// Whether such a tool call is refused.
pub const BLOCK: &str = "block";
/// The branch on which alone it counts.
pub const BRANCH: &str = "branch";
/// The worktree in which alone it counts, by the name of its directory.
pub const WORKTREE: &str = "worktree";

/// What the header says about how long and where a memory counts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Validity {
    /// The memories that it replaces, by name, file stem or path.
    pub supersedes: Vec<String>,
    /// The memory that replaced it.
    pub superseded_by: Option<String>,
    /// Since when, as written: a day such as `2026-11-18`.
    pub superseded_on: Option<String>,
    /// Whether the user pinned it.
    pub pinned: bool,
    /// When it ends.
    pub expires: Option<Expiry>,
    /// The tool calls before which it is shown.
    pub when: Vec<String>,
    /// Whether such a call is refused.
    pub block: bool,
    /// The branch on which alone it counts.
    pub branch: Option<String>,
    /// The worktree in which alone it counts.
    pub worktree: Option<String>,
}

/// A memory that simply counts.
pub static ALWAYS_VALID: Validity = Validity::NONE;

impl Validity {
    /// Says nothing.
    pub const NONE: Self = Self {
        supersedes: Vec::new(),
        superseded_by: None,
        superseded_on: None,
        pinned: false,
        expires: None,
        when: Vec::new(),
        block: false,
        branch: None,
        worktree: None,
    };

    /// What a file says, from its whole text or the beginning of it.
    #[must_use]
    pub fn of(text: &str) -> Self {
        Frontmatter::parse_head(text).0.map_or_else(Self::default, |fields| Self::from_fields(&fields))
    }

    fn from_fields(fields: &Frontmatter<'_>) -> Self {
        let value = |key: &str| {
            let value = fields.value(&format!("{METADATA}.{key}")).or_else(|| fields.value(key));
            value.map(|(value, _)| value)
        };
        let text = |key: &str| value(key).as_ref().and_then(plain_text);
        let flag = |key: &str| match value(key) {
            Some(Value::Bool(flag)) => flag,
            Some(Value::String(word)) => matches!(word.trim(), "true" | "yes" | "on"),
            _ => false,
        };
        let list = |key: &str| match value(key) {
            Some(Value::Array(items)) => clean(items.iter().filter_map(plain_text)),
            Some(Value::String(text)) => super::cues::split(&text),
            _ => Vec::new(),
        };
        Self {
            supersedes: list(SUPERSEDES),
            superseded_by: text(SUPERSEDED_BY),
            superseded_on: text(SUPERSEDED_ON),
            pinned: flag(PINNED),
            expires: text(EXPIRES).as_deref().and_then(Expiry::parse),
            when: list(WHEN),
            block: flag(BLOCK),
            branch: text(BRANCH),
            worktree: text(WORKTREE),
        }
    }

    /// Whether it gets a line in the index, which every session of the project loads: one that was replaced does not,
    /// nor does one that counts on one branch or in one worktree alone.
    #[must_use]
    pub fn is_indexed(&self) -> bool {
        self.superseded_by.is_none() && !self.is_local()
    }

    /// Whether it counts on one branch or in one worktree alone.
    #[must_use]
    pub fn is_local(&self) -> bool {
        self.branch.is_some() || self.worktree.is_some()
    }

    /// Whether it counts on this branch and in this worktree.
    #[must_use]
    pub fn is_here(&self, branch: Option<&str>, worktree: Option<&str>) -> bool {
        let fits = |wanted: &Option<String>, found| wanted.is_none() || wanted.as_deref() == found;
        fits(&self.branch, branch) && fits(&self.worktree, worktree)
    }

    /// A header that says this and nothing else, as [`Validity::of`] reads it; `None` if it simply counts.
    #[must_use]
    pub fn to_header(&self) -> Option<String> {
        (*self != Self::NONE).then(|| format!("---\n{METADATA}:\n{}---\n", self.render()))
    }

    /// Whether it ended before today, as far as a date says.
    #[must_use]
    pub fn has_expired(&self, written: Timestamp, now: Timestamp) -> bool {
        self.expires
            .as_ref()
            .and_then(|expires| expires.last_day(written))
            .is_some_and(|last| last < day(now))
    }

    /// What a reader should know first, in one sentence; `None` if it simply counts.
    #[must_use]
    pub fn caution(&self, written: Timestamp, now: Timestamp) -> Option<String> {
        if let Some(by) = &self.superseded_by {
            let since = self.superseded_on.as_ref().map(|day| format!(" since {day}")).unwrap_or_default();
            return Some(format!("`{by}` replaces this memory{since}."));
        }
        let expired = self.has_expired(written, now);
        expired.then_some(self.expires.as_ref()).flatten().map(|end| format!("This memory expired: {end}."))
    }

    /// The lines of a new file, below `metadata`.
    pub(super) fn render(&self) -> String {
        let mut lines = String::new();
        let mut list = |key: &str, items: &[String]| {
            let items = clean(items.iter().cloned());
            if !items.is_empty() {
                lines.push_str(&format!("  {key}:\n"));
                items.iter().for_each(|item| lines.push_str(&format!("    - {}\n", quoted(item))));
            }
        };
        list(SUPERSEDES, &self.supersedes);
        list(WHEN, &self.when);
        let expires = self.expires.as_ref().map(ToString::to_string);
        let texts = [
            (SUPERSEDED_BY, &self.superseded_by),
            (SUPERSEDED_ON, &self.superseded_on),
            (EXPIRES, &expires),
            (BRANCH, &self.branch),
            (WORKTREE, &self.worktree),
        ];
        for (key, value) in texts {
            if let Some(value) = value.as_deref().map(super::one_line).filter(|value| !value.is_empty()) {
                lines.push_str(&format!("  {key}: {}\n", quoted(&value)));
            }
        }
        for (key, _) in [(PINNED, self.pinned), (BLOCK, self.block)].into_iter().filter(|(_, flag)| *flag) {
            lines.push_str(&format!("  {key}: true\n"));
        }
        lines
    }
}

/// The text with one of these fields changed; `None` if it is none of them. An empty value removes it.
pub(super) fn set(text: &str, key: &str, value: &str) -> Option<Result<String, EditRefused>> {
    let place = place_of(text, key);
    Some(match key {
        SUPERSEDES | WHEN => {
            let items = super::cues::split(value);
            let without = match frontmatter::remove(text, &place) {
                Ok(without) => without,
                Err(refused) => return Some(Err(refused)),
            };
            if items.is_empty() { Ok(without) } else { frontmatter::set_list(&without, &place, &items) }
        }
        PINNED | BLOCK => match matches!(value.trim(), "true" | "yes" | "on") {
            true => frontmatter::set_true(text, &place),
            false => frontmatter::remove(text, &place),
        },
        _ => return None,
    })
}

/// The text of a replaced memory: what replaced it and since when. Every other byte stays.
///
/// # Errors
/// When the change cannot be made without touching something else.
pub fn set_superseded(text: &str, by: &str, on: Date) -> Result<String, EditRefused> {
    let text = super::set(text, SUPERSEDED_BY, by)?;
    super::set(&text, SUPERSEDED_ON, &on.to_string())
}

/// The text of a memory that is no longer replaced.
///
/// # Errors
/// When the frontmatter has no end.
pub fn clear_superseded(text: &str) -> Result<String, EditRefused> {
    super::unset(&super::unset(text, SUPERSEDED_BY)?, SUPERSEDED_ON)
}

fn plain_text(value: &Value) -> Option<String> {
    let text = match value {
        Value::String(text) => text.clone(),
        Value::Number(number) => number.to_string(),
        _ => return None,
    };
    text.trim().is_empty().not().then(|| super::one_line(&text))
}

/// The day of a time, in UTC: the same on every machine.
#[must_use]
pub fn day(time: Timestamp) -> Date {
    time.to_zoned(TimeZone::UTC).date()
}
