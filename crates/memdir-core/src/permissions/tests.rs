use serde::Deserialize;

use super::*;
use crate::locate::locate_with;
use crate::look::MapLook;
use crate::settings::ClientFlags;

const MEMORY: &str = "/h/.claude/projects/-r-c/memory";

/// The tree that the golden cases and those below are about.
fn tree() -> MapLook {
    MapLook::new()
        .dir("/r/c/sub")
        .file("/o/t.md", "x")
        .file("/o/secret.txt", "x")
        .dir("/h/.claude/projects/other/memory")
        .file(&format!("{MEMORY}/exist.md"), "x")
        .file(&format!("{MEMORY}/sub/s.md"), "x")
        .file(&format!("{MEMORY}/txt.txt"), "x")
        .file(&format!("{MEMORY}/file.md"), "x")
        .dir(&format!("{MEMORY}/dir.md"))
        .link(&format!("{MEMORY}/lnkdir"), "/o")
        .link(&format!("{MEMORY}/lnkfile.md"), "/o/t.md")
        .link(&format!("{MEMORY}/lin.md"), "exist.md")
        .link(&format!("{MEMORY}/lsub"), "sub")
        .link(&format!("{MEMORY}/dang.md"), "/o/new.md")
        .link(&format!("{MEMORY}/loop"), "loop")
        .file("/h/.claude/agent-memory/foo/f.md", "x")
        .file("/h/.claude/CLAUDE.md", "x")
        .file("/h/.claude/settings.json", "{}")
        .file("/r/c/in.md", "x")
        .link("/r/c/lout.md", "/o/t.md")
        .link("/r/c/lin.md", "in.md")
        .file("/r/par.md", "x")
}

fn places(look: &MapLook, vars: &[(&str, &str)], settings: Option<&str>) -> Places {
    let env = Env {
        home: Some("/h".into()),
        cwd: "/r/c".into(),
        vars: vars.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect(),
    };
    let flags = ClientFlags {
        managed_dir: "/etc/none".into(),
        settings: settings.map(str::to_owned),
        ..ClientFlags::default()
    };
    let settings = Settings::read(&env, &flags, None, look).unwrap();
    let location = locate_with(&env, &settings, None, look);
    Places::new(&env, &settings, &location)
}

fn expand(path: &str) -> String {
    path.replace("$M", MEMORY)
        .replace("$C", "/r/c")
        .replace("$O", "/o")
        .replace("$H", "/h")
        .replace("$R", "/r")
}

#[track_caller]
fn check_with(look: &MapLook, places: &Places, agent: Option<&str>, tool: Tool, paths: &str, allowed: bool) {
    for path in paths.split_whitespace() {
        let verdict = may_touch(tool, &expand(path), agent, places, look);
        assert_eq!(verdict.allow, allowed, "{tool:?} {path}: {}", verdict.why);
    }
}

#[track_caller]
fn check(tool: Tool, paths: &str, allowed: bool) {
    let look = tree();
    check_with(&look, &places(&look, &[], None), None, tool, paths, allowed);
}

#[test]
fn the_golden_cases_are_answered_as_the_client_answers() {
    #[derive(Deserialize)]
    struct Golden {
        cases: Vec<Case>,
    }
    #[derive(Deserialize)]
    struct Case {
        id: String,
        tool: String,
        path: String,
        allowed: bool,
    }
    let golden: Golden = serde_json::from_str(include_str!("testdata/permissions.json")).unwrap();
    let look = tree();
    let places = places(&look, &[], None);
    assert_eq!(golden.cases.len(), 12);
    for case in golden.cases {
        let tool = Tool::from_name(&case.tool).unwrap();
        let verdict = may_touch(tool, &expand(&case.path), None, &places, &look);
        assert_eq!(verdict.allow, case.allowed, "{}: {}", case.id, verdict.why);
    }
}

