//! Where and how long memories count: the user's, the machine's, those of a branch, and those that end.

use std::fs;

use camino::Utf8PathBuf;
use memdir::Terminal;
use memdir_testkit::Git;
use serde_json::{Value, json};

use crate::harness::Sandbox;

fn project() -> (Sandbox, Utf8PathBuf) {
    let sandbox = Sandbox::new();
    Git::init(&sandbox.cwd, "first");
    let directory = sandbox.run(["path"]).stdout.trim_end().into();
    (sandbox, directory)
}

fn add(sandbox: &Sandbox, name: &str, text: &str, more: &[&str]) {
    let line = ["add", "-t", "project", "-n", name, "-d", &format!("about {name}"), "--text", text];
    let added = sandbox.run(line.iter().chain(more).copied());
    assert_eq!(added.code, 0, "{}", added.stderr);
}

fn json_of(sandbox: &Sandbox, line: &[&str]) -> Value {
    serde_json::from_str(&sandbox.run(line.iter().copied()).stdout).unwrap()
}

/// The kinds of memory that a session gets, in their order.
fn kinds(sandbox: &Sandbox) -> Vec<String> {
    let context = json_of(sandbox, &["context", "--json"]);
    let files = context["files"].as_array().unwrap().iter();
    files.map(|file| file["kind"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn a_session_gets_the_users_the_machines_and_the_branchs_memory_in_one_order() {
    let (mut sandbox, memory) = project();
    Git::run(&sandbox.cwd, &["switch", "-qc", "feature"]);
    add(&sandbox, "release", "Release on Tuesdays after the nightly run.", &[]);
    add(&sandbox, "english", "Commit messages are written in English.", &["--scope", "user"]);
    add(&sandbox, "proxy", "The proxy of this laptop is heron.", &["--scope", "machine"]);
    add(&sandbox, "flag", "The new checkout hides behind the flag osprey.", &["--branch"]);
    assert_eq!(kinds(&sandbox), ["auto_memory", "user_memory", "machine_memory", "branch_memory"]);
    let index = fs::read_to_string(memory.join("MEMORY.md")).unwrap();
    assert!(index.contains("release.md") && !index.contains("flag.md"), "{index}");

    sandbox.stdin = json!({"session_id": "s-1", "source": "startup"}).to_string();
    let start = sandbox.run(["hook", "SessionStart"]).stdout;
    let places = ["english.md", "proxy.md", "flag.md"].map(|name| start.find(name).expect(name));
    assert!(places.is_sorted(), "{start}");
    assert!(!start.contains("release.md"), "the client loads that one itself");

    sandbox.run(["search", "anything"]);
    let ask = |sandbox: &mut Sandbox, session: &str, prompt: &str| {
        sandbox.stdin = json!({"session_id": session, "prompt": prompt}).to_string();
        sandbox.run(["hook", "UserPromptSubmit"]).stdout
    };
    assert!(ask(&mut sandbox, "s-1", "in which language are commit messages written").contains("English"));
    assert!(ask(&mut sandbox, "s-2", "which flag hides the new checkout").contains("osprey"));
    Git::run(&sandbox.cwd, &["switch", "-q", "main"]);
    assert!(!ask(&mut sandbox, "s-3", "which flag hides the new checkout").contains("osprey"));
    assert_eq!(kinds(&sandbox), ["auto_memory", "user_memory", "machine_memory"]);
    assert_eq!(json_of(&sandbox, &["ls", "--scope", "user", "--json"])["items"][0]["name"], "english");
}

#[test]
fn a_memory_is_promoted_and_demoted_byte_for_byte() {
    let (sandbox, memory) = project();
    add(&sandbox, "tabs", "Use tabs.", &[]);
    let before = fs::read(memory.join("tabs.md")).unwrap();
    let user = sandbox.home.home().join(".claude/user-memory");
    let dry = json_of(&sandbox, &["promote", "tabs", "--to", "user", "--dry-run", "--json"]);
    assert_eq!(dry["paths"][0], json!(user.join("tabs.md")));
    assert!(!user.exists());
    let moved = json_of(&sandbox, &["promote", "tabs", "--to", "user", "--json"]);
    assert!(moved["op"].is_string(), "{moved}");
    assert_eq!(fs::read(user.join("tabs.md")).unwrap(), before);
    assert!(fs::read_to_string(user.join("MEMORY.md")).unwrap().contains("tabs.md"));
    assert!(!memory.join("tabs.md").exists());
    assert!(!fs::read_to_string(memory.join("MEMORY.md")).unwrap_or_default().contains("tabs.md"));

    add(&sandbox, "tabs", "Another one.", &[]);
    assert_eq!(sandbox.run(["promote", "tabs", "--to", "user"]).code, 2, "the name is taken there");
    assert_eq!(fs::read(user.join("tabs.md")).unwrap(), before);
    sandbox.run(["rm", "tabs"]);
    assert_eq!(sandbox.run(["demote", "tabs", "--to", "project"]).code, 0);
    assert_eq!(fs::read(memory.join("tabs.md")).unwrap(), before);
    assert_eq!(sandbox.run(["demote", "tabs", "--to", "machine"]).code, 0);
    let machine = sandbox.home.home().join(".claude/machine-memory");
    assert_eq!(fs::read(machine.join("tabs.md")).unwrap(), before);
    assert_eq!(sandbox.run(["promote", "tabs", "--to", "project"]).code, 0);
    assert_eq!(fs::read(memory.join("tabs.md")).unwrap(), before);
    assert_eq!(sandbox.run(["promote", "nothing", "--to", "user"]).code, 2);

    assert_eq!(sandbox.run(["demote", "tabs", "--to", "branch"]).code, 0);
    assert!(fs::read_to_string(memory.join("tabs.md")).unwrap().contains("branch: main"));
    assert!(!fs::read_to_string(memory.join("MEMORY.md")).unwrap_or_default().contains("tabs.md"));
    assert_eq!(sandbox.run(["promote", "tabs", "--to", "project"]).code, 0);
    assert!(fs::read_to_string(memory.join("MEMORY.md")).unwrap().contains("tabs.md"));
}

#[test]
fn a_merged_branch_offers_its_memories_and_a_deleted_one_archives_them() {
    let (sandbox, memory) = project();
    Git::run(&sandbox.cwd, &["switch", "-qc", "feature"]);
    add(&sandbox, "merged", "The new checkout is behind a flag.", &["--branch"]);
    Git::run(&sandbox.cwd, &["switch", "-qc", "spike"]);
    add(&sandbox, "spiked", "The spike uses port 9000.", &["--branch"]);
    sandbox.run(["work"]);
    assert_eq!(sandbox.run(["review"]).code, 1, "nothing was committed on either");
    Git::run(&sandbox.cwd, &["switch", "-q", "feature"]);
    Git::run(&sandbox.cwd, &["commit", "-q", "--allow-empty", "-m", "work"]);
    sandbox.run(["work"]);
    assert_eq!(sandbox.run(["review"]).code, 1, "not merged yet");
    Git::run(&sandbox.cwd, &["switch", "-q", "main"]);
    Git::run(&sandbox.cwd, &["merge", "-q", "--no-ff", "-m", "merge", "feature"]);
    Git::run(&sandbox.cwd, &["branch", "-qD", "spike"]);
    let worked = sandbox.run(["work"]);
    assert_eq!(worked.stderr, "");
    let waiting = sandbox.run(["review"]).stdout;
    assert!(waiting.contains("branch `feature` was merged: keep merged.md everywhere"), "{waiting}");
    assert!(memory.join("archive/spiked.md").exists() && !memory.join("spiked.md").exists());
    sandbox.run(["work"]);
    assert_eq!(sandbox.run(["review"]).stdout.lines().count(), 1, "offered once");
    sandbox.run(["review", "accept", "--all"]);
    assert!(!fs::read_to_string(memory.join("merged.md")).unwrap().contains("branch:"));
    assert!(fs::read_to_string(memory.join("MEMORY.md")).unwrap().contains("merged.md"));
}

#[test]
fn what_expired_is_listed_decided_in_review_and_archived_after_a_week_never_deleted() {
    let (mut sandbox, memory) = project();
    add(&sandbox, "freeze", "The code freeze ends soon.", &["--expires", "2d"]);
    add(&sandbox, "until", "Use the old API.", &["--expires", "until release 2.0"]);
    add(&sandbox, "long", "Certificates are renewed.", &["--expires", "1y"]);
    add(&sandbox, "pinned", "Pinned although it ended.", &["--expires", "2d", "--pin"]);
    let due = |sandbox: &Sandbox| {
        let due = json_of(sandbox, &["review", "--due", "--json"]);
        let items = due["items"].as_array().unwrap().iter();
        let mut names: Vec<String> = items.map(|item| item["name"].as_str().unwrap().to_owned()).collect();
        names.sort();
        names
    };
    assert_eq!(due(&sandbox), ["until"], "only a person knows");
    let now: jiff::Timestamp = sandbox.now.parse().unwrap();
    sandbox.now = (now + jiff::SignedDuration::from_hours(4 * 24)).to_string();
    assert_eq!(due(&sandbox), ["freeze", "pinned", "until"]);
    let doctor = sandbox.run(["doctor"]).stdout;
    assert!(doctor.contains("memdir review --due"), "{doctor}");
    let body = fs::read(memory.join("freeze.md")).unwrap();
    sandbox.run(["work"]);
    assert!(memory.join("freeze.md").exists(), "there is a week to look at it");
    sandbox.now = (now + jiff::SignedDuration::from_hours(11 * 24)).to_string();
    sandbox.run(["work"]);
    assert_eq!(fs::read(memory.join("archive/freeze.md")).unwrap(), body);
    let index = fs::read_to_string(memory.join("MEMORY.md")).unwrap();
    assert!(!index.contains("freeze") && index.contains("pinned.md") && index.contains("long.md"), "{index}");
    assert_eq!(due(&sandbox), ["pinned", "until"]);

    sandbox.terminal = Terminal { stdin: true, stdout: true, ..Terminal::default() };
    sandbox.stdin = "k\na\n".to_owned();
    let reviewed = sandbox.run(["review", "--due"]);
    assert_eq!(reviewed.code, 0, "{}", reviewed.stderr);
    sandbox.terminal = Terminal::default();
    assert_eq!(due(&sandbox), Vec::<String>::new());
    let kept =
        [memory.join("until.md"), memory.join("pinned.md")].iter().filter(|path| path.exists()).count();
    assert_eq!((kept, fs::read_dir(memory.join("archive")).unwrap().count()), (1, 2));
}
