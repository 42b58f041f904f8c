//! The client's hook protocol: what it tells us, and the one field in which it reads an answer.

mod answer;
mod event;
mod tool_edit;

pub use answer::{Answer, MAX_CONTEXT};
pub use event::{Event, MAX_EVENT_BYTES};
pub use tool_edit::ToolEdit;
