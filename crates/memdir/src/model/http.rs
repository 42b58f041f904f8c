//! As much of HTTP/1.1 as one question to a server at a numeric address takes: a local model, a test.

use std::io::{self, Read, Write};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpStream};
use std::time::{Duration, Instant};

use memdir_core::mcp::http::{BodyError, Chunks};
use memdir_core::model::answer::{MAX_BYTES, error_message};
use memdir_lib::model::TransportError;

use super::{free, made, timed_out, too_long};

/// A server that can be reached without looking up a name or encrypting.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Address<'u> {
    sockets: Vec<SocketAddr>,
    /// Host and port as the address writes them.
    host: &'u str,
    path: &'u str,
}

impl<'u> Address<'u> {
    /// `None` for every address that is for others to reach.
    pub(super) fn parse(url: &'u str) -> Option<Self> {
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
    pub(super) fn is_loopback(&self) -> bool {
        self.sockets.iter().all(|socket| socket.ip().is_loopback())
    }
}

/// What a server answered.
#[derive(Debug)]
pub(super) struct Answered {
    pub(super) status: u16,
    /// How many seconds the server asks to wait.
    pub(super) retry_after: Option<u32>,
    pub(super) body: Vec<u8>,
}

impl Answered {
    /// The body of an answer that says yes. Nothing is asked twice: who is told to wait goes on by rules.
    pub(super) fn accepted(self) -> Result<Vec<u8>, TransportError> {
        let said = error_message(&self.body).map(|message| format!(": {message}")).unwrap_or_default();
        let wait = self.retry_after.map(|wait| format!(", and asks to wait {wait} s")).unwrap_or_default();
        match self.status {
            200..=299 => Ok(self.body),
            300..=399 => Err(free("the model's server sends us elsewhere, and memdir does not follow")),
            429 => Err(free(format!("the model's server has had too many questions (429){wait}{said}"))),
            400..=499 => {
                Err(free(format!("the model's server refused the question ({}){said}", self.status)))
            }
            _ => Err(made(format!("the model's server failed ({}){wait}{said}", self.status))),
        }
    }
}

/// A head is a few lines.
const MAX_HEAD: usize = 32 << 10;
const CONNECT: Duration = Duration::from_secs(5);

/// Sends a body and brings back what was answered, all of it within `limit`.
pub(super) fn post(
    address: &Address<'_>,
    headers: &[(String, String)],
    body: &str,
    limit: Duration,
) -> Result<Answered, TransportError> {
    let deadline = Instant::now() + limit;
    let stream = connect(address, limit)?;
    let mut wire = Wire { stream, deadline, arrived: Vec::new() };
    let sent = wire.send(address, headers, body).and_then(|()| wire.answer());
    sent.map_err(|error| match error {
        WireError::Io(error)
            if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut) =>
        {
            timed_out(limit)
        }
        WireError::Io(error) => made(format!("the connection to the model broke: {error}")),
        WireError::Ended => made("the connection to the model ended in the middle of the answer"),
        WireError::TooLong => too_long(),
        WireError::Malformed => made("the model's server does not speak HTTP"),
    })
}

fn connect(address: &Address<'_>, limit: Duration) -> Result<TcpStream, TransportError> {
    let mut last = None;
    for socket in &address.sockets {
        match TcpStream::connect_timeout(socket, CONNECT.min(limit)) {
            Ok(stream) => return Ok(stream),
            Err(error) => last = Some(error),
        }
    }
    let why = last.map(|error| format!(": {error}")).unwrap_or_default();
    Err(free(format!("the model cannot be reached at `{}`{why}", address.host)))
}

#[derive(Debug)]
enum WireError {
    Io(io::Error),
    Ended,
    TooLong,
    Malformed,
}

