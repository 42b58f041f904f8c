//! Lines and columns of byte positions, in one pass over the text.

/// Turns ascending byte positions into lines and columns.
pub(super) struct Positions<'text> {
    text: &'text str,
    at: usize,
    line: usize,
    column: usize,
}

impl<'text> Positions<'text> {
    pub(super) fn new(text: &'text str) -> Self {
        Self { text, at: 0, line: 1, column: 1 }
    }

    /// Line and column of a position that is not before the last one asked for; both begin at 1.
    pub(super) fn of(&mut self, position: usize) -> (usize, usize) {
        let passed = self.text.get(self.at..position).unwrap_or_default();
        let newlines = memchr::memchr_iter(b'\n', passed.as_bytes()).count();
        let rest = match memchr::memrchr(b'\n', passed.as_bytes()) {
            Some(last) => {
                self.column = 1;
                passed.get(last + 1..).unwrap_or_default()
            }
            None => passed,
        };
        self.line += newlines;
        self.column += rest.chars().count();
        self.at = position;
        (self.line, self.column)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_count_characters_and_lines_end_at_the_line_feed() {
        let text = "aé\r\n密码 x\n\nlast";
        let mut positions = Positions::new(text);
        for (needle, expected) in [("é", (1, 2)), ("密", (2, 1)), ("x", (2, 4)), ("last", (4, 1))] {
            assert_eq!(positions.of(text.find(needle).unwrap()), expected, "{needle}");
        }
    }
}
