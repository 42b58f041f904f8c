use super::*;

fn check(value: &str, home: &str, expected: Result<&str, RootRefused>) {
    let found = judge_root(value, Some(home.into()), RootSurface::User);
    assert_eq!(found, expected.map(Utf8PathBuf::from), "{value:?} with home {home}");
}

/// The cases of our corpus of hostile paths that name a root.
#[test]
fn hostile_roots() {
    let corpus: serde_json::Value =
        serde_json::from_str(include_str!("testdata/hostile_roots.json")).unwrap();
    let home = Utf8Path::new(corpus["home"].as_str().unwrap());
    let mut n_cases = 0;
    for case in corpus["cases"].as_array().unwrap() {
        let surface = match case["surface"].as_str().unwrap() {
            "root" => RootSurface::User,
            "project_settings" => RootSurface::ProjectSettings,
            other => panic!("{other}"),
        };
        let found = judge_root(case["input"].as_str().unwrap(), Some(home), surface);
        match case["expected"].as_str().unwrap() {
            "deny" => assert!(found.is_err(), "{case}: {found:?}"),
            _ => {
                let expected = case["normalized"].as_str().unwrap().trim_end_matches('/');
                assert_eq!(found.as_deref(), Ok(Utf8Path::new(expected)), "{case}");
            }
        }
        n_cases += 1;
    }
    assert!(n_cases >= 16);
}

#[test]
fn an_ordinary_directory_qualifies() {
    for path in [
        "/home/u/notes/memory",
        "/home/u/.claude/projects/-x/memory",
        "/home/u/.claude/memory",
        "/home/u/.config/memdir/memory",
        "/home/u/library-notes",
        "/home/u/.sshnotes",
        "/tmp/.tmpAb12/memory",
        "/var/tmp/x",
        "/var/folders/ab/cd/T/.tmpX/memory",
        "/private/var/folders/ab/cd/T/.tmpX/memory",
        "/private/tmp/x",
        "/data",
        "/libraries/x",
        "/liberty",
        "/opt/team/memory",
        "/srv/memory",
        "/mnt/disk/memory",
        "/home/other/shared/memory",
        "/workspace/etc/ssh",
    ] {
        check(path, "/home/u", Ok(path));
    }
    check("/home/u/ne\u{301}e", "/home/u", Ok("/home/u/n\u{e9}e"));
    check("~/a/../b/", "/home/u", Ok("/home/u/b"));
    check("/home/u//notes/./memory/", "/home/u", Ok("/home/u/notes/memory"));
}

#[test]
fn the_system_is_not_a_memory() {
    for path in [
        "/etc",
        "/etc/x/y",
        "/ETC/x",
        "/private/etc/x",
        "/usr/local/share/x",
        "/bin",
        "/sbin/x",
        "/lib/x",
        "/lib64",
        "/libx32/y",
        "/boot",
        "/dev/shm/x",
        "/proc/self/cwd",
        "/sys/x",
        "/var",
        "/var/lib/x",
        "/var/log",
        "/private/var/db/x",
        "/run/user/1000/x",
        "/root",
        "/root/x",
        "/System/x",
        "/Library/x",
        "/Applications",
        "/opt",
        "/tmp",
        "/var/tmp",
        "/private/tmp",
        "/mnt",
        "/srv",
        "/private",
        "/home/u/../../etc",
        "/dev/shm/../../etc",
        "/nix/store/x",
        "/Users",
    ] {
        check(path, "/home/u", Err(RootRefused::System));
    }
}

#[test]
fn a_home_in_an_unusual_place_is_still_a_home() {
    check("/root", "/root", Err(RootRefused::Home));
    check("/root/.claude/projects/-x/memory", "/root", Ok("/root/.claude/projects/-x/memory"));
    check("/var/lib/jenkins/memory", "/var/lib/jenkins", Ok("/var/lib/jenkins/memory"));
    check("/var/lib/other", "/var/lib/jenkins", Err(RootRefused::System));
    check("/var/home/u/memory", "/var/home/u", Ok("/var/home/u/memory"));
    check("/dev/shm/box/memory", "/dev/shm/box", Ok("/dev/shm/box/memory"));
    check("/dev/shm/other", "/dev/shm/box", Err(RootRefused::System));
    check("/dev/pts/x", "/dev/pts", Err(RootRefused::System));
    check("/etc/x", "/", Err(RootRefused::System));
    check("/root/x", "/", Err(RootRefused::System));
    check("/etc/x/y", "/etc/x", Err(RootRefused::System));
    check("/data/memory", "/", Ok("/data/memory"));
}

#[test]
fn homes_and_what_is_above_them() {
    check("~", "/home/u", Err(RootRefused::Home));
    check("~/", "/home/u", Err(RootRefused::Home));
    check("/home/u/", "/home/u", Err(RootRefused::Home));
    check("/home/other", "/home/u", Err(RootRefused::Home));
    check("/Users/other", "/home/u", Err(RootRefused::Home));
    check("/home", "/home/u", Err(RootRefused::AboveHome));
    check("/data", "/data/people/u", Err(RootRefused::AboveHome));
    check("~/..", "/home/u", Err(RootRefused::LeavesHome));
    check("~/../u/x", "/home/u", Err(RootRefused::LeavesHome));
    check("~root/memory", "/home/u", Err(RootRefused::OtherHome));
    check("~\\x", "/home/u", Err(RootRefused::OtherHome));
}