impl From<io::Error> for WireError {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

impl From<BodyError> for WireError {
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
}

/// How the end of a body is known.
enum Framing {
    Length(usize),
    Chunked,
    Close,
}

impl Wire {
    fn send(
        &mut self,
        address: &Address<'_>,
        headers: &[(String, String)],
        body: &str,
    ) -> Result<(), WireError> {
        let mut head = format!(
            "POST {} HTTP/1.1\r\nhost: {}\r\nconnection: close\r\ncontent-type: application/json\r\n\
             accept: application/json\r\ncontent-length: {}\r\n",
            address.path,
            address.host,
            body.len()
        );
        for (name, value) in headers {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        head.push_str("\r\n");
        self.write_all(head.as_bytes())?;
        match self.write_all(body.as_bytes()) {
            // A server may answer, and say no, before it has read everything.
            Err(WireError::Io(error))
                if matches!(error.kind(), io::ErrorKind::BrokenPipe | io::ErrorKind::ConnectionReset) =>
            {
                Ok(())
            }
            sent => sent,
        }
    }

    fn write_all(&mut self, mut bytes: &[u8]) -> Result<(), WireError> {
        while !bytes.is_empty() {
            self.stream.set_write_timeout(Some(self.left()?))?;
            let written = self.stream.write(bytes)?;
            bytes = bytes.get(written..).filter(|_| written > 0).ok_or(WireError::Ended)?;
        }
        Ok(())
    }

    fn answer(&mut self) -> Result<Answered, WireError> {
        let (status, framing, retry_after) = loop {
            let head = self.head()?;
            let read = read_head(&head).ok_or(WireError::Malformed)?;
            // An interim answer is followed by the real one.
            if !(100..200).contains(&read.0) {
                break read;
            }
        };
        Ok(Answered { status, retry_after, body: self.body(framing)? })
    }

    fn head(&mut self) -> Result<Vec<u8>, WireError> {
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
                return Err(WireError::Malformed);
            }
            searched = self.arrived.len().saturating_sub(3);
            if self.more()? == 0 {
                return Err(if self.arrived.is_empty() { WireError::Ended } else { WireError::Malformed });
            }
        }
    }

    fn body(&mut self, framing: Framing) -> Result<Vec<u8>, WireError> {
        match framing {
            Framing::Length(length) if length > MAX_BYTES => Err(WireError::TooLong),
            Framing::Length(length) => {
                while self.arrived.len() < length {
                    if self.more()? == 0 {
                        return Err(WireError::Ended);
                    }
                }
                self.arrived.truncate(length);
                Ok(std::mem::take(&mut self.arrived))
            }
            Framing::Chunked => {
                let mut chunks = Chunks::new(MAX_BYTES);
                while chunks.push(&std::mem::take(&mut self.arrived))?.is_none() {
                    if self.more()? == 0 {
                        return Err(WireError::Ended);
                    }
                }
                Ok(chunks.into_body())
            }
            Framing::Close => {
                while self.more()? > 0 {
                    if self.arrived.len() > MAX_BYTES {
                        return Err(WireError::TooLong);
                    }
                }
                Ok(std::mem::take(&mut self.arrived))
            }
        }
    }

    /// Reads what has arrived; 0 at the end.
    fn more(&mut self) -> Result<usize, WireError> {
        let mut buffer = [0; 16 << 10];
        self.stream.set_read_timeout(Some(self.left()?))?;
        let read = self.stream.read(&mut buffer)?;
        self.arrived.extend_from_slice(buffer.get(..read).unwrap_or_default());
        Ok(read)
    }

    /// The time that is left. A server that drips answers no later than one that is silent.
    fn left(&self) -> Result<Duration, WireError> {
        let left = self.deadline.saturating_duration_since(Instant::now());
        if left.is_zero() { Err(WireError::Io(io::ErrorKind::TimedOut.into())) } else { Ok(left) }
    }
}

fn read_head(head: &[u8]) -> Option<(u16, Framing, Option<u32>)> {
    let text = std::str::from_utf8(head).ok()?;
    let mut lines = text.split("\r\n");
    let mut first = lines.next()?.split(' ');
    first.next().filter(|version| version.starts_with("HTTP/1."))?;
    let status = first.next()?.parse().ok().filter(|status| (100..600).contains(status))?;
    let (mut framing, mut retry_after) = (Framing::Close, None);
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
            _ => {}
        }
    }
    Some((status, framing, retry_after))
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
