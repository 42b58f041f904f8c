//! A memory directory's files: what they mean, and how they change.
//!
//! MEMORY.md, the [`entrypoint`] and index, and the topic files beside it.
//! Parsing never fails: it returns what it understood and the problems it met. Editing changes what was asked
//! and leaves every other byte alone. Nothing here opens a file.

pub mod entrypoint;
pub mod js_text;
