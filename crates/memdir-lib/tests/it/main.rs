//! The library on real directories and real repositories.

#![expect(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "tests make and move their own directories"
)]

mod dream;
mod examples;
mod journal_watch;
mod people;
mod project_moves;
mod project_survey;
mod world;
