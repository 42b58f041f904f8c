//! `memdir extract` and `memdir today`: what was said in sessions becomes memories, once, and can be undone.

use std::fs;

use camino::Utf8PathBuf;
use serde_json::{Value, json};

use crate::harness::Sandbox;

pub(crate) fn ask(sandbox: &Sandbox, line: &str) -> Value {
    let block = sandbox.run(line.split_whitespace());
    assert_eq!(block.code, 0, "{line}: {}", block.stderr);
    serde_json::from_str(&block.stdout).unwrap()
}

fn project_dir(sandbox: &Sandbox) -> Utf8PathBuf {
    ask(sandbox, "path --json")["project_dir"].as_str().unwrap().into()
}

fn project_root(sandbox: &Sandbox) -> Utf8PathBuf {
    ask(sandbox, "path --json")["root"].as_str().unwrap().into()
}

pub(crate) fn prompt(uuid: &str, text: &str) -> String {
    let line = json!({
        "type": "user", "uuid": uuid, "sessionId": "s", "timestamp": "2026-03-11T10:00:00Z",
        "message": {"role": "user", "content": text},
    });
    format!("{line}\n")
}

pub(crate) fn session(sandbox: &Sandbox, id: &str, lines: &[String]) -> Utf8PathBuf {
    let directory = project_dir(sandbox);
    fs::create_dir_all(&directory).unwrap();
    let path = directory.join(format!("{id}.jsonl"));
    fs::write(&path, lines.concat()).unwrap();
    path
}

pub(crate) fn turns(answer: &Value) -> Vec<String> {
    let memories = answer["memories"].as_array().unwrap().iter();
    memories
        .map(|memory| format!("{} {}", memory["turn"].as_str().unwrap(), memory["type"].as_str().unwrap()))
        .collect()
}

/// The sandbox's clock must be near the files' own times, which are those of the machine.
pub(crate) fn sandbox() -> Sandbox {
    let mut sandbox = Sandbox::new();
    let probe = sandbox.home.write("probe", "");
    let modified = fs::metadata(probe).unwrap().modified().unwrap();
    sandbox.now = jiff::Timestamp::try_from(modified).unwrap().to_string();
    sandbox
}

#[test]
fn only_what_the_user_said_for_good_is_found() {
    let sandbox = sandbox();
    let tool = json!({"type": "user", "uuid": "t1", "message": {"role": "user", "content": [
        {"type": "tool_result", "tool_use_id": "x", "content": "Always use tabs. I prefer tabs."}]}});
    let side = json!({"type": "user", "uuid": "t2", "isSidechain": true, "message": {"role": "user", "content": "Always use tabs."}});
    let meta = json!({"type": "user", "uuid": "t3", "isMeta": true, "message": {"role": "user", "content": "Always use tabs."}});
    let summary = json!({"type": "user", "uuid": "t4", "isCompactSummary": true, "message": {"role": "user", "content": "Always use tabs."}});
    let lines = [
        prompt("u1", "please stop adding docstrings to private functions, they go stale"),
        format!("{tool}\n{side}\n{meta}\n{summary}\n"),
        prompt("u2", "Merge freeze starts Thursday, mobile is cutting the release branch."),
        prompt("u3", "what if we always validated on the server?"),
        "{\"type\":\"user\",\"uuid\":\"u4\",\"message\":{\"content\":\"Always half".to_owned(),
    ];
    let path = sandbox.home.root().join("t.jsonl");
    fs::write(&path, lines.concat()).unwrap();
    let answer = ask(&sandbox, &format!("extract --transcript {path} --dry-run --json"));
    assert_eq!(turns(&answer), ["u1 feedback", "u2 project"]);
    let body = answer["memories"][1]["body"].as_str().unwrap();
    assert!(
        body.contains("Thursday (2026-03-12)")
            && body.starts_with("> ")
            && !body.contains("**How to apply:**"),
        "{body}"
    );
    assert_eq!(ask(&sandbox, "ls --json")["items"], json!([]));
}

