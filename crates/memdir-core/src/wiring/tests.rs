use super::*;
use crate::env::System;
use serde_json::json;

fn members() -> Vec<Member> {
    vec![
        Member::new(&["mcpServers", "memdir"], json!({"command": "/bin/memdir", "args": ["mcp"]})),
        Member::new(&["on", "memdir@memdir"], json!(true)),
    ]
}

#[test]
fn what_was_wired_is_unwired() {
    let check = |base: Option<&str>| {
        let wired = wire(Format::Json, base, &members()).unwrap();
        assert!(is_wired(Format::Json, Some(&wired), &members()).unwrap());
        let back = unwire(Format::Json, &wired, base, &members()).unwrap();
        assert_eq!(back.as_deref(), base, "{wired}");
    };
    check(None);
    check(Some("{}\n"));
    check(Some("{\n  // mine\n  \"model\": \"x\"\n}\n"));
    check(Some("{\n    \"mcpServers\": {\n        \"a\": {\"command\": \"a\"}\n    }\n}\n"));
    check(Some("{\n  \"mcpServers\": {},\n  \"z\": [1, 2] // end\n}"));
}

#[test]
fn what_others_wrote_in_between_stays() {
    let text = wire(Format::Json, None, &members()).unwrap();
    let theirs = text.replace("\"on\": {", "\"model\": \"x\",\n  \"on\": {\n    \"other\": true,");
    let back = unwire(Format::Json, &theirs, None, &members()).unwrap().unwrap();
    assert_eq!(back, "{\n  \"model\": \"x\",\n  \"on\": {\n    \"other\": true\n  }\n}\n");
}

#[test]
fn ours_is_known_by_what_it_starts() {
    let check = |found: &str, foreign: bool| {
        let members = members();
        assert_eq!(
            find_foreign(Format::Json, Some(found), &members, &[]).unwrap().is_some(),
            foreign,
            "{found}"
        );
    };
    check("{}", false);
    check(r#"{"mcpServers": {"memdir": {"command": "/old/memdir", "args": ["mcp"]}}}"#, false);
    check(r#"{"mcpServers": {"memdir": {"command": ["memdir", "mcp"]}}}"#, true);
    check(r#"{"mcpServers": {"memdir": {"command": "memdir", "args": ["mcp"], "trust": true}}}"#, true);
    check(r#"{"mcpServers": {"memdir": {"command": "npx", "args": ["memdir"]}}}"#, true);
    check(r#"{"on": {"memdir@memdir": false}}"#, true);
    check(r#"{"mcpServers": {"memdir": null}}"#, true);
    let place = |path: &str| json!({"source": {"source": "directory", "path": path}});
    let marketplace = Member::new(&["m"], place("/home/u/.local/share/memdir/claude-plugin"));
    assert!(marketplace.is_ours(&place("/elsewhere/claude-plugin")));
    assert!(!marketplace.is_ours(&json!({"source": {"source": "github", "repo": "a/memdir"}})));
}

#[test]
fn a_manifest_is_read_as_written() {
    let mut manifest = Manifest::default();
    manifest.put(FileRecord {
        agent: "claude".to_owned(),
        path: "/home/u/.claude/settings.json".into(),
        format: Format::Json,
        backup: None,
        after: crate::content_hash::ContentHash::of(b"x"),
        members: members(),
        made_dirs: vec!["/home/u/.claude".into()],
    });
    assert_eq!(Manifest::parse(&manifest.render().unwrap()).unwrap(), manifest);
    assert!(matches!(Manifest::parse(br#"{"v": 2, "files": []}"#), Err(ManifestError::Later)));
    assert!(Manifest::parse(b"{").is_err());
}

#[test]
fn a_path_is_one_word_for_a_shell() {
    use super::agent::shell_word_for;
    use crate::host_path::PathStyle::{Posix, Windows};
    let check = |path: &str, style, expected: &str| {
        assert_eq!(shell_word_for(camino::Utf8Path::new(path), style), expected);
    };
    check("/usr/bin/memdir", Posix, "/usr/bin/memdir");
    check("/my tools/it's $HOME/memdir", Posix, r"'/my tools/it'\''s $HOME/memdir'");
    check(r"C:\my tools\memdir.exe", Windows, r#""C:/my tools/memdir.exe""#);
}

#[test]
fn a_hook_is_added_beside_those_of_others() {
    let hook = |command: &str| json!({"hooks": [{"type": "command", "command": command}]});
    let members =
        [Member::item(&["hooks", "SessionStart"], hook("'/a b/memdir' hook SessionStart --agent=codex"))];
    let check = |base: Option<&str>| {
        let wired = wire(Format::Json, base, &members).unwrap();
        assert!(is_wired(Format::Json, Some(&wired), &members).unwrap());
        assert_eq!(find_foreign(Format::Json, Some(&wired), &members, &[]).unwrap(), None);
        let moved = [Member::item(
            &["hooks", "SessionStart"],
            hook("/usr/bin/memdir hook SessionStart --agent=codex"),
        )];
        assert!(!is_wired(Format::Json, Some(&wired), &moved).unwrap());
        let again = wire(Format::Json, Some(&wired), &moved).unwrap();
        assert_eq!(again.matches("memdir").count(), 1, "{again}");
        assert_eq!(unwire(Format::Json, &again, base, &moved).unwrap().as_deref(), base, "{again}");
    };
    check(None);
    check(Some(
        "{\n  \"hooks\": {\n    \"SessionStart\": [\n      {\"hooks\": [{\"command\": \"theirs\"}]} // mine\n    ]\n  }\n}\n",
    ));
    check(Some("{\"hooks\": {\"SessionStart\": [], \"Stop\": []}}"));
    let error = wire(Format::Json, Some("{\"hooks\": {\"SessionStart\": {}}}"), &members).unwrap_err();
    assert_eq!(error.to_string(), "`hooks.SessionStart` in it is not a list");
}

#[test]
fn settings_lie_where_the_system_keeps_them() {
    let home = if cfg!(windows) { "C:/Users/x" } else { "/home/x" };
    let env = crate::env::Env { home: Some(home.into()), cwd: home.into(), vars: Default::default() };
    let check = |name: &str, linux: &str, macos: &str, windows: &str| {
        let agent = Agent::named(name).unwrap();
        for (system, wanted) in [(System::Linux, linux), (System::MacOs, macos), (System::Windows, windows)] {
            assert_eq!(
                agent.directory_on(system, &env),
                Some(env.home.as_ref().unwrap().join(wanted)),
                "{name}"
            );
        }
    };
    check(
        "vscode",
        ".config/Code/User",
        "Library/Application Support/Code/User",
        "AppData/Roaming/Code/User",
    );
    check("zed", ".config/zed", ".config/zed", "AppData/Roaming/Zed");
    check("goose", ".config/goose", ".config/goose", "AppData/Roaming/Block/goose/config");
    check("opencode", ".config/opencode", ".config/opencode", ".config/opencode");
    check("codex", ".codex", ".codex", ".codex");
}
