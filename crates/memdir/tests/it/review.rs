//! `memdir review`: what agents want to change waits for the user.

use std::fs;

use camino::Utf8PathBuf;
use insta::assert_snapshot;
use serde_json::json;

use crate::extract::{self, ask, prompt, session, turns};
use crate::harness::Sandbox;

/// The person's own terminal, with a setting for changes by others.
fn person(writes: &str) -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.home.write("home/.config/memdir/config.toml", format!("writes = \"{writes}\"\n"));
    sandbox
}

/// Runs a command as the agent in the same home.
fn as_agent(sandbox: &mut Sandbox, line: &[&str]) -> memdir_testkit::CommandBlock {
    sandbox.vars.push(("CLAUDECODE".to_owned(), "1".to_owned()));
    sandbox.vars.push(("CLAUDE_CODE_SESSION_ID".to_owned(), "s-1".to_owned()));
    let block = sandbox.run(line.iter().copied());
    sandbox.vars.clear();
    block
}

fn propose(sandbox: &mut Sandbox, name: &str, text: &str) -> memdir_testkit::CommandBlock {
    let (name, text) = (format!("--name={name}"), format!("--text={text}"));
    as_agent(sandbox, &["add", "--type=feedback", "--description=about it", &name, &text])
}

fn directory(sandbox: &Sandbox) -> Utf8PathBuf {
    sandbox.run(["path"]).stdout.trim_end().into()
}

fn ids(sandbox: &Sandbox) -> Vec<String> {
    let listed = sandbox.run(["review"]).stdout;
    listed.lines().filter_map(|line| line.split_whitespace().next()).map(str::to_owned).collect()
}

/// Ids are random; everything else is not.
fn shown(sandbox: &Sandbox, line: &str) -> String {
    let mut text = sandbox.show(line);
    for id in ids(sandbox) {
        text = text.replace(&id, "[ID]");
    }
    text
}

