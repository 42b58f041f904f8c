//! PostgreSQL: many teams, and several servers on one database.

use std::error::Error as _;
use std::time::Duration;

use camino::Utf8Path;
use deadpool_postgres::{
    ClientWrapper, Hook, HookError, Manager, ManagerConfig, Object, Pool, PoolError, RecyclingMethod, Runtime,
};
use futures_util::future::{join_all, try_join_all};
use tokio::sync::mpsc::Sender;
use tokio::time::timeout;
use tokio_postgres::config::{SslMode, TargetSessionAttrs};
use tokio_postgres::error::SqlState;
use tokio_postgres::types::private::BytesMut;
use tokio_postgres::types::{IsNull, ToSql, Type, to_sql_checked};
use tokio_postgres::{Config, IsolationLevel, NoTls, Statement};

use super::migrations::{BOOKKEEPING, fingerprint, missing, statements};
use super::{Row, Step, Storage, StorageError, StorageFuture, Value, Written};

mod connection;
mod many_rows;
mod shared;
mod tls;

use connection::ConnectionAddress;
use many_rows::many_rows;
use shared::Shared;
use tls::Tls;

/// A database of a PostgreSQL server.
pub struct Postgres {
    pool: Pool,
    shared: Shared,
}

const CONNECTIONS: usize = 16;
/// Plans are made for teams as they are on average. One that is made for a team that the statistics do not know yet takes it
/// for empty, and reads all of it for each of its rows.
///
/// What is acknowledged is on disk, whatever the database is told to do for others. Every connected server holds a shared lock.
const SETTINGS: &str = "SET plan_cache_mode = force_generic_plan; SET synchronous_commit = on; \
                        SELECT pg_advisory_lock_shared(120265113136754)";
/// The same number: a server that gets it exclusively is alone.
const ALONE: &str = "SELECT CAST(pg_try_advisory_lock(120265113136754) AS INT)";
const NOT_ALONE_ANY_MORE: &str = "SELECT pg_advisory_unlock(120265113136754)";
/// The tables are made for this.
const FITS: &str =
    "SELECT CAST(current_setting('server_version_num') AS INT), current_setting('server_encoding')";
const OLDEST: i64 = 150_000;
/// How long a connection is waited for.
const PATIENCE: Duration = Duration::from_secs(5);
/// How often a transaction that met another one is tried again.
const TRIES: u32 = 20;
/// So many runs of a statement are under way at once.
const AT_ONCE: usize = 256;
/// So many rows go in by one statement where there are more.
const ROWS: usize = 50;
/// So many look-ups delay no other user of the same connection.
const FEW: usize = 16;
/// Any number that no other program locks.
const MIGRATION_LOCK: i64 = 0x6d65_6d64_6972;

impl Postgres {
    /// Connects to a database, and brings its tables up to date. With certificates, or if its address asks for it, the connection
    /// is encrypted, and the database must show a valid certificate for its name.
    ///
    /// # Errors
    /// It cannot be reached, is not a database of ours, or is a newer one.
    pub async fn connect(url: &str, certificates: Option<&Utf8Path>) -> Result<Self, StorageError> {
        let way = ConnectionAddress::of(url, certificates)?;
        // What is wrong with an address may repeat a password.
        let mut config: Config =
            way.url.parse().map_err(|_| StorageError::Failed("this is not a database address".to_owned()))?;
        config.connect_timeout(PATIENCE).application_name("memdir-server");
        // One that only reads is another one's copy.
        config.target_session_attrs(TargetSessionAttrs::ReadWrite);
        // A database that went without a word is noticed in half a minute.
        config.keepalives_idle(Duration::from_secs(15)).keepalives_interval(Duration::from_secs(5));
        config.keepalives_retries(3).tcp_user_timeout(Duration::from_secs(15));
        let manager = ManagerConfig { recycling_method: RecyclingMethod::Fast };
        let manager = match way.certificates {
            Some(certificates) => {
                config.ssl_mode(SslMode::Require);
                Manager::from_config(config, Tls::trusting(&certificates)?, manager)
            }
            None => Manager::from_config(config, NoTls, manager),
        };
        let pool = Pool::builder(manager)
            .max_size(CONNECTIONS)
            .runtime(Runtime::Tokio1)
            .post_create(Hook::async_fn(|client, _| {
                Box::pin(async move { client.batch_execute(SETTINGS).await.map_err(HookError::Backend) })
            }))
            .wait_timeout(Some(PATIENCE))
            .create_timeout(Some(PATIENCE))
            .build()
            .map_err(|error| StorageError::Failed(error.to_string()))?;
        let storage = Self { pool, shared: Shared::default() };
        storage.migrate().await?;
        Ok(storage)
    }

