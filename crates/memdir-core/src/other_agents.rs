//! What other coding agents keep as memory or rules, read where it is and proposed as topic files.
//!
//! Their files may come with a repository: no link is followed out of the project, and what they say is text.

mod export;
mod gather;
mod git_history;
mod propose;
mod source;
mod table;
#[cfg(test)]
mod tests;

pub use export::{ExportError, propose_export};
pub use gather::{Gathered, SourceFile, gather};
pub use git_history::{LOG_FORMAT, decisions};
pub use propose::{Proposal, propose};
pub use source::OtherAgent;