#[test]
fn nothing_is_written_twice_and_all_of_it_can_be_taken_back() {
    let sandbox = sandbox();
    let first = prompt("u1", "I'm a data scientist, the Go side of this repo is new to me");
    let path = session(&sandbox, "5c0523b1", std::slice::from_ref(&first));
    let answer = ask(&sandbox, "extract --json");
    assert_eq!(turns(&answer), ["u1 user"]);
    assert_eq!(answer["ops"].as_array().unwrap().len(), 1);
    assert_eq!(turns(&ask(&sandbox, "extract --json")), [""; 0]);
    assert_eq!(turns(&ask(&sandbox, "extract --all --json")), [""; 0], "what is known is recognised");
    fs::write(
        &path,
        [first, prompt("u2", "from now on run the linter before you say that you are done")].concat(),
    )
    .unwrap();
    assert_eq!(turns(&ask(&sandbox, "extract --json")), ["u2 feedback"]);
    assert_eq!(ask(&sandbox, "ls --json")["items"].as_array().unwrap().len(), 2);
    // The client rewrote the file: the line where reading stopped is gone.
    fs::write(&path, prompt("u9", "we don't do default exports here, named exports only please")).unwrap();
    assert_eq!(turns(&ask(&sandbox, "extract --json")), ["u9 feedback"]);
    let log = ask(&sandbox, "log --json");
    assert_eq!(log["items"][0]["author"]["kind"], "extract");
    let op = log["items"][0]["id"].as_str().unwrap();
    assert_eq!(sandbox.run(["undo", op]).code, 0);
    assert_eq!(ask(&sandbox, "ls --json")["items"].as_array().unwrap().len(), 2);
}

#[test]
fn after_a_turn_only_its_own_session_is_read_and_nothing_that_a_program_said() {
    let sandbox = sandbox();
    session(&sandbox, "5c0523b1", &[prompt("u1", "from now on use tabs everywhere in this repo")]);
    let program = json!({
        "type": "user", "uuid": "u2", "timestamp": "2026-03-11T10:00:00Z", "entrypoint": "sdk-cli", "promptSource": "sdk",
        "message": {"role": "user", "content": "From now on always use yarn for the docs."},
    });
    let hook = json!({
        "type": "user", "uuid": "u3", "timestamp": "2026-03-11T10:00:00Z", "turnOrigin": "task_notification",
        "message": {"role": "user", "content": "From now on always use deno for the docs."},
    });
    let own = prompt("u4", "please never force push to a shared branch, ask me first");
    session(&sandbox, "6d0523b1", &[format!("{program}\n{hook}\n"), own]);
    assert_eq!(turns(&ask(&sandbox, "extract --ended 6d0523b1 --json")), ["u4 feedback"]);
    assert_eq!(turns(&ask(&sandbox, "extract --ended nothing --json")), [""; 0]);
    assert_eq!(turns(&ask(&sandbox, "extract --all --json")), ["u1 feedback", "u2 feedback"], "by hand");
}

#[test]
fn while_daily_logs_are_kept_a_turn_adds_to_the_day() {
    let sandbox = sandbox();
    sandbox.home.write("home/.config/memdir/config.toml", "[features]\ndaily_logs = true\n");
    session(&sandbox, "5c0523b1", &[prompt("u1", "from now on use tabs everywhere in this repo")]);
    assert_eq!(turns(&ask(&sandbox, "extract --ended 5c0523b1 --json")), ["u1 feedback"]);
    let today = sandbox.run(["today"]).stdout;
    assert!(today.contains("from now on use tabs everywhere in this repo"), "{today}");
    assert!(!sandbox.run(["ls"]).stdout.contains("feedback"), "no topic file");
}

#[test]
fn what_was_said_in_a_pause_is_never_read() {
    let mut sandbox = sandbox();
    let now: jiff::Timestamp = sandbox.now.parse().unwrap();
    let said = |uuid: &str, minutes: i64, text: &str| {
        let time = now.checked_add(jiff::SignedDuration::from_mins(minutes)).unwrap();
        prompt(uuid, text).replace("2026-03-11T10:00:00Z", &time.to_string())
    };
    let lines = [
        said("u1", -5, "from now on use tabs everywhere in this repo"),
        said("u2", 5, "please never force push to a shared branch, ask me first"),
        said("u3", 15, "from now on run the linter before you say that you are done"),
    ];
    session(&sandbox, "5c0523b1", &lines);
    assert_eq!(sandbox.run(["pause", "--session", "5c0523b1"]).code, 0);
    sandbox.now = now.checked_add(jiff::SignedDuration::from_mins(10)).unwrap().to_string();
    assert_eq!(sandbox.run(["resume", "--session", "5c0523b1"]).code, 0);
    assert_eq!(turns(&ask(&sandbox, "extract --json")), ["u1 feedback", "u3 feedback"]);
    assert_eq!(turns(&ask(&sandbox, "extract --all --json")), [""; 0]);
}

