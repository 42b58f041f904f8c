use jiff::civil::Date;

use super::Category;
use super::item::{Item, ProfileFile, find_mark, marker};
use crate::outline::{LineKind, Obstacle, Outline};

/// Why a file of the profile is not changed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ProfileRefused {
    /// Bytes that are not UTF-8.
    #[error("it is not valid UTF-8")]
    NotUtf8,
    /// Something in it would swallow what is written, or be torn by it.
    #[error(transparent)]
    Obstacle(#[from] Obstacle),
    /// There is nothing to write down.
    #[error("there is no text to write down")]
    Empty,
    /// More than an item can hold.
    #[error("an item holds at most {limit} characters")]
    TooLong {
        /// The limit.
        limit: usize,
    },
    /// More headings than a profile can have.
    #[error("it has more than {limit} headings")]
    TooManyHeadings {
        /// The limit.
        limit: usize,
    },
    /// The item is not there any more.
    #[error("it is not there any more")]
    Gone,
}

/// The longest text of an item.
const MAX_CHARACTERS: usize = 4_000;

/// Something to write down about the user.
#[derive(Debug, Clone, Copy)]
pub struct NewItem<'a> {
    /// What it says. Several lines become one.
    pub text: &'a str,
    /// The heading to write it under; `None`: below everything that has none.
    pub heading: Option<&'a str>,
    /// The day.
    pub date: Date,
    /// For observations: whether the user has said yes.
    pub confirmed: Option<bool>,
    /// For feedback: whether it worked.
    pub worked: Option<bool>,
}

/// Adds an item to a file; `None` if the file says that already.
///
/// # Errors
/// There is nothing to say, or the file cannot be changed safely.
pub fn add(category: Category, text: &str, new: &NewItem<'_>) -> Result<Option<String>, ProfileRefused> {
    safe(text)?;
    let said = one_line(new.text)?;
    let mut block = vec![format!("- {}: {said}", new.date)];
    for (name, value) in [("Confirmed", new.confirmed), ("Worked", new.worked)] {
        block.extend(value.map(|value| format!("  {name}: {}", if value { "yes" } else { "no" })));
    }
    // What the text says is what it reads back as: marks at its end are marks.
    let read_back = ProfileFile::parse(category, &block.join("\n")).items;
    let is_known = |item: &Item| read_back.first().is_some_and(|new| item.says(&new.text));
    if ProfileFile::parse(category, text).items.iter().any(is_known) {
        return Ok(None);
    }
    let whole = if text.trim_start_matches('\u{FEFF}').trim().is_empty() {
        format!("# {}\n", category.title())
    } else {
        text.to_owned()
    };
    let outline = Outline::of(&whole);
    Ok(Some(insert(&outline, new.heading, block)))
}

/// Puts another text in the place of an item's, with the day of the change; its marks and its place stay.
///
/// # Errors
/// The item is gone, or the file cannot be changed safely.
pub fn replace(
    category: Category,
    text: &str,
    old: &Item,
    new: &str,
    date: Date,
) -> Result<String, ProfileRefused> {
    safe(text)?;
    let said = one_line(new)?;
    let item = find(category, text, old)?;
    let outline = Outline::of(text);
    let Some(first) = outline.lines.get(item.lines.start) else { return Err(ProfileRefused::Gone) };
    let mark = marker(first.text).and_then(|mark| first.text.get(mark)).unwrap_or("- ");
    let mut lines = vec![format!("{mark}{date}: {said}")];
    for (name, value) in [("Confirmed", item.confirmed), ("Worked", item.worked)] {
        lines.extend(value.map(|value| format!("  {name}: {}", if value { "yes" } else { "no" })));
    }
    let last = outline.lines.get(item.lines.end.saturating_sub(1)).unwrap_or(first);
    Ok(outline.replace(first.start..last.start + last.text.len(), &lines.join(outline.ending())))
}

