/// A request line with its headers may be this long.
pub const MAX_HEAD_BYTES: usize = 16 << 10;
/// And have so many headers.
const MAX_HEADERS: usize = 64;

/// The beginning of a request: everything but its body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Head {
    /// GET, POST, DELETE or another.
    pub method: String,
    /// What is asked for.
    pub path: String,
    /// How long the body is.
    pub framing: Framing,
    /// Whether the connection stays open for another request.
    pub keeps_alive: bool,
    /// Whether the client waits for a word before it sends the body.
    pub expects_continue: bool,
    /// The names in small letters.
    headers: Vec<(String, String)>,
}

/// How the end of a body is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Framing {
    /// There is none.
    Nothing,
    /// So many bytes.
    Length(u64),
    /// In pieces, each with its length.
    Chunked,
}

/// Why a request cannot be understood. None of them can be answered with more than a status.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum HeadError {
    /// More than [`MAX_HEAD_BYTES`] or too many headers.
    #[error("the headers are too long")]
    TooLong,
    /// No request line.
    #[error("this is not an HTTP request")]
    RequestLine,
    /// Neither 1.0 nor 1.1.
    #[error("this version of HTTP is not served")]
    HttpVersion,
    /// A line that is not a header.
    #[error("a header is malformed")]
    Header,
    /// A header that may occur once occurs twice, or two contradict each other.
    #[error("headers contradict each other")]
    Contradiction,
    /// An encoding other than chunked.
    #[error("this transfer encoding is not served")]
    Encoding,
}

impl HeadError {
    /// The status that says so.
    #[must_use]
    pub fn status(self) -> u16 {
        match self {
            Self::TooLong => 431,
            Self::HttpVersion => 505,
            Self::Encoding => 501,
            Self::RequestLine | Self::Header | Self::Contradiction => 400,
        }
    }
}

/// Headers of which two would leave open which one counts.
const SINGLE: [&str; 10] = [
    "host",
    "origin",
    "authorization",
    "content-length",
    "transfer-encoding",
    "content-type",
    "mcp-session-id",
    "mcp-protocol-version",
    "mcp-method",
    "mcp-name",
];

impl Head {
    /// Reads the head at the beginning of what has arrived, and how long it is; `None` while there is more to come.
    ///
    /// # Errors
    /// The request cannot be answered, and nothing behind it can be trusted.
    pub fn parse(arrived: &[u8]) -> Result<Option<(Self, usize)>, HeadError> {
        let window = arrived.get(..MAX_HEAD_BYTES).unwrap_or(arrived);
        let Some(end) = window.windows(4).position(|bytes| bytes == b"\r\n\r\n") else {
            return if arrived.len() >= MAX_HEAD_BYTES { Err(HeadError::TooLong) } else { Ok(None) };
        };
        let text = window.get(..end).map(String::from_utf8_lossy).unwrap_or_default();
        let mut lines = text.split("\r\n");
        let (method, path, is_newer) = request_line(lines.next().unwrap_or_default())?;
        let mut headers = Vec::new();
        for line in lines {
            if headers.len() == MAX_HEADERS {
                return Err(HeadError::TooLong);
            }
            let (name, value) = header(line)?;
            if SINGLE.contains(&name.as_str()) && headers.iter().any(|(known, _)| *known == name) {
                return Err(HeadError::Contradiction);
            }
            headers.push((name, value));
        }
        let mut head = Self {
            method,
            path,
            framing: Framing::Nothing,
            keeps_alive: is_newer,
            expects_continue: false,
            headers,
        };
        head.framing = head.framing_of()?;
        if let Some(connection) = head.header("connection") {
            let says = |word: &str| connection.split(',').any(|part| part.trim().eq_ignore_ascii_case(word));
            head.keeps_alive = !says("close") && (is_newer || says("keep-alive"));
        }
        head.expects_continue =
            head.header("expect").is_some_and(|value| value.eq_ignore_ascii_case("100-continue"));
        Ok(Some((head, end + 4)))
    }

    /// The value of a header, by its name in small letters.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// Whether the client takes an answer of this kind. Who says nothing takes anything.
    #[must_use]
    pub fn accepts(&self, kind: &str) -> bool {
        let group = kind.split('/').next().unwrap_or_default();
        let mut ranges = self.headers.iter().filter(|(name, _)| name == "accept").peekable();
        if ranges.peek().is_none() {
            return true;
        }
        ranges.flat_map(|(_, value)| value.split(',')).any(|range| {
            let range = range.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
            range == kind || range == "*/*" || range.strip_suffix("/*") == Some(group)
        })
    }

    /// Whether the body is JSON.
    #[must_use]
    pub fn is_json(&self) -> bool {
        let kind = self.header("content-type").unwrap_or_default();
        kind.split(';').next().unwrap_or_default().trim().eq_ignore_ascii_case("application/json")
    }

    fn framing_of(&self) -> Result<Framing, HeadError> {
        match (self.header("transfer-encoding"), self.header("content-length")) {
            (None, None) => Ok(Framing::Nothing),
            (Some(_), Some(_)) => Err(HeadError::Contradiction),
            (Some(encoding), None) if encoding.eq_ignore_ascii_case("chunked") => Ok(Framing::Chunked),
            (Some(_), None) => Err(HeadError::Encoding),
            (None, Some(length)) => {
                let is_number = !length.is_empty() && length.bytes().all(|byte| byte.is_ascii_digit());
                let length = if is_number { length.parse().ok() } else { None };
                length.map(Framing::Length).ok_or(HeadError::Header)
            }
        }
    }
}

