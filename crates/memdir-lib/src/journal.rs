//! The journal of a project: found, started, written and recovered from.

mod place;

pub use place::find_journal;
