use std::collections::BTreeMap;
use std::fs;

use camino::Utf8PathBuf;
use memdir_core::content_hash::ContentHash;

use super::ground::{Ground, acknowledged, stderr};
use super::report::ProofReport;
use super::trace::{Call, Calls, calls, run, run_injected};
use super::writing_command::{NEXT, WritingCommand, some_memories, with};
use camino::Utf8Path;

/// Kills what reaches further than one memory directory: a purge, the collection of old history, a move there, back
/// and there again. `step`: 1 kills before every write-type system call, 3 before every third.
#[must_use]
pub fn kill_past(program: &Utf8Path, step: usize) -> ProofReport {
    let mut report = ProofReport::new("Kill: purge, collection and moves");
    let cases = [&PURGE, &COLLECT, &MOVE, &BACK, &AGAIN];
    for case in cases {
        let (killed, failures) = case.prove(program, step);
        report.count(&format!("{}: killed before a write-type system call", case.command.name), killed);
        report.fail_all(failures);
    }
    report
}

/// One command, what makes good what a kill left, and what must hold then.
struct Case {
    command: WritingCommand,
    /// What the user does next.
    then: &'static [&'static str],
    /// Whether the next command is to complete what was killed, rather than to leave it whole or not at all.
    completes: bool,
    holds: fn(&Ground) -> Vec<String>,
}

const START: &str = "start";

impl Case {
    fn prove(&self, program: &Utf8Path, step: usize) -> (usize, Vec<String>) {
        let ground = Ground::in_memory(program);
        self.command.prepare(&ground);
        ground.save(START);
        ground.must_run(self.then);
        let untouched = tree(&ground);
        ground.restore(START);
        let whole = run(ground.command(self.command.arguments), &self.command);
        assert!(acknowledged(&whole), "{}: {}", self.command.name, stderr(&whole));
        ground.must_run(self.then);
        let done = tree(&ground);
        ground.restore(START);
        let found = calls(&ground, &self.command, Calls::Writing);
        let mut failures = Vec::new();
        let mut killed = 0;
        for Call { name, number } in found.iter().step_by(step) {
            ground.restore(START);
            let output = run_injected(&ground, &self.command, name, &format!("signal=KILL:when={number}"));
            killed += usize::from(output.status.code().is_none());
            failures.extend(
                self.judge(&ground, &untouched, &done)
                    .into_iter()
                    .map(|failure| format!("{}, killed at {name} {number}: {failure}", self.command.name)),
            );
        }
        assert!(killed > 5, "{}: hardly anything was killed", self.command.name);
        (killed, failures)
    }

    fn judge(&self, ground: &Ground, untouched: &Tree, done: &Tree) -> Vec<String> {
        let next = ground.command(self.then).output().unwrap();
        if !acknowledged(&next) {
            return vec![format!("the next command fails: {}", stderr(&next))];
        }
        let mut failures = Vec::new();
        let found = tree(ground);
        if found != *done && (self.completes || found != *untouched) {
            let names = |tree: &Tree| tree.keys().cloned().collect::<Vec<_>>().join(", ");
            let differs = found.iter().find(|(name, content)| done.get(*name) != Some(content));
            let differs = differs.map(|(name, _)| name.as_str()).unwrap_or_default();
            failures.push(format!("neither before nor after, `{differs}`: {}", names(&found)));
        }
        // What a killed command left in its own store is collected at the next look there.
        ground.must_run(&self.look());
        failures.extend(ground.leftovers());
        failures.extend((self.holds)(ground));
        failures
    }
}

impl Case {
    /// A look at the store in which the command ran.
    fn look(&self) -> Vec<&'static str> {
        let place = self.command.arguments.iter().skip_while(|argument| **argument != "--cwd").take(2);
        std::iter::once("log").chain(place.copied()).collect()
    }
}

/// Every file of the client's directory with its content: memory, sessions, what was set aside.
type Tree = BTreeMap<String, Vec<u8>>;

fn tree(ground: &Ground) -> Tree {
    let mut tree = Tree::new();
    let root = ground.home.home().join(".claude");
    let mut pending = vec![root.clone()];
    while let Some(directory) = pending.pop() {
        for entry in directory.read_dir_utf8().unwrap() {
            let path = entry.unwrap().into_path();
            if path.is_dir() {
                pending.push(path);
            } else {
                let name = path.strip_prefix(&root).unwrap().to_string();
                tree.insert(name, fs::read(&path).unwrap());
            }
        }
    }
    tree
}

