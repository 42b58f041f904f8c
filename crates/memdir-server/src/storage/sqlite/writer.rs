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
    /// `None` when it is over.
    queue: Mutex<Option<Sender<Job>>>,
    thread: Option<thread::JoinHandle<()>>,
}

/// Ending it waits until the file is complete: closing the connection moves the log beside it into the file.
impl Drop for Writer {
    fn drop(&mut self) {
        drop(self.queue.lock().unwrap_or_else(PoisonError::into_inner).take());
        if let Some(thread) = self.thread.take() {
            drop(thread.join());
        }
    }
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
        let thread = named.spawn(move || work(&connection, &jobs));
        let thread = thread.map_err(|error| StorageError::Failed(error.to_string()))?;
        Ok(Self { queue: Mutex::new(Some(queue)), thread: Some(thread) })
    }

    pub(super) async fn write(&self, steps: Vec<Step>) -> Result<Written, StorageError> {
        let (answer, answered) = oneshot::channel();
        match self.queue.lock().unwrap_or_else(PoisonError::into_inner).as_ref() {
            Some(queue) => queue.send(Job { steps, answer }).map_err(|_| closed())?,
            None => return Err(closed()),
        }
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
    let mut lost = None;
    for job in jobs {
        if let Some(error) = &lost {
            answers.push((job.answer, Err(same(error))));
            continue;
        }
        let outcome = attempt(connection, &job.steps);
        // Where the disk is full, everything may be gone that was done since the beginning.
        if connection.is_autocommit() {
            lost = Some(match &outcome {
                Err(error) => same(error),
                Ok(_) => StorageError::Failed("the transaction was lost".to_owned()),
            });
        }
        answers.push((job.answer, outcome));
    }
    let committed = match lost {
        Some(error) => Err(error),
        None => connection.execute_batch("COMMIT").map_err(failed),
    };
    if committed.is_err() && !connection.is_autocommit() {
        // A transaction that the disk had no room for is already gone in some cases.
        drop(connection.execute_batch("ROLLBACK"));
    }
    for (answer, outcome) in answers {
        let outcome = match (&committed, outcome) {
            (Err(error), Ok(_)) => Err(same(error)),
            (_, outcome) => outcome,
        };
        // The caller may have gone.
        drop(answer.send(outcome));
    }
}

fn attempt(connection: &Connection, steps: &[Step]) -> Result<Written, StorageError> {
    connection.execute_batch("SAVEPOINT job").map_err(failed)?;
    let outcome = run(connection, steps);
    let end =
        if matches!(outcome, Ok(Written::All)) { "RELEASE job" } else { "ROLLBACK TO job; RELEASE job" };
    match (connection.execute_batch(end).map_err(failed), outcome) {
        // What went wrong first says why.
        (_, Err(error)) | (Err(error), Ok(_)) => Err(error),
        (Ok(()), done) => done,
    }
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
        StorageError::Failed(message) => StorageError::Failed(message.clone()),
    }
}
