//! One binary for all integration tests of the command line, so that they link once.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "tests stop at the first surprise"
)]
#![allow(clippy::disallowed_methods, reason = "tests make and break files")]

mod agent;
mod agent_sees;
mod agent_sees_bad_input;
mod architecture;
mod archives;
mod check;
mod doctor;
mod documentation;
mod documents;
mod doubtful_changes;
mod dream;
mod dream_meanwhile;
mod examples;
mod extract;
mod extract_meanwhile;
mod gate;
mod general;
mod harness;
mod history;
mod hooks;
mod import;
mod journal;
mod journal_flow;
mod mcp;
mod mcp_bad_input;
mod mcp_client;
mod mcp_http;
mod memories;
mod model;
mod model_tls;
mod moves;
mod off;
mod path;
mod people;
mod plugin;
mod project;
mod prompt;
mod proof_crowd;
mod proof_errors;
mod proof_kill;
mod proof_race;
mod recovery;
mod review;
mod scopes;
mod search;
mod seeds;
mod semantic;
mod session_start;
mod setup;
mod switches;
mod team;
mod team_words;
mod tidy;
mod tool;
mod tool_gate;
mod tui;
mod update;
mod user;
mod week;
mod workspace;