#[test]
fn what_the_agent_wrote_down_itself_is_left_to_it() {
    let sandbox = sandbox();
    let memory = ask(&sandbox, "path --json")["memory_dir"].as_str().unwrap().to_owned();
    let write = json!({"type": "assistant", "uuid": "a1", "message": {"role": "assistant", "content": [
        {"type": "tool_use", "id": "x", "name": "Write", "input": {"file_path": format!("{memory}/tabs.md"), "content": "x"}}]}});
    let lines = [
        prompt("u1", "from now on use tabs everywhere in this repo"),
        format!("{write}\n"),
        prompt("u2", "and never force push to a shared branch, ask me first"),
    ];
    session(&sandbox, "5c0523b1", &lines);
    let answer = ask(&sandbox, "extract --json");
    assert_eq!(turns(&answer), ["u2 feedback"]);
    assert_eq!(answer["skipped"][0]["turn"], "u1");
}

#[test]
fn in_review_it_waits_and_what_was_said_elsewhere_is_known() {
    let sandbox = sandbox();
    sandbox.home.write("home/project/CLAUDE.md", "- Never mock the database in integration tests.\n");
    sandbox.home.write("home/.config/memdir/config.toml", "writes = \"review\"\n");
    let lines = [
        prompt("u1", "never mock the database in the integration tests"),
        prompt("u2", "please stop summarizing what you did at the end of every message"),
    ];
    session(&sandbox, "5c0523b1", &lines);
    let answer = ask(&sandbox, "extract --json");
    assert_eq!(turns(&answer), ["u2 feedback"]);
    assert_eq!(answer["skipped"][0]["why"], "`CLAUDE.md` says it already");
    assert_eq!(answer["waiting"].as_array().unwrap().len(), 1);
    assert_eq!(ask(&sandbox, "ls --json")["items"], json!([]));
    assert_eq!(turns(&ask(&sandbox, "extract --json")), [""; 0], "the mark has moved on");
}

#[test]
fn a_lesson_of_commands_is_learnt() {
    let sandbox = sandbox();
    let call = |uuid: &str, id: &str, command: &str| {
        let line = json!({"type": "assistant", "uuid": uuid, "message": {"role": "assistant", "content": [
            {"type": "tool_use", "id": id, "name": "Bash", "input": {"command": command}}]}});
        format!("{line}\n")
    };
    let result = |id: &str, text: &str, is_error: bool| {
        let line = json!({"type": "user", "uuid": format!("r{id}"), "message": {"role": "user", "content": [
            {"type": "tool_result", "tool_use_id": id, "is_error": is_error, "content": text}]}});
        format!("{line}\n")
    };
    let lines = [
        prompt("u1", "run the tests"),
        call("a1", "1", "npm test"),
        result("1", "npm error Missing script: \"test\"", true),
        call("a2", "2", "pnpm test"),
        result("2", "42 passed", false),
    ];
    session(&sandbox, "5c0523b1", &lines);
    let answer = ask(&sandbox, "extract --dry-run --json");
    assert_eq!(turns(&answer), ["a2 project"]);
    assert_eq!(answer["memories"][0]["name"], "run-pnpm-test");
}

#[test]
fn an_unknown_session_is_an_error_that_names_it() {
    let block = sandbox().run(["extract", "--session", "nothing"]);
    assert_eq!(block.code, 2);
    assert!(block.stderr.contains("there is no session `nothing`"), "{}", block.stderr);
}

