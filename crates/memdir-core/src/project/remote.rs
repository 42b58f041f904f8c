//! One spelling for the many ways to name the same remote repository.

/// The remote that a repository's `config` names: `origin`, else the first one; normalised.
///
/// Reads the file's text as far as remotes need it and stops at nothing: what it does not understand it skips.
#[must_use]
pub fn remote_of_config(config: &str) -> Option<String> {
    let mut section_remote: Option<&str> = None;
    let mut first = None;
    for line in config.lines().map(str::trim) {
        if let Some(header) = line.strip_prefix('[') {
            section_remote = header
                .strip_prefix("remote")
                .and_then(|rest| rest.trim_start().strip_prefix('"'))
                .and_then(|rest| rest.split_once('"'))
                .map(|(name, _)| name);
            continue;
        }
        let (Some(name), Some((key, value))) = (section_remote, line.split_once('=')) else { continue };
        if !key.trim().eq_ignore_ascii_case("url") {
            continue;
        }
        let Some(url) = normalise(value.trim().trim_matches('"')) else { continue };
        if name == "origin" {
            return Some(url);
        }
        first.get_or_insert(url);
    }
    first
}

/// `host/path` for a remote over the network, the path for a local one; `None` for what names nothing.
///
/// User, password, port, protocol, the case of the host, a trailing slash and `.git` do not make another
/// repository. A password therefore never reaches the registry.
#[must_use]
pub fn normalise(url: &str) -> Option<String> {
    if url.is_empty() || url.len() > MAX_URL || url.chars().any(char::is_control) {
        return None;
    }
    let (host, path) = if let Some(path) = url.strip_prefix("file://") {
        (String::new(), path)
    } else if let Some((_, rest)) = url.split_once("://") {
        let (authority, path) = rest.split_once('/').unwrap_or((rest, ""));
        (host_of(authority), path)
    } else if let Some((authority, path)) = scp_like(url) {
        (host_of(authority), path)
    } else {
        (String::new(), url)
    };
    let path = path.trim_end_matches('/');
    let path = path.strip_suffix(".git").unwrap_or(path).trim_end_matches('/');
    let path = if host.is_empty() { path } else { path.trim_start_matches('/') };
    match (host.is_empty(), path.is_empty()) {
        (true, true) => None,
        (true, false) => Some(path.to_owned()),
        (false, _) => Some(format!("{host}/{path}")),
    }
}

/// Longer than any address that a forge hands out.
const MAX_URL: usize = 4096;

/// `user@host:path`; git takes a colon for that only before the first slash.
fn scp_like(url: &str) -> Option<(&str, &str)> {
    let (authority, path) = url.split_once(':')?;
    (!authority.is_empty() && !authority.contains('/')).then_some((authority, path))
}

fn host_of(authority: &str) -> String {
    let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    let host = match host.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        Some((address, _)) => address,
        None => host.split_once(':').map_or(host, |(host, _)| host),
    };
    host.to_ascii_lowercase()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn one_repository_has_one_spelling() {
        for url in [
            "https://example.org/team/app.git",
            "https://example.org/team/app",
            "https://user:secret@Example.ORG:8443/team/app.git/",
            "ssh://git@example.org/team/app.git",
            "ssh://git@example.org:22/team/app",
            "git@example.org:team/app.git",
            "example.org:/team/app",
            "git://example.org/team/app/",
        ] {
            assert_eq!(normalise(url).as_deref(), Some("example.org/team/app"), "{url}");
        }
        let check = |url: &str, expected: Option<&str>| assert_eq!(normalise(url).as_deref(), expected);
        check("git@example.org:Team/App.git", Some("example.org/Team/App"));
        check("/srv/git/app.git", Some("/srv/git/app"));
        check("file:///srv/git/app.git", Some("/srv/git/app"));
        check("../app", Some("../app"));
        check("./a:b", Some("./a:b"));
        check("ssh://[::1]:22/app", Some("::1/app"));
        check("", None);
        check("/", None);
        check("https://", None);
        check("a\nb", None);
    }

    #[test]
    fn origin_wins_and_the_first_stands_in_for_it() {
        let config = "[core]\n\turl = no\n[remote \"fork\"]\n\turl = git@h:f/a.git\n\tfetch = x\n\
                      [remote \"origin\"]\n\tURL = https://h/o/a\n[branch \"main\"]\n\turl = z\n";
        assert_eq!(remote_of_config(config).as_deref(), Some("h/o/a"));
        assert_eq!(remote_of_config(&config.replace("origin", "other")).as_deref(), Some("h/f/a"));
        assert_eq!(remote_of_config("[remote \"origin\n url = x\n = \n["), None);
    }

    proptest! {
        #[test]
        fn nothing_breaks_it_and_a_normal_form_stays(text in "\\PC{0,60}") {
            if let Some(url) = normalise(&text) {
                prop_assert!(!url.is_empty() && url.len() <= text.len() + 1);
            }
            let _ = remote_of_config(&text);
        }

        #[test]
        fn no_password_survives(password in "[a-z0-9]{12}") {
            let url = normalise(&format!("https://me:{password}@h/p"));
            prop_assert_eq!(url.as_deref(), Some("h/p"));
        }
    }
}
