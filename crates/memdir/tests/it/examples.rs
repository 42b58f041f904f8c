//! Every example of every help text does what the help says: it runs in a home that holds what the examples name.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::process::{Command, Stdio};

use camino::{Utf8Path, Utf8PathBuf};
use memdir_testkit::{TestHome, sentence_package};
use serde_json::Value;

/// The home is made by this script.
const PREPARE: &str = include_str!("../data/examples.sh");

/// Programs of others that examples call.
const OTHERS: [(&str, &str); 6] = [
    ("claude", "exit 0"),
    ("code", "exit 0"),
    ("ssh", "shift; exec \"$@\""),
    ("man", "cat > /dev/null"),
    ("vi", "exit 0"),
    ("curl", "cat > /dev/null; cat \"$HOME\"/Downloads/*.whl; printf '\\n200'"),
];

/// What must have happened before an example.
const BEFORE: [(&str, &str); 8] = [
    (
        "memdir import mem0 export.json",
        r#"echo '{"results":[{"id":"1","memory":"Likes tea"}]}' > export.json"#,
    ),
    ("memdir add --type feedback --name tabs", "memdir rm tabs"),
    ("memdir user export me.json", "rm me.json"),
    ("memdir team init", ""),
    ("memdir team share", "memdir team init git@example.com:us/memory.git --name Ada"),
    (
        "memdir team ",
        "memdir team init git@example.com:us/memory.git --name Ada && memdir team share deploy-rules",
    ),
    ("memdir sync init", ""),
    ("memdir sync", "memdir sync init git@example.com:me/memory.git --name laptop"),
];

/// Examples that need a person at a terminal, a second machine or a model, and what they say without one.
const NEEDS_MORE: [(&str, &str); 13] = [
    ("memdir tui", "needs a terminal"),
    ("EDITOR='nano' memdir tui", "needs a terminal"),
    ("memdir user forget tabs", "this needs a confirmation"),
    ("memdir team resolve release", "is not in conflict"),
    ("memdir user update profile", "there is no text to write down"),
    ("memdir dream --model --dry-run", "no model is named"),
    ("memdir serve --team --db postgres", "the database cannot be reached"),
    ("memdir team members --revoke Mallory", "Mallory"),
    ("memdir sync machines --revoke old-laptop", "old-laptop"),
    ("memdir team init https://memdir_…", "address of a team server"),
    ("memdir team join memdir-invitation-1:eyJ0ZWFtIjo…", "invitation"),
    ("memdir team token", "only a team server"),
    ("memdir sync join memdir-invitation-1:eyJ0ZWFtIjo…", "invitation"),
];

/// Examples that serve until they are stopped.
const SERVES: [&str; 3] = ["memdir serve --team", "memdir mcp --http", "memdir ui"];

struct Stage {
    home: TestHome,
    names: Vec<(&'static str, String)>,
}

impl Stage {
    fn new() -> Self {
        let home = TestHome::new();
        let bin = home.dir("bin");
        symlink(env!("CARGO_BIN_EXE_memdir"), bin.join("memdir")).unwrap();
        for (name, body) in OTHERS {
            let path = home.write(format!("bin/{name}"), format!("#!/bin/sh\n{body}\n"));
            fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
        }
        home.dir("home/shop");
        let package = sentence_package();
        let downloads = home.dir("home/Downloads");
        symlink(&package, downloads.join(package.file_name().unwrap())).unwrap();
        let mut stage = Self { home, names: Vec::new() };
        let (code, said) = stage.shell(PREPARE);
        assert_eq!(code, 0, "{said}");
        stage.copy("home", "kept");
        let waiting = stage.json("memdir review ls --json");
        let id = |at: usize| waiting["items"][at]["id"].as_str().unwrap().to_owned();
        let dream = stage.json("memdir dream show --json")["op"].as_str().unwrap().to_owned();
        let log = stage.json("memdir log tabs --json");
        let op = log["items"][0]["op"].as_str().or(log["items"][0]["id"].as_str()).unwrap().to_owned();
        stage.names = vec![
            ("dream show 01hf7yat00zzzzzzzz", format!("dream show {dream}")),
            ("dream undo 01hf", format!("dream undo {dream}")),
            ("01hf7yat00zzzzzzzz", id(0)),
            ("01hf", id(0)),
            ("01hg", id(1)),
            ("01kaxy7q", op.clone()),
            ("7k2m9xqa", op),
        ];
        stage
    }

    fn copy(&self, from: &str, to: &str) {
        let (from, to) = (self.home.root().join(from), self.home.root().join(to));
        let _ = fs::remove_dir_all(&to);
        assert!(Command::new("cp").arg("-a").arg(from).arg(to).status().unwrap().success());
    }

    /// Runs a line as a person would type it, and gives back how it ended and what it said.
    fn shell(&self, line: &str) -> (i32, String) {
        let root = self.home.root();
        let output = Command::new("timeout")
            .args(["10", "sh", "-c", line])
            .env_clear()
            .env("HOME", self.home.home())
            .env("PATH", format!("{root}/bin:/usr/local/bin:/usr/bin:/bin"))
            .envs([("TZ", "UTC"), ("EDITOR", "true"), ("SESSION", "s-1")])
            .current_dir(self.home.home().join("shop"))
            .stdin(Stdio::null())
            .output()
            .unwrap();
        let said =
            format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        (output.status.code().unwrap_or(-1), said)
    }

