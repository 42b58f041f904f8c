//! Connections that many requests use at the same time.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use deadpool_postgres::{ClientWrapper, Object};
use tokio::sync::{Mutex, MutexGuard};
use tokio::time::timeout;

use super::PATIENCE;
use crate::storage::StorageError;

/// A few connections on which small questions follow each other without waiting for answers.
///
/// A question to the database costs more in waking the two sides than in being answered. Those that come at the same time
/// on one connection travel together.
#[derive(Default)]
pub(super) struct Shared {
    /// One can be answered while the other is asked.
    lines: [Line; 2],
    turn: AtomicUsize,
}

type Line = Mutex<Option<Arc<ClientWrapper>>>;

impl Shared {
    /// One of them, made anew if it broke off.
    ///
    /// # Errors
    /// There is no connection.
    pub(super) async fn client<F>(
        &self,
        connect: impl FnOnce() -> F,
    ) -> Result<Arc<ClientWrapper>, StorageError>
    where
        F: Future<Output = Result<Object, StorageError>>,
    {
        let [one, other] = &self.lines;
        let line = if self.turn.fetch_add(1, Ordering::Relaxed).is_multiple_of(2) { one } else { other };
        let mut line: MutexGuard<'_, _> = timeout(PATIENCE, line.lock())
            .await
            .map_err(|_| StorageError::Unavailable("it cannot be reached".to_owned()))?;
        if let Some(client) = line.as_ref().filter(|client| !client.is_closed()) {
            return Ok(Arc::clone(client));
        }
        // It never goes back to those that are used by one at a time: others may still wait on it.
        let client = Arc::new(Object::take(connect().await?));
        *line = Some(Arc::clone(&client));
        Ok(client)
    }

    /// Lets go of a connection that does not answer.
    pub(super) async fn give_up(&self, silent: &Arc<ClientWrapper>) {
        for line in &self.lines {
            let mut line = line.lock().await;
            if line.as_ref().is_some_and(|client| Arc::ptr_eq(client, silent)) {
                *line = None;
            }
        }
    }
}
