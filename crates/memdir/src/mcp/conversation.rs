use std::collections::VecDeque;

use memdir_core::mcp::{Call, Incoming, Method, Session, Step};
use serde_json::Value;

use super::Server;
use super::workplace::Workplace;

/// One client: what was agreed with it, and where it works.
pub(super) struct Conversation {
    session: Session,
    workplace: Workplace,
    /// Requests that wait until it is known where the client works.
    held: VecDeque<Call>,
}

/// No more requests wait; a client that sends more is answered from where the server was started.
const MOST_HELD: usize = 64;

impl Conversation {
    pub(super) fn new(server: &Server, id: Option<String>) -> Self {
        Self { session: server.session(), workplace: Workplace::new(server, id), held: VecDeque::new() }
    }

    /// What is to be sent because of a message, in order.
    pub(super) fn take(&mut self, message: Incoming, server: &Server) -> Vec<Value> {
        match message {
            Incoming::Batch(messages) if self.session.takes_batches() => self.take_batch(messages, server),
            message => {
                let mut out = Vec::new();
                self.take_one(message, server, &mut out);
                out
            }
        }
    }

    /// The answers to a batch are a batch; other messages go before it.
    fn take_batch(&mut self, messages: Vec<Incoming>, server: &Server) -> Vec<Value> {
        let mut out = Vec::new();
        for message in messages {
            self.take_one(message, server, &mut out);
        }
        let (answers, mut out): (Vec<Value>, Vec<Value>) =
            out.into_iter().partition(|message| message.get("method").is_none());
        if !answers.is_empty() {
            out.push(Value::Array(answers));
        }
        out
    }

    fn take_one(&mut self, message: Incoming, server: &Server, out: &mut Vec<Value>) {
        match self.session.receive(message) {
            Step::Silence => {}
            Step::Send(value) => out.push(value),
            Step::Ready => {
                if self.session.wants_roots() {
                    out.push(self.session.ask_roots());
                } else {
                    // From now on changes are news.
                    let _ = self.workplace.changes();
                }
            }
            Step::Roots(roots) => self.move_to(&roots, server, out),
            Step::Cancelled(id) => self.held.retain(|call| call.id != id),
            Step::Call(call) => self.take_call(*call, server, out),
        }
    }

    fn take_call(&mut self, mut call: Call, server: &Server, out: &mut Vec<Value>) {
        if let Some(roots) = call.roots.take() {
            self.move_to(&roots, server, out);
        }
        if let Method::Listen(filter) = &call.method {
            let _ = self.workplace.changes();
            let told = self.session.listen(&call.id, filter);
            out.push(told.unwrap_or_else(|error| call.error(&error)));
            return;
        }
        if call.method.needs_project() && self.session.awaits_roots() {
            self.held.push_back(call);
            if self.held.len() > MOST_HELD {
                self.go_on_without_roots(server, out);
            }
            return;
        }
        let answer = self.workplace.answer(&call, server);
        // What the request itself changed is news too, and a client reads it before the answer.
        self.tell_changes(out);
        out.push(answer);
    }

    fn move_to(&mut self, roots: &[String], server: &Server, out: &mut Vec<Value>) {
        let has_moved = self.workplace.move_to(roots);
        let mut changed = self.workplace.changes();
        changed.list |= has_moved;
        out.extend(self.session.tell(&changed));
        self.answer_held(server, out);
    }

    fn answer_held(&mut self, server: &Server, out: &mut Vec<Value>) {
        while let Some(call) = self.held.pop_front() {
            out.push(self.workplace.answer(&call, server));
        }
    }

    /// Answers what waits although the client has not said where it works.
    pub(super) fn go_on_without_roots(&mut self, server: &Server, out: &mut Vec<Value>) {
        self.session.give_up_on_roots();
        self.answer_held(server, out);
    }

    /// Whether something waits for the client.
    pub(super) fn awaits_roots(&self) -> bool {
        self.session.awaits_roots()
    }

    /// Whether the client wants to be told what changes while it says nothing.
    pub(super) fn waits_for_news(&self) -> bool {
        self.session.waits_for_news()
    }

    /// Adds what the client is to be told of changes.
    pub(super) fn tell_changes(&mut self, out: &mut Vec<Value>) {
        if self.session.takes_news() && !self.session.awaits_roots() {
            let changed = self.workplace.changes();
            out.extend(self.session.tell(&changed));
        }
    }

    /// The last words.
    pub(super) fn end(&mut self, server: &Server) -> Vec<Value> {
        let mut out = Vec::new();
        if self.session.awaits_roots() {
            self.go_on_without_roots(server, &mut out);
        }
        out.extend(self.session.end_listeners());
        out
    }
}
