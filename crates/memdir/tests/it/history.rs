//! Log, diff, undo, redo, restore: what was done can be seen and undone.

use std::fs;

use camino::Utf8PathBuf;
use insta::assert_snapshot;

use crate::harness::Sandbox;

fn add(sandbox: &Sandbox, name: &str, text: &str) {
    let description = format!("--description=about {name}");
    let block = sandbox.run([
        "add",
        "--type=feedback",
        &format!("--name={name}"),
        &description,
        &format!("--text={text}"),
    ]);
    assert_eq!(block.code, 0, "{}", block.stderr);
}

fn ok(sandbox: &Sandbox, line: &str) -> String {
    let block = sandbox.run(line.split_whitespace());
    assert_eq!(block.code, 0, "{line}: {}{}", block.stdout, block.stderr);
    block.stdout
}

fn directory(sandbox: &Sandbox) -> Utf8PathBuf {
    ok(sandbox, "path").trim_end().into()
}

fn read(sandbox: &Sandbox, name: &str) -> Option<String> {
    fs::read_to_string(directory(sandbox).join(name)).ok()
}

fn items(sandbox: &Sandbox) -> Vec<serde_json::Value> {
    let log: serde_json::Value = serde_json::from_str(&ok(sandbox, "log --json")).unwrap();
    log["items"].as_array().unwrap().clone()
}

/// The id of the operation with a reason.
fn id_of(sandbox: &Sandbox, reason: &str) -> String {
    let found = items(sandbox).into_iter().find(|item| item["reason"] == reason);
    found.unwrap_or_else(|| panic!("no {reason:?}"))["id"].as_str().unwrap().to_owned()
}

/// What a command prints, with ids by their age instead of their random digits.
fn shown(sandbox: &Sandbox, line: &str) -> String {
    let mut text = sandbox.show(line);
    let ids: Vec<String> =
        items(sandbox).iter().rev().map(|item| item["id"].as_str().unwrap().to_owned()).collect();
    for (number, id) in ids.iter().enumerate() {
        text = text.replace(id, &format!("[OP{number}]"));
    }
    for (number, id) in ids.iter().enumerate() {
        let is_unique =
            |length: &usize| ids.iter().filter(|other| other.starts_with(&id[..*length])).count() == 1;
        let length = (8..=id.len()).find(is_unique).unwrap();
        text = text.replace(&id[..length], &format!("[op{number}]"));
    }
    text
}

