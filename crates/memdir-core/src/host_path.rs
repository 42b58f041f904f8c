//! An absolute path of the machine, in the style of its system: drives, network shares, verbatim prefixes, separators
//! and letter case.
//!
//! A rule that compares host paths compares [`HostPath`]s or their [`HostPath::posix_form`], never text. A rule that gets
//! `None` here does not understand the path and refuses.

use std::borrow::Cow;

/// How a system writes its paths.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PathStyle {
    /// `/a/b`: one separator, case counts.
    Posix,
    /// `C:\a\b` and `\\server\share\a`: two separators, case does not count.
    Windows,
}

impl PathStyle {
    /// The style of the system that runs this program.
    pub const HERE: Self = if cfg!(windows) { Self::Windows } else { Self::Posix };

    /// The style of a path that is known to be absolute.
    #[must_use]
    pub fn of_absolute(path: &str) -> Self {
        if path.starts_with('/') && !(cfg!(windows) && path.starts_with("//")) {
            Self::Posix
        } else {
            Self::Windows
        }
    }

    fn is_separator(self, character: char) -> bool {
        character == '/' || (self == Self::Windows && character == '\\')
    }

    /// Whether a text is an absolute path. A Windows path without a drive is not: it depends on the current one.
    #[must_use]
    pub fn is_absolute(self, text: &str) -> bool {
        match self {
            Self::Posix => text.starts_with('/'),
            Self::Windows => split_root(text).is_some(),
        }
    }

    /// A relative path with `/` between its names, as rules and patterns are written.
    #[must_use]
    pub fn slashed(self, relative: &str) -> Cow<'_, str> {
        match self {
            Self::Windows if relative.contains('\\') => Cow::Owned(relative.replace('\\', "/")),
            _ => Cow::Borrowed(relative),
        }
    }

    /// A name as the system compares it: Windows ignores case, and dots and blanks at the end.
    #[must_use]
    pub fn folded(self, name: &str) -> Cow<'_, str> {
        match self {
            Self::Posix => Cow::Borrowed(name),
            Self::Windows => Cow::Owned(name.trim_end_matches(['.', ' ']).to_lowercase()),
        }
    }
}

/// An absolute path without `.`, `..` and doubled separators.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostPath<'a> {
    style: PathStyle,
    root: Root<'a>,
    names: Vec<&'a str>,
    /// How many names there were each time before `..` took the last one.
    left_again: Vec<Vec<&'a str>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Root<'a> {
    Slash,
    Drive(char),
    Share { server: &'a str, share: &'a str },
}

impl<'a> HostPath<'a> {
    /// Reads an absolute path; `None` if it is relative or holds a NUL, and on Windows also if it names a device, an
    /// alternate stream, or a verbatim place that is neither a drive nor a share.
    #[must_use]
    pub fn parse(text: &'a str, style: PathStyle) -> Option<Self> {
        if text.contains('\0') {
            return None;
        }
        let (root, rest) = match style {
            PathStyle::Posix => (Root::Slash, text.strip_prefix('/')?),
            PathStyle::Windows => split_root(text)?,
        };
        let mut path = Self { style, root, names: Vec::new(), left_again: Vec::new() };
        for name in rest.split(|character| style.is_separator(character)) {
            match name {
                "" | "." => {}
                ".." => {
                    if !path.names.is_empty() {
                        path.left_again.push(path.names.clone());
                        path.names.pop();
                    }
                }
                name if style == PathStyle::Windows && !is_plain(name) => return None,
                name => path.names.push(name),
            }
        }
        Some(path)
    }

    /// The names below the root, outermost first.
    #[must_use]
    pub fn names(&self) -> &[&'a str] {
        &self.names
    }

    /// The names below another path, as they are written; `None` if this path is elsewhere.
    #[must_use]
    pub fn below(&self, other: &HostPath<'_>) -> Option<&[&'a str]> {
        let same_root = match (self.root, other.root) {
            (Root::Slash, Root::Slash) => true,
            (Root::Drive(one), Root::Drive(other)) => one.eq_ignore_ascii_case(&other),
            (Root::Share { server, share }, Root::Share { server: other, share: its }) => {
                let fold = |name| self.style.folded(name);
                fold(server) == fold(other) && fold(share) == fold(its)
            }
            _ => false,
        };
        let (start, rest) = self.names.split_at_checked(other.names.len())?;
        let same = start.iter().zip(&other.names);
        let same = same.into_iter().all(|(one, other)| self.style.folded(one) == self.style.folded(other));
        (same_root && same).then_some(rest)
    }

    /// Every directory that the path entered and left again by `..`.
    #[must_use]
    pub fn left_again(&self) -> Vec<String> {
        self.left_again.iter().map(|names| self.text_of(names)).collect()
    }

    /// The path as the system writes it.
    #[must_use]
    pub fn text(&self) -> String {
        self.text_of(&self.names)
    }

