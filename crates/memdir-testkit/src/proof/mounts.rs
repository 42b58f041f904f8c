use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

use camino::{Utf8Path, Utf8PathBuf};

/// A world of mounts that only those who enter it see; gone when dropped.
pub(super) struct Mounts {
    holder: Child,
    is_root: bool,
}

impl Mounts {
    /// Makes one; without root's rights in a world of users of its own.
    pub(super) fn new() -> Self {
        let is_root = rustix::process::geteuid().is_root();
        let mut command = Command::new("unshare");
        command.arg(if is_root { "-m" } else { "-rm" }).args(["sh", "-c", "echo ready; exec cat"]);
        let mut holder = match command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn() {
            Ok(holder) => holder,
            Err(error) => panic!("cannot start unshare: {error}; it is in the package util-linux"),
        };
        let mut line = String::new();
        BufReader::new(holder.stdout.take().unwrap()).read_line(&mut line).unwrap();
        assert_eq!(line, "ready\n", "unshare may make no mounts here");
        Self { holder, is_root }
    }

    /// The words in front of a command that shall run inside, in a directory.
    pub(super) fn entry(&self, directory: &Utf8Path) -> Vec<String> {
        let process = self.holder.id().to_string();
        let user: &[&str] = if self.is_root { &[] } else { &["-U", "--preserve-credentials"] };
        let enter = ["nsenter", "-t", &process, "-m"];
        let change_directory = ["sh", "-c", "cd \"$0\" && exec \"$@\"", directory.as_str()];
        enter.iter().chain(user).chain(&change_directory).map(|&word| word.to_owned()).collect()
    }

    /// Runs a line of shell inside that has to succeed.
    pub(super) fn run(&self, line: &str) {
        let entry = self.entry(Utf8Path::new("/"));
        let output = Command::new(&entry[0]).args(&entry[1..]).args(["sh", "-ec", line]).output().unwrap();
        assert!(output.status.success(), "{line}: {}", String::from_utf8_lossy(&output.stderr));
    }

    /// A path inside, as the outside reaches it.
    pub(super) fn seen(&self, path: &Utf8Path) -> Utf8PathBuf {
        Utf8PathBuf::from(format!("/proc/{}/root{path}", self.holder.id()))
    }
}

impl Drop for Mounts {
    fn drop(&mut self) {
        let _ = self.holder.kill();
        let _ = self.holder.wait();
    }
}
