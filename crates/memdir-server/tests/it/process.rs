//! The real program, as an operator starts it.

use std::fs;
use std::io::{BufRead, BufReader};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStderr, Command, Stdio};
use std::thread;
use std::time::Duration;

use serde_json::Value;

pub(crate) struct Process {
    child: Child,
    /// Where it listens.
    pub(crate) place: String,
}

impl Process {
    /// Starts a server on a database, and waits until it listens.
    pub(crate) fn serve(db: &str, more: &[&str]) -> Self {
        let child = command()
            .args([
                "serve",
                "--db",
                db,
                "--listen",
                "127.0.0.1:0",
                "--quiet",
                "--token-rate=0",
                "--publish-rate=0",
                "--address-rate=0",
            ])
            .args(more)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        Self::listening(child)
    }

    /// Starts a server whose log goes into a pipe without a reader.
    pub(crate) fn serve_unread(db: &str) -> (Self, ChildStderr) {
        let mut child = command()
            .args(["serve", "--db", db, "--listen", "127.0.0.1:0", "--address-rate=0"])
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let unread = child.stderr.take().unwrap();
        (Self::listening(child), unread)
    }

    fn listening(mut child: Child) -> Self {
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let place = line.strip_prefix("listening on ").and_then(|rest| rest.split_once(", "));
        assert!(place.is_some(), "not listening: {line}");
        let place = place.unwrap().0;
        Self { child, place: place.split_once("://").unwrap().1.to_owned() }
    }

    /// Starts a server with a team on a disk of its own, in a private folder, with something in the way that
    /// can be taken away. Gives back the team's first token, too.
    pub(crate) fn serve_on_a_disk(folder: &Path, kilobytes: u32) -> (Self, String) {
        let token = folder.with_extension("token");
        let script = "mount -t tmpfs -o size=$1k tmpfs \"$2\" && head -c 300000 /dev/zero >\"$2/filler\" && \
                      \"$3\" init crew --json --db \"sqlite:$2/team.db\" >\"$4\" && exec \"$3\" serve --db \"sqlite:$2/team.db\" \
                      --listen 127.0.0.1:0 --quiet --token-rate=0 --publish-rate=0 \
                      --address-rate=0";
        let mut command = Command::new("unshare");
        command.arg(if rustix::process::geteuid().is_root() { "-m" } else { "-rm" });
        command.args(["sh", "-ec", script, "sh", &kilobytes.to_string()]);
        command.arg(folder).arg(env!("CARGO_BIN_EXE_memdir-server")).arg(&token);
        let server = Self::listening(command.stdout(Stdio::piped()).spawn().unwrap());
        let made: Value = serde_json::from_slice(&fs::read(token).unwrap()).unwrap();
        (server, made["token"].as_str().unwrap().to_owned())
    }

    /// A file as the server sees it.
    pub(crate) fn sees(&self, path: &Path) -> PathBuf {
        Path::new(&format!("/proc/{}/root", self.child.id())).join(path.strip_prefix("/").unwrap())
    }

    pub(crate) fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Asks it to stop, and gives back whether it did so in order.
    pub(crate) fn stop(mut self) -> bool {
        self.terminate();
        self.child.wait().unwrap().success()
    }

    /// Asks it to stop, and asks again once it listens no more.
    pub(crate) fn stop_at_once(mut self) -> bool {
        self.terminate();
        while TcpStream::connect(&self.place).is_ok() {
            thread::sleep(Duration::from_millis(10));
        }
        self.terminate();
        self.child.wait().unwrap().success()
    }

    fn terminate(&self) {
        let pid = rustix::process::Pid::from_child(&self.child);
        rustix::process::kill_process(pid, rustix::process::Signal::TERM).unwrap();
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

/// The program with nothing of this machine's settings.
pub(crate) fn command() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_memdir-server"));
    command.env_clear();
    command
}

/// Runs a command of the operator's; gives back what it printed.
pub(crate) fn operator(arguments: &[&str]) -> String {
    let output = command().args(arguments).output().unwrap();
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// Makes a team; gives back its first token.
pub(crate) fn team(db: &str, name: &str) -> String {
    let made: Value = serde_json::from_str(&operator(&["init", name, "--json", "--db", db])).unwrap();
    made["token"].as_str().unwrap().to_owned()
}
