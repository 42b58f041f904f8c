use std::fmt;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// One line of a table: what was measured, the result, and what it may be.
#[derive(Debug, Clone)]
pub struct Row {
    /// What was measured.
    pub what: String,
    /// What came out.
    pub measured: String,
    /// What it may be at most, in the same unit.
    pub limit: String,
}

/// Rows that print as a Markdown table.
#[derive(Debug, Clone, Default)]
pub struct Table {
    /// What the table is about.
    pub title: String,
    /// Its rows.
    pub rows: Vec<Row>,
}

impl Table {
    /// An empty table.
    #[must_use]
    pub fn new(title: &str) -> Self {
        Self { title: title.to_owned(), rows: Vec::new() }
    }

    /// Adds a line.
    pub fn row(&mut self, what: &str, measured: String, limit: impl Into<String>) {
        self.rows.push(Row { what: what.to_owned(), measured, limit: limit.into() });
    }
}

impl fmt::Display for Table {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(formatter, "### {}\n\n| what | measured | at most |\n|---|---|---|", self.title)?;
        for row in &self.rows {
            writeln!(formatter, "| {} | {} | {} |", row.what, row.measured, row.limit)?;
        }
        Ok(())
    }
}

/// Medians of the wall time of two commands, run in turns.
pub(crate) fn compare(
    runs: usize,
    mut subject: impl FnMut() -> Command,
    mut reference: impl FnMut() -> Command,
) -> (Duration, Duration) {
    let (mut of_subject, mut of_reference) = (Vec::new(), Vec::new());
    for _ in 0..runs {
        of_reference.push(wall(&mut reference(), &Stdio::null));
        of_subject.push(wall(&mut subject(), &Stdio::null));
    }
    (median(of_subject), median(of_reference))
}

/// The shortest wall times of two commands that are fed something, run in turns: others use the machine too, and only
/// ever add to it.
pub(crate) fn shortest_fed(
    runs: usize,
    input: impl Fn() -> Stdio,
    mut subject: impl FnMut() -> Command,
    mut reference: impl FnMut() -> Command,
) -> (Duration, Duration) {
    let mut shortest = (Duration::MAX, Duration::MAX);
    for _ in 0..runs {
        shortest.1 = shortest.1.min(wall(&mut reference(), &input));
        shortest.0 = shortest.0.min(wall(&mut subject(), &input));
    }
    shortest
}

pub(crate) fn wall(command: &mut Command, input: &impl Fn() -> Stdio) -> Duration {
    command.stdin(input()).stdout(Stdio::null()).stderr(Stdio::null());
    let start = Instant::now();
    let status = command.status().unwrap();
    let elapsed = start.elapsed();
    assert!(status.success(), "{command:?} failed: its time means nothing");
    elapsed
}

pub(crate) fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[times.len() / 2]
}

/// `subject / reference` with the two times behind it.
pub(crate) fn ratio((subject, reference): (Duration, Duration)) -> String {
    let millis = |time: Duration| time.as_secs_f64() * 1e3;
    let ratio = subject.as_secs_f64() / reference.as_secs_f64();
    format!("{ratio:.2} times ({:.2} ms : {:.2} ms)", millis(subject), millis(reference))
}

/// How many system calls of some classes a command makes, counted by strace.
pub(crate) fn system_calls(classes: &str, program: &str, command: &Command) -> usize {
    let log = tempfile::NamedTempFile::new().unwrap();
    let mut traced = Command::new("strace");
    traced.args(["-f", "-e", &format!("trace={classes}"), "-o"]).arg(log.path()).arg(program);
    traced.args(command.get_args());
    for (name, value) in command.get_envs() {
        if let Some(value) = value {
            traced.env(name, value);
        }
    }
    if let Some(directory) = command.get_current_dir() {
        traced.current_dir(directory);
    }
    traced.stdout(Stdio::null()).stderr(Stdio::null()).status().unwrap();
    let text = std::fs::read_to_string(log.path()).unwrap();
    text.lines().filter(|line| line.contains('(') && !line.contains("execve(")).count()
}

/// CPU milliseconds of a command, the least of some runs: others use the machine too, and only ever add to it.
pub(crate) fn cpu_of(runs: usize, command: impl FnMut(usize) -> Command) -> f64 {
    cpu_of_fed(runs, Stdio::null, command)
}

/// The same for a command that is fed something.
pub(crate) fn cpu_of_fed(
    runs: usize,
    input: impl Fn() -> Stdio,
    mut command: impl FnMut(usize) -> Command,
) -> f64 {
    let mut least = f64::INFINITY;
    for run in 0..runs {
        let mut command = command(run);
        command.stdin(input()).stdout(Stdio::null()).stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        let id = rustix::process::Pid::from_child(&child);
        // The kernel's exact count can be read until the child's status is taken.
        let ended = rustix::process::WaitIdOptions::EXITED | rustix::process::WaitIdOptions::NOWAIT;
        rustix::process::waitid(rustix::process::WaitId::Pid(id), ended).unwrap();
        least = least.min(cpu(&format!("/proc/{}/schedstat", child.id())));
        assert!(child.wait().unwrap().success(), "{command:?} failed: its time means nothing");
    }
    least
}

/// CPU milliseconds by the kernel's exact count.
pub(crate) fn cpu(path: &str) -> f64 {
    let text = std::fs::read_to_string(path).unwrap();
    text.split(' ').next().unwrap().parse::<f64>().unwrap() / 1e6
}
