//! `memdir dream` while others write, dream or end their sessions, and while clocks are wrong.

use std::fs;
use std::io::Write;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use camino::Utf8PathBuf;
use serde_json::{Value, json};

use crate::dream::{a_week, ask, files, memory_dir, now, sandbox, topic, with_model, write};
use crate::harness::Sandbox;

/// The program in a process of its own, in this home and nowhere else.
fn process(sandbox: &Sandbox, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_memdir"));
    command.args(arguments).current_dir(&sandbox.cwd).env_clear().env("HOME", sandbox.home.home());
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Waits until something is so.
fn wait_for(what: &str, is_so: impl Fn() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(60);
    while !is_so() {
        assert!(Instant::now() < deadline, "{what}");
        thread::sleep(Duration::from_millis(20));
    }
}

fn everything(sandbox: &Sandbox) -> String {
    files(&memory_dir(sandbox))
        .values()
        .map(|content| String::from_utf8_lossy(content).into_owned())
        .collect()
}

#[test]
fn what_is_written_during_planning_stays() {
    let whole = topic(
        "port",
        "The port",
        "project",
        "The server listens on port 8080.\n\n- The host\n- The server runs on host alpha.",
    );
    let answer =
        json!({"writes": [{"path": "port.md", "content": whole}], "deletes": ["host.md"], "superseded": []});
    let sandbox = with_model(&answer);
    let (root, memory) = (sandbox.home.root(), memory_dir(&sandbox));
    // The plan was good when it was made, and would lose what the agent writes before it is applied.
    sandbox.home.write(
        "model",
        format!(
            "#!/bin/sh\ncat >/dev/null\necho asked >>{root}/asked\nprintf '\\nMaria owns the port.\\n' >>{memory}/port.md\nprintf '\\nTom owns the host.\\n' >>{memory}/host.md\ncat {root}/answer\n"
        ),
    );
    let report = ask(&sandbox, "dream --model --json");
    assert_eq!((&report["planner"], &report["status"]), (&json!("rules"), &json!("done")), "{report}");
    assert_eq!(fs::read_to_string(root.join("asked")).unwrap(), "asked\n", "the model is asked once");
    for said in ["Maria owns the port.", "Tom owns the host.", "port 8080", "host alpha"] {
        assert!(everything(&sandbox).contains(said), "{said}");
    }
}

#[test]
fn a_process_that_writes_all_the_time_loses_nothing() {
    let sandbox = sandbox();
    a_week(&sandbox);
    let directory = memory_dir(&sandbox);
    let is_over = AtomicBool::new(false);
    let last = thread::scope(|scope| {
        let writer = scope.spawn(|| {
            let mut count = 0;
            while !is_over.load(Ordering::Relaxed) {
                count += 1;
                // As agents save: a whole file that takes the place of the old one.
                let text =
                    topic("queue", "the job queue", "project", &format!("Worker {count} is the youngest."));
                fs::write(directory.join(".queue.tmp"), text).unwrap();
                fs::rename(directory.join(".queue.tmp"), directory.join("queue.md")).unwrap();
                thread::sleep(Duration::from_millis(3));
            }
            count
        });
        let dreams: Vec<_> = (0..6).map(|_| sandbox.run(["dream"])).collect();
        // Before anything is asserted: a scope waits for its threads, also when it panics.
        is_over.store(true, Ordering::Relaxed);
        let last = writer.join().unwrap();
        for block in dreams {
            assert!(block.code == 0 || block.stderr.contains("changed"), "{}", block.stderr);
        }
        last
    });
    assert_eq!(sandbox.run(["dream", "--all"]).code, 0);
    let said = format!("Worker {last} is the youngest.");
    assert!(everything(&sandbox).contains(&said), "{said}");
}

#[test]
fn of_several_dreams_at_once_one_dreams() {
    let sandbox = sandbox();
    a_week(&sandbox);
    let children: Vec<_> = (0..4).map(|_| process(&sandbox, &["dream", "--json"]).spawn().unwrap()).collect();
    let mut done = 0;
    for child in children {
        let output = child.wait_with_output().unwrap();
        let complaint = String::from_utf8_lossy(&output.stderr).into_owned();
        if output.status.success() {
            let report: Value = serde_json::from_slice(&output.stdout).unwrap();
            done += usize::from(report["status"] == "done");
        } else {
            let is_said =
                complaint.contains("another dream is under way") || complaint.contains("consolidate");
            assert!(is_said, "{complaint}");
        }
    }
    assert_eq!(done, 1);
    assert_eq!(
        ask(&sandbox, "log --json")["items"]
            .as_array()
            .unwrap()
            .iter()
            .filter(|item| item["author"]["kind"] == "dream")
            .count(),
        1
    );
}

/// The end of a session, as the client tells it to a hook.
fn session_end(sandbox: &Sandbox) -> String {
    json!({"hook_event_name": "SessionEnd", "session_id": "s0", "cwd": sandbox.cwd, "reason": "exit"})
        .to_string()
}

#[test]
fn the_end_of_a_session_starts_a_dream_only_if_that_was_wanted() {
    let mut sandbox = sandbox();
    let started = sandbox.home.root().join("started");
    let program = sandbox.home.write("program", format!("#!/bin/sh\necho \"$@\" >>{started}\n"));
    fs::set_permissions(&program, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    sandbox.program = Some(program);
    sandbox.stdin = session_end(&sandbox);
    let lines = || fs::read_to_string(&started).unwrap_or_default().lines().count();
    assert_eq!(sandbox.run(["hook", "SessionEnd"]).code, 0);
    wait_for("the usual work", || lines() == 1);
    sandbox.home.write("home/.config/memdir/config.toml", "[features]\ndream = true\n");
    assert_eq!(sandbox.run(["hook", "SessionEnd"]).code, 0);
    wait_for("the dream", || lines() == 3);
    let said = fs::read_to_string(&started).unwrap();
    let dreams: Vec<&str> = said.lines().filter(|line| line.starts_with("dream")).collect();
    assert_eq!(dreams, [format!("dream --if-due --session=s0 --cwd {}", sandbox.cwd)]);
}

#[test]
fn the_sixth_session_that_ends_tidies_and_the_seventh_does_not() {
    let sandbox = sandbox();
    a_week(&sandbox);
    sandbox.home.write("home/.config/memdir/config.toml", "[features]\ndream = true\n");
    let project: Utf8PathBuf = ask(&sandbox, "path --json")["project_dir"].as_str().unwrap().into();
    for number in 0..6 {
        fs::write(project.join(format!("s{number}.jsonl")), "{}\n").unwrap();
    }
    let end_session = || {
        let mut child = process(&sandbox, &["hook", "SessionEnd"]).stdin(Stdio::piped()).spawn().unwrap();
        child.stdin.take().unwrap().write_all(session_end(&sandbox).as_bytes()).unwrap();
        assert!(child.wait().unwrap().success());
    };
    let directory = memory_dir(&sandbox);
    end_session();
    wait_for("a tidy directory", || !directory.join("tests.md").exists());
    wait_for("the end of the dream", || {
        ask(&sandbox, "log --json")["items"]
            .as_array()
            .unwrap()
            .iter()
            .any(|item| item["author"]["kind"] == "dream")
    });
    // The client sees by the time of its own lock that there was a dream, and so do we.
    assert_eq!(
        ask(&sandbox, "dream --if-due --session=s0 --json")["why"],
        "the last dream was less than 24 hours ago"
    );
}

#[test]
fn the_clients_dream_and_ours_never_run_together() {
    let sandbox = sandbox();
    a_week(&sandbox);
    let directory = memory_dir(&sandbox);
    let lock = directory.join(".consolidate-lock");
    // A client that dreams by its own protocol while no other process does, and checks that it is alone.
    let script = format!(
        "for turn in 1 2 3 4 5 6 7 8 9 10; do
           holder=$(cat {lock} 2>/dev/null)
           if [ -n \"$holder\" ] && kill -0 $holder 2>/dev/null; then sleep 0.02; continue; fi
           printf '%s' $$ >{lock}; sleep 0.03
           [ \"$(cat {lock})\" = $$ ] || continue
           for look in 1 2 3 4 5; do
             sleep 0.02; [ \"$(cat {lock})\" = $$ ] || echo overtaken >>{directory}/../overtaken
           done
           printf '' >{lock}; touch -d '2 days ago' {lock}; sleep 0.05
         done"
    );
    let mut client = Command::new("sh").args(["-c", &script]).spawn().unwrap();
    let mut held = 0;
    while client.try_wait().unwrap().is_none() {
        let output = process(&sandbox, &["dream", "--all"]).output().unwrap();
        held += usize::from(!output.status.success());
    }
    assert!(!directory.join("../overtaken").exists(), "ours dreamt while the client did");
    assert!(held > 0, "they never met");
    assert_eq!(sandbox.run(["dream"]).code, 0);
}

#[test]
fn a_clock_that_jumps_loses_and_dates_nothing() {
    let mut sandbox = sandbox();
    a_week(&sandbox);
    write(
        &sandbox,
        "freeze.md",
        2,
        &topic("freeze", "the freeze", "project", "The freeze starts next Friday."),
    );
    let said = |sandbox: &Sandbox| {
        let all = everything(sandbox);
        ["Ask Maria about invoices.", "The job queue is Redis", "small commits", "next Friday", "Node 18"]
            .iter()
            .for_each(|said| assert!(all.contains(said), "{said}: {all}"));
    };
    let real = now(&sandbox);
    for days in [-4_000, 4_000, -1, 0] {
        sandbox.now = (real + jiff::SignedDuration::from_hours(24 * days)).to_string();
        let block = sandbox.run(["dream"]);
        assert_eq!(block.code, 0, "{days} days: {}", block.stderr);
        said(&sandbox);
    }
    let years = |text: &str| text.contains("(2015-") || text.contains("(2037-");
    assert!(!years(&everything(&sandbox)), "{}", everything(&sandbox));
}
