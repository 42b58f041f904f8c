//! A memory directory's files: what they mean, and how they change.
//!
//! MEMORY.md, the [`entrypoint`] and index, and the [`topic`] files beside it with their [`frontmatter`] and
//! [`links`]. Parsing never fails: it returns what it understood and the [`problem`]s it met. Editing changes what
//! was asked and leaves every other byte alone. Nothing here opens a file.

pub mod auto_index;
mod bounded_yaml;
pub mod change;
pub mod code_fence;
pub mod edit_doubt;
pub mod entrypoint;
pub mod frontmatter;
pub mod guess;
pub mod index;
pub mod js_text;
pub mod links;
pub mod manifest;
pub mod memory_tool;
pub mod memory_type;
pub mod problem;
pub mod text_merge;
pub mod topic;
pub mod vault;

pub(crate) use bounded_yaml::bounded_yaml;
