//! As much of HTTP/1.1 as one question to a server at a numeric address takes.

use std::io::{self, Read, Write};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpStream};
use std::time::{Duration, Instant};

use memdir_core::chunked_body::{BodyError, Chunks};
use memdir_wire::gzip::{WORTHWHILE_BYTES, compress, decompress};

use super::{Answered, HttpError, Request};

/// A server that can be reached without looking up a name or encrypting.
#[derive(Debug, PartialEq, Eq)]
pub struct Address<'u> {
    sockets: Vec<SocketAddr>,
    /// Host and port as the address writes them.
    host: &'u str,
    path: &'u str,
}

impl<'u> Address<'u> {
    /// `None` for every address that is for others to reach.
    #[must_use]
    pub fn parse(url: &'u str) -> Option<Self> {
        let rest = url.strip_prefix("http://")?;
        let split = rest.find('/').unwrap_or(rest.len());
        let (host, path) = rest.split_at(split);
        let (name, port) = match host.rsplit_once(':') {
            Some((name, port)) if !port.ends_with(']') => (name, port.parse().ok()?),
            _ => (host, 80),
        };
        let addresses = if name.eq_ignore_ascii_case("localhost") {
            vec![IpAddr::V4(Ipv4Addr::LOCALHOST), IpAddr::V6(Ipv6Addr::LOCALHOST)]
        } else {
            let bare = name.strip_prefix('[').and_then(|name| name.strip_suffix(']')).unwrap_or(name);
            vec![bare.parse().ok()?]
        };
        let sockets = addresses.into_iter().map(|address| SocketAddr::new(address, port)).collect();
        Some(Self { sockets, host, path: if path.is_empty() { "/" } else { path } })
    }

    /// Whether nothing that is sent there leaves this machine.
    #[must_use]
    pub fn is_loopback(&self) -> bool {
        self.sockets.iter().all(|socket| socket.ip().is_loopback())
    }
}

/// A head is a few lines.
const MAX_HEAD: usize = 32 << 10;
const CONNECT: Duration = Duration::from_secs(5);

/// Sends a request and brings back what was answered, all of it in time.
pub(super) fn send(address: &Address<'_>, request: &Request<'_>) -> Result<Answered, HttpError> {
    let deadline = Instant::now() + request.limit;
    let stream = connect(address, request.limit)?;
    // The head and the body are two writes, and the server should not wait between them.
    stream.set_nodelay(true).map_err(HttpError::Broke)?;
    let mut wire = Wire { stream, deadline, arrived: Vec::new(), most_bytes: request.most_bytes };
    wire.send(address, request)?;
    wire.answer()
}

fn connect(address: &Address<'_>, limit: Duration) -> Result<TcpStream, HttpError> {
    let mut last = None;
    for socket in &address.sockets {
        match TcpStream::connect_timeout(socket, CONNECT.min(limit)) {
            Ok(stream) => return Ok(stream),
            Err(error) => last = Some(error),
        }
    }
    let why = last.map(|error| format!(": {error}")).unwrap_or_default();
    Err(HttpError::Connect { host: address.host.to_owned(), why })
}

impl From<io::Error> for HttpError {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut => Self::TimedOut,
            _ => Self::Broke(error),
        }
    }
}

impl From<BodyError> for HttpError {
    fn from(error: BodyError) -> Self {
        match error {
            BodyError::TooLarge => Self::TooLong,
            BodyError::Malformed => Self::Malformed,
        }
    }
}

struct Wire {
    stream: TcpStream,
    deadline: Instant,
    /// Read and not yet used.
    arrived: Vec<u8>,
    most_bytes: usize,
}

/// How the end of a body is known.
enum Framing {
    Length(usize),
    Chunked,
    Close,
}

impl Wire {
    fn send(&mut self, address: &Address<'_>, request: &Request<'_>) -> Result<(), HttpError> {
        let mut head = format!(
            "{} {} HTTP/1.1\r\nhost: {}\r\nconnection: close\r\naccept: application/json\r\n",
            request.method, address.path, address.host,
        );
        let body = request.body.map(str::as_bytes);
        let packed = body.filter(|body| request.compress && body.len() >= WORTHWHILE_BYTES).map(compress);
        if request.compress {
            head.push_str("accept-encoding: gzip\r\n");
        }
        if packed.is_some() {
            head.push_str("content-encoding: gzip\r\n");
        }
        let body = packed.as_deref().or(body);
        if let Some(body) = body {
            head.push_str(&format!("content-type: application/json\r\ncontent-length: {}\r\n", body.len()));
        }
        for (name, value) in request.headers {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        head.push_str("\r\n");
        self.write_all(head.as_bytes())?;
        match self.write_all(body.unwrap_or_default()) {
            // A server may answer, and say no, before it has read everything.
            Err(HttpError::Broke(error))
                if matches!(error.kind(), io::ErrorKind::BrokenPipe | io::ErrorKind::ConnectionReset) =>
            {
                Ok(())
            }
            sent => sent,
        }
    }

    fn write_all(&mut self, mut bytes: &[u8]) -> Result<(), HttpError> {
        while !bytes.is_empty() {
            self.stream.set_write_timeout(Some(self.left()?))?;
            let written = match self.stream.write(bytes) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                written => written?,
            };
            bytes = bytes.get(written..).filter(|_| written > 0).ok_or(HttpError::Ended)?;
        }
        Ok(())
    }

