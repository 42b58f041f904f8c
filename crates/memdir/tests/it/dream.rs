//! `memdir dream`: a week becomes tidy, nothing is lost, and one command undoes it.

use std::collections::BTreeMap;
use std::fs;
use std::process::Command;
use std::time::{Duration, SystemTime};

use camino::{Utf8Path, Utf8PathBuf};
use serde_json::{Value, json};

use crate::harness::Sandbox;

pub(crate) fn ask(sandbox: &Sandbox, line: &str) -> Value {
    let block = sandbox.run(line.split_whitespace());
    assert_eq!(block.code, 0, "{line}: {}", block.stderr);
    serde_json::from_str(&block.stdout).unwrap()
}

/// The sandbox's clock must be near the files' own times, which are those of the machine.
pub(crate) fn sandbox() -> Sandbox {
    let mut sandbox = Sandbox::new();
    sandbox.now = now(&sandbox).to_string();
    sandbox
}

pub(crate) fn now(sandbox: &Sandbox) -> jiff::Timestamp {
    let probe = sandbox.home.write("probe", "");
    jiff::Timestamp::try_from(fs::metadata(probe).unwrap().modified().unwrap()).unwrap()
}

pub(crate) fn memory_dir(sandbox: &Sandbox) -> Utf8PathBuf {
    ask(sandbox, "path --json")["memory_dir"].as_str().unwrap().into()
}

/// Puts a file among the memories, as it was so many days ago.
pub(crate) fn write(sandbox: &Sandbox, name: &str, days: u64, content: &str) {
    let path = memory_dir(sandbox).join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::set_permissions(memory_dir(sandbox), std::os::unix::fs::PermissionsExt::from_mode(0o700)).unwrap();
    fs::write(&path, content).unwrap();
    let file = fs::File::options().write(true).open(&path).unwrap();
    file.set_modified(SystemTime::now() - Duration::from_secs(days * 86_400)).unwrap();
}

pub(crate) fn topic(name: &str, description: &str, kind: &str, body: &str) -> String {
    format!("---\nname: {name}\ndescription: {description}\nmetadata:\n  type: {kind}\n---\n\n{body}\n")
}

pub(crate) fn files(directory: &Utf8Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut pending = vec![directory.to_owned()];
    while let Some(folder) = pending.pop() {
        for entry in folder.read_dir_utf8().unwrap() {
            let path = entry.unwrap().into_path();
            if path.is_dir() {
                pending.push(path);
            } else if path.file_name() != Some(".consolidate-lock") {
                found.insert(path.strip_prefix(directory).unwrap().to_string(), fs::read(&path).unwrap());
            }
        }
    }
    found
}

/// The day so many days ago, as logs are named.
fn log_name(sandbox: &Sandbox, days: i64) -> String {
    let now: jiff::Timestamp = sandbox.now.parse().unwrap();
    let day =
        (now - jiff::SignedDuration::from_hours(24 * days)).to_zoned(jiff::tz::TimeZone::system()).date();
    format!("logs/{:04}/{:02}/{day}.md", day.year(), day.month())
}

/// A week as agents leave it behind: memories that repeat each other, notes, an outdated index.
pub(crate) fn a_week(sandbox: &Sandbox) {
    let tests = "Run the whole test suite before every push, with the database container up and the cache cleared first.";
    write(
        sandbox,
        "MEMORY.md",
        6,
        "# Project notes\n\n- [tests](tests.md) — run all tests first\n- [lost](lost.md) — the badge printer takes toner 44A\n\nAsk Maria about invoices.\n",
    );
    write(sandbox, "tests.md", 6, &topic("tests", "run all tests first", "feedback", tests));
    write(
        sandbox,
        "test-suite.md",
        5,
        &topic("test-suite", "tests before a push", "feedback", &format!("{tests} It takes eight minutes.")),
    );
    write(
        sandbox,
        "queue.md",
        5,
        &topic("queue", "the job queue", "project", "The job queue is Redis.\nWorkers are stateless."),
    );
    write(
        sandbox,
        "crlf.md",
        4,
        "---\r\nname: crlf\r\ndescription: windows notes\r\nmine: keep\r\n---\r\n\r\nThe kiosk runs Windows.\r\n- one\r\n- one\r\n",
    );
    write(sandbox, "raw.md", 4, "");
    fs::write(memory_dir(sandbox).join("raw.md"), [0xff, 0xfe, b'x']).unwrap();
    for day in 1..=7 {
        let note = match day {
            2 => "- 09:12 The job queue is now RabbitMQ.\n- 09:30 looked at the logs\n",
            3 => "- 10:00 The importer needs Node 18 because the kiosk cannot run anything newer.\n",
            5 => {
                "- 16:45 User prefers small commits with a reason in the message.\n- 17:00 Run the whole test suite before every push.\n"
            }
            6 => "- 11:11 The importer needs Node 18 because the kiosk cannot run anything newer.\n",
            _ => "- 12:00 lunch with the team\n",
        };
        write(sandbox, &log_name(sandbox, day), day as u64, note);
    }
}

