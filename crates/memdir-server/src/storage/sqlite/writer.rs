//! The one thread that writes. What waits while it commits is committed together next time, so that many writers
//! share the price of a sync.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Mutex, PoisonError};
use std::thread;

use rusqlite::Connection;
use tokio::sync::oneshot;

use super::{closed, execute, failed};
use crate::storage::{Step, StorageError, Written};

pub(super) struct Writer {
    /// A lock, because a sender may not be shared by threads in every version of the standard library.
    queue: Mutex<Sender<Job>>,
}

struct Job {
    steps: Vec<Step>,
    answer: oneshot::Sender<Result<Written, StorageError>>,
}

/// So many jobs share one commit.
const MOST_TOGETHER: usize = 64;

impl Writer {
    pub(super) fn start(connection: Connection) -> Result<Self, StorageError> {
        let (queue, jobs) = channel();
        let named = thread::Builder::new().name("writer".to_owned());
        named
            .spawn(move || work(&connection, &jobs))
            .map_err(|error| StorageError::Failed(error.to_string()))?;
        Ok(Self { queue: Mutex::new(queue) })
    }

    pub(super) async fn write(&self, steps: Vec<Step>) -> Result<Written, StorageError> {
        let (answer, answered) = oneshot::channel();
        let sent = self.queue.lock().unwrap_or_else(PoisonError::into_inner).send(Job { steps, answer });
        sent.map_err(|_| closed())?;
        answered.await.map_err(|_| closed())?
    }
}

fn work(connection: &Connection, jobs: &Receiver<Job>) {
    while let Ok(first) = jobs.recv() {
        let mut together = vec![first];
        while together.len() < MOST_TOGETHER
            && let Ok(next) = jobs.try_recv()
        {
            together.push(next);
        }
        commit(connection, together);
    }
}

/// Does jobs in one transaction, each of them whole or not at all, and answers when all of that is on disk.
fn commit(connection: &Connection, jobs: Vec<Job>) {
    let mut answers = Vec::new();
    if let Err(error) = connection.execute_batch("BEGIN IMMEDIATE").map_err(failed) {
        for job in jobs {
            drop(job.answer.send(Err(same(&error))));
        }
        return;
    }
    for job in jobs {
        answers.push((job.answer, attempt(connection, &job.steps)));
    }
    let committed = connection.execute_batch("COMMIT").map_err(failed);
    if committed.is_err() {
        // A transaction that the disk had no room for is already gone in some cases.
        drop(connection.execute_batch("ROLLBACK"));
    }
    for (answer, outcome) in answers {
        let outcome = match (&committed, outcome) {
            (Err(error), Ok(_)) => Err(same(error)),
            (_, outcome) => outcome,
        };
        // Whoever asked may have gone.
        drop(answer.send(outcome));
    }
}

fn attempt(connection: &Connection, steps: &[Step]) -> Result<Written, StorageError> {
    connection.execute_batch("SAVEPOINT job").map_err(failed)?;
    let outcome = run(connection, steps);
    let end =
        if matches!(outcome, Ok(Written::All)) { "RELEASE job" } else { "ROLLBACK TO job; RELEASE job" };
    connection.execute_batch(end).map_err(failed)?;
    outcome
}

fn run(connection: &Connection, steps: &[Step]) -> Result<Written, StorageError> {
    for (number, step) in steps.iter().enumerate() {
        for values in &step.runs {
            let changed = execute(connection, step.sql, values)?;
            if step.changes.is_some_and(|wanted| wanted != changed) {
                return Ok(Written::Unmet(number));
            }
        }
    }
    Ok(Written::All)
}

/// An error for one more of those whom it befell.
fn same(error: &StorageError) -> StorageError {
    match error {
        StorageError::Unavailable(message) => StorageError::Unavailable(message.clone()),
        StorageError::Full(message) => StorageError::Full(message.clone()),
        StorageError::Duplicate(message) => StorageError::Duplicate(message.clone()),
        StorageError::Failed(message) => StorageError::Failed(message.clone()),
    }
}
