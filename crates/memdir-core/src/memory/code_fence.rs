//! Which lines of a Markdown text are fenced code: one rule for everything that reads Markdown line by line.

/// The fence that is open behind the lines that were taken.
#[derive(Debug, Clone, Default)]
pub struct CodeFence {
    open: Option<(char, usize)>,
}

impl CodeFence {
    /// Takes the next line. Returns whether it is code, the fences included.
    ///
    /// As in CommonMark, a fence is closed by one of the same character that is at least as long. Indentation does not
    /// count, because items of lists are not told apart here.
    pub fn is_code(&mut self, line: &str) -> bool {
        let line = line.trim();
        let mark = line.chars().next().filter(|first| matches!(first, '`' | '~'));
        let rest = mark.map_or(line, |mark| line.trim_start_matches(mark));
        let count = line.len() - rest.len();
        if let Some((open, length)) = self.open {
            if mark == Some(open) && count >= length && rest.is_empty() {
                self.open = None;
            }
            return true;
        }
        // A backtick behind three of them makes the line a code span of a paragraph.
        if count >= 3 && !(mark == Some('`') && rest.contains('`')) {
            self.open = mark.map(|mark| (mark, count));
        }
        self.is_open()
    }

    /// Whether the next line is code, whatever it says.
    #[must_use]
    pub fn is_open(&self) -> bool {
        self.open.is_some()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use pulldown_cmark::{CodeBlockKind, Event, Parser, Tag};

    use super::*;

    /// The lines that a CommonMark parser says are fenced code.
    fn by_parser(text: &str) -> Vec<bool> {
        let fenced = Parser::new(text).into_offset_iter().filter_map(|(event, range)| match event {
            Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(_))) => Some(range),
            _ => None,
        });
        let fenced: Vec<_> = fenced.collect();
        let mut offset = 0;
        let lines = text.split_inclusive('\n').map(|line| {
            let start = offset;
            offset += line.len();
            fenced.iter().any(|range| range.start < offset && start < range.end)
        });
        lines.collect()
    }

    proptest! {
        #[test]
        fn a_line_is_code_if_commonmark_says_so(
            lines in prop::collection::vec(
                ("[ ]{0,3}", prop::sample::select(vec![
                    "```", "````", "~~~", "~~~~", "``` rust", "~~~ a`b", "``` a`b", "``", "``x``", "text", "# heading", "```x",
                    "~~~~ ```", "`````",
                ])),
                0..12,
            )
        ) {
            let text: String = lines.iter().map(|(indent, line)| format!("{indent}{line}\n")).collect();
            let mut fence = CodeFence::default();
            let found: Vec<bool> = text.lines().map(|line| fence.is_code(line)).collect();
            prop_assert_eq!(found, by_parser(&text), "{}", text);
        }
    }
}