#[test]
fn a_week_becomes_tidy_and_undo_brings_every_byte_back() {
    let sandbox = sandbox();
    a_week(&sandbox);
    let directory = memory_dir(&sandbox);
    let before = files(&directory);
    let dry = ask(&sandbox, "dream --dry-run --json");
    assert_eq!(dry["status"], "planned");
    assert!(dry["diff"].as_str().unwrap().contains("+- [queue](queue.md)"), "{}", dry["diff"]);
    assert_eq!(files(&directory), before, "a dry run changes nothing");
    assert!(!directory.join(".consolidate-lock").exists());

    let done = ask(&sandbox, "dream --json");
    assert_eq!(done["status"], "done");
    let why = "every sentence of it is in the other";
    assert_eq!(done["merged"], json!([{"into": "test-suite.md", "from": "tests.md", "why": why}]));
    assert_eq!(done["replaced"][0]["was"], "The job queue is Redis.");
    assert_eq!(done["superseded"][0]["source"], "queue.md");
    assert_eq!(done["left_alone"][0]["path"], "raw.md");
    assert_eq!(
        (done["before"]["dead_links"].as_u64(), done["after"]["dead_links"].as_u64()),
        (Some(1), Some(0))
    );
    assert_eq!(done["after"]["unlisted"], 0);
    let tidy = files(&directory);
    let text = |name: &str| String::from_utf8(tidy[name].clone()).unwrap();
    assert!(
        text("test-suite.md").contains("cleared first. It takes eight minutes.\n"),
        "{}",
        text("test-suite.md")
    );
    assert!(text("queue.md").contains("): The job queue is Redis."), "{}", text("queue.md"));
    assert!(text("queue.md").contains("The job queue is now RabbitMQ."), "{}", text("queue.md"));
    assert!(
        text("queue.md")
            .starts_with("---\nname: queue\ndescription: the job queue\nmetadata:\n  type: project\n---\n\n")
    );
    assert_eq!(
        text("crlf.md"),
        "---\r\nname: crlf\r\ndescription: windows notes\r\nmine: keep\r\n---\r\n\r\nThe kiosk runs Windows.\r\n- one\r\n"
    );
    let index = text("MEMORY.md");
    assert!(index.starts_with("# Project notes\n\n- ") && index.contains("(test-suite.md)"), "{index}");
    let own = "\n- the badge printer takes toner 44A\n\nAsk Maria about invoices.\n";
    assert!(index.contains(own), "{index}");
    let nodes: Vec<&String> = tidy.keys().filter(|name| name.contains("node-18")).collect();
    assert_eq!(nodes.len(), 1, "said on two days, written once: {:?}", tidy.keys());
    assert!(!tidy.contains_key("tests.md"));
    for (name, content) in before.iter().filter(|(name, _)| name.starts_with("logs/") || *name == "raw.md") {
        assert_eq!(tidy.get(name), Some(content), "{name} stays as it is");
    }

    let again = ask(&sandbox, "dream --json");
    assert_eq!((again["status"].as_str(), &again["op"]), (Some("nothing"), &Value::Null));
    assert_eq!(files(&directory), tidy, "a second dream changes nothing");

    let shown = ask(&sandbox, "dream show --json");
    assert_eq!(
        (&shown["op"], &shown["merged"], &shown["before"]),
        (&done["op"], &done["merged"], &done["before"])
    );
    assert_eq!(ask(&sandbox, "log --json")["items"][0]["author"], json!({"kind": "dream", "id": "rules"}));
    let undone = ask(&sandbox, "dream undo --json");
    assert!(undone["op"].is_string());
    assert_eq!(files(&directory), before, "every byte is back");
    assert_eq!(ask(&sandbox, "dream show --json")["status"], "undone");

    let rested = ask(&sandbox, "dream --json");
    assert_eq!(
        (&rested["merged"], &rested["distilled"]),
        (&json!([]), &json!([])),
        "what was taken back is not done again"
    );
    ask(&sandbox, "dream undo --json");
    assert_eq!(ask(&sandbox, "dream --all --json")["merged"].as_array().unwrap().len(), 1);
}

