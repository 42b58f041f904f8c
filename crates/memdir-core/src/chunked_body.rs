//! The body of an HTTP/1.1 message that arrives in pieces of a length each.

/// A body that arrives in pieces.
#[derive(Debug)]
pub struct Chunks {
    body: Vec<u8>,
    limit: usize,
    state: State,
    /// The line that is being read: a length, or a trailer.
    line: Vec<u8>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Size,
    Data(usize),
    AfterData,
    Trailers,
}

/// Why a body is not taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum BodyError {
    /// Larger than allowed.
    #[error("the body is too large")]
    TooLarge,
    /// The pieces are malformed.
    #[error("the body is malformed")]
    Malformed,
}

/// The line before a piece may be this long, and so may all trailers together.
const MAX_LINE: usize = 256;
const MAX_TRAILERS: usize = 4 << 10;

impl Chunks {
    /// A body of at most `limit` bytes.
    #[must_use]
    pub fn new(limit: usize) -> Self {
        Self { body: Vec::new(), limit, state: State::Size, line: Vec::new() }
    }

    /// Takes what has arrived. Once the body is whole, says how many bytes belonged to it.
    ///
    /// # Errors
    /// The body is not taken; nothing behind it can be trusted.
    pub fn push(&mut self, arrived: &[u8]) -> Result<Option<usize>, BodyError> {
        let mut rest = arrived;
        while let Some((&byte, behind)) = rest.split_first() {
            match self.state {
                State::Data(left) => {
                    let (piece, behind) = rest.split_at(left.min(rest.len()));
                    self.body.extend_from_slice(piece);
                    let left = left - piece.len();
                    self.state = if left == 0 { State::AfterData } else { State::Data(left) };
                    rest = behind;
                }
                State::Size | State::AfterData | State::Trailers => {
                    rest = behind;
                    if self.end_of_line(byte)? {
                        return Ok(Some(arrived.len() - rest.len()));
                    }
                }
            }
        }
        Ok(None)
    }

    /// The body.
    #[must_use]
    pub fn into_body(self) -> Vec<u8> {
        self.body
    }

    /// Takes a byte of a line; `true` if the body ends with it.
    fn end_of_line(&mut self, byte: u8) -> Result<bool, BodyError> {
        let most = if self.state == State::Trailers { MAX_TRAILERS } else { MAX_LINE };
        if self.line.len() >= most {
            return Err(BodyError::Malformed);
        }
        self.line.push(byte);
        let Some(line) = self.line.strip_suffix(b"\r\n") else {
            return if byte == b'\n' { Err(BodyError::Malformed) } else { Ok(false) };
        };
        match self.state {
            State::AfterData if line.is_empty() => self.state = State::Size,
            State::Size => {
                let size = chunk_size(line)?;
                if size > self.limit.saturating_sub(self.body.len()) {
                    return Err(BodyError::TooLarge);
                }
                self.state = if size == 0 { State::Trailers } else { State::Data(size) };
            }
            // An empty line, alone or behind the last trailer.
            State::Trailers if line.is_empty() || line.ends_with(b"\r\n") => return Ok(true),
            State::Trailers => return Ok(false),
            State::AfterData | State::Data(_) => return Err(BodyError::Malformed),
        }
        self.line.clear();
        Ok(false)
    }
}

fn chunk_size(line: &[u8]) -> Result<usize, BodyError> {
    let digits = line.split(|&byte| byte == b';').next().unwrap_or_default().trim_ascii_end();
    let text = std::str::from_utf8(digits).map_err(|_| BodyError::Malformed)?;
    if text.is_empty() || text.len() > 8 || !text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return Err(BodyError::Malformed);
    }
    usize::from_str_radix(text, 16).map_err(|_| BodyError::Malformed)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The body and what is left behind it, with the text arriving whole and byte by byte.
    fn check(text: &str, expected: Result<(&str, &str), BodyError>) {
        let mut whole = Chunks::new(16);
        let at_once = whole.push(text.as_bytes());
        let mut slow = Chunks::new(16);
        let mut bit_by_bit = Ok(None);
        for (position, byte) in text.bytes().enumerate() {
            bit_by_bit = slow.push(&[byte]).map(|end| end.map(|_| position + 1));
            if bit_by_bit != Ok(None) {
                break;
            }
        }
        assert_eq!(at_once, bit_by_bit, "{text:?}");
        match expected {
            Ok((body, left)) => {
                let end = at_once.unwrap().unwrap();
                assert_eq!(&text[end..], left);
                assert_eq!(whole.into_body(), body.as_bytes());
                assert_eq!(slow.into_body(), body.as_bytes());
            }
            Err(error) => assert_eq!(at_once, Err(error), "{text:?}"),
        }
    }

    #[test]
    fn pieces_become_a_body() {
        check("0\r\n\r\n", Ok(("", "")));
        check("3\r\nabc\r\n0\r\n\r\nGET", Ok(("abc", "GET")));
        check("3;x=y\r\nabc\r\nA\r\n0123456789\r\n0\r\n\r\n", Ok(("abc0123456789", "")));
        check("1\r\na\r\n0\r\nTrailer: x\r\nOther: y\r\n\r\nrest", Ok(("a", "rest")));
    }

    #[test]
    fn an_invalid_body_is_refused() {
        check("11\r\n", Err(BodyError::TooLarge));
        check("f\r\n012345678901234\r\n2\r\n", Err(BodyError::TooLarge));
        check("fffffffff\r\n", Err(BodyError::Malformed));
        check("-1\r\n", Err(BodyError::Malformed));
        check("\r\n", Err(BodyError::Malformed));
        check("1\na", Err(BodyError::Malformed));
        check("1\r\nab\r\n", Err(BodyError::Malformed));
        check(&"1;".repeat(200), Err(BodyError::Malformed));
        check(&format!("0\r\n{}", "a: b\r\n".repeat(1_000)), Err(BodyError::Malformed));
    }
}
