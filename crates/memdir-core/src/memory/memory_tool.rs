//! The pure half of the API's memory tool (`memory_20250818`): six commands, their answers, and what they change.
//!
//! A command names paths below `/memories`, which represents one memory directory. The caller shows a command the
//! directory through [`ToolFiles`] and applies the changes of its [`Outcome`] as an ordinary plan. The answers are the
//! documented ones, because models were trained on them.

use serde::Serialize;

use crate::plan::Change;

mod command;
mod edit;
mod memory_path;
mod remove;
#[cfg(test)]
mod tests;
mod view;

pub use command::Command;
pub use memory_path::MemoryPath;

/// The largest file that a command may leave behind, in bytes.
pub const MAX_FILE_BYTES: usize = 1024 * 1024;
/// The longest file that is viewed, in lines.
pub const MAX_VIEW_LINES: usize = 999_999;
/// The most entries of a directory that one view lists.
pub const MAX_LISTED: usize = 2_000;

/// What a command may see of the directory. Paths are relative to it; `""` is the directory itself.
pub trait ToolFiles {
    /// What is at a path; `None` for nothing, and for links and everything else that is neither file nor folder.
    fn found(&self, path: &str) -> Option<EntryKind>;

    /// The names of a folder's entries, in any order.
    fn names(&self, folder: &str) -> Vec<String>;

    /// The bytes of a file.
    ///
    /// # Errors
    /// A sentence for the model that says why the file cannot be read.
    fn read(&self, path: &str) -> Result<Vec<u8>, String>;
}

/// What is at a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EntryKind {
    /// A regular file.
    File {
        /// Its size in bytes.
        size: u64,
    },
    /// A folder.
    Folder,
}

/// What a command answers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct MemoryToolAnswer {
    /// The text for the model.
    pub content: String,
    /// Whether the command failed.
    pub is_error: bool,
}

impl MemoryToolAnswer {
    /// A success.
    #[must_use]
    pub fn done(content: impl Into<String>) -> Self {
        Self { content: content.into(), is_error: false }
    }

    /// A failure; nothing was changed.
    #[must_use]
    pub fn error(content: impl Into<String>) -> Self {
        Self { content: content.into(), is_error: true }
    }
}

/// A command's answer and the changes that make it true. Without changes the answer holds at once; else it holds once
/// they are applied, and the caller who applies them answers with an error if that fails.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcome {
    /// What to answer.
    pub answer: MemoryToolAnswer,
    /// What to change first.
    pub changes: Vec<Change>,
}

/// Runs one command given as JSON.
#[must_use]
pub fn run(json: &str, files: &dyn ToolFiles) -> Outcome {
    match Command::parse(json).and_then(|command| run_command(&command, files)) {
        Ok(outcome) => outcome,
        Err(answer) => Outcome { answer, changes: Vec::new() },
    }
}

fn run_command(command: &Command, files: &dyn ToolFiles) -> Result<Outcome, MemoryToolAnswer> {
    match command {
        Command::View { path, view_range } => {
            let answer = view::view(files, path, *view_range)?;
            Ok(Outcome { answer, changes: Vec::new() })
        }
        Command::Create { path, file_text } => edit::create(files, path, file_text),
        Command::StrReplace { path, old_str, new_str } => edit::str_replace(files, path, old_str, new_str),
        Command::Insert { path, insert_line, insert_text } => {
            edit::insert(files, path, *insert_line, insert_text)
        }
        Command::Delete { path } => remove::delete(files, path),
        Command::Rename { old_path, new_path } => remove::rename(files, old_path, new_path),
    }
}
