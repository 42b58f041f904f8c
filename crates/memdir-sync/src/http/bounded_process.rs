//! A program that is given a text and answers with one, and that cannot take forever, flood us, or leave anybody behind.

use std::io::{self, Read, Write};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use memdir_disk::platform::ProcessTree;

/// A program that came to its end.
#[derive(Debug)]
pub struct Finished {
    /// What it said.
    pub output: Vec<u8>,
    /// How it ended.
    pub status: ExitStatus,
    /// The beginning of what it complained about.
    pub complaint: String,
}

/// Why a program's answer is not there.
#[derive(Debug)]
pub enum RunError {
    /// It cannot be started.
    Start(io::Error),
    /// It did not end in time.
    TimedOut,
    /// It said more than anybody wants to hear.
    TooLong,
    /// What it said cannot be read.
    Read(io::Error),
}

/// How often the program is looked after while it says nothing.
const LOOK: Duration = Duration::from_millis(20);
/// Once it has ended, what it said arrives within this time, or its output is held by a process that is not its child.
const GRACE: Duration = Duration::from_secs(1);
const COMPLAINT_BYTES: usize = 2_000;

/// Runs a program in a process group of its own, which is killed to the last at the end, however that comes.
///
/// # Errors
/// See [`RunError`].
pub fn run(
    mut command: Command,
    input: String,
    limit: Duration,
    most_bytes: usize,
) -> Result<Finished, RunError> {
    let deadline = Instant::now() + limit;
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let child = ProcessTree::prepare(&mut command).spawn().map_err(RunError::Start)?;
    let tree = ProcessTree::of(&child).map_err(RunError::Start)?;
    let mut child = Group(child, tree);
    if let Some(mut stdin) = child.0.stdin.take() {
        // A program that reads nothing must not keep us; the pipe breaks when it is killed.
        thread::spawn(move || drop(stdin.write_all(input.as_bytes())));
    }
    let output = in_background(child.0.stdout.take(), move |stream| read_at_most(stream, most_bytes + 1));
    let complaint = in_background(child.0.stderr.take(), |stream| {
        let start = read_at_most(&mut *stream, COMPLAINT_BYTES);
        io::copy(stream, &mut io::sink())?;
        start
    });
    let mut ended: Option<Instant> = None;
    let output = loop {
        let now = Instant::now();
        match output.recv_timeout(LOOK) {
            Ok(read) => break read.map_err(RunError::Read)?,
            Err(RecvTimeoutError::Disconnected) => break Vec::new(),
            Err(RecvTimeoutError::Timeout) if now >= deadline => return Err(RunError::TimedOut),
            Err(RecvTimeoutError::Timeout) => {}
        }
        if let Some(at) = ended {
            if now.duration_since(at) > GRACE {
                return Err(RunError::TimedOut);
            }
        } else if child.has_ended() {
            // Children that it left may hold its output open.
            child.kill();
            ended = Some(now);
        }
    };
    if output.len() > most_bytes {
        return Err(RunError::TooLong);
    }
    while ended.is_none() && !child.has_ended() {
        if Instant::now() >= deadline {
            return Err(RunError::TimedOut);
        }
        thread::sleep(LOOK);
    }
    let complaint = complaint.recv_timeout(LOOK).ok().and_then(Result::ok).unwrap_or_default();
    child.kill();
    let status = child.0.wait().map_err(RunError::Read)?;
    Ok(Finished { output, status, complaint: String::from_utf8_lossy(&complaint).into_owned() })
}

/// Reads a stream in a thread of its own.
fn in_background<S: Read + Send + 'static>(
    stream: Option<S>,
    read: impl FnOnce(&mut S) -> io::Result<Vec<u8>> + Send + 'static,
) -> mpsc::Receiver<io::Result<Vec<u8>>> {
    let (sender, receiver) = mpsc::channel();
    if let Some(mut stream) = stream {
        thread::spawn(move || drop(sender.send(read(&mut stream))));
    }
    receiver
}

fn read_at_most(stream: &mut impl Read, most: usize) -> io::Result<Vec<u8>> {
    let mut read = Vec::new();
    stream.take(most as u64).read_to_end(&mut read)?;
    Ok(read)
}

/// A child and all its children, who end with it.
struct Group(Child, ProcessTree);

impl Group {
    fn has_ended(&mut self) -> bool {
        self.1.has_ended(&mut self.0)
    }

    fn kill(&self) {
        self.1.kill();
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        // After a regular end the child is buried, and its number may be another's.
        if matches!(self.0.try_wait(), Ok(None)) {
            self.kill();
            let _ = self.0.wait();
        }
    }
}
