//! The name under which a project's journal lies below `projects/`.

use camino::Utf8Path;

/// The directory's own name in lower case, with dashes for underscores; `None` for `/`.
///
/// Unlike an encoded path it never starts with a dash unless the directory's name does, and many projects may
/// share one: the journal itself says whose it is.
#[must_use]
pub fn journal_key(root: &Utf8Path) -> Option<String> {
    root.file_name().map(|name| name.to_lowercase().replace('_', "-"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_the_directorys_name_made_plain() {
        let check =
            |path: &str, expected: Option<&str>| assert_eq!(journal_key(path.into()).as_deref(), expected);
        check("/home/u/workspace/korweb_companion_app", Some("korweb-companion-app"));
        check("/home/u/My_App.rs", Some("my-app.rs"));
        check("/", None);
    }
}
