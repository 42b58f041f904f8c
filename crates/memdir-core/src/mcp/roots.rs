use camino::Utf8PathBuf;

use super::memory_uri::percent_decode;

/// The directory that a root's address names; `None` unless it is one on this machine.
#[must_use]
pub fn directory_of_root(uri: &str) -> Option<Utf8PathBuf> {
    let rest = uri.strip_prefix("file://")?;
    let (host, path) = rest.split_at(rest.find('/')?);
    if !host.is_empty() && !host.eq_ignore_ascii_case("localhost") {
        return None;
    }
    let path = path.split(['?', '#']).next().unwrap_or_default();
    let decoded = percent_decode(path)?;
    (!decoded.contains('\0')).then(|| Utf8PathBuf::from(decoded))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_root_is_a_directory_of_this_machine() {
        let check = |uri: &str, expected: Option<&str>| {
            assert_eq!(directory_of_root(uri).as_ref().map(|path| path.as_str()), expected, "{uri}");
        };
        check("file:///home/me/app", Some("/home/me/app"));
        check("file://localhost/home/me", Some("/home/me"));
        check("file:///home/me/a%20b%C3%A9", Some("/home/me/a bé"));
        check("file:///home/me?x#y", Some("/home/me"));
        check("file://elsewhere/home/me", None);
        check("file:relative", None);
        check("https://example.com/", None);
        check("file:///a%00b", None);
        check("file:///a%ff", None);
        check("file:///a%2", None);
        check("", None);
    }
}
