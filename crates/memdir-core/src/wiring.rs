//! What memdir writes into the settings of agents, so that they start it by themselves.
//!
//! Everything here is a rule: which agents there are, which members of which file make one know memdir, and how a
//! file looks with and without them. Only those members are ever ours; the rest of a file is its owner's.

mod agent;
mod entry;
mod manifest;
mod member;
mod nightly;
mod section;
mod table;
#[cfg(test)]
mod tests;

pub use agent::{Agent, Wanted, noted_beside, shell_word};
pub use entry::Start;
pub use manifest::{FileRecord, Manifest, ManifestError};
pub use member::{Format, Member, WiringError, find_foreign, is_wired, strict_problem, unwire, wire};
pub use nightly::{NIGHTLY, Nightly, WholeContent, WholeFile, WholeRecord, nightly};
pub use section::{SectionError, without_section};
