//! A memory directory and the program that writes it.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use camino::Utf8PathBuf;

pub(crate) struct Place {
    _temp: tempfile::TempDir,
    pub(crate) memory: Utf8PathBuf,
    state: Utf8PathBuf,
}

impl Place {
    /// In memory where there is such a place: what is tested here does not depend on the disk.
    pub(crate) fn new() -> Self {
        let shared_memory = Path::new("/dev/shm");
        let temp =
            if shared_memory.is_dir() { tempfile::tempdir_in(shared_memory) } else { tempfile::tempdir() };
        let temp = temp.unwrap();
        let path = Utf8PathBuf::from_path_buf(temp.path().to_owned()).unwrap();
        Self { _temp: temp, memory: path.join("memory"), state: path.join("state") }
    }

    pub(crate) fn start(&self, action: &str, worker: &str, first: u32, count: u32) -> Child {
        Command::new(env!("CARGO_BIN_EXE_write_memory"))
            .args([self.memory.as_str(), self.state.as_str(), action, worker])
            .args([first.to_string(), count.to_string()])
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap()
    }

    /// Runs to the end; what it printed, and its complaints.
    pub(crate) fn run(&self, action: &str, worker: &str, first: u32, count: u32) -> (bool, String, String) {
        finish(self.start(action, worker, first, count))
    }

    /// Every file with its content.
    pub(crate) fn files(&self) -> BTreeMap<String, String> {
        fs::read_dir(&self.memory)
            .unwrap()
            .map(|entry| entry.unwrap())
            .map(|entry| {
                (entry.file_name().into_string().unwrap(), fs::read_to_string(entry.path()).unwrap())
            })
            .collect()
    }
}

pub(crate) fn finish(child: Child) -> (bool, String, String) {
    let output = child.wait_with_output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.success(), text(output.stdout), text(output.stderr))
}

/// What the program writes as a topic.
pub(crate) fn topic(worker: &str, number: u32) -> String {
    format!("topic {worker} {number}\n{}", "text ".repeat(200))
}
