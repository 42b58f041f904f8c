//! A real server on a real socket, in one test program.

#![expect(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "tests make and break files, and stop at the first surprise"
)]

mod abuse;
mod authorisation;
mod bad_input;
mod converge;
mod copies;
mod crowds;
mod engine;
mod forgetting;
mod full_disk;
mod ghosts;
mod kill;
mod late_bodies;
mod lost_answers;
mod one_person;
mod openapi;
mod operator;
mod own_machine;
mod people;
mod postgres;
mod process;
mod running;
mod sessions;
mod story;
mod tls;
mod two_people;
