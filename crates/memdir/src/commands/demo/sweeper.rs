use std::process::{Child, Command, Stdio};

use camino::Utf8Path;

/// A small process that removes a directory when this one ends, whatever ends it: its standard input closes then.
pub(super) struct Sweeper(Option<Child>);

impl Sweeper {
    pub(super) fn of(directory: &Utf8Path) -> Self {
        if cfg!(windows) {
            // There is no shell that could wait for us: after Ctrl-C the directory stays among the temporary files.
            return Self(None);
        }
        let script = r#"trap "" INT HUP TERM; cat >/dev/null; rm -rf -- "$1""#;
        let child = Command::new("sh")
            .args(["-c", script, "sh", directory.as_str()])
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn();
        Self(child.ok())
    }
}

impl Drop for Sweeper {
    fn drop(&mut self) {
        if let Some(mut child) = self.0.take() {
            drop(child.stdin.take());
            let _ = child.wait();
        }
    }
}
