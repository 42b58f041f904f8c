//! memdir-server: the memory of teams, over HTTP.

#![expect(clippy::disallowed_methods, reason = "this is where the environment and the clock come in")]

use std::process::ExitCode;

fn main() -> ExitCode {
    let world = memdir_server::command::World {
        // What is not UTF-8 is none of ours.
        vars: std::env::vars_os()
            .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
            .collect(),
        clock: jiff::Timestamp::now,
        stdout: Box::new(std::io::stdout()),
        stderr: Box::new(std::io::stderr()),
    };
    memdir_server::command::run(std::env::args_os(), world)
}
