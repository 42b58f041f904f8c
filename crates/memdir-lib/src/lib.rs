//! Memory as a library: what the author of an agent uses.

pub mod projects;