    fn answer(&mut self) -> Result<Answered, HttpError> {
        let head = loop {
            let head = self.head()?;
            let read = read_head(&head).ok_or(HttpError::Malformed)?;
            // An interim answer is followed by the real one.
            if !(100..200).contains(&read.status) {
                break read;
            }
        };
        let mut body = self.body(head.framing)?;
        if head.packed {
            body = decompress(&body, self.most_bytes).ok_or(HttpError::Malformed)?;
        }
        Ok(Answered { status: head.status, retry_after: head.retry_after, body })
    }

    fn head(&mut self) -> Result<Vec<u8>, HttpError> {
        let mut searched = 0;
        loop {
            let from = searched;
            let found =
                self.arrived.get(from..).unwrap_or_default().windows(4).position(|end| end == b"\r\n\r\n");
            if let Some(at) = found {
                let rest = self.arrived.split_off(from + at + 4);
                return Ok(std::mem::replace(&mut self.arrived, rest));
            }
            if self.arrived.len() > MAX_HEAD {
                return Err(HttpError::Malformed);
            }
            searched = self.arrived.len().saturating_sub(3);
            if self.more()? == 0 {
                return Err(if self.arrived.is_empty() { HttpError::Ended } else { HttpError::Malformed });
            }
        }
    }

    fn body(&mut self, framing: Framing) -> Result<Vec<u8>, HttpError> {
        match framing {
            Framing::Length(length) if length > self.most_bytes => Err(HttpError::TooLong),
            Framing::Length(length) => {
                while self.arrived.len() < length {
                    if self.more()? == 0 {
                        return Err(HttpError::Ended);
                    }
                }
                self.arrived.truncate(length);
                Ok(std::mem::take(&mut self.arrived))
            }
            Framing::Chunked => {
                let mut chunks = Chunks::new(self.most_bytes);
                while chunks.push(&std::mem::take(&mut self.arrived))?.is_none() {
                    if self.more()? == 0 {
                        return Err(HttpError::Ended);
                    }
                }
                Ok(chunks.into_body())
            }
            Framing::Close => {
                while self.more()? > 0 {
                    if self.arrived.len() > self.most_bytes {
                        return Err(HttpError::TooLong);
                    }
                }
                Ok(std::mem::take(&mut self.arrived))
            }
        }
    }

    /// Reads what has arrived; 0 at the end.
    fn more(&mut self) -> Result<usize, HttpError> {
        let mut buffer = [0; 16 << 10];
        let read = loop {
            self.stream.set_read_timeout(Some(self.left()?))?;
            match self.stream.read(&mut buffer) {
                // A process that is stopped and continued has lost nothing.
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                read => break read?,
            }
        };
        self.arrived.extend_from_slice(buffer.get(..read).unwrap_or_default());
        Ok(read)
    }

    /// The time that is left. A server that drips answers no later than one that is silent.
    fn left(&self) -> Result<Duration, HttpError> {
        let left = self.deadline.saturating_duration_since(Instant::now());
        if left.is_zero() { Err(HttpError::TimedOut) } else { Ok(left) }
    }
}

struct AnswerHead {
    status: u16,
    framing: Framing,
    retry_after: Option<u32>,
    packed: bool,
}

fn read_head(head: &[u8]) -> Option<AnswerHead> {
    let text = std::str::from_utf8(head).ok()?;
    let mut lines = text.split("\r\n");
    let mut first = lines.next()?.split(' ');
    first.next().filter(|version| version.starts_with("HTTP/1."))?;
    let status = first.next()?.parse().ok().filter(|status| (100..600).contains(status))?;
    // To some answers there is no body, whatever else they say.
    let none = matches!(status, 100..=199 | 204 | 304);
    let (mut framing, mut retry_after, mut packed) = (Framing::Close, None, false);
    for line in lines.filter(|line| !line.is_empty()) {
        let (name, value) = line.split_once(':')?;
        let value = value.trim();
        match name.to_ascii_lowercase().as_str() {
            "transfer-encoding" if value.eq_ignore_ascii_case("chunked") => framing = Framing::Chunked,
            "transfer-encoding" => return None,
            "content-length" if !matches!(framing, Framing::Chunked) => {
                framing = Framing::Length(value.parse().ok()?);
            }
            "retry-after" => retry_after = value.parse().ok(),
            "content-encoding" if value.eq_ignore_ascii_case("gzip") => packed = true,
            "content-encoding" if !value.eq_ignore_ascii_case("identity") => return None,
            _ => {}
        }
    }
    if none {
        (framing, packed) = (Framing::Length(0), false);
    }
    Some(AnswerHead { status, framing, retry_after, packed })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_numeric_addresses_are_ours_to_reach() {
        let show = |url: &str| {
            Address::parse(url)
                .map(|address| format!("{:?} {} {}", address.sockets, address.host, address.path))
        };
        let check = |url: &str, expected: Option<&str>| assert_eq!(show(url).as_deref(), expected, "{url}");
        check("http://127.0.0.1:80/v1", Some("[127.0.0.1:80] 127.0.0.1:80 /v1"));
        check("http://[::1]:8080", Some("[[::1]:8080] [::1]:8080 /"));
        check("http://[::1]/x", Some("[[::1]:80] [::1] /x"));
        check("http://localhost:1/", Some("[127.0.0.1:1, [::1]:1] localhost:1 /"));
        for url in
            ["https://127.0.0.1", "http://example.com", "http://127.0.0.1:x", "http://a@127.0.0.1", "http://"]
        {
            check(url, None);
        }
    }
}
