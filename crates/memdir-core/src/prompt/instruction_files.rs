//! Instruction files as they are in front of the user's first message.

use camino::Utf8Path;
use jiff::Timestamp;

use super::index_block::quoted_index;
use super::shown_dir::shown_path;
use crate::hygiene::Owner;
use crate::operation::Author;

/// One instruction file with what is said about it.
#[derive(Debug, Clone, Copy)]
pub struct InstructionText<'a> {
    /// The file.
    pub path: &'a Utf8Path,
    /// Where it comes from, in the client's words.
    pub label: &'a str,
    /// Its text.
    pub text: &'a str,
}

/// The files one after the other, each under a line that names it in the client's form; empty if there are none.
#[must_use]
pub fn instruction_files<'a>(files: impl IntoIterator<Item = InstructionText<'a>>) -> String {
    let shown = files.into_iter().map(|InstructionText { path, label, text }| headed(path, label, text));
    shown.collect::<Vec<_>>().join("\n\n")
}

/// One memory index with what is said about it.
#[derive(Debug, Clone, Copy)]
pub struct MemoryText<'a> {
    /// The file.
    pub path: &'a Utf8Path,
    /// Where it comes from, in the client's words.
    pub label: &'a str,
    /// Whose it is.
    pub owner: Owner<'a>,
    /// Its text as the client loads it.
    pub text: &'a str,
    /// When it last changed.
    pub modified: Option<Timestamp>,
    /// Who changed it last; `None` if the history does not know.
    pub changed_by: Option<&'a Author>,
}

/// The same for memory indexes. They are data and no instructions, so their text is quoted.
#[must_use]
pub fn memory_files<'a>(files: impl IntoIterator<Item = MemoryText<'a>>, now: Option<Timestamp>) -> String {
    let shown = files.into_iter().map(|file| {
        let quoted = quoted_index(file.text, file.owner, (file.modified, file.changed_by), now);
        headed(file.path, file.label, &quoted)
    });
    shown.collect::<Vec<_>>().join("\n\n")
}

fn headed(path: &Utf8Path, label: &str, text: &str) -> String {
    format!("Contents of {} ({label}):\n\n{text}", shown_path(path))
}
