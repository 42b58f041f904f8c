//! The team server: signed memory over HTTP, kept in SQLite or PostgreSQL.
//!
//! A team's memory is a set of files in versions that follow each other; a new version replaces the newest one or is
//! refused (`If-Match`). The server checks every signature and every secret again, and understands nothing else of what it keeps.

mod addresses;
mod api;
pub mod api_error;
pub mod check_put;
pub mod command;
pub mod copy;
pub mod gate;
pub mod limits;
pub mod listen;
pub mod log;
pub mod memory_budget;
pub mod metrics;
pub mod publish;
pub mod random;
pub mod rate;
pub mod remove_member;
pub mod rosters;
pub mod server;
mod slow_client;
pub mod storage;
pub mod store;
pub mod token;

pub use api::{ROUTES, Route};
