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
    is_known: Arc<AtomicBool>,
}

/// The place of one connection, for as long as it is held.
pub(super) struct Place {
    connections: Arc<Connections>,
    is_known: Arc<AtomicBool>,
}

impl Connections {
    /// Gives a connection a place; `None` if there is none.
    pub(super) fn admit(self: &Arc<Self>, stream: &TcpStream) -> Option<Place> {
        let stream = stream.try_clone().ok()?;
        let is_known = Arc::new(AtomicBool::new(false));
        let mut open = self.lock();
        if open.len() >= MOST_CONNECTIONS {
            let stranger = open.iter().position(|one| !one.is_known.load(Ordering::SeqCst))?;
            // Its thread reads the end, and goes.
            let _ = open.remove(stranger).stream.shutdown(Shutdown::Both);
        }
        open.push(Open { stream, is_known: Arc::clone(&is_known) });
        Some(Place { connections: Arc::clone(self), is_known })
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Open>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Place {
    /// Whether the token was shown.
    pub(super) fn is_known(&self) -> bool {
        self.is_known.load(Ordering::SeqCst)
    }

    /// The token was shown.
    pub(super) fn make_known(&self) {
        self.is_known.store(true, Ordering::SeqCst);
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.connections.lock().retain(|one| !Arc::ptr_eq(&one.is_known, &self.is_known));
    }
}
