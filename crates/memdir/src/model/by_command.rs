use std::io::ErrorKind;
use std::process::Command;
use std::time::Duration;

use memdir_core::env::{Env, MEMDIR_MODEL_CALL};
use memdir_core::hygiene::clean;
use memdir_core::model::answer::MAX_BYTES;
use memdir_core::secrets::redact;
use memdir_lib::model::TransportError;
use memdir_sync::http::bounded_process::{RunError, run};

use super::{free, made, timed_out, too_long};

/// Asks a program: the question on its standard input, the answer on its standard output.
pub(super) fn ask(
    arguments: &[String],
    input: &str,
    env: &Env,
    limit: Duration,
) -> Result<Vec<u8>, TransportError> {
    let Some((program, rest)) = arguments.split_first() else {
        return Err(free("the settings name no program"));
    };
    let mut command = Command::new(program);
    command.args(rest).env_clear().envs(&env.vars).env(MEMDIR_MODEL_CALL, "1");
    // An agent keeps a transcript for its working directory. This one belongs to no project, so that its
    // session is never taken for the user's.
    if let Some(directory) = env.state_dir().map(|state| state.join("model")).filter(|path| path.is_dir()) {
        command.current_dir(directory);
    }
    match run(command, input.to_owned(), limit, MAX_BYTES) {
        Ok(finished) if finished.status.success() => Ok(finished.output),
        Ok(finished) => {
            let complaint = redact(&clean(&finished.complaint)).0;
            let complaint: String = complaint
                .lines()
                .map(str::trim)
                .find(|line| !line.is_empty())
                .unwrap_or_default()
                .chars()
                .take(200)
                .collect();
            let separator = if complaint.is_empty() { "" } else { ": " };
            Err(made(format!("`{program}` ended with {}{separator}{complaint}", finished.status)))
        }
        Err(RunError::Start(error)) if error.kind() == ErrorKind::NotFound => {
            Err(free(format!("there is no program `{program}`")))
        }
        Err(RunError::Start(error)) => Err(free(format!("cannot start `{program}`: {error}"))),
        Err(RunError::TimedOut) => Err(timed_out(limit)),
        Err(RunError::TooLong) => Err(too_long()),
        Err(RunError::Read(error)) => Err(made(format!("cannot read what `{program}` says: {error}"))),
    }
}
