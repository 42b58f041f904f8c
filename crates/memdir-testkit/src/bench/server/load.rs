//! Many clients of a server, each with a connection of its own.

use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::sync::{Barrier, OnceLock};
use std::thread;
use std::time::{Duration, Instant};

use memdir_core::content_hash::ContentHash;
use memdir_wire::entry::Entry;
use memdir_wire::member::Member;
use memdir_wire::round::Round;
use memdir_wire::server_api::{PROTOCOL, PublishRequest, PutFile, version_id};
use memdir_wire::signing::SecretKey;
use memdir_wire::team_id::TeamId;

use super::Server;
use crate::NOW;

/// Clients in teams. One of each team writes once a second; all of them ask twice a second what is new.
pub(super) struct Crowd {
    place: String,
    clients: usize,
    teams: Vec<(String, String)>,
}

/// How long each request took, in microseconds, from when it was due.
#[derive(Default)]
pub(super) struct Done {
    pub(super) writes: Vec<u32>,
    pub(super) reads: Vec<u32>,
    pub(super) failed: usize,
}

impl Crowd {
    pub(super) fn new(server: &Server, clients: usize, teams: usize) -> Self {
        let team = |number: usize| {
            let name = format!("crowd-{number}");
            let token = server.team(&name);
            (name, token)
        };
        Self { place: server.place.clone(), clients, teams: (0..teams).map(team).collect() }
    }

    /// Lets all of them work for a time; `look` is called now and then.
    pub(super) fn work(&self, time: Duration, mut look: impl FnMut()) -> Done {
        let connected = &Barrier::new(self.clients + 1);
        let (time_to_start, start) = (Duration::from_millis(200), &OnceLock::new());
        thread::scope(|scope| {
            let threads: Vec<_> = (0..self.clients)
                .map(|number| {
                    let builder = thread::Builder::new().stack_size(256 << 10);
                    let work = move || {
                        let connection = Connection::open(&self.place);
                        connected.wait();
                        let start = *start.get_or_init(|| Instant::now() + time_to_start);
                        self.client(number, connection, start, start + time)
                    };
                    builder.spawn_scoped(scope, work).unwrap()
                })
                .collect();
            connected.wait();
            let end = *start.get_or_init(|| Instant::now() + time_to_start) + time;
            while Instant::now() < end {
                thread::sleep(time / 20);
                look();
            }
            let mut all = Done::default();
            for thread in threads {
                let mut done = thread.join().unwrap();
                all.writes.append(&mut done.writes);
                all.reads.append(&mut done.reads);
                all.failed += done.failed;
            }
            all
        })
    }

    fn client(&self, number: usize, mut connection: Connection, start: Instant, end: Instant) -> Done {
        let (team, token) = &self.teams[number % self.teams.len()];
        let mut writer = (number < self.teams.len()).then(|| Author::new(number));
        let mut done = Done::default();
        // No two clients do anything at the same moment.
        let mut due = start + Duration::from_micros((number as u64 * 7919) % 500_000);
        let mut turn = 0u64;
        while due < end {
            thread::sleep(due.saturating_duration_since(Instant::now()));
            let read = if turn.is_multiple_of(2) { "head" } else { "files?contents=true&limit=20" };
            let request = request("GET", &format!("{team}/{read}"), &self.place, token, None, "");
            done.count(connection.ask(&request), &[200], due, false);
            if let Some(writer) = writer.as_mut().filter(|_| turn.is_multiple_of(2)) {
                let late = due + Duration::from_millis(250);
                thread::sleep(late.saturating_duration_since(Instant::now()));
                let (onto, body) = writer.next();
                let onto = format!("if-match: \"{onto}\"");
                let request = super::load::request(
                    "POST",
                    &format!("{team}/versions"),
                    &self.place,
                    token,
                    Some(&onto),
                    &body,
                );
                done.count(connection.ask(&request), &[201], late, true);
            }
            turn += 1;
            due += Duration::from_millis(500);
        }
        done
    }
}

impl Done {
    fn count(&mut self, status: io::Result<u16>, wanted: &[u16], due: Instant, is_write: bool) {
        if !status.is_ok_and(|status| wanted.contains(&status)) {
            self.failed += 1;
            return;
        }
        let took = u32::try_from(due.elapsed().as_micros()).unwrap_or(u32::MAX);
        if is_write { self.writes.push(took) } else { self.reads.push(took) }
    }
}