    fn json(&self, line: &str) -> Value {
        let (_, said) = self.shell(line);
        serde_json::from_str(said.lines().next().unwrap_or_default()).unwrap()
    }

    /// The examples of a command and of all commands below it.
    fn examples(&self, command: &str, found: &mut Vec<String>) {
        let (_, help) = self.shell(&format!("memdir help {command}"));
        let block = |title: &str| {
            let lines = help.lines().skip_while(|line| *line != title).skip(1);
            lines.take_while(|line| line.starts_with("  ")).map(str::to_owned).collect::<Vec<String>>()
        };
        found.extend(block("Examples:").iter().map(|line| line.trim().to_owned()));
        for line in block("Commands:").iter().filter(|line| !line.starts_with("   ")) {
            let name = line.split_whitespace().next().unwrap();
            self.examples(&format!("{command} {name}"), found);
        }
    }

    /// Sizes and times of all files, to see whether a line changed something.
    fn state(&self) -> BTreeMap<Utf8PathBuf, (u64, Option<std::time::SystemTime>)> {
        fn add(folder: &Utf8Path, found: &mut BTreeMap<Utf8PathBuf, (u64, Option<std::time::SystemTime>)>) {
            for entry in folder.read_dir_utf8().into_iter().flatten().flatten() {
                let Ok(metadata) = fs::symlink_metadata(entry.path()) else { continue };
                found.insert(entry.path().to_owned(), (metadata.len(), metadata.modified().ok()));
                if metadata.is_dir() {
                    add(entry.path(), found);
                }
            }
        }
        let mut found = BTreeMap::new();
        add(&self.home.home(), &mut found);
        found
    }

    /// What is wrong with an example, if something is.
    fn problem(&self, example: &str) -> Option<String> {
        let mut line = example.to_owned();
        for (name, real) in &self.names {
            if line.contains(name) {
                line = line.replace(name, real);
            }
        }
        if let Some((_, before)) = BEFORE.iter().find(|(start, _)| example.starts_with(start))
            && !before.is_empty()
        {
            let (code, said) = self.shell(before);
            assert_eq!(code, 0, "{before}: {said}");
        }
        let has_all = !example.contains("--init") && !example.contains("--db");
        if SERVES.iter().any(|start| example.starts_with(start)) && has_all {
            let (code, said) = self.shell(&format!("timeout 1 {line}"));
            let is_fine = code == 124 || said.contains("memdir-server");
            return (!is_fine).then(|| format!("{example}\n  exit {code}: {said}"));
        }
        let (code, said) = self.shell(&line);
        if let Some((_, told)) = NEEDS_MORE.iter().find(|(start, _)| example.starts_with(start)) {
            let is_missing = said.contains("memdir-server");
            let is_fine = code == 2 && (said.contains(told) || is_missing) && !said.contains("Usage:");
            return (!is_fine).then(|| format!("{example}\n  exit {code}: {said}"));
        }
        (!matches!(code, 0 | 1)).then(|| format!("{example}\n  exit {code}: {said}"))
    }
}

#[test]
fn every_example_of_every_help_text_works() {
    let stage = Stage::new();
    let (_, help) = stage.shell("memdir help all");
    let mut examples = Vec::new();
    for line in help.lines().filter(|line| line.starts_with("  ") && !line.starts_with("  -")) {
        stage.examples(line.split_whitespace().next().unwrap(), &mut examples);
    }
    examples.sort();
    examples.dedup();
    assert!(examples.len() > 250, "{}", examples.len());
    let mut problems = Vec::new();
    let clean = stage.state();
    let mut is_clean = true;
    for example in &examples {
        if !is_clean {
            stage.copy("kept", "home");
        }
        let before = if is_clean { clean.clone() } else { stage.state() };
        problems.extend(stage.problem(example));
        is_clean = stage.state() == before;
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

#[test]
fn text_may_begin_with_a_dash_and_a_mistyped_option_is_still_refused() {
    let stage = Stage::new();
    for line in [
        "memdir journal decide --title '- x' --category architecture --decision '- a list'",
        "memdir journal note '- a list item'",
        "memdir journal task '- a task' --text '- details'",
        "memdir journal progress --add '- step' --check 1",
        "memdir today add '- a thought'",
        "memdir user update preferences --text '- short answers'",
        "memdir add --type user --name dash --description '-d' --text '-t'",
        "memdir set quotes description '- single'",
    ] {
        let (code, said) = stage.shell(line);
        assert_eq!(code, 0, "{line}: {said}");
    }
    assert_ne!(stage.shell("memdir recall --prompt '- tabs or spaces'").0, 2);
    let (code, said) = stage.shell("memdir journal note --txet");
    assert!(code == 2 && said.contains("unknown option `--txet`") && said.contains("-- --txet"), "{said}");
}