    /// Whether another process works with it, too.
    ///
    /// # Errors
    /// It fails.
    pub async fn is_in_use(&self) -> Result<bool, StorageError> {
        let client = self.client().await?;
        let rows = ask(&client, ALONE, &[vec![]]).await?;
        let is_alone = rows.iter().flatten().any(|row| row.number(0).is_ok_and(|got| got == 1));
        if is_alone {
            client.batch_execute(NOT_ALONE_ANY_MORE).await.map_err(failed)?;
        }
        Ok(!is_alone)
    }

    async fn client(&self) -> Result<Object, StorageError> {
        self.pool.get().await.map_err(|error| match error {
            PoolError::Backend(error) | PoolError::PostCreateHook(HookError::Backend(error)) => failed(error),
            other => StorageError::Unavailable(other.to_string()),
        })
    }

    async fn migrate(&self) -> Result<(), StorageError> {
        let mut client = self.client().await?;
        for row in ask(&client, FITS, &[vec![]]).await?.iter().flatten() {
            let (version, encoding) = (row.number(0)?, row.text(1)?);
            if version < OLDEST || encoding != "UTF8" {
                let message = format!(
                    "PostgreSQL 15 or newer is needed, and a database in UTF8; this is {} in {encoding}",
                    version / 10_000
                );
                return Err(StorageError::Failed(message));
            }
        }
        let transaction = client.transaction().await.map_err(failed)?;
        // Several servers may start at once.
        transaction.execute("SELECT pg_advisory_xact_lock($1)", &[&MIGRATION_LOCK]).await.map_err(failed)?;
        transaction.batch_execute(BOOKKEEPING).await.map_err(failed)?;
        let rows = transaction.query("SELECT fingerprint FROM migrations ORDER BY number", &[]).await;
        let done: Vec<String> =
            rows.map_err(failed)?.iter().map(|row| converted(row)?.text(0)).collect::<Result<_, _>>()?;
        for (number, step) in (done.len()..).zip(missing(&done).map_err(StorageError::Failed)?) {
            let sql = statements(step, "BYTEA", "TEXT COLLATE \"C\"");
            transaction.batch_execute(&sql).await.map_err(failed)?;
            let (number, print) = (Value::from(number), Value::from(fingerprint(step)));
            let sql = "INSERT INTO migrations (number, fingerprint) VALUES ($1, $2)";
            transaction.execute(sql, &[&number, &print]).await.map_err(failed)?;
        }
        transaction.commit().await.map_err(failed)
    }

