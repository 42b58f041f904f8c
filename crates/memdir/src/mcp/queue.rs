use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use memdir_core::mcp::{Incoming, MAX_MESSAGE_BYTES, cancelled_request};

/// What has come in and was not looked at yet.
///
/// A request whose turn has not come when its client takes it back is never worked out: a cancellation overtakes what
/// waits.
#[derive(Default)]
pub(super) struct Queue {
    waiting: Mutex<Waiting>,
    changed: Condvar,
}

#[derive(Default)]
struct Waiting {
    messages: VecDeque<(Incoming, usize)>,
    bytes: usize,
    has_ended: bool,
}

/// What there is to do.
pub(super) enum Next {
    /// Look at a message.
    Message(Incoming),
    /// The time is over, and nothing came.
    Nothing,
    /// Nothing will come any more.
    End,
}

/// No more messages and no more bytes wait; the client waits instead.
const MOST_MESSAGES: usize = 1_024;
const MOST_BYTES: usize = 2 * MAX_MESSAGE_BYTES;

impl Queue {
    /// Adds a message that was so many bytes long, as soon as there is room.
    pub(super) fn put(&self, message: Incoming, length: usize) {
        let mut waiting = self.lock();
        if let Some(id) = cancelled_request(&message) {
            let is_kept = |known: &Incoming| !matches!(known, Incoming::Request(request) if request.id == id && request.method != "initialize");
            waiting.messages.retain(|(known, _)| is_kept(known));
            waiting.bytes = waiting.messages.iter().map(|(_, length)| length).sum();
        }
        while waiting.messages.len() >= MOST_MESSAGES
            || (waiting.bytes + length > MOST_BYTES && !waiting.messages.is_empty())
        {
            waiting = self.changed.wait(waiting).unwrap_or_else(PoisonError::into_inner);
        }
        waiting.bytes += length;
        waiting.messages.push_back((message, length));
        self.changed.notify_all();
    }

    /// Says that nothing will come any more.
    pub(super) fn end(&self) {
        self.lock().has_ended = true;
        self.changed.notify_all();
    }

    /// The next message, if one comes in time.
    pub(super) fn take(&self, patience: Option<Duration>) -> Next {
        let deadline = patience.map(|patience| Instant::now() + patience);
        let mut waiting = self.lock();
        loop {
            if let Some((message, length)) = waiting.messages.pop_front() {
                waiting.bytes -= length;
                self.changed.notify_all();
                return Next::Message(message);
            }
            if waiting.has_ended {
                return Next::End;
            }
            waiting = match deadline {
                None => self.changed.wait(waiting).unwrap_or_else(PoisonError::into_inner),
                Some(deadline) => {
                    let left = deadline.saturating_duration_since(Instant::now());
                    if left.is_zero() {
                        return Next::Nothing;
                    }
                    self.changed.wait_timeout(waiting, left).unwrap_or_else(PoisonError::into_inner).0
                }
            };
        }
    }

    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn put(queue: &Queue, text: &str) {
        queue.put(Incoming::parse(text.as_bytes()), text.len());
    }

    fn ids(queue: &Queue) -> Vec<String> {
        let mut ids = Vec::new();
        while let Next::Message(message) = queue.take(None) {
            ids.push(match message {
                Incoming::Request(request) => request.id.to_value().to_string(),
                Incoming::Notification(_) => "notification".to_owned(),
                other => format!("{other:?}"),
            });
        }
        ids
    }

    #[test]
    fn what_is_cancelled_before_its_turn_never_has_one() {
        let queue = Queue::default();
        put(&queue, r#"{"jsonrpc":"2.0","id":0,"method":"initialize"}"#);
        for id in 1..4 {
            put(&queue, &format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call"}}"#));
        }
        let cancel = |id: &str| {
            format!(r#"{{"jsonrpc":"2.0","method":"notifications/cancelled","params":{{"requestId":{id}}}}}"#)
        };
        put(&queue, &cancel("2"));
        // The handshake cannot be taken back, and what comes later is another request.
        put(&queue, &cancel("0"));
        put(&queue, &cancel("9"));
        put(&queue, &cancel("[]"));
        put(&queue, r#"{"jsonrpc":"2.0","id":9,"method":"tools/call"}"#);
        queue.end();
        let note = "notification";
        assert_eq!(ids(&queue), ["0", "1", "3", note, note, note, note, "9"]);
    }

    #[test]
    fn a_client_that_sends_too_much_waits() {
        let queue = Queue::default();
        let sent = 3 * MOST_MESSAGES;
        std::thread::scope(|scope| {
            scope.spawn(|| {
                (0..sent)
                    .for_each(|id| put(&queue, &format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"ping"}}"#)));
                queue.end();
            });
            assert_eq!(ids(&queue).len(), sent);
        });
        assert!(matches!(Queue::default().take(Some(Duration::ZERO)), Next::Nothing));
    }
}