#[test]
fn the_log_of_the_day_grows_item_by_item() {
    let mut sandbox = Sandbox::new();
    assert_eq!(sandbox.run(["today"]).stdout, "");
    let first = ask(&sandbox, "today add --json the importer needs Node 18");
    let path = first["paths"][0].as_str().unwrap().to_owned();
    sandbox.stdin = "two lines\nof one item\n".to_owned();
    ask(&sandbox, "today add --json -");
    let text = fs::read_to_string(&path).unwrap();
    let untimed: Vec<&str> =
        text.lines().map(|line| if line.starts_with("- ") { &line[8..] } else { line }).collect();
    assert_eq!(untimed, ["the importer needs Node 18", "two lines", "  of one item"], "{text}");
    assert!(path.contains("/logs/20") && path.ends_with(".md"), "{path}");
    assert_eq!(ask(&sandbox, "today --json")["text"], text);
    assert_eq!(sandbox.run(["today"]).stdout, text, "a line ends where it should");
    let authors: Vec<Value> = ask(&sandbox, "log --json")["items"]
        .as_array()
        .unwrap()
        .iter()
        .map(|item| item["author"]["kind"].clone())
        .collect();
    assert_eq!(authors, ["person", "person"], "no one else wrote it");
    assert!(!sandbox.run(["doctor"]).stdout.contains("memory-without-type"));
    assert_eq!(sandbox.run(["today", "add", " "]).code, 2);
}

#[test]
fn the_index_follows_a_correction_of_what_a_person_added_unless_they_chose_its_words() {
    let correction = [prompt("u1", "From now on use pnpm instead of yarn in the web client.")];
    for (arguments, line) in [
        (&[][..], "Use pnpm instead of yarn in the web client."),
        (&["-d", "how packages are installed"], "how packages are installed"),
    ] {
        let sandbox = sandbox();
        let added = ["add", "Use yarn 1 in the web client.", "-t", "feedback", "-n", "use-yarn"];
        assert_eq!(sandbox.run(added.iter().chain(arguments).copied()).code, 0);
        session(&sandbox, "5c0523b1", &correction);
        let answer = ask(&sandbox, "extract --json");
        assert_eq!(answer["memories"][0]["updates"], "use-yarn.md", "{answer}");
        let item = ask(&sandbox, "ls --json")["items"][0].clone();
        let path = Utf8PathBuf::from(item["path"].as_str().unwrap());
        assert!(fs::read_to_string(&path).unwrap().contains("Use yarn 1 in the web client."));
        let index = fs::read_to_string(path.with_file_name("MEMORY.md")).unwrap();
        assert_eq!(index.trim_end(), format!("- [use-yarn](use-yarn.md) — {line}"));
    }
}

#[test]
fn a_correction_is_an_update_and_the_index_follows() {
    let corrections = [
        (
            "The release is due on 2026-12-01 because of the fair.",
            "The release is due on 2026-12-15 because of the fair.",
        ),
        (
            "We have to support Node 16 because of the kiosk vendor.",
            "We have to support Node 18 because of the kiosk vendor.",
        ),
        (
            "I prefer tabs over spaces in this repo, always.",
            "I prefer spaces over tabs in this repo, always.",
        ),
        ("From now on always use npm for installs.", "From now on never use npm for installs, use pnpm."),
    ];
    for (before, after) in corrections {
        let sandbox = sandbox();
        let path = session(&sandbox, "5c0523b1", &[prompt("u1", before)]);
        let [first] = turns(&ask(&sandbox, "extract --json")).try_into().unwrap();
        fs::write(&path, [prompt("u1", before), prompt("u2", after)].concat()).unwrap();
        let answer = ask(&sandbox, "extract --json");
        let [second] = turns(&answer).try_into().unwrap();
        assert_eq!(first.replace("u1", "u2"), second);
        assert!(answer["memories"][0]["updates"].is_string(), "{answer}");
        let items = ask(&sandbox, "ls --json")["items"].clone();
        let [item] = items.as_array().unwrap().as_slice() else { panic!("{items}") };
        let text = fs::read_to_string(item["path"].as_str().unwrap()).unwrap();
        assert!(text.contains(before) && text.contains(after), "{text}");
        let index = Utf8PathBuf::from(item["path"].as_str().unwrap()).with_file_name("MEMORY.md");
        let index = fs::read_to_string(index).unwrap();
        let end = after.trim_end_matches('.');
        assert!(index.contains(&end[end.len() - 12..]), "{index}");
        // In one breath it is the same.
        let once = self::sandbox();
        session(&once, "5c0523b1", &[prompt("u1", before), prompt("u2", after)]);
        assert_eq!(turns(&ask(&once, "extract --json")).len(), 2);
        let items = ask(&once, "ls --json")["items"].clone();
        let text = fs::read_to_string(items[0]["path"].as_str().unwrap()).unwrap();
        assert!(
            items.as_array().unwrap().len() == 1 && text.contains(before) && text.contains(after),
            "{text}"
        );
    }
}

