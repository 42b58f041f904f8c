//! The examples are short, need one crate, and do what they say.

use std::io::Write;
use std::process::{Command, Stdio};

use camino::Utf8PathBuf;

const EXAMPLES: [&str; 4] = ["agent_loop", "recall", "memory_tool", "journal"];

/// A home directory with a project, in which examples run as processes of their own.
struct Home {
    directory: tempfile::TempDir,
}

impl Home {
    fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        std::fs::create_dir(directory.path().join("project")).unwrap();
        Self { directory }
    }

    fn run(&self, example: &str, arguments: &[&str], input: &str) -> String {
        let program = std::env::current_exe().unwrap();
        let program = program.parent().and_then(|deps| deps.parent()).unwrap().join("examples").join(example);
        let mut child = Command::new(program)
            .args(arguments)
            .current_dir(self.directory.path().join("project"))
            .env_clear()
            .env("HOME", self.directory.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "{example}");
        String::from_utf8(output.stdout).unwrap()
    }
}

#[test]
fn every_example_is_short_and_needs_one_crate() {
    let folder = Utf8PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("examples");
    assert_eq!(folder.read_dir_utf8().unwrap().count(), EXAMPLES.len());
    for name in EXAMPLES {
        let text = std::fs::read_to_string(folder.join(format!("{name}.rs"))).unwrap();
        let uses: Vec<&str> = text.lines().filter(|line| line.trim_start().starts_with("use ")).collect();
        assert!(text.lines().count() < 60, "{name}");
        assert!(uses.len() <= 3 && uses.iter().all(|line| line.starts_with("use memdir_lib::")), "{uses:?}");
        for other in ["memdir_core::", "memdir_disk::", "memdir_search::", "camino::", "jiff::"] {
            assert!(!text.contains(other), "{name} needs {other}");
        }
    }
}

#[test]
fn the_agent_loop_remembers_recalls_and_asks() {
    let home = Home::new();
    let said =
        home.run("agent_loop", &["remember: Deploys happen only on Tuesdays", "write /etc/passwd"], "");
    assert!(said.contains("Saved note.md") && said.contains("must be asked about /etc/passwd"), "{said}");
    let said = home.run("agent_loop", &["do deploys happen on Tuesdays or on any day?"], "");
    assert!(said.contains("only on Tuesdays"), "a missing index is built by the call itself: {said}");
    let said = home.run("recall", &["do deploys happen on Tuesdays or on any day?"], "");
    assert!(said.contains("only on Tuesdays") && said.contains("/logs/20"), "{said}");
}

#[test]
fn an_agents_prompt_has_its_memory_and_its_tools() {
    let home = Home::new();
    let agents = home.directory.path().join("project/.claude/agents");
    std::fs::create_dir_all(&agents).unwrap();
    let text = "---\nname: rev\ndescription: Reviews\nmemory: user\ntools: Grep\n---\n\nYou review.\n";
    std::fs::write(agents.join("rev.md"), text).unwrap();
    let said = home.run("recall", &["x", "rev"], "");
    assert!(said.contains("You review.\n\n# ") && said.contains("agent-memory/rev"), "{said}");
    assert!(said.contains("Grep") && said.contains("Write") && said.contains("Edit"), "{said}");
    assert!(home.run("recall", &["x", "none"], "").contains("no agent none"));
}

#[test]
fn the_memory_tool_answers_each_line() {
    let home = Home::new();
    let said = home.run(
        "memory_tool",
        &[],
        "{\"command\":\"create\",\"path\":\"/memories/a.md\",\"file_text\":\"x\\n\"}\n{\"command\":\"view\",\"path\":\"/memories\"}\n",
    );
    assert!(said.contains("/memories/a.md"), "{said}");
}

#[test]
fn the_journal_is_recovered_from() {
    let said = Home::new().run("journal", &[], "");
    for expected in [
        "Task: Move sessions to cookies",
        "Keep old tokens",
        "Use httpOnly cookies",
        "Scripts cannot read them.",
    ] {
        assert!(said.contains(expected), "{expected}: {said}");
    }
}