#[test]
fn the_log_says_who_did_what_and_why() {
    let mut sandbox = Sandbox::new();
    assert_snapshot!(sandbox.show("log"), @r"
    exit 0
    --- stderr
    No operation is recorded yet for [ROOT]/home/.claude/projects/[SLUG]-home-project/memory.
    ");
    add(&sandbox, "tabs", "Use tabs.");
    sandbox.vars.push(("CLAUDECODE".into(), "1".into()));
    sandbox.vars.push(("CLAUDE_CODE_SESSION_ID".into(), "s-1".into()));
    ok(&sandbox, "rename tabs indent");
    sandbox.vars.clear();
    ok(&sandbox, "rm indent");
    assert_snapshot!(shown(&sandbox, "log"), @r"
    exit 0
    --- stdout
    [op2]  2026-11-15 12:00  person  remove indent.md
                - indent.md
                ~ MEMORY.md
    [op1]  2026-11-15 12:00  agent claude-code s-1  rename tabs.md to indent.md
                tabs.md > indent.md
                ~ MEMORY.md
    [op0]  2026-11-15 12:00  person  add tabs.md
                + tabs.md
                + MEMORY.md
    ");
    let json: serde_json::Value = serde_json::from_str(&ok(&sandbox, "log indent -n 1 --json")).unwrap();
    assert_eq!(json["v"], 1);
    assert_eq!(json["items"].as_array().unwrap().len(), 1);
    let item = &json["items"][0];
    assert_eq!((&item["reason"], &item["author"]["kind"]), (&"remove indent.md".into(), &"person".into()));
    assert_eq!(
        (&item["changes"][0]["path"], &item["changes"][0]["after"]),
        (&"indent.md".into(), &().into())
    );
    assert_eq!(item["memory_dir"], directory(&sandbox).as_str());
    assert_eq!(
        ok(&sandbox, "log indent"),
        ok(&sandbox, "log"),
        "renames are followed, also of a removed one"
    );
    assert_eq!(sandbox.run(["log", "nobody"]).code, 2);
}

#[test]
fn undo_takes_back_the_last_and_redo_brings_it_again() {
    let sandbox = Sandbox::new();
    add(&sandbox, "tabs", "Use tabs.");
    let with_tabs = sandbox.home.tree(directory(&sandbox).as_str());
    add(&sandbox, "freeze", "Freeze.");
    let with_both = sandbox.home.tree(directory(&sandbox).as_str());
    assert_snapshot!(shown(&sandbox, "undo --dry-run"), @r"
    exit 0
    --- stdout
    would undo [op1] (yours, just now): add freeze.md
    would change  MEMORY.md
    would remove  freeze.md
    ");
    assert_snapshot!(shown(&sandbox, "undo"), @r"
    exit 0
    --- stdout
    undoing [op1] (yours, just now): add freeze.md
    changed  MEMORY.md
    removed  freeze.md
    ");
    assert_eq!(sandbox.home.tree(directory(&sandbox).as_str()), with_tabs);
    ok(&sandbox, "undo");
    assert_eq!(read(&sandbox, "tabs.md"), None);
    assert_snapshot!(shown(&sandbox, "undo"), @r"
    exit 0
    --- stdout
    Nothing to change.
    --- stderr
    warning: there is no operation of yours to undo; `memdir log` lists the operations of others
    ");
    ok(&sandbox, "redo");
    assert_eq!(sandbox.home.tree(directory(&sandbox).as_str()), with_tabs);
    ok(&sandbox, "redo");
    assert_eq!(sandbox.home.tree(directory(&sandbox).as_str()), with_both);
    assert_snapshot!(shown(&sandbox, "redo"), @r"
    exit 0
    --- stdout
    Nothing to change.
    --- stderr
    warning: there is no undo of yours to redo
    ");
    assert_snapshot!(shown(&sandbox, "log -n 2"), @r"
    exit 0
    --- stdout
    [op5]  2026-11-15 12:00  person  redo: add freeze.md
                + freeze.md
                ~ MEMORY.md
    [op4]  2026-11-15 12:00  person  redo: add tabs.md
                + tabs.md
                + MEMORY.md
    ");
}

#[test]
fn an_old_operation_is_taken_back_under_newer_ones_or_refused() {
    let sandbox = Sandbox::new();
    add(&sandbox, "tabs", "Use tabs.");
    add(&sandbox, "freeze", "Freeze.");
    let id = id_of(&sandbox, "add tabs.md");
    ok(&sandbox, "set freeze description frozen");
    let report = ok(&sandbox, &format!("undo {} --json", &id[10..]));
    let report: serde_json::Value = serde_json::from_str(&report).unwrap();
    assert_eq!(report["paths"].as_array().unwrap().len(), 2, "{report}");
    assert_eq!(items(&sandbox)[0]["undo_of"], id.as_str());
    assert_eq!(read(&sandbox, "tabs.md"), None);
    assert_eq!(read(&sandbox, "MEMORY.md").unwrap(), "- [freeze](freeze.md) — frozen\n");

    add(&sandbox, "rule", "One.");
    let id = id_of(&sandbox, "add rule.md");
    ok(&sandbox, "set rule description other");
    let before = sandbox.home.tree(directory(&sandbox).as_str());
    assert_snapshot!(shown(&sandbox, &format!("undo {id}")), @r"
    exit 2
    --- stdout
    undoing [op4] (yours, just now): add rule.md
    newer [op5] by you stays: set description of rule.md
    --- stderr
    error: cannot undo: `rule.md` was changed since then in the same place (operation [OP5]: set description of rule.md)
    ");
    assert_eq!(sandbox.home.tree(directory(&sandbox).as_str()), before);
    assert_snapshot!(sandbox.show("undo zzzzzzzz"), @r"
    exit 2
    --- stderr
    error: there is no operation `zzzzzzzz`
    hint: `memdir log` shows what was done
    ");
}

#[test]
fn the_past_is_shown_compared_and_restored() {
    let mut sandbox = Sandbox::new();
    add(&sandbox, "tabs", "Use tabs.");
    let first = read(&sandbox, "tabs.md").unwrap();
    let id = id_of(&sandbox, "add tabs.md");
    sandbox.now = "2026-11-16T12:00:00Z".into();
    ok(&sandbox, "set tabs description always");
    ok(&sandbox, "rename tabs indent");
    assert_snapshot!(shown(&sandbox, "diff"), @r"
    exit 0
    --- stdout
    --- a/tabs.md
    +++ b/indent.md
    @@ -1,5 +1,5 @@
     ---
    -name: tabs
    +name: indent
     description: always
     metadata:
       node_type: memory
    --- a/MEMORY.md
    +++ b/MEMORY.md
    @@ -1 +1 @@
    -- [tabs](tabs.md) — always
    +- [indent](indent.md) — always
    ");
    assert_snapshot!(shown(&sandbox, &format!("diff indent {id}")), @r"
    exit 0
    --- stdout
    --- /dev/null
    +++ b/tabs.md
    @@ -0,0 +1,10 @@
    +---
    +name: tabs
    +description: about tabs
    +metadata:
    +  node_type: memory
    +  type: feedback
    +  modified: 2026-11-15T12:00:00.000Z
    +---
    +
    +Use tabs.
    ");
    assert_snapshot!(shown(&sandbox, "diff --since 2026-11-15T12:00:00Z indent"), @r"
    exit 0
    --- stdout
    --- a/tabs.md
    +++ b/indent.md
    @@ -1,6 +1,6 @@
     ---
    -name: tabs
    -description: about tabs
    +name: indent
    +description: always
     metadata:
       node_type: memory
       type: feedback
    ");
    for at in [id.as_str(), "2026-11-15T13:00:00Z"] {
        assert_eq!(ok(&sandbox, &format!("show indent --at {at}")), first);
    }
    assert_eq!(sandbox.run(["show", "indent", "--at", "2020-01-01T00:00:00Z"]).code, 1);
    let json: serde_json::Value =
        serde_json::from_str(&ok(&sandbox, &format!("show indent --json --at {id}"))).unwrap();
    assert_eq!(json["path"], directory(&sandbox).join("tabs.md").as_str());
    assert_eq!(json["description"], "about tabs");

    ok(&sandbox, "rm indent");
    assert_snapshot!(shown(&sandbox, &format!("restore indent --at {id}")), @r"
    exit 0
    --- stdout
    added    indent.md
    changed  MEMORY.md
    ");
    assert_eq!(read(&sandbox, "indent.md").unwrap(), first);
    assert_eq!(read(&sandbox, "MEMORY.md").unwrap(), "- [indent](indent.md) — about tabs\n");
    assert_snapshot!(sandbox.show("restore indent --at 2020-01-01T00:00:00Z"), @r"
    exit 2
    --- stderr
    error: there was no `indent.md` then
    hint: `memdir log` shows what was done
    ");
}

#[test]
fn what_others_did_between_two_looks_is_seen_and_taken_back() {
    let sandbox = Sandbox::new();
    add(&sandbox, "tabs", "Use tabs.");
    add(&sandbox, "freeze", "Freeze.");
    let before = sandbox.home.tree(directory(&sandbox).as_str());
    let index = directory(&sandbox).join("MEMORY.md");
    fs::write(&index, "- [freeze](freeze.md) — cut\n").unwrap();
    fs::remove_file(directory(&sandbox).join("tabs.md")).unwrap();
    assert_snapshot!(shown(&sandbox, "log -n 1"), @r"
    exit 0
    --- stdout
    [op2]  2026-11-15 12:00  foreign  noticed: changed 1 file, deleted 1 file
                ~ MEMORY.md
                - tabs.md
    ");
    let id = items(&sandbox)[0]["id"].as_str().unwrap().to_owned();
    ok(&sandbox, &format!("undo {id}"));
    assert_eq!(sandbox.home.tree(directory(&sandbox).as_str()), before);

    // Files that were there before memdir ever looked are safe from then on.
    let other = sandbox.home.dir("other");
    sandbox.home.write("other/a.md", "one\n");
    assert_eq!(
        ok(&sandbox, &format!("log --json --dir {other}"))
            .matches("\"reason\":\"noticed: found a.md\"")
            .count(),
        1
    );
    fs::remove_file(other.join("a.md")).unwrap();
    let log: serde_json::Value =
        serde_json::from_str(&ok(&sandbox, &format!("log --json --dir {other}"))).unwrap();
    let id = log["items"][0]["id"].as_str().unwrap();
    ok(&sandbox, &format!("undo {id} --dir {other}"));
    assert_eq!(fs::read_to_string(other.join("a.md")).unwrap(), "one\n");
}

/// Every byte that memdir and the client keep for this home.
fn everything(sandbox: &Sandbox) -> String {
    sandbox.home.tree("home")
}

/// Every version that history holds, as text: contents are compressed on disk.
fn versions(sandbox: &Sandbox) -> String {
    let mut text = ok(sandbox, "log --json");
    for item in items(sandbox) {
        let diff = sandbox.run(["diff", item["id"].as_str().unwrap()]);
        text.push_str(&diff.stdout);
    }
    text
}

#[test]
fn a_purged_text_is_in_no_version_and_says_what_it_cannot_reach() {
    let sandbox = Sandbox::new();
    add(&sandbox, "login", "The word is hunter2.");
    ok(&sandbox, "set login description hunter2");
    add(&sandbox, "tabs", "Use tabs.");
    ok(&sandbox, "rm tabs");
    assert!(versions(&sandbox).contains("hunter2"));
    assert_snapshot!(shown(&sandbox, "purge --pattern hunter2 --dry-run"), @r"
    exit 0
    --- stdout
    would change  MEMORY.md
    would change  login.md
    and every earlier version in history
    ");
    assert_snapshot!(shown(&sandbox, "purge --pattern hunter2 --yes"), @r"
    exit 0
    --- stdout
    cleaned  MEMORY.md
    cleaned  login.md
    Purged from 4 earlier versions; caches are rebuilt without it.
    memdir cannot reach:
      other projects, whose memory has a history of its own: give each with --dir
      session transcripts of the client, which repeat what an agent read and wrote
      backups, snapshots and synchronised copies of this machine, and directories set aside by a move
      what was shared: team members' copies, remotes, and providers that were sent a prompt
      freed blocks of the disk and the system's page cache, until they are used again
    ");
    assert!(read(&sandbox, "login.md").unwrap().contains("The word is [purged]."));
    assert!(!versions(&sandbox).contains("hunter2"), "{}", versions(&sandbox));
    assert!(!everything(&sandbox).contains("hunter2"));
    // Everything else can still be undone.
    let id = id_of(&sandbox, "remove tabs.md");
    ok(&sandbox, &format!("undo {id}"));
    assert!(read(&sandbox, "tabs.md").unwrap().contains("Use tabs."));
    assert_eq!(sandbox.run(["purge", "--pattern", " "]).code, 2);
}

#[test]
fn a_purged_memory_is_gone_under_all_its_names() {
    let sandbox = Sandbox::new();
    add(&sandbox, "tabs", "Use tabs.");
    add(&sandbox, "token", "The word is hunter2.");
    ok(&sandbox, "rename token secret");
    ok(&sandbox, "rm secret");
    ok(&sandbox, "purge secret --yes");
    let versions = versions(&sandbox);
    assert!(!versions.contains("hunter2") && !versions.contains("about token"), "{versions}");
    assert!(versions.contains("Use tabs."));
    assert_eq!(read(&sandbox, "MEMORY.md").unwrap(), "- [tabs](tabs.md) — about tabs\n");
    let id = id_of(&sandbox, "add token.md");
    let shown = sandbox.show(&format!("show secret --at {id}"));
    assert!(shown.contains("exit 2") && shown.contains("does not hold"), "{shown}");
}

#[test]
fn a_damaged_history_is_reported_and_stops_no_command() {
    let mut sandbox = Sandbox::new();
    add(&sandbox, "tabs", "Use tabs.");
    add(&sandbox, "freeze", "Freeze.");
    let histories = sandbox.home.home().join(".local/share/memdir/history");
    let store = histories.read_dir_utf8().unwrap().next().unwrap().unwrap().into_path();
    let segment = store.join("000001.seg");
    let whole = fs::read(&segment).unwrap();
    let mut flipped = whole.clone();
    flipped[200] ^= 0x10;
    for (number, damaged) in
        [whole[..whole.len() - 90].to_vec(), flipped, b"foreign".to_vec()].iter().enumerate()
    {
        fs::write(&segment, damaged).unwrap();
        // The clock goes back a year each time as well.
        sandbox.now = format!("{}-01-01T00:00:00Z", 2025 - number);
        add(&sandbox, &format!("new{number}"), "New.");
        let log = ok(&sandbox, "log");
        assert!(log.contains(&format!("add new{number}.md")), "{number}: {log}");
        assert_eq!(ok(&sandbox, "show tabs"), read(&sandbox, "tabs.md").unwrap());
        ok(&sandbox, "undo");
        assert_eq!(read(&sandbox, &format!("new{number}.md")), None);
    }
    let shown = sandbox.show("log");
    assert!(shown.contains("7 bytes at 0 are damaged or foreign"), "{shown}");
}

#[test]
fn a_look_at_the_past_first_records_what_others_did() {
    let sandbox = Sandbox::new();
    add(&sandbox, "tabs", "Use tabs.");
    let id = id_of(&sandbox, "add tabs.md");
    let file = directory(&sandbox).join("tabs.md");
    let first = fs::read_to_string(&file).unwrap();
    fs::write(&file, "an edit by an unknown program\n").unwrap();
    assert_eq!(ok(&sandbox, &format!("show tabs --at {id}")), first);
    assert_eq!(items(&sandbox)[0]["author"]["kind"], "foreign");
    // Gone altogether, it is still known.
    fs::remove_file(&file).unwrap();
    assert_eq!(ok(&sandbox, &format!("show tabs --at {id}")), first);
    assert_eq!(ok(&sandbox, "log tabs").matches("foreign").count(), 2);
}

#[test]
fn an_edit_is_taken_back_under_the_name_that_the_file_has_now() {
    let sandbox = Sandbox::new();
    add(&sandbox, "tabs", "Use tabs.");
    ok(&sandbox, "set tabs type user");
    let edit = items(&sandbox)[0]["id"].as_str().unwrap().to_owned();
    ok(&sandbox, "rename tabs indent");
    ok(&sandbox, &format!("undo {edit}"));
    let text = read(&sandbox, "indent.md").unwrap();
    assert!(text.contains("type: feedback") && text.contains("name: indent"), "{text}");
    assert_eq!(read(&sandbox, "tabs.md"), None);
    let created = id_of(&sandbox, "add tabs.md");
    let shown = sandbox.show(&format!("undo {created}"));
    assert!(
        shown.contains("exit 2") && shown.contains("`tabs.md` is called `indent.md` since then"),
        "{shown}"
    );
}

#[test]
fn a_day_is_a_time() {
    let sandbox = Sandbox::new();
    add(&sandbox, "tabs", "Use tabs.");
    ok(&sandbox, "set tabs type user");
    let (log, now) = (items(&sandbox), read(&sandbox, "tabs.md").unwrap());
    let day = |at: usize| log[at]["time"].as_str().unwrap()[..10].to_owned();
    let (last, first) = (day(0), day(log.len() - 1));
    assert_eq!(ok(&sandbox, &format!("show tabs --at {last}")), now, "its end");
    assert_eq!(sandbox.run(["show", "tabs", "--at", "2020-01-01"]).code, 1);
    for line in [format!("diff tabs --since {first}"), format!("diff tabs {first}"), format!("diff {first}")]
    {
        assert!(ok(&sandbox, &line).contains("+Use tabs."), "{line}: its beginning");
    }
    ok(&sandbox, "rm tabs");
    let removed = items(&sandbox)[0]["time"].as_str().unwrap()[..10].to_owned();
    assert_eq!(sandbox.run(["show", "tabs", "--at", &removed]).code, 1);
    for wrong in ["2026-13-01", "2026-02-30", "2026-11-16T25:00", "nonsense"] {
        assert_eq!(sandbox.run(["show", "tabs", "--at", wrong]).code, 2, "{wrong}");
        assert_eq!(sandbox.run(["restore", "tabs", "--at", wrong]).code, 2, "{wrong}");
    }
    ok(&sandbox, &format!("undo {}", id_of(&sandbox, "remove tabs.md")));
    ok(&sandbox, &format!("restore tabs --at {removed}"));
    assert_eq!(read(&sandbox, "tabs.md").unwrap(), now);
}

#[test]
fn a_folder_in_the_place_of_a_history_is_not_an_empty_history() {
    let sandbox = Sandbox::new();
    add(&sandbox, "tabs", "Use tabs.");
    let histories = sandbox.home.home().join(".local/share/memdir/history");
    let segment = histories.read_dir_utf8().unwrap().next().unwrap().unwrap().into_path().join("000001.seg");
    fs::remove_file(&segment).unwrap();
    std::os::unix::fs::symlink("/dev/zero", &segment).unwrap();
    let block = sandbox.run(["log"]);
    assert!(block.stderr.contains("000001.seg` is not a regular file"), "{}", block.stderr);
    assert!(ok(&sandbox, "log --json").contains("is not a regular file"));
}

/// Changes the history of a store with a few operations, and checks that no command is stopped by it.
fn damage(what: &str, harm: impl Fn(&Sandbox, &Utf8PathBuf), is_reported: bool) {
    let sandbox = Sandbox::new();
    for name in ["tabs", "freeze", "ship"] {
        add(&sandbox, name, &format!("About {name}."));
    }
    ok(&sandbox, "set tabs type user");
    ok(&sandbox, "rm freeze");
    let histories = sandbox.home.home().join(".local/share/memdir/history");
    let store = histories.read_dir_utf8().unwrap().next().unwrap().unwrap().into_path();
    harm(&sandbox, &store);
    let before = sandbox.home.tree(directory(&sandbox).as_str());
    add(&sandbox, "new", "New.");
    assert!(ok(&sandbox, "log").contains("add new.md"), "{what}");
    assert!(ok(&sandbox, "ls").contains("tabs"), "{what}");
    assert_eq!(ok(&sandbox, "show tabs"), read(&sandbox, "tabs.md").unwrap(), "{what}");
    let doctor = sandbox.run(["doctor"]);
    assert_eq!(doctor.stdout.contains("state-history"), is_reported, "{what}: {}", doctor.stdout);
    assert_eq!(doctor.code, u8::from(is_reported), "{what}: {}", doctor.stdout);
    // What is recorded from now on does not hang on what was lost.
    ok(&sandbox, "undo");
    assert_eq!(sandbox.home.tree(directory(&sandbox).as_str()), before, "{what}");
    ok(&sandbox, "redo");
    assert!(read(&sandbox, "new.md").is_some(), "{what}");
}

#[test]
fn damage_to_a_segment_stops_no_search_and_costs_only_itself() {
    let first = |store: &Utf8PathBuf| store.join("000001.seg");
    let other = |store: &Utf8PathBuf| store.join("000009.seg");
    damage("nothing", |_, _| {}, false);
    damage("removed", |_, store| fs::remove_file(first(store)).unwrap(), false);
    damage("all removed", |_, store| fs::remove_dir_all(store).unwrap(), false);
    damage("emptied", |_, store| fs::write(first(store), "").unwrap(), true);
    damage("foreign", |_, store| fs::write(first(store), "not ours\n").unwrap(), true);
    damage("zeros", |_, store| fs::write(first(store), vec![0; 2_000_000]).unwrap(), true);
    damage("another", |_, store| fs::write(other(store), "not ours\n").unwrap(), true);
    damage("a folder", |_, store| fs::create_dir(other(store)).unwrap(), true);
    let link = |sandbox: &Sandbox, store: &Utf8PathBuf| {
        let target = sandbox.home.write("precious", "precious\n");
        std::os::unix::fs::symlink(target, other(store)).unwrap();
    };
    damage("a link", link, true);
    let pipe = |_: &Sandbox, store: &Utf8PathBuf| {
        assert!(std::process::Command::new("mkfifo").arg(other(store)).status().unwrap().success());
    };
    damage("a pipe", pipe, true);
    let junk = |_: &Sandbox, store: &Utf8PathBuf| fs::write(store.join("000001.known"), [7; 20_000]).unwrap();
    damage("a wrong table of places", junk, false);
    let table = |sandbox: &Sandbox, store: &Utf8PathBuf| {
        let cache = sandbox.home.home().join(".local/share/memdir/cache/table");
        fs::write(cache.join(store.file_name().unwrap()), "junk").unwrap();
    };
    damage("a wrong table of files", table, false);
    for place in 0..10 {
        let flip = |_: &Sandbox, store: &Utf8PathBuf| {
            let mut bytes = fs::read(first(store)).unwrap();
            let position = bytes.len() * place / 10;
            bytes[position] ^= 0x20;
            fs::write(first(store), bytes).unwrap();
        };
        damage(&format!("a flipped bit at {place}/10"), flip, true);
        let cut = |_: &Sandbox, store: &Utf8PathBuf| {
            let bytes = fs::read(first(store)).unwrap();
            fs::write(first(store), &bytes[..bytes.len() * (2 * place + 1) / 23]).unwrap();
        };
        damage(&format!("cut off at {}/23", 2 * place + 1), cut, true);
    }
}

#[test]
fn a_link_in_the_place_of_a_segment_leads_nowhere() {
    let sandbox = Sandbox::new();
    add(&sandbox, "tabs", "Use tabs.");
    let histories = sandbox.home.home().join(".local/share/memdir/history");
    let store = histories.read_dir_utf8().unwrap().next().unwrap().unwrap().into_path();
    let target = sandbox.home.write("precious", "precious\n");
    std::os::unix::fs::symlink(&target, store.join("000002.seg")).unwrap();
    add(&sandbox, "freeze", "Freeze.");
    ok(&sandbox, "undo");
    ok(&sandbox, "purge --pattern tabs --yes");
    assert_eq!(fs::read_to_string(target).unwrap(), "precious\n");
}
