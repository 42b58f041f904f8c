//! Requests that belong to a handshake.

use std::sync::Arc;
use std::time::{Duration, Instant};

use memdir_core::mcp::http::Head;
use memdir_core::mcp::{Incoming, Step};
use serde_json::Value;

use super::Office;
use super::sessions::SharedSession;
use super::wire::{Reply, Wire};

/// How long a client may take to say where it works.
const PATIENCE: Duration = Duration::from_secs(5);
/// How often a stream looks for changes.
const EVERY: Duration = Duration::from_secs(1);
/// How often a silent stream shows that it is there.
const SIGN_OF_LIFE: Duration = Duration::from_secs(15);

impl Office {
    pub(super) fn post_stateful(&self, head: &Head, message: Incoming, wire: &mut Wire) -> bool {
        let is_beginning = matches!(&message, Incoming::Request(request) if request.method == "initialize");
        if is_beginning {
            let Some((id, session)) = self.sessions.begin(&self.server) else {
                return wire.send(&Reply::plain(503, "no session can be made"), false);
            };
            let out = session.state().conversation.take(message, &self.server);
            let reply = match out.first() {
                Some(answer) => Reply::json(200, answer),
                None => Reply::empty(202),
            };
            return wire.send(&reply.with("Mcp-Session-Id", id), head.keeps_alive);
        }
        if let Incoming::Invalid { .. } = &message {
            let reply = match self.server.session().receive(message) {
                Step::Send(answer) => Reply::json(400, &answer),
                _ => Reply::empty(400),
            };
            return wire.send(&reply, head.keeps_alive);
        }
        match self.session(head) {
            Ok(session) => self.post_in(&session, head, message, wire),
            Err(reply) => wire.send(&reply, head.keeps_alive),
        }
    }

    fn session(&self, head: &Head) -> Result<Arc<SharedSession>, Reply> {
        let id =
            head.header("mcp-session-id").ok_or_else(|| Reply::plain(400, "`Mcp-Session-Id` is missing"))?;
        self.sessions.find(id).ok_or_else(|| Reply::plain(404, "there is no such session"))
    }

    fn post_in(&self, session: &SharedSession, head: &Head, message: Incoming, wire: &mut Wire) -> bool {
        // What the answer is known by; that of a batch that is refused has no id.
        let own = match &message {
            Incoming::Request(request) => Some(request.id.to_value()),
            Incoming::Batch(_) => Some(Value::Null),
            _ => None,
        };
        let mut state = session.state();
        if own == Some(Value::Null) && state.conversation.awaits_roots() {
            // The answers to a batch are one message: it cannot wait for another connection.
            let mut out = Vec::new();
            state.conversation.go_on_without_roots(&self.server, &mut out);
            state.sort(out, None);
        }
        let out = state.conversation.take(message, &self.server);
        let answer = state.sort(out, own.as_ref());
        session.tell();
        let Some(own) = own.filter(|own| !own.is_null() || answer.is_some()) else {
            drop(state);
            return wire.send(&Reply::empty(202), head.keeps_alive);
        };
        let streams = head.accepts("text/event-stream") && !state.has_stream && !state.queue.is_empty();
        match answer {
            Some(answer) if !streams => {
                drop(state);
                wire.send(&Reply::json(200, &answer), head.keeps_alive)
            }
            answer => {
                drop(state);
                self.carry(session, streams, answer, &own, wire) && head.keeps_alive
            }
        }
    }

    /// Answers on a stream with what else there is to say, and waits for an answer that is not there yet.
    fn carry(
        &self,
        session: &SharedSession,
        streams: bool,
        mut answer: Option<Value>,
        id: &Value,
        wire: &mut Wire,
    ) -> bool {
        if streams && !wire.begin_stream(None) {
            return false;
        }
        let begun = Instant::now();
        loop {
            let mut state = session.state();
            answer = answer.or_else(|| state.answers.remove(&id.to_string()));
            if answer.is_none() && (begun.elapsed() >= PATIENCE || session.has_ended()) {
                let mut out = Vec::new();
                state.conversation.go_on_without_roots(&self.server, &mut out);
                answer = state.sort(out, Some(id));
                session.tell();
                if answer.is_none() {
                    // It was cancelled meanwhile.
                    return !streams && wire.send(&Reply::empty(202), false);
                }
            }
            let messages: Vec<Value> = if streams { state.queue.drain(..).collect() } else { Vec::new() };
            if answer.is_none() && messages.is_empty() {
                drop(session.wait(state, EVERY));
                continue;
            }
            drop(state);
            if !messages.iter().all(|message| wire.send_event(message)) {
                return false;
            }
            if let Some(answer) = &answer {
                if streams {
                    // A stream ends with its connection.
                    wire.send_event(answer);
                    return false;
                }
                return wire.send(&Reply::json(200, answer), true);
            }
        }
    }

    /// A stream for messages that are not answers.
    pub(super) fn listen(&self, head: &Head, wire: &mut Wire) -> bool {
        if !head.accepts("text/event-stream") {
            return wire.send(&Reply::plain(406, "this is a text/event-stream"), head.keeps_alive);
        }
        let session = match self.session(head) {
            Ok(session) => session,
            Err(reply) => return wire.send(&reply, head.keeps_alive),
        };
        if std::mem::replace(&mut session.state().has_stream, true) {
            return wire.send(&Reply::plain(409, "this session has a stream already"), head.keeps_alive);
        }
        if wire.begin_stream(None) {
            self.stream(&session, wire);
        }
        session.state().has_stream = false;
        false
    }

    fn stream(&self, session: &SharedSession, wire: &mut Wire) {
        let mut spoke = Instant::now();
        loop {
            let mut state = session.state();
            if session.has_ended() {
                return;
            }
            let mut out = Vec::new();
            state.conversation.tell_changes(&mut out);
            state.sort(out, None);
            let messages: Vec<Value> = state.queue.drain(..).collect();
            if messages.is_empty() {
                drop(session.wait(state, EVERY));
                if wire.has_ended() {
                    return;
                }
                if spoke.elapsed() < SIGN_OF_LIFE {
                    continue;
                }
            } else {
                drop(state);
            }
            spoke = Instant::now();
            let is_heard = match messages.is_empty() {
                true => wire.send_sign_of_life(),
                false => messages.iter().all(|message| wire.send_event(message)),
            };
            if !is_heard {
                return;
            }
        }
    }

    pub(super) fn delete(&self, head: &Head) -> Reply {
        match head.header("mcp-session-id") {
            None => Reply::plain(400, "`Mcp-Session-Id` is missing"),
            Some(id) if self.sessions.end(id) => Reply::empty(204),
            Some(_) => Reply::plain(404, "there is no such session"),
        }
    }
}
