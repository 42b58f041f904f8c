//! `memdir search` and what belongs to it.

use std::collections::BTreeMap;
use std::fs;
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use camino::Utf8PathBuf;
use serde_json::Value;

use crate::harness::Sandbox;

fn project_dir(sandbox: &Sandbox) -> Utf8PathBuf {
    let memory: Utf8PathBuf = sandbox.run(["path"]).stdout.trim_end().into();
    memory.parent().unwrap().to_owned()
}

/// A project with two memories, instructions, and a session with one statement.
fn project() -> Sandbox {
    let sandbox = Sandbox::new();
    let folder = project_dir(&sandbox);
    let write = |path: &str, text: &str| {
        let path = folder.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    write(
        "memory/tabs.md",
        "---\nname: tabs\ndescription: wants tabs\ntype: feedback\n---\nUse tabs, never spaces.\n",
    );
    write("memory/team/deploy.md", "---\nname: deploy\ntype: project\n---\nNo deploys on Friday.\n");
    let turns = [
        ("u1", "user", "Why is the tunnel to the database down?"),
        ("u2", "assistant", "The certificate expired."),
    ];
    let line = |(uuid, role, text): (&str, &str, &str)| {
        format!(
            "{{\"type\":\"{role}\",\"uuid\":\"{uuid}\",\"sessionId\":\"s1\",\"timestamp\":\"2026-11-14T10:00:00Z\",\"gitBranch\":\"main\",\"cwd\":\"/x\",\"message\":{{\"role\":\"{role}\",\"content\":\"{text}\"}}}}\n"
        )
    };
    write("s1.jsonl", &turns.map(line).concat());
    sandbox.home.write("home/project/CLAUDE.md", "Run the linter before every commit.\n");
    sandbox
}

fn hits(sandbox: &Sandbox, arguments: &[&str]) -> Vec<(String, String)> {
    let block = sandbox.run(["search", "--json"].iter().chain(arguments).copied());
    let answer: Value = serde_json::from_str(&block.stdout).unwrap_or_else(|_| panic!("{}", block.stderr));
    assert_eq!((answer["v"].as_u64(), answer["partial"].as_bool()), (Some(1), Some(false)));
    let hits = answer["hits"].as_array().unwrap();
    assert_eq!(block.code, u8::from(hits.is_empty()));
    let text = |hit: &Value, key: &str| hit[key].as_str().unwrap_or_default().to_owned();
    hits.iter()
        .map(|hit| (text(hit, "path").rsplit('/').next().unwrap().to_owned(), text(hit, "in")))
        .collect()
}

fn check(sandbox: &Sandbox, arguments: &[&str], expected: &[(&str, &str)]) {
    let expected: Vec<_> =
        expected.iter().map(|(path, scope)| ((*path).to_owned(), (*scope).to_owned())).collect();
    assert_eq!(hits(sandbox, arguments), expected, "{arguments:?}");
}

#[test]
fn every_part_of_a_project_is_found() {
    let sandbox = project();
    check(&sandbox, &["tabs", "or", "spaces"], &[("tabs.md", "memories")]);
    check(&sandbox, &["friday deploy"], &[("deploy.md", "team")]);
    check(&sandbox, &["linter"], &[("CLAUDE.md", "instructions")]);
    check(&sandbox, &["tunnel"], &[]);
    // The turn after it does not say the word, and is not shown.
    check(&sandbox, &["in:sessions tunnel"], &[("s1.jsonl", "sessions")]);
    check(&sandbox, &["--in", "sessions", "certificate", "-n1"], &[("s1.jsonl", "sessions")]);
    check(&sandbox, &["--in", "team", "tabs"], &[]);
    check(&sandbox, &["project:home-project tabs"], &[("tabs.md", "memories")]);
    check(&sandbox, &["project:elsewhere tabs"], &[]);
    check(&sandbox, &["--in=all", "tabs", "--no-scan"], &[("tabs.md", "memories")]);
}

#[test]
fn journal_logs_agents_and_linked_instructions_are_found() {
    let sandbox = project();
    let folder = project_dir(&sandbox);
    let write = |path: &Utf8PathBuf, text: &str| {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    let journal = folder.parent().unwrap().join("project");
    let cwd = &sandbox.cwd;
    write(&journal.join("_session.json"), &format!("{{\"active\":true,\"projectPath\":\"{cwd}\"}}"));
    write(&journal.join("_index.md"), "# Memory Index\n\nSee the decision on quaggas.\n");
    write(
        &journal.join("decisions/001-quagga.md"),
        "# Decision 001: quaggas\n\nWe keep quaggas in the barn.\n",
    );
    write(&journal.join("subagent/20261115-101010-task.md"), "Counted the okapi twice.\n");
    write(&folder.join("memory/logs/2026/11/2026-11-14.md"), "- fed the tapir\n");
    write(&sandbox.home.home().join(".claude/agent-memory/keeper/MEMORY.md"), "- The lemur bites.\n");
    write(&cwd.join("AGENTS.md"), "Always greet the wombat.\n");
    fs::remove_file(cwd.join("CLAUDE.md")).unwrap();
    std::os::unix::fs::symlink("AGENTS.md", cwd.join("CLAUDE.md")).unwrap();
    check(&sandbox, &["quaggas barn", "-n1"], &[("001-quagga.md", "journal")]);
    check(&sandbox, &["in:journal okapi"], &[("20261115-101010-task.md", "journal")]);
    check(&sandbox, &["tapir"], &[("2026-11-14.md", "logs")]);
    check(&sandbox, &["lemur"], &[("MEMORY.md", "agents")]);
    check(&sandbox, &["wombat"], &[("CLAUDE.md", "instructions")]);
    check(&sandbox, &["project:\"home-project\" tabs"], &[("tabs.md", "memories")]);
}

#[test]
fn a_hit_has_what_the_contract_says() {
    let sandbox = project();
    let block = sandbox.run(["search", "--json", "--in", "sessions", "database", "tunnel", "-n", "1"]);
    let answer: Value = serde_json::from_str(&block.stdout).unwrap();
    let hit = &answer["hits"][0];
    assert_eq!(
        (hit["line"].as_u64(), hit["age_days"].as_u64(), hit["uuid"].as_str()),
        (Some(1), Some(1), Some("u1"))
    );
    assert_eq!(hit["snippet"], "Why is the tunnel to the database down?");
    assert_eq!((hit["title"].as_str(), hit["type"].as_str()), (hit["snippet"].as_str(), Some("session")));
    assert!(hit["score"].as_f64().unwrap() > 0.0);
}

#[test]
fn lines_are_answered_in_order() {
    let mut sandbox = project();
    sandbox.stdin =
        "{\"qid\":1,\"query\":\"certificate\"}\nnonsense\n{\"qid\":\"b\",\"query\":\"zzz\"}\n".into();
    let folder = project_dir(&sandbox);
    let block = sandbox.run(["search", "--transcripts", folder.as_str(), "--jsonl", "-n", "1"]);
    let lines: Vec<Value> = block.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines[0], serde_json::json!({"v": 1, "qid": 1, "ranked": ["u2"]}));
    assert!(lines[1]["error"].is_string() && lines[1]["v"] == 1);
    assert_eq!((block.code, &lines[2]["ranked"]), (0, &serde_json::json!([])));
    sandbox.stdin = "{\"qid\":1,\"query\":\"tabs\"}\n".into();
    let block = sandbox.run(["search", "--dir", folder.join("memory").as_str(), "--jsonl"]);
    let expected = serde_json::json!({"v": 1, "qid": 1, "ranked": [folder.join("memory/tabs.md")]});
    assert_eq!(serde_json::from_str::<Value>(&block.stdout).unwrap(), expected);
}

#[test]
fn what_cannot_be_searched_is_said() {
    let sandbox = project();
    let check = |arguments: &[&str], code: u8, message: &str| {
        let block = sandbox.run(["search"].iter().chain(arguments).copied());
        assert_eq!(block.code, code, "{}", block.stderr);
        assert!(block.stderr.contains(message), "{}", block.stderr);
    };
    check(&[], 2, "nothing to search for");
    check(&["--in", "limbo", "x"], 2, "unknown search location `limbo`");
    check(&["--dir", "nowhere", "x"], 2, "cannot search `nowhere`");
    check(&["the", "of"], 1, "every word of the query is too common to search for");
    check(&["--", "-tabs"], 1, "only excluded words");
    check(&["?!"], 1, "no word to look for");
    check(&["\u{1f980}"], 1, "no word to look for");
    check(&["tunnel"], 1, "nothing found; past sessions were not looked into: add `--in sessions`\n");
    check(&["--in", "team", "zzzqqq"], 1, "nothing found\n");
    check(&["in:journal zzzqqq"], 1, "nothing found\n");
    check(&["postgers", "tabz"], 0, "No `tabz`; looked for `tabs`.");
    check(&["tbas"], 0, "No `tbas`; looked for `tabs`.");
    check(&["in:nowhere", "tabs"], 0, "warning: `in:nowhere` is not a filter");
    check(&["since:banana", "tabs"], 0, "`since:` takes a day or a time");
    check(&["type:bogus", "tabs"], 1, "memories are user, feedback, project or reference");
    let block = sandbox.run(["search", "--json", "role:banana tabs"]);
    let answer: Value = serde_json::from_str(&block.stdout).unwrap();
    let warning =
        "`role:banana` is not a filter, so its words are searched for; `role:` takes user or assistant";
    assert_eq!(answer["warnings"], serde_json::json!([warning]));
    assert_eq!(answer["hits"][0]["title"], "tabs");
}

#[test]
fn where_nothing_fits_the_nearest_is_named_as_such() {
    let sandbox = project();
    let block = sandbox.run(["search", "--json", "kubernetes ingress certificate tabs"]);
    let answer: Value = serde_json::from_str(&block.stdout).unwrap();
    assert_eq!((block.code, answer["hits"].as_array().map(Vec::len)), (1, Some(0)), "{answer}");
    assert_eq!(answer["nearest"][0]["title"], "tabs", "{answer}");
    let block = sandbox.run(["search", "kubernetes ingress certificate tabs"]);
    assert_eq!(block.code, 1);
    assert!(block.stderr.contains("nothing found; nearest:"), "{}", block.stderr);
    let block = sandbox.run(["search", "--json", "zzzqqq"]);
    let answer: Value = serde_json::from_str(&block.stdout).unwrap();
    assert_eq!((&answer["hits"], &answer["nearest"]), (&serde_json::json!([]), &serde_json::json!([])));
}

#[test]
fn recall_gives_what_matters_once_a_session() {
    let sandbox = project();
    let recall = |session: &str, prompt: &str| {
        let block =
            sandbox.run(["recall", "--json", "--budget", "400", "--session", session, "--prompt", prompt]);
        let answer: Value = serde_json::from_str(&block.stdout).unwrap();
        let memories = answer["memories"].as_array().unwrap();
        let names: Vec<String> =
            memories.iter().map(|memory| memory["name"].as_str().unwrap().to_owned()).collect();
        assert!(answer["tokens"].as_u64().unwrap() <= 400);
        (block.code, names)
    };
    let prompt = "may we deploy on friday?";
    assert_eq!(
        recall("new", "may we use tabs or spaces?"),
        (0, vec!["tabs".to_owned()]),
        "there was no index"
    );
    let late = project_dir(&sandbox).join("memory/late.md");
    fs::write(late, "---\nname: late\ndescription: Zebra crossing\n---\nZebra crossing.\n").unwrap();
    assert_eq!(recall("new", "zebra crossing"), (1, vec![]), "recall never scans");
    sandbox.run(["search", "anything"]);
    assert_eq!(recall("new", "zebra crossing"), (0, vec!["late".to_owned()]));
    assert_eq!(recall("a", prompt), (0, vec!["deploy".to_owned()]));
    assert_eq!(recall("a", prompt), (1, vec![]));
    assert_eq!(recall("b", prompt), (0, vec!["deploy".to_owned()]));
    assert_eq!(recall("b", "thanks, go on"), (1, vec![]));

    // A memory that is only named is found, too.
    let named = sandbox.run(["recall", "--json", "--prompt", "explain what spaces are"]);
    let answer: Value = serde_json::from_str(&named.stdout).unwrap();
    assert_eq!(
        (named.code, &answer["memories"], &answer["named"][0]["name"]),
        (0, &serde_json::json!([]), &serde_json::json!("tabs"))
    );
}

#[test]
fn processes_of_one_session_recall_nothing_twice() {
    let sandbox = project();
    let folder = project_dir(&sandbox).join("memory");
    for number in 0..6 {
        let text = format!(
            "---\nname: zebra-{number}\ndescription: Zebra crossing {number}\n---\nZebra crossing.\n"
        );
        fs::write(folder.join(format!("zebra-{number}.md")), text).unwrap();
    }
    sandbox.run(["search", "anything"]);
    // Six of a kind are hardly ever meant; here all of them are wanted.
    sandbox.home.write("home/.config/memdir/config.toml", "[recall]\nthreshold = 0.01\n");
    let children: Vec<_> = (0..16)
        .map(|_| {
            let mut command = Command::new(env!("CARGO_BIN_EXE_memdir"));
            command.args(["recall", "--json", "--session", "same", "--prompt", "zebra crossing"]);
            command.env_clear().env("HOME", sandbox.home.home()).current_dir(&sandbox.cwd);
            command.stdout(std::process::Stdio::piped()).spawn().unwrap()
        })
        .collect();
    let mut names = Vec::new();
    for child in children {
        let answer: Value = serde_json::from_slice(&child.wait_with_output().unwrap().stdout).unwrap();
        let memories = answer["memories"].as_array().unwrap();
        names.extend(memories.iter().map(|memory| memory["name"].as_str().unwrap().to_owned()));
    }
    let shown = names.len();
    names.sort();
    names.dedup();
    assert!(shown == names.len() && shown > 0, "{shown} shown: {names:?}");
}

/// One real process of the program in a folder of Markdown.
fn search_process(sandbox: &Sandbox, folder: &Utf8PathBuf, query: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_memdir"));
    command.args(["search", "--json", "--dir", folder.as_str(), query]);
    command.env_clear().env("HOME", sandbox.home.home()).current_dir(&sandbox.cwd);
    command
}

fn found_by(command: &mut Command) -> Vec<String> {
    let output = command.output().unwrap();
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.code() == Some(0) && error.is_empty(), "{:?} {error}", output.status);
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
    let name = |hit: &Value| hit["path"].as_str().unwrap().rsplit('/').next().unwrap().to_owned();
    answer["hits"].as_array().unwrap().iter().map(name).collect()
}