#[test]
fn markdown_in_memory_is_written_without_asking() {
    let yes = "$M/a.md $M/.x.md $M/sub/deep/b.md $M/é.md $M/./c.md $M/../memory/d.md $M//dd.md $M/exist.md $M/.gitx/a.md \
               ~/.claude/projects/-r-c/memory/e.md $M/team/x.md $M/logs/2026/01/2026-01-01.md";
    check(Tool::Write, yes, true);
    check(Tool::Edit, yes, true);
    let no = "$M/x.MD $M/x.txt $M/x.sh $M/x.json $M/x.markdown $M/.hidden $M/CON $M $M/ $M/x.md/ $M/../x.md \
              $M/sub/../../y.md $C/in.md $C/new.md relative.md $O/x.md $H/.claude/CLAUDE.md $H/.claude/rules/x.md \
              $H/.claude/settings.json $H/.claude/projects/other/memory/e.md ~/.claude/projects/other/memory/e.md \
              $C/.claude/settings.json $C/.claude/agents/x.md $M.bak/x.md $M/../memory2/x.md /etc/passwd $M/dir.md \
              $M/file.md/x.md";
    check(Tool::Write, no, false);
    check(Tool::Edit, no, false);
    check(Tool::Write, "$M/a\0.md", false);
}

#[test]
fn directories_that_programs_act_on_are_closed() {
    check(
        Tool::Write,
        "$M/.git/a.md $M/.GIT/a.md $M/.claude/a.md $M/.vscode/a.md $M/.idea/a.md $M/.Idea/a.md $M/a/.git/b.md \
         $M/.husky/a.md $M/.devcontainer/a.md $H/.claude/agent-memory/foo/.git/h.md",
        false,
    );
}

#[test]
fn links_are_not_written_through_and_read_only_where_they_stay() {
    let links =
        "$M/lin.md $M/lsub/x.md $M/dang.md $M/lnkdir/x.md $M/lnkfile.md $M/loop/x.md $M/lnkdir/../a.md";
    check(Tool::Write, links, false);
    check(Tool::Read, "$M/lin.md $M/lsub/s.md $C/lin.md", true);
    check(Tool::Read, "$M/lnkfile.md $M/lnkdir/t.md $C/lout.md $M/dang.md $M/loop/x.md", false);
}

#[test]
fn reading_is_free_in_the_project_and_in_memory() {
    check(
        Tool::Read,
        "$M/exist.md $M/txt.txt $M/gone.md $M $M/.git/x.md $C/in.md in.md $C/sub $C/gone/x $C/.claude/settings.json \
         $M/../p.jsonl $H/.claude/agent-memory/foo/f.md $H/.claude/agent-memory/foo/n.txt $C/.claude/agent-memory/g.md \
         ../../h/.claude/agent-memory/foo/f.md",
        true,
    );
    check(
        Tool::Read,
        "$R/par.md $H/home.md $O/t.md $O/gone.md $H/.claude/x.md $H/.claude/settings.json $H/.claude/CLAUDE.md \
         $H/.claude/projects/other/memory/o.md $M/../../other/memory/o.md /etc/passwd ~/x /",
        false,
    );
}

#[test]
fn the_memory_of_agents_is_written_too() {
    check(
        Tool::Write,
        "$H/.claude/agent-memory/x.md $H/.claude/agent-memory/foo/h.md $H/.claude/agent-memory/a/b/c.md \
         $C/.claude/agent-memory/x.md $C/.claude/agent-memory-local/b/x.md $C/.claude/agent-memory/foo/../x.md \
         .claude/agent-memory/foo/rel.md ./.claude/agent-memory/foo/rel.md $H/.claude/agent-memory/..foo/x.md",
        true,
    );
    check(
        Tool::Write,
        "$H/.claude/agent-memory/foo/h.txt $R/.claude/agent-memory/foo/x.md $H/.claude/agent-memory-local/foo/x.md \
         $C/sub/.claude/agent-memory/foo/x.md $H/.claude/agent-memory $H/.claude/agent-memoryx/a.md \
         $C/.claude/agent-memory-localx/x.md",
        false,
    );
}

