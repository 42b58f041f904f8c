use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::time::{Duration, Instant};

use memdir_core::chunked_body::{BodyError, Chunks};
use memdir_core::mcp::MAX_MESSAGE_BYTES;
use memdir_core::mcp::http::{Framing, Head};
use serde_json::Value;

/// How long a connection may be silent between two requests.
const IDLE: Duration = Duration::from_secs(60);
/// The same before anybody has shown the token.
const IDLE_STRANGER: Duration = Duration::from_secs(10);
/// How long a request may take to arrive once it has begun.
const ARRIVAL: Duration = Duration::from_secs(20);
/// How long a client may take to read.
const DEPARTURE: Duration = Duration::from_secs(20);
/// How long a connection that is being closed is listened to, and how many blocks of it.
const LINGER: Duration = Duration::from_millis(500);
const LINGER_BLOCKS: usize = 16;
const BLOCK: usize = 16 << 10;

/// One connection: requests in, answers out.
pub(super) struct Wire {
    stream: TcpStream,
    /// What has arrived and was not read yet.
    arrived: Vec<u8>,
}

/// An answer.
pub(super) struct Reply {
    status: u16,
    headers: Vec<(&'static str, String)>,
    kind: &'static str,
    body: Vec<u8>,
}

impl Reply {
    /// A status and a line that says why.
    pub(super) fn plain(status: u16, text: &str) -> Self {
        Self {
            status,
            headers: Vec::new(),
            kind: "text/plain; charset=utf-8",
            body: format!("{text}\n").into_bytes(),
        }
    }

    /// A status alone.
    pub(super) fn empty(status: u16) -> Self {
        Self { status, headers: Vec::new(), kind: "", body: Vec::new() }
    }

    /// A message.
    pub(super) fn json(status: u16, value: &Value) -> Self {
        Self { status, headers: Vec::new(), kind: "application/json", body: value.to_string().into_bytes() }
    }

    pub(super) fn with(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.headers.push((name, value.into()));
        self
    }
}

impl Wire {
    pub(super) fn new(stream: TcpStream) -> Option<Self> {
        stream.set_nodelay(true).ok()?;
        stream.set_write_timeout(Some(DEPARTURE)).ok()?;
        Some(Self { stream, arrived: Vec::new() })
    }

    /// The next request; `None` if there is none any more, an error with the status that says so.
    pub(super) fn read_head(&mut self, is_known: bool) -> Result<Option<Head>, u16> {
        let idle = if is_known { IDLE } else { IDLE_STRANGER };
        let mut deadline = Instant::now() + if self.arrived.is_empty() { idle } else { ARRIVAL };
        loop {
            match Head::parse(&self.arrived) {
                Ok(Some((head, length))) => {
                    self.arrived.drain(..length);
                    return Ok(Some(head));
                }
                Ok(None) => {}
                Err(error) => return Err(error.status()),
            }
            let is_first = self.arrived.is_empty();
            match self.read_more(deadline) {
                Ok(true) if is_first => deadline = Instant::now() + ARRIVAL,
                Ok(true) => {}
                Ok(false) => return Ok(None),
                // Who has said nothing needs no answer.
                Err(_) if is_first => return Ok(None),
                Err(_) => return Err(408),
            }
        }
    }

    /// The body of a request, or the status that says why not.
    pub(super) fn read_body(&mut self, head: &Head) -> Result<Vec<u8>, u16> {
        let too_large = matches!(head.framing, Framing::Length(length) if length > MAX_MESSAGE_BYTES as u64);
        if too_large {
            return Err(413);
        }
        if head.expects_continue && head.framing != Framing::Nothing {
            self.stream.write_all(b"HTTP/1.1 100 Continue\r\n\r\n").map_err(|_| 408_u16)?;
        }
        let deadline = Instant::now() + ARRIVAL;
        match head.framing {
            Framing::Nothing => Err(411),
            Framing::Length(length) => {
                let length = length as usize;
                while self.arrived.len() < length {
                    if !self.read_more(deadline).map_err(|_| 408_u16)? {
                        return Err(400);
                    }
                }
                let rest = self.arrived.split_off(length);
                Ok(std::mem::replace(&mut self.arrived, rest))
            }
            Framing::Chunked => {
                let mut chunks = Chunks::new(MAX_MESSAGE_BYTES);
                loop {
                    let piece = std::mem::take(&mut self.arrived);
                    match chunks.push(&piece) {
                        Ok(Some(end)) => {
                            self.arrived = piece.get(end..).unwrap_or_default().to_vec();
                            return Ok(chunks.into_body());
                        }
                        Ok(None) => {}
                        Err(BodyError::TooLarge) => return Err(413),
                        Err(BodyError::Malformed) => return Err(400),
                    }
                    if !self.read_more(deadline).map_err(|_| 408_u16)? {
                        return Err(400);
                    }
                }
            }
        }
    }

