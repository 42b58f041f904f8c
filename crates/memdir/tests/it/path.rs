//! `memdir path`.

use std::os::unix::ffi::OsStringExt;
use std::process::Command;

use insta::assert_snapshot;
use memdir_testkit::Git;

use crate::harness::Sandbox;

#[test]
fn the_directory_alone_is_data_and_the_reasons_are_talk() {
    assert_snapshot!(Sandbox::new().show("path"), @r"
    exit 0
    --- stdout
    [ROOT]/home/.claude/projects/[SLUG]-home-project/memory
    --- stderr
      memory       on  (default)
      directory    the usual place  (config)
      project      [ROOT]/home/project
      would write  yes
    ");
}

#[test]
fn a_repository_keeps_its_memory_under_its_root() {
    let mut sandbox = Sandbox::new();
    Git::init(&sandbox.home.project(), "one");
    sandbox.cwd = sandbox.home.dir("home/project/src/deep");
    assert_snapshot!(sandbox.show("path --json"), @r#"
    exit 0
    --- stdout
    {"v":1,"enabled":true,"decided_by":"default","memory_dir":"[ROOT]/home/.claude/projects/[SLUG]-home-project/memory","entrypoint":"[ROOT]/home/.claude/projects/[SLUG]-home-project/memory/MEMORY.md","project_dir":"[ROOT]/home/.claude/projects/[SLUG]-home-project-src-deep","root":"[ROOT]/home/project","slug":"[SLUG]-home-project","source":"config","trusted":true,"warnings":[]}
    "#);
}

#[test]
fn memory_that_is_off_still_has_a_directory() {
    let sandbox = Sandbox::new().var("CLAUDE_CODE_DISABLE_AUTO_MEMORY", "1");
    assert_snapshot!(sandbox.show("path"), @r"
    exit 0
    --- stdout
    [ROOT]/home/.claude/projects/[SLUG]-home-project/memory
    --- stderr
      memory       off  (env:CLAUDE_CODE_DISABLE_AUTO_MEMORY)
      directory    the usual place  (config)
      project      [ROOT]/home/project
      would write  no, agents' memory is off  (env:CLAUDE_CODE_DISABLE_AUTO_MEMORY)
    ");
    assert_snapshot!(Sandbox::new().show("path --bare --json"), @r#"
    exit 0
    --- stdout
    {"v":1,"enabled":false,"decided_by":"flag:--bare","memory_dir":"[ROOT]/home/.claude/projects/[SLUG]-home-project/memory","entrypoint":"[ROOT]/home/.claude/projects/[SLUG]-home-project/memory/MEMORY.md","project_dir":"[ROOT]/home/.claude/projects/[SLUG]-home-project","root":"[ROOT]/home/project","slug":"[SLUG]-home-project","source":"config","trusted":true,"warnings":[]}
    "#);
}

#[test]
fn a_repository_may_name_a_directory_and_waits_for_trust() {
    let sandbox = Sandbox::new();
    let shared = sandbox.home.dir("shared");
    sandbox
        .home
        .write("home/project/.claude/settings.json", format!("{{\"autoMemoryDirectory\": \"{shared}\"}}"));
    assert_snapshot!(sandbox.show("path"), @r"
    exit 0
    --- stdout
    [ROOT]/shared
    --- stderr
      memory       on  (default)
      directory    named by autoMemoryDirectory in the project settings  (settings:project)
      project      [ROOT]/home/project
      would write  no
    warning: the repository's `.claude/settings.json` puts memory in `[ROOT]/shared`: memdir reads there and writes nothing until you run `memdir project trust`
    ");
    assert_snapshot!(sandbox.show("project trust"), @r"
    exit 0
    --- stdout
    memdir may write the memory of [ROOT]/home/project in [ROOT]/shared
    ");
    assert_snapshot!(sandbox.show("path"), @r"
    exit 0
    --- stdout
    [ROOT]/shared
    --- stderr
      memory       on  (default)
      directory    named by autoMemoryDirectory in the project settings  (settings:project)
      project      [ROOT]/home/project
      would write  yes
    ");
    assert_snapshot!(sandbox.show("project trust --revoke"), @r"
    exit 0
    --- stdout
    memdir no longer writes the memory of [ROOT]/home/project in [ROOT]/shared
    ");
    assert!(sandbox.show("path --json").contains("\"trusted\":false"));
}

#[test]
fn no_consent_opens_a_system_directory() {
    let sandbox = Sandbox::new();
    sandbox.home.write("home/project/.claude/settings.json", r#"{"autoMemoryDirectory": "/etc/cron.d"}"#);
    assert_snapshot!(sandbox.show("project trust"), @r"
    exit 2
    --- stderr
    error: `/etc/cron.d` never qualifies as a memory directory: it belongs to the operating system
    hint: choose another directory with `autoMemoryDirectory` in your own settings
    ");
}

#[test]
fn a_broken_settings_file_is_void_and_named_with_its_line() {
    let sandbox = Sandbox::new();
    sandbox.home.write("home/.claude/settings.json", "{\n  \"autoMemoryEnabled\": false,\n}\n");
    assert_snapshot!(sandbox.show("path"), @r"
    exit 0
    --- stdout
    [ROOT]/home/.claude/projects/[SLUG]-home-project/memory
    --- stderr
      memory       on  (default)
      directory    the usual place  (config)
      project      [ROOT]/home/project
      would write  yes
    warning: settings file `[ROOT]/home/.claude/settings.json`, line 3: trailing comma; the client ignores the whole file
    ");
}

#[test]
fn the_clients_options_are_understood() {
    let sandbox = Sandbox::new();
    assert_snapshot!(sandbox.show(r#"path --settings {"autoMemoryEnabled":false}"#), @r"
    exit 0
    --- stdout
    [ROOT]/home/.claude/projects/[SLUG]-home-project/memory
    --- stderr
      memory       off  (settings:flag autoMemoryEnabled)
      directory    the usual place  (config)
      project      [ROOT]/home/project
      would write  no, agents' memory is off  (settings:flag autoMemoryEnabled)
    ");
    assert_snapshot!(sandbox.show("path --setting-sources user,nonsense"), @r"
    exit 2
    --- stderr
    error: unknown settings source `nonsense` in `--setting-sources`: it takes `user`, `project` and `local`
    ");
    assert_snapshot!(sandbox.show("path --settings nowhere.json"), @r"
    exit 2
    --- stderr
    error: cannot read the settings file `[ROOT]/home/project/nowhere.json` that `--settings` names: no such file
    ");
}

#[test]
fn every_scheme_encodes() {
    let sandbox = Sandbox::new();
    assert_snapshot!(sandbox.show("path encode /a_b/c.d"), @r"
    exit 0
    --- stdout
    -a-b-c-d
    ");
    assert_snapshot!(sandbox.show("path encode --scheme observed-89 /a_b/c.d"), @r"
    exit 0
    --- stdout
    -a_b-c-d
    ");
    assert_snapshot!(sandbox.show("path encode --scheme md5 /a"), @r"
    exit 2
    --- stderr
    error: `md5` is not a value for `--scheme <SCHEME>`: unknown scheme `md5`: expected `current`, `cwd` or `observed-89`
    ");
}

#[test]
fn looking_writes_nothing() {
    let sandbox = Sandbox::new();
    Git::init(&sandbox.home.project(), "one");
    let before = sandbox.home.tree("");
    for line in ["path", "path --json", "load", "path encode /x"] {
        assert_eq!(sandbox.run(line.split(' ')).code, 0);
    }
    assert_eq!(sandbox.home.tree(""), before);
}

/// A real process, because the working directory and the environment are the process's own.
fn in_process(configure: impl FnOnce(&mut Command)) -> (Option<i32>, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_memdir"));
    command.arg("path").env_clear();
    configure(&mut command);
    let output = command.output().unwrap();
    (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
}

#[test]
fn without_a_home_there_is_a_message() {
    let (code, stderr) = in_process(|command| {
        command.current_dir("/tmp");
    });
    assert_eq!(code, Some(2));
    assert_snapshot!(stderr, @"error: no home directory: set `HOME` or `CLAUDE_CONFIG_DIR`");
}

#[test]
fn a_path_that_is_not_utf8_is_named() {
    let sandbox = Sandbox::new();
    let odd = sandbox.home.root().as_std_path().join(std::ffi::OsString::from_vec(b"odd-\xff".to_vec()));
    std::fs::create_dir(&odd).unwrap();
    let (code, stderr) = in_process(|command| {
        command.current_dir(&odd).env("HOME", sandbox.home.home());
    });
    assert_eq!(code, Some(2));
    assert!(stderr.contains("not valid UTF-8"), "{stderr}");
}

#[test]
fn a_very_long_path_and_a_loop_of_links_end_in_a_message() {
    let sandbox = Sandbox::new();
    let long = "x/".repeat(5_000);
    let block = sandbox.run(["--cwd", &long, "path"]);
    assert_eq!(block.code, 2);
    assert!(block.stderr.contains("cannot use"), "{}", block.stderr);
    std::os::unix::fs::symlink("loop", sandbox.home.project().join("loop")).unwrap();
    assert_eq!(sandbox.run(["--cwd", "loop", "path"]).code, 2);
    std::os::unix::fs::symlink("settings.json", sandbox.home.dir("home/.claude").join("settings.json"))
        .unwrap();
    let block = sandbox.run(["path"]);
    assert_eq!(block.code, 0);
    assert!(block.stderr.contains("settings.json"), "{}", block.stderr);
    let encoded = sandbox.run(["path", "encode", &format!("/{}", "y".repeat(10_000))]);
    assert_eq!((encoded.code, encoded.stdout.trim_end().len() <= 207), (0, true));
}
