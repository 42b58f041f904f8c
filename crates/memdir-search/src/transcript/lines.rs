//! Lines of bounded length from a stream of any length.

use std::io::{self, Read};

/// The longest line that is kept; of a longer one only the length is known.
pub(super) const MAX_LINE: usize = 16 << 20;
const CHUNK: usize = 256 << 10;

/// Splits a stream at newlines without copying a line more than once.
pub(super) struct Lines<R> {
    source: R,
    buffer: Vec<u8>,
    start: usize,
    end: usize,
}

/// One line without its newline, and how many bytes it took from the stream.
pub(super) struct RawLine<'a> {
    /// The bytes, or nothing if there were too many.
    pub(super) bytes: Option<&'a [u8]>,
    /// What it took from the stream, newline included.
    pub(super) taken: u64,
    /// Whether a newline ended it, rather than the end of the stream.
    pub(super) ended: bool,
}

impl<R: Read> Lines<R> {
    pub(super) fn new(source: R) -> Self {
        Self { source, buffer: vec![0; CHUNK], start: 0, end: 0 }
    }

    pub(super) fn next(&mut self) -> io::Result<Option<RawLine<'_>>> {
        let mut searched = 0;
        loop {
            let held = self.buffer.get(self.start..self.end).unwrap_or_default();
            let fresh = held.get(searched..).unwrap_or_default();
            if let Some(at) = memchr::memchr(b'\n', fresh) {
                let length = searched + at;
                let line = self.start..self.start + length;
                self.start += length + 1;
                let bytes = self.buffer.get(line);
                return Ok(Some(RawLine { bytes, taken: length as u64 + 1, ended: true }));
            }
            searched = held.len();
            if searched > MAX_LINE {
                return self.pass_over().map(Some);
            }
            if self.fill()? == 0 {
                if searched == 0 {
                    return Ok(None);
                }
                let line = self.start..self.end;
                self.start = self.end;
                let bytes = self.buffer.get(line);
                return Ok(Some(RawLine { bytes, taken: searched as u64, ended: false }));
            }
        }
    }

    /// Reads more behind what is held, moving that to the front first if there is no room.
    fn fill(&mut self) -> io::Result<usize> {
        if self.end == self.buffer.len() {
            if self.start > 0 {
                self.buffer.copy_within(self.start..self.end, 0);
                self.end -= self.start;
                self.start = 0;
            } else {
                self.buffer.resize(self.buffer.len() * 2, 0);
            }
        }
        let room = self.buffer.get_mut(self.end..).unwrap_or_default();
        let read = loop {
            match self.source.read(room) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                other => break other?,
            }
        };
        self.end += read;
        Ok(read)
    }

    /// Drops a line that is too long, in constant memory.
    fn pass_over(&mut self) -> io::Result<RawLine<'static>> {
        let mut taken = 0;
        loop {
            let held = self.buffer.get(self.start..self.end).unwrap_or_default();
            if let Some(at) = memchr::memchr(b'\n', held) {
                self.start += at + 1;
                self.shrink();
                return Ok(RawLine { bytes: None, taken: taken + at as u64 + 1, ended: true });
            }
            taken += held.len() as u64;
            (self.start, self.end) = (0, 0);
            if self.fill()? == 0 {
                self.shrink();
                return Ok(RawLine { bytes: None, taken, ended: false });
            }
        }
    }

    fn shrink(&mut self) {
        self.buffer.copy_within(self.start..self.end, 0);
        self.end -= self.start;
        self.start = 0;
        self.buffer.truncate(self.end.max(CHUNK));
        self.buffer.shrink_to_fit();
    }
}
