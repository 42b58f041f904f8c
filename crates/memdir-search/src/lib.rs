//! Finding things again: in memories, journals, instruction files and past sessions.
//!
//! Everything here is derived from the user's files and reads them only. Delete the index at any time: the next
//! search builds it anew.

pub mod analyze;
pub mod transcript;
