//! memdir: durable memory for coding agents.

use std::process::ExitCode;

fn main() -> ExitCode {
    // Under `memdir hook` a defect of ours is not a reason for the agent to stop.
    if std::env::args_os().nth(1).is_some_and(|command| command == "hook") {
        std::panic::set_hook(Box::new(|_| std::process::exit(0)));
    }
    memdir::run(std::env::args_os().skip(1), memdir::World::of_this_process()).into()
}
