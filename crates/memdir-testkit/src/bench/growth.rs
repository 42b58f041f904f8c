use std::fs;
use std::process::{Command, Stdio};
use std::time::Duration;

use camino::Utf8Path;
use memdir_core::content_hash::ContentHash;
use memdir_core::operation::{Author, ChangeRecord, Operation, OperationId, StoreId};
use memdir_core::rel_path::RelPath;
use memdir_disk::history::History;
use serde_json::json;

use super::corpus;
use super::mcp::Server;
use super::measure::{Table, cpu_of, cpu_of_fed};
use super::sandbox::Bench;

/// What each command costs with 100, 1,000 and 10,000 memories; with `BENCH_LARGE` in the environment 100,000, too.
#[must_use]
pub fn growth(program: &Utf8Path) -> Table {
    let mut sizes = vec![100, 1_000, 10_000];
    sizes.extend(std::env::var_os("BENCH_LARGE").map(|_| 100_000));
    let mut rows: Vec<(String, String, Vec<f64>)> = Vec::new();
    for size in &sizes {
        for (row, (what, limit, value)) in at_size(program, *size).into_iter().enumerate() {
            if rows.len() <= row {
                rows.push((what, limit, Vec::new()));
            }
            rows[row].2.push(value);
        }
    }
    let listed: Vec<String> = sizes.iter().map(ToString::to_string).collect();
    let title =
        format!("Growth: CPU ms (MB where it says so) at {} memories, and the exponent", listed.join(" / "));
    let mut table = Table::new(&title);
    for (what, limit, values) in rows {
        let shown: Vec<String> = values.iter().map(|value| format!("{value:.1}")).collect();
        let growth = values[values.len() - 1] / values[0];
        let decades = (sizes[sizes.len() - 1] as f64 / sizes[0] as f64).ln();
        table.row(&what, format!("{} (n^{:.2})", shown.join(" / "), growth.ln() / decades), limit);
    }
    history_rows(program, &mut table);
    table
}

/// What was measured, what it may be, and how much it is.
type Measured = (String, String, f64);

fn at_size(program: &Utf8Path, size: usize) -> Vec<Measured> {
    let bench = Bench::new(program);
    let directory = bench.memory_dir();
    corpus::memories(&directory, size);
    let names: Vec<String> = {
        let mut names: Vec<String> = directory
            .read_dir_utf8()
            .unwrap()
            .map(|entry| entry.unwrap().file_name().trim_end_matches(".md").to_owned())
            .filter(|name| name != "MEMORY")
            .collect();
        names.sort();
        names
    };
    let name = |run: usize| names[(run * 7 + 3) % names.len()].as_str();
    let run = |arguments: &[&str]| {
        let output = bench.command(arguments).output().unwrap();
        assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    };
    // The first look records every file, the second one finds that none has changed since.
    std::thread::sleep(Duration::from_millis(60));
    run(&["add", "--type=user", "--name=first", "--description=d", "--text=t"]);
    run(&["log"]);
    std::thread::sleep(Duration::from_millis(60));
    run(&["log"]);
    let runs = 9;
    let mut measured: Vec<Measured> = Vec::new();
    let mut row = |what: &str, limit: &str, value: f64| measured.push((what.into(), limit.into(), value));
    let shell = |line: &str| {
        let mut command = Command::new("sh");
        command.args(["-c", line, directory.as_str()]).env_clear().env("PATH", "/usr/bin:/bin");
        command
    };
    let stat = "find \"$0\" -name '*.md' -printf '%s %T@ %C@\\n'";
    row("reference: `find` with a stat of every file", "", cpu_of(runs, |_| shell(stat)));
    let cat = format!("exec cat \"$0\"/{}.md", name(0));
    row("reference: `cat` of one file", "", cpu_of(runs, |_| shell(&cat)));
    row(
        "`add`",
        "6",
        cpu_of(runs, |run| {
            let new = format!("--name=new-{run}");
            bench.command(&["add", "--type=user", &new, "--description=What it is about", "--text=A text."])
        }),
    );
    row("`show NAME`", "3", cpu_of(runs, |run| bench.command(&["show", name(run)])));
    row("`set NAME`", "6", cpu_of(runs, |run| bench.command(&["set", name(run), "type", "project"])));
    row("`rm NAME`", "6", cpu_of(runs, |run| bench.command(&["rm", name(run + 50)])));
    row("`ls`", "30 at 10,000", cpu_of(5, |_| bench.command(&["ls"])));
    row("`log NAME`", "", cpu_of(5, |run| bench.command(&["log", name(run)])));
    let undone = cpu_of(5, |run| {
        let text = if run % 2 == 0 { "user" } else { "feedback" };
        assert!(bench.command(&["set", name(1), "type", text]).status().unwrap().success());
        bench.command(&["undo"])
    });
    row("`undo`", "", undone);
    row("`search`", "", cpu_of(5, |_| bench.command(&["search", "codename needle3"])));
    row("`doctor`", "1,000 at 10,000", cpu_of(2, |_| doctor(&bench)));
    row("`extract` with nothing new", "20", cpu_of(3, |_| bench.command(&["extract"])));
    row("`hook UserPromptSubmit`", "5", prompt_hook(&bench, runs));
    row("`hook SessionStart`", "", session_start(&bench, runs));
    mcp_rows(&bench, &name, &mut row);
    row("`dream --dry-run`", "3,000 at 10,000", cpu_of(1, |_| bench.command(&["dream", "--dry-run"])));
    row("`audit`", "2,000 at 10,000", cpu_of(1, |_| may_find(&bench, "audit")));
    measured
}

