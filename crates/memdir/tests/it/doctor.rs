//! `memdir doctor`, `verify` and `ls --verify`: what they find, and what a fix leaves on disk.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use camino::Utf8PathBuf;
use insta::assert_snapshot;

use crate::harness::Sandbox;

fn directory(sandbox: &Sandbox) -> Utf8PathBuf {
    sandbox.run(["path"]).stdout.trim_end().into()
}

fn add(sandbox: &Sandbox, name: &str, text: &str) {
    let block =
        sandbox.run(["add", "--type=feedback", "--description=about it", "--name", name, "--text", text]);
    assert_eq!(block.code, 0, "{}", block.stderr);
}

#[test]
fn a_healthy_directory_is_healthy() {
    let sandbox = Sandbox::new();
    assert_snapshot!(sandbox.show("doctor"), @r"
    exit 0
    --- stdout
    Healthy: nothing is wrong.
    ");
    add(&sandbox, "tabs", "Use tabs.");
    assert_snapshot!(sandbox.show("doctor"), @r"
    exit 0
    --- stdout
    Healthy: nothing is wrong.
    ");
    assert_snapshot!(sandbox.show("doctor --json"), @r#"
    exit 0
    --- stdout
    {"v":1,"healthy":true,"items":[]}
    "#);
}

#[test]
fn history_is_searched_for_secrets_on_request() {
    let sandbox = Sandbox::new();
    let token = format!("ghp_{}", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8");
    add(&sandbox, "deploy", &format!("The token is {token}."));
    assert_eq!(sandbox.run(["rm", "deploy"]).code, 0);
    assert_eq!(sandbox.run(["doctor"]).code, 0);
    let found = sandbox.run(["doctor", "--history"]);
    assert_eq!(found.code, 1);
    assert!(
        found.stdout.contains("stored-secret") && found.stdout.contains("memdir purge"),
        "{}",
        found.stdout
    );
    assert!(!found.stdout.contains(&token));
}

#[test]
fn problems_are_found_fixed_and_recorded() {
    let sandbox = Sandbox::new();
    add(&sandbox, "tabs", "Use tabs. See [[spaces]].");
    add(&sandbox, "cents", "Money is `src/money.rs`.");
    let memory = directory(&sandbox);
    fs::write(
        memory.join("MEMORY.md"),
        "# Mine\n- [tabs](tabs.md) — x\n- [gone](gone.md)\n- [again](tabs.md)\n",
    )
    .unwrap();
    fs::set_permissions(memory.join("cents.md"), fs::Permissions::from_mode(0o666)).unwrap();
    let before = fs::read_to_string(memory.join("MEMORY.md")).unwrap();
    assert_snapshot!(sandbox.show("doctor"), @r"
    exit 1
    --- stdout
    error   index-dangling-line MEMORY.md:3
            line 3 points to a file that is gone: - [gone](gone.md)
            why the agent is sent to a memory that does not exist, and the line takes room from others
            fix remove the line (--fix does it)
    error   file-writable-by-others cents.md
            others may write the file (mode 666)
            why anyone who can write a memory can tell your agent what to do
            fix chmod go-w cents.md
    warning index-duplicate-line MEMORY.md:4
            line 4 points to a file that an earlier line points to
            why the index is limited, and two lines for one memory can contradict each other
            fix remove the line, keep the first (--fix does it)
    warning index-missing-line cents.md
            the memory has no line in the index
            why the agent learns from the index which memories there are, so it will not open this one
            fix add a line for it to MEMORY.md (--fix does it)
    warning memory-stale cents.md:10
            `src/money.rs` is gone (the project has no such file)
            why the agent looks for what is no longer there, or believes that it is
            fix bring it up to date: `memdir verify cents.md`, `memdir edit cents.md`
    warning memory-dead-link tabs.md:10
            links to `spaces`, which is not a memory
            why the agent follows links to learn more, and finds nothing
            fix add that memory, or take the link out: `memdir edit tabs.md`
    2 errors, 4 warnings
    ");
    assert_eq!(fs::read_to_string(memory.join("MEMORY.md")).unwrap(), before, "looking changes nothing");
    let dry = sandbox.run(["doctor", "--fix", "--dry-run"]);
    assert!(dry.stdout.contains("-- [gone](gone.md)"), "{}", dry.stdout);
    assert_eq!(fs::read_to_string(memory.join("MEMORY.md")).unwrap(), before, "nor does --dry-run");
    assert_snapshot!(sandbox.show("doctor --fix"), @r"
    exit 1
    --- stdout
    --- a/MEMORY.md
    +++ b/MEMORY.md
    @@ -1,4 +1,3 @@
     # Mine
     - [tabs](tabs.md) — x
    -- [gone](gone.md)
     - [again](tabs.md)
    fixed: remove index lines of files that are gone

    --- a/MEMORY.md
    +++ b/MEMORY.md
    @@ -1,3 +1,2 @@
     # Mine
     - [tabs](tabs.md) — x
    -- [again](tabs.md)
    fixed: remove second index lines

    --- a/MEMORY.md
    +++ b/MEMORY.md
    @@ -1,2 +1,3 @@
     # Mine
     - [tabs](tabs.md) — x
    +- [cents](cents.md) — about it
    fixed: add index lines for memories that have none

    error   file-writable-by-others cents.md
            others may write the file (mode 666)
            why anyone who can write a memory can tell your agent what to do
            fix chmod go-w cents.md
    warning memory-stale cents.md:10
            `src/money.rs` is gone (the project has no such file)
            why the agent looks for what is no longer there, or believes that it is
            fix bring it up to date: `memdir verify cents.md`, `memdir edit cents.md`
    warning memory-dead-link tabs.md:10
            links to `spaces`, which is not a memory
            why the agent follows links to learn more, and finds nothing
            fix add that memory, or take the link out: `memdir edit tabs.md`
    1 error, 2 warnings
    ");
    assert_snapshot!(fs::read_to_string(memory.join("MEMORY.md")).unwrap(), @r"
    # Mine
    - [tabs](tabs.md) — x
    - [cents](cents.md) — about it
    ");
    for _ in 0..3 {
        let undone = sandbox.run(["undo"]);
        assert_eq!(undone.code, 0, "{}", undone.stderr);
    }
    assert_eq!(fs::read_to_string(memory.join("MEMORY.md")).unwrap(), before, "every fix can be undone");
    assert_eq!(sandbox.run(["doctor", "--fix"]).code, 1);
    let again = sandbox.run(["doctor", "--fix", "--json"]);
    assert_eq!(again.code, 1);
    assert!(!again.stdout.contains("\"fixed\""), "what is fixed stays fixed: {}", again.stdout);
}

#[test]
fn what_memories_cite_is_verified() {
    let sandbox = Sandbox::new();
    sandbox.home.write("home/project/src/money.rs", "pub fn parse_cents() {}\n");
    add(
        &sandbox,
        "cents",
        "Money: `src/money.rs:1`, `parse_cents`, but `src/float.rs` and `src/money.rs:9`.",
    );
    add(&sandbox, "tabs", "Use tabs.");
    assert_snapshot!(sandbox.show("verify"), @r"
    exit 1
    --- stdout
    tabs  cites nothing that can be looked up
    cents  2 fresh, 1 changed, 1 gone
      gone     src/float.rs  line 10  the project has no such file
      changed  src/money.rs:9  line 10  the file ends at line 1
    ");
    assert_snapshot!(sandbox.show("verify cents"), @r"
    exit 1
    --- stdout
    cents  2 fresh, 1 changed, 1 gone
      fresh    src/money.rs:1  line 10
      fresh    parse_cents  line 10
      gone     src/float.rs  line 10  the project has no such file
      changed  src/money.rs:9  line 10  the file ends at line 1
    ");
    assert_snapshot!(sandbox.show("verify tabs --json"), @r#"
    exit 0
    --- stdout
    {"v":1,"items":[{"name":"tabs","path":"[ROOT]/home/.claude/projects/[SLUG]-home-project/memory/tabs.md","freshness":"fresh","citations":[]}]}
    "#);
    assert_eq!(sandbox.run(["verify", "nothing"]).code, 1);
    assert_snapshot!(sandbox.show("ls --verify"), @r"
    exit 0
    --- stdout
        just now  feedback   tabs   about it
        just now  feedback   cents  about it  (cites something that is gone)
    ");
    let listed = sandbox.run(["ls", "--verify", "--json"]).stdout;
    assert!(
        listed.contains("\"freshness\":\"gone\"") && listed.contains("\"freshness\":\"fresh\""),
        "{listed}"
    );
}

#[test]
fn memory_of_a_subdirectory_and_broken_state_are_found() {
    let sandbox = Sandbox::new();
    sandbox.home.write("home/project/.git/HEAD", "ref: refs/heads/main\n");
    fs::create_dir_all(sandbox.cwd.join(".git/objects")).unwrap();
    fs::create_dir_all(sandbox.cwd.join(".git/refs")).unwrap();
    fs::create_dir_all(sandbox.cwd.join("sub")).unwrap();
    let sub = sandbox.cwd.join("sub");
    let slug = memdir_core::project::encode_path::encode(sub.as_str());
    sandbox.home.write(format!("home/.claude/projects/{slug}/memory/MEMORY.md"), "- x\n");
    let line = format!("{{\"type\":\"user\",\"cwd\":\"{sub}\",\"sessionId\":\"s\"}}\n");
    sandbox.home.write(format!("home/.claude/projects/{slug}/s.jsonl"), line);
    sandbox.home.write("home/.config/memdir/config.toml", "wirtes = \"review\"\n");
    add(&sandbox, "tabs", "Use tabs.");
    let found = sandbox.run(["doctor", "--json"]);
    assert_eq!(found.code, 1);
    assert!(found.stdout.contains("\"id\":\"project-split-store\""), "{}", found.stdout);
    assert!(found.stdout.contains("unknown key `wirtes`"), "{}", found.stdout);
}

#[test]
fn broken_settings_are_named_with_their_line() {
    let sandbox = Sandbox::new();
    sandbox.home.write("home/.config/memdir/config.toml", "writes = \"reviw\"\n");
    assert_snapshot!(sandbox.show("doctor"), @r#"
    exit 1
    --- stdout
    error   state-config
            cannot use the settings in `[ROOT]/home/.config/memdir/config.toml`: line 1: `writes` is one of "auto", "review", "off"
            why memdir does not guess what you meant, and refuses changes that depend on it
            fix fix the settings file
    1 error
    "#);
}

#[test]
fn a_list_says_what_is_changed_or_gone_without_being_asked() {
    let sandbox = Sandbox::new();
    sandbox.home.write("home/project/src/money.rs", "fn cents() {}\n");
    add(&sandbox, "cents", "Money is in `src/money.rs`, see `cents()`.");
    add(&sandbox, "plain", "Cites nothing.");
    let freshness = |sandbox: &Sandbox, name: &str| {
        let list: serde_json::Value = serde_json::from_str(&sandbox.run(["ls", "--json"]).stdout).unwrap();
        let item =
            list["items"].as_array().unwrap().iter().find(|item| item["name"] == name).unwrap().clone();
        item.get("freshness").map(|found| found.as_str().unwrap().to_owned())
    };
    assert_eq!(freshness(&sandbox, "cents").as_deref(), Some("fresh"));
    assert_eq!(freshness(&sandbox, "plain"), None);
    sandbox.home.write("home/project/src/money.rs", "fn francs() {}\n");
    assert_eq!(freshness(&sandbox, "cents").as_deref(), Some("gone"));
    let shown = sandbox.run(["ls"]).stdout;
    assert!(
        shown.lines().any(|line| line.contains("cents") && line.contains("(cites something that is gone)")),
        "{shown}"
    );

    // In a project too large to be looked through at once, the last answer of `verify` counts.
    for number in 0..4_100 {
        sandbox.home.write(format!("home/project/src/generated/{number}.txt"), "");
    }
    sandbox.home.write("home/project/src/money.rs", "fn cents() {}\n");
    assert_eq!(sandbox.run(["verify"]).code, 0);
    let list = sandbox.run(["ls", "--json"]).stdout;
    assert!(list.contains("\"freshness\":\"fresh\""), "{list}");
    fs::remove_file(sandbox.home.root().join("home/project/src/money.rs")).unwrap();
    assert_eq!(sandbox.run(["verify"]).code, 1);
    let list = sandbox.run(["ls", "--json"]).stdout;
    assert!(list.contains("\"freshness\":\"gone\",\"verified\":\"2026-11-15T12:00:00Z\""), "{list}");
    // A memory that changed since may cite something else.
    let file = directory(&sandbox).join("cents.md");
    let text = fs::read_to_string(&file).unwrap();
    fs::write(&file, format!("{text}\nMore.\n")).unwrap();
    assert_eq!(freshness(&sandbox, "cents"), None);
}

#[test]
fn memory_of_a_worktree_or_a_subdirectory_is_found_without_any_session() {
    let sandbox = Sandbox::new();
    let root = sandbox.home.project();
    memdir_testkit::Git::init(&root, "first");
    sandbox.home.dir("home/project/sub/deep");
    add(&sandbox, "tabs", "Use tabs.");
    let projects = sandbox.home.home().join(".claude/projects");
    let below = root.join("sub/deep");
    let slug = memdir_core::project::encode_path::encode(below.as_str());
    sandbox.home.write(projects.join(slug).join("memory/a.md"), "lost\n");
    let block = sandbox.run(["doctor"]);
    assert!(block.stdout.contains("project-split-store"), "{}", block.stdout);
    assert!(block.stdout.contains(&format!("memdir project adopt --from {below}")), "{}", block.stdout);
    assert_eq!(sandbox.run(["project", "adopt", "--from", below.as_str()]).code, 0);
    assert!(directory(&sandbox).join("a.md").is_file());
    assert!(!sandbox.run(["doctor"]).stdout.contains("project-split-store"));
}

#[test]
fn a_file_that_is_too_large_stops_neither_verify_nor_import() {
    let sandbox = Sandbox::new();
    sandbox.ok(&["add", "-n", "small", "-t", "project", "-d", "cites", "--text", "See `gone/file.rs`."]);
    let memory = sandbox.run(["path"]).stdout.trim_end().to_owned();
    sandbox.home.write(format!("{memory}/large.md"), vec![b'a'; (16 << 20) + 1]);
    let verified = sandbox.run(["verify"]);
    assert_eq!(verified.code, 1, "{}", verified.stderr);
    assert!(verified.stdout.contains("gone/file.rs"), "{}", verified.stdout);
    assert!(verified.stderr.contains("`large.md` is too large to be read"), "{}", verified.stderr);
    sandbox.home.write("home/project/AGENTS.md", "# Rules\n\n- Use tabs, never spaces.\n");
    let imported = sandbox.run(["import", "agents", "--dry-run"]);
    assert_eq!(imported.code, 0, "{}", imported.stderr);
    assert!(imported.stdout.contains("Use tabs"), "{}", imported.stdout);
}
