//! The journal of a project: decisions, analyses, the state of the work, and how to go on after a compaction.
//!
//! It lies at `<config>/projects/<project-key>/`, apart from the memory, in Markdown that a person can read and mend.
//! The records are the truth; index, archive and statistics follow from them and can be rebuilt.

pub mod key;