/// `doctor` ends with 1 if it finds something.
fn doctor(bench: &Bench) -> Command {
    may_find(bench, "doctor")
}

fn may_find(bench: &Bench, command: &str) -> Command {
    let own = bench.command(&[]);
    let mut shell = Command::new("sh");
    shell.args(["-c", "\"$0\" \"$1\" || [ $? = 1 ]", bench.program.as_str(), command]);
    shell.current_dir(own.get_current_dir().unwrap()).env_clear();
    shell.envs(own.get_envs().filter_map(|(name, value)| Some((name, value?))));
    shell
}

fn fed(bench: &Bench, runs: usize, event: &serde_json::Value) -> f64 {
    let file = bench.home.write("event.json", event.to_string());
    let input = || Stdio::from(fs::File::open(&file).unwrap());
    cpu_of_fed(runs, input, |_| bench.command(&["hook"]))
}

fn prompt_hook(bench: &Bench, runs: usize) -> f64 {
    let event = json!({"hook_event_name": "UserPromptSubmit", "session_id": "s", "cwd": bench.home.project(),
        "prompt": "why does the postgres schema use ULID keys?"});
    fed(bench, runs, &event)
}

fn session_start(bench: &Bench, runs: usize) -> f64 {
    let event = json!({"hook_event_name": "SessionStart", "session_id": "s", "cwd": bench.home.project(),
        "source": "startup"});
    fed(bench, runs, &event)
}

/// What the server takes for one call of each tool, and what it holds afterwards.
fn mcp_rows<'n>(bench: &Bench, name: &dyn Fn(usize) -> &'n str, row: &mut dyn FnMut(&str, &str, f64)) {
    let mut server = Server::start(&bench.command(&["mcp"]));
    let mut call = |tool: &str, arguments: &dyn Fn(usize) -> serde_json::Value| {
        let runs = 20;
        let mut before = 0.0;
        for run in 0..=runs {
            // The first call opens what the others find open.
            if run == 1 {
                before = server.cpu();
            }
            let answer = server.ask("tools/call", &json!({"name": tool, "arguments": arguments(run)}));
            assert!(answer["result"]["isError"] != true, "{answer}");
        }
        (server.cpu() - before) / f64::from(u32::try_from(runs).unwrap())
    };
    let saved = call(
        "save",
        &|run| json!({"name": format!("mcp-{run}"), "description": "d", "type": "user", "text": "A text."}),
    );
    let read = call("read", &|run| json!({"name": name(run + 11)}));
    let forgotten = call("forget", &|run| json!({"name": name(run + 31)}));
    row("MCP `save`", "4", saved);
    row("MCP `read` by name", "3", read);
    row("MCP `forget` by name", "4", forgotten);
    row("MCP resident after these, MB", "15 at 10,000", server.resident());
}

/// A history of 100,000 operations.
fn history_rows(program: &Utf8Path, table: &mut Table) {
    let bench = Bench::new(program);
    let added = bench.command(&["add", "--type=user", "--name=a", "--description=d", "--text=t"]).status();
    assert!(added.unwrap().success());
    let histories = bench.home.home().join(".local/share/memdir/history");
    let store = StoreId(histories.read_dir_utf8().unwrap().next().unwrap().unwrap().file_name().to_owned());
    let history = History::of(histories.parent().unwrap(), &store);
    for number in 0..100_000_u64 {
        let content = format!("version {number}\n");
        let time = crate::NOW.parse().unwrap();
        let operation = Operation {
            v: 1,
            id: OperationId::new(time, number),
            time,
            author: Author::person(),
            reason: format!("edit topic_{number}.md"),
            store: store.clone(),
            memory_dir: bench.memory_dir(),
            changes: vec![ChangeRecord {
                path: RelPath::parse(&format!("notes-{}.txt", number % 100)).unwrap(),
                before: None,
                after: Some(ContentHash::of(content.as_bytes())),
                renamed_from: None,
            }],
            undo_of: None,
            plan: None,
        };
        history.record_observed(&operation, &[(None, Some(content.as_bytes()))]).unwrap();
    }
    let run = |arguments: &[&str]| assert!(bench.command(arguments).status().unwrap().success());
    run(&["set", "a", "type", "project"]);
    run(&["log", "a"]);
    let mut row = |what: &str, value: f64| {
        let what = format!("{what}, 100,000 operations in history");
        table.row(&what, format!("{value:.1}"), "20");
    };
    row("`log NAME`", cpu_of(5, |_| bench.command(&["log", "a"])));
    row("`diff NAME`", cpu_of(5, |_| bench.command(&["diff", "a"])));
    row("`diff`", cpu_of(5, |_| bench.command(&["diff"])));
    let undone = cpu_of(5, |run| {
        let text = if run % 2 == 0 { "user" } else { "feedback" };
        assert!(bench.command(&["set", "a", "type", text]).status().unwrap().success());
        bench.command(&["undo"])
    });
    row("`undo`", undone);
}
