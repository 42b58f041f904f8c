//! The memdir binary as a library, so that every command can be called in process.
//!
//! This crate is the composition root: it alone prints, reads the environment and the clock. A command takes its
//! parsed arguments and a [`World`], asks the libraries, and writes what happened.

mod archive;
mod arguments;
mod commands;
mod draft;
mod exit;
mod hook;
mod job;
mod json_lines;
mod mcp;
mod model;
mod output;
mod pager;
mod plugin;
mod progress;
mod query_warnings;
mod report;
mod world;

use std::ffi::OsString;

pub use draft::Draft;
pub use exit::Exit;
pub use hook::hook_events;
pub use job::Job;
pub use output::Paint;
pub use world::{Terminal, World};

/// Runs one command line, given without the program's name.
///
/// Hooks are told apart before any argument parser exists, and of the parsers only the chosen command's is
/// built: a tree of all of them would cost more than the work of a hook.
pub fn run(arguments: impl IntoIterator<Item = OsString>, mut world: World) -> Exit {
    let arguments: Vec<OsString> = arguments.into_iter().collect();
    if let Some(families) = world.vars.get(memdir_core::ablation::VARIABLE) {
        memdir_core::ablation::switch_off(families);
    }
    if let Some((first, rest)) = arguments.split_first()
        && first == "hook"
    {
        return hook::run(rest, &mut world);
    }
    let exit = match commands::dispatch(arguments, &mut world) {
        Ok(exit) => match world.flush() {
            Ok(()) => exit,
            Err(error) => report::report(&error.into(), &mut world),
        },
        Err(error) => report::report(&error, &mut world),
    };
    if exit == Exit::Failed {
        report::keep_drafts(&mut world);
    }
    exit
}
