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
    let user = sandbox.home.home().join(".claude/memory");
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
    // A move that was interrupted left the same in both places, and goes on.
    fs::write(memory.join("tabs.md"), &before).unwrap();
    let moved = sandbox.run(["promote", "tabs", "--to", "user"]);
    assert_eq!((moved.code, memory.join("tabs.md").exists()), (0, false), "{}", moved.stderr);
    assert_eq!(fs::read(user.join("tabs.md")).unwrap(), before);
    assert_eq!(sandbox.run(["demote", "tabs", "--to", "project"]).code, 0);
    assert_eq!(fs::read(memory.join("tabs.md")).unwrap(), before);
    assert_eq!(sandbox.run(["demote", "tabs", "--to", "machine"]).code, 0);
    let machine = sandbox.home.home().join(".local/share/memdir/machine-memory");
    assert_eq!(fs::read(machine.join("tabs.md")).unwrap(), before);
    let purged = sandbox.run(["uninstall", "--purge", "--yes"]);
    assert_eq!((purged.code, purged.stderr.contains("not memdir's")), (0, false), "{}", purged.stderr);
    assert_eq!(fs::read(machine.join("tabs.md")).unwrap(), before, "a memory stays");
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
fn json_says_what_is_pinned_ends_or_was_replaced_and_nothing_of_the_others() {
    let (sandbox, _) = project();
    add(&sandbox, "plain", "Use tabs.", &[]);
    add(&sandbox, "freeze", "The code freeze ends soon.", &["--expires", "2030-01-02", "--pin"]);
    add(&sandbox, "old", "The staging port is 6010.", &["--expires", "until release 2.0"]);
    add(&sandbox, "new", "The staging port is 7020.", &["--supersedes", "old"]);
    let listed = json_of(&sandbox, &["ls", "--json"]);
    let said = |item: &Value| -> Vec<Value> {
        ["superseded_by", "pinned", "expires"].map(|field| item[field].clone()).to_vec()
    };
    for (name, expected) in [
        ("plain", [Value::Null, Value::Null, Value::Null]),
        ("freeze", [Value::Null, json!(true), json!("2030-01-02")]),
        ("old", [json!("new"), Value::Null, json!("release 2.0")]),
        ("new", [Value::Null, Value::Null, Value::Null]),
    ] {
        let item = listed["items"].as_array().unwrap().iter().find(|item| item["name"] == name).unwrap();
        assert_eq!(said(item), expected, "{item}");
        assert_eq!(said(&json_of(&sandbox, &["show", name, "--json"])), expected, "{name}");
    }
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

#[test]
fn an_unclear_end_is_refused_and_no_end_in_a_file_stops_recall() {
    let (mut sandbox, memory) = project();
    for end in ["2026-02-30", "12/01/2026", "90", "9999999d", ""] {
        let line = ["add", "The staging port is 6010.", "-n", "port", "--expires", end];
        let added = sandbox.run(line);
        assert_eq!(added.code, 2, "{end:?}: {}", added.stdout);
        assert!(added.stderr.contains("hint: write a day such as 2026-12-01"), "{}", added.stderr);
        assert!(!memory.join("port.md").exists());
    }
    add(&sandbox, "port", "The staging port is 6010.", &["--expires", "in 3 months"]);
    assert_eq!(sandbox.run(["set", "port", "expires", "2026-13-01"]).code, 2);
    let late = sandbox.run(["set", "port", "expires", "2020-01-01"]);
    assert!(late.stderr.contains("counts until 2020-01-01, which is over"), "{}", late.stderr);
    assert!(sandbox.run(["ls"]).stdout.contains("(expired)"));
    // A team mate, an archive or an editor may write anything.
    for end in ["9999999d", "4294967295d", "99999999999999d", "-9999-99-99"] {
        let text = format!(
            "---\nname: port\nmetadata:\n  type: project\n  expires: {end}\n---\nThe staging port is 6010.\n"
        );
        fs::write(memory.join("port.md"), text).unwrap();
        for line in [
            ["ls", "--json"],
            ["recall", "--prompt=which port has staging"],
            ["review", "--due"],
            ["doctor", "--json"],
        ] {
            let done = sandbox.run(line);
            assert!(done.code < 2, "{line:?} with {end}: {}", done.stderr);
        }
        sandbox.stdin = json!({"session_id": end, "prompt": "which port has staging"}).to_string();
        assert_eq!(sandbox.run(["hook", "UserPromptSubmit"]).code, 0);
    }
}

#[test]
fn a_memory_for_all_projects_warns_before_a_tool_call_in_each() {
    let (mut sandbox, _) = project();
    add(&sandbox, "tickets", "Commits name a ticket.", &["--scope", "user"]);
    sandbox.run(["set", "tickets", "when", "Bash(git commit *)", "--scope", "user"]);
    sandbox.run(["config", "set", "features.warnings", "true"]);
    let call = json!({"session_id": "s", "tool_name": "Bash", "tool_input": {"command": "git commit -m x"}});
    sandbox.stdin = call.to_string();
    assert!(sandbox.run(["hook", "PreToolUse"]).stdout.contains("Commits name a ticket."));
    assert_eq!(sandbox.run(["hook", "PreToolUse"]).stdout, "", "once a session");
}

#[test]
fn reading_a_memory_for_all_projects_counts_as_use() {
    let (mut sandbox, _) = project();
    add(&sandbox, "english", "In English.", &["--scope", "user"]);
    let path = sandbox.home.home().join(".claude/memory/english.md");
    sandbox.stdin =
        json!({"session_id": "s", "tool_name": "Read", "tool_input": {"file_path": path}}).to_string();
    sandbox.run(["hook", "PostToolUse"]);
    let usage = json_of(&sandbox, &["usage", "--scope", "user", "--json"]);
    assert_eq!(
        (&usage["items"][0]["read"], &usage["items"][0]["state"]),
        (&json!(1), &json!("used")),
        "{usage}"
    );
}

#[test]
fn what_was_replaced_says_so_wherever_it_is_shown() {
    let (sandbox, _) = project();
    add(&sandbox, "deploy-day", "Deploys happen on Tuesdays.", &[]);
    add(&sandbox, "deploy-thursday", "Deploys happen on Thursdays.", &["--supersedes", "deploy-day"]);
    let hits = json_of(&sandbox, &["search", "deploys happen", "--json"])["hits"].clone();
    let titles =
        hits.as_array().unwrap().iter().map(|hit| (hit["title"].clone(), hit["superseded_by"].clone()));
    let titles: Vec<_> = titles.filter(|(title, _)| title != "MEMORY.md").collect();
    let expected = [(json!("deploy-thursday"), Value::Null), (json!("deploy-day"), json!("deploy-thursday"))];
    assert_eq!(titles, expected);
    assert!(sandbox.run(["search", "deploys happen"]).stdout.contains("replaced by deploy-thursday"));
    assert!(sandbox.run(["ls"]).stdout.contains("(replaced by deploy-thursday)"));
    let shown = sandbox.run(["show", "deploy-day"]);
    assert!(shown.stderr.contains("`deploy-thursday` replaces this memory since 20"), "{}", shown.stderr);
    assert!(shown.stdout.contains("Deploys happen on Tuesdays."));
}

#[test]
fn what_replaces_a_memory_can_be_said_later_and_undone() {
    let (sandbox, memory) = project();
    add(&sandbox, "deploy-day", "Deploys happen on Tuesdays.", &[]);
    add(&sandbox, "rollouts", "Rollouts are on Thursdays.", &[]);
    let before = fs::read(memory.join("deploy-day.md")).unwrap();
    assert_eq!(sandbox.run(["edit", "rollouts", "--supersedes", "deploy-day"]).code, 0);
    let old = fs::read_to_string(memory.join("deploy-day.md")).unwrap();
    assert!(old.contains("superseded_by: rollouts") && old.contains("Deploys happen on Tuesdays."), "{old}");
    let index = fs::read_to_string(memory.join("MEMORY.md")).unwrap();
    assert!(index.contains("rollouts.md") && !index.contains("deploy-day.md"), "{index}");
    assert_eq!(sandbox.run(["undo"]).code, 0);
    assert_eq!(fs::read(memory.join("deploy-day.md")).unwrap(), before);
    assert!(fs::read_to_string(memory.join("MEMORY.md")).unwrap().contains("deploy-day.md"));
}

#[test]
fn background_work_writes_down_what_was_worked_on_for_the_first_prompt() {
    let (sandbox, _) = project();
    fs::create_dir_all(sandbox.cwd.join("src")).unwrap();
    fs::write(sandbox.cwd.join("src/parse.rs"), "").unwrap();
    Git::run(&sandbox.cwd, &["add", "."]);
    Git::run(&sandbox.cwd, &["commit", "-qm", "Parse"]);
    assert_eq!(sandbox.run(["work"]).code, 0);
    let folder = sandbox.home.home().join(".local/share/memdir/cache/recent");
    let known: Vec<_> =
        fs::read_dir(folder).unwrap().map(|entry| fs::read_to_string(entry.unwrap().path())).collect();
    assert!(known.iter().flatten().any(|text| text.lines().any(|line| line == "src/parse.rs")), "{known:?}");
}
