//! memdir: durable memory for coding agents.

use std::process::ExitCode;

fn main() -> ExitCode {
    memdir::run(std::env::args_os().skip(1), memdir::World::of_this_process()).into()
}