#[test]
fn a_change_of_an_agent_waits_until_it_is_accepted() {
    let mut sandbox = person("review");
    assert_eq!(sandbox.run(["review"]).code, 1, "nothing waits");
    let block = propose(&mut sandbox, "tabs", "Use tabs.");
    assert_eq!(block.code, 0, "{}", block.stderr);
    assert!(block.stdout.starts_with("Nothing is changed yet"), "{}", block.stdout);
    assert!(!directory(&sandbox).join("tabs.md").exists());
    propose(&mut sandbox, "tabs", "Use tabs.");
    let waiting = ids(&sandbox);
    assert_eq!(waiting.len(), 1, "the same waits once");
    assert!(
        sandbox.run(["--color=never"]).stdout.contains("review    1 change waits for you: memdir review")
    );
    assert_snapshot!(shown(&sandbox, "review"), @r"
    exit 0
    --- stdout
    [ID]  just now  an agent (claude-code), session s-1  add tabs.md
    ");
    assert_snapshot!(shown(&sandbox, &format!("review show {}", waiting[0])), @r"
    exit 0
    --- stdout
    [ID]  just now  an agent (claude-code), session s-1  add tabs.md
    --- /dev/null
    +++ b/tabs.md
    @@ -0,0 +1,11 @@
    +---
    +name: tabs
    +description: about it
    +metadata:
    +  node_type: memory
    +  type: feedback
    +  originSessionId: s-1
    +  modified: 2026-11-15T12:00:00.000Z
    +---
    +
    +Use tabs.
    --- /dev/null
    +++ b/MEMORY.md
    @@ -0,0 +1 @@
    +- [tabs](tabs.md) — about it
    ");
    let json = sandbox.run(["review", "show", &waiting[0], "--json"]).stdout;
    assert!(json.starts_with("{\"v\":1,\"id\":\"") && json.contains("\"session\":\"s-1\""), "{json}");
    let agent = as_agent(&mut sandbox, &["review", "accept", "--all"]);
    assert_eq!(agent.code, 2, "an agent cannot accept its own proposal");
    assert_snapshot!(sandbox.show(&format!("review accept {}", waiting[0])), @r"
    exit 0
    --- stdout
    added    tabs.md
    added    MEMORY.md
    ");
    assert!(directory(&sandbox).join("tabs.md").exists());
    assert_eq!(ids(&sandbox), Vec::<String>::new());
}

#[test]
fn what_was_rejected_is_not_proposed_twice() {
    let mut sandbox = person("review");
    propose(&mut sandbox, "tabs", "Use tabs.");
    assert_eq!(sandbox.run(["review", "reject", "--all"]).code, 0);
    sandbox.now = "2026-03-04T05:06:07Z".to_owned();
    let again = propose(&mut sandbox, "tabs", "Use tabs.");
    assert_eq!(again.code, 2);
    assert_snapshot!(again.stderr, @"error: the user rejected this change before, so it is not proposed again");
    assert_eq!(ids(&sandbox), Vec::<String>::new());
    assert_eq!(
        propose(&mut sandbox, "tabs", "Use tabs, four wide.").code,
        0,
        "something else may be proposed"
    );
    assert_eq!(ids(&sandbox).len(), 1);
}

#[test]
fn accepting_after_a_change_merges_or_says_why_not() {
    let mut sandbox = person("review");
    let add =
        ["add", "--type=feedback", "--description=d", "--name=list", "--text=one\ntwo\nthree\nfour\nfive"];
    assert_eq!(sandbox.run(add).code, 0, "the person's own changes never wait");
    let file = directory(&sandbox).join("list.md");
    let text = fs::read_to_string(&file).unwrap();
    let replace = |old: &str, new: &str| {
        format!(
            r#"{{"command":"str_replace","path":"/memories/list.md","old_str":"{old}","new_str":"{new}"}}"#
        )
    };
    sandbox.stdin = replace("one", "ONE");
    let block = as_agent(&mut sandbox, &["tool"]);
    assert!(block.stdout.contains("waits for the user's review"), "{} {}", block.stdout, block.stderr);
    fs::write(&file, text.replace("five", "FIVE")).unwrap();
    assert_eq!(sandbox.run(["review", "accept", "--all"]).code, 0);
    let merged = fs::read_to_string(&file).unwrap();
    assert!(merged.contains("ONE\ntwo\nthree\nfour\nFIVE"), "{merged}");
    sandbox.stdin = replace("ONE", "first");
    as_agent(&mut sandbox, &["tool"]);
    fs::write(&file, merged.replace("ONE", "1")).unwrap();
    let refused = sandbox.run(["review", "accept", "--all"]);
    assert_eq!(refused.code, 2);
    assert!(refused.stderr.contains("was changed by another process"), "{}", refused.stderr);
    assert_eq!(ids(&sandbox).len(), 1, "it still waits");
    assert!(fs::read_to_string(&file).unwrap().contains("\n1\ntwo"), "and nothing was changed");
}

#[test]
fn a_change_can_be_edited_before_it_is_accepted() {
    let mut sandbox = person("review");
    propose(&mut sandbox, "tabs", "Use tabs.");
    let id = ids(&sandbox).remove(0);
    sandbox.vars = vec![
        ("EDITOR".into(), "sed -i s/tabs\\\\./spaces./".into()),
        ("PATH".into(), "/usr/bin:/bin".into()),
    ];
    let block = sandbox.run(["review", "edit", &id]);
    assert_eq!(block.code, 0, "{}", block.stderr);
    assert_eq!(ids(&sandbox), [id]);
    assert_eq!(sandbox.run(["review", "accept", "--all"]).code, 0);
    assert!(fs::read_to_string(directory(&sandbox).join("tabs.md")).unwrap().contains("Use spaces."));
}

#[test]
fn what_was_rejected_stays_rejected_when_the_list_is_cut_off() {
    let mut sandbox = person("review");
    for name in ["tabs", "spaces"] {
        propose(&mut sandbox, name, "Use them.");
        assert_eq!(sandbox.run(["review", "reject", "--all"]).code, 0);
    }
    let staged = sandbox.home.home().join(".local/share/memdir/staged");
    let list = staged.read_dir_utf8().unwrap().next().unwrap().unwrap().into_path().join("rejected.json");
    let bytes = fs::read(&list).unwrap();
    fs::write(&list, &bytes[..bytes.len() - 2]).unwrap();
    for name in ["tabs", "spaces"] {
        assert_eq!(propose(&mut sandbox, name, "Use them.").code, 2, "{name}");
    }
    assert_eq!(ids(&sandbox), [""; 0]);
}

#[test]
fn what_does_not_wait_is_named() {
    let mut sandbox = person("review");
    let check = |sandbox: &Sandbox| {
        for action in ["show", "accept", "reject", "edit"] {
            let block = sandbox.run(["review", action, "zzz"]);
            assert_eq!(block.code, 2, "{action}");
            assert!(block.stderr.contains("no change waits for review under `zzz`"), "{}", block.stderr);
        }
    };
    check(&sandbox);
    propose(&mut sandbox, "tabs", "Use tabs.");
    check(&sandbox);
}

#[test]
fn a_broken_plan_loses_only_itself() {
    let mut sandbox = person("review");
    propose(&mut sandbox, "tabs", "Use tabs.");
    let staged = sandbox.home.home().join(".local/share/memdir/staged");
    let store = staged.read_dir_utf8().unwrap().next().unwrap().unwrap().into_path();
    fs::write(store.join("000000000000000000.json"), "{\"v\":1,").unwrap();
    fs::write(store.join("rejected.json"), "\0\0").unwrap();
    let listed = sandbox.run(["review"]);
    assert_eq!((listed.code, listed.stdout.lines().count()), (0, 1));
    assert!(listed.stderr.contains("000000000000000000.json"), "{}", listed.stderr);
    let told = sandbox.run(["doctor"]).stdout;
    assert!(told.contains("state-staged") && told.contains("state-rejected"), "{told}");
    assert_eq!(sandbox.run(["review", "reject", "--all"]).code, 0);
    assert_eq!(fs::read(store.join("rejected.json.broken")).unwrap(), b"\0\0", "what was broken is kept");
    assert!(sandbox.run(["doctor"]).stdout.contains("rejected.json.broken"));
    assert_eq!(
        propose(&mut sandbox, "tabs", "Use tabs.").code,
        2,
        "a broken list of rejections is made anew"
    );
}

#[test]
fn with_writes_off_an_agent_changes_nothing() {
    let mut sandbox = person("off");
    let block = propose(&mut sandbox, "tabs", "Use tabs.");
    assert_eq!(block.code, 2);
    assert_snapshot!(block.stderr, @r#"error: the user's settings say `writes = "off"`: agents may not change memory"#);
    assert_eq!(sandbox.run(["review", "show", "../../x"]).code, 2);
}

#[test]
fn what_agents_remember_themselves_follows_the_mode_of_its_scope() {
    for (scope, directory) in [
        ("user", "home/.claude/agent-memory/reviewer"),
        ("project", "home/project/.claude/agent-memory/reviewer"),
        ("local", "home/project/.claude/agent-memory-local/reviewer"),
    ] {
        let mut sandbox = Sandbox::new();
        let directory = sandbox.home.dir(directory);
        let mode = |sandbox: &Sandbox, mode: &str| {
            sandbox
                .home
                .write("home/.config/memdir/config.toml", format!("[writes]\n{scope} = \"{mode}\"\n"));
        };
        let add = ["add", "--type=user", "--name=a", "--description=d", "--text=t", "--dir"];
        let add = [add.as_slice(), &[directory.as_str()]].concat();
        mode(&sandbox, "off");
        assert_eq!(as_agent(&mut sandbox, &add).code, 2, "{scope}");
        mode(&sandbox, "review");
        let block = as_agent(&mut sandbox, &add);
        assert!(
            block.stdout.starts_with("Nothing is changed yet"),
            "{scope}: {}{}",
            block.stdout,
            block.stderr
        );
        assert!(!directory.join("a.md").exists());
        let elsewhere = sandbox.run(["review"]);
        assert_eq!(elsewhere.code, 1, "nothing waits for the project itself");
        let hint = format!("1 change waits in `{directory}`: memdir review --dir {directory}");
        assert!(elsewhere.stderr.contains(&hint), "{scope}: {}", elsewhere.stderr);
        // The project's own memory has a mode of its own.
        assert!(propose(&mut sandbox, "tabs", "Use tabs.").stdout.contains("added"), "{scope}");
        let accepted = sandbox.run(["review", "accept", "--all", "--dir", directory.as_str()]);
        assert_eq!(accepted.code, 0, "{}", accepted.stderr);
        assert!(directory.join("a.md").exists(), "{scope}");
        assert_eq!(sandbox.run(["undo", "--dir", directory.as_str()]).code, 0);
    }
}

#[test]
fn the_memory_tool_is_always_called_by_a_model() {
    let mut sandbox = person("review");
    sandbox.stdin = r#"{"command":"create","path":"/memories/a.md","file_text":"A.\n"}"#.into();
    let block = sandbox.run(["tool"]);
    assert!(block.stdout.contains("waits for the user's review"), "{}", block.stdout);
    assert!(!directory(&sandbox).join("a.md").exists());
    let shown = sandbox.run(["review"]).stdout;
    assert!(shown.contains("an agent (memory-tool)"), "{shown}");
}

#[test]
fn an_agent_can_neither_decide_nor_purge() {
    let mut sandbox = person("review");
    propose(&mut sandbox, "tabs", "Use tabs.");
    for line in [["review", "accept", "--all"], ["review", "reject", "--all"], ["purge", "--pattern", "tabs"]]
    {
        assert_eq!(as_agent(&mut sandbox, &line).code, 2, "{line:?}");
    }
    assert_eq!(ids(&sandbox).len(), 1);
}

#[test]
fn an_edit_that_waited_brings_nothing_back() {
    let mut sandbox = person("review");
    let add = |name: &str| {
        let name = format!("--name={name}");
        assert_eq!(sandbox.run(["add", "--type=user", &name, "--description=d", "--text=t"]).code, 0);
    };
    add("tabs");
    add("freeze");
    as_agent(&mut sandbox, &["set", "tabs", "type", "project"]);
    as_agent(&mut sandbox, &["rename", "freeze", "frozen"]);
    assert_eq!(sandbox.run(["rename", "tabs", "indent"]).code, 0);
    assert_eq!(sandbox.run(["rm", "freeze"]).code, 0);
    let before = sandbox.home.tree(directory(&sandbox).as_str());
    let block = sandbox.run(["review", "accept", "--all"]);
    assert_eq!(block.code, 2);
    assert!(
        block.stderr.contains("`tabs.md` is called `indent.md` since it was proposed"),
        "{}",
        block.stderr
    );
    assert!(block.stderr.contains("`freeze.md` is gone since it was proposed"), "{}", block.stderr);
    assert_eq!(sandbox.home.tree(directory(&sandbox).as_str()), before);
    assert_eq!(ids(&sandbox).len(), 2, "both still wait");
}

#[test]
fn a_rename_that_waited_takes_along_what_was_written_meanwhile() {
    let mut sandbox = person("review");
    let text = "--text=one\n\ntwo\n\nthree\n";
    assert_eq!(sandbox.run(["add", "--type=user", "--name=tabs", "--description=d", text]).code, 0);
    as_agent(&mut sandbox, &["rename", "tabs", "indent"]);
    let file = directory(&sandbox).join("tabs.md");
    let edited = fs::read_to_string(&file).unwrap().replace("three", "3");
    fs::write(&file, edited).unwrap();
    let block = sandbox.run(["review", "accept", "--all"]);
    assert_eq!(block.code, 0, "{}", block.stderr);
    let found = fs::read_to_string(directory(&sandbox).join("indent.md")).unwrap();
    assert!(found.contains("name: indent") && found.contains("two\n\n3\n"), "{found}");
    assert!(!file.exists());
}

#[test]
fn what_is_rejected_three_times_in_a_row_is_proposed_no_more_until_it_is_wanted_again() {
    let sandbox = extract::sandbox();
    sandbox.home.write("home/.config/memdir/config.toml", "writes = \"review\"\n");
    let said = [
        "please never force push to a shared branch, ask me first",
        "please stop summarizing what you did at the end of every message",
        "from now on use tabs everywhere in this repo",
        "please stop adding docstrings to private functions, they go stale",
        "from now on run the linter before you say that you are done",
    ];
    let find = |number: usize, text: &str| {
        session(&sandbox, &format!("{number}c0523b1"), &[prompt(&format!("u{number}"), text)]);
        turns(&ask(&sandbox, "extract --json"))
    };
    let answer = |word: &str| {
        let block = sandbox.run(["review", word, "--all"]);
        assert_eq!(block.code, 0, "{}", block.stderr);
        block.stdout
    };
    let command = "memdir review --again feedback";
    // What is accepted in between begins the count anew.
    for (number, word) in ["reject", "reject", "accept", "reject", "reject"].into_iter().enumerate() {
        assert_eq!(find(number, said[number]), [format!("u{number} feedback")]);
        assert!(!answer(word).contains(command));
    }
    assert!(!sandbox.run(["status"]).stdout.contains(command));
    assert_eq!(find(5, "never mock the database in the integration tests"), ["u5 feedback"]);
    let third = answer("reject");
    assert_eq!(third.matches(command).count(), 1, "{third}");
    assert_eq!(ask(&sandbox, "status --json")["extraction"]["kinds_off"], json!(["feedback"]));
    assert!(sandbox.run(["status"]).stdout.contains(command));

    let lines = [
        prompt("u6", "we don't do default exports here, named exports only please"),
        prompt("u7", "I'm a data scientist, the Go side of this repo is new to me"),
    ];
    session(&sandbox, "6c0523b1", &lines);
    let fourth = ask(&sandbox, "extract --json");
    assert_eq!(turns(&fourth), ["u7 user"], "others are still proposed");
    let left_out = json!({"turn": "u6", "why": "you rejected `feedback` three times in a row"});
    assert!(fourth["skipped"].as_array().unwrap().contains(&left_out), "{fourth}");
    assert!(!answer("reject").contains("--again"), "the first of its kind");

    assert_eq!(sandbox.run(["review", "--again", "feedback"]).code, 0);
    assert_eq!(ask(&sandbox, "status --json")["extraction"]["kinds_off"], json!([]));
    assert_eq!(turns(&ask(&sandbox, "extract --session 6c0523b1 --json")), ["u6 feedback"]);
}
