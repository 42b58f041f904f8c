//! Conversations over HTTP, on this machine alone.
//!
//! A thread for each connection, and few of them: a client has two or three. Requests with a session belong to a
//! handshake ([`stateful`]); requests that say everything themselves need none ([`stateless`]).

use std::io::Write;
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::thread;

use anyhow::{Context, Result, bail};
use memdir_core::mcp::http::{Gate, Head};
use memdir_core::mcp::{Incoming, Version};
use memdir_disk::access_token::{token, token_file};

use super::Server;
use crate::exit::Exit;
use crate::world::World;
use connections::{Connections, Place};
use sessions::Sessions;
use stateless::Stateless;
use wire::{Reply, Wire};

mod connections;
mod sessions;
mod stateful;
mod stateless;
mod wire;

/// Where the server answers.
const PATHS: [&str; 2] = ["/mcp", "/"];

/// What all connections share.
struct Office {
    server: Server,
    gate: Gate,
    sessions: Sessions,
    stateless: Stateless,
}

/// Reads an address to listen on. Only this machine's own will do.
pub(crate) fn address(text: &str) -> Result<SocketAddr> {
    let local =
        |port: &str| port.parse().ok().map(|port| SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), port));
    let found = match text.strip_prefix("localhost:") {
        Some(port) => local(port),
        None => local(text).or_else(|| text.parse().ok()),
    };
    match found {
        Some(address) if address.ip().is_loopback() => Ok(address),
        Some(_) => bail!("`{text}` can be reached from elsewhere; memdir listens on loopback addresses only"),
        None => bail!("`{text}` is not an address to listen on: give PORT, ADDRESS:PORT or localhost:PORT"),
    }
}

/// Serves until the process is ended.
pub(crate) fn serve(server: Server, address: SocketAddr, world: &mut World) -> Result<Exit> {
    let state_dir =
        server.env.state_dir().context("no place for memdir's own state: set HOME or MEMDIR_HOME")?;
    let file = token_file(&state_dir);
    let token = token(&state_dir).with_context(|| format!("cannot use the token in `{file}`"))?;
    let listener = TcpListener::bind(address).with_context(|| format!("cannot listen on {address}"))?;
    writeln!(world.stdout, "http://{}/mcp", listener.local_addr()?)?;
    writeln!(world.stderr, "The bearer token is in `{file}`.")?;
    world.flush()?;
    let office = Arc::new(Office {
        sessions: Sessions::default(),
        stateless: Stateless::default(),
        gate: Gate::new(token),
        server,
    });
    let connections = Arc::new(Connections::default());
    for stream in listener.incoming() {
        let Ok(stream) = stream else { continue };
        let place = connections.admit(&stream);
        let office = Arc::clone(&office);
        let serve = move || match place {
            Some(place) => office.serve(stream, &place),
            None => refuse(stream),
        };
        // A thread that cannot be started costs this connection, not the server.
        let _ = thread::Builder::new().name("mcp-http".to_owned()).spawn(serve);
    }
    Ok(Exit::Yes)
}

fn refuse(stream: TcpStream) {
    if let Some(mut wire) = Wire::new(stream) {
        let _ = wire.send(&Reply::plain(503, TOO_MANY), false);
        wire.close();
    }
}

const TOO_MANY: &str = "too many connections";

impl Office {
    /// Answers request after request until one side has had enough.
    fn serve(&self, stream: TcpStream, place: &Place) {
        let Some(mut wire) = Wire::new(stream) else { return };
        loop {
            let head = match wire.read_head(place.is_known()) {
                Ok(Some(head)) => head,
                Ok(None) => {
                    if place.must_go() {
                        let _ = wire.send(&Reply::plain(503, TOO_MANY), false);
                        wire.close();
                    }
                    return;
                }
                Err(status) => {
                    let _ = wire.send(&Reply::plain(status, "the request cannot be understood"), false);
                    return wire.close();
                }
            };
            if !self.answer(&head, place, &mut wire) {
                return wire.close();
            }
        }
    }

    /// Answers one request; `false` if the connection is to be closed.
    fn answer(&self, head: &Head, place: &Place, wire: &mut Wire) -> bool {
        // A body that was not read is where the next request should begin.
        let refusal = match self.gate.check(head) {
            Err(refused) => Some(Reply::plain(refused.status, refused.why)),
            Ok(()) if !PATHS.contains(&head.path.as_str()) => {
                Some(Reply::plain(404, "there is nothing here"))
            }
            Ok(()) => None,
        };
        if let Some(reply) = refusal {
            let _ = wire.send(&reply, false);
            return false;
        }
        place.make_known();
        match head.method.as_str() {
            "POST" => self.post(head, wire),
            "GET" => self.listen(head, wire),
            "DELETE" => {
                let _ = wire.send(&self.delete(head), false);
                false
            }
            _ => {
                let reply =
                    Reply::plain(405, "POST, GET and DELETE are served").with("Allow", "POST, GET, DELETE");
                let _ = wire.send(&reply, false);
                false
            }
        }
    }

    fn post(&self, head: &Head, wire: &mut Wire) -> bool {
        let refusal = if !head.is_json() {
            Some(Reply::plain(415, "the body must be application/json"))
        } else if !head.accepts("application/json") && !head.accepts("text/event-stream") {
            Some(Reply::plain(406, "the answer is application/json or text/event-stream"))
        } else {
            None
        };
        if let Some(reply) = refusal {
            let _ = wire.send(&reply, false);
            return false;
        }
        let body = match wire.read_body(head) {
            Ok(body) => body,
            Err(status) => {
                let _ = wire.send(&Reply::plain(status, "the request body was refused"), false);
                return false;
            }
        };
        let message = Incoming::parse(&body);
        let version = head.header("mcp-protocol-version");
        if stateless::is_stateless(version, &message) {
            return self.post_stateless(head, message, wire);
        }
        if version.is_some_and(|version| Version::parse(version).is_none()) {
            return wire
                .send(&Reply::plain(400, "this version of the protocol is not served"), head.keeps_alive);
        }
        self.post_stateful(head, message, wire)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_addresses_of_this_machine_are_listened_on() {
        let check = |text: &str, expected: Option<&str>| {
            assert_eq!(address(text).ok().map(|found| found.to_string()).as_deref(), expected, "{text}");
        };
        check("4633", Some("127.0.0.1:4633"));
        check("localhost:0", Some("127.0.0.1:0"));
        check("127.0.0.2:80", Some("127.0.0.2:80"));
        check("[::1]:80", Some("[::1]:80"));
        for wrong in
            ["0.0.0.0:80", "[::]:80", "192.168.1.2:80", "example.com:80", "127.0.0.1", "", "70000", "-1"]
        {
            check(wrong, None);
        }
    }
}
