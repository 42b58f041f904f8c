use std::borrow::Cow;
use std::io::{self, Read};
use std::ops::ControlFlow;

use memdir_core::lone_surrogates::without_lone_surrogates;

use super::lines::Lines;
use super::{Entry, Position, dialect};

/// Reads a transcript entry by entry, in constant memory.
pub struct Reader<R> {
    lines: Lines<R>,
    next: Position,
    problems: Problems,
}

/// What could not be read, counted. None of it stops the reading.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Problems {
    /// Lines that are not a JSON object.
    pub broken: u64,
    /// Lines over the limit.
    pub too_long: u64,
}

impl<R: Read> Reader<R> {
    /// Reads from the beginning.
    pub fn new(source: R) -> Self {
        Self::resume(source, Position::default())
    }

    /// Reads on from a position at which [`Reader::position`] once stood; the source must be there too.
    pub fn resume(source: R, position: Position) -> Self {
        Self { lines: Lines::new(source), next: position, problems: Problems::default() }
    }

    /// Hands every entry that means something to us to `each`, until the end or until it breaks off.
    ///
    /// A last line without newline counts if it is whole. Half a line, still being written, is left: reading
    /// can be resumed before it.
    ///
    /// # Errors
    /// What the source says.
    pub fn read(&mut self, mut each: impl FnMut(Entry<'_>) -> ControlFlow<()>) -> io::Result<()> {
        while let Some(raw) = self.lines.next()? {
            let position = self.next;
            let after = Position { offset: position.offset + raw.taken, line: position.line + 1 };
            let Some(bytes) = raw.bytes else {
                self.problems.too_long += 1;
                self.next = after;
                continue;
            };
            if bytes.trim_ascii().is_empty() || !dialect::may_matter(bytes) {
                // An unfinished line may yet become one that matters.
                if raw.ended {
                    self.next = after;
                }
                continue;
            }
            // Nearly every line is whole, and to see that is much cheaper than to look for what is not.
            let text = match std::str::from_utf8(bytes) {
                Ok(text) => Cow::Borrowed(text),
                Err(_) => String::from_utf8_lossy(bytes),
            };
            let repaired;
            let mut parsed = dialect::parse(&text, position);
            if parsed.is_err() {
                repaired = without_lone_surrogates(&text);
                parsed = dialect::parse(&repaired, position);
            }
            match parsed {
                Ok(entry) => {
                    self.next = after;
                    if entry.is_some_and(|entry| each(entry).is_break()) {
                        return Ok(());
                    }
                }
                Err(_) if !raw.ended => return Ok(()),
                Err(_) => {
                    self.problems.broken += 1;
                    self.next = after;
                }
            }
        }
        Ok(())
    }

    /// Where the next line starts: everything before it has been read.
    #[must_use]
    pub fn position(&self) -> Position {
        self.next
    }

    /// What could not be read so far.
    #[must_use]
    pub fn problems(&self) -> Problems {
        self.problems
    }
}
