use super::*;
use crate::look::MapLook;

fn env(vars: &[(&str, &str)]) -> Env {
    Env {
        home: Some("/home/u".into()),
        cwd: "/home/u/r/sub".into(),
        vars: vars.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect(),
    }
}

fn read(look: &MapLook, flags: &ClientFlags) -> Result<Settings, SettingsError> {
    Settings::read(&env(&[]), flags, Some("/home/u/r".into()), look)
}

fn flag(settings: &str) -> ClientFlags {
    ClientFlags { settings: Some(settings.into()), managed_dir: "/m".into(), ..ClientFlags::default() }
}

fn sources(list: &str) -> ClientFlags {
    ClientFlags { setting_sources: Some(list.into()), managed_dir: "/m".into(), ..ClientFlags::default() }
}

/// Every level says which one it is.
fn all_levels() -> MapLook {
    let content = |level: &str| {
        format!(
            r#"{{"autoMemoryDirectory":"{level}","claudeMdExcludes":["{level}"],"env":{{"CLAUDE_CODE_SIMPLE":"{level}","CLAUDE_CODE_REMOTE":"{level}","CLAUDE_CODE_DISABLE_AUTO_MEMORY":"{level}"}}}}"#
        )
    };
    MapLook::new()
        .file("/home/u/.claude/settings.json", content("user"))
        .file("/home/u/r/sub/.claude/settings.json", content("project"))
        .file("/home/u/r/.claude/settings.json", content("not read"))
        .file("/home/u/r/sub/.claude/settings.local.json", content("local"))
        .file("/home/u/r/.claude/settings.local.json", content("local root"))
        .file("/m/managed-settings.json", content("managed"))
        .file("/m/managed-settings.d/b.json", content("managed b"))
        .file("/m/managed-settings.d/a.json", content("managed a"))
        .file("/m/managed-settings.d/.c.json", content("hidden"))
        .file("/m/managed-settings.d/c.txt", content("no settings"))
}

#[test]
fn lists_of_all_levels_add_up_lowest_first() {
    let settings = read(&all_levels(), &flag(r#"{"claudeMdExcludes":["flag"]}"#)).unwrap();
    let excludes: Vec<_> = settings.claude_md_excludes().collect();
    assert_eq!(
        excludes,
        ["user", "project", "local", "local root", "flag", "managed", "managed a", "managed b"]
    );
}

#[test]
fn the_highest_level_that_has_a_key_decides() {
    let check = |flags: &ClientFlags, look: &MapLook, expected: Option<(Level, &str)>| {
        assert_eq!(read(look, flags).unwrap().auto_memory_directory(), expected);
    };
    let unmanaged = |flags: ClientFlags| ClientFlags { managed_dir: "/none".into(), ..flags };
    check(&sources("user"), &all_levels(), Some((Level::Managed, "managed b")));
    check(&unmanaged(flag(r#"{"autoMemoryDirectory":"flag"}"#)), &all_levels(), Some((Level::Flag, "flag")));
    check(&unmanaged(flag("{}")), &all_levels(), Some((Level::Local, "local root")));
    check(&unmanaged(sources("user, project")), &all_levels(), Some((Level::Project, "project")));
    check(&unmanaged(sources("user")), &all_levels(), Some((Level::User, "user")));
    check(&unmanaged(sources("")), &all_levels(), None);
    let both =
        ClientFlags { settings: Some(r#"{"autoMemoryDirectory":"flag"}"#.into()), ..unmanaged(sources("")) };
    check(&both, &all_levels(), Some((Level::Flag, "flag")));
}

#[test]
fn a_repository_sets_few_variables_and_no_file_sets_remote() {
    let check = |list: &str, name: &str, expected: &str| {
        let flags = ClientFlags { managed_dir: "/none".into(), ..sources(list) };
        let process = env(&[(name, "process")]);
        let settings = Settings::read(&process, &flags, Some("/home/u/r".into()), &all_levels()).unwrap();
        assert_eq!(
            settings.variable(&process, name).map(|found| found.value),
            Some(expected),
            "{list} {name}"
        );
    };
    check("user,project,local", env::SIMPLE, "user");
    check("user,project,local", env::DISABLE_AUTO_MEMORY, "local root");
    check("project", env::DISABLE_AUTO_MEMORY, "project");
    check("project,local", env::SIMPLE, "process");
    check("user,project,local", env::REMOTE, "process");
    check("", env::DISABLE_AUTO_MEMORY, "process");
}

#[test]
fn what_the_client_does_not_start_with_is_an_error() {
    let check = |flags: &ClientFlags, expected: &str| {
        let look = MapLook::new().dir("/home/u/r/sub/dir").denied("/secret.json");
        assert_eq!(read(&look, flags).unwrap_err().to_string(), expected);
    };
    let unknown = |name: &str| {
        format!(
            "unknown settings source `{name}` in `--setting-sources`: it takes `user`, `project` and `local`"
        )
    };
    check(&sources("User"), &unknown("User"));
    check(&sources("user,"), &unknown(""));
    check(&sources(" "), &unknown(""));
    check(&sources("managed"), &unknown("managed"));
    let file = |path: &str, why: &str| {
        format!("cannot read the settings file `{path}` that `--settings` names: {why}")
    };
    check(&flag("nope.json"), &file("/home/u/r/sub/nope.json", "no such file"));
    check(&flag("~/x.json"), &file("/home/u/r/sub/~/x.json", "no such file"));
    check(&flag("dir"), &file("/home/u/r/sub/dir", "not a regular file"));
    check(&flag("/secret.json"), &file("/secret.json", "permission denied"));
    check(&flag("{\"a\":1,}"), "`--settings` is not valid JSON: line 1: trailing comma");
}

#[test]
fn a_file_over_the_limit_is_left_out_with_a_warning() {
    let large = format!("{{\"x\":\"{}\"}}", "a".repeat(5_000_000));
    let look = MapLook::new().file("/home/u/.claude/settings.json", large);
    let settings = read(&look, &sources("user")).unwrap();
    assert_eq!(
        settings.warnings().first().unwrap().to_string(),
        "settings file `/home/u/.claude/settings.json`: larger than 4194304 bytes; the client ignores the whole file"
    );
}

#[test]
fn settings_that_point_in_circles_end() {
    let point = |to: &str| format!(r#"{{"env":{{"CLAUDE_CONFIG_DIR":"{to}"}}}}"#);
    let look = MapLook::new()
        .file("/home/u/.claude/settings.json", point("/a"))
        .file("/a/settings.json", point("/b"))
        .file("/b/settings.json", point("/a"));
    let settings = read(&look, &sources("user")).unwrap();
    assert!(["/a", "/b"].contains(&settings.config_dir().as_str()));
}
