//! The marks of an unfinished merge in a text.

/// Whether a line begins or ends the part of a text that a merge could not decide.
///
/// The line of `=` in between does not count: alone it underlines a heading, and it never is without these.
#[must_use]
pub fn is_merge_mark(line: &str) -> bool {
    ["<<<<<<<", ">>>>>>>", "|||||||"].into_iter().any(|mark| is_mark(line, mark))
}

/// Whether a line is one mark, with or without what git writes behind it.
#[must_use]
pub fn is_mark(line: &str, mark: &str) -> bool {
    line.strip_prefix(mark).is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
}

#[cfg(test)]
mod tests {
    use super::is_merge_mark;

    #[test]
    fn marks_are_known_and_headings_are_none() {
        for mark in ["<<<<<<< HEAD", "<<<<<<<", ">>>>>>> branch", "||||||| base"] {
            assert!(is_merge_mark(mark), "{mark}");
        }
        for other in ["=======", "<<<<<<<<", "<<<<<<<x", " <<<<<<< HEAD", "| a |", ""] {
            assert!(!is_merge_mark(other), "{other}");
        }
    }
}
