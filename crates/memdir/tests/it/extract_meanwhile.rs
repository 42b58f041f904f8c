//! `memdir extract` while sessions are being written, rewritten or dated wrongly, and while others extract.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Stdio};

use serde_json::json;

use crate::extract::{ask, prompt, sandbox, session, turns};

#[test]
fn half_a_line_is_read_once_it_is_whole_and_once_only() {
    let sandbox = sandbox();
    let first = prompt("u1", "we don't do default exports here, named exports only please");
    let second = prompt("u2", "von jetzt an bitte keine Umlaute in Dateinamen, die Kasse verträgt sie nicht");
    let whole = format!("{first}{second}");
    let path = session(&sandbox, "5c0523b1", &[]);
    // Wherever the client's last write ended, be it in the middle of a character.
    let mut found = Vec::new();
    for end in (0..=whole.len()).step_by(7).chain([whole.len()]) {
        fs::write(&path, &whole.as_bytes()[..end]).unwrap();
        found.extend(turns(&ask(&sandbox, "extract --json")));
    }
    assert_eq!(found, ["u1 feedback", "u2 feedback"]);
}

#[test]
fn a_session_that_the_client_compacts_or_cuts_is_read_again_and_written_once() {
    let sandbox = sandbox();
    let said = ["we don't do default exports here, named exports only please", "call me Sam, please"];
    let path = session(&sandbox, "5c0523b1", &[prompt("u1", said[0]), prompt("u2", "run the tests")]);
    assert_eq!(turns(&ask(&sandbox, "extract --json")), ["u1 feedback"]);
    let boundary = json!({"type": "system", "subtype": "compact_boundary", "uuid": "c1"});
    let summary = json!({"type": "user", "uuid": "c2", "isCompactSummary": true,
        "message": {"role": "user", "content": "The user said: always use tabs. From now on never mock."}});
    let kept = [format!("{boundary}\n{summary}\n"), prompt("u1", said[0])].concat();
    for (text, expected) in [
        (kept.clone(), vec![]),
        (String::new(), vec![]),
        (
            [kept, prompt("u3", "please stop adding docstrings to private functions, they go stale")]
                .concat(),
            vec!["u3 feedback"],
        ),
        ("\u{0}\u{0}garbage\n{\"type\":\n".to_owned(), vec![]),
    ] {
        fs::write(&path, text).unwrap();
        assert_eq!(turns(&ask(&sandbox, "extract --json")), expected);
    }
    assert_eq!(ask(&sandbox, "ls --json")["items"].as_array().unwrap().len(), 2);
}

#[test]
fn a_second_extraction_is_served_by_the_running_one() {
    let mut sandbox = sandbox();
    let first = prompt("u1", "please stop adding docstrings to private functions, they go stale");
    let second = prompt("u2", "we don't do default exports here, named exports only please");
    let path = session(&sandbox, "5c0523b1", &[first]);
    let root = sandbox.home.root().to_owned();
    sandbox.home.write("second", second);
    // While the first extraction waits for its model, the session goes on and its next turn asks for one, too.
    let script = format!(
        "#!/bin/sh\ncat >/dev/null\nif [ ! -e {root}/asked ]; then\n  touch {root}/asked; cat {root}/second >>{path}\n  env -i HOME={home} {memdir} --cwd {cwd} extract 2>{root}/told\nfi\necho '{{\"memories\":[]}}'\n",
        home = sandbox.home.home(),
        memdir = env!("CARGO_BIN_EXE_memdir"),
        cwd = sandbox.cwd,
    );
    let program = sandbox.home.write("model", script);
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    sandbox.vars.push(("PATH".to_owned(), "/usr/bin:/bin".to_owned()));
    sandbox.home.write(
        "home/.config/memdir/config.toml",
        format!("[model]\nprovider = \"command\"\ncommand = [\"{program}\"]\ntimeout = 30\n"),
    );
    let report = ask(&sandbox, "extract --json");
    let told = fs::read_to_string(root.join("told")).unwrap();
    assert!(told.contains("Another process is at it; it will look once more."), "{told}");
    assert_eq!(report["engine"], "model", "{report}");
    sandbox.home.write("home/.config/memdir/config.toml", "");
    assert_eq!(
        turns(&ask(&sandbox, "extract --json")),
        [""; 0],
        "the second turn was looked at by the first process"
    );
    assert_eq!(
        turns(&ask(&sandbox, "extract --all --dry-run --json")).len(),
        2,
        "and the rules would have found both"
    );
}

#[test]
fn times_that_cannot_be_make_no_dates() {
    let sandbox = sandbox();
    let line = |time: &str| {
        let line = json!({"type": "user", "uuid": "u1", "timestamp": time,
            "message": {"role": "user", "content": "Merge freeze starts Thursday, mobile is cutting the release branch."}});
        format!("{line}\n")
    };
    for (time, expected) in [
        ("2026-03-11T10:00:00Z", Some("Thursday (2026-03-12)")),
        ("", None),
        ("yesterday", None),
        ("9999-12-31T23:59:59Z", None),
        ("-009999-01-01T00:00:00Z", None),
    ] {
        let path = sandbox.home.write("t.jsonl", line(time));
        let answer = ask(&sandbox, &format!("extract --transcript {path} --dry-run --json"));
        let bodies: Vec<&str> = answer["memories"]
            .as_array()
            .unwrap()
            .iter()
            .map(|memory| memory["body"].as_str().unwrap())
            .collect();
        match expected {
            Some(expected) => assert!(bodies[0].contains(expected), "{bodies:?}"),
            None => assert!(bodies.iter().all(|body| !body.contains('(')), "{time}: {bodies:?}"),
        }
    }
}

#[test]
fn the_day_of_a_log_is_the_local_one() {
    let sandbox = sandbox();
    let add = |zone: &str, now: &str| {
        let output = Command::new(env!("CARGO_BIN_EXE_memdir"))
            .args(["today", "add", "--json", "--now", now, "something"])
            .current_dir(&sandbox.cwd)
            .env_clear()
            .env("HOME", sandbox.home.home())
            .env("TZ", zone)
            .stdin(Stdio::null())
            .output()
            .unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        let path = report["paths"][0].as_str().unwrap().to_owned();
        let text = fs::read_to_string(&path).unwrap();
        let last = text.lines().last().unwrap().to_owned();
        format!("{} {last}", path.rsplit('/').next().unwrap())
    };
    for (zone, now, expected) in [
        ("UTC", "2026-03-11T23:59:59Z", "2026-03-11.md - 23:59 something"),
        ("UTC", "2026-03-12T00:00:00Z", "2026-03-12.md - 00:00 something"),
        ("Europe/Berlin", "2026-03-11T23:30:00Z", "2026-03-12.md - 00:30 something"),
        // The hour that the clocks leave out, and the one that comes twice.
        ("Europe/Berlin", "2026-03-29T01:00:00Z", "2026-03-29.md - 03:00 something"),
        ("Europe/Berlin", "2026-10-25T01:30:00Z", "2026-10-25.md - 02:30 something"),
        ("America/Los_Angeles", "2026-01-01T07:59:00Z", "2025-12-31.md - 23:59 something"),
        ("Pacific/Kiritimati", "2026-12-31T10:00:00Z", "2027-01-01.md - 00:00 something"),
        ("Asia/Kathmandu", "2026-03-11T18:15:00Z", "2026-03-12.md - 00:00 something"),
    ] {
        assert_eq!(add(zone, now), expected, "{zone} {now}");
    }
}
