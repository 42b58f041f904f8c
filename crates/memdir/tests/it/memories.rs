//! The commands on memories: what they print, and what they leave on disk.

use std::fs;

use camino::Utf8PathBuf;
use insta::assert_snapshot;

use crate::harness::Sandbox;

/// A sandbox with two memories, one of which links to the other.
fn two_memories() -> Sandbox {
    let sandbox = Sandbox::new();
    for arguments in [
        ["add", "--type=feedback", "--name=tabs", "--description=wants tabs", "--text=Use tabs."],
        ["add", "--type=project", "--name=freeze", "--description=code freeze", "--text=See [[tabs]]."],
    ] {
        let block = sandbox.run(arguments);
        assert_eq!(block.code, 0, "{}", block.stderr);
    }
    sandbox
}

fn directory(sandbox: &Sandbox) -> Utf8PathBuf {
    sandbox.run(["path"]).stdout.trim_end().into()
}

fn read(sandbox: &Sandbox, name: &str) -> String {
    fs::read_to_string(directory(sandbox).join(name)).unwrap()
}

/// The operation's id is random; everything else is not.
fn shown(sandbox: &Sandbox, line: &str) -> String {
    let text = sandbox.show(line);
    match text.split_once("\"op\":\"") {
        Some((before, after)) => format!("{before}\"op\":\"[OP]{}", &after[after.find('"').unwrap()..]),
        None => text,
    }
}

