use std::fs;

use camino::{Utf8Path, Utf8PathBuf};
use memdir_core::env::Env;

/// A throw-away home directory with a project folder in it. Gone when dropped.
pub struct TestHome {
    // Held for its destructor.
    _directory: tempfile::TempDir,
    root: Utf8PathBuf,
}

impl Default for TestHome {
    fn default() -> Self {
        Self::new()
    }
}

impl TestHome {
    /// A fresh world: `home/` and `home/project/` below a temporary directory with its real path.
    #[must_use]
    pub fn new() -> Self {
        Self::below(Utf8Path::from_path(&std::env::temp_dir()).unwrap())
    }

    /// The same on another file system, such as a tmpfs.
    #[must_use]
    pub fn below(directory: &Utf8Path) -> Self {
        let directory = tempfile::Builder::new().prefix("memdir-test-").tempdir_in(directory).unwrap();
        let root = Utf8PathBuf::from_path_buf(directory.path().canonicalize().unwrap()).unwrap();
        fs::create_dir_all(root.join("home/project")).unwrap();
        Self { _directory: directory, root }
    }

    /// The folder that holds everything.
    #[must_use]
    pub fn root(&self) -> &Utf8Path {
        &self.root
    }

    /// The home directory.
    #[must_use]
    pub fn home(&self) -> Utf8PathBuf {
        self.root.join("home")
    }

    /// The project folder, which is the working directory of [`TestHome::env`].
    #[must_use]
    pub fn project(&self) -> Utf8PathBuf {
        self.root.join("home/project")
    }

    /// The environment of a user who works in the project folder and has set nothing.
    #[must_use]
    pub fn env(&self) -> Env {
        Env { home: Some(self.home()), cwd: self.project(), vars: [].into() }
    }

    /// Writes a file below [`TestHome::root`], with its parents, and gives back its path.
    pub fn write(&self, path: impl AsRef<Utf8Path>, content: impl AsRef<[u8]>) -> Utf8PathBuf {
        let path = self.root.join(path.as_ref());
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, content).unwrap();
        path
    }

    /// Makes a directory below [`TestHome::root`], with its parents.
    pub fn dir(&self, path: impl AsRef<Utf8Path>) -> Utf8PathBuf {
        let path = self.root.join(path.as_ref());
        fs::create_dir_all(&path).unwrap();
        path
    }

    /// Every file below a directory with its content, links shown as `-> target`: what a test compares.
    #[must_use]
    pub fn tree(&self, directory: impl AsRef<Utf8Path>) -> String {
        let mut lines = Vec::new();
        collect(&self.root.join(directory.as_ref()), Utf8Path::new(""), &mut lines);
        lines.sort();
        lines.join("\n")
    }
}

fn collect(directory: &Utf8Path, prefix: &Utf8Path, lines: &mut Vec<String>) {
    let Ok(entries) = directory.read_dir_utf8() else { return };
    for entry in entries {
        let entry = entry.unwrap();
        let name = prefix.join(entry.file_name());
        let kind = entry.file_type().unwrap();
        if kind.is_symlink() {
            lines.push(format!("{name} -> {}", fs::read_link(entry.path()).unwrap().display()));
        } else if kind.is_dir() {
            collect(entry.path(), &name, lines);
        } else {
            let content = fs::read(entry.path()).unwrap();
            lines.push(format!("{name}: {:?}", String::from_utf8_lossy(&content)));
        }
    }
}