    /// Waits for more; `false` at the end.
    fn read_more(&mut self, deadline: Instant) -> io::Result<bool> {
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(io::ErrorKind::TimedOut.into());
        }
        self.stream.set_read_timeout(Some(left))?;
        let mut block = [0; BLOCK];
        let count = self.stream.read(&mut block)?;
        self.arrived.extend_from_slice(block.get(..count).unwrap_or_default());
        Ok(count > 0)
    }

    /// Sends an answer; `false` if the connection is to be closed.
    pub(super) fn send(&mut self, reply: &Reply, keeps_alive: bool) -> bool {
        let mut text = format!("HTTP/1.1 {} {}\r\n", reply.status, reason(reply.status));
        if !reply.kind.is_empty() {
            text.push_str(&format!("Content-Type: {}\r\n", reply.kind));
        }
        if reply.status == 401 {
            text.push_str("WWW-Authenticate: Bearer\r\n");
        }
        for (name, value) in &reply.headers {
            text.push_str(&format!("{name}: {value}\r\n"));
        }
        // A status that cannot have a body must not announce one.
        if reply.status != 204 {
            text.push_str(&format!("Content-Length: {}\r\n", reply.body.len()));
        }
        let connection = if keeps_alive { "keep-alive" } else { "close" };
        text.push_str(&format!("Cache-Control: no-store\r\nConnection: {connection}\r\n\r\n"));
        let mut bytes = text.into_bytes();
        bytes.extend_from_slice(&reply.body);
        self.stream.write_all(&bytes).is_ok() && keeps_alive
    }

    /// Begins a stream of messages, which ends with the connection.
    pub(super) fn begin_stream(&mut self, session: Option<&str>) -> bool {
        let session = session.map(|id| format!("Mcp-Session-Id: {id}\r\n")).unwrap_or_default();
        let head = format!(
            "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n{session}Cache-Control: no-store\r\nConnection: close\r\n\r\n"
        );
        self.stream.write_all(head.as_bytes()).is_ok()
    }

    /// Sends one message of a stream; `false` if the client is gone.
    pub(super) fn send_event(&mut self, message: &Value) -> bool {
        self.stream.write_all(format!("event: message\ndata: {message}\n\n").as_bytes()).is_ok()
    }

    /// Sends a comment, which is not a message, to learn whether the client is still there.
    pub(super) fn send_sign_of_life(&mut self) -> bool {
        self.stream.write_all(b": still here\n\n").is_ok()
    }

    /// Ends the connection so that the last answer arrives: where something is left to read, the system sends a reset, and
    /// the client may never see what was sent before.
    pub(super) fn close(mut self) {
        let deadline = Instant::now() + LINGER;
        if self.stream.shutdown(Shutdown::Write).is_ok() {
            for _ in 0..LINGER_BLOCKS {
                self.arrived.clear();
                if !matches!(self.read_more(deadline), Ok(true)) {
                    break;
                }
            }
        }
    }

    /// Whether the other side has hung up.
    pub(super) fn has_ended(&self) -> bool {
        let mut byte = [0];
        if self.stream.set_nonblocking(true).is_err() {
            return true;
        }
        let ended = matches!(self.stream.peek(&mut byte), Ok(0));
        self.stream.set_nonblocking(false).is_err() || ended
    }
}

fn reason(status: u16) -> &'static str {
    match status {
        200 => "OK",
        202 => "Accepted",
        204 => "No Content",
        400 => "Bad Request",
        401 => "Unauthorized",
        403 => "Forbidden",
        404 => "Not Found",
        405 => "Method Not Allowed",
        406 => "Not Acceptable",
        408 => "Request Timeout",
        409 => "Conflict",
        411 => "Length Required",
        413 => "Content Too Large",
        415 => "Unsupported Media Type",
        431 => "Request Header Fields Too Large",
        501 => "Not Implemented",
        503 => "Service Unavailable",
        505 => "HTTP Version Not Supported",
        _ => "Error",
    }
}
