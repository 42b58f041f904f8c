//! `memdir tui` in a real terminal, by keys; the screens are kept.

use std::fs::{self, File};
use std::os::unix::fs::PermissionsExt;
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use camino::Utf8PathBuf;
use insta::assert_snapshot;
use jiff::Timestamp;
use memdir_testkit::{NOW, Tmux};

use crate::harness::Sandbox;

/// Two hours after everything that is set up here.
const LATER: &str = "2026-11-15T14:00:00Z";

/// A person with a few memories, changes that wait and a session.
struct Person {
    sandbox: Sandbox,
    memory: Utf8PathBuf,
}

const MEMORIES: [(&str, &str, &str, &str); 4] = [
    ("user", "works-at-night", "Ada works late", "Answer briefly, and say what you did not check."),
    (
        "feedback",
        "integer-cents",
        "Money is integer cents",
        "Never store money as a float.\n\nSee [[retry-policy]].",
    ),
    (
        "project",
        "retry-policy",
        "The billing job retries three times",
        "# Retry policy\n\nAfter 60 s it pages.",
    ),
    ("reference", "on-call", "Who is on call", "The rota is in the wiki."),
];

impl Person {
    fn new() -> Self {
        let mut sandbox = Sandbox::new();
        for (kind, name, description, text) in MEMORIES {
            let block = sandbox.run([
                "add",
                "--type",
                kind,
                "--name",
                name,
                "--description",
                description,
                "--text",
                text,
            ]);
            assert_eq!(block.code, 0, "{}", block.stderr);
        }
        sandbox.run(["set", "on-call", "description", "Who is on call, and where the rota is"]);
        let memory: Utf8PathBuf = sandbox.run(["path"]).stdout.trim_end().into();
        let now = SystemTime::from(NOW.parse::<Timestamp>().unwrap());
        for (days, (_, name, ..)) in (1..).zip(MEMORIES) {
            let file = File::options().write(true).open(memory.join(format!("{name}.md"))).unwrap();
            file.set_modified(now - Duration::from_secs(days * 86_400)).unwrap();
        }
        sandbox.home.write("home/.config/memdir/config.toml", "writes = \"review\"\n");
        sandbox.vars = [("CLAUDECODE", "1"), ("CLAUDE_CODE_SESSION_ID", "5c0523b1")]
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .into();
        for (name, time) in [("name-the-file", NOW), ("use-tabs", "2026-11-15T12:01:00Z")] {
            sandbox.now = time.to_owned();
            let text = format!("What {name} means.");
            sandbox.run([
                "add",
                "--type=feedback",
                "--name",
                name,
                "--description=About it",
                "--text",
                &text,
            ]);
        }
        sandbox.vars.clear();
        sandbox.home.write("home/.config/memdir/config.toml", "");
        let turn = |role: &str, text: &str| {
            format!(
                r#"{{"type":"{role}","uuid":"{role}-1","sessionId":"5c0523b1-0000","cwd":"{}","timestamp":"2026-11-10T09:00:00Z","message":{{"role":"{role}","content":"{text}"}}}}"#,
                sandbox.cwd
            )
        };
        let turns = [turn("user", "The refund test fails."), turn("assistant", "The webhook uses a float.")];
        let file = memory.parent().unwrap().join("5c0523b1-0000.jsonl");
        fs::write(file, turns.join("\n") + "\n").unwrap();
        Self { sandbox, memory }
    }

    /// A terminal in which the viewer shows the memories.
    fn viewer(&self, columns: u16, rows: u16, vars: &[(&str, &str)]) -> Tmux {
        let terminal = self.shell(columns, rows, vars);
        terminal.run(&format!("memdir tui --now {LATER}"));
        terminal.wait_for("on-call");
        terminal
    }

    fn shell(&self, columns: u16, rows: u16, vars: &[(&str, &str)]) -> Tmux {
        let program = Utf8PathBuf::from(env!("CARGO_BIN_EXE_memdir"));
        let home = self.sandbox.home.home();
        let mut all = vec![("HOME", home.as_str())];
        all.extend(vars);
        let terminal = Tmux::start(columns, rows, &self.sandbox.cwd, &all);
        terminal.run(&format!("alias memdir='{program}'; clear; echo before"));
        terminal.wait_until("before", |screen| screen.starts_with("before"));
        terminal
    }