#[test]
fn a_sub_agent_writes_in_its_own_places() {
    let look = tree();
    let mut places = places(&look, &[], None);
    places.journal = Some(GuardedRoot::new("/h/.claude".into(), "projects/key"));
    let foo = Some("foo");
    check_with(
        &look,
        &places,
        foo,
        Tool::Write,
        "$H/.claude/agent-memory/foo/a.md $C/.claude/agent-memory/foo/a.md $C/.claude/agent-memory-local/foo/a.md \
         $H/.claude/projects/key/subagent/2026-01-19_223000_scan.md",
        true,
    );
    check_with(
        &look,
        &places,
        foo,
        Tool::Write,
        "$M/a.md $H/.claude/agent-memory/bar/a.md $H/.claude/agent-memory/a.md $H/.claude/agent-memory/foo/../bar/a.md \
         $H/.claude/projects/key/_index.md $H/.claude/projects/key/decisions/1.md $C/in.md",
        false,
    );
    check_with(
        &look,
        &places,
        foo,
        Tool::Read,
        "$M/exist.md $H/.claude/projects/key/_index.md $C/in.md",
        true,
    );
    check_with(&look, &places, Some("../x"), Tool::Write, "$H/.claude/agent-memory/---x/a.md", true);
    check_with(&look, &places, Some(""), Tool::Write, "$H/.claude/agent-memory/a.md $M/a.md", false);
    check_with(&look, &places, None, Tool::Write, "$H/.claude/projects/key/subagent/x.md", true);
    check_with(&look, &places, None, Tool::Write, "$H/.claude/projects/key/_index.md", false);
}