/// Every file below a folder with its bytes and time.
fn state_of(folder: &Utf8PathBuf) -> BTreeMap<Utf8PathBuf, (Vec<u8>, std::time::SystemTime)> {
    let all = folder.read_dir_utf8().unwrap().map(|entry| entry.unwrap().into_path());
    all.map(|path| {
        let time = fs::metadata(&path).unwrap().modified().unwrap();
        (path.clone(), (fs::read(&path).unwrap(), time))
    })
    .collect()
}

#[test]
fn many_processes_search_change_and_destroy_and_none_fails() {
    let sandbox = Sandbox::new();
    let folder = sandbox.home.dir("notes");
    for number in 0..200 {
        fs::write(folder.join(format!("fixed-{number}.md")), format!("fixed stone{number}\n")).unwrap();
    }
    let before = state_of(&folder);
    let cache = sandbox.home.home().join(".local/share/memdir/cache/search");
    let is_over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..4)
            .map(|worker| {
                let (sandbox_home, folder) = (&sandbox, &folder);
                let command = move |query: String| search_process(sandbox_home, folder, &query);
                let commands: Vec<_> = (0..12)
                    .map(|round| {
                        let name = format!("own-{worker}-{round}.md");
                        (folder.join(&name), name, command(format!("pebble{worker}x{round}")))
                    })
                    .collect();
                let steady: Vec<_> =
                    (0..12).map(|round| command(format!("stone{}", worker * 40 + round))).collect();
                scope.spawn(move || {
                    for (round, ((path, name, mut own), mut fixed)) in
                        commands.into_iter().zip(steady).enumerate()
                    {
                        fs::write(&path, format!("pebble{worker}x{round}\n")).unwrap();
                        assert_eq!(found_by(&mut own), [name]);
                        assert_eq!(found_by(&mut fixed), [format!("fixed-{}.md", worker * 40 + round)]);
                    }
                })
            })
            .collect();
        let vandal = scope.spawn(|| {
            while !is_over.load(Ordering::Relaxed) {
                let _ = fs::remove_dir_all(&cache);
                std::thread::sleep(Duration::from_millis(40));
                for entry in cache.read_dir_utf8().into_iter().flatten().flatten() {
                    for file in entry.path().read_dir_utf8().into_iter().flatten().flatten() {
                        let _ = fs::write(file.path(), "garbage");
                    }
                }
                std::thread::sleep(Duration::from_millis(40));
            }
        });
        let results: Vec<_> = workers.into_iter().map(std::thread::ScopedJoinHandle::join).collect();
        is_over.store(true, Ordering::Relaxed);
        vandal.join().unwrap();
        assert!(results.iter().all(Result::is_ok));
    });
    assert_eq!(found_by(&mut search_process(&sandbox, &folder, "stone150")), ["fixed-150.md"]);
    let mut after = state_of(&folder);
    after.retain(|path, _| path.file_name().unwrap().starts_with("fixed"));
    assert!(after == before, "a search changed a user's file");
}

