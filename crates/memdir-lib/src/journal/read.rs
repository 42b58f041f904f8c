use memdir_core::journal::decode;
use memdir_core::journal::index::Index;
use memdir_core::journal::key::INDEX_FILE;
use memdir_core::journal::rebuild::{FoundFile, HEAD_BYTES, entry};
use memdir_core::journal::record::{DecisionCategory, Record};
use memdir_core::journal::row::{Category, Row};
use memdir_core::rel_path::RelPath;
use serde::Serialize;

use super::{Journal, JournalError, MAX_FILE_BYTES};

/// Which records are listed.
#[derive(Debug, Clone, Default)]
pub struct Filter<'f> {
    /// A kind (`decision`, `analysis`, `context`, `progress`, `subagent`) or a decision's category.
    pub category: Option<&'f str>,
    /// Only records of this moment or later, as the journal writes it.
    pub since: Option<String>,
    /// Only decisions with this status.
    pub status: Option<&'f str>,
}

/// A record in a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Listed {
    /// Its row.
    #[serde(flatten)]
    pub row: Row,
    /// Its title.
    pub title: String,
    /// A decision's status.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<String>,
    /// A decision's own category.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub about: Option<String>,
}

impl Journal {
    /// The index as it is in the file.
    ///
    /// # Errors
    /// There is no journal, or the index is missing.
    pub fn index(&self) -> Result<(String, Index), JournalError> {
        let root = self.root()?;
        let bytes = root.read(&RelPath::parse(INDEX_FILE)?, MAX_FILE_BYTES)?;
        let bytes = bytes.ok_or_else(|| JournalError::NotFound {
            name: INDEX_FILE.to_owned(),
            directory: self.directory().to_owned(),
        })?;
        Ok((decode(&bytes).0, Index::parse(&bytes)))
    }

    /// The records, newest first, from the files themselves.
    ///
    /// # Errors
    /// There is no journal, or a word of the filter is none of the protocol's.
    pub fn list(&self, filter: &Filter<'_>) -> Result<Vec<Listed>, JournalError> {
        let root = self.root()?;
        if let Some(status) = filter.status {
            status.parse::<memdir_core::journal::record::DecisionStatus>()?;
        }
        let kind = filter.category.map(kind_or_category).transpose()?;
        let listing = root.list_files(HEAD_BYTES)?;
        let mut found = Vec::new();
        for file in &listing.files {
            let modified =
                jiff::Timestamp::from_nanosecond(file.stat.modified).unwrap_or(jiff::Timestamp::UNIX_EPOCH);
            let known = FoundFile { path: file.path.as_str(), head: &file.head, modified };
            let Some((row, title)) = entry(&known) else { continue };
            let record = Record::parse(&decode(&file.head).0);
            let of_decision = |name: &str| {
                let value = record.field(name).map(str::to_lowercase);
                value.filter(|_| row.category == Category::Decision)
            };
            let (status, about) = (of_decision("Status"), of_decision("Category"));
            let fits = kind.as_ref().is_none_or(|kind| match kind {
                Wanted::Kind(kind) => row.category == *kind,
                Wanted::About(word) => about.as_deref() == Some(word.as_str()),
            });
            let fits = fits && filter.since.as_ref().is_none_or(|since| row.updated >= *since);
            if fits && filter.status.is_none_or(|wanted| status.as_deref() == Some(wanted)) {
                found.push(Listed { row, title, status, about });
            }
        }
        found.sort_by(|one, other| {
            other.row.updated.cmp(&one.row.updated).then_with(|| other.row.file.cmp(&one.row.file))
        });
        Ok(found)
    }

    /// A file of the journal by its path, its name, or a part of its name that no other has.
    ///
    /// # Errors
    /// There is none, or more than one.
    pub fn find(&self, name: &str) -> Result<String, JournalError> {
        let root = self.root()?;
        let wanted = name.trim().trim_start_matches("./");
        let wanted = wanted
            .strip_prefix(self.directory().as_str())
            .map_or(wanted, |rest| rest.trim_start_matches('/'));
        let not_found =
            || JournalError::NotFound { name: name.to_owned(), directory: self.directory().to_owned() };
        if let Ok(path) = RelPath::parse(wanted)
            && root.stat(&path).ok().flatten().is_some()
        {
            return Ok(path.as_str().to_owned());
        }
        if wanted.is_empty() {
            return Err(not_found());
        }
        let listing = root.list_files(0)?;
        let paths: Vec<&str> = listing.files.iter().map(|file| file.path.as_str()).collect();
        let stem = |path: &str| path.rsplit('/').next().unwrap_or(path).trim_end_matches(".md").to_owned();
        let exact: Vec<&str> =
            paths.iter().copied().filter(|path| stem(path) == wanted.trim_end_matches(".md")).collect();
        let lower = wanted.to_lowercase();
        let partly =
            || paths.iter().copied().filter(|path| path.to_lowercase().contains(&lower)).collect::<Vec<_>>();
        let candidates = if exact.is_empty() { partly() } else { exact };
        match candidates.as_slice() {
            [] => Err(not_found()),
            [one] => Ok((*one).to_owned()),
            many => Err(JournalError::Ambiguous {
                name: name.to_owned(),
                candidates: many.iter().take(12).map(|path| (*path).to_owned()).collect(),
            }),
        }
    }

    /// A file of the journal, and its path.
    ///
    /// # Errors
    /// As [`Journal::find`].
    pub fn show(&self, name: &str) -> Result<(String, String), JournalError> {
        let path = self.find(name)?;
        let text = self.text(&self.root()?, &path)?.unwrap_or_default();
        Ok((path, text))
    }
}

enum Wanted {
    Kind(Category),
    About(String),
}

fn kind_or_category(word: &str) -> Result<Wanted, JournalError> {
    let plain = word.to_lowercase().replace('-', "");
    let plain = plain.trim_end_matches('s');
    let known = Category::KNOWN.into_iter().find(|category| {
        category.to_string().to_lowercase().trim_end_matches('s') == plain
            || category.folder().trim_end_matches('s') == plain
            || (plain == "analyse" && *category == Category::Analysis)
    });
    match known {
        Some(category) => Ok(Wanted::Kind(category)),
        None => Ok(Wanted::About(word.parse::<DecisionCategory>()?.as_str().to_owned())),
    }
}
