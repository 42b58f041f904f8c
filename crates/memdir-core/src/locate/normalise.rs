/// Takes `.`, `..`, doubled and final slashes out of a path by name alone, as the client's own runtime does.
///
/// What a relative path has too many `..` of stays in front; nothing left is `.`.
pub(crate) fn normalise(path: &str) -> String {
    let absolute = path.starts_with('/');
    let mut kept: Vec<&str> = Vec::new();
    for component in path.split('/') {
        match component {
            "" | "." => {}
            ".." => match kept.last() {
                Some(&"..") | None => {
                    if !absolute {
                        kept.push("..");
                    }
                }
                Some(_) => {
                    kept.pop();
                }
            },
            name => kept.push(name),
        }
    }
    let joined = kept.join("/");
    match (absolute, joined.is_empty()) {
        (true, _) => format!("/{joined}"),
        (false, true) => ".".to_owned(),
        (false, false) => joined,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_normalised_by_name() {
        let check = |path: &str, expected: &str| assert_eq!(normalise(path), expected, "{path}");
        check("/", "/");
        check("//x//y/", "/x/y");
        check("/a/./b/../c", "/a/c");
        check("/../..", "/");
        check("a/..", ".");
        check("", ".");
        check("./x/y", "x/y");
        check("../../x", "../../x");
        check("a/../../x", "../x");
        check("..x/...", "..x/...");
    }
}
