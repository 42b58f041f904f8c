//! The git program, started so that nothing but our own arguments tells it what to do.

use std::io::{Read, Write};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use camino::{Utf8Path, Utf8PathBuf};
use memdir_disk::identity_probe::INHERITED;

use crate::remote::RemoteError;

/// Longer than any honest answer takes.
const TIME_LIMIT: Duration = Duration::from_secs(600);

/// More than this in one fetch is no memory of a team.
const MAX_FETCHED_BYTES: u64 = 1 << 30;

/// More than this is not read from git.
const MAX_OUTPUT_BYTES: u64 = 2 << 30;

/// Where git works, and as whom.
#[derive(Debug)]
pub(super) struct Git {
    directory: Utf8PathBuf,
    home: Option<Utf8PathBuf>,
    time_limit: Duration,
}

/// What became of a call.
#[derive(Debug)]
pub(super) struct Finished {
    status: ExitStatus,
    pub(super) output: Vec<u8>,
    errors: String,
}

impl Finished {
    pub(super) fn is_success(&self) -> bool {
        self.status.success()
    }

    /// What git and the other side said, without the noise.
    pub(super) fn said(&self) -> String {
        let noise = |line: &str| {
            line.is_empty()
                || line.starts_with("hint:")
                || line.starts_with("error: failed to push some refs")
                || line.starts_with("Please make sure you have the correct access rights")
                || line.starts_with("and the repository exists")
        };
        let lines: Vec<&str> =
            self.errors.lines().map(str::trim).filter(|line| !noise(line)).take(8).collect();
        if lines.is_empty() { format!("git ended with {}", self.status) } else { lines.join("; ") }
    }
}

impl Git {
    pub(super) fn new(directory: Utf8PathBuf, home: Option<Utf8PathBuf>) -> Self {
        Self { directory, home, time_limit: TIME_LIMIT }
    }

    pub(super) fn limit_to(&mut self, limit: Duration) {
        self.time_limit = limit;
    }

    pub(super) fn is_initialised(&self) -> bool {
        self.directory.join("HEAD").is_file() && self.directory.join("objects").is_dir()
    }

    /// Makes the repository here if there is none. Half of one is completed.
    pub(super) fn initialise(&self) -> Result<(), RemoteError> {
        if self.is_initialised() {
            return Ok(());
        }
        let arguments = ["init", "--quiet", "--bare", "--template=", "--", self.directory.as_str()];
        let made = self.anywhere(&arguments)?;
        if made.is_success() { Ok(()) } else { Err(RemoteError::Here { message: made.said() }) }
    }

    /// A call about the repository here, without the network.
    pub(super) fn run(&self, arguments: &[&str], input: Option<Vec<u8>>) -> Result<Finished, RemoteError> {
        let mut command = self.command();
        command.arg(format!("--git-dir={}", self.directory)).args(arguments);
        finish(command, input, None, self.time_limit)
    }

    /// A call that talks to the other side about the repository here.
    pub(super) fn network(&self, arguments: &[&str]) -> Result<Finished, RemoteError> {
        self.run(arguments, None)
    }

    /// The same for one that brings objects here: it is stopped if there is no end to them.
    pub(super) fn fetch(&self, arguments: &[&str]) -> Result<Finished, RemoteError> {
        let mut command = self.command();
        command.arg(format!("--git-dir={}", self.directory)).args(arguments);
        finish(command, None, Some(&self.directory.join("objects/pack")), self.time_limit)
    }

    /// A call that needs no repository.
    pub(super) fn anywhere(&self, arguments: &[&str]) -> Result<Finished, RemoteError> {
        let mut command = self.command();
        command.args(arguments);
        finish(command, None, None, self.time_limit)
    }

