use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::Category;
use super::edit::{ProfileRefused, insert, safe};
use super::item::{ProfileFile, folded};
use crate::outline::Outline;

/// A whole profile in one file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Export {
    /// The version of this form.
    pub v: u32,
    /// What this is, so that nothing else is taken for it.
    pub kind: String,
    /// When it was made.
    pub exported: Timestamp,
    /// The files that there are, by category, each whole.
    pub files: BTreeMap<String, String>,
}

/// Why a file is not an export.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BadExport {
    /// Not the form at all.
    #[error("it is not an export of a user profile: {0}")]
    Form(#[from] serde_json::Error),
    /// Something else with a similar form.
    #[error("it is not an export of a user profile: its kind is `{found}`")]
    Kind {
        /// What it says it is.
        found: String,
    },
    /// Made by a newer memdir.
    #[error("it was made by a newer memdir (form {found}, this one knows {VERSION})")]
    Newer {
        /// The version that it claims.
        found: u32,
    },
    /// A file that no profile has.
    #[error("it holds `{name}`, which is not a category")]
    UnknownCategory {
        /// The name as found.
        name: String,
    },
    /// A file of it cannot be used.
    #[error("its {category} cannot be used: {refused}")]
    Unusable {
        /// The category.
        category: &'static str,
        /// Why.
        refused: ProfileRefused,
    },
    /// Larger than a profile can be.
    #[error("its {category} is larger than {} bytes", super::MAX_BYTES)]
    TooLarge {
        /// The category.
        category: &'static str,
    },
}

const VERSION: u32 = 1;
const KIND: &str = "memdir-user-profile";

/// The most headings under which a merge adds something.
const MAX_HEADINGS: usize = 200;

/// The largest export that is read.
pub const MAX_EXPORT_BYTES: u64 = 8 * super::MAX_BYTES;

impl Export {
    /// Makes an export of the files that there are.
    #[must_use]
    pub fn new(files: &[(Category, String)], now: Timestamp) -> Self {
        let files = files.iter().map(|(category, text)| (category.name().to_owned(), text.clone()));
        Self { v: VERSION, kind: KIND.to_owned(), exported: now, files: files.collect() }
    }

    /// Reads and validates an export.
    ///
    /// # Errors
    /// It is not one, or a part of it cannot be used.
    pub fn parse(text: &str) -> Result<Self, BadExport> {
        #[derive(Deserialize)]
        struct Versioned {
            v: u32,
            kind: String,
        }
        let Versioned { v, kind } = serde_json::from_str(text)?;
        if kind != KIND {
            return Err(BadExport::Kind { found: kind });
        }
        if v != VERSION {
            return Err(BadExport::Newer { found: v });
        }
        let export: Self = serde_json::from_str(text)?;
        for (name, text) in &export.files {
            let category =
                Category::from_name(name).ok_or_else(|| BadExport::UnknownCategory { name: name.clone() })?;
            let unusable = |refused| BadExport::Unusable { category: category.name(), refused };
            if text.len() as u64 > super::MAX_BYTES {
                return Err(BadExport::TooLarge { category: category.name() });
            }
            safe(text).map_err(unusable)?;
        }
        Ok(export)
    }

    /// The files of the export that are a profile's.
    pub fn categories(&self) -> impl Iterator<Item = (Category, &str)> {
        self.files
            .iter()
            .filter_map(|(name, text)| Category::from_name(name).map(|category| (category, text.as_str())))
    }
}

/// Merges a file of an export into the one that there is: items that it does not have are added under their heading,
/// with their dates and marks, and nothing else changes. Where there is none, it is taken whole. `None`: nothing to do.
///
/// # Errors
/// The file that there is cannot be changed safely.
pub fn merge_in(category: Category, mine: &str, theirs: &str) -> Result<Option<String>, ProfileRefused> {
    safe(mine)?;
    if mine.trim().is_empty() {
        return Ok((!theirs.trim().is_empty() && mine != theirs).then(|| theirs.to_owned()));
    }
    let mut known: std::collections::HashSet<String> =
        ProfileFile::parse(category, mine).items.iter().map(|item| folded(&item.text)).collect();
    let outline = Outline::of(theirs);
    let mut blocks: Vec<(Option<String>, Vec<String>)> = Vec::new();
    for item in ProfileFile::parse(category, theirs).items {
        if item.text.is_empty() || !known.insert(folded(&item.text)) {
            continue;
        }
        let lines = outline.lines.get(item.lines.clone()).unwrap_or_default();
        let lines: Vec<String> = lines.iter().map(|line| line.text.to_owned()).collect();
        // An item that opens what only a later line closes cannot be taken out of its file.
        if safe(&lines.join("\n")).is_err() {
            continue;
        }
        let too_many = blocks.len() >= MAX_HEADINGS;
        match blocks.iter_mut().find(|(heading, _)| *heading == item.heading) {
            Some((_, block)) => block.extend(lines),
            None if too_many => return Err(ProfileRefused::TooManyHeadings { limit: MAX_HEADINGS }),
            None => blocks.push((item.heading, lines)),
        }
    }
    let mut merged = mine.to_owned();
    for (heading, block) in blocks {
        merged = insert(&Outline::of(&merged), heading.as_deref(), block);
    }
    Ok((merged != mine).then_some(merged))
}
