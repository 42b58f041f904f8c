use std::net::{Shutdown, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// No more connections are served at once.
const MOST_CONNECTIONS: usize = 64;

/// The connections that are open, oldest first.
///
/// A client that has shown the token keeps its place. The others block no client: the oldest of them goes when there is
/// no room, so that a program without the token cannot shut out those that have it.
#[derive(Default)]
pub(super) struct Connections {
    open: Mutex<Vec<Open>>,
}

struct Open {
    stream: TcpStream,
    state: Arc<State>,
}

/// What is known about one connection.
#[derive(Default)]
struct State {
    is_known: AtomicBool,
    must_go: AtomicBool,
}

/// The place of one connection, for as long as it is held.
pub(super) struct Place {
    connections: Arc<Connections>,
    state: Arc<State>,
}

impl Connections {
    /// Gives a connection a place; `None` if there is none.
    pub(super) fn admit(self: &Arc<Self>, stream: &TcpStream) -> Option<Place> {
        let stream = stream.try_clone().ok()?;
        let state = Arc::new(State::default());
        let mut open = self.lock();
        if open.len() >= MOST_CONNECTIONS {
            let stranger = open.iter().position(|one| !one.state.is_known.load(Ordering::SeqCst))?;
            // Its thread answers what has arrived already, reads the end, says why, and goes.
            let stranger = open.remove(stranger);
            stranger.state.must_go.store(true, Ordering::SeqCst);
            let _ = stranger.stream.shutdown(Shutdown::Read);
        }
        open.push(Open { stream, state: Arc::clone(&state) });
        Some(Place { connections: Arc::clone(self), state })
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Open>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Place {
    /// Whether the token was shown.
    pub(super) fn is_known(&self) -> bool {
        self.state.is_known.load(Ordering::SeqCst)
    }

    /// Whether the connection lost its place to another one.
    pub(super) fn must_go(&self) -> bool {
        self.state.must_go.load(Ordering::SeqCst)
    }

    /// The token was shown.
    pub(super) fn make_known(&self) {
        self.state.is_known.store(true, Ordering::SeqCst);
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.connections.lock().retain(|one| !Arc::ptr_eq(&one.state, &self.state));
    }
}
