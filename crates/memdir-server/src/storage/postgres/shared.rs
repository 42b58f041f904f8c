//! Connections that many requests use at the same time.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use deadpool_postgres::Object;
use tokio::sync::Mutex;

use crate::storage::StorageError;

/// So many connections are shared: one can be answered while the other is asked.
const LINES: usize = 2;

/// A few connections on which small questions follow each other without waiting for answers.
///
/// A question to the database costs more in waking the two sides than in being answered. Those that come at the same time
/// on one connection travel together.
#[derive(Default)]
pub(super) struct Shared {
    lines: [Mutex<Option<Arc<Object>>>; LINES],
    turn: AtomicUsize,
}

impl Shared {
    /// One of them, made anew if it broke off.
    ///
    /// # Errors
    /// There is no connection.
    pub(super) async fn client<F>(&self, connect: impl FnOnce() -> F) -> Result<Arc<Object>, StorageError>
    where
        F: Future<Output = Result<Object, StorageError>>,
    {
        let turn = self.turn.fetch_add(1, Ordering::Relaxed) % LINES;
        let [first, second] = &self.lines;
        let mut line = if turn == 0 { first.lock().await } else { second.lock().await };
        if let Some(client) = line.as_ref().filter(|client| !client.is_closed()) {
            return Ok(Arc::clone(client));
        }
        let client = Arc::new(connect().await?);
        *line = Some(Arc::clone(&client));
        Ok(client)
    }
}