    fn text_of(&self, names: &[&str]) -> String {
        match self.root {
            Root::Slash => format!("/{}", names.join("/")),
            Root::Drive(drive) => format!("{drive}:\\{}", names.join("\\")),
            Root::Share { server, share } if names.is_empty() => format!("\\\\{server}\\{share}"),
            Root::Share { server, share } => format!("\\\\{server}\\{share}\\{}", names.join("\\")),
        }
    }

    /// The form in which rules compare: the path itself on POSIX; on Windows lower case with a drive as the first name,
    /// `/c/users/me`, as the client's own permission rules are written.
    #[must_use]
    pub fn posix_form(&self) -> String {
        let names: Vec<_> = self.names.iter().map(|name| self.style.folded(name)).collect();
        let names = names.join("/");
        match self.root {
            Root::Slash => format!("/{names}"),
            Root::Drive(drive) => {
                format!("/{}/{names}", drive.to_ascii_lowercase()).trim_end_matches('/').to_owned()
            }
            Root::Share { server, share } => {
                let fold = |name| self.style.folded(name);
                format!("/unc/{}/{}/{names}", fold(server), fold(share)).trim_end_matches('/').to_owned()
            }
        }
    }

    /// The same without the drive or share, for lists of places that each drive has.
    #[must_use]
    pub fn on_its_drive(&self) -> String {
        let names: Vec<_> = self.names.iter().map(|name| self.style.folded(name)).collect();
        format!("/{}", names.join("/"))
    }

    /// Whether a name may be the short form that Windows gives to a long one: it says nothing about the place.
    #[must_use]
    pub fn has_short_name(&self) -> bool {
        let is_short = |name: &&str| {
            let mut rest = name.match_indices('~').map(|(at, _)| name.as_bytes().get(at + 1));
            rest.any(|next| next.is_some_and(u8::is_ascii_digit))
        };
        self.style == PathStyle::Windows && self.names.iter().any(is_short)
    }
}

/// The path without a verbatim prefix, as `canonicalize` adds it on Windows; everything else stays as it is.
#[must_use]
pub fn without_verbatim(text: &str) -> Cow<'_, str> {
    match text.strip_prefix(r"\\?\") {
        Some(rest) => match rest.strip_prefix(r"UNC\") {
            Some(share) => Cow::Owned(format!(r"\\{share}")),
            None if split_drive(rest).is_some() => Cow::Borrowed(rest),
            None => Cow::Borrowed(text),
        },
        None => Cow::Borrowed(text),
    }
}

/// The path without `.`, `..` and doubled separators, in the style of this system; a path that is not absolute or not
/// understood stays as it is.
#[must_use]
pub fn normal_form(text: &str) -> String {
    HostPath::parse(text, PathStyle::of_absolute(text)).map_or_else(|| text.to_owned(), |path| path.text())
}

fn split_root(text: &str) -> Option<(Root<'_>, &str)> {
    let is_separator = |character: char| PathStyle::Windows.is_separator(character);
    if let Some(verbatim) = text.strip_prefix(r"\\?\").or_else(|| text.strip_prefix("//?/")) {
        if let Some(share) = verbatim.strip_prefix(r"UNC\").or_else(|| verbatim.strip_prefix("UNC/")) {
            return split_share(share);
        }
        return split_drive(verbatim);
    }
    let mut start = text.chars();
    if start.next().is_some_and(is_separator) && start.next().is_some_and(is_separator) {
        return split_share(text.get(2..)?);
    }
    split_drive(text)
}

fn split_drive(text: &str) -> Option<(Root<'_>, &str)> {
    let mut start = text.chars();
    let (drive, colon, separator) = (start.next()?, start.next()?, start.next()?);
    let is_root = drive.is_ascii_alphabetic() && colon == ':' && PathStyle::Windows.is_separator(separator);
    is_root.then(|| (Root::Drive(drive), text.get(3..).unwrap_or_default()))
}

fn split_share(text: &str) -> Option<(Root<'_>, &str)> {
    let is_separator = |character: char| PathStyle::Windows.is_separator(character);
    let (server, rest) = text.split_once(is_separator)?;
    let (share, rest) = rest.split_once(is_separator).unwrap_or((rest, ""));
    let is_device = matches!(server, "." | "?");
    (!is_device && is_plain(server) && is_plain(share)).then_some((Root::Share { server, share }, rest))
}

/// Whether a text names one file or directory on Windows, and no other name means the same one there: no separator, no
/// stream, no wildcard, no device, no dot or blank at the end.
#[must_use]
pub fn is_windows_name(name: &str) -> bool {
    !name.contains(['/', '\\']) && !name.ends_with(['.', ' ']) && is_plain(name)
}

