use std::cell::Cell;
use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;

use super::*;
use crate::look::{Entry, LookError, MapLook};

/// One case of either golden file: what is on the disk and in the environment, and what the client did.
#[derive(Debug, Deserialize)]
struct Case {
    id: String,
    #[serde(default)]
    env: BTreeMap<String, String>,
    #[serde(default)]
    args: Vec<String>,
    home: Option<String>,
    cwd: Option<String>,
    #[serde(default)]
    files: BTreeMap<String, String>,
    #[serde(default)]
    user_settings: Value,
    #[serde(default)]
    project_settings: Value,
    #[serde(default)]
    local_settings: Value,
    /// The client refused to start.
    #[serde(default)]
    error: bool,
    on: Option<bool>,
    auto_memory_on: Option<bool>,
    memory_dir: Option<Value>,
    project_dir: Option<String>,
}

#[derive(Debug, Deserialize)]
struct Golden {
    cases: Vec<Case>,
}

fn client_flags(args: &[String]) -> ClientFlags {
    let mut flags = ClientFlags { managed_dir: "/etc/claude-code".into(), ..ClientFlags::default() };
    let mut args = args.iter();
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "--bare" => flags.bare = true,
            "--safe-mode" => flags.safe_mode = true,
            "--settings" => flags.settings = args.next().cloned(),
            "--setting-sources" => flags.setting_sources = args.next().cloned(),
            other => panic!("{other}"),
        }
    }
    flags
}

impl Case {
    fn env(&self) -> Env {
        Env {
            home: Some(self.home.as_deref().unwrap_or("/w/home").into()),
            cwd: self.cwd.as_deref().unwrap_or("/w/p").into(),
            vars: self.env.clone(),
        }
    }

    fn look(&self) -> MapLook {
        let env = self.env();
        let mut look = MapLook::new().dir(env.cwd.as_str());
        for (path, content) in &self.files {
            look = look.file(path, content);
        }
        let config = config_dir_of(&env);
        for (settings, path) in [
            (&self.user_settings, config.join("settings.json")),
            (&self.project_settings, env.cwd.join(".claude/settings.json")),
            (&self.local_settings, env.cwd.join(".claude/settings.local.json")),
        ] {
            if !settings.is_null() {
                look = look.file(path.as_str(), settings.to_string());
            }
        }
        look
    }

    fn check(&self) {
        let env = self.env();
        let found = locate(&env, &client_flags(&self.args), &self.look());
        if self.error {
            // The client does not start with broken managed settings either; we say so and answer.
            let managed = self.files.keys().any(|path| path.starts_with("/etc/"));
            assert!(
                if managed { !found.unwrap().warnings.is_empty() } else { found.is_err() },
                "{}",
                self.id
            );
            return;
        }
        let found = found.unwrap_or_else(|error| panic!("{}: {error}", self.id));
        let on = self.on.or(self.auto_memory_on);
        assert_eq!(Some(found.enabled), on, "{}: {found:?}", self.id);
        let fill = |text: &str| {
            text.replace("$HOME", "/w/home").replace("$ENC", "-w-p").trim_end_matches('/').to_owned()
        };
        let expected = match &self.memory_dir {
            Some(Value::String(directory)) => Some(fill(directory)),
            Some(Value::Array(list)) => list.first().map(|directory| fill(directory.as_str().unwrap())),
            _ => None,
        };
        if let Some(expected) = expected {
            assert_eq!(found.memory_dir, expected, "{}", self.id);
        }
        if let Some(expected) = &self.project_dir {
            assert_eq!(env.cwd.join(&found.project_dir), *expected, "{}", self.id);
        }
    }
}

fn config_dir_of(env: &Env) -> Utf8PathBuf {
    env.home.clone().unwrap().join(".claude")
}

#[test]
fn precedence_is_the_clients() {
    let golden: Golden = serde_json::from_str(include_str!("testdata/precedence.json")).unwrap();
    assert!(golden.cases.len() >= 60);
    golden.cases.iter().for_each(Case::check);
}

#[test]
fn what_we_saw_the_client_do() {
    let golden: Golden = serde_json::from_str(include_str!("testdata/observed.json")).unwrap();
    assert!(golden.cases.len() >= 150);
    golden.cases.iter().for_each(Case::check);
}

fn env(vars: &[(&str, &str)]) -> Env {
    Env {
        home: Some("/home/u".into()),
        cwd: "/home/u/p".into(),
        vars: vars.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect(),
    }
}

fn located(env: &Env, flags: &[&str], look: &MapLook) -> Location {
    let args: Vec<String> = flags.iter().map(|flag| (*flag).to_owned()).collect();
    locate(env, &client_flags(&args), look).unwrap()
}

