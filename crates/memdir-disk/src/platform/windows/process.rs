//! Processes on Windows.

use std::io;
use std::os::windows::io::AsHandle;
use std::os::windows::process::CommandExt;
use std::process::{Child, Command};

use memdir_os::Job;

const CREATE_NEW_PROCESS_GROUP: u32 = 0x0000_0200;
const CREATE_NO_WINDOW: u32 = 0x0800_0000;

/// When a process that runs started, in 100 ns since 1601.
pub(crate) fn start_time(process: u32) -> Option<u64> {
    memdir_os::process_start(process)
}

/// Seconds since 1970 of a time that [`start_time`] returned.
pub(crate) fn started_at(time: u64) -> Option<i64> {
    const UNIX_EPOCH: i64 = 11_644_473_600;
    Some(i64::try_from(time / 10_000_000).ok()? - UNIX_EPOCH)
}

/// All processes of the machine are in one world.
pub(crate) fn process_namespace() -> u64 {
    0
}

/// Whether a process of that number runs.
pub(crate) fn has_process(process: u32) -> bool {
    memdir_os::process_start(process).is_some()
}

/// Ends this process at once.
pub(crate) fn end_now() {
    std::process::abort();
}

/// Bounds the memory of this process and of those that it starts.
pub(crate) fn bound_memory(bytes: u64) {
    if let Ok(job) = Job::new()
        && job.bound_memory(bytes).is_ok()
    {
        let _ = job.add_own();
    }
}

/// Lets all other processes go first from now on.
pub(crate) fn lower_priority() {
    memdir_os::lower_priority();
}

/// Lets a command run on when the process that starts it, or its console, ends. It gets a hidden console, so
/// that the programs which it starts open no window either.
pub fn detach(command: &mut Command) -> &mut Command {
    memdir_os::keep_standard_handles();
    command.creation_flags(CREATE_NO_WINDOW | CREATE_NEW_PROCESS_GROUP)
}

/// A command line of the user's, run by the shell; the argument is added as one word.
pub fn shell_command(line: &str, argument: Option<&str>) -> Command {
    let mut command = Command::new("cmd");
    let argument = argument.map(|argument| format!(" \"{argument}\"")).unwrap_or_default();
    // `cmd` takes off the outer quotes only; a path holds none.
    command.raw_arg(format!("/D /S /C \"{line}{argument}\""));
    command
}

/// Runs another program in the place of this one; returns only if that fails.
#[allow(clippy::exit, reason = "a process cannot become another program here: it ends as that one did")]
pub fn become_program(command: &mut Command) -> io::Error {
    match command.status() {
        Ok(status) => std::process::exit(status.code().unwrap_or(1)),
        Err(error) => error,
    }
}

/// Columns and rows of the terminal that standard output is, if it is one.
#[must_use]
pub fn terminal_size() -> Option<(usize, usize)> {
    memdir_os::console_size()
}

/// The bytes of an argument; what is not Unicode gives bytes that are not UTF-8.
#[must_use]
pub fn argument_bytes(argument: &std::ffi::OsStr) -> Vec<u8> {
    argument.as_encoded_bytes().to_vec()
}

/// A child process together with all processes that it starts.
#[derive(Debug)]
pub struct ProcessTree {
    job: Job,
}

impl ProcessTree {
    /// Prepares a command so that the processes it starts can be ended with it.
    pub fn prepare(command: &mut Command) -> &mut Command {
        command
    }

    /// The tree of a child that was just started from a prepared command. What it started before this call is not in it.
    ///
    /// # Errors
    /// What the system says.
    pub fn of(child: &Child) -> io::Result<Self> {
        let job = Job::new()?;
        match job.add(child.as_handle()) {
            // It has ended already.
            Err(error) if error != memdir_os::Errno::ACCESS => Err(error.into()),
            _ => Ok(Self { job }),
        }
    }

    /// Whether the child has ended.
    #[must_use]
    pub fn has_ended(&self, child: &mut Child) -> bool {
        !matches!(child.try_wait(), Ok(None))
    }

    /// Ends all processes of the tree.
    pub fn kill(&self) {
        self.job.kill();
    }
}