/// A member who changes one of a hundred memories each time.
struct Author {
    key: SecretKey,
    team: TeamId,
    record: Option<Member>,
    round: u64,
    head: Option<ContentHash>,
}

impl Author {
    fn new(number: usize) -> Self {
        let mut seed = [7; 32];
        seed[..8].copy_from_slice(&(number as u64).to_le_bytes());
        let key = SecretKey::from_seed(seed);
        let (record, team) = Member::founder(&key, "Ada", "nonce");
        Self { key, team, record: Some(record), round: 0, head: None }
    }

    /// The next version: what it is made from, and the body of the request.
    fn next(&mut self) -> (String, String) {
        self.round += 1;
        let path = format!("topic-{}.md", self.round % 100);
        let entry = Entry {
            team: self.team.clone(),
            path: path.clone(),
            version: self.round,
            round: self.round,
            parent: None,
            memory: None,
            renamed_from: None,
            time: NOW.parse().unwrap(),
            author: self.key.public(),
            text: Some(format!("Sentence {} of some text. ", self.round).repeat(20)),
        };
        let file = |path: String, bytes: Vec<u8>| PutFile { path, content: String::from_utf8(bytes).ok() };
        let mut puts = vec![
            file(format!("entries/{path}"), entry.sign(&self.key).render()),
            file("round.json".to_owned(), Round::new(&self.team, self.round, 0, &self.key).render()),
        ];
        if let Some(record) = self.record.take() {
            puts.push(file(format!("members/{}", record.file_name()), record.render()));
        }
        let version = version_id(&self.team, self.head.as_ref(), &puts);
        let subject = "a change".to_owned();
        let request =
            PublishRequest { v: PROTOCOL, team: self.team.clone(), version, subject, parts: 0, puts };
        let onto = self.head.replace(version).map_or_else(|| "0".to_owned(), |head| head.to_string());
        (onto, serde_json::to_string(&request).unwrap())
    }
}

/// A request as it goes over the wire.
pub(super) fn request(
    method: &str,
    rest: &str,
    place: &str,
    token: &str,
    header: Option<&str>,
    body: &str,
) -> Vec<u8> {
    let header = header.map(|header| format!("{header}\r\n")).unwrap_or_default();
    let length = if body.is_empty() { String::new() } else { format!("content-length: {}\r\n", body.len()) };
    format!(
        "{method} /v1/teams/{rest} HTTP/1.1\r\nhost: {place}\r\nauthorization: Bearer {token}\r\n{header}{length}\r\n{body}"
    )
    .into_bytes()
}

/// A connection that stays open.
pub(super) struct Connection {
    stream: TcpStream,
    arrived: Vec<u8>,
    /// The head of the last answer.
    head: String,
}

impl Connection {
    pub(super) fn open(place: &str) -> Self {
        let stream = TcpStream::connect(place).unwrap();
        stream.set_nodelay(true).unwrap();
        Self { stream, arrived: Vec::new(), head: String::new() }
    }

    /// A header of the last answer.
    pub(super) fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "))
    }

    /// Sends a request, reads the answer to its end, and gives back its status.
    pub(super) fn ask(&mut self, request: &[u8]) -> io::Result<u16> {
        self.stream.write_all(request)?;
        self.head = loop {
            if let Some(at) = self.arrived.windows(4).position(|end| end == b"\r\n\r\n") {
                let rest = self.arrived.split_off(at + 4);
                break String::from_utf8_lossy(&std::mem::replace(&mut self.arrived, rest)).into_owned();
            }
            self.more()?;
        };
        let length = self.header("content-length").and_then(|length| length.parse().ok()).unwrap_or(0);
        while self.arrived.len() < length {
            self.more()?;
        }
        self.arrived.drain(..length);
        let status = self.head.split(' ').nth(1).and_then(|status| status.parse().ok());
        status.ok_or_else(|| io::Error::other("no status"))
    }

    fn more(&mut self) -> io::Result<()> {
        let mut buffer = [0; 16 << 10];
        let read = self.stream.read(&mut buffer)?;
        if read == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        self.arrived.extend_from_slice(&buffer[..read]);
        Ok(())
    }
}
