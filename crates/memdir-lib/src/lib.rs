//! Memory as a library: what the author of an agent uses.

pub mod agents;
pub mod audit;
pub mod memory;
pub mod memory_tool;
pub mod place;
pub mod projects;
pub mod turn;