#[test]
fn questions_that_nobody_should_ask() {
    let sandbox = project();
    let long = "friday ".repeat(15_000);
    let rtl = "\u{202e}\u{5e9}\u{5dc}\u{5d5}\u{5dd}";
    for query in [
        long.as_str(),
        rtl,
        "the of and",
        "?!.,;",
        "\"unbalanced friday",
        "a\0b",
        "\u{200b}",
        "-",
        "type:",
        "since:never",
    ] {
        let block = sandbox.run(["search", "--json", "--", query]);
        assert!(block.code <= 1, "{query:.20?} {}", block.stderr);
        let _: Value = serde_json::from_str(&block.stdout).unwrap();
        let block = sandbox.run(["recall", "--json", "--prompt", query]);
        assert!(block.code <= 1, "{query:.20?} {}", block.stderr);
    }
}

#[test]
fn sessions_are_listed_and_opened_at_a_turn() {
    let sandbox = project();
    let json = |arguments: &[&str]| -> Value {
        let block = sandbox.run(["sessions", "--json"].iter().chain(arguments).copied());
        serde_json::from_str(&block.stdout).unwrap_or_else(|_| panic!("{}", block.stderr))
    };
    let item = &json(&[])["items"][0];
    assert_eq!((item["id"].as_str(), item["branch"].as_str()), (Some("s1"), Some("main")));
    assert_eq!(item["first_prompt"], "Why is the tunnel to the database down?");
    assert_eq!(json(&["--branch", "other"])["items"], serde_json::json!([]));
    let block = sandbox.run(["sessions", "show", "s1", "--around", "u2", "--distance", "0", "--json"]);
    let shown: Value = serde_json::from_str(&block.stdout).unwrap();
    assert_eq!(shown["items"].as_array().unwrap().len(), 1);
    assert_eq!(
        (shown["items"][0]["role"].as_str(), shown["items"][0]["line"].as_u64()),
        (Some("assistant"), Some(2))
    );
    assert!(sandbox.run(["sessions", "show", "s"]).stdout.contains("The certificate expired."));
    let block = sandbox.run(["sessions", "show", "nope", "--json"]);
    assert_eq!((block.code, block.stdout.as_str()), (1, ""));
    assert_eq!(block.stderr, "there is no session `nope` here\n");
    assert_eq!(sandbox.run(["sessions", "show", "s1", "--around", "nope"]).code, 1);
}

