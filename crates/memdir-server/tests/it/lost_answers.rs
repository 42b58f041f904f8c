//! A line that breaks after the server took what was sent, and before it could say so.

use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::{io, thread};

use memdir_sync::team::TeamError;

use super::engine::InFile;
use super::running::Running;
use super::two_people::Machine;

/// What is between the server and everybody else.
struct Line {
    address: SocketAddr,
    /// Whether answers to what is published are lost from now on.
    breaks: Arc<AtomicBool>,
}

impl Line {
    fn to(server: SocketAddr) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let breaks = Arc::new(AtomicBool::new(false));
        let line = Self { address, breaks: Arc::clone(&breaks) };
        thread::spawn(move || {
            for client in listener.incoming().map_while(Result::ok) {
                let breaks = Arc::clone(&breaks);
                // A client that hangs up early is the one to notice.
                thread::spawn(move || drop(carry(client, server, &breaks)));
            }
        });
        line
    }
}

/// Carries one request and its answer.
fn carry(mut client: TcpStream, server: SocketAddr, breaks: &AtomicBool) -> io::Result<()> {
    let mut upstream = TcpStream::connect(server)?;
    let mut begin = [0; 1024];
    let length = client.read(&mut begin)?;
    let begin = &begin[..length];
    upstream.write_all(begin)?;
    let (mut rest, mut further) = (client.try_clone()?, upstream.try_clone()?);
    thread::spawn(move || io::copy(&mut rest, &mut further));
    let mut answer = Vec::new();
    upstream.read_to_end(&mut answer)?;
    let line = begin.split(|byte| *byte == b'\r').next().unwrap_or_default();
    let publishes = line.starts_with(b"POST ") && line.ends_with(b"/versions HTTP/1.1");
    if !(publishes && breaks.load(Ordering::SeqCst)) {
        client.write_all(&answer)?;
    }
    client.shutdown(Shutdown::Both)
}

#[test]
fn what_arrived_unanswered_is_known_by_the_next_sync_and_sent_once() {
    let engine = InFile::new();
    let server = Running::on(&engine);
    let line = Line::to(server.address);
    let ada = Machine::founding_at(&server, line.address);
    let bob = Machine::join(&ada.team().membership().invite().unwrap()).unwrap();
    ada.write("shared.md", "first\nsecond\nthird\n");
    ada.sync();
    bob.sync();
    let versions = || ada.team().membership().log(100).unwrap().len();
    let before = versions();

    line.breaks.store(true, Ordering::SeqCst);
    ada.write("new.md", "new\n");
    ada.write("shared.md", "first, by Ada\nsecond\nthird\n");
    let error = ada.try_sync().unwrap_err();
    assert!(matches!(error, TeamError::Sync(_)) && error.to_string().contains("cannot reach"), "{error}");
    line.breaks.store(false, Ordering::SeqCst);
    assert_eq!(versions(), before + 1, "it arrived");

    // Another process goes on from it before its author knows.
    bob.write("shared.md", "first\nsecond\nthird, by Bob\n");
    assert!(bob.sync().0.conflicts.is_empty());
    let found = ada.sync().0;
    assert!(found.sent.is_empty() && found.conflicts.is_empty() && found.notices.is_empty(), "{found:?}");
    assert_eq!(versions(), before + 2);
    assert!(ada.sync().0.is_quiet() && bob.sync().0.is_quiet());
    for machine in [&ada, &bob] {
        assert_eq!(machine.read("shared.md").as_deref(), Some("first, by Ada\nsecond\nthird, by Bob\n"));
        assert_eq!(machine.files(), ["MEMORY.md", "new.md", "shared.md"]);
    }

    // What is written in between is a change of its own, and made from what arrived.
    line.breaks.store(true, Ordering::SeqCst);
    ada.write("new.md", "new\nmore\n");
    assert!(ada.try_sync().is_err());
    line.breaks.store(false, Ordering::SeqCst);
    ada.write("new.md", "new\nmore\nmost\n");
    assert_eq!(ada.sync().0.sent.len(), 1);
    assert_eq!(versions(), before + 4);
    bob.sync();
    assert_eq!(bob.read("new.md").as_deref(), Some("new\nmore\nmost\n"));
    assert_eq!(bob.files(), ["MEMORY.md", "new.md", "shared.md"]);
}
