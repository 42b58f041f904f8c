//! Several machines and one remote, in one test program.

#![expect(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "tests make and break files, and stop at the first surprise"
)]

mod answered;
mod at_rest;
mod bounded_remote;
mod come_back;
mod converge;
mod damaged_remote;
mod every_combination;
mod format_1;
mod gone_members;
mod half_written;
mod hostile_bytes;
mod hostile_remote;
mod killed;
mod lost_answers;
mod lost_folders;
mod machine;
mod opposite_settlements;
mod own_index;
mod own_machines;
mod parsers;
mod people;
mod renamed;
mod reused_names;
mod review_luck;
mod reviewing;
mod two_people;
