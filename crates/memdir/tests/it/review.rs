//! `memdir review`: what agents want to change waits for the user.

use std::fs;

use camino::Utf8PathBuf;
use insta::assert_snapshot;

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
    assert_eq!(agent.code, 2, "whoever proposes does not decide");
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
    assert!(refused.stderr.contains("was changed by somebody else"), "{}", refused.stderr);
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
    assert!(sandbox.run(["doctor"]).stdout.contains("state-staged"));
    assert_eq!(sandbox.run(["review", "reject", "--all"]).code, 0);
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
