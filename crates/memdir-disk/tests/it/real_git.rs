use std::process::Command;

use camino::{Utf8Path, Utf8PathBuf};

/// A temporary directory, links resolved, that is not inside any repository.
pub(crate) struct Place {
    pub(crate) root: Utf8PathBuf,
    _directory: tempfile::TempDir,
}

impl Place {
    pub(crate) fn new() -> Self {
        Self::of(tempfile::tempdir().unwrap())
    }

    pub(crate) fn of(directory: tempfile::TempDir) -> Self {
        let root = Utf8Path::from_path(directory.path()).unwrap().canonicalize_utf8().unwrap();
        Self { root, _directory: directory }
    }

    pub(crate) fn dir(&self, path: &str) -> Utf8PathBuf {
        let path = self.root.join(path);
        std::fs::create_dir_all(&path).unwrap();
        path
    }

    pub(crate) fn file(&self, path: &str, content: &str) -> Utf8PathBuf {
        let path = self.root.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, content).unwrap();
        path
    }

    /// A repository with one commit.
    pub(crate) fn repository(&self, path: &str) -> Utf8PathBuf {
        let path = self.dir(path);
        git(&path, &["init", "-q", "-b", "main"]);
        commit(&path);
        path
    }
}

/// A commit whose hash depends on where it is made, so that two repositories do not look alike.
pub(crate) fn commit(repository: &Utf8Path) {
    git(repository, &["commit", "-q", "--allow-empty", "-m", repository.as_str()]);
}

/// Runs git cut off from whatever the machine configures.
pub(crate) fn git(cwd: &Utf8Path, arguments: &[&str]) {
    let output = Command::new("git")
        .args(["-c", "protocol.file.allow=always", "-c", "init.defaultBranch=main"])
        .args(arguments)
        .current_dir(cwd)
        .env_remove("GIT_DIR")
        .env_remove("GIT_WORK_TREE")
        .env_remove("GIT_INDEX_FILE")
        .env("HOME", "/nonexistent")
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_AUTHOR_NAME", "t")
        .env("GIT_AUTHOR_EMAIL", "t@example.org")
        .env("GIT_COMMITTER_NAME", "t")
        .env("GIT_COMMITTER_EMAIL", "t@example.org")
        .output()
        .unwrap();
    assert!(output.status.success(), "git {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
}