#[test]
fn what_a_sub_agent_said_is_found_titled_and_opened() {
    let sandbox = project();
    let folder = project_dir(&sandbox);
    let write = |path: &str, uuid: &str, text: &str| {
        let path = folder.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        let line = format!(
            "{{\"type\":\"assistant\",\"uuid\":\"{uuid}\",\"isSidechain\":true,\"message\":{{\"role\":\"assistant\",\"content\":\"{text}\"}}}}\n"
        );
        fs::write(path, line).unwrap();
    };
    write("s1/subagents/agent-ab.jsonl", "m2", "The okapi sleeps.");
    write("left/subagents/agent-cd.jsonl", "m3", "The quagga is gone.");
    let check = |words: &str, title: &str, opened: &[(&[&str], &str)]| {
        let block = sandbox.run(["search", "--json", "--in", "sessions", words]);
        let answer: Value = serde_json::from_str(&block.stdout).unwrap();
        assert_eq!(answer["hits"][0]["title"], title);
        for (arguments, said) in opened {
            let block = sandbox.run(["sessions", "show"].iter().chain(*arguments).copied());
            assert!(block.code == 0 && block.stdout.contains(said), "{arguments:?} {}", block.stderr);
        }
    };
    let opened: &[(&[&str], &str)] = &[
        (&["s1", "--around", "m2"], "The okapi sleeps."),
        (&["agent-ab"], "The okapi sleeps."),
        (&["agent-ab", "--around", "m2"], "The okapi sleeps."),
    ];
    check("okapi", "Why is the tunnel to the database down?", opened);
    let opened: &[(&[&str], &str)] = &[
        (&["left", "--around", "m3"], "The quagga is gone."),
        (&["left"], "The quagga is gone."),
        (&["agent-c"], "The quagga is gone."),
    ];
    check("quagga", "agent-cd", opened);
    let block = sandbox.run(["sessions", "show", "s1", "--around", "m2", "--json"]);
    let shown: Value = serde_json::from_str(&block.stdout).unwrap();
    assert!(shown["path"].as_str().unwrap().ends_with("s1/subagents/agent-ab.jsonl"));
    let block = sandbox.run(["sessions", "show", "agent-"]);
    assert_eq!(block.code, 2);
    assert!(block.stderr.contains("ambiguous: agent-cd, agent-ab"), "{}", block.stderr);
}