const SECRET: &str = "hunter2-is-the-word";

const PURGE: Case = Case {
    command: with("purge", secret, &["purge", "--yes", "--pattern", SECRET]),
    then: &["purge", "--yes", "--pattern", SECRET],
    completes: true,
    holds: |ground| {
        let mut failures = is_readable(ground);
        for (what, content) in ground.versions() {
            if String::from_utf8_lossy(&content).contains(SECRET) {
                failures.push(format!("{what} holds the secret"));
            }
        }
        let whole = ground.versions().iter().any(|(_, content)| content.starts_with(b"---\nname: alpha"));
        if !whole {
            failures.push("the purge took more than it should".to_owned());
        }
        failures
    },
};

const COLLECT: Case = Case {
    command: with("collection", long_history, &["set", "alpha", "type", "user"]),
    then: NEXT,
    completes: false,
    holds: |ground| {
        let mut failures = is_readable(ground);
        let versions: Vec<ContentHash> =
            ground.versions().iter().map(|(_, content)| ContentHash::of(content)).collect();
        for (name, content) in ground.files() {
            if !versions.contains(&ContentHash::of(&content)) {
                failures.push(format!("history does not hold the present version of `{name}`"));
            }
        }
        if ground.segments().iter().any(|segment| segment.ends_with("000001.seg")) {
            failures.push("the oldest segment is still there".to_owned());
        }
        failures
    },
};

const MOVE: Case = Case {
    command: with("move", two_places, &["project", "mv", ".", "../new"]),
    then: &["log", "--cwd", "../new"],
    completes: false,
    holds: is_readable,
};

const BACK: Case = Case {
    command: with("undo of a move", moved, &["undo", "--cwd", "../new"]),
    then: &["log"],
    completes: false,
    holds: is_readable,
};

const AGAIN: Case = Case {
    command: with("redo of a move", moved_back, &["redo"]),
    then: &["log", "--cwd", "../new"],
    completes: false,
    holds: is_readable,
};

fn is_readable(ground: &Ground) -> Vec<String> {
    ground.damages()
}

fn secret(ground: &Ground) {
    some_memories(ground);
    let add = |name: &str, text: &str| {
        let words = ["add", "--type=user", "--name", name, "--description", text, "--text", text];
        ground.must_run(&words);
    };
    add("login", SECRET);
    ground.must_run(&["set", "alpha", "description", SECRET]);
    ground.must_run(&["set", "alpha", "description", "Tabs or spaces"]);
    ground.must_run(&["rm", "login"]);
}

fn long_history(ground: &Ground) {
    some_memories(ground);
    ground.home.write("home/.config/memdir/config.toml", "[history]\nmegabytes = 1\n");
    let mut random = super::random::Random::new(1);
    for number in 0..3 {
        let noise: String = (0..160_000).map(|_| format!("{:08x}", random.below(1 << 32))).collect();
        let file = ground.home.write(format!("noise-{number}"), &noise);
        ground.must_run(&[
            "add",
            "--type=user",
            "--name",
            &format!("noise-{number}"),
            "--description=d",
            "--file",
            file.as_str(),
        ]);
    }
    // Collected already while it was filled: here it is made too long once more.
    fs::remove_file(ground.home.home().join(".config/memdir/config.toml")).unwrap();
    for number in 0..3 {
        ground.must_run(&["rm", &format!("noise-{number}")]);
    }
    ground.home.write("home/.config/memdir/config.toml", "[history]\nmegabytes = 1\n");
}

fn two_places(ground: &Ground) {
    some_memories(ground);
    let old = ground.memory_dir().parent().map(Utf8PathBuf::from).unwrap();
    ground.home.write(old.join("0b0e8a9c-0000-4000-8000-000000000001.jsonl"), "{}\n");
    ground.home.write(old.join("agent-memory-local/helper/MEMORY.md"), "- helps\n");
    ground.home.dir("home/new");
    ground.must_run(&[
        "add",
        "--type=user",
        "--name=there",
        "--description=d",
        "--text=t",
        "--cwd",
        "../new",
    ]);
}

fn moved(ground: &Ground) {
    two_places(ground);
    ground.must_run(&["project", "mv", ".", "../new"]);
}

fn moved_back(ground: &Ground) {
    moved(ground);
    ground.must_run(&["undo", "--cwd", "../new"]);
}
