//! Lists of words that are data beside the code: one a line.

use std::sync::LazyLock;

/// The words of a list, in its order, read when it is first needed.
pub(crate) type WordList = LazyLock<Vec<&'static str>>;

/// The lines of a list.
pub(crate) fn word_list(text: &'static str) -> Vec<&'static str> {
    text.lines().filter(|line| !line.is_empty()).collect()
}