    fn command(&self) -> Command {
        let mut command = Command::new("git");
        command.arg("--no-pager").arg("--no-replace-objects");
        for setting in SETTINGS {
            command.args(["-c", setting]);
        }
        command
            .current_dir("/")
            .env("LC_ALL", "C")
            .env("GIT_ALLOW_PROTOCOL", "file:git:http:https:ssh")
            .env("GIT_NO_LAZY_FETCH", "1")
            .env("GIT_TERMINAL_PROMPT", "0")
            .env("GIT_ADVICE", "0");
        if let Some(home) = &self.home {
            command.env("HOME", home);
        }
        for name in INHERITED {
            command.env_remove(name);
        }
        command
    }
}

/// The user's own settings say how to log in somewhere; these say what must not happen whatever they are.
const SETTINGS: [&str; 10] = [
    "core.hooksPath=/dev/null",
    "core.fsmonitor=false",
    // Larger than any entry: git then streams what a hostile repository holds instead of having it in memory.
    "core.bigFileThreshold=1m",
    "core.compression=1",
    "gc.auto=0",
    "maintenance.auto=false",
    "fetch.recurseSubmodules=false",
    "push.followTags=false",
    "push.recurseSubmodules=no",
    "log.showSignature=false",
];

/// Waits for a call and gathers what it says; ends it when it takes too long or too much.
fn finish(
    mut command: Command,
    input: Option<Vec<u8>>,
    growing: Option<&Utf8Path>,
    time_limit: Duration,
) -> Result<Finished, RemoteError> {
    let stdin = if input.is_some() { Stdio::piped() } else { Stdio::null() };
    let spawned = command.stdin(stdin).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let mut child = spawned.map_err(|error| RemoteError::Here {
        message: match error.kind() {
            std::io::ErrorKind::NotFound => "the program `git` is not installed".to_owned(),
            _ => format!("cannot start `git`: {error}"),
        },
    })?;
    let (done, finished) = mpsc::channel();
    let (output, errors) = (child.stdout.take(), child.stderr.take());
    if let (Some(mut stdin), Some(input)) = (child.stdin.take(), input) {
        // A program that ends early says why on its other stream.
        thread::spawn(move || stdin.write_all(&input));
    }
    let said = done.clone();
    thread::spawn(move || done.send((false, gather(output))));
    thread::spawn(move || said.send((true, gather(errors))));
    let begin = Instant::now();
    let (mut output, mut errors) = (None, None);
    while output.is_none() || errors.is_none() {
        match finished.recv_timeout(Duration::from_millis(250)) {
            Ok((true, text)) => errors = Some(text),
            Ok((false, text)) => output = Some(text),
            Err(RecvTimeoutError::Disconnected) => break,
            Err(RecvTimeoutError::Timeout) if begin.elapsed() > time_limit => {
                return stop(child, "it did not answer in time");
            }
            Err(RecvTimeoutError::Timeout) => {
                if growing.is_some_and(|folder| size_of(folder) > MAX_FETCHED_BYTES) {
                    return stop(child, "it sends more than a gigabyte");
                }
            }
        }
    }
    let status = child
        .wait()
        .map_err(|error| RemoteError::Here { message: format!("cannot wait for `git`: {error}") })?;
    let errors = String::from_utf8_lossy(&errors.unwrap_or_default()).into_owned();
    Ok(Finished { status, output: output.unwrap_or_default(), errors })
}

fn stop(mut child: Child, why: &str) -> Result<Finished, RemoteError> {
    let _ = child.kill();
    let _ = child.wait();
    Err(RemoteError::Unreachable { message: why.to_owned() })
}

fn gather(stream: Option<impl Read>) -> Vec<u8> {
    let mut bytes = Vec::new();
    if let Some(stream) = stream {
        let _ = stream.take(MAX_OUTPUT_BYTES).read_to_end(&mut bytes);
    }
    bytes
}

/// The bytes of the packs that are being received.
fn size_of(folder: &Utf8Path) -> u64 {
    let Ok(entries) = folder.read_dir_utf8() else { return 0 };
    let receiving = entries.filter_map(Result::ok).filter(|entry| entry.file_name().starts_with("tmp_"));
    receiving.filter_map(|entry| entry.metadata().ok()).map(|metadata| metadata.len()).sum()
}
