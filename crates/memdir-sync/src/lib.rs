//! Memory that several people and machines share.
//!
//! One algorithm over any remote: [`engine::sync`] brings a [`local::Local`] and a [`remote::Remote`] together. For each
//! entry there are three sides, what was agreed, what is here and what is there; texts merge by field and by line, what
//! cannot is kept twice, deletions travel as signed entries, and no clock decides anything.

#![expect(
    clippy::disallowed_types,
    reason = "clippy.toml lists what planning may not use; the module plan denies it"
)]

mod capitals;
mod classify;
mod common_base;
pub mod conflict_copy;
pub mod engine;
mod file_times;
mod folder;
pub mod http;
mod identify;
mod inbox;
mod index_follows;
pub mod layout;
mod load_facts;
pub mod local;
pub mod membership;
mod message;
mod obstacle;
pub mod options;
mod own_changes;
pub mod personal;
mod plan;
mod private_rules;
mod records;
pub mod remote;
pub mod report;
pub mod state;
mod sync_files;
pub mod team;
pub mod team_error;
mod up_to_date;
