//! A directory as a prompt names it.

use camino::Utf8Path;

use crate::hygiene::escape;

/// The directory with one slash at its end, on one line.
///
/// A repository's settings can name the memory directory, so the name is hostile: text that could break out of the
/// line or the code span it is in is written as an escape, and markup is inert.
pub(super) fn shown_dir(directory: &Utf8Path) -> String {
    let mut shown = shown_path(Utf8Path::new(directory.as_str().trim_end_matches('/')));
    shown.push('/');
    shown
}

/// A path on one line, likewise.
pub(super) fn shown_path(path: &Utf8Path) -> String {
    let mut shown = String::with_capacity(path.as_str().len() + 1);
    for character in path.as_str().chars() {
        let breaks_out =
            character == '`' || character.is_control() || matches!(character, '\u{2028}' | '\u{2029}');
        if breaks_out || crate::memory::entrypoint::is_hidden(character) {
            shown.extend(character.escape_unicode());
        } else {
            shown.push(character);
        }
    }
    escape(&shown).into_owned()
}
