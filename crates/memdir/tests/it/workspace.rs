//! The map of projects.

use insta::assert_snapshot;

use crate::harness::Sandbox;

/// A home with two projects, one of which needs the other.
fn sandbox() -> Sandbox {
    let mut sandbox = Sandbox::new();
    sandbox
        .home
        .write("w/prices/package.json", r#"{"name": "@me/price-list", "description": "price lists"}"#);
    sandbox.home.write("w/shop/package.json", r#"{"dependencies": {"@me/price-list": "^1"}}"#);
    sandbox.cwd = sandbox.home.root().join("w/shop");
    sandbox
}

/// A table whose columns are as wide as a temporary path is long.
fn narrow(text: &str) -> String {
    let mut narrow = text.to_owned();
    while narrow.contains("  ") {
        narrow = narrow.replace("  ", " ");
    }
    narrow
}

#[test]
fn projects_are_registered_related_and_shown() {
    let sandbox = sandbox();
    assert_snapshot!(sandbox.show("workspace"), @r"
    exit 0
    --- stdout
    No project is registered in [ROOT]/home/.claude/workspace.md.

    memdir workspace add registers this project.
    ");
    assert_snapshot!(sandbox.show("workspace add ../prices"), @r"
    exit 0
    --- stdout
    registered prices
    ");
    assert_snapshot!(sandbox.show("workspace add --description sells"), @r"
    exit 0
    --- stdout
    registered shop

    package.json needs @me/price-list: memdir workspace relate shop depends-on prices
    ");
    assert_snapshot!(sandbox.show("workspace add"), @r"
    exit 0
    --- stdout
    Nothing to change: that is known.

    package.json needs @me/price-list: memdir workspace relate shop depends-on prices
    ");
    assert_snapshot!(sandbox.show("workspace relate --found --dry-run"), @r"
    exit 0
    --- stdout
    --- a/workspace.md
    +++ b/workspace.md
    @@ -11,6 +11,7 @@
     
     | Project | Relation | Related | Notes |
     |---------|----------|---------|-------|
    +| shop | depends on | prices | package.json |
     
     ## Current Initiatives
    ");
    assert_snapshot!(sandbox.show("workspace relate . depends-on prices --note daily"), @r"
    exit 0
    --- stdout
    shop depends on prices
    ");
    assert_snapshot!(sandbox.show("workspace initiative 2.0 --projects .,prices --note soon"), @r"
    exit 0
    --- stdout
    initiative 2.0
    ");
    assert_snapshot!(sandbox.show("workspace status prices paused"), @r"
    exit 0
    --- stdout
    prices is paused
    ");
    assert_snapshot!(narrow(&sandbox.show("workspace")), @r"
    exit 0
    --- stdout
     project status path description
     prices paused [ROOT]/w/prices price lists
    > shop active [ROOT]/w/shop sells

    shop depends on prices (daily)

    initiatives
     2.0 active shop, prices 2026-11-15 soon
    ");
    assert_snapshot!(sandbox.show("workspace --json"), @r#"
    exit 0
    --- stdout
    {"v":1,"file":"[ROOT]/home/.claude/workspace.md","here":{"key":"shop","path":"[ROOT]/w/shop","registered":true},"projects":[{"key":"prices","path":"[ROOT]/w/prices","description":"price lists","status":"paused"},{"key":"shop","path":"[ROOT]/w/shop","description":"sells","status":"active"}],"relations":[{"from":"shop","kind":"depends on","to":"prices","note":"daily"}],"initiatives":[{"name":"2.0","projects":["shop","prices"],"status":"active","updated":"2026-11-15","notes":"soon"}],"quick_reference":["prices → projects/prices/_index.md","shop → projects/shop/_index.md"],"offers":[],"problems":[]}
    "#);
    sandbox.home.write("home/.claude/projects/prices/_index.md", "# Memory Index: prices\n\u{1b}[2Jtask\n");
    assert_snapshot!(sandbox.show("workspace show prices"), @r"
    exit 0
    --- stdout
    prices
    path      [ROOT]/w/prices
    status    paused
    about     price lists
    part of   2.0 (active)

    prices is needed by shop  (daily)

    # Memory Index: prices
    \u{1b}[2Jtask
    ");
    assert_snapshot!(sandbox.show("workspace show nobody"), @r"
    exit 1
    --- stderr
    no project `nobody` is registered
    hint: `memdir workspace` shows those that are
    ");
    assert_snapshot!(sandbox.show("workspace relate shop fork-of nobody"), @r"
    exit 2
    --- stderr
    error: cannot change `[ROOT]/home/.claude/workspace.md`: no project `nobody` is registered
    hint: `memdir workspace` shows what is registered
    ");
}

#[test]
fn what_was_not_understood_is_said_and_left_alone() {
    let sandbox = sandbox();
    let text = "Mine.\n\n## Projects\n\n| Project | Path | Status |\n|--|--|--|\n<<<<<<< HEAD\n| shop | /x | a | b |\n=======\n>>>>>>> y\n";
    let file = sandbox.home.write("home/.claude/workspace.md", text);
    assert_snapshot!(sandbox.show("workspace"), @r"
    exit 0
    --- stdout
      project  status  path  description
      shop     a       /x

    memdir workspace add registers this project.
    --- stderr
    warning: `[ROOT]/home/.claude/workspace.md`: line 7: a merge was never finished; memdir will not change the file until that is fixed
    warning: `[ROOT]/home/.claude/workspace.md`: line 8: the row has more cells than the table has columns; a bar within a cell is written `\|`
    ");
    assert_snapshot!(sandbox.show("workspace add"), @r"
    exit 2
    --- stderr
    error: cannot change `[ROOT]/home/.claude/workspace.md`: line 7: a merge was never finished
    hint: `memdir workspace` shows what is registered
    ");
    assert_eq!(std::fs::read_to_string(file).unwrap(), text);
}

#[test]
fn the_configuration_directory_is_where_the_variable_says() {
    let sandbox = Sandbox::new();
    let elsewhere = sandbox.home.dir("elsewhere");
    let sandbox = sandbox.var("CLAUDE_CONFIG_DIR", elsewhere.as_str());
    assert_eq!(sandbox.run(["workspace", "add"]).code, 0);
    assert!(elsewhere.join("workspace.md").exists());
    let line = format!("undo --dir {elsewhere}");
    let undone = sandbox.show(&line);
    assert!(undone.contains("(yours, just now): register project\nremoved  workspace.md"), "{undone}");
    assert!(!elsewhere.join("workspace.md").exists());
}

#[test]
fn an_agents_change_waits_where_the_user_wants_to_review() {
    let mut sandbox = sandbox().var("CLAUDECODE", "1");
    sandbox.home.write("home/.config/memdir/config.toml", "writes = \"review\"\n");
    let block = sandbox.run(["workspace", "add", "--json"]);
    assert_eq!(block.code, 0);
    let answer: serde_json::Value = serde_json::from_str(&block.stdout).unwrap();
    let id = answer["staged"].as_str().unwrap();
    let map = sandbox.home.home().join(".claude/workspace.md");
    assert!(!map.exists());
    let directory = sandbox.home.home().join(".claude");
    sandbox.vars.clear();
    assert_eq!(sandbox.run(["review", "accept", id, "--dir", directory.as_str()]).code, 0);
    assert!(std::fs::read_to_string(map).unwrap().contains("| shop |"));
}

#[test]
fn options_for_all_commands_stand_before_a_subcommand_too() {
    let sandbox = Sandbox::new();
    for command in [
        &["user", "--cwd", "/", "show"][..],
        &["--cwd", "/", "user", "history"],
        &["--cwd", "/", "workspace", "show", "x"],
    ] {
        let block = sandbox.run(command.iter().copied());
        assert!(!block.stderr.contains("cannot be used"), "{command:?}: {}", block.stderr);
    }
    for command in [["user", "--json", "history"], ["user", "history", "--json"]] {
        let block = sandbox.run(command);
        assert_eq!(block.code, 0, "{}", block.stderr);
        assert!(block.stdout.starts_with("{\"v\":1,"), "{}", block.stdout);
    }
    let add = sandbox.run(["workspace", "--json", "add", "--description", "d"]);
    assert!(add.stdout.starts_with("{\"v\":1,"), "{}", add.stdout);
}
