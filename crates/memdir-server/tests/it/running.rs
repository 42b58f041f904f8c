//! A server in this process, and requests to it.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use jiff::Timestamp;
use memdir_server::gate::Gate;
use memdir_server::limits::Limits;
use memdir_server::listen::serve;
use memdir_server::log::Log;
use memdir_server::server::Server;
use memdir_server::store::{Event, NewToken, Store};
use memdir_server::token::{Scope, Token};
use memdir_sync::http::{Request, send};
use memdir_testkit::NOW;
use serde_json::Value;
use tokio::net::TcpListener;
use tokio::runtime::Runtime;
use tokio::sync::oneshot;

use super::engine::Engine;

pub(crate) struct Running {
    pub(crate) address: SocketAddr,
    pub(crate) store: Store,
    runtime: Option<Runtime>,
    stop: Option<oneshot::Sender<()>>,
}

pub(crate) struct HttpAnswer {
    pub(crate) status: u16,
    pub(crate) json: Value,
}

impl HttpAnswer {
    pub(crate) fn code(&self) -> &str {
        self.json["error"]["code"].as_str().unwrap_or_default()
    }
}

pub(crate) fn no_rates() -> Limits {
    Limits { token_rate: 0, publish_rate: 0, address_rate: 0, address_connections: 0, ..Limits::default() }
}

fn clock() -> Timestamp {
    NOW.parse().unwrap()
}

impl Running {
    pub(crate) fn on(engine: &dyn Engine) -> Self {
        Self::with(engine, no_rates())
    }

    pub(crate) fn with(engine: &dyn Engine, limits: Limits) -> Self {
        Self::start(engine, limits, "127.0.0.1:0".parse().unwrap(), Log::silent())
    }

    /// A server whose log can be read.
    pub(crate) fn logged(engine: &dyn Engine, limits: Limits) -> (Self, Lines) {
        let lines = Lines::default();
        let log = Log::to(Box::new(lines.clone()));
        (Self::start(engine, limits, "127.0.0.1:0".parse().unwrap(), log), lines)
    }

    /// A server in the place of one that was.
    pub(crate) fn at(engine: &dyn Engine, address: SocketAddr) -> Self {
        Self::start(engine, no_rates(), address, Log::silent())
    }

    fn start(engine: &dyn Engine, limits: Limits, address: SocketAddr, log: Log) -> Self {
        let runtime =
            tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
        let store = Store::new(engine.open(&runtime));
        let gate = Gate::new(["memory.example.com".to_owned()], false);
        let server = Server::new(store.clone(), limits, gate, log, clock);
        let listener = runtime.block_on(TcpListener::bind(address)).unwrap();
        let address = listener.local_addr().unwrap();
        let (stop, stopped) = oneshot::channel();
        runtime.spawn(serve(server, listener, None, async move { drop(stopped.await) }));
        Self { address, store, runtime: Some(runtime), stop: Some(stop) }
    }

    pub(crate) fn wait<T>(&self, future: impl Future<Output = T>) -> T {
        self.runtime.as_ref().unwrap().block_on(future)
    }

    /// Makes a team; gives back its first token.
    pub(crate) fn team(&self, name: &str) -> String {
        let token = self.new_token(Scope::Admin, i64::MAX);
        let event = event(name, "team made");
        assert!(
            self.wait(self.store.create_team(name, &kept(&token, Scope::Admin, i64::MAX), &event)).unwrap()
        );
        token.reveal()
    }

    /// A token of a team, straight from the database.
    pub(crate) fn token(&self, team: &str, scope: Scope, expires: i64) -> String {
        let token = self.new_token(scope, expires);
        let event = event(team, "token made");
        assert!(self.wait(self.store.add_token(team, &kept(&token, scope, expires), &event)).unwrap());
        token.reveal()
    }

    fn new_token(&self, _: Scope, _: i64) -> Token {
        Token::from_random(&memdir_server::random::random().unwrap())
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    pub(crate) fn ask(
        &self,
        method: &str,
        path: &str,
        token: Option<&str>,
        more: &[(&str, &str)],
        body: Option<&str>,
    ) -> HttpAnswer {
        let mut headers: Vec<(String, String)> =
            more.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        headers.extend(token.map(|token| ("authorization".to_owned(), format!("Bearer {token}"))));
        let url = self.url(path);
        let request = Request {
            method,
            url: &url,
            headers: &headers,
            body,
            limit: Duration::from_secs(60),
            most_bytes: 64 << 20,
            compress: true,
        };
        let answered = send(&request).unwrap();
        let json = serde_json::from_slice(&answered.body).unwrap_or(Value::Null);
        HttpAnswer { status: answered.status, json }
    }

    /// Sends bytes as they are, and reads until the server hangs up.
    pub(crate) fn raw(&self, bytes: &[u8]) -> String {
        let mut stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
        // A server that has heard enough hangs up.
        drop(stream.write_all(bytes));
        let mut answer = Vec::new();
        drop(stream.read_to_end(&mut answer));
        String::from_utf8_lossy(&answer).into_owned()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(runtime) = self.runtime.take() {
            // Until the last one of its connections is closed.
            runtime.shutdown_timeout(Duration::from_secs(5));
        }
    }
}

/// What a log says.
#[derive(Clone, Default)]
pub(crate) struct Lines(Arc<Mutex<Vec<u8>>>);

impl Lines {
    /// The lines about requests to a route, once there are so many.
    pub(crate) fn about(&self, route: &str, count: usize) -> Vec<Value> {
        let mut tries = 0;
        loop {
            let text = String::from_utf8(self.0.lock().unwrap().clone()).unwrap();
            let lines = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
            let lines: Vec<Value> = lines.filter(|line| line["route"] == route).collect();
            if lines.len() >= count {
                return lines;
            }
            tries += 1;
            assert!(tries < 500, "the log lacks lines about {route}");
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}

impl Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

fn kept(token: &Token, scope: Scope, expires: i64) -> NewToken {
    NewToken {
        id: token.id().to_owned(),
        scope,
        hash: token.hash(),
        label: "test".to_owned(),
        member: None,
        made_by: "operator".to_owned(),
        expires,
    }
}

fn event<'e>(team: &'e str, event: &'e str) -> Event<'e> {
    let id = memdir_server::random::random_id().unwrap();
    Event { id, time: clock().as_second(), team, actor: "test", event, subject: "" }
}