#[test]
fn what_was_removed_or_taken_back_does_not_come_again() {
    let sandbox = sandbox();
    let lines = [
        prompt("u1", "please stop adding docstrings to private functions, they go stale"),
        prompt("u2", "we don't do default exports here, named exports only please"),
    ];
    session(&sandbox, "5c0523b1", &lines);
    let answer = ask(&sandbox, "extract --json");
    assert_eq!(ask(&sandbox, "extract --dry-run --json")["memories"], json!([]), "a dry run reads on, too");
    let name = answer["memories"][0]["name"].as_str().unwrap().to_owned();
    assert_eq!(sandbox.run(["rm", &name]).code, 0);
    // The client goes on with a copy of the session.
    session(&sandbox, "77777777", &lines);
    let again = ask(&sandbox, "extract --json");
    assert_eq!(turns(&again), [""; 0]);
    assert!(again["skipped"][0]["why"].as_str().unwrap().contains("then deleted"), "{again}");
    let op = answer["ops"][0].as_str().unwrap().to_owned();
    assert_eq!(sandbox.run(["undo", &op]).code, 0);
    assert_eq!(turns(&ask(&sandbox, "extract --all --json")), [""; 0]);
    // A user who says it again means it.
    session(
        &sandbox,
        "88888888",
        &[prompt("u9", "we don't do default exports here, named exports only please")],
    );
    assert_eq!(turns(&ask(&sandbox, "extract --json")), ["u9 feedback"]);
    let fresh = self::sandbox();
    session(&fresh, "5c0523b1", &lines);
    let extracted = fresh.run(["extract"]).stdout;
    let (_, id) = extracted.split_once("To undo it: memdir undo ").unwrap();
    assert_eq!(id.trim().len(), 8, "a beginning is enough: {extracted}");
    let shown = fresh.run(["undo", id.trim()]);
    assert!(shown.stdout.contains("(by extraction, just now): remember what was said"), "{}", shown.stdout);
}

#[test]
fn what_is_taken_back_a_turn_later_goes_again() {
    let sandbox = sandbox();
    let said = [
        prompt("u1", "we don't do default exports here, named exports only please"),
        prompt("u2", "from now on use British spelling in everything passengers see"),
        prompt("u3", "never mind the CPU panel"),
        prompt("u4", "wait, no, forget that"),
    ];
    let mut names = Vec::new();
    for end in 1..=said.len() {
        session(&sandbox, "5c0523b1", &said[..end]);
        ask(&sandbox, "extract --json");
        names.push(ask(&sandbox, "ls --json")["items"].as_array().unwrap().len());
    }
    assert_eq!(names, [1, 2, 2, 1], "after each turn the hook has written down what was said");
    assert_eq!(turns(&ask(&sandbox, "extract --all --json")), [""; 0]);
    assert_eq!(ask(&sandbox, "ls --json")["items"].as_array().unwrap().len(), 1);
}

#[test]
fn of_two_decisions_in_one_session_the_later_holds_and_both_days_stand() {
    let sandbox = sandbox();
    let first = prompt("u1", "We decided to use Kafka for the events because Redis loses messages.");
    let later =
        prompt("u2", "We decided to use RabbitMQ instead of Kafka because nobody here can run Kafka.")
            .replace("2026-03-11T10", "2026-03-13T10");
    session(&sandbox, "5c0523b1", &[first, later]);
    let answer = ask(&sandbox, "extract --json");
    assert_eq!(turns(&answer), ["u1 project", "u2 project"], "{answer}");
    let items = ask(&sandbox, "ls --json")["items"].clone();
    let [item] = items.as_array().unwrap().as_slice() else { panic!("{items}") };
    assert!(item["description"].as_str().unwrap().contains("RabbitMQ"), "{item}");
    let text = sandbox.run(["show", item["name"].as_str().unwrap()]).stdout;
    for said in [
        "use Kafka for the events",
        "**Said:** 2026-03-11",
        "**Since 2026-03-13:** We decided to use RabbitMQ",
    ] {
        assert!(text.contains(said), "{said}: {text}");
    }
}