/// Marks an item as confirmed; `None` if it is.
///
/// # Errors
/// The item is gone, or the file cannot be changed safely.
pub fn confirm(category: Category, text: &str, wanted: &Item) -> Result<Option<String>, ProfileRefused> {
    safe(text)?;
    let item = find(category, text, wanted)?;
    if item.confirmed == Some(true) {
        return Ok(None);
    }
    let outline = Outline::of(text);
    // Where there are several, the last one counts.
    for index in item.lines.clone().rev() {
        let Some(line) = outline.lines.get(index) else { continue };
        if let Some(mark) = find_mark(line.text, "confirmed") {
            let range = line.start + mark.value_range.start..line.start + mark.value_range.end;
            return Ok(Some(outline.replace(range, "yes")));
        }
    }
    let last = item.lines.end.saturating_sub(1);
    Ok(Some(outline.insert_after(Some(last), &["  Confirmed: yes".to_owned()])))
}

/// Finds an item again in a text that may have changed since.
fn find(category: Category, text: &str, wanted: &Item) -> Result<Item, ProfileRefused> {
    let items = ProfileFile::parse(category, text).items;
    find_among(&items, wanted).cloned().ok_or(ProfileRefused::Gone)
}

pub(super) fn find_among<'i>(items: &'i [Item], wanted: &Item) -> Option<&'i Item> {
    let is_it = |item: &&Item| item.text == wanted.text && item.heading == wanted.heading;
    let same_place = items.iter().find(|item| is_it(item) && item.lines == wanted.lines);
    same_place.or_else(|| items.iter().find(is_it))
}

/// Whether a file may be changed at all.
pub(super) fn safe(text: &str) -> Result<(), ProfileRefused> {
    Outline::of(text).obstacle().map_or(Ok(()), |obstacle| Err(obstacle.into()))
}

/// Puts lines at the end of a heading's list, or below everything that has no heading. The heading is made if there
/// is none.
pub(super) fn insert(outline: &Outline<'_>, heading: Option<&str>, block: Vec<String>) -> String {
    let last_line = outline.lines.len().saturating_sub(1);
    let Some(heading) = heading.map(one_title).filter(|heading| !heading.is_empty()) else {
        let end = outline.lines.iter().position(is_sub_heading).unwrap_or(outline.lines.len());
        return match outline.last_filled(0..end) {
            Some(last) => insert_below(outline, last, block),
            None => outline.insert_after(None, &block),
        };
    };
    let sections = outline.sections();
    let found = sections
        .iter()
        .find(|section| section.level > 1 && section.title.to_lowercase() == heading.to_lowercase());
    match found {
        Some(section) => {
            let is_heading = |index: &usize| {
                outline.lines.get(*index).is_some_and(|line| matches!(line.kind, LineKind::Heading { .. }))
            };
            let end = section.body.clone().find(is_heading).unwrap_or(section.body.end);
            let last = outline.last_filled(section.body.start..end).unwrap_or(section.heading);
            insert_below(outline, last, block)
        }
        None => {
            let mut lines = vec![String::new(), format!("## {heading}"), String::new()];
            lines.extend(block);
            let last = outline.last_filled(0..outline.lines.len()).unwrap_or(last_line);
            outline.insert_after(Some(last), &lines)
        }
    }
}

/// A blank line separates a list from a heading and from prose; an item follows an item.
fn insert_below(outline: &Outline<'_>, last: usize, mut block: Vec<String>) -> String {
    let follows = outline.lines.get(last).is_some_and(|line| {
        line.kind == LineKind::Text && (marker(line.text).is_some() || line.text.starts_with([' ', '\t']))
    });
    if !follows {
        block.insert(0, String::new());
    }
    outline.insert_after(Some(last), &block)
}

fn is_sub_heading(line: &crate::outline::Line<'_>) -> bool {
    matches!(line.kind, LineKind::Heading { level, .. } if level > 1)
}

fn one_title(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").trim_start_matches('#').trim().to_owned()
}

/// A text as it is in an item: one line that begins no other block.
pub(super) fn one_line(text: &str) -> Result<String, ProfileRefused> {
    let plain: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    let line = plain.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.is_empty() {
        return Err(ProfileRefused::Empty);
    }
    if line.chars().count() > MAX_CHARACTERS {
        return Err(ProfileRefused::TooLong { limit: MAX_CHARACTERS });
    }
    Ok(line)
}
