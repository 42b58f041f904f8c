use std::collections::BTreeSet;

use super::Category;
use super::edit::{ProfileRefused, find_among, safe};
use super::item::{Item, ProfileFile};
use crate::outline::Outline;

/// What the user wants forgotten or confirmed, in their own words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Topic {
    words: Vec<String>,
}

impl Topic {
    /// Reads a topic; `None` if it has no word.
    #[must_use]
    pub fn of(text: &str) -> Option<Self> {
        let words: Vec<String> = text.split_whitespace().map(str::to_lowercase).collect();
        (!words.is_empty()).then_some(Self { words })
    }

    /// Whether an item is about it: every word is in its text or its heading.
    #[must_use]
    pub fn is_of(&self, item: &Item) -> bool {
        let said = format!("{} {}", item.heading.as_deref().unwrap_or_default(), item.text).to_lowercase();
        self.words.iter().all(|word| said.contains(word.as_str()))
    }
}

/// Takes items out of a file; every other line stays.
///
/// # Errors
/// The file cannot be changed safely. An item that is gone already is not an error.
pub fn remove(category: Category, text: &str, items: &[Item]) -> Result<Option<String>, ProfileRefused> {
    safe(text)?;
    let known = ProfileFile::parse(category, text).items;
    let mut gone = BTreeSet::new();
    for item in items.iter().filter(|item| item.category == category) {
        gone.extend(find_among(&known, item).into_iter().flat_map(|found| found.lines.clone()));
    }
    Ok((!gone.is_empty()).then(|| Outline::of(text).without(|index| gone.contains(&index))))
}

/// Takes every item about a topic out of a text, whatever else is wrong with it; `None` if there is none.
#[must_use]
pub fn remove_topic(text: &str, topic: &Topic) -> Option<String> {
    let items = ProfileFile::parse(Category::Profile, text).items;
    let about = items.iter().filter(|item| topic.is_of(item));
    let gone: BTreeSet<usize> = about.flat_map(|item| item.lines.clone()).collect();
    (!gone.is_empty()).then(|| Outline::of(text).without(|index| gone.contains(&index)))
}
