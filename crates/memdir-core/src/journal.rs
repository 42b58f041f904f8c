//! The journal of a project: decisions, analyses, the state of the work, and how to go on after a compaction.
//!
//! It is at `<config>/projects/<project-key>/`, apart from the memory, in Markdown that a person can read and repair.
//! The records are the truth; index, archive and statistics follow from them and can be rebuilt.

pub mod archive;
pub mod branch;
pub mod breadcrumb;
pub mod compaction;
mod document;
pub mod index;
pub mod key;
pub mod names;
pub mod rebuild;
pub mod record;
pub mod recovery;
pub mod relevance;
pub mod row;
pub mod session;
pub mod state;
pub mod subagent;
mod text;

pub use text::{decode, stamp};

/// What a file about the task or the progress says in one line.
fn state_summary(path: &str, record: &record::Record, text: &str) -> String {
    match path {
        state::TASK_FILE => state::current_task(text, "").unwrap_or_default(),
        state::BLOCKERS_FILE => match state::open_blockers(text).as_slice() {
            [] => "No blocker".to_owned(),
            open => open.join("; "),
        },
        state::ACTIVE_FILE => state::progress(text).unwrap_or_else(|| record.title.clone()),
        state::COMPLETED_FILE => {
            let last = text.lines().filter_map(state::completed_entry).next_back();
            last.map_or_else(|| record.title.clone(), |(_, done)| done.to_owned())
        }
        _ => record.title.clone(),
    }
}

/// Something in a file of the journal that could not be understood. It stays as it is.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Problem {
    /// The line, counted from 1; 0 if it is about the whole file.
    pub line: usize,
    /// What is wrong.
    pub what: String,
}

impl Problem {
    fn new(line: usize, what: impl Into<String>) -> Self {
        Self { line, what: what.into() }
    }
}

impl std::fmt::Display for Problem {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.line {
            0 => formatter.write_str(&self.what),
            line => write!(formatter, "line {line}: {}", self.what),
        }
    }
}
