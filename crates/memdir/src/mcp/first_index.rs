//! Having an index built by a process of its own.
//!
//! A server lives for days. What it once needed to read ten thousand files it would keep, because the allocator gives
//! back only what lies at the end of its memory; a process that ends gives back everything.

use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use camino::Utf8Path;

/// Builds the index of the project, in a process that is waited for, though no longer than `patience`.
///
/// That it fails costs nothing but memory: the next search indexes what is missing.
pub(super) fn build(program: &Utf8Path, project: &Utf8Path, patience: Duration) {
    let mut command = Command::new(program);
    command.args(["search", "--jsonl", "--cwd", project.as_str()]);
    let silent = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let Ok(mut child) = silent.spawn() else { return };
    let begun = Instant::now();
    while begun.elapsed() < patience {
        if !matches!(child.try_wait(), Ok(None)) {
            return;
        }
        thread::sleep(Duration::from_millis(2));
    }
    let _ = child.kill();
    let _ = child.wait();
}