#[test]
fn lines_that_cannot_be_read_are_said() {
    let sandbox = project();
    let folder = project_dir(&sandbox);
    let long = format!("{{\"type\":\"user\",\"message\":\"{}\"}}\n", "x".repeat(40 << 20));
    let broken = "{\"type\":\"user\",\"message\":{\n";
    let said = fs::read_to_string(folder.join("s1.jsonl")).unwrap();
    let check = |text: &str, around: &[&str], code: u8, message: &str| {
        fs::write(folder.join("s2.jsonl"), text).unwrap();
        let block = sandbox.run(["sessions", "show", "s2"].iter().chain(around).copied());
        assert_eq!((block.code, block.stderr.as_str()), (code, message));
    };
    let one = "warning: 1 line of the transcript left out: over 16 MB\n";
    check("", &[], 1, "nothing was said in this session\n");
    check(&long, &[], 1, &format!("{one}nothing in this session can be read\n"));
    check(
        &long,
        &["--around", "u1"],
        1,
        &format!("{one}no such turn in this session, as far as it can be read\n"),
    );
    check(&said, &[], 0, "");
    check(&format!("{said}{long}"), &[], 0, one);
    check(&format!("{broken}{said}"), &[], 0, "warning: 1 line of the transcript left out: broken\n");
    let both = "warning: 3 lines of the transcript left out: 1 over 16 MB, 2 broken\n";
    check(&format!("{broken}{said}{broken}{long}"), &[], 0, both);
    let block = sandbox.run(["sessions", "show", "s2", "--json"]);
    let shown: Value = serde_json::from_str(&block.stdout).unwrap();
    assert_eq!((shown["too_long"].as_u64(), shown["broken"].as_u64()), (Some(1), Some(2)));
}