    fn text(&self, name: &str) -> String {
        fs::read_to_string(self.memory.join(format!("{name}.md"))).unwrap()
    }
}

/// Ids and local times differ from run to run.
fn same_every_time<T>(check: impl FnOnce() -> T) -> T {
    let mut settings = insta::Settings::clone_current();
    settings.add_filter(r"\b01[0-9a-z]{16}\b", "01ID");
    settings.bind(check)
}

#[test]
fn memories_are_listed_searched_and_read() {
    let person = Person::new();
    let terminal = person.viewer(80, 24, &[]);
    assert_snapshot!("memories", terminal.screen());
    terminal.press(&["/"]);
    terminal.type_text("pages");
    assert_snapshot!("search", terminal.wait_for("/pages   1 of 4 memories"));
    terminal.press(&["Escape", "j", "j", "Enter"]);
    assert_snapshot!("read", terminal.wait_for("Esc back"));
    terminal.press(&["?"]);
    assert_snapshot!("help", terminal.wait_for("Keys"));
}

#[test]
fn a_change_is_undone_after_its_diff_was_seen() {
    let person = Person::new();
    let before = person.text("works-at-night");
    let terminal = person.viewer(80, 24, &[]);
    terminal.press(&["d"]);
    terminal.wait_for("Done: remove");
    assert!(!person.memory.join("works-at-night.md").exists());
    terminal.press(&["u"]);
    terminal.wait_for("y undo it");
    terminal.press(&["n"]);
    terminal.wait_for("Nothing was undone.");
    terminal.press(&["u"]);
    same_every_time(|| assert_snapshot!("undo", terminal.wait_for("y undo it")));
    terminal.press(&["y"]);
    terminal.wait_for("Done: undo");
    assert_eq!(person.text("works-at-night"), before);
}

#[test]
fn the_history_of_a_memory_shows_diffs_and_brings_versions_back() {
    let person = Person::new();
    let terminal = person.viewer(80, 24, &[]);
    terminal.press(&["G", "h"]);
    same_every_time(|| assert_snapshot!("history", terminal.wait_for("2 changes of on-call.md")));
    terminal.press(&["j", "r"]);
    terminal.wait_for("Done: restore");
    assert!(person.text("on-call").contains("description: Who is on call\n"));
    terminal.press(&["Escape", "2"]);
    terminal.wait_for("changes, newest first");
    terminal.press(&["/"]);
    terminal.type_text("retry");
    terminal.wait_for("/retry   1 change");
    terminal.press(&["Enter", "u"]);
    terminal.wait_for("-name: retry-policy");
    terminal.press(&["y"]);
    terminal.wait_for("Done: undo");
    assert!(!person.memory.join("retry-policy.md").exists());
}

#[test]
fn reviews_are_edited_accepted_and_rejected() {
    let person = Person::new();
    let terminal = person.viewer(80, 24, &[("EDITOR", "sed -i 's/What .* means/The file and the line/'")]);
    terminal.press(&["3"]);
    same_every_time(|| assert_snapshot!("review", terminal.wait_for("2 changes wait")));
    terminal.press(&["e"]);
    terminal.wait_for("The edited change waits.");
    terminal.wait_for("+The file and the line.");
    terminal.press(&["a"]);
    terminal.wait_for("Done: add name-the-file.md");
    assert!(person.text("name-the-file").contains("The file and the line."));
    terminal.wait_for("3 Review (1)");
    terminal.press(&["x"]);
    terminal.wait_for("Rejected.");
    terminal.wait_for("Nothing waits.");
    assert!(!person.memory.join("use-tabs.md").exists());
}

#[test]
fn sessions_are_searched_and_read() {
    let person = Person::new();
    let terminal = person.viewer(80, 24, &[]);
    terminal.press(&["4"]);
    terminal.wait_for("1 session");
    terminal.press(&["/"]);
    terminal.type_text("webhook");
    terminal.wait_for("/webhook   1 hit");
    terminal.press(&["Enter"]);
    assert_snapshot!("session", terminal.wait_for("Tab next page"));
}