#[test]
fn undo_right_after_an_extraction_takes_all_of_it_back() {
    let sandbox = sandbox();
    assert_eq!(
        sandbox
            .run([
                "add",
                "--type",
                "project",
                "--name",
                "mine",
                "--description",
                "d",
                "--text",
                "My own note."
            ])
            .code,
        0
    );
    session(&sandbox, "5c0523b1", &[prompt("u1", "from now on use tabs everywhere in this repo")]);
    session(
        &sandbox,
        "6d0523b1",
        &[prompt("u2", "I'm a data scientist, the Go side of this repo is new to me")],
    );
    let answer = ask(&sandbox, "extract --json");
    assert_eq!(answer["ops"].as_array().unwrap().len(), 2, "{answer}");
    let undone = sandbox.run(["undo"]);
    assert_eq!(undone.code, 0, "{}", undone.stderr);
    assert!(
        undone.stdout.contains("(by extraction, just now): remember what was said in session"),
        "{}",
        undone.stdout
    );
    let names = |items: &Value| -> Vec<String> {
        items["items"]
            .as_array()
            .unwrap()
            .iter()
            .map(|item| item["name"].as_str().unwrap().to_owned())
            .collect()
    };
    assert_eq!(names(&ask(&sandbox, "ls --json")), ["mine"]);
    assert_eq!(sandbox.run(["undo"]).code, 0, "then the user's own");
    assert_eq!(names(&ask(&sandbox, "ls --json")), [""; 0]);
}

#[test]
fn what_the_manifest_says_is_not_remembered() {
    let sandbox = sandbox();
    let root = project_root(&sandbox);
    fs::write(
        root.join("package.json"),
        "{\"devDependencies\": {\n  \"vitest\": \"^2\",\n  \"react\": \"^19\"\n}}",
    )
    .unwrap();
    session(
        &sandbox,
        "5c0523b1",
        &[
            prompt("u1", "in this repo we use React and Vitest, always"),
            prompt("u2", "in this repo we use Playwright for the browser tests, always"),
        ],
    );
    let answer = ask(&sandbox, "extract --dry-run --json");
    assert_eq!(turns(&answer), ["u2 feedback"], "{answer}");
    assert_eq!(answer["skipped"][0]["why"], "`package.json` says it already");
}

#[test]
fn status_says_how_far_extraction_and_dreams_are() {
    let sandbox = sandbox();
    let path = session(&sandbox, "5c0523b1", &[prompt("u1", "from now on use tabs everywhere in this repo")]);
    let status = ask(&sandbox, "status --json");
    assert_eq!(
        (&status["extraction"]["last_run"], &status["extraction"]["sessions_behind"]),
        (&Value::Null, &json!(1))
    );
    ask(&sandbox, "extract --json");
    let status = ask(&sandbox, "status --json");
    let extraction = &status["extraction"];
    assert_eq!(
        (&extraction["sessions_behind"], &extraction["bytes_behind"]),
        (&json!(0), &json!(0)),
        "{status}"
    );
    assert!(extraction["last_run"].is_string() && extraction["by_itself"] == json!(false), "{status}");
    let more = prompt("u2", "thanks");
    fs::write(&path, [fs::read_to_string(&path).unwrap(), more.clone()].concat()).unwrap();
    assert_eq!(ask(&sandbox, "status --json")["extraction"]["bytes_behind"], json!(more.len()));
    assert_eq!(
        status["dream"]["not_due"],
        json!("1 of 5 sessions were used since the last dream"),
        "{status}"
    );
    ask(&sandbox, "dream --json");
    sandbox.home.write("home/.config/memdir/config.toml", "[features]\ndream = true\nextract = true\n");
    let shown = sandbox.run(["status"]).stdout;
    let unread = format!("extract   after every turn; last just now; {} B of 1 session to read", more.len());
    assert!(shown.contains(&unread), "{shown}");
    assert!(shown.contains("dream     at the end of sessions; last just now; not due: the last dream was less than 24 hours ago"), "{shown}");
}