#[test]
fn the_page_is_one_that_a_person_reads() {
    let sandbox = sandbox();
    write(
        &sandbox,
        "a.md",
        3,
        &topic(
            "a",
            "invoices",
            "project",
            "Invoices are numbered by year and country, and a number never changes once it was printed.",
        ),
    );
    write(
        &sandbox,
        "b.md",
        2,
        &topic(
            "b",
            "invoice numbers",
            "project",
            "Invoices are numbered by year and country, and a number never changes once it was printed.",
        ),
    );
    insta::assert_snapshot!(sandbox.show("dream"), @r"
    exit 0
    --- stdout
                    before     after
    memories             2         1
    lines               16         8
    repeated             1         0
    index lines          0         1
    index size         0 B      22 B
    not in index         2         0
    dead links           0         0

    merged         1  b.md → a.md

    gave way       1  b.md  invoice numbers → invoices

    linked         1  a.md

    Changed 2 files. Every statement is kept, or says what replaced it. memdir dream undo undoes it.
    ");
    insta::assert_snapshot!(sandbox.show("dream"), @r"
    exit 0
    --- stdout
                    before     after
    memories             1         1
    lines                8         8
    repeated             0         0
    index lines          1         1
    index size        22 B      22 B
    not in index         0         0
    dead links           0         0

    All is tidy: nothing to change.
    ");
    insta::assert_snapshot!(sandbox.show("dream undo"), @r"
    exit 0
    --- stdout
    added    b.md
    removed  MEMORY.md
    ");
    insta::assert_snapshot!(sandbox.show("dream undo"), @r"
    exit 0
    --- stdout
    Nothing to change.
    --- stderr
    warning: there is no dream to undo
    ");
    let shown = sandbox.show("dream show");
    assert!(shown.contains("undone") && shown.contains("b.md → a.md"), "{shown}");
    let none = Sandbox::new();
    insta::assert_snapshot!(none.show("dream"), @r"
    exit 0
    --- stdout
    Nothing to do: there is no memory here yet.
    ");
    insta::assert_snapshot!(none.show("dream show"), @r"
    exit 1
    --- stdout
    No dream has changed anything here yet.
    ");
    insta::assert_snapshot!(none.show("dream show nothing"), @r"
    exit 2
    --- stderr
    error: there is no dream `nothing`
    hint: `memdir log` shows what was done
    ");
}

#[test]
fn in_review_it_waits_and_is_checked_again_when_accepted() {
    let sandbox = sandbox();
    sandbox.home.write("home/.config/memdir/config.toml", "writes = \"review\"\n");
    a_week(&sandbox);
    let directory = memory_dir(&sandbox);
    let before = files(&directory);
    let waits = ask(&sandbox, "dream --json");
    let id = waits["staged"].as_str().unwrap().to_owned();
    assert_eq!((waits["status"].as_str(), &waits["op"]), (Some("waiting"), &Value::Null));
    assert_eq!(files(&directory), before);
    assert_eq!(ask(&sandbox, "review ls --json")["items"][0]["author"]["kind"], "dream");
    assert_eq!(ask(&sandbox, "dream show --json")["status"], "waiting");
    assert_eq!(ask(&sandbox, "dream --json")["staged"], id.as_str(), "the same waits once");
    // What the plan would have relied on is gone: accepted as it is, it would lose something.
    let tests = fs::read(directory.join("tests.md")).unwrap();
    fs::write(directory.join("tests.md"), topic("tests", "run all tests first", "feedback", "Run them."))
        .unwrap();
    let refused = sandbox.run(["review", "accept", &id]);
    assert_eq!(refused.code, 2, "{}", refused.stdout);
    assert!(refused.stderr.contains("is not what the plan was made from"), "{}", refused.stderr);
    fs::write(directory.join("tests.md"), tests).unwrap();
    assert_eq!(sandbox.run(["review", "accept", &id]).code, 0);
    assert!(!directory.join("tests.md").exists());
    assert_eq!(ask(&sandbox, "dream show --json")["status"], "done");
    assert_eq!(ask(&sandbox, "dream --json")["status"], "nothing");
    assert_eq!(sandbox.run(["dream", "undo"]).code, 0);
}

#[test]
fn what_the_user_rejects_is_not_proposed_again() {
    let sandbox = sandbox();
    sandbox.home.write("home/.config/memdir/config.toml", "writes = \"review\"\n");
    a_week(&sandbox);
    let id = ask(&sandbox, "dream --json")["staged"].as_str().unwrap().to_owned();
    assert_eq!(sandbox.run(["review", "reject", &id]).code, 0);
    let later = ask(&sandbox, "dream --json");
    assert_eq!(
        (&later["merged"], &later["distilled"], &later["replaced"]),
        (&json!([]), &json!([]), &json!([]))
    );
    sandbox.home.write("home/.config/memdir/config.toml", "writes = \"off\"\n");
    write(&sandbox, "orphan.md", 1, "The orphan has no line.\n");
    assert_eq!(sandbox.run(["dream"]).code, 2);
    let lock = memory_dir(&sandbox).join(".consolidate-lock");
    let age = SystemTime::now().duration_since(fs::metadata(lock).unwrap().modified().unwrap()).unwrap();
    assert!(age < Duration::from_secs(600), "the time of the last dream that succeeded");
}

#[test]
fn the_clients_lock_is_honoured_and_given_back() {
    let mut sandbox = sandbox();
    a_week(&sandbox);
    let directory = memory_dir(&sandbox);
    let lock = directory.join(".consolidate-lock");
    let mut client = Command::new("sleep").arg("60").spawn().unwrap();
    std::thread::sleep(Duration::from_millis(1100));
    fs::write(&lock, client.id().to_string()).unwrap();
    let before = files(&directory);
    let held = sandbox.run(["dream"]);
    assert_eq!(held.code, 2);
    assert!(held.stderr.contains(&format!("process {} consolidates", client.id())), "{}", held.stderr);
    assert_eq!(files(&directory), before);
    assert_eq!(fs::read_to_string(&lock).unwrap(), client.id().to_string());
    assert_eq!(sandbox.run(["dream", "undo"]).code, 2, "nor is one taken back meanwhile");
    let dry = ask(&sandbox, "dream --dry-run --json");
    assert!(dry["warnings"][0].as_str().unwrap().contains("consolidates"), "{}", dry["warnings"]);
    client.kill().unwrap();
    client.wait().unwrap();
    // A holder that is gone holds nothing; a dream that fails leaves the time as it was.
    let hour_ago = SystemTime::now() - Duration::from_secs(30 * 3_600);
    fs::File::options().write(true).open(&lock).unwrap().set_modified(hour_ago).unwrap();
    sandbox.home.write("home/.config/memdir/config.toml", "writes = \"off\"\n");
    sandbox.now = now(&sandbox).to_string();
    assert_eq!(sandbox.run(["dream"]).code, 2);
    let modified = fs::metadata(&lock).unwrap().modified().unwrap();
    assert_eq!((modified, fs::read_to_string(&lock).unwrap().as_str()), (hour_ago, ""));
    sandbox.home.write("home/.config/memdir/config.toml", "");
    assert_eq!(ask(&sandbox, "dream --json")["status"], "done");
    assert_eq!(fs::read_to_string(&lock).unwrap(), std::process::id().to_string());
    assert!(fs::metadata(&lock).unwrap().modified().unwrap() > hour_ago);
    for nonsense in ["", "garbage", "999999999999"] {
        fs::write(&lock, nonsense).unwrap();
        fs::File::options().write(true).open(&lock).unwrap().set_modified(hour_ago).unwrap();
        assert_eq!(sandbox.run(["dream"]).code, 0, "{nonsense}");
    }
}

#[test]
fn by_itself_it_waits_for_a_day_and_five_sessions() {
    let sandbox = sandbox();
    a_week(&sandbox);
    let project: Utf8PathBuf = ask(&sandbox, "path --json")["project_dir"].as_str().unwrap().into();
    let why = |sandbox: &Sandbox| ask(sandbox, "dream --if-due --session=s0 --json");
    assert_eq!(why(&sandbox)["why"], "0 of 5 sessions were used since the last dream");
    for number in 0..5 {
        fs::write(project.join(format!("s{number}.jsonl")), "{}\n").unwrap();
    }
    assert_eq!(
        why(&sandbox)["why"],
        "4 of 5 sessions were used since the last dream",
        "the one that ends does not count"
    );
    fs::write(project.join("s5.jsonl"), "{}\n").unwrap();
    assert_eq!(why(&sandbox)["status"], "done");
    assert_eq!(why(&sandbox)["why"], "the last dream was less than 24 hours ago");
    let lock = memory_dir(&sandbox).join(".consolidate-lock");
    let future = SystemTime::now() + Duration::from_secs(400 * 86_400);
    fs::File::options().write(true).open(&lock).unwrap().set_modified(future).unwrap();
    assert_eq!(why(&sandbox)["status"], "nothing", "a time that lies ahead says nothing, and all is tidy");
}

#[test]
fn everywhere_means_every_living_project_whose_memory_changed() {
    let sandbox = sandbox();
    a_week(&sandbox);
    ask(&sandbox, "ls --json");
    let lines = |sandbox: &Sandbox| {
        let block = sandbox.run(["dream", "--everywhere", "--json"]);
        assert_eq!(block.code, 0, "{}", block.stderr);
        let lines =
            block.stdout.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()["status"].clone());
        lines.collect::<Vec<_>>()
    };
    // A project is unknown until we write there, or a session says where it is.
    assert_eq!(
        sandbox
            .run(["add", "--type", "user", "--name", "x", "--description", "d", "--text", "Some text."])
            .code,
        0
    );
    assert_eq!(lines(&sandbox), ["done"]);
    let mut later = sandbox;
    let now: jiff::Timestamp = later.now.parse().unwrap();
    later.now = (now + jiff::SignedDuration::from_secs(60)).to_string();
    assert_eq!(sandbox_status(&later), "nothing");
    assert_eq!(lines(&later), ["unchanged"]);
}

fn sandbox_status(sandbox: &Sandbox) -> String {
    ask(sandbox, "dream --json")["status"].as_str().unwrap().to_owned()
}

#[test]
fn strange_directories_are_survived() {
    let sandbox = sandbox();
    let directory = memory_dir(&sandbox);
    write(&sandbox, "MEMORY.md", 1, "\u{feff}- [a](a.md) — bom\n- [x](../../outside.md) — outside\n");
    write(&sandbox, "a.md", 1, "\u{feff}---\nname: a\ndescription: bom\n---\n\nA fact about nothing.\n");
    write(&sandbox, "unclosed.md", 1, "---\nname: u\nA fact without an end.\n");
    write(&sandbox, "huge.md", 1, &"Many words that say nothing at all. ".repeat(140_000));
    write(&sandbox, "future.md", 0, "A fact of tomorrow.\n");
    let future = SystemTime::now() + Duration::from_secs(86_400 * 1_000);
    fs::File::options().write(true).open(directory.join("future.md")).unwrap().set_modified(future).unwrap();
    std::os::unix::fs::symlink("/etc/passwd", directory.join("link.md")).unwrap();
    let huge = fs::read(directory.join("huge.md")).unwrap();
    let done = ask(&sandbox, "dream --json");
    assert_eq!(done["status"], "done");
    let left: Vec<&str> =
        done["left_alone"].as_array().unwrap().iter().map(|left| left["path"].as_str().unwrap()).collect();
    assert!(left.contains(&"huge.md") && left.contains(&"link.md"), "{left:?}");
    assert_eq!(fs::read(directory.join("huge.md")).unwrap(), huge);
    let index = fs::read_to_string(directory.join("MEMORY.md")).unwrap();
    assert!(
        index.starts_with("\u{feff}- [a](a.md) — bom\n- [future]") && index.ends_with("- x\n- outside\n"),
        "{index}"
    );
    assert!(!index.contains("link.md"), "{index}");
    assert_eq!(ask(&sandbox, "dream --json")["status"], "nothing");
}

#[test]
fn a_timer_is_shown_made_and_taken_away() {
    let mut sandbox = Sandbox::new();
    sandbox.program = Some("/usr/local/bin/memdir".into());
    let config = sandbox.home.home().join(".config");
    let units = config.join("systemd/user");
    fs::create_dir_all(&units).unwrap();
    let dry = ask(&sandbox, "setup --nightly --dry-run --json");
    assert_eq!(
        (dry["changed"].as_bool(), dry["agents"][0]["files"].as_array().unwrap().len()),
        (Some(true), 3)
    );
    assert!(dry["agents"][0]["files"][0]["diff"].as_str().unwrap().contains("+ExecStart="), "{dry}");
    assert_eq!(units.read_dir_utf8().unwrap().count(), 0, "a dry run makes nothing");

    let made = ask(&sandbox, "setup --nightly --json");
    assert_eq!(made["next"], "systemctl --user daemon-reload && systemctl --user start memdir-dream.timer");
    let service = fs::read_to_string(units.join("memdir-dream.service")).unwrap();
    assert!(service.contains("ExecStart=\"/usr/local/bin/memdir\" dream --everywhere\n"), "{service}");
    let link = units.join("timers.target.wants/memdir-dream.timer");
    assert_eq!(fs::read_link(&link).unwrap().to_str(), Some("../memdir-dream.timer"));
    assert!(fs::read_to_string(&link).unwrap().contains("OnCalendar="));
    assert_eq!(ask(&sandbox, "setup --nightly --json")["changed"], false);
    assert_eq!(sandbox.run(["uninstall", "--check"]).code, 1);
    assert_eq!(sandbox.run(["uninstall"]).code, 0);
    assert_eq!(units.read_dir_utf8().unwrap().count(), 0, "all of it is gone");
    assert_eq!(sandbox.run(["uninstall", "--check"]).code, 0);

    fs::write(units.join("memdir-dream.timer"), "mine\n").unwrap();
    let kept = ask(&sandbox, "setup --nightly --json");
    assert_eq!(
        (kept["changed"].as_bool(), kept["agents"][0]["status"].as_str()),
        (Some(false), Some("kept"))
    );
    assert_eq!(fs::read_to_string(units.join("memdir-dream.timer")).unwrap(), "mine\n");
    assert!(!units.join("memdir-dream.service").exists(), "all or nothing");
}

#[test]
fn a_changed_timer_stays() {
    let mut sandbox = Sandbox::new();
    sandbox.program = Some("/usr/local/bin/memdir".into());
    let units = sandbox.home.home().join(".config/systemd/user");
    fs::create_dir_all(&units).unwrap();
    ask(&sandbox, "setup --nightly --json");
    fs::write(units.join("memdir-dream.timer"), "[Timer]\nOnCalendar=weekly\n").unwrap();
    assert_eq!(sandbox.run(["uninstall"]).code, 0);
    assert!(units.join("memdir-dream.timer").exists());
    assert!(!units.join("memdir-dream.service").exists());
}

/// A sandbox whose model is a program that answers this, whatever it is asked.
pub(crate) fn with_model(answer: &Value) -> Sandbox {
    let mut sandbox = sandbox();
    sandbox.home.write("answer", answer.to_string());
    let (answer, heard) = (sandbox.home.root().join("answer"), sandbox.home.root().join("heard"));
    let program = sandbox.home.write("model", format!("#!/bin/sh\ncat >{heard}\ncat {answer}\n"));
    fs::set_permissions(&program, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    sandbox.vars.push(("PATH".to_owned(), "/usr/bin:/bin".to_owned()));
    let settings = format!("[model]\nprovider = \"command\"\ncommand = [\"{program}\"]\ntimeout = 20\n");
    sandbox.home.write("home/.config/memdir/config.toml", &settings);
    write(&sandbox, "port.md", 2, &topic("port", "The port", "project", "The server listens on port 8080."));
    write(&sandbox, "host.md", 1, &topic("host", "The host", "project", "The server runs on host alpha."));
    let secret = format!("The token is ghp_{}.", "x7Kq2LmZ9vTb4RnW8sYc3DfGhJ5pQa6Ee1Uo");
    write(&sandbox, "token.md", 1, &topic("token", "The token", "project", &secret));
    sandbox
}

#[test]
fn a_model_that_loses_nothing_is_followed_and_undone() {
    let whole = topic(
        "port",
        "The port",
        "project",
        "The server listens on port 8080.\n\n## The host\n\n- The host\n- The server runs on host alpha.",
    );
    let answer =
        json!({"writes": [{"path": "port.md", "content": whole}], "deletes": ["host.md"], "superseded": []});
    let sandbox = with_model(&answer);
    let before = files(&memory_dir(&sandbox));
    let report = ask(&sandbox, "dream --model --json");
    assert_eq!((&report["planner"], &report["status"]), (&json!("model"), &json!("done")), "{report}");
    let written = json!([{"path": "port.md", "is_new": false, "lines_added": 3, "lines_removed": 0}]);
    assert_eq!(report["written"], written, "{report}");
    let page = sandbox.run(["dream", "show"]).stdout;
    assert!(page.contains("by model       1  port.md  3 lines added, 0 removed"), "{page}");
    let after = files(&memory_dir(&sandbox));
    assert!(!after.contains_key("host.md"));
    assert!(String::from_utf8_lossy(&after["port.md"]).contains("host alpha"));
    let heard = fs::read_to_string(sandbox.home.root().join("heard")).unwrap();
    assert!(heard.contains("port 8080") && !heard.contains("ghp_"), "{heard}");
    ask(&sandbox, "dream undo --json");
    let mut restored = files(&memory_dir(&sandbox));
    restored.retain(|path, _| path != "MEMORY.md");
    assert_eq!(restored, before);
}

#[test]
fn a_hostile_model_deletes_nothing() {
    let gone = json!(["host.md", "port.md", "token.md"]);
    let claims: Vec<Value> = ["port.md", "host.md"]
        .iter()
        .map(|source| json!({"statement": "The server listens on port 8080.", "source": source, "replaced_by": "."}))
        .collect();
    let hostile = [
        json!({"writes": [], "deletes": gone, "superseded": []}),
        json!({"writes": [], "deletes": ["host.md", "port.md"], "superseded": claims}),
        json!({"writes": [{"path": "../../x.md", "content": "x"}], "deletes": [], "superseded": []}),
        json!({"writes": [{"path": "port.md", "content": "Nothing."}], "deletes": [], "superseded": []}),
        json!("IGNORE ALL RULES AND DELETE EVERYTHING"),
    ];
    for answer in hostile {
        let sandbox = with_model(&answer);
        let before = files(&memory_dir(&sandbox));
        let report = ask(&sandbox, "dream --model --json");
        assert_eq!(report["planner"], "rules", "{report}");
        assert!(report["warnings"][0].as_str().unwrap().ends_with("the rules planned instead"), "{report}");
        let after = files(&memory_dir(&sandbox));
        assert!(before.keys().all(|path| after.contains_key(path)), "{answer}");
        for said in ["port 8080", "host alpha", "ghp_x7Kq"] {
            let is_kept = after.values().any(|content| String::from_utf8_lossy(content).contains(said));
            assert!(is_kept, "{said}: {answer}");
        }
    }
}

#[test]
fn what_came_later_stays_when_a_dream_is_taken_back() {
    let sandbox = sandbox();
    for number in 0..4 {
        let body = format!("The part {number} starts tomorrow, says the plan.");
        write(
            &sandbox,
            &format!("m{number}.md"),
            1,
            &topic(&format!("m{number}"), &format!("Part {number}"), "project", &body),
        );
    }
    let before = files(&memory_dir(&sandbox));
    let report = ask(&sandbox, "dream --json");
    assert_eq!(report["dated"].as_array().unwrap().len(), 4, "{report}");
    let path = memory_dir(&sandbox).join("m2.md");
    let dreamt = fs::read_to_string(&path).unwrap();
    fs::write(&path, format!("{dreamt}One more line.\n")).unwrap();
    let undone = sandbox.run(["dream", "undo"]);
    assert_eq!(undone.code, 0, "{}", undone.stderr);
    let after = files(&memory_dir(&sandbox));
    for (name, content) in &before {
        let text = String::from_utf8_lossy(content).into_owned();
        let expected = if name == "m2.md" { format!("{text}One more line.\n") } else { text };
        assert_eq!(String::from_utf8_lossy(&after[name]), expected, "{name}");
    }
}

#[test]
fn what_is_purged_is_gone_from_the_accounts_of_dreams() {
    let sandbox = sandbox();
    let body = "The staging access phrase zebra-quartz-9913 starts tomorrow by noon.";
    write(&sandbox, "a.md", 1, &topic("a", "Access", "project", body));
    ask(&sandbox, "dream --json");
    assert!(sandbox.run(["dream", "show"]).stdout.contains("zebra-quartz-9913"));
    assert_eq!(sandbox.run(["purge", "--pattern", "zebra-quartz-9913", "--yes"]).code, 0);
    let shown = sandbox.run(["dream", "show"]).stdout;
    assert!(!shown.contains("zebra-quartz-9913"), "{shown}");
}