#[test]
fn the_rule_that_decided_has_a_stable_name() {
    let check = |vars: &[(&str, &str)], flags: &[&str], user: &str, decided_by: &str, source: &str| {
        let look = MapLook::new().file("/home/u/.claude/settings.json", user);
        let found = located(&env(vars), flags, &look);
        assert_eq!((found.decided_by.as_str(), found.source.to_string().as_str()), (decided_by, source));
    };
    check(&[], &[], "", "default", "config");
    check(&[("CLAUDE_CODE_SIMPLE", "1")], &[], "", "env:CLAUDE_CODE_SIMPLE", "config");
    check(&[], &["--bare"], "", "flag:--bare", "config");
    check(&[], &["--safe-mode"], "", "flag:--safe-mode", "config");
    check(
        &[("CLAUDE_CODE_DISABLE_AUTO_MEMORY", "no")],
        &[],
        "",
        "env:CLAUDE_CODE_DISABLE_AUTO_MEMORY",
        "config",
    );
    check(&[("CLAUDE_CODE_REMOTE", "1")], &[], "", "env:CLAUDE_CODE_REMOTE", "config");
    check(&[], &[], r#"{"autoMemoryEnabled":true}"#, "settings:user autoMemoryEnabled", "config");
    check(
        &[],
        &["--settings", r#"{"autoMemoryEnabled":true}"#],
        "",
        "settings:flag autoMemoryEnabled",
        "config",
    );
    check(
        &[],
        &[],
        r#"{"env":{"CLAUDE_CODE_DISABLE_AUTO_MEMORY":1}}"#,
        "settings:user env:CLAUDE_CODE_DISABLE_AUTO_MEMORY",
        "config",
    );
    check(&[], &[], r#"{"autoMemoryDirectory":"~/m"}"#, "default", "settings:user");
    check(&[("CLAUDE_CODE_REMOTE_MEMORY_DIR", "/r")], &[], "", "default", "remote");
    check(&[("CLAUDE_COWORK_MEMORY_PATH_OVERRIDE", "/ov")], &[], "", "default", "override");
}

#[test]
fn the_directory_is_known_while_memory_is_off() {
    let look = MapLook::new().file("/home/u/.claude/settings.json", r#"{"autoMemoryDirectory":"~/m"}"#);
    let found = located(&env(&[]), &["--bare"], &look);
    assert!(!found.enabled);
    assert_eq!(found.memory_dir, "/home/u/m");
}

#[test]
fn a_worktree_has_the_memory_and_the_local_settings_of_its_main_repository() {
    let look = MapLook::new()
        .file("/home/u/main/.git/worktrees/w/commondir", "../..\n")
        .file("/home/u/main/.git/worktrees/w/gitdir", "/home/u/p/.git\n")
        .file("/home/u/p/.git", "gitdir: /home/u/main/.git/worktrees/w\n")
        .file("/home/u/main/.claude/settings.json", r#"{"autoMemoryEnabled":false}"#)
        .file("/home/u/p/.claude/settings.local.json", r#"{"autoMemoryDirectory":"/w/tree"}"#);
    let found = located(&env(&[]), &[], &look);
    assert!(found.enabled, "project settings count only in the working directory");
    assert_eq!(found.memory_dir, "/w/tree");
    let look = look.file("/home/u/main/.claude/settings.local.json", r#"{"autoMemoryDirectory":"rel"}"#);
    let found = located(&env(&[]), &[], &look);
    assert_eq!(found.root, "/home/u/main");
    assert_eq!(found.slug, "-home-u-main");
    assert_eq!(found.memory_dir, "/home/u/.claude/projects/-home-u-main/memory");
    assert_eq!(found.project_dir, "/home/u/.claude/projects/-home-u-p");
}

#[test]
fn a_repository_needs_consent_and_system_directories_never_qualify() {
    let check = |file: &str, directory: &str, expected: Trust| {
        let look = MapLook::new()
            .file(file, format!(r#"{{"autoMemoryDirectory":"{directory}"}}"#))
            .dir("/etc")
            .link("/home/u/link", "/etc")
            .link("/home/u/broken", "/nowhere");
        assert_eq!(located(&env(&[]), &[], &look).trust, expected, "{file} {directory}");
    };
    let project = "/home/u/p/.claude/settings.json";
    let local = "/home/u/p/.claude/settings.local.json";
    let user = "/home/u/.claude/settings.json";
    check(project, "/home/u/m", Trust::NeedsConsent);
    check(local, "/home/u/m", Trust::Yes);
    check(user, "/home/u/m", Trust::Yes);
    check(project, "~/.ssh", Trust::Never(RootRefused::Credentials));
    check(user, "~/.ssh/m", Trust::Never(RootRefused::Credentials));
    check(user, "/home/u", Trust::Never(RootRefused::Home));
    check(user, "/etc/m", Trust::Never(RootRefused::System));
    check(user, "/home/u/link/new/m", Trust::Never(RootRefused::System));
    check(user, "/home/u/broken/new/m", Trust::Never(RootRefused::BrokenLink));
    check(user, "~/.local/share/memdir/history/m", Trust::Never(RootRefused::OwnState));
    check(user, "~/.local/share/memdir", Trust::Never(RootRefused::OwnState));
    check(user, "~/.claude", Trust::Never(RootRefused::ClientConfig));
    check(user, "", Trust::Yes);
}

#[test]
fn consent_is_for_the_repositorys_choice_alone() {
    let project = |directory: &str| {
        let settings = format!(r#"{{"autoMemoryDirectory":"{directory}"}}"#);
        located(&env(&[]), &[], &MapLook::new().file("/home/u/p/.claude/settings.json", settings))
    };
    let mut found = project("/home/u/m");
    assert!(!found.trusted());
    assert!(found.all_warnings().concat().contains("`memdir project trust`"));
    found.grant_consent();
    assert!(found.trusted());
    assert_eq!(found.all_warnings(), Vec::<String>::new());
    let mut found = project("/etc/m");
    found.grant_consent();
    assert!(!found.trusted());
}

#[test]
fn in_the_home_directory_the_project_settings_are_the_users_own() {
    let look = MapLook::new().file("/home/u/.claude/settings.json", r#"{"autoMemoryDirectory":"~/m"}"#);
    let found = located(&Env { cwd: "/home/u".into(), ..env(&[]) }, &[], &look);
    assert_eq!((found.source, found.trusted()), (Source::Settings(Level::User), true));
}

#[test]
fn every_warning_says_where_and_what() {
    let look = MapLook::new()
        .file("/home/u/.claude/settings.json", "{\n  \"autoMemoryEnabled\": false,\n}")
        .file("/home/u/p/.claude/settings.json", "{\"a\": 1,\n\"autoMemoryDirectory\": 5}")
        .denied("/home/u/p/.claude/settings.local.json")
        .file("/etc/claude-code/managed-settings.json", r#"{"env":5,"autoMemoryDirectory":"rel"}"#);
    let vars = [("CLAUDE_COWORK_MEMORY_PATH_OVERRIDE", "x\u{1b}")];
    let found = located(&env(&vars), &[], &look);
    insta::assert_snapshot!(found.all_warnings().join("\n"), @r"
    settings file `/home/u/.claude/settings.json`, line 3: trailing comma; the client ignores the whole file
    settings file `/home/u/p/.claude/settings.json`, line 2: `autoMemoryDirectory` must be text; the client ignores the whole file
    settings file `/home/u/p/.claude/settings.local.json`: permission denied; the client ignores the whole file
    settings file `/etc/claude-code/managed-settings.json`, line 1: `env` must be an object; the client ignores this key
    `CLAUDE_COWORK_MEMORY_PATH_OVERRIDE` is ignored: `x\u{1b}` is not an absolute path to a directory
    `autoMemoryDirectory` in the managed settings is ignored, and with it those of lower levels: `rel` is neither absolute nor below `~/`
    ");
}

#[test]
fn without_a_home_there_is_no_answer_unless_a_variable_gives_it() {
    let homeless = Env { home: None, ..env(&[]) };
    let error = locate(&homeless, &ClientFlags::default(), &MapLook::new()).unwrap_err();
    assert_eq!(error.to_string(), "no home directory: set `HOME` or `CLAUDE_CONFIG_DIR`");
    let named = Env { home: None, ..env(&[("CLAUDE_CONFIG_DIR", "/c")]) };
    assert_eq!(located(&named, &[], &MapLook::new()).memory_dir, "/c/projects/-home-u-p/memory");
}

#[test]
fn a_relative_directory_and_a_bad_pin_are_pointed_out() {
    let vars = [("CLAUDE_CONFIG_DIR", "c"), ("CLAUDE_CODE_PROJECT_DIR_NAME", "a b")];
    let found = located(&env(&vars), &[], &MapLook::new());
    assert_eq!(found.memory_dir, "c/projects/-home-u-p/memory");
    insta::assert_snapshot!(found.all_warnings().join("\n"), @r"
    `CLAUDE_CODE_PROJECT_DIR_NAME` is ignored: `a b` is not 1 to 64 letters, digits, `-` or `_`
    the memory directory `c/projects/-home-u-p/memory` is relative, so the client has another one in every directory; make the variable that names it absolute
    ");
}

#[test]
fn a_file_is_read_once_and_never_looked_at_before() {
    let look = Counting { inner: MapLook::new().dir("/home/u/p/.git"), calls: Cell::new(0) };
    locate(&env(&[]), &ClientFlags::default(), &look).unwrap();
    // The repository's entry; user, project and local settings; two places of the administrator.
    assert_eq!(look.calls.get(), 6);
}

struct Counting {
    inner: MapLook,
    calls: Cell<u32>,
}

impl Counting {
    fn counted(&self) -> &MapLook {
        self.calls.set(self.calls.get() + 1);
        &self.inner
    }
}

impl Look for Counting {
    fn kind(&self, path: &Utf8Path) -> Option<Kind> {
        self.counted().kind(path)
    }

    fn read(&self, path: &Utf8Path, limit: u64) -> Result<Vec<u8>, LookError> {
        self.counted().read(path, limit)
    }

    fn real_path(&self, path: &Utf8Path) -> Option<Utf8PathBuf> {
        self.counted().real_path(path)
    }

    fn listing(&self, path: &Utf8Path) -> Result<Vec<Entry>, LookError> {
        self.counted().listing(path)
    }
}
