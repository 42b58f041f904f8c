use std::process::Command;

use camino::Utf8Path;

/// Runs the real git, shielded from whatever the machine's user has configured.
pub struct Git;

impl Git {
    /// Runs a git command in a directory and gives back its output.
    ///
    /// # Panics
    /// When git fails: a test's world must be as it says.
    pub fn run(directory: &Utf8Path, arguments: &[&str]) -> String {
        let output = Command::new("git")
            .current_dir(directory)
            .args(["-c", "protocol.file.allow=always", "-c", "init.defaultBranch=main"])
            .args(arguments)
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .envs([
                ("HOME", "/nonexistent"),
                ("GIT_CONFIG_GLOBAL", "/dev/null"),
                ("GIT_CONFIG_SYSTEM", "/dev/null"),
                ("GIT_AUTHOR_NAME", "Test"),
                ("GIT_AUTHOR_EMAIL", "test@example.com"),
                ("GIT_COMMITTER_NAME", "Test"),
                ("GIT_COMMITTER_EMAIL", "test@example.com"),
                ("GIT_AUTHOR_DATE", "2026-01-01T00:00:00Z"),
                ("GIT_COMMITTER_DATE", "2026-01-01T00:00:00Z"),
            ])
            .output()
            .unwrap();
        if !output.status.success() {
            panic!("git {arguments:?} in {directory}: {}", String::from_utf8_lossy(&output.stderr));
        }
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    /// Makes a repository with one commit. The message makes its root commit its own.
    pub fn init(directory: &Utf8Path, message: &str) {
        std::fs::create_dir_all(directory).unwrap();
        Self::run(directory, &["init", "-q"]);
        Self::run(directory, &["commit", "-q", "--allow-empty", "-m", message]);
    }
}
