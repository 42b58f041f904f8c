//! Which addresses and branches are safe to hand to git.

/// An address or a branch that is not used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{given}` cannot be used: {rule}")]
pub struct UrlRefused {
    given: String,
    rule: &'static str,
}

/// Whether an address that another person sent may be used.
pub(super) fn check(url: &str) -> Result<(), UrlRefused> {
    let rule = if url.is_empty() {
        "it is empty"
    } else if url.starts_with('-') {
        "git would take it for an option"
    } else if url.contains("::") {
        "it names a program to run"
    } else if url.chars().any(|letter| letter.is_control() || letter.is_whitespace()) {
        "it holds blanks or control characters"
    } else if url.len() > 2000 {
        "it is too long"
    } else if let Some((scheme, _)) = url.split_once("://")
        && !["https", "http", "ssh", "git", "file", "git+ssh", "ssh+git"].contains(&scheme)
    {
        "git is reached by https, http, ssh, git or file"
    } else if !url.contains("://") && !url.contains(':') && !url.starts_with('/') {
        "this is not an address: name a folder by its full path"
    } else {
        return Ok(());
    };
    Err(UrlRefused { given: without_credentials(url), rule })
}

/// An address as it may be shown and handed on: without credentials.
#[must_use]
pub fn without_credentials(url: &str) -> String {
    let Some((scheme, rest)) = url.split_once("://") else { return url.to_owned() };
    let (host, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
    let Some((login, host)) = host.rsplit_once('@') else { return url.to_owned() };
    // Over http the name alone may be a token; over ssh it is part of the address.
    let name = login.split(':').next().unwrap_or_default();
    if scheme.to_ascii_lowercase().starts_with("http") || name.is_empty() {
        format!("{scheme}://{host}{path}")
    } else {
        format!("{scheme}://{name}@{host}{path}")
    }
}

/// Whether an address is a folder of this machine. Git takes one with a slash before its first colon for one, too.
#[must_use]
pub fn is_local(url: &str) -> bool {
    match url.split_once(':') {
        None => true,
        Some((scheme, rest)) if rest.starts_with("//") => scheme.eq_ignore_ascii_case("file"),
        Some((host, _)) => host.contains('/'),
    }
}

/// Whether a branch may have that name.
pub(super) fn check_branch(branch: &str) -> Result<(), UrlRefused> {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_' | '/' | '.');
    let fits = !branch.is_empty()
        && branch.len() <= 100
        && branch.chars().all(plain)
        && !branch.starts_with(['-', '/', '.'])
        && !branch.ends_with(['/', '.'])
        && !["..", "//", "/.", ".lock"].iter().any(|bad| branch.contains(bad));
    if fits {
        Ok(())
    } else {
        Err(UrlRefused { given: branch.to_owned(), rule: "no branch can have that name" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_grants_access_is_not_shown() {
        for (url, expected) in [
            ("https://ada:ghp_x@example.com/team.git", "https://example.com/team.git"),
            ("https://ghp_x@example.com:8443/a@b.git", "https://example.com:8443/a@b.git"),
            ("https://a:p@w@example.com", "https://example.com"),
            ("ssh://git:pw@example.com/x", "ssh://git@example.com/x"),
            ("ssh://git@example.com/x", "ssh://git@example.com/x"),
            ("git@example.com:us/memory.git", "git@example.com:us/memory.git"),
            ("/srv/x.git", "/srv/x.git"),
        ] {
            assert_eq!(without_credentials(url), expected);
        }
        let refused = check("ftp://ada:ghp_x@example.com/").unwrap_err().to_string();
        assert!(!refused.contains("ghp_x"), "{refused}");
    }

    #[test]
    fn a_folder_is_told_from_a_host() {
        for local in ["/srv/x.git", "file:///srv/x.git", "./a:b", "/srv/a:b"] {
            assert!(is_local(local), "{local}");
        }
        for remote in ["https://example.com/x", "git@example.com:x", "ssh://h/x", "git://h/x"] {
            assert!(!is_local(remote), "{remote}");
        }
    }

    #[test]
    fn an_address_cannot_run_a_program() {
        for good in [
            "https://example.com/team.git",
            "git@example.com:team/memory.git",
            "ssh://git@example.com/x",
            "file:///srv/x.git",
            "/srv/x.git",
        ] {
            assert_eq!(check(good), Ok(()), "{good}");
        }
        for bad in
            ["", "ext::sh -c id", "--upload-pack=id", "fd::7", "javascript://x", "a b", "memory", "../x"]
        {
            assert!(check(bad).is_err(), "{bad}");
        }
        assert_eq!(check_branch("team/memory-1"), Ok(()));
        for bad in ["", "-x", "a..b", "a b", "x.lock", "a/", "é"] {
            assert!(check_branch(bad).is_err(), "{bad}");
        }
    }
}
