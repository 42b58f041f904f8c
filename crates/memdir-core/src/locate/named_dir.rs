//! Which values the client accepts as a memory directory.

use camino::{Utf8Path, Utf8PathBuf};

use super::normalise::normalise;
use crate::host_path::{HostPath, PathStyle};
use crate::settings::{nfc, trim};

/// The value of the override variable, if it names a directory: absolute, blanks around it do not count.
pub(super) fn from_override(value: &str) -> Option<Utf8PathBuf> {
    absolute(trim(value), PathStyle::HERE)
}

/// The value of `autoMemoryDirectory`, if it names a directory: absolute, or below the home directory.
pub(super) fn from_setting(value: &str, home: Option<&Utf8Path>) -> Option<Utf8PathBuf> {
    let Some(below) = value.strip_prefix("~/").or_else(|| value.strip_prefix("~\\")) else {
        return absolute(value, PathStyle::HERE);
    };
    // A leading slash of the rest is one too many, not a root.
    let below = normalise(PathStyle::HERE.slashed(below).trim_start_matches('/'));
    if below == "." || below == ".." || below.starts_with("../") {
        return None;
    }
    absolute(home?.join(below).as_str(), PathStyle::HERE)
}

/// At least two units below the root, so that a slip does not make the whole disk a memory directory. The
/// client counts before it composes characters.
fn absolute(value: &str, style: PathStyle) -> Option<Utf8PathBuf> {
    let path = HostPath::parse(value, style)?;
    let normalised = path.text();
    let is_below_root = !path.names().is_empty() && normalised.encode_utf16().count() >= 3;
    is_below_root.then(|| nfc(&normalised).into_owned().into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_windows_directory_has_a_drive_and_is_not_its_root() {
        let check = |value: &str, expected: Option<&str>| {
            assert_eq!(
                absolute(value, PathStyle::Windows).as_deref(),
                expected.map(Utf8Path::new),
                "{value}"
            );
        };
        check("C:/w/../ov/", Some(r"C:\ov"));
        check(r"\\srv\share\m", Some(r"\\srv\share\m"));
        for refused in [r"C:\", "C:/..", r"\w", "/w", "C:w", r"\\srv\share", r"C:\a:b", r"\\.\C:\x"] {
            check(refused, None);
        }
    }

    #[test]
    fn the_override_is_absolute_and_not_the_root() {
        let check = |value: &str, expected: Option<&str>| {
            assert_eq!(from_override(value).as_deref(), expected.map(Utf8Path::new), "{value:?}");
        };
        check("/w/ov", Some("/w/ov"));
        check("  /w/ov\n", Some("/w/ov"));
        check("/w/am/../ov2//x/", Some("/w/ov2/x"));
        check("//server/share", Some("/server/share"));
        check("/ab", Some("/ab"));
        check("/😀", Some("/😀"));
        check("/e\u{301}", Some("/é"));
        for refused in [
            "",
            " ",
            "x",
            "./x",
            "~/x",
            "/",
            "//",
            "/a",
            "/a/",
            "/日",
            "/ab/..",
            "/a\0b",
            "C:",
            "C:\\x",
            "\\\\server\\share",
        ] {
            check(refused, None);
        }
    }

    #[test]
    fn the_setting_is_absolute_or_below_home() {
        let check = |value: &str, expected: Option<&str>| {
            let found = from_setting(value, Some("/home/u".into()));
            assert_eq!(found.as_deref(), expected.map(Utf8Path::new), "{value:?}");
        };
        check("/w/usr/", Some("/w/usr"));
        check("/w/usr ", Some("/w/usr "));
        check("//x/y", Some("/x/y"));
        check("~/mymem", Some("/home/u/mymem"));
        check("~//x", Some("/home/u/x"));
        check("~/a/../b", Some("/home/u/b"));
        check("~/..x", Some("/home/u/..x"));
        check("~/...", Some("/home/u/..."));
        check("~\\x", Some("/home/u/x"));
        check("~/\\x", Some("/home/u/\\x"));
        check("~/cafe\u{301}", Some("/home/u/café"));
        for refused in [
            "",
            "~",
            "~/",
            "~/.",
            "~/..",
            "~/../x",
            "~/../u/x",
            "~/a/..",
            "~/a/../..",
            "~\\..",
            "~other/x",
            "$HOME/x",
            "rel",
            "./x",
            "/",
            "/a",
            " /w/usr",
            "C:\\x",
            "\\\\a\\b",
        ] {
            check(refused, None);
        }
        assert_eq!(from_setting("~/x", None), None);
    }
}
