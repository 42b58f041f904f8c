//! Requests that say everything themselves.

use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use memdir_core::mcp::http::{Head, check_mirrored};
use memdir_core::mcp::{Call, Incoming, Method, RpcError, Session, Step, Version};
use serde_json::{Value, json};

use super::Office;
use super::wire::{Reply, Wire};
use crate::mcp::workplace::Workplace;

/// So many projects are kept open.
const MOST_WORKPLACES: usize = 4;
/// How often a listener is told of changes, and how often it is shown that the server is there.
const EVERY: Duration = Duration::from_secs(1);
const SIGN_OF_LIFE: Duration = Duration::from_secs(15);

/// Projects that were asked about: an open index is worth keeping for the next request.
#[derive(Default)]
pub(super) struct Stateless {
    workplaces: Mutex<Vec<Workplace>>,
}

/// Whether a request belongs to no session: its header or its body says so.
pub(super) fn is_stateless(version: Option<&str>, message: &Incoming) -> bool {
    let named = version.and_then(Version::parse).is_some_and(|version| !version.has_handshake());
    let meta = match message {
        Incoming::Request(request) => request.params.get("_meta"),
        _ => None,
    };
    let is_discovery = matches!(message, Incoming::Request(request) if request.method == "server/discover");
    let names_itself = meta.is_some_and(|meta| meta.get("io.modelcontextprotocol/protocolVersion").is_some());
    named || is_discovery || names_itself
}

impl Office {
    pub(super) fn post_stateless(&self, head: &Head, message: Incoming, wire: &mut Wire) -> bool {
        let keeps_alive = head.keeps_alive;
        let request = match message {
            Incoming::Request(request) => request,
            // There is nothing that a notification could be about; it is taken and forgotten.
            Incoming::Notification(_) => return wire.send(&Reply::empty(202), keeps_alive),
            Incoming::Invalid { .. } => {
                return wire.send(&answer(self.server.session().receive(message)), keeps_alive);
            }
            Incoming::Batch(_) | Incoming::Response(_) => {
                let error = RpcError::new(RpcError::INVALID_REQUEST, "one request at a time is taken here");
                return wire.send(&Reply::json(400, &error_of(&Value::Null, &error)), keeps_alive);
            }
        };
        if let Err(error) = check_mirrored(head, &request) {
            return wire.send(&Reply::json(400, &error_of(&request.id.to_value(), &error)), keeps_alive);
        }
        let mut session = self.server.session();
        match session.receive(Incoming::Request(request)) {
            Step::Call(call) if matches!(call.method, Method::Listen(_)) => {
                if !head.accepts("text/event-stream") {
                    return wire.send(&Reply::plain(406, "this is a text/event-stream"), keeps_alive);
                }
                self.listen_to(&mut session, &call, wire);
                false
            }
            Step::Call(call) => wire.send(&answer(Step::Send(self.work_out(&call))), keeps_alive),
            step => wire.send(&answer(step), keeps_alive),
        }
    }

    /// Works out a request in the project that it names.
    fn work_out(&self, call: &Call) -> Value {
        let directory = Workplace::directory(call.roots.as_deref().unwrap_or_default(), &self.server.env.cwd);
        let mut workplaces = self.stateless.workplaces.lock().unwrap_or_else(PoisonError::into_inner);
        let known = workplaces.iter().position(|workplace| workplace.env.cwd == directory);
        let mut workplace = match known {
            Some(place) => workplaces.remove(place),
            None => Workplace::in_directory(&self.server, directory),
        };
        let value = workplace.answer(call, &self.server);
        workplaces.insert(0, workplace);
        workplaces.truncate(MOST_WORKPLACES);
        value
    }

    fn listen_to(&self, session: &mut Session, call: &Call, wire: &mut Wire) {
        let Method::Listen(filter) = &call.method else { return };
        let mut workplace = Workplace::in_directory(&self.server, self.server.env.cwd.clone());
        // From now on changes are news.
        let _ = workplace.changes();
        let told = match session.listen(&call.id, filter) {
            Ok(told) => told,
            Err(error) => {
                let _ = wire.send(&Reply::json(200, &call.error(&error)), false);
                return;
            }
        };
        if !wire.begin_stream(None) || !wire.send_event(&told) {
            return;
        }
        let mut spoke = Instant::now();
        loop {
            thread::sleep(EVERY);
            let messages = session.tell(&workplace.changes());
            if wire.has_ended() || !messages.iter().all(|message| wire.send_event(message)) {
                return;
            }
            if !messages.is_empty() {
                spoke = Instant::now();
            } else if spoke.elapsed() >= SIGN_OF_LIFE {
                spoke = Instant::now();
                if !wire.send_sign_of_life() {
                    return;
                }
            }
        }
    }
}

/// The answer with the status that belongs to it.
fn answer(step: Step) -> Reply {
    match step {
        Step::Send(value) => {
            let code = value
                .pointer("/error/code")
                .and_then(Value::as_i64)
                .and_then(|code| i32::try_from(code).ok());
            let status = code.map_or(200, |code| RpcError::new(code, "").http_status());
            Reply::json(status, &value)
        }
        _ => Reply::empty(202),
    }
}

fn error_of(id: &Value, error: &RpcError) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "error": error.to_value()})
}
