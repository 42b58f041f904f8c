//! Questions to a repository's history, answered by the `git` program.

use std::io::Read;
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use camino::Utf8Path;

/// Variables with which a surrounding git would send ours somewhere else.
pub const INHERITED: [&str; 11] = [
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_COMMON_DIR",
    "GIT_INDEX_FILE",
    "GIT_OBJECT_DIRECTORY",
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_NAMESPACE",
    "GIT_CONFIG_PARAMETERS",
    "GIT_CONFIG_COUNT",
    "GIT_QUARANTINE_PATH",
    "GIT_PREFIX",
];

/// What git prints for a command that only reads, from the repository that keeps its data in `common_dir`; `None` if it
/// fails, prints more than `most_bytes` or takes longer than `limit`.
///
/// The repository's own configuration is content that anybody may have written: nothing it names is run, nothing
/// is fetched, nothing is written.
#[must_use]
pub fn ask_git(
    common_dir: &Utf8Path,
    arguments: &[&str],
    most_bytes: u64,
    limit: Duration,
) -> Option<String> {
    let mut command = Command::new("git");
    command
        .arg("--no-pager")
        .arg("--no-replace-objects")
        .args(["-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "-c", "protocol.allow=never"])
        .arg(format!("--git-dir={common_dir}"))
        .args(arguments)
        .current_dir("/")
        .env("GIT_OPTIONAL_LOCKS", "0")
        .env("GIT_NO_LAZY_FETCH", "1")
        .env("GIT_TERMINAL_PROMPT", "0")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    for name in INHERITED {
        command.env_remove(name);
    }
    let mut child = command.spawn().ok()?;
    let stdout = child.stdout.take()?;
    // A full pipe would make git wait for us while we wait for it.
    let reader = thread::spawn(move || {
        let mut output = Vec::new();
        stdout.take(most_bytes + 1).read_to_end(&mut output).map(|_| output)
    });
    let mut waited = Duration::ZERO;
    let mut pause = Duration::from_millis(1);
    let status = loop {
        match child.try_wait() {
            Ok(Some(status)) => break status,
            Ok(None) if waited < limit => {
                thread::sleep(pause);
                waited += pause;
                pause = (pause * 2).min(Duration::from_millis(50));
            }
            _ => {
                let _ = child.kill();
                let _ = child.wait();
                return None;
            }
        }
    };
    let output = reader.join().ok()?.ok()?;
    let is_whole = status.success() && output.len() as u64 <= most_bytes;
    is_whole.then(|| String::from_utf8_lossy(&output).into_owned())
}