    /// Sends steps without waiting for the answer to each, as long as one transaction is what they are.
    async fn attempt<'s>(client: &mut Object, steps: &'s [Step]) -> Result<Written, tokio_postgres::Error> {
        let serialisable = client.build_transaction().isolation_level(IsolationLevel::Serializable);
        let transaction = serialisable.start().await?;
        let mut runs = Vec::new();
        for (number, step) in steps.iter().enumerate().filter(|(_, step)| !step.runs.is_empty()) {
            let mut rest = step.runs.as_slice();
            if let Some(wide) = many_rows(step, ROWS) {
                let statement = transaction.prepare_cached(&wide).await?;
                let groups = rest.chunks_exact(ROWS);
                rest = groups.remainder();
                let values = |group: &'s [Vec<Value>]| group.iter().flat_map(|run| bind(run)).collect();
                runs.extend(groups.map(|group| Run::new(number, None, &statement, values(group))));
            }
            let statement = transaction.prepare_cached(step.sql).await?;
            runs.extend(rest.iter().map(|run| Run::new(number, step.changes, &statement, bind(run))));
        }
        // Who was slower than another one learns that from the first step that must be met: what follows is not even sent,
        // or the database would log an error for each.
        let first = runs.iter().position(|run| run.changes.is_some()).map_or(0, |first| first + 1);
        let (first, rest) = runs.split_at(first);
        for some in first.chunks(AT_ONCE).chain(rest.chunks(AT_ONCE)) {
            let answers = some.iter().map(|run| transaction.execute(&run.statement, &run.values));
            // What follows a step that was not met may fail for that reason alone: the first answer that is wrong counts.
            for (run, changed) in some.iter().zip(join_all(answers).await) {
                let changed = changed?;
                if run.changes.is_some_and(|wanted| wanted != changed) {
                    transaction.rollback().await?;
                    return Ok(Written::Unmet(run.step));
                }
            }
        }
        transaction.commit().await?;
        Ok(Written::All)
    }
}

/// One statement of a transaction, ready to be sent.
struct Run<'s> {
    step: usize,
    changes: Option<u64>,
    statement: Statement,
    values: Vec<&'s (dyn ToSql + Sync)>,
}

impl<'s> Run<'s> {
    fn new(
        step: usize,
        changes: Option<u64>,
        statement: &Statement,
        values: Vec<&'s (dyn ToSql + Sync)>,
    ) -> Self {
        Self { step, changes, statement: statement.clone(), values }
    }
}

/// The rows for each run of a question, asked without waiting for the answer to each.
async fn ask(client: &ClientWrapper, sql: &str, runs: &[Vec<Value>]) -> Result<Vec<Vec<Row>>, StorageError> {
    let statement = client.prepare_cached(sql).await.map_err(failed)?;
    let mut answers = Vec::with_capacity(runs.len());
    for some in runs.chunks(AT_ONCE) {
        let bound: Vec<Vec<&(dyn ToSql + Sync)>> = some.iter().map(|run| bind(run)).collect();
        let found = try_join_all(bound.iter().map(|values| client.query(&statement, values)));
        for rows in found.await.map_err(failed)? {
            answers.push(rows.iter().map(converted).collect::<Result<_, _>>()?);
        }
    }
    Ok(answers)
}