#[test]
fn credentials_stay_alone() {
    for path in [
        "~/.ssh",
        "~/.ssh/memory",
        "~/.SSH",
        "/home/other/.gnupg/x",
        "~/.aws",
        "~/.config/gcloud/x",
        "~/.kube",
        "~/.docker/x",
        "~/.local/share/keyrings",
        "~/.mozilla/firefox/x",
        "~/.config/google-chrome",
        "~/Library/Keychains/x",
        "~/notes/../.ssh",
        "~/.password-store",
        "~/.config",
        "~/.local/share",
        "~/Library",
    ] {
        check(path, "/home/u", Err(RootRefused::Credentials));
    }
}

#[test]
fn the_client_keeps_its_own_directories() {
    for path in [
        "~/.claude",
        "~/.claude/projects",
        "~/.claude/agents",
        "~/.claude/commands/x",
        "~/.claude/plugins/y",
        "~/repo/.claude",
        "~/repo/.claude/skills/x",
        "~/repo/.git/hooks",
        "~/repo/.GIT",
    ] {
        check(path, "/home/u", Err(RootRefused::ClientConfig));
    }
    let config = Utf8Path::new("/data/claude");
    let home = Some(Utf8Path::new("/home/u"));
    assert_eq!(judge_directory("/data/claude".into(), home, config), Err(RootRefused::ClientConfig));
    assert_eq!(judge_directory("/data".into(), home, config), Err(RootRefused::ClientConfig));
    assert_eq!(judge_directory("/data/claude/agents/x".into(), home, config), Err(RootRefused::ClientConfig));
    assert_eq!(judge_directory("/data/claude/projects/-x/memory".into(), home, config), Ok(()));
}

#[test]
fn an_invalid_path_is_not_a_directory() {
    check("", "/home/u", Err(RootRefused::Relative));
    check("memory", "/home/u", Err(RootRefused::Relative));
    check("./x", "/home/u", Err(RootRefused::Relative));
    check("$HOME/x", "/home/u", Err(RootRefused::Relative));
    check("C:\\x", "/home/u", Err(RootRefused::Relative));
    check("//server/share", "/home/u", Err(RootRefused::NetworkPath));
    check("\\\\server\\share", "/home/u", Err(RootRefused::NetworkPath));
    check("/", "/home/u", Err(RootRefused::NearRoot));
    check("/a", "/home/u", Err(RootRefused::NearRoot));
    check("/home/u/\0x", "/home/u", Err(RootRefused::HiddenCharacter));
    check("/home/u/a\nb", "/home/u", Err(RootRefused::HiddenCharacter));
    check("/home/u/no\u{202e}tes", "/home/u", Err(RootRefused::HiddenCharacter));
    check("/home/u\u{200c}x/notes", "/home/u\u{200c}x", Ok("/home/u\u{200c}x/notes"));
    check(&format!("/home/u/{}", "a/".repeat(5_000)), "/home/u", Err(RootRefused::TooLong));
    assert_eq!(judge_root("~/x", None, RootSurface::User), Err(RootRefused::OtherHome));
}

#[test]
fn a_repository_never_chooses() {
    let found = judge_root("/home/u/anything/memory", Some("/home/u".into()), RootSurface::ProjectSettings);
    assert_eq!(found, Err(RootRefused::FromRepository));
}

#[test]
fn a_windows_root_is_judged_by_the_same_rules() {
    let check = |value: &str, expected: Result<&str, RootRefused>| {
        let home = Utf8Path::new(r"C:\Users\Alice");
        let judged = judge_root_in(value, Some(home), RootSurface::User, PathStyle::Windows);
        assert_eq!(judged.as_ref().map(|path| path.as_str()), expected.as_ref().copied(), "{value}");
    };
    check(r"C:\Users\Alice\notes\memory", Ok(r"C:\Users\Alice\notes\memory"));
    check("D:/work/memory", Ok(r"D:\work\memory"));
    check("~/notes", Ok(r"C:\Users\Alice\notes"));
    check(r"~\notes", Ok(r"C:\Users\Alice\notes"));
    for value in [
        "~/.ssh/memory",
        r"~\.ssh\memory",
        r"C:\Users\Alice\.SSH\memory",
        r"c:/users/alice/.ssh./memory",
        r"C:\Users\Bob\.aws",
        r"\\?\C:\Users\Alice\.ssh\m",
        r"C:\Users\Alice\x\..\.ssh\m",
        r"C:\Users\Alice\AppData\Roaming\Microsoft\Credentials\m",
    ] {
        let home = Utf8Path::new(r"C:\Users\Alice");
        let judged = judge_root_in(value, Some(home), RootSurface::User, PathStyle::Windows);
        assert!(
            matches!(judged, Err(RootRefused::Credentials | RootRefused::NetworkPath)),
            "{value}: {judged:?}"
        );
    }
    check(r"C:\", Err(RootRefused::NearRoot));
    check(r"C:\Windows\Temp\m", Err(RootRefused::System));
    check(r"C:\Program Files (x86)\m", Err(RootRefused::System));
    check(r"C:\Users\Alice", Err(RootRefused::Home));
    check(r"C:\Users", Err(RootRefused::AboveHome));
    check(r"C:\Users\Bob", Err(RootRefused::Home));
    check(r"C:\Users\Alice\.claude", Err(RootRefused::ClientConfig));
    check(r"C:\Users\Alice\SSH~1\m", Err(RootRefused::Unclear));
    check(r"C:\Users\Alice\m:stream", Err(RootRefused::Unclear));
    check(r"\\server\share\m", Err(RootRefused::NetworkPath));
    check(r"\Users\Alice\m", Err(RootRefused::Relative));
    check("C:m", Err(RootRefused::Relative));
    check(
        r"C:\Users\Alice\AppData\Roaming\Microsoft\Windows\Start Menu\Programs\Startup",
        Err(RootRefused::RunsByItself),
    );
}
