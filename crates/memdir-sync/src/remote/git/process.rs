//! The git program, started so that nothing but our own arguments tells it what to do.

use std::io::{Read, Write};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use camino::{Utf8Path, Utf8PathBuf};
use memdir_disk::git_query::INHERITED;
use memdir_disk::platform::ProcessTree;
use memdir_disk::sync_dir::remove_leftovers;

use crate::remote::RemoteError;

/// Longer than any honest answer takes.
const TIME_LIMIT: Duration = Duration::from_secs(600);

/// More than this is not read from git.
const MAX_OUTPUT_BYTES: u64 = 2 << 30;

/// Where git works, and as whom.
#[derive(Debug)]
pub(super) struct Git {
    directory: Utf8PathBuf,
    home: Option<Utf8PathBuf>,
    manner: Manner,
}

/// How long a call may take, and who ends with it.
#[derive(Debug, Clone, Copy)]
struct Manner {
    time_limit: Duration,
    /// A background process: git and all that it starts are a group of their own, which ends together. A group of its own
    /// cannot ask at the terminal, where a user who waits may have to enter the passphrase of their key.
    is_unattended: bool,
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
                || line.starts_with("fast-import: dumping crash report")
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
        let manner = Manner { time_limit: TIME_LIMIT, is_unattended: false };
        Self { directory, home, manner }
    }

    /// For a background process.
    pub(super) fn limit_to(&mut self, limit: Duration) {
        self.manner = Manner { time_limit: limit, is_unattended: true };
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
        Ok(finish(command, input, None, self.manner)?)
    }

    /// A call that talks to the other side about the repository here.
    pub(super) fn network(&self, arguments: &[&str]) -> Result<Finished, RemoteError> {
        self.run(arguments, None)
    }

    /// The same for one that brings objects here: it is stopped when they are more than this.
    pub(super) fn fetch(&self, arguments: &[&str], most_bytes: u64) -> Result<Finished, Unfinished> {
        let mut command = self.command();
        command.arg(format!("--git-dir={}", self.directory)).args(arguments);
        let packs = self.directory.join("objects/pack");
        // What a call that was killed leaves behind git would keep for weeks.
        remove_leftovers(&packs, RECEIVING);
        let fetched = finish(command, None, Some((&packs, most_bytes)), self.manner);
        if !fetched.as_ref().is_ok_and(Finished::is_success) {
            remove_leftovers(&packs, RECEIVING);
        }
        fetched
    }

    /// A call that needs no repository.
    pub(super) fn anywhere(&self, arguments: &[&str]) -> Result<Finished, RemoteError> {
        let mut command = self.command();
        command.args(arguments);
        Ok(finish(command, None, None, self.manner)?)
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

/// What the names of packs begin with that are not there to the last byte.
const RECEIVING: &str = "tmp_";

/// Why a call did not come to its end.
#[derive(Debug)]
pub(super) enum Unfinished {
    /// It brought more than was wanted.
    TooMuch,
    /// Anything else.
    Failed(RemoteError),
}

impl From<RemoteError> for Unfinished {
    fn from(error: RemoteError) -> Self {
        Self::Failed(error)
    }
}

impl From<Unfinished> for RemoteError {
    fn from(unfinished: Unfinished) -> Self {
        match unfinished {
            Unfinished::TooMuch => {
                Self::Malformed { message: "it is larger than any team's could be".to_owned() }
            }
            Unfinished::Failed(error) => error,
        }
    }
}

/// Waits for a call and gathers what it says; ends it when it takes too long, or lets a folder grow too much.
fn finish(
    mut command: Command,
    input: Option<Vec<u8>>,
    growing: Option<(&Utf8Path, u64)>,
    manner: Manner,
) -> Result<Finished, Unfinished> {
    if manner.is_unattended {
        ProcessTree::prepare(&mut command);
    }
    let stdin = if input.is_some() { Stdio::piped() } else { Stdio::null() };
    let spawned = command.stdin(stdin).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let mut child = spawned.map_err(|error| RemoteError::Here {
        message: match error.kind() {
            std::io::ErrorKind::NotFound => "the program `git` is not installed".to_owned(),
            _ => format!("cannot start `git`: {error}"),
        },
    })?;
    let tree = manner.is_unattended.then(|| ProcessTree::of(&child).ok()).flatten();
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
            Err(RecvTimeoutError::Timeout) if begin.elapsed() > manner.time_limit => {
                stop(child, tree);
                let message = "it did not answer in time".to_owned();
                return Err(RemoteError::Unreachable { message }.into());
            }
            Err(RecvTimeoutError::Timeout) => {
                if growing.is_some_and(|(folder, most_bytes)| size_of(folder) > most_bytes) {
                    stop(child, tree);
                    return Err(Unfinished::TooMuch);
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

/// Ends a call. What git started, ssh for one, may wait for the other side for ever.
fn stop(mut child: Child, tree: Option<ProcessTree>) {
    if let Some(tree) = tree {
        tree.kill();
    }
    let _ = child.kill();
    let _ = child.wait();
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
    let receiving = entries.filter_map(Result::ok).filter(|entry| entry.file_name().starts_with(RECEIVING));
    receiving.filter_map(|entry| entry.metadata().ok()).map(|metadata| metadata.len()).sum()
}
