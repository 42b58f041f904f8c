//! What people type, what is asked of them, and what they get.

use std::fs;

use memdir::Terminal;

use crate::harness::Sandbox;

const ON_A_TERMINAL: Terminal = Terminal { stdin: true, stdout: true, stderr: true, columns: None };

fn ok(sandbox: &Sandbox, arguments: &[&str]) -> String {
    let block = sandbox.run(arguments.iter().copied());
    assert_eq!(block.code, 0, "{arguments:?}: {}{}", block.stdout, block.stderr);
    block.stdout + &block.stderr
}

fn fails(sandbox: &Sandbox, arguments: &[&str]) -> String {
    let block = sandbox.run(arguments.iter().copied());
    assert_eq!(block.code, 2, "{arguments:?}: {}{}", block.stdout, block.stderr);
    block.stderr
}

/// A sandbox at a terminal whose editor runs this shell command on the file.
fn with_editor(command: &str) -> Sandbox {
    let mut sandbox = Sandbox::new()
        .var("EDITOR", format!("f() {{ {command}; }}; f"))
        .var("PATH", std::env::var("PATH").unwrap_or_default());
    sandbox.terminal = ON_A_TERMINAL;
    sandbox
}

#[test]
fn a_text_alone_is_enough() {
    let sandbox = Sandbox::new();
    let said = ok(&sandbox, &["add", "Never use a float for money"]);
    assert!(said.contains("never-float-money.md") && said.contains("feedback"), "{said}");
    let shown = ok(&sandbox, &["show", "never-float-money"]);
    assert!(shown.contains("description: Never use a float for money"), "{shown}");
    assert!(ok(&sandbox, &["add", "Never use a float for money!"]).contains("never-float-money-2.md"));
    let json = ok(&sandbox, &["add", "--json", "-t", "reference", "-n", "docs", "-d", "d", "See the wiki"]);
    assert!(json.contains(r#""name":"docs""#) && json.contains(r#""type":"reference""#), "{json}");
}

#[test]
fn an_existing_name_is_refused_before_the_editor_opens() {
    let sandbox = with_editor("echo never > /nonexistent; exit 3");
    ok(&sandbox, &["add", "-n", "edt", "--text", "x"]);
    let said = fails(&sandbox, &["add", "--type", "feedback", "--name", "edt", "--description", "x"]);
    assert!(said.contains("exists already") && !said.contains("editor"), "{said}");
}

#[test]
fn leaving_the_editor_without_a_text_aborts() {
    let sandbox = with_editor("true");
    let said = fails(&sandbox, &["add", "-n", "empty"]);
    assert!(said.contains("you saved no text"), "{said}");
    assert!(sandbox.run(["show", "empty"]).code == 1);
}

#[test]
fn a_typed_text_is_kept_when_the_command_fails() {
    let sandbox = with_editor("printf 'precious words' > \"$1\"; exit 1");
    let said = fails(&sandbox, &["add", "-n", "kept"]);
    let path = said.split("your text is in `").nth(1).and_then(|rest| rest.split('`').next());
    let path = path.unwrap_or_else(|| panic!("{said}"));
    assert_eq!(fs::read_to_string(path).unwrap(), "precious words");
    fs::remove_dir_all(std::path::Path::new(path).parent().unwrap()).unwrap();
}

#[test]
fn what_cannot_be_undone_asks_first() {
    let mut sandbox = Sandbox::new();
    ok(&sandbox, &["add", "-n", "tabs", "--text", "x"]);
    for arguments in [&["purge", "tabs"][..], &["project", "forget", "."]] {
        let said = fails(&sandbox, arguments);
        assert!(said.contains("--yes"), "{said}");
    }
    sandbox.terminal = ON_A_TERMINAL;
    sandbox.stdin = "n\n".to_owned();
    assert!(fails(&sandbox, &["purge", "tabs"]).contains("Nothing was changed"));
    assert!(ok(&sandbox, &["show", "tabs"]).contains('x'));
    sandbox.stdin = "y\n".to_owned();
    ok(&sandbox, &["purge", "tabs"]);
    assert_eq!(sandbox.run(["show", "tabs"]).code, 1);
}

#[test]
fn undo_names_what_it_undoes_and_what_stays() {
    let mut sandbox = Sandbox::new();
    ok(&sandbox, &["add", "-n", "mine", "--text", "x"]);
    sandbox.vars.push(("CLAUDECODE".to_owned(), "1".to_owned()));
    ok(&sandbox, &["add", "-n", "agents", "--text", "y"]);
    sandbox.vars.clear();
    let said = ok(&sandbox, &["undo", "--dry-run"]);
    assert!(said.contains("would undo ") && said.contains("(yours, just now): add mine.md"), "{said}");
    assert!(said.contains("by an agent stays: add agents.md"), "{said}");
}

#[test]
fn a_printed_id_is_a_prefix_that_every_command_accepts() {
    let sandbox = Sandbox::new();
    ok(&sandbox, &["add", "-n", "one", "--text", "x"]);
    ok(&sandbox, &["add", "-n", "two", "--text", "y"]);
    let log = ok(&sandbox, &["log"]);
    let id = log.split_whitespace().next().unwrap().to_owned();
    let json = ok(&sandbox, &["log", "--json"]);
    assert!(json.contains(&format!(r#""id":"{id}"#)), "{id} {json}");
    assert!(ok(&sandbox, &["diff", &id]).contains("two.md"));
    assert!(ok(&sandbox, &["undo", &id]).contains(&format!("undoing {id}")));
}

#[test]
fn times_are_one_grammar() {
    let sandbox = Sandbox::new();
    ok(&sandbox, &["add", "-n", "one", "--text", "x"]);
    for time in ["3d", "6h", "yesterday", "2020-10", "2020-10-05", "2020-10-05 14:00", "2020-10-05T14:00:00Z"]
    {
        ok(&sandbox, &["log", "--since", time]);
        ok(&sandbox, &["sessions", "--since", time]);
        ok(&sandbox, &["diff", "--since", time]);
    }
    for arguments in [
        &["log", "--since", "bogus"][..],
        &["sessions", "--since", "bogus"],
        &["restore", "one", "--at", "bogus"],
    ] {
        let said = fails(&sandbox, arguments);
        assert!(said.contains("not a time") && said.contains("hint:"), "{said}");
    }
}

#[test]
fn restore_brings_back_the_last_version() {
    let sandbox = Sandbox::new();
    ok(&sandbox, &["add", "-n", "one", "--text", "first text"]);
    ok(&sandbox, &["set", "one", "description", "changed"]);
    ok(&sandbox, &["rm", "one"]);
    ok(&sandbox, &["restore", "one"]);
    assert!(ok(&sandbox, &["show", "one"]).contains("changed"));
}

#[test]
fn several_memories_are_removed_at_once() {
    let sandbox = Sandbox::new();
    for name in ["a-one", "b-two", "c-three"] {
        ok(&sandbox, &["add", "-n", name, "--text", "x"]);
    }
    fails(&sandbox, &["rm", "a-one", "nothing"]);
    ok(&sandbox, &["rm", "a-one", "b-two"]);
    let left = ok(&sandbox, &["ls"]);
    assert!(left.contains("c-three") && !left.contains("a-one") && !left.contains("b-two"), "{left}");
}

#[test]
fn names_of_any_script_give_a_file_and_keep_the_title() {
    let sandbox = Sandbox::new();
    assert!(ok(&sandbox, &["add", "-n", "日本語", "--text", "x"]).contains("ribenyu.md"));
    assert!(ok(&sandbox, &["show", "日本語"]).contains("name: 日本語"));
    assert!(ok(&sandbox, &["add", "-n", "Übersicht", "--text", "x"]).contains("ubersicht.md"));
    assert!(ok(&sandbox, &["show", "ubersicht"]).contains("name: Übersicht"));
    ok(&sandbox, &["add", "-n", "prices", "--text", "x"]);
    let said = fails(&sandbox, &["add", "-n", "Prices", "--text", "y"]);
    assert!(said.contains("differs from the memory `prices.md` only in case"), "{said}");
    ok(&sandbox, &["add", "-n", "Code Freeze", "--text", "x"]);
    assert!(ok(&sandbox, &["show", "MEMORY.md"]).contains("[Code Freeze](<Code Freeze.md>)"));
}

#[test]
fn the_words_that_people_type_work() {
    let sandbox = Sandbox::new();
    ok(&sandbox, &["new", "-n", "tabs", "--text", "x"]);
    assert!(ok(&sandbox, &["list"]).contains("tabs"));
    assert!(ok(&sandbox, &["cat", "tabs"]).contains('x'));
    ok(&sandbox, &["mv", "tabs", "spaces"]);
    ok(&sandbox, &["remove", "spaces"]);
    ok(&sandbox, &["undo"]);
    ok(&sandbox, &["delete", "spaces"]);
}

#[test]
fn a_wrong_value_is_refused_with_what_is_accepted() {
    let sandbox = Sandbox::new();
    ok(&sandbox, &["add", "-n", "tabs", "--text", "x"]);
    assert!(fails(&sandbox, &["set", "tabs", "type", "bogus"]).contains("feedback"));
    assert!(fails(&sandbox, &["ls", "--type", "bogus"]).contains("feedback"));
    assert!(fails(&sandbox, &["ls", "--dir", "/nope"]).contains("does not exist"));
    let missing = sandbox.run(["show", "tbas"]);
    assert_eq!(missing.code, 1);
    assert!(
        missing.stderr.starts_with("error:") && missing.stderr.contains("did you mean `tabs`"),
        "{}",
        missing.stderr
    );
    let said = fails(&sandbox, &["ls", "--tpye", "user"]);
    assert!(
        said.starts_with("error: unknown option `--tpye`\nhint: did you mean `--type`?\nusage: memdir ls"),
        "{said}"
    );
}

#[test]
fn settings_are_listed_changed_and_explained() {
    let sandbox = Sandbox::new();
    assert!(ok(&sandbox, &["config"]).contains("writes = auto"));
    ok(&sandbox, &["config", "set", "writes", "review"]);
    ok(&sandbox, &["config", "set", "features.team", "true"]);
    assert_eq!(ok(&sandbox, &["config", "get", "writes"]), "review\n");
    let listed = ok(&sandbox, &["config"]);
    assert!(listed.contains("writes = review") && listed.contains("config.toml:1"), "{listed}");
    assert!(fails(&sandbox, &["config", "set", "wrtes", "review"]).contains("did you mean `writes`?"));
    assert!(fails(&sandbox, &["config", "set", "writes", "bogus"]).contains("is one of"));
    ok(&sandbox, &["config", "unset", "writes"]);
    assert_eq!(ok(&sandbox, &["config", "get", "writes"]), "auto\n");
    assert!(ok(&sandbox, &["config", "explain", "history.days"]).contains("default 90"));
}

#[test]
fn every_command_reports_an_unknown_key() {
    let sandbox = Sandbox::new();
    let file = ok(&sandbox, &["config", "path"]);
    let file = std::path::Path::new(file.trim());
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(file, "wrtes = \"review\"\n").unwrap();
    for arguments in [&["ls"][..], &["add", "-n", "a", "--text", "x"], &["log"]] {
        let said = ok(&sandbox, arguments);
        assert!(said.contains("unknown key `wrtes`; did you mean `writes`?"), "{said}");
    }
}

#[test]
fn a_secret_is_answered_with_purge() {
    let sandbox = Sandbox::new();
    let text = format!("token ghp_{}", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8");
    let said = ok(&sandbox, &["add", "-n", "keys", "--text", &text]);
    assert!(said.contains("memdir purge keys.md"), "{said}");
    let found = sandbox.run(["doctor"]);
    assert!(found.stdout.contains("memdir purge keys.md"), "{}", found.stdout);
}

#[test]
fn eighty_columns_never_wrap() {
    let mut sandbox = Sandbox::new();
    let name = "feedback-no-dont-add-dependencies-without-asking-first-please";
    let text = "A long description that goes on and on, far beyond the width of every terminal that there is";
    ok(&sandbox, &["add", "-n", name, "-d", text, "--text", text]);
    ok(&sandbox, &["add", "-n", "short", "-d", text, "--text", "x"]);
    sandbox.terminal = Terminal { columns: Some(80), ..Terminal::default() };
    let listed = ok(&sandbox, &["ls"]);
    assert!(listed.lines().all(|line| line.chars().count() <= 80), "{listed}");
    assert!(listed.contains("feedback-no") && listed.contains("please"), "{listed}");
}

#[test]
fn completions_know_memories_types_and_operations() {
    let sandbox = Sandbox::new();
    ok(&sandbox, &["add", "-n", "prices", "-d", "money", "--text", "x"]);
    let complete = |words: &[&str]| ok(&sandbox, &[&["complete", "--"], words].concat());
    assert!(complete(&["se"]).contains("search\t"));
    assert_eq!(complete(&["show", "pr"]), "prices\tmoney\n");
    assert_eq!(complete(&["rm", "prices", "pr"]), "prices\tmoney\n");
    assert_eq!(complete(&["add", "--type", "fe"]), "feedback\t\n");
    assert!(complete(&["undo", ""]).contains("add prices.md"));
    assert!(complete(&["team", "res"]).starts_with("resolve\t"));
    assert!(complete(&["ls", "--"]).contains("--verify") && !complete(&["ls", "--"]).contains("--now"));
    assert!(complete(&["config", "get", "wri"]).contains("writes"));
}