/// The method, the path, and whether it is 1.1 rather than 1.0.
fn request_line(line: &str) -> Result<(String, String, bool), HeadError> {
    let mut words = line.split(' ');
    let (Some(method), Some(target), Some(version), None) =
        (words.next(), words.next(), words.next(), words.next())
    else {
        return Err(HeadError::RequestLine);
    };
    let is_method =
        !method.is_empty() && method.len() <= 20 && method.bytes().all(|b| b.is_ascii_uppercase());
    let is_target = target.starts_with('/') && target.bytes().all(|byte| byte.is_ascii_graphic());
    if !is_method || !is_target {
        return Err(HeadError::RequestLine);
    }
    let is_newer = match version {
        "HTTP/1.1" => true,
        "HTTP/1.0" => false,
        _ => return Err(HeadError::HttpVersion),
    };
    let path = target.split('?').next().unwrap_or_default();
    Ok((method.to_owned(), path.to_owned(), is_newer))
}

fn header(line: &str) -> Result<(String, String), HeadError> {
    let (name, value) = line.split_once(':').ok_or(HeadError::Header)?;
    let is_token = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    if name.is_empty() || !name.bytes().all(is_token) {
        return Err(HeadError::Header);
    }
    if value.chars().any(|c| c.is_control() && c != '\t') {
        return Err(HeadError::Header);
    }
    Ok((name.to_ascii_lowercase(), value.trim_matches([' ', '\t']).to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Option<(Head, usize)>, HeadError> {
        Head::parse(text.as_bytes())
    }

    #[test]
    fn a_request_is_read_once_it_is_whole() {
        let text = "POST /mcp?x=1 HTTP/1.1\r\nHost: localhost\r\nContent-Length:  7 \r\nAccept: a/b, text/*;q=1\r\n\r\n{";
        let (head, length) = parse(text).unwrap().unwrap();
        assert_eq!((head.method.as_str(), head.path.as_str()), ("POST", "/mcp"));
        assert_eq!((head.framing, head.keeps_alive, length), (Framing::Length(7), true, text.len() - 1));
        assert_eq!(head.header("host"), Some("localhost"));
        assert!(head.accepts("text/event-stream") && !head.accepts("application/json"));
        for cut in 0..text.len() - 1 {
            assert_eq!(parse(&text[..cut]), Ok(None));
        }
    }

    #[test]
    fn what_stays_open_and_how_a_body_ends() {
        let check = |headers: &str, framing: Framing, keeps_alive: bool| {
            let (head, _) = parse(&format!("GET / HTTP/1.1\r\n{headers}\r\n")).unwrap().unwrap();
            assert_eq!((head.framing, head.keeps_alive), (framing, keeps_alive), "{headers}");
        };
        check("", Framing::Nothing, true);
        check("Connection: Close\r\n", Framing::Nothing, false);
        check("Connection: x, keep-alive\r\n", Framing::Nothing, true);
        check("Transfer-Encoding: Chunked\r\n", Framing::Chunked, true);
        let (head, _) = parse("GET / HTTP/1.0\r\n\r\n").unwrap().unwrap();
        assert!(!head.keeps_alive && head.accepts("application/json"));
    }

    #[test]
    fn what_two_readers_could_understand_differently_is_refused() {
        let check = |text: &str, expected: HeadError| assert_eq!(parse(text), Err(expected), "{text:?}");
        check("GET /\r\n\r\n", HeadError::RequestLine);
        check("get / HTTP/1.1\r\n\r\n", HeadError::RequestLine);
        check("GET http://x/ HTTP/1.1\r\n\r\n", HeadError::RequestLine);
        check("GET  / HTTP/1.1\r\n\r\n", HeadError::RequestLine);
        check("\r\n\r\n", HeadError::RequestLine);
        check("GET / HTTP/2.0\r\n\r\n", HeadError::HttpVersion);
        check("GET / HTTP/1.1\r\nA B: c\r\n\r\n", HeadError::Header);
        check("GET / HTTP/1.1\r\nHost : c\r\n\r\n", HeadError::Header);
        check("GET / HTTP/1.1\r\n folded\r\n\r\n", HeadError::Header);
        check("GET / HTTP/1.1\r\nA: b\nHost: c\r\n\r\n", HeadError::Header);
        check("GET / HTTP/1.1\r\nA: b\0\r\n\r\n", HeadError::Header);
        check("GET / HTTP/1.1\r\nContent-Length: +1\r\n\r\n", HeadError::Header);
        check("GET / HTTP/1.1\r\nContent-Length: 99999999999999999999\r\n\r\n", HeadError::Header);
        check("GET / HTTP/1.1\r\nHost: a\r\nhost: b\r\n\r\n", HeadError::Contradiction);
        let both = "GET / HTTP/1.1\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n";
        check(both, HeadError::Contradiction);
        check("GET / HTTP/1.1\r\nTransfer-Encoding: gzip, chunked\r\n\r\n", HeadError::Encoding);
        check(&"x".repeat(MAX_HEAD_BYTES), HeadError::TooLong);
        check(&format!("GET / HTTP/1.1\r\n{}\r\n", "a: b\r\n".repeat(65)), HeadError::TooLong);
    }
}
