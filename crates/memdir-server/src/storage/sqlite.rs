//! SQLite: one file, one thread that writes, several that read.

use std::fs::OpenOptions;
use std::os::unix::fs::OpenOptionsExt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use camino::{Utf8Path, Utf8PathBuf};
use rusqlite::types::{ToSqlOutput, ValueRef};
use rusqlite::{Connection, ErrorCode, OpenFlags, ToSql};
use tokio::sync::Semaphore;
use tokio::sync::mpsc::Sender;

use super::migrations::{BOOKKEEPING, fingerprint, missing, statements};
use super::{Row, Step, Storage, StorageError, StorageFuture, Value, Written};

mod writer;

use writer::Writer;

/// A database in a file. Readers go before the writer, which puts everything into the one file when it ends last.
pub struct Sqlite {
    path: Utf8PathBuf,
    readers: Arc<Readers>,
    writer: Writer,
}

/// Connections that are not in use, and the right to have one.
struct Readers {
    path: Utf8PathBuf,
    idle: Mutex<Vec<Connection>>,
    free: Arc<Semaphore>,
}

const READERS: usize = 4;
/// So much of the file is read where it is in memory; what is beyond is copied.
const MAPPED_BYTES: i64 = 256 << 20;
/// So many rows are found by their keys before a thread has woken up.
const FEW: usize = 32;
/// How long another process that writes is waited for.
const PATIENCE: Duration = Duration::from_secs(5);