#[test]
fn a_memory_is_edited_in_the_editor_and_a_failed_editor_loses_nothing() {
    let person = Person::new();
    let terminal = person.viewer(80, 24, &[("EDITOR", "sed -i s/briefly/in-one-sentence/")]);
    terminal.press(&["e"]);
    let screen = terminal.wait_for("Done:");
    assert!(screen.contains("in-one-sentence") && screen.contains("on-call"), "{screen}");
    assert!(person.text("works-at-night").contains("in-one-sentence"));
    drop(terminal);
    let before = person.text("works-at-night");
    let failing =
        person.sandbox.home.write("failing-editor", "#!/bin/sh\necho 'more words' >> \"$1\"\nexit 1\n");
    fs::set_permissions(&failing, fs::Permissions::from_mode(0o755)).unwrap();
    let terminal = person.viewer(80, 24, &[("EDITOR", failing.as_str())]);
    terminal.press(&["e"]);
    terminal.wait_for("your text is in");
    assert_eq!(person.text("works-at-night"), before);
}

#[test]
fn it_fits_every_size_and_gives_the_terminal_back() {
    let person = Person::new();
    let terminal = person.viewer(80, 24, &[]);
    terminal.resize(46, 10);
    assert_snapshot!(
        "narrow",
        terminal.wait_until("one pane", |screen| screen.contains("works") && !screen.contains('│'))
    );
    terminal.press(&["Enter"]);
    terminal.wait_for("Answer briefly");
    terminal.resize(20, 4);
    terminal.resize(132, 30);
    terminal.press(&["Escape"]);
    assert_snapshot!("wide", terminal.wait_for("Ada works late"));
    terminal.press(&["q"]);
    let screen = terminal.wait_until("the shell", |screen| screen.starts_with("before"));
    assert!(!screen.contains("works-at-night"), "{screen}");
    terminal.run("stty -a | grep -o ' echo ' | tr -d ' '");
    // The prompt may come before the answer of `stty` on the same line.
    terminal.wait_until("echo is on", |screen| screen.lines().any(|line| ["echo", "$ echo"].contains(&line)));
}

#[test]
fn nothing_is_drawn_while_nothing_changes_and_a_key_draws_only_what_changed() {
    let person = Person::new();
    let terminal = person.viewer(80, 24, &[]);
    let file = person.sandbox.home.root().join("sent");
    let size = || fs::metadata(&file).map(|data| data.len()).unwrap_or(0);
    terminal.record(&file);
    thread::sleep(Duration::from_millis(1_500));
    assert_eq!(size(), 0);
    terminal.press(&["j"]);
    terminal.wait_for("› feed  integer-cents");
    thread::sleep(Duration::from_millis(300));
    let sent = fs::read_to_string(&file).unwrap();
    assert!(!sent.is_empty() && sent.len() < 6_000, "{} bytes", sent.len());
    assert!(!sent.contains("\u{1b}[2J"), "the screen is never blank: {sent:?}");
}

#[test]
fn what_an_agent_writes_appears_within_a_second() {
    let person = Person::new();
    let terminal = person.viewer(80, 24, &[]);
    let began = Instant::now();
    let hostile = "---\nname: by-agent\ndescription: x\ntype: project\n---\n\u{1b}[2J\u{1b}]0;owned\u{7} and \u{202e}hidden\n";
    fs::write(person.memory.join("by-agent.md"), hostile).unwrap();
    terminal.wait_for("by-agent");
    let took = began.elapsed();
    terminal.press(&["g"]);
    let screen = terminal.wait_for("\\u{202e}hidden");
    assert!(screen.contains("\\u{1b}[2J") && screen.contains("on-call"), "{screen}");
    assert!(took < Duration::from_secs(3), "{took:?}");
}

#[test]
fn without_a_terminal_it_says_what_to_do_instead() {
    let sandbox = Sandbox::new();
    assert_snapshot!(sandbox.run(["tui"]).show(&[]), @"
    exit 2
    --- stderr
    error: `memdir tui` needs a terminal
    hint: `memdir ui` shows memory in a browser
    ");
}
