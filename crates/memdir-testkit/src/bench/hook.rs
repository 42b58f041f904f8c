use std::fs::{self, File};
use std::process::Stdio;
use std::time::Duration;

use camino::{Utf8Path, Utf8PathBuf};
use serde_json::{Value, json};

use super::corpus;
use super::measure::{Table, cpu_of_fed, ratio, shortest_fed};
use super::sandbox::{Bench, true_command};

/// What the client waits for at every turn: whole processes of a hook, at three sizes of the memory directory.
#[must_use]
pub fn hook(program: &Utf8Path) -> Table {
    let mut table = Table::new("Hooks at 10 / 1,000 / 10,000 memories");
    let stores: Vec<Store> = SIZES.iter().map(|size| Store::new(program, *size)).collect();
    for (size, store) in SIZES.iter().zip(&stores) {
        let times = store.compare("SessionStart", |_| json!({"source": "startup"}));
        table.row(&format!("SessionStart, {size} memories : `/bin/true`, wall"), ratio(times), "3 times");
    }
    for (size, store) in SIZES.iter().zip(&stores) {
        let times = store.compare("PostToolUse", |run| {
            let content = format!("{HEADER}The release is on day {run}.\n");
            fs::write(&store.changed, &content).unwrap();
            json!({"tool_name": "Write", "tool_input": {"file_path": store.changed, "content": content}})
        });
        let what = format!("PostToolUse of a changed memory, {size} memories : `/bin/true`, wall");
        table.row(&what, ratio(times), "3 times");
    }
    for (size, store) in SIZES.iter().zip(&stores) {
        let cpu = store.cpu("UserPromptSubmit", |run| json!({"prompt": PROMPTS[run % PROMPTS.len()]}));
        let limit = if *size == 10_000 { "8 ms" } else { "no promise" };
        table.row(
            &format!("UserPromptSubmit with recall, {size} memories, CPU"),
            format!("{cpu:.2} ms"),
            limit,
        );
    }
    table
}

const SIZES: [usize; 3] = [10, 1_000, 10_000];
const RUNS: usize = 201;
const HEADER: &str = "---\nname: changed\ndescription: when we release\nmetadata:\n  type: project\n---\n\n";
const PROMPTS: [&str; 4] = [
    "why does the payment gateway retry, and what did we decide about the rate limiter?",
    "please release the mobile client with the new feature flag",
    "the login form fails with the session store, look at the redis cache first",
    "add a metrics dashboard for the kafka consumer and write a unit test suite",
];

/// A project with memories, searched once, so that everything is as in the middle of a day.
struct Store {
    bench: Bench,
    input: Utf8PathBuf,
    changed: Utf8PathBuf,
}

impl Store {
    fn new(program: &Utf8Path, size: usize) -> Self {
        let bench = Bench::new(program);
        let added =
            ["add", "--type=project", "--name=changed", "--description=when we release", "--text=Soon."];
        assert!(bench.command(&added).output().unwrap().status.success(), "a memory cannot be added");
        corpus::memories(&bench.memory_dir(), size);
        std::thread::sleep(Duration::from_millis(50));
        for arguments in [&["work"][..], &["search", "release"]] {
            let _ = bench.command(arguments).output().unwrap();
        }
        let (input, changed) = (bench.home.root().join("event.json"), bench.memory_dir().join("changed.md"));
        Self { bench, input, changed }
    }

    fn compare(&self, event: &str, mut fields: impl FnMut(usize) -> Value) -> (Duration, Duration) {
        let mut run = 0;
        self.feed(event, run, fields(run));
        let subject = || {
            run += 1;
            self.feed(event, run, fields(run));
            self.bench.command(&["hook", event])
        };
        shortest_fed(RUNS, || self.fed(), subject, true_command)
    }

    fn cpu(&self, event: &str, mut fields: impl FnMut(usize) -> Value) -> f64 {
        self.feed(event, 0, fields(0));
        cpu_of_fed(
            RUNS,
            || self.fed(),
            |run| {
                self.feed(event, run, fields(run));
                self.bench.command(&["hook", event])
            },
        )
    }

    /// Every run is another session: what a session was told once is not recalled again.
    fn feed(&self, event: &str, run: usize, mut fields: Value) {
        fields["hook_event_name"] = event.into();
        fields["session_id"] = format!("{event}-{run}").into();
        fields["cwd"] = self.bench.home.project().as_str().into();
        fs::write(&self.input, fields.to_string()).unwrap();
    }

    fn fed(&self) -> Stdio {
        File::open(&self.input).unwrap().into()
    }
}
