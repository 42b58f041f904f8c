//! What members of a team send each other, as values: entries, members, invitations, rounds.
//!
//! Everything here is pure and small, because a server and every client must agree on it to the byte. Whatever is
//! read from the other side is hostile: it is bounded, read strictly (a text that would be written differently is
//! refused), and worth nothing until its signature was verified.

pub mod canonical;
pub mod entry;
pub mod gzip;
pub mod invitation;
pub mod member;
pub mod memory_id;
pub mod roster;
pub mod round;
pub mod server_api;
pub mod session_token;
pub mod signing;
pub mod team_id;
pub mod voucher;
