//! Other agents' memory, taken over.

use std::os::unix::fs::symlink;

use insta::assert_snapshot;

use crate::harness::Sandbox;

#[test]
fn what_another_agent_knows_is_proposed_added_once_and_taken_back() {
    let sandbox = Sandbox::new();
    sandbox.home.write(
        "home/project/.cursor/rules/style.mdc",
        "---\ndescription: How we write\nalwaysApply: true\n---\nShort lines.\n",
    );
    sandbox.home.write("home/project/.cursorrules", "## Build\nuse make\n\n## Test\nuse nextest\n");
    let outside = sandbox.home.write("secret.md", "the key\n");
    symlink(outside, sandbox.cwd.join(".cursor/rules/leak.md")).unwrap();
    let before = sandbox.home.tree("home");
    assert_snapshot!(sandbox.show("import cursor --dry-run"), @r"
    exit 0
    --- stdout
    cursor-style  feedback
      How we write
      [ROOT]/home/project/.cursor/rules/style.mdc
    cursor-cursorrules-build  feedback
      Build: use make
      [ROOT]/home/project/.cursorrules
    cursor-cursorrules-test  feedback
      Test: use nextest
      [ROOT]/home/project/.cursorrules
    3 to add.
    --- stderr
    warning: `[ROOT]/home/project/.cursor/rules/leak.md` is left out: a link leads out of `[ROOT]/home/project`
    ");
    assert_eq!(sandbox.home.tree("home"), before);
    assert_snapshot!(sandbox.show("import cursor"), @r"
    exit 0
    --- stdout
    added    cursor-style.md
    added    cursor-cursorrules-build.md
    added    cursor-cursorrules-test.md
    added    MEMORY.md
    --- stderr
    warning: `[ROOT]/home/project/.cursor/rules/leak.md` is left out: a link leads out of `[ROOT]/home/project`
    ");
    let listed = sandbox.run(["ls", "--json"]).stdout;
    assert_eq!(listed.matches(r#""type":"feedback""#).count(), 3, "{listed}");
    assert_snapshot!(sandbox.show("import cursor"), @r"
    exit 0
    --- stdout
    Nothing to add: all of it is known.
    --- stderr
    warning: `[ROOT]/home/project/.cursor/rules/leak.md` is left out: a link leads out of `[ROOT]/home/project`
    ");
    assert_eq!(sandbox.run(["undo"]).code, 0);
    let left = sandbox.run(["ls", "--json"]).stdout;
    assert!(left.contains(r#""items":[]"#), "{left}");
    assert_snapshot!(sandbox.show("import gemini --json"), @r#"
    exit 0
    --- stdout
    {"v":1,"op":null,"paths":[],"warnings":[],"conflicts":[]}
    "#);
}

#[test]
fn what_is_watched_follows_its_source_until_it_is_changed_here() {
    let mut sandbox = Sandbox::new();
    let write = |sandbox: &Sandbox, port: u32| {
        let text = format!("# Database\n- The staging database has port {port}\n");
        sandbox.home.write("home/.codex/memories/MEMORY.md", text);
    };
    write(&sandbox, 5433);
    assert_eq!(sandbox.run(["import", "codex", "--watch"]).code, 0);
    let shown = |sandbox: &Sandbox| sandbox.run(["show", "codex-memory"]).stdout;
    assert!(shown(&sandbox).contains("port 5433"), "{}", shown(&sandbox));
    write(&sandbox, 5434);
    let preview = sandbox.run(["import", "codex", "--dry-run"]).stdout;
    assert!(preview.contains("port 5434") && shown(&sandbox).contains("port 5433"), "{preview}");
    sandbox.stdin =
        format!(r#"{{"hook_event_name":"SessionStart","cwd":"{}","source":"startup"}}"#, sandbox.cwd);
    assert_eq!(sandbox.run(["hook", "SessionStart"]).code, 0);
    assert_eq!(sandbox.run(["work"]).code, 0);
    assert!(shown(&sandbox).contains("port 5434"), "{}", shown(&sandbox));
    let index = sandbox.run(["show", "MEMORY.md"]).stdout;
    assert!(index.contains("port 5434") && !index.contains("port 5433"), "{index}");
    sandbox.stdin = String::new();
    assert_eq!(sandbox.run(["set", "codex-memory", "description", "Mine"]).code, 0);
    write(&sandbox, 5435);
    let block = sandbox.run(["import", "codex"]);
    assert!(block.stderr.contains("was changed here, and stays as it is"), "{}", block.stderr);
    assert!(shown(&sandbox).contains("port 5434"), "{}", shown(&sandbox));
}
