//! The client's hook protocol: what it tells us, and the one field in which it reads an answer.

mod answer;
mod dialect;
mod event;
mod marker;
mod memory_mode;
mod tool_edit;
mod tool_pattern;

pub use answer::{HookAnswer, MAX_CONTEXT};
pub use dialect::render_for;
pub use event::{Event, MAX_EVENT_BYTES};
pub use marker::marked_files;
pub use memory_mode::{MemoryMode, last_memory_mode};
pub use tool_edit::ToolEdit;
pub use tool_pattern::ToolCall;