/// What the Stop hook answers at the end of a turn of the session `5c0523b1`.
fn stop(sandbox: &mut Sandbox, transcript: &Utf8PathBuf, is_answer: bool) -> String {
    let cwd = project_root(sandbox);
    let event = json!({
        "hook_event_name": "Stop", "session_id": "5c0523b1", "transcript_path": transcript, "cwd": cwd,
        "stop_hook_active": is_answer,
    });
    sandbox.stdin = event.to_string();
    let block = sandbox.run(["hook", "Stop"]);
    sandbox.stdin = String::new();
    assert_eq!(block.code, 0, "{}", block.stderr);
    block.stdout
}

#[test]
fn the_agent_is_asked_once_to_save_what_it_did_not() {
    let mut sandbox = sandbox();
    sandbox.home.write("home/.config/memdir/config.toml", "extract = \"ask\"\n");
    assert_eq!(sandbox.run(["add", "-n", "port", "The staging port is 7001"]).code, 0);
    let said = |number: usize, text: &str| prompt(&format!("u{number}"), text);
    let mut lines = vec![said(1, "how do I run the tests?")];
    let transcript = session(&sandbox, "5c0523b1", &lines);
    assert_eq!(stop(&mut sandbox, &transcript, false), "", "nothing to save");
    let next = |lines: &mut Vec<String>, text: &str, sandbox: &mut Sandbox, is_answer: bool| {
        lines.push(said(lines.len() + 1, text));
        session(sandbox, "5c0523b1", lines);
        stop(sandbox, &transcript, is_answer)
    };
    let asked = next(&mut lines, "please never force push to a shared branch", &mut sandbox, false);
    let asked: Value = serde_json::from_str(&asked).unwrap();
    assert_eq!(asked["decision"], "block");
    let reason = asked["reason"].as_str().unwrap();
    assert!(
        reason.contains("Never force push to a shared branch") && reason.lines().count() == 1,
        "{reason}"
    );
    assert_eq!(stop(&mut sandbox, &transcript, true), "", "its answer causes no second question");
    assert_eq!(stop(&mut sandbox, &transcript, false), "", "nor does the same thing");
    // What comes soon after waits, and is asked about when five turns have ended.
    let rule = "from now on write commit messages in English";
    assert_eq!(next(&mut lines, rule, &mut sandbox, false), "", "too soon");
    let mut answers = Vec::new();
    for _ in 0..4 {
        answers.push(next(&mut lines, "go on", &mut sandbox, false));
    }
    assert_eq!(
        answers.iter().filter(|answer| answer.contains("ommit messages in English")).count(),
        1,
        "{answers:?}"
    );
    // What the user does not want on record is never asked about.
    for _ in 0..6 {
        answers.push(next(&mut lines, "go on", &mut sandbox, false));
    }
    let secret = "off the record: from now on never merge what Dana writes";
    assert_eq!(next(&mut lines, secret, &mut sandbox, false), "");
}

#[test]
fn the_agent_is_not_asked_about_what_it_saved() {
    let mut sandbox = sandbox();
    sandbox.home.write("home/.config/memdir/config.toml", "extract = \"ask\"\n");
    assert_eq!(sandbox.run(["add", "-n", "port", "The staging port is 7001"]).code, 0);
    let memory = ask(&sandbox, "path --json")["memory_dir"].as_str().unwrap().to_owned();
    let wrote = json!({"type": "assistant", "uuid": "a1", "message": {"role": "assistant", "content": [
        {"type": "tool_use", "id": "x", "name": "Write", "input": {"file_path": format!("{memory}/push.md"), "content": "x"}}]}});
    let lines = [prompt("u1", "please never force push to a shared branch"), format!("{wrote}\n")];
    let transcript = session(&sandbox, "5c0523b1", &lines);
    assert_eq!(stop(&mut sandbox, &transcript, false), "");
    sandbox.home.write("home/.config/memdir/config.toml", "extract = \"off\"\n");
    let transcript = session(&sandbox, "6d0523b1", &[prompt("u1", "please never force push to main")]);
    assert_eq!(stop(&mut sandbox, &transcript, false), "", "off");
}
