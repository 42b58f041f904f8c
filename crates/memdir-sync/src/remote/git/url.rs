//! Which addresses and branches are safe to hand to git.

/// An address or a branch that is not used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{given}` cannot be used: {rule}")]
pub struct UrlRefused {
    given: String,
    rule: &'static str,
}

/// Whether an address that somebody sent us may be used.
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
        "it is no address: a folder is named by its full path"
    } else {
        return Ok(());
    };
    Err(UrlRefused { given: url.to_owned(), rule })
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
