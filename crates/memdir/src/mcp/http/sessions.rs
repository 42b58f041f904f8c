use std::collections::{HashMap, VecDeque};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use memdir_disk::random::random_bits;
use serde_json::Value;

use crate::mcp::Server;
use crate::mcp::conversation::Conversation;

/// No more conversations are remembered; the one that was silent longest makes room.
const MOST_SESSIONS: usize = 64;
/// No more messages wait for a stream to carry them.
const MOST_QUEUED: usize = 256;

/// Every conversation that began with a handshake.
#[derive(Default)]
pub(super) struct Sessions {
    table: Mutex<HashMap<String, Arc<SharedSession>>>,
}

/// One conversation, which several connections carry.
///
/// A request can keep the state for long; what others need to know of it meanwhile is kept beside it.
pub(super) struct SharedSession {
    state: Mutex<State>,
    news: Condvar,
    used: Mutex<Instant>,
    has_ended: AtomicBool,
}

pub(super) struct State {
    pub(super) conversation: Conversation,
    /// What is to be sent on whatever stream there is.
    pub(super) queue: VecDeque<Value>,
    /// Answers that came while another connection waited for them, by their ids.
    pub(super) answers: HashMap<String, Value>,
    /// Whether a stream is open that carries messages which are not answers.
    pub(super) has_stream: bool,
}

impl Sessions {
    /// Begins a conversation under an id that cannot be guessed; `None` if the system has no random bits.
    pub(super) fn begin(&self, server: &Server) -> Option<(String, Arc<SharedSession>)> {
        let id = format!("{:032x}", random_bits().ok()?);
        let state = State {
            conversation: Conversation::new(server, Some(id.clone())),
            queue: VecDeque::new(),
            answers: HashMap::new(),
            has_stream: false,
        };
        let session = Arc::new(SharedSession {
            state: Mutex::new(state),
            news: Condvar::new(),
            used: Mutex::new(Instant::now()),
            has_ended: AtomicBool::new(false),
        });
        let mut table = lock(&self.table);
        if table.len() >= MOST_SESSIONS {
            let oldest = table.iter().min_by_key(|(_, session)| *lock(&session.used));
            if let Some(id) = oldest.map(|(id, _)| id.clone())
                && let Some(session) = table.remove(&id)
            {
                session.end();
            }
        }
        table.insert(id.clone(), Arc::clone(&session));
        Some((id, session))
    }

    pub(super) fn find(&self, id: &str) -> Option<Arc<SharedSession>> {
        lock(&self.table).get(id).cloned()
    }

    /// Ends a conversation; `false` if there was none.
    pub(super) fn end(&self, id: &str) -> bool {
        let ended = lock(&self.table).remove(id);
        ended.is_some_and(|session| {
            session.end();
            true
        })
    }
}

impl SharedSession {
    pub(super) fn state(&self) -> MutexGuard<'_, State> {
        *lock(&self.used) = Instant::now();
        lock(&self.state)
    }

    /// Whether no request shall wait for it any more.
    pub(super) fn has_ended(&self) -> bool {
        self.has_ended.load(Ordering::SeqCst)
    }

    /// Waits until something happens or the time is over.
    pub(super) fn wait<'s>(&'s self, state: MutexGuard<'s, State>, time: Duration) -> MutexGuard<'s, State> {
        self.news.wait_timeout(state, time).unwrap_or_else(PoisonError::into_inner).0
    }

    pub(super) fn tell(&self) {
        self.news.notify_all();
    }

    fn end(&self) {
        self.has_ended.store(true, Ordering::SeqCst);
        self.tell();
    }
}

impl State {
    /// Sorts what a message led to: the answer to `own` comes back, everything else waits for its carrier.
    pub(super) fn sort(&mut self, out: Vec<Value>, own: Option<&Value>) -> Option<Value> {
        let mut answer = None;
        for message in out {
            if message.get("method").is_some() {
                if self.queue.len() >= MOST_QUEUED {
                    self.queue.pop_front();
                }
                self.queue.push_back(message);
            } else if message.is_array() || (own.is_some() && message.get("id") == own) {
                answer = Some(message);
            } else {
                // A client that has not fetched its answer by now has hung up.
                if self.answers.len() >= MOST_QUEUED {
                    self.answers.clear();
                }
                let id = message.get("id").map(ToString::to_string).unwrap_or_default();
                self.answers.insert(id, message);
            }
        }
        answer
    }
}

/// A thread that died while it held the lock left a state that can still be asked.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;
    use std::thread;

    use memdir_testkit::TestHome;

    use super::*;

    #[test]
    fn a_busy_conversation_delays_no_other() {
        let home = TestHome::new();
        let server = Server { env: home.env(), fixed_now: None, with_memory_tool: false, program: None };
        let sessions = Arc::new(Sessions::default());
        let (first, busy) = sessions.begin(&server).unwrap();
        let working = busy.state();
        for _ in 1..MOST_SESSIONS {
            sessions.begin(&server).unwrap();
        }
        let (sender, begun) = channel();
        let others = Arc::clone(&sessions);
        thread::spawn(move || sender.send(others.begin(&server).unwrap().0));
        let id = begun.recv_timeout(Duration::from_secs(30)).unwrap();
        assert!(sessions.find(&id).is_some() && sessions.find(&first).is_none() && busy.has_ended());
        drop(working);
    }
}