#[test]
fn an_empty_project_says_how_to_begin() {
    let sandbox = Sandbox::new();
    assert_snapshot!(sandbox.show(""), @r"
    exit 0
    --- stdout
    project   ~/project
    memory    ~/.claude/projects/[SLUG]-home-project/memory  on (default)
    memories  0
    index     none yet

    No memory yet. memdir add TEXT adds the first one.
    ");
    assert_snapshot!(sandbox.show("ls"), @r"
    exit 0
    --- stderr
    No memories yet in ~/.claude/projects/[SLUG]-home-project/memory; memdir add TEXT adds one.
    ");
    assert_snapshot!(sandbox.show("ls --json"), @r#"
    exit 0
    --- stdout
    {"v":1,"items":[]}
    "#);
    assert!(!directory(&sandbox).exists(), "looking creates nothing");
}

#[test]
fn what_is_added_is_in_the_clients_form() {
    let sandbox = two_memories();
    assert_snapshot!(read(&sandbox, "tabs.md"), @r"
    ---
    name: tabs
    description: wants tabs
    metadata:
      node_type: memory
      type: feedback
      modified: 2026-11-15T12:00:00.000Z
    ---

    Use tabs.
    ");
    assert_snapshot!(read(&sandbox, "MEMORY.md"), @r"
    - [tabs](tabs.md) — wants tabs
    - [freeze](freeze.md) — code freeze
    ");
    assert_snapshot!(shown(&sandbox, "add --type user --name me --description x --text y --json"), @r#"
    exit 0
    --- stdout
    {"v":1,"op":"[OP]","paths":["[ROOT]/home/.claude/projects/[SLUG]-home-project/memory/me.md","[ROOT]/home/.claude/projects/[SLUG]-home-project/memory/MEMORY.md"],"warnings":[],"conflicts":[],"name":"me","type":"user","description":"x"}
    "#);
}

#[test]
fn the_overview_says_what_is_there_and_what_is_wrong() {
    let sandbox = two_memories();
    sandbox.home.write(directory(&sandbox).join("stray.md"), "---\nname: stray\nname: twice\n---\n");
    fs::remove_file(directory(&sandbox).join("freeze.md")).unwrap();
    for name in ["tabs.md", "stray.md"] {
        let noon = std::time::UNIX_EPOCH + std::time::Duration::from_secs(1_794_744_000);
        let path = directory(&sandbox).join(name);
        fs::File::options().write(true).open(path).unwrap().set_modified(noon).unwrap();
    }
    assert_snapshot!(sandbox.show("--now 2030-01-01T00:00:00Z"), @r"
    exit 0
    --- stdout
    project   ~/project
    memory    ~/.claude/projects/[SLUG]-home-project/memory  on (default)
    memories  2: 1 feedback, 1 without type
    newest    twice 1142 days ago; the oldest is from 1142 days ago
    index     ▰▱▱▱▱▱▱▱▱▱ 2 of 200 lines, 66 of 25000 characters
    wrong     1 memory has no line in the index
    wrong     1 line points to a file that is gone
    wrong     stray.md: `name` appears more than once

    memdir doctor says more and fixes what it can.
    ");
}

#[test]
fn one_memory_is_shown_by_name_stem_or_path() {
    let sandbox = two_memories();
    for name in ["tabs", "tabs.md"] {
        assert_eq!(sandbox.run(["show", name]).stdout, read(&sandbox, "tabs.md"));
    }
    let block = sandbox.run(["show", "tabs", "--json"]);
    let shown: serde_json::Value = serde_json::from_str(&block.stdout).unwrap();
    assert_eq!(shown["linked_from"][0], directory(&sandbox).join("freeze.md").as_str());
    assert_eq!((&shown["type"], &shown["v"]), (&"feedback".into(), &1.into()));
    assert_snapshot!(sandbox.show("show nothing"), @r"
    exit 1
    --- stderr
    error: there is no memory `nothing` in `[ROOT]/home/.claude/projects/[SLUG]-home-project/memory`
    hint: `memdir ls` lists all memories
    ");
    sandbox.home.write(directory(&sandbox).join("old/tabs.md"), "older");
    sandbox.home.write(directory(&sandbox).join("older/tabs.md"), "older");
    fs::remove_file(directory(&sandbox).join("tabs.md")).unwrap();
    assert_snapshot!(sandbox.show("show tabs"), @r"
    exit 2
    --- stderr
    error: `tabs` is ambiguous: old/tabs.md, older/tabs.md
    hint: give its path in the directory, or more of the id
    ");
}

#[test]
fn a_set_changes_one_field_and_the_index() {
    let sandbox = two_memories();
    let before = read(&sandbox, "tabs.md");
    let block = sandbox.run(["set", "tabs", "description", "tabs always"]);
    assert_eq!(block.code, 0, "{}", block.stderr);
    assert_eq!(read(&sandbox, "tabs.md"), before.replace("wants tabs", "tabs always"));
    assert!(read(&sandbox, "MEMORY.md").contains("— tabs always"));
    assert_snapshot!(sandbox.show("set tabs type"), @r"
    exit 2
    --- stderr
    error: missing: `<VALUE>`
    usage: memdir set <NAME> <FIELD> <VALUE>
    ");
}

#[test]
fn a_rename_takes_links_and_index_along() {
    let sandbox = two_memories();
    assert_snapshot!(sandbox.show("rename tabs style/indentation"), @r"
    exit 0
    --- stdout
    renamed  tabs.md to style/indentation.md
    changed  style/indentation.md
    changed  freeze.md
    changed  MEMORY.md
    ");
    assert!(read(&sandbox, "freeze.md").contains("[[indentation]]"));
    assert!(read(&sandbox, "MEMORY.md").contains("(style/indentation.md)"));
    assert_snapshot!(sandbox.show("rename freeze style/indentation"), @r"
    exit 2
    --- stderr
    error: `style/indentation.md` exists already
    hint: choose another name, or change it with `memdir edit` or `memdir set`
    ");
}

#[test]
fn what_is_removed_is_gone_from_the_index_too() {
    let sandbox = two_memories();
    assert_snapshot!(sandbox.show("rm tabs --dry-run"), @r"
    exit 0
    --- stdout
    would remove  tabs.md
    would change  MEMORY.md
    --- stderr
    warning: `freeze.md` still links to `tabs.md`
    ");
    assert!(directory(&sandbox).join("tabs.md").exists());
    assert_snapshot!(sandbox.show("rm tabs"), @r"
    exit 0
    --- stdout
    removed  tabs.md
    changed  MEMORY.md
    --- stderr
    warning: `freeze.md` still links to `tabs.md`
    ");
    assert!(!read(&sandbox, "MEMORY.md").contains("tabs.md"));
}

#[test]
fn a_link_and_an_index_made_anew() {
    let sandbox = two_memories();
    assert_eq!(sandbox.run(["link", "tabs", "freeze"]).code, 0);
    assert!(read(&sandbox, "tabs.md").ends_with("\n- [[freeze]]\n"));
    fs::write(directory(&sandbox).join("MEMORY.md"), "# My own heading\n\n- [Gone](gone.md) — x\n").unwrap();
    assert_eq!(sandbox.run(["reindex"]).code, 0);
    let index = read(&sandbox, "MEMORY.md");
    assert!(index.starts_with("# My own heading\n"), "{index}");
    assert!(
        index.contains("(tabs.md)") && index.contains("(freeze.md)") && !index.contains("gone.md"),
        "{index}"
    );
    assert_snapshot!(sandbox.show("reindex"), @r"
    exit 0
    --- stdout
    Nothing to change.
    ");
}

#[test]
fn the_editor_works_on_a_copy_and_broken_headers_are_refused() {
    let sandbox = two_memories().var("EDITOR", "sed -i 's/Use tabs/Use TABS/'").var("PATH", "/usr/bin:/bin");
    assert_snapshot!(sandbox.show("edit tabs"), @r"
    exit 0
    --- stdout
    changed  tabs.md
    ");
    assert!(read(&sandbox, "tabs.md").contains("Use TABS."));
    let sandbox = sandbox.var("VISUAL", "sed -i '2,$ {/^---$/d}'");
    let before = read(&sandbox, "tabs.md");
    let refused = sandbox.show("edit tabs");
    assert!(refused.contains("would have a broken header: the frontmatter is never closed"), "{refused}");
    let sandbox = sandbox.var("VISUAL", "false");
    assert_eq!(sandbox.run(["edit", "tabs"]).code, 2);
    assert_eq!(read(&sandbox, "tabs.md"), before);
}

#[test]
fn every_refused_change_names_rule_and_path_and_changes_nothing() {
    let sandbox = two_memories();
    let before = sandbox.home.tree("home/.claude");
    assert_snapshot!(sandbox.show("add --type feedback --name tabs --description x --text y"), @r"
    exit 2
    --- stderr
    error: `tabs.md` exists already
    hint: choose another name, or change it with `memdir edit` or `memdir set`
    ");
    assert_snapshot!(sandbox.show("add --type opinion --name x --description x --text y"), @r"
    exit 2
    --- stderr
    error: unknown type `opinion`
    hint: the types are user, feedback, project and reference
    ");
    assert_snapshot!(sandbox.show("add --type user --name ../../x --description x --text y"), @r"
    exit 2
    --- stderr
    error: `../../x.md` cannot be the name of a memory: leaves the memory directory
    ");
    assert_snapshot!(sandbox.show("add --type user --name x --path notes.txt --description x --text y"), @r"
    exit 2
    --- stderr
    error: `notes.txt` cannot be the name of a memory: a memory is a file that ends in `.md`
    ");
    assert_snapshot!(sandbox.show("add --type user --name MEMORY --description x --text y"), @r"
    exit 2
    --- stderr
    error: `MEMORY.md` is the index, not a memory
    hint: `memdir reindex` and `memdir edit` change it
    ");
    assert_snapshot!(sandbox.show("add --type user --name x --description x"), @r"
    exit 2
    --- stderr
    error: there is no text to remember
    hint: pass the text, or --file FILE, or --file - for standard input
    ");
    assert_snapshot!(sandbox.show("rm gone"), @r"
    exit 2
    --- stderr
    error: there is no memory `gone` in `[ROOT]/home/.claude/projects/[SLUG]-home-project/memory`
    hint: `memdir ls` lists all memories
    ");
    assert_eq!(sandbox.home.tree("home/.claude"), before);
}

#[test]
fn a_directory_that_a_repository_chose_is_read_and_not_written() {
    let sandbox = Sandbox::new();
    let shared = sandbox.home.dir("shared");
    sandbox.home.write("shared/theirs.md", "hello");
    sandbox
        .home
        .write("home/project/.claude/settings.json", format!("{{\"autoMemoryDirectory\":\"{shared}\"}}"));
    assert_eq!(sandbox.run(["show", "theirs"]).stdout, "hello");
    assert_snapshot!(sandbox.show("add --type user --name x --description x --text y"), @r"
    exit 2
    --- stderr
    error: the repository's settings put memory in `[ROOT]/shared`, and you have not agreed to that
    hint: `memdir project trust` agrees to it
    ");
    assert_eq!(sandbox.home.tree("shared"), "theirs.md: \"hello\"");
}

#[test]
fn an_agent_that_calls_us_is_the_author() {
    let sandbox = Sandbox::new().var("CLAUDECODE", "1").var("CLAUDE_CODE_SESSION_ID", "session-1");
    assert_eq!(sandbox.run(["add", "--type=user", "--name=a", "--description=b", "--text=c"]).code, 0);
    assert!(read(&sandbox, "a.md").contains("originSessionId: session-1"));
}

#[test]
fn the_index_as_the_agent_gets_it() {
    let sandbox = two_memories();
    assert_eq!(sandbox.run(["load"]).stdout, read(&sandbox, "MEMORY.md"));
    let long: String = (0..250).map(|number| format!("- [N{number}](n{number}.md)\n")).collect();
    let file = sandbox.home.write("long.md", long);
    let block = sandbox.run(["load", "--file", file.as_str(), "--json"]);
    let loaded: serde_json::Value = serde_json::from_str(&block.stdout).unwrap();
    assert_eq!((&loaded["truncated"], &loaded["lines"]), (&true.into(), &250.into()));
    assert_snapshot!(loaded["warning"].as_str().unwrap(), @r#"> WARNING: MEMORY.md is 250 lines (limit: 200). Only part of it was loaded: 50 of 250 lines were cut off, starting at line 201 ("- [N200](n200.md)"). Keep index entries to one line under ~200 chars; move detail into topic files."#);
    assert_snapshot!(sandbox.show("load --file nowhere.md"), @r"
    exit 2
    --- stderr
    error: cannot read `nowhere.md`: no such file
    ");
}

#[test]
fn an_index_over_its_limit_moves_its_last_lines_visibly() {
    let sandbox = Sandbox::new();
    let memory = directory(&sandbox);
    let index: String = (0..200).map(|number| format!("- [N{number}](n{number}.md)\n")).collect();
    sandbox.home.write(memory.join("MEMORY.md"), &index);
    let block = sandbox.run(["add", "--type=user", "--name=last", "--description=the newest", "--text=x"]);
    assert_eq!(block.code, 0);
    assert!(block.stderr.contains("do not fit and went to MEMORY-overflow.md"), "{}", block.stderr);
    let both = read(&sandbox, "MEMORY.md") + &read(&sandbox, "MEMORY-overflow.md");
    for line in index.lines().chain(["- [last](last.md) — the newest"]) {
        assert!(both.contains(line), "lost: {line}");
    }
    assert!(!sandbox.run(["load"]).stdout.contains("WARNING"));
}

#[test]
fn what_a_reviewer_found_stays_fixed() {
    let sandbox = two_memories();
    // An over-long description would push the header out of what is read of a file.
    let long = format!("--description={}", "w".repeat(2_000));
    let block = sandbox.run(["add", "--type=user", "--name=long", &long, "--text=x"]);
    assert!(block.code == 2 && block.stderr.contains("2000 characters"), "{}", block.stderr);
    // Nothing to do is not an error.
    assert_eq!(sandbox.run(["rename", "tabs", "tabs"]).code, 0);
    // A header cannot forge a row of the listing.
    let forged = "---\nname: forged\ndescription: \"x\\n just now  user  FORGED\"\n---\n";
    sandbox.home.write(directory(&sandbox).join("forged.md"), forged);
    assert!(!sandbox.run(["ls"]).stdout.lines().any(|line| line.starts_with(" just now  user  FORGED")));
    // What a rebuilt index leaves out is named.
    let index = read(&sandbox, "MEMORY.md") + "- [idea](idea.md) — not yet written\n";
    fs::write(directory(&sandbox).join("MEMORY.md"), index).unwrap();
    assert!(sandbox.run(["reindex"]).stderr.contains("no longer in the index: - [idea](idea.md)"));
}

#[test]
fn the_text_of_a_refused_edit_is_kept() {
    let sandbox = two_memories().var("EDITOR", "sed -i '2,$ {/^---$/d}'").var("PATH", "/usr/bin:/bin");
    let block = sandbox.run(["edit", "tabs"]);
    let kept = block.stderr.split("your text is in `").nth(1).unwrap().split('`').next().unwrap().to_owned();
    assert!(fs::read_to_string(&kept).unwrap().contains("Use tabs."), "{}", block.stderr);
    fs::remove_dir_all(Utf8PathBuf::from(kept).parent().unwrap()).unwrap();
}
