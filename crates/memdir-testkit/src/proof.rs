//! Proofs that acknowledged means durable: the real program killed, starved, crowded, raced and unplugged.
//!
//! Each proof takes the program and how much to do, so that the suite runs a bounded form and `scripts/prove --long`
//! the whole. What is promised and what came out is in docs/DURABILITY.md.

mod convergence;
mod crowd;
mod errors;
mod full_disk;
mod ground;
mod judge;
mod kill;
mod kill_past;
mod kill_sync;
mod limits;
mod mounts;
mod power;
mod race;
mod random;
mod report;
mod trace;
mod writing_command;

pub use convergence::{Convergence, convergence, convergence_in_process, convergence_over_git, team_of};
pub use crowd::{Crowd, crowd};
pub use errors::{Errors, errors};
pub use full_disk::full_disk;
pub use kill::{Kill, kill};
pub use kill_past::kill_past;
pub use kill_sync::kill_sync;
pub use limits::limits;
pub use power::{Power, power};
pub use race::{Race, race};
pub use report::ProofReport;