impl Sqlite {
    /// Opens the database in a file, which is made if it is not there, and brings its tables up to date.
    ///
    /// # Errors
    /// The file cannot be opened, is not a database of ours, or is a newer one.
    pub fn open(path: &Utf8Path) -> Result<Self, StorageError> {
        keep_to_ourselves(path)?;
        let mut connection = connect(path, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
        // A commit that was acknowledged survives the loss of power: the log is synced before every answer.
        connection.pragma_update(None, "journal_mode", "WAL").map_err(failed)?;
        connection.pragma_update(None, "synchronous", "FULL").map_err(failed)?;
        // What is erased is overwritten.
        connection.pragma_update(None, "secure_delete", "ON").map_err(failed)?;
        migrate(&mut connection)?;
        // All of them now: later there may be no descriptors left.
        let idle = (0..READERS).map(|_| connect_to_read(path));
        let idle = Mutex::new(idle.collect::<Result<_, _>>()?);
        let free = Arc::new(Semaphore::new(READERS));
        let readers = Arc::new(Readers { path: path.to_owned(), idle, free });
        Ok(Self { path: path.to_owned(), readers, writer: Writer::start(connection)? })
    }
}

/// Whether a process works with the database in a file, which is not opened here.
///
/// # Errors
/// It is not a database.
pub fn is_in_use(path: &Utf8Path) -> Result<bool, StorageError> {
    let connection = connect(path, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    connection.busy_timeout(Duration::ZERO).map_err(failed)?;
    let alone = connection.execute_batch("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; ROLLBACK");
    match alone.map_err(failed) {
        Ok(()) => Ok(false),
        Err(StorageError::Unavailable(_)) => Ok(true),
        Err(error) => Err(error),
    }
}

/// Whether a file holds a database of ours.
///
/// # Errors
/// It cannot be read.
pub fn is_ours(path: &Utf8Path) -> Result<bool, StorageError> {
    const SQL: &str = "SELECT count(*) FROM sqlite_master WHERE name IN ('migrations', 'teams', 'contents')";
    let connection = connect(path, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    match rows(&connection, SQL, &[]) {
        Ok(rows) => Ok(rows.first().is_some_and(|row| row.number(0).is_ok_and(|count| count == 3))),
        // No database of anybody's.
        Err(StorageError::Failed(_)) => Ok(false),
        Err(error) => Err(error),
    }
}

impl Storage for Sqlite {
    fn read(&self, sql: &'static str, runs: Vec<Vec<Value>>) -> StorageFuture<'_, Vec<Vec<Row>>> {
        let readers = Arc::clone(&self.readers);
        Box::pin(async move {
            let turn = Arc::clone(&readers.free).acquire_owned().await.map_err(|_| closed())?;
            let reading = tokio::task::spawn_blocking(move || {
                // The caller may be gone before the answer; the turn is over when the reading is.
                let _turn = turn;
                readers.read(sql, &runs)
            });
            reading.await.map_err(|_| closed())?
        })
    }

    fn look_up(&self, sql: &'static str, runs: Vec<Vec<Value>>) -> StorageFuture<'_, Vec<Vec<Row>>> {
        // If all readers are at work, no caller blocks another.
        if runs.len() <= FEW
            && let Ok(_turn) = Arc::clone(&self.readers.free).try_acquire_owned()
        {
            let answer = self.readers.read(sql, &runs);
            return Box::pin(std::future::ready(answer));
        }
        self.read(sql, runs)
    }

    fn write(&self, steps: Vec<Step>) -> StorageFuture<'_, Written> {
        Box::pin(self.writer.write(steps))
    }

    fn dump(&self, statements: Vec<&'static str>, out: Sender<(usize, Vec<Row>)>) -> StorageFuture<'_, ()> {
        let path = self.path.clone();
        Box::pin(async move {
            let reading = tokio::task::spawn_blocking(move || dump(&path, &statements, &out));
            reading.await.map_err(|_| closed())?
        })
    }

    /// Moves the log beside the file into the file: an operator may copy the file alone.
    fn finish(&self) -> StorageFuture<'_, ()> {
        let path = self.path.clone();
        Box::pin(async move {
            let finishing = tokio::task::spawn_blocking(move || {
                let connection = connect(&path, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
                rows(&connection, "PRAGMA wal_checkpoint(TRUNCATE)", &[]).map(drop)
            });
            finishing.await.map_err(|_| closed())?
        })
    }

    fn engine(&self) -> &'static str {
        "sqlite"
    }
}

impl Readers {
    fn read(&self, sql: &str, runs: &[Vec<Value>]) -> Result<Vec<Vec<Row>>, StorageError> {
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let connection = match idle {
            Some(connection) => connection,
            None => connect_to_read(&self.path)?,
        };
        let answer = match runs {
            [values] => rows(&connection, sql, values).map(|rows| vec![rows]),
            runs => {
                // All runs see one state.
                execute(&connection, "BEGIN", &[])?;
                let answer = runs.iter().map(|values| rows(&connection, sql, values)).collect();
                execute(&connection, "COMMIT", &[])?;
                answer
            }
        };
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(connection);
        answer
    }
}

/// Makes the file if it is missing, readable by its owner alone; SQLite gives the files beside it the same rights.
#[expect(
    clippy::disallowed_methods,
    reason = "the database is a file of its own, not one of anybody's memory"
)]
fn keep_to_ourselves(path: &Utf8Path) -> Result<(), StorageError> {
    let made = OpenOptions::new().write(true).create(true).truncate(false).mode(0o600).open(path);
    made.map(drop).map_err(|error| StorageError::Failed(format!("`{path}`: {error}")))
}

fn connect(path: &Utf8Path, flags: OpenFlags) -> Result<Connection, StorageError> {
    let flags = flags | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags)
        .map_err(|error| StorageError::Failed(format!("`{path}`: {error}")))?;
    connection.busy_timeout(PATIENCE).map_err(failed)?;
    connection.set_prepared_statement_cache_capacity(64);
    Ok(connection)
}

/// A reader forgets every page it holds at each commit, and reads them anew: from the kernel's own memory, that costs
/// no copy.
fn connect_to_read(path: &Utf8Path) -> Result<Connection, StorageError> {
    let connection = connect(path, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
    connection.pragma_update(None, "mmap_size", MAPPED_BYTES).map_err(failed)?;
    Ok(connection)
}

fn migrate(connection: &mut Connection) -> Result<(), StorageError> {
    let transaction =
        connection.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate).map_err(failed)?;
    transaction.execute_batch(BOOKKEEPING).map_err(failed)?;
    let done: Vec<String> = rows(&transaction, "SELECT fingerprint FROM migrations ORDER BY number", &[])?
        .iter()
        .map(|row| row.text(0))
        .collect::<Result<_, _>>()?;
    for (number, step) in (done.len()..).zip(missing(&done).map_err(StorageError::Failed)?) {
        transaction.execute_batch(&statements(step, "BLOB", "TEXT")).map_err(failed)?;
        let values = [Value::from(number), fingerprint(step).into()];
        execute(&transaction, "INSERT INTO migrations (number, fingerprint) VALUES ($1, $2)", &values)?;
    }
    transaction.commit().map_err(failed)
}

fn rows(connection: &Connection, sql: &str, values: &[Value]) -> Result<Vec<Row>, StorageError> {
    let mut statement = connection.prepare_cached(&numbered(sql)).map_err(failed)?;
    let columns = statement.column_count();
    let mut found = statement.query(rusqlite::params_from_iter(values)).map_err(failed)?;
    let mut rows = Vec::new();
    while let Some(row) = found.next().map_err(failed)? {
        rows.push(converted(row, columns)?);
    }
    Ok(rows)
}

/// Reads everything in one transaction, and sends it as it comes.
fn dump(
    path: &Utf8Path,
    statements: &[&'static str],
    out: &Sender<(usize, Vec<Row>)>,
) -> Result<(), StorageError> {
    const AT_ONCE: usize = 500;
    const BYTES_AT_ONCE: usize = 1 << 20;
    let connection = connect(path, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
    connection.execute_batch("BEGIN").map_err(failed)?;
    for (number, sql) in statements.iter().enumerate() {
        let mut statement = connection.prepare(sql).map_err(failed)?;
        let columns = statement.column_count();
        let mut found = statement.query([]).map_err(failed)?;
        loop {
            let (mut rows, mut bytes) = (Vec::new(), 0);
            while rows.len() < AT_ONCE
                && bytes < BYTES_AT_ONCE
                && let Some(row) = found.next().map_err(failed)?
            {
                let row = converted(row, columns)?;
                bytes += row.0.iter().map(Value::size).sum::<usize>();
                rows.push(row);
            }
            if rows.is_empty() {
                break;
            }
            out.blocking_send((number, rows)).map_err(|_| closed())?;
        }
    }
    connection.execute_batch("COMMIT").map_err(failed)
}

fn converted(row: &rusqlite::Row<'_>, columns: usize) -> Result<Row, StorageError> {
    let value = |column| {
        Ok(match row.get_ref(column).map_err(failed)? {
            ValueRef::Null => Value::Null,
            ValueRef::Integer(number) => Value::Number(number),
            ValueRef::Real(_) => return Err(StorageError::Failed("a fraction".to_owned())),
            ValueRef::Text(text) => Value::Text(String::from_utf8_lossy(text).into_owned()),
            ValueRef::Blob(bytes) => Value::Bytes(bytes.to_vec()),
        })
    };
    Ok(Row((0..columns).map(value).collect::<Result<_, _>>()?))
}

fn execute(connection: &Connection, sql: &str, values: &[Value]) -> Result<u64, StorageError> {
    let mut statement = connection.prepare_cached(&numbered(sql)).map_err(failed)?;
    let changed = statement.execute(rusqlite::params_from_iter(values)).map_err(failed)?;
    Ok(changed as u64)
}

/// SQLite numbers its places with another sign.
fn numbered(sql: &str) -> String {
    sql.replace('$', "?")
}

impl ToSql for Value {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Borrowed(match self {
            Self::Null => ValueRef::Null,
            Self::Number(number) => ValueRef::Integer(*number),
            Self::Text(text) => ValueRef::Text(text.as_bytes()),
            Self::Bytes(bytes) => ValueRef::Blob(bytes),
        }))
    }
}

/// `SQLITE_IOERR_WRITE`: a disk or a quota that is full says so in several ways.
const CANNOT_WRITE: i32 = 778;

fn failed(error: rusqlite::Error) -> StorageError {
    if error.sqlite_error().is_some_and(|error| error.extended_code == CANNOT_WRITE) {
        return StorageError::Full(error.to_string());
    }
    match error.sqlite_error_code() {
        Some(ErrorCode::DiskFull) => StorageError::Full(error.to_string()),
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked | ErrorCode::CannotOpen) => {
            StorageError::Unavailable(error.to_string())
        }
        _ => StorageError::Failed(error.to_string()),
    }
}

fn closed() -> StorageError {
    StorageError::Unavailable("the server is stopping".to_owned())
}