#[test]
fn where_memory_is_named_decides_what_is_writable() {
    let look = tree();
    let override_dir = places(&look, &[("CLAUDE_COWORK_MEMORY_PATH_OVERRIDE", "/w/ov")], None);
    check_with(&look, &override_dir, None, Tool::Write, "$M/a.md /w/ov/a.md", false);
    check_with(&look, &override_dir, None, Tool::Write, "$H/.claude/agent-memory/foo/z.md", true);
    check_with(&look, &override_dir, None, Tool::Read, "$M/exist.md /w/ov/x.md", true);

    let setting = places(&look, &[], Some(r#"{"autoMemoryDirectory": "/w/am"}"#));
    check_with(&look, &setting, None, Tool::Write, "/w/am/a.md", true);
    check_with(&look, &setting, None, Tool::Write, "$M/a.md /w/am/.git/x.md", false);
    check_with(&look, &setting, None, Tool::Read, "$M/exist.md /w/am/x.md", true);

    let remote = places(&look, &[("CLAUDE_CODE_REMOTE_MEMORY_DIR", "/w/rm")], None);
    let yes = "/w/rm/projects/-r-c/memory/a.md /w/rm/agent-memory/foo/y.md /w/rm/agent-memory/y.md \
               /w/rm/projects/-r-c/agent-memory-local/foo/y.md $C/.claude/agent-memory/foo/z.md";
    check_with(&look, &remote, None, Tool::Write, yes, true);
    let no = "$M/a.md $H/.claude/agent-memory/foo/z.md $C/.claude/agent-memory-local/foo/z.md";
    check_with(&look, &remote, None, Tool::Write, no, false);
    check_with(&look, &remote, None, Tool::Read, "$M/exist.md /w/rm/agent-memory/foo/x.md", true);
    check_with(&look, &remote, None, Tool::Read, "$H/.claude/agent-memory/foo/x.md", false);

    let off = places(&look, &[("CLAUDE_CODE_DISABLE_AUTO_MEMORY", "1")], None);
    check_with(&look, &off, None, Tool::Write, "$M/a.md $H/.claude/agent-memory/foo/z.md", true);
}

#[test]
fn the_configuration_directory_may_be_a_link_but_nothing_below_it() {
    let dotfiles = MapLook::new()
        .dir("/r/c")
        .link("/h/.claude", "/dot")
        .file("/dot/projects/-r-c/memory/exist.md", "x")
        .file("/dot/agent-memory/foo/f.md", "x");
    let here = places(&dotfiles, &[], None);
    check_with(
        &dotfiles,
        &here,
        None,
        Tool::Write,
        "$M/a.md $M/exist.md $H/.claude/agent-memory/foo/z.md",
        true,
    );
    check_with(&dotfiles, &here, None, Tool::Write, "/dot/agent-memory/foo/z.md", true);
    check_with(&dotfiles, &here, None, Tool::Read, "$M/exist.md /dot/agent-memory/foo/f.md", true);
    for link in ["/h/.claude/projects", "/h/.claude/projects/-r-c", MEMORY] {
        let target = format!("/dot{}", &link["/h/.claude".len()..]);
        let look =
            MapLook::new().dir("/r/c").link(link, &target).file("/dot/projects/-r-c/memory/exist.md", "x");
        let here = places(&look, &[], None);
        check_with(&look, &here, None, Tool::Write, "$M/a.md /dot/projects/-r-c/memory/b.md", false);
        check_with(&look, &here, None, Tool::Read, "$M/exist.md /dot/projects/-r-c/memory/exist.md", false);
    }
}

proptest::proptest! {
    /// No spelling of a path gets a write out of the places that are open.
    #[test]
    fn no_spelling_escapes(path in "(/|\\.\\./|\\./|\\$M/|\\$H/|\\.claude/|agent-memory/|lnkdir/|lsub/|sub/|projects/|a\\.md|t\\.md|~/|%2e|\\\\){1,12}") {
        let look = tree();
        let places = places(&look, &[], None);
        let path = expand(&path);
        if may_touch(Tool::Write, &path, None, &places, &look).allow {
            let absolute = if let Some(rest) = path.strip_prefix("~/") {
                format!("/h/{rest}")
            } else if path.starts_with('/') {
                path.clone()
            } else {
                format!("/r/c/{path}")
            };
            let real = real_target(Utf8Path::new(&absolute), &look).unwrap();
            let open = [MEMORY, "/h/.claude/agent-memory", "/r/c/.claude/agent-memory", "/r/c/.claude/agent-memory-local"];
            proptest::prop_assert!(open.iter().any(|root| real.starts_with(root)), "{path} -> {real}");
            proptest::prop_assert!(real.as_str().ends_with(".md"));
        }
    }
}

#[test]
fn the_settings_forbid_what_memory_would_allow() {
    let look = tree();
    let check = |rules: &str, tool: Tool, path: &str, allowed: bool| {
        let settings = format!(r#"{{"permissions": {rules}}}"#);
        let places = places(&look, &[], Some(&settings));
        let verdict = may_touch(tool, &expand(path), None, &places, &look);
        assert_eq!(verdict.allow, allowed, "{rules} {tool:?} {path}: {}", verdict.why);
    };
    check(r#"{"deny": ["Write"]}"#, Tool::Write, "$M/a.md", false);
    check(r#"{"deny": ["Edit"]}"#, Tool::Write, "$M/a.md", false);
    check(r#"{"ask": ["Edit(**)"]}"#, Tool::Edit, "$M/a.md", false);
    check(r#"{"deny": ["Write(//h/.claude/projects/**)"]}"#, Tool::Write, "$M/a.md", false);
    check(r#"{"deny": ["Write(~/.claude/**)"]}"#, Tool::Write, "~/.claude/projects/-r-c/memory/a.md", false);
    check(r#"{"deny": ["Write(~/.claude/**)"]}"#, Tool::Write, "$M/../memory/a.md", false);
    check(r#"{"deny": ["Read(~/.claude/**/s*.md)"]}"#, Tool::Read, "$M/sub/s.md", false);
    check(r#"{"deny": ["Read(~/.claude/**/s*.md)"]}"#, Tool::Read, "$M/exist.md", true);
    check(r#"{"deny": ["Read(./in.md)"]}"#, Tool::Read, "$C/in.md", false);
    check(r#"{"deny": ["Read(in.md)"]}"#, Tool::Read, "$C/lin.md", false);
    check(r#"{"deny": ["Read"]}"#, Tool::Write, "$M/a.md", true);
    check(r#"{"deny": ["Write(/src/**)", "Bash(rm:*)", "Write(", 3]}"#, Tool::Write, "$M/a.md", true);
    check(r#"{"allow": ["Write(//o/**)"]}"#, Tool::Write, "$O/x.md", false);
}
