use std::process::Command;

use camino::{Utf8Path, Utf8PathBuf};

use crate::TestHome;

/// A home in which the real program is measured.
pub struct Bench {
    /// The home.
    pub home: TestHome,
    /// The program.
    pub program: Utf8PathBuf,
}

impl Bench {
    /// A fresh home for one measurement.
    #[must_use]
    pub fn new(program: &Utf8Path) -> Self {
        Self { home: TestHome::new(), program: program.to_owned() }
    }

    /// Where the program keeps the memories of the project folder.
    #[must_use]
    pub fn memory_dir(&self) -> Utf8PathBuf {
        let slug = memdir_core::project::encode_path::encode(self.home.project().as_str());
        self.home.home().join(".claude/projects").join(slug).join("memory")
    }

    /// Puts a file among these memories and gives back its path.
    pub fn write_memory(&self, name: &str, content: &str) -> Utf8PathBuf {
        self.home.write(self.memory_dir().join(name), content)
    }

    /// A command of the program in the project folder, with nothing else in its environment.
    #[must_use]
    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(self.program.as_std_path());
        command.args(arguments).current_dir(self.home.project());
        command.env_clear().env("HOME", self.home.home()).env("PATH", "/usr/bin:/bin");
        command
    }
}

/// The cheapest process that the machine knows.
pub(crate) fn true_command() -> Command {
    let mut command = Command::new("/bin/true");
    command.env_clear();
    command
}
