//! What keeps a server's data: a database that runs statements, and groups of statements as one.
//!
//! Everything that the server knows how to ask is written once, in [`crate::store`], in the SQL that both engines speak.
//! An engine only has to run it: so the two cannot come to mean different things.

use std::future::Future;
use std::pin::Pin;

use tokio::sync::mpsc::Sender;

mod migrations;
pub mod postgres;
pub mod sqlite;

pub use migrations::MIGRATIONS;

/// A value in a statement or in a row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value {
    /// Nothing.
    Null,
    /// A number.
    Number(i64),
    /// A text.
    Text(String),
    /// Bytes.
    Bytes(Vec<u8>),
}

/// A row of an answer.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Row(pub Vec<Value>);

/// A statement, with values for `$1`, `$2`, … in each of its runs.
#[derive(Debug, Clone)]
pub struct Step {
    /// The statement.
    pub sql: &'static str,
    /// The values, once for each run.
    pub runs: Vec<Vec<Value>>,
    /// How many rows each run must change; `None`: any number will do.
    pub changes: Option<u64>,
}

/// What became of steps that belong together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Written {
    /// All of them are durable.
    All,
    /// This one did not change as many rows as it must; none was done.
    Unmet(usize),
}

/// Why a database did not answer.
#[derive(Debug, thiserror::Error)]
pub enum StorageError {
    /// It cannot be reached now; later it may.
    #[error("the database cannot be reached: {0}")]
    Unavailable(String),
    /// It has no room left.
    #[error("the database is full: {0}")]
    Full(String),
    /// It cannot be used as it is.
    #[error("the database failed: {0}")]
    Failed(String),
}

/// What a database will have answered.
pub type StorageFuture<'s, T> = Pin<Box<dyn Future<Output = Result<T, StorageError>> + Send + 's>>;

/// A database.
pub trait Storage: Send + Sync {
    /// Its rows for each run of a question. What others write meanwhile may show in later runs.
    fn read(&self, sql: &'static str, runs: Vec<Vec<Value>>) -> StorageFuture<'_, Vec<Vec<Row>>>;

    /// The same, for questions that ask for a few rows by their keys: what is answered sooner than a thread wakes up need
    /// not wait for one.
    fn look_up(&self, sql: &'static str, runs: Vec<Vec<Value>>) -> StorageFuture<'_, Vec<Vec<Row>>> {
        self.read(sql, runs)
    }

    /// Does all steps or none. They are durable when this returns, and no other writer came in between.
    fn write(&self, steps: Vec<Step>) -> StorageFuture<'_, Written>;

    /// Sends the rows of several questions, a few at a time and each with the number of its question, all as they are at
    /// one moment.
    fn dump(&self, statements: Vec<&'static str>, out: Sender<(usize, Vec<Row>)>) -> StorageFuture<'_, ()>;

    /// Leaves everything as the next reader expects it.
    fn finish(&self) -> StorageFuture<'_, ()> {
        Box::pin(async { Ok(()) })
    }

    /// What the engine is called.
    fn engine(&self) -> &'static str;
}

impl Step {
    /// One run that may change any number of rows.
    #[must_use]
    pub fn once(sql: &'static str, values: Vec<Value>) -> Self {
        Self { sql, runs: vec![values], changes: None }
    }

    /// One run that must change one row.
    #[must_use]
    pub fn exactly_one(sql: &'static str, values: Vec<Value>) -> Self {
        Self { sql, runs: vec![values], changes: Some(1) }
    }

    /// As many runs as there are values.
    #[must_use]
    pub fn many(sql: &'static str, runs: Vec<Vec<Value>>) -> Self {
        Self { sql, runs, changes: None }
    }
}

impl Value {
    /// How many bytes it takes, about.
    #[must_use]
    pub fn size(&self) -> usize {
        match self {
            Self::Null | Self::Number(_) => 8,
            Self::Text(text) => text.len(),
            Self::Bytes(bytes) => bytes.len(),
        }
    }
}

impl From<i64> for Value {
    fn from(number: i64) -> Self {
        Self::Number(number)
    }
}

impl From<u64> for Value {
    fn from(number: u64) -> Self {
        Self::Number(i64::try_from(number).unwrap_or(i64::MAX))
    }
}

impl From<usize> for Value {
    fn from(number: usize) -> Self {
        Self::Number(i64::try_from(number).unwrap_or(i64::MAX))
    }
}

impl From<bool> for Value {
    fn from(holds: bool) -> Self {
        Self::Number(holds.into())
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for Value {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<Vec<u8>> for Value {
    fn from(bytes: Vec<u8>) -> Self {
        Self::Bytes(bytes)
    }
}

impl<V: Into<Self>> From<Option<V>> for Value {
    fn from(value: Option<V>) -> Self {
        value.map_or(Self::Null, Into::into)
    }
}

impl Row {
    /// The number in a column.
    ///
    /// # Errors
    /// There is none.
    pub fn number(&self, column: usize) -> Result<i64, StorageError> {
        self.optional_number(column)?.ok_or_else(|| unexpected(column))
    }

    /// The number in a column that may be empty.
    ///
    /// # Errors
    /// There is something else.
    pub fn optional_number(&self, column: usize) -> Result<Option<i64>, StorageError> {
        match self.0.get(column) {
            Some(Value::Number(number)) => Ok(Some(*number)),
            Some(Value::Null) => Ok(None),
            _ => Err(unexpected(column)),
        }
    }

    /// The count in a column.
    ///
    /// # Errors
    /// There is none.
    pub fn count(&self, column: usize) -> Result<u64, StorageError> {
        u64::try_from(self.number(column)?).map_err(|_| unexpected(column))
    }

    /// The text in a column.
    ///
    /// # Errors
    /// There is none.
    pub fn text(&self, column: usize) -> Result<String, StorageError> {
        self.optional_text(column)?.ok_or_else(|| unexpected(column))
    }

    /// The text in a column that may be empty.
    ///
    /// # Errors
    /// There is something else.
    pub fn optional_text(&self, column: usize) -> Result<Option<String>, StorageError> {
        match self.0.get(column) {
            Some(Value::Text(text)) => Ok(Some(text.clone())),
            Some(Value::Null) => Ok(None),
            _ => Err(unexpected(column)),
        }
    }

    /// The bytes in a column.
    ///
    /// # Errors
    /// There are none.
    pub fn bytes(&self, column: usize) -> Result<Vec<u8>, StorageError> {
        match self.0.get(column) {
            Some(Value::Bytes(bytes)) => Ok(bytes.clone()),
            _ => Err(unexpected(column)),
        }
    }
}

fn unexpected(column: usize) -> StorageError {
    StorageError::Failed(format!("column {column} does not hold what it should"))
}