/// Whether a name is one file or directory on Windows: no stream, no wildcard, no device.
fn is_plain(name: &str) -> bool {
    let folded = PathStyle::Windows.folded(name);
    let stem = folded.split('.').next().unwrap_or_default().trim_end();
    let is_numbered = |device: &str| {
        stem.strip_prefix(device).is_some_and(|number| {
            matches!(number, "0" | "1" | "2" | "3" | "4" | "5" | "6" | "7" | "8" | "9" | "¹" | "²" | "³")
        })
    };
    let is_device = matches!(stem, "con" | "prn" | "aux" | "nul" | "conin$" | "conout$")
        || is_numbered("com")
        || is_numbered("lpt");
    !folded.is_empty()
        && !is_device
        && !name.chars().any(|character| character < ' ' || "<>:\"|?*".contains(character))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn windows(text: &str) -> Option<String> {
        HostPath::parse(text, PathStyle::Windows).map(|path| path.text())
    }

    #[test]
    fn windows_paths_have_one_normal_form() {
        let check =
            |text: &str, expected: Option<&str>| assert_eq!(windows(text).as_deref(), expected, "{text}");
        check(r"C:\Users\x\proj", Some(r"C:\Users\x\proj"));
        check("C:/Users//x/./proj/", Some(r"C:\Users\x\proj"));
        check(r"c:\a\..\..\b", Some(r"c:\b"));
        check(r"\\?\C:\Users\x", Some(r"C:\Users\x"));
        check(r"\\?\UNC\srv\share\x", Some(r"\\srv\share\x"));
        check(r"\\srv\share", Some(r"\\srv\share"));
        check("//srv/share/a/..", Some(r"\\srv\share"));
        for refused in [
            "",
            "a",
            r"a\b",
            r"\a",
            "/a",
            "C:",
            "C:a",
            r"1:\a",
            r"\\.\C:\a",
            r"\\?\GLOBALROOT\x",
            r"\\?\Volume{1}\x",
            r"\\srv",
            r"C:\a:stream",
            r"C:\a\NUL",
            r"C:\con.txt",
            r"C:\COM1",
            r"C:\lpt9.md",
            r"C:\a?b",
            "C:\\a\0b",
            r"C:\...\x",
            r"C:\ \x",
        ] {
            check(refused, None);
        }
    }

    #[test]
    fn below_ignores_case_and_separators_on_windows_only() {
        let below = |path: &str, root: &str, style| {
            let (path, root) = (HostPath::parse(path, style).unwrap(), HostPath::parse(root, style).unwrap());
            path.below(&root).map(|names| names.join("/"))
        };
        assert_eq!(below(r"C:\USERS\x\M\a.md", "c:/users/X/m", PathStyle::Windows).as_deref(), Some("a.md"));
        assert_eq!(
            below(r"C:\users\x\m.\a.md", r"C:\users\x\m", PathStyle::Windows).as_deref(),
            Some("a.md")
        );
        assert_eq!(below(r"D:\users\x\m\a.md", r"C:\users\x\m", PathStyle::Windows), None);
        assert_eq!(below(r"C:\users\x\mm\a.md", r"C:\users\x\m", PathStyle::Windows), None);
        assert_eq!(below(r"\\SRV\s\m\a.md", r"\\srv\S\m", PathStyle::Windows).as_deref(), Some("a.md"));
        assert_eq!(below("/h/M/a.md", "/h/m", PathStyle::Posix), None);
        assert_eq!(below(r"/h/m/a\b.md", "/h/m", PathStyle::Posix).as_deref(), Some(r"a\b.md"));
    }

    #[test]
    fn rules_compare_one_form() {
        let form = |text: &str| HostPath::parse(text, PathStyle::Windows).unwrap().posix_form();
        assert_eq!(form(r"C:\Users\Alice\.SSH\x"), "/c/users/alice/.ssh/x");
        assert_eq!(form(r"C:\"), "/c");
        assert_eq!(form(r"\\Srv\Share\X"), "/unc/srv/share/x");
        let drive = HostPath::parse(r"D:\Windows\System32", PathStyle::Windows).unwrap();
        assert_eq!(drive.on_its_drive(), "/windows/system32");
        assert!(HostPath::parse(r"C:\PROGRA~1\x", PathStyle::Windows).unwrap().has_short_name());
        assert!(!HostPath::parse("/a~1/x", PathStyle::Posix).unwrap().has_short_name());
    }

    #[test]
    fn a_verbatim_prefix_is_taken_off_where_the_rest_is_plain() {
        assert_eq!(without_verbatim(r"\\?\C:\x"), r"C:\x");
        assert_eq!(without_verbatim(r"\\?\UNC\s\d\x"), r"\\s\d\x");
        assert_eq!(without_verbatim(r"\\?\Volume{1}\x"), r"\\?\Volume{1}\x");
        assert_eq!(without_verbatim("/x"), "/x");
    }
}
