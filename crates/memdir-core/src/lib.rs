//! The rules of memdir, pure.
//!
//! Everything here takes text, time and environment as values and returns values and plans. Nothing opens a
//! file, reads a variable, looks at a clock or starts a process: `clippy.toml` beside this crate forbids it.
//! Where a rule must look to know what to read next (a settings file, `.git`, an import), it asks a [`look::Look`].

pub mod ablation;
pub mod agents;
pub mod base64;
pub mod chunked_body;
pub mod config;
pub mod content_hash;
pub mod doctor;
pub mod dream;
pub mod env;
pub mod extract;
pub mod gate;
pub mod guarded_root;
pub mod hidden_char;
pub mod history;
pub mod hook;
pub mod host_path;
pub mod hygiene;
pub mod instructions;
pub mod journal;
pub mod jsonc;
pub mod locate;
pub mod lone_surrogates;
pub mod look;
pub mod mcp;
pub mod memory;
pub mod merge_mark;
pub mod model;
mod near_text;
pub mod off_the_record;
pub mod operation;
pub mod other_agents;
pub mod outline;
pub mod permissions;
pub mod plan;
pub mod project;
pub mod prompt;
pub mod rel_path;
pub mod review;
pub mod secrets;
pub mod settings;
pub mod state_place;
pub mod team_key;
pub mod text_diff;
pub mod toml_table;
pub mod tool_path;
pub mod trust;
pub mod user;
pub mod verify;
pub mod wiring;
mod word_list;
pub mod workspace;
