use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use camino::Utf8Path;

/// How long a screen may take: the machine may be busy.
const PATIENCE: Duration = Duration::from_secs(60);

/// A terminal with a shell in it, drawn by tmux. Gone when dropped.
pub struct Tmux {
    socket: String,
}

impl Tmux {
    /// Opens a terminal of this size in which a shell with exactly these variables waits for input.
    #[must_use]
    pub fn start(columns: u16, rows: u16, cwd: &Utf8Path, vars: &[(&str, &str)]) -> Self {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let terminal = Self { socket: format!("memdir-test-{}-{number}", std::process::id()) };
        let mut shell: Vec<String> =
            ["env", "-i", "TERM=screen-256color", "LANG=C.UTF-8", "TZ=UTC", "PS1=$ "]
                .map(|word| format!("'{word}'"))
                .into();
        shell.push(format!("'PATH={}'", std::env::var("PATH").unwrap()));
        let quoted = |value: &str| value.replace('\'', r"'\''");
        shell.extend(vars.iter().map(|(name, value)| format!("'{name}={}'", quoted(value))));
        shell.push("sh".to_owned());
        let size = [columns.to_string(), rows.to_string()];
        let [columns, rows] = &size;
        terminal.tmux(&[
            "-f",
            "/dev/null",
            "new-session",
            "-d",
            "-x",
            columns,
            "-y",
            rows,
            "-c",
            cwd.as_str(),
            &shell.join(" "),
        ]);
        terminal.tmux(&["set-option", "-g", "status", "off"]);
        terminal.resize(columns.parse().unwrap(), rows.parse().unwrap());
        terminal.wait_for("$");
        terminal
    }

    fn tmux(&self, arguments: &[&str]) -> String {
        let mut command = Command::new("tmux");
        command.args(["-u", "-L", &self.socket]).args(arguments).env_remove("TMUX").stderr(Stdio::inherit());
        let output = command.output().unwrap();
        assert!(output.status.success(), "tmux {arguments:?}");
        String::from_utf8(output.stdout).unwrap()
    }

    /// Types a text as it is.
    pub fn type_text(&self, text: &str) {
        self.tmux(&["send-keys", "-l", text]);
    }

    /// Presses keys by their names: `Enter`, `Escape`, `Down`, `C-c`, `j`.
    pub fn press(&self, keys: &[&str]) {
        for key in keys {
            self.tmux(&["send-keys", key]);
        }
    }

    /// Types a line and presses Enter.
    pub fn run(&self, line: &str) {
        self.type_text(line);
        self.press(&["Enter"]);
    }

    /// What is on the screen, without spaces at the ends of lines.
    #[must_use]
    pub fn screen(&self) -> String {
        let screen = self.tmux(&["capture-pane", "-p"]);
        screen.lines().map(str::trim_end).collect::<Vec<_>>().join("\n").trim_end().to_owned()
    }

    /// Waits until the screen is as wanted and stays the same for a moment, because tmux may show half a frame.
    pub fn wait_until(&self, what: &str, is_wanted: impl Fn(&str) -> bool) -> String {
        let until = Instant::now() + PATIENCE;
        let mut before = None;
        loop {
            let screen = self.screen();
            if is_wanted(&screen) && before.as_ref() == Some(&screen) {
                return screen;
            }
            before = Some(screen.clone());
            assert!(Instant::now() < until, "never: {what}\n{screen}");
            thread::sleep(Duration::from_millis(40));
        }
    }

    /// Waits until these words are on the screen.
    pub fn wait_for(&self, words: &str) -> String {
        self.wait_until(words, |screen| screen.contains(words))
    }

    /// Gives the terminal another size.
    pub fn resize(&self, columns: u16, rows: u16) {
        self.tmux(&["resize-window", "-x", &columns.to_string(), "-y", &rows.to_string()]);
    }

    /// Writes everything that the terminal is sent from now on to a file, too.
    pub fn record(&self, file: &Utf8Path) {
        self.tmux(&["pipe-pane", "-o", &format!("cat > '{file}'")]);
    }
}

impl Drop for Tmux {
    fn drop(&mut self) {
        let _ = Command::new("tmux").args(["-L", &self.socket, "kill-server"]).stderr(Stdio::null()).status();
    }
}
