//! What the disk crate does on real files and real repositories.

#![expect(clippy::unwrap_used, reason = "tests build their own directories")]

mod apply;
mod git_roots;
mod hostile_paths;
mod instructions;
mod list_files;
mod real_git;