impl Storage for Postgres {
    fn read(&self, sql: &'static str, runs: Vec<Vec<Value>>) -> StorageFuture<'_, Vec<Vec<Row>>> {
        Box::pin(async move { ask(&*self.client().await?, sql, &runs).await })
    }

    fn look_up(&self, sql: &'static str, runs: Vec<Vec<Value>>) -> StorageFuture<'_, Vec<Vec<Row>>> {
        if runs.len() > FEW {
            return self.read(sql, runs);
        }
        Box::pin(async move {
            let client = self.shared.client(|| self.client()).await?;
            match timeout(PATIENCE, ask(&client, sql, &runs)).await {
                Ok(answer) => answer,
                Err(_) => {
                    self.shared.give_up(&client).await;
                    Err(StorageError::Unavailable("it does not answer".to_owned()))
                }
            }
        })
    }

    fn write(&self, steps: Vec<Step>) -> StorageFuture<'_, Written> {
        Box::pin(async move {
            let mut pause = Duration::from_millis(2);
            for _ in 0..TRIES {
                let mut client = self.client().await?;
                match Self::attempt(&mut client, &steps).await {
                    Err(error) if met_another(&error) => {
                        drop(client);
                        tokio::time::sleep(pause).await;
                        pause = (pause * 2).min(Duration::from_millis(200));
                    }
                    Err(error) if error.code() == Some(&SqlState::READ_ONLY_SQL_TRANSACTION) => {
                        // It became a copy of another one; who asks again may find that one.
                        drop(Object::take(client));
                        return Err(failed(error));
                    }
                    done => return done.map_err(failed),
                }
            }
            Err(StorageError::Unavailable("others write the same all the time".to_owned()))
        })
    }

    fn dump(&self, statements: Vec<&'static str>, out: Sender<(usize, Vec<Row>)>) -> StorageFuture<'_, ()> {
        Box::pin(async move {
            let mut client = self.client().await?;
            let snapshot =
                client.build_transaction().isolation_level(IsolationLevel::RepeatableRead).read_only(true);
            let snapshot = snapshot.start().await.map_err(failed)?;
            for (number, sql) in statements.into_iter().enumerate() {
                snapshot
                    .batch_execute(&format!("DECLARE everything CURSOR FOR {sql}"))
                    .await
                    .map_err(failed)?;
                loop {
                    let rows = snapshot.query("FETCH 50 FROM everything", &[]).await.map_err(failed)?;
                    if rows.is_empty() {
                        break;
                    }
                    let rows = rows.iter().map(converted).collect::<Result<_, _>>()?;
                    out.send((number, rows)).await.map_err(|_| receiver_gone())?;
                }
                snapshot.batch_execute("CLOSE everything").await.map_err(failed)?;
            }
            snapshot.commit().await.map_err(failed)
        })
    }

    fn engine(&self) -> &'static str {
        "postgres"
    }
}

fn receiver_gone() -> StorageError {
    StorageError::Failed("the reader went away".to_owned())
}

fn bind(run: &[Value]) -> Vec<&(dyn ToSql + Sync)> {
    run.iter().map(|value| value as &(dyn ToSql + Sync)).collect()
}

fn converted(row: &tokio_postgres::Row) -> Result<Row, StorageError> {
    let value = |column: usize| {
        let kind = row.columns().get(column).map(|column| column.type_().clone());
        Ok(match kind {
            Some(Type::INT8) => row.try_get::<_, Option<i64>>(column).map_err(failed)?.into(),
            Some(Type::INT4) => row.try_get::<_, Option<i32>>(column).map_err(failed)?.map(i64::from).into(),
            Some(Type::TEXT) => row.try_get::<_, Option<String>>(column).map_err(failed)?.into(),
            Some(Type::BYTEA) => row.try_get::<_, Option<Vec<u8>>>(column).map_err(failed)?.into(),
            other => return Err(StorageError::Failed(format!("a column of type {other:?}"))),
        })
    };
    Ok(Row((0..row.len()).map(value).collect::<Result<_, _>>()?))
}

impl ToSql for Value {
    fn to_sql(
        &self,
        kind: &Type,
        out: &mut BytesMut,
    ) -> Result<IsNull, Box<dyn std::error::Error + Sync + Send>> {
        match self {
            Self::Null => Ok(IsNull::Yes),
            Self::Number(number) => number.to_sql(kind, out),
            Self::Text(text) => text.to_sql(kind, out),
            Self::Bytes(bytes) => bytes.to_sql(kind, out),
        }
    }

    fn accepts(_: &Type) -> bool {
        true
    }

    to_sql_checked!();
}

/// Whether two transactions were in each other's way, so that one of them has to begin again.
fn met_another(error: &tokio_postgres::Error) -> bool {
    let codes = [SqlState::T_R_SERIALIZATION_FAILURE, SqlState::T_R_DEADLOCK_DETECTED];
    error.code().is_some_and(|code| codes.contains(code))
}

fn failed(error: tokio_postgres::Error) -> StorageError {
    let said = match error.as_db_error() {
        // A detail may quote what a row holds.
        Some(said) => said.message().to_owned(),
        None => match error.source() {
            Some(cause) => format!("{error}: {cause}"),
            None => error.to_string(),
        },
    };
    match error.code() {
        Some(code) if *code == SqlState::DISK_FULL => StorageError::Full(said),
        Some(code)
            if code.code().starts_with("57P")
                || code.code().starts_with("08")
                || *code == SqlState::TOO_MANY_CONNECTIONS
                || *code == SqlState::OUT_OF_MEMORY
                || *code == SqlState::READ_ONLY_SQL_TRANSACTION
                || *code == SqlState::QUERY_CANCELED =>
        {
            StorageError::Unavailable(said)
        }
        Some(_) => StorageError::Failed(said),
        // Any other error comes from the connection.
        None => StorageError::Unavailable(said),
    }
}
