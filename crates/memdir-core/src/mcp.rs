//! The Model Context Protocol, as values: a message comes in, an answer or something to do comes out.
//!
//! Written by hand because a server that an agent starts for every session must be there in a few milliseconds and
//! then stay small; an asynchronous runtime is neither. Nothing here knows files or sockets: the binary reads lines
//! or HTTP requests, asks a [`Session`] what each message means, does the work, and shapes the answer with the
//! [`Call`] that it was given.

pub mod http;
mod memory_uri;
mod message;
mod method;
mod prompts;
mod roots;
mod rpc_error;
mod session;
mod tool_call;
mod tools;
mod version;

pub use memory_uri::MemoryUri;
pub use message::{Id, Incoming, MAX_MESSAGE_BYTES, Notification, Request, Response, cancelled_request};
pub use method::{Completion, ListenFilter, Method};
pub use prompts::{Prompt, prompts_list};
pub use roots::directory_of_root;
pub use rpc_error::RpcError;
pub use session::{Call, Changed, Client, ServerFacts, Session, Step};
pub use tool_call::{EditChange, JournalAction, Readable, ToolCall};
pub use tools::tools_list;
pub use version::{ADVERTISED, Version};
