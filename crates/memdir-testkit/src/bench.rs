//! Measurements that print ratios: a command against a reference, both in one run, so that a busy machine slows both.

mod corpus;
mod dream;
mod extract;
mod growth;
mod history;
mod hook;
mod hygiene;
mod journal;
mod mcp;
mod measure;
mod memories;
mod projects;
mod prompt;
mod sandbox;
mod search;
mod server;
mod sync;

pub use dream::dream;
pub use extract::extract;
pub use growth::growth;
pub use history::history;
pub use hook::hook;
pub use hygiene::hygiene;
pub use journal::journal;
pub use mcp::mcp;
pub use measure::{Row, Table};
pub use memories::memories;
pub use projects::{path, project_ls};
pub use prompt::prompt;
pub use sandbox::Bench;
pub use search::{search, transcripts, warm_search};
pub use server::server;
pub use sync::sync;
