//! Finding things again: in memories, journals, instruction files and past sessions.
//!
//! Everything here is derived from the user's files and reads them only. Delete the index at any time: the next
//! search builds it anew.

pub mod analyze;
mod collection;
mod document;
mod error;
mod meaning;
mod query;
mod rank;
mod recall;
mod search;
mod searcher;
mod segment;
mod session_choice;
mod session_extract;
mod sessions;
mod shown;
mod succession;
pub mod transcript;
mod usage;

pub use collection::{Collection, Freshness, Kind, Limits, Scope, Source};
pub use error::SearchError;
pub use meaning::{Encoder, NAME as MEANINGS, PackageError, SentenceModel, Vector};
pub use query::{NothingAsked, Query, named_days};
pub use recall::{
    ConsideredMemory, FEATURE_NAMES, Features, MAX_NAMED, ModelUse, NamedMemory, QUOTED_FROM, RecallOptions,
    Recalled, RecalledMemory, RecentWork,
};
pub use search::{Hit, Options, SearchResults, SecondOpinion};
pub use searcher::Searcher;
pub use session_choice::{ChosenSession, SessionChoice, SessionReading, choose_session};
pub use session_extract::{Cursor, ExtractOptions, SessionExtraction, extract_session};
pub use sessions::{SessionSummary, SessionTurn, list_sessions, summarize_sessions};
pub use shown::ShownMemories;
pub use usage::Usage;
