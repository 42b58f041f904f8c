//! What the tests of every crate share: temporary homes, fixture trees, real git repositories, and the block
//! that shows a whole command.
//!
//! This crate makes and breaks files on purpose and is never published.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test that cannot set up its world must stop at once"
)]

pub mod bench;
mod cluster;
mod git;
pub mod proof;
mod sentence_package;
mod snapshot;
mod test_home;
mod tmux;

pub use cluster::Cluster;
pub use git::Git;
pub use sentence_package::sentence_package;
pub use snapshot::CommandBlock;
pub use test_home::TestHome;
pub use tmux::Tmux;

/// The instant at which every test happens unless it says otherwise.
pub const NOW: &str = "2026-11-15T12:00:00Z";
