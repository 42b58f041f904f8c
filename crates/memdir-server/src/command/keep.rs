//! Backups, and the way from one engine to another.

use std::io::Write;

use anyhow::{Context, Result, bail};
use camino::{Utf8Path, Utf8PathBuf};
use clap::Args;

use super::{Database, World, file_of, open, shown};
use crate::copy::copy;
use crate::random::random_id;
use crate::storage::postgres::Postgres;
use crate::storage::sqlite;

#[derive(Debug, Args)]
#[command(
    after_help = "The server may run: the copy is everything as it was at one moment. It is a database of its own, of SQLite whatever the
server uses; keep it as safe as the server, although no token can be got out of it.

Examples:
  memdir-server backup /var/backups/memdir-monday.db"
)]
pub(super) struct Backup {
    /// The file, which must not be there yet
    file: Utf8PathBuf,
    #[command(flatten)]
    database: Database,
}

impl Backup {
    #[expect(
        clippy::disallowed_methods,
        reason = "the backup is a file of its own, not one of anybody's memory"
    )]
    pub(super) async fn run(self, world: &mut World) -> Result<()> {
        if self.file.exists() {
            bail!("`{}` is there already", self.file);
        }
        let from = self.database.name(world)?;
        // What was cut off must not look like a backup.
        let unfinished = Utf8PathBuf::from(format!("{}.unfinished", self.file));
        remove(&unfinished)?;
        let made =
            transfer((&from, self.database.db_ca.as_deref()), (&format!("sqlite:{unfinished}"), None)).await;
        if made.is_err() {
            remove(&unfinished)?;
        }
        let rows = made?;
        std::fs::rename(&unfinished, &self.file).with_context(|| format!("cannot make `{}`", self.file))?;
        writeln!(world.stdout, "{rows} rows of {} are in `{}` now", shown(&from), self.file)?;
        Ok(())
    }
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  memdir-server restore /var/backups/memdir-monday.db --db sqlite:/srv/memdir/team.db
  memdir-server restore /var/backups/memdir-monday.db --db postgres://memdir@db.internal/memdir")]
pub(super) struct Restore {
    /// The backup
    file: Utf8PathBuf,
    #[command(flatten)]
    database: Database,
}

impl Restore {
    pub(super) async fn run(self, world: &mut World) -> Result<()> {
        if !self.file.is_file() {
            bail!("there is no file `{}`", self.file);
        }
        // A copy of the file alone would lack what is still in its log.
        let log = Utf8PathBuf::from(format!("{}-wal", self.file));
        if log.metadata().is_ok_and(|log| log.len() > 0) {
            bail!(
                "`{}` is not a backup: `{log}` beside it holds the latest writes. `memdir-server move --from sqlite:{}` takes both, \
                 and `memdir-server backup` makes a file that is whole",
                self.file,
                self.file
            );
        }
        let to = self.database.name(world)?;
        check_idle(&to, self.database.db_ca.as_deref()).await?;
        // The backup may be on something that cannot be written, and stays as it is.
        let folder = world.vars.get("TMPDIR").map_or("/tmp", String::as_str);
        let copy = Utf8PathBuf::from(format!("{folder}/memdir-restore-{}.db", random_id()?));
        let restored = self.restore(&copy, &to).await;
        remove(&copy)?;
        let rows = restored.with_context(|| format!("cannot restore `{}`", self.file))?;
        writeln!(world.stdout, "{rows} rows of `{}` are in {} now", self.file, shown(&to))?;
        let invitations =
            self.database.open(world).await?.end_invitations((world.clock)().as_second()).await?;
        writeln!(
            world.stderr,
            "{invitations} invitations that waited have ended: some may have been used since. Tokens that were ended since the \
             backup work again: look through `memdir-server tokens TEAM`, and end those with `memdir-server revoke` or `remove-member`."
        )?;
        Ok(())
    }

    async fn restore(&self, copy: &Utf8Path, to: &str) -> Result<u64> {
        let copied = copy_for_ourselves(&self.file, copy);
        copied.with_context(|| format!("cannot copy `{}` to `{copy}`", self.file))?;
        transfer((&format!("sqlite:{copy}"), None), (to, self.database.db_ca.as_deref())).await
    }
}

#[expect(clippy::disallowed_methods, reason = "a copy of the server's own database, not of anybody's memory")]
fn copy_for_ourselves(from: &Utf8Path, to: &Utf8Path) -> std::io::Result<u64> {
    use std::os::unix::fs::OpenOptionsExt;
    let mut copy = std::fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(to)?;
    std::io::copy(&mut std::fs::File::open(from)?, &mut copy)
}

/// Removes a database that is not in use, if it is there.
#[expect(clippy::disallowed_methods, reason = "a database is a file of its own, not one of anybody's memory")]
fn remove(database: &Utf8Path) -> Result<()> {
    for left in ["", "-wal", "-shm"] {
        match std::fs::remove_file(format!("{database}{left}")) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                return Err(error).with_context(|| format!("cannot remove `{database}`"));
            }
            _ => {}
        }
    }
    Ok(())
}

/// Whether no server uses a database, which would write where no one looks any more.
async fn check_idle(name: &str, certificates: Option<&Utf8Path>) -> Result<()> {
    let is_in_use = match file_of(name) {
        Some(path) if !path.is_file() => false,
        Some(path) => sqlite::is_in_use(path)?,
        None => Postgres::connect(name, certificates).await?.is_in_use().await?,
    };
    if is_in_use {
        bail!("{} is in use: stop its server first, or what it writes meanwhile stays behind", shown(name));
    }
    Ok(())
}

#[derive(Debug, Args)]
#[command(
    after_help = "Stop the server first: a database that is in use is not moved, because what is written after the copy was made would
stay behind.

Examples:
  memdir-server move --from sqlite:/srv/memdir/team.db --to postgres://memdir@db.internal/memdir"
)]
pub(super) struct Move {
    /// The database that everything is in
    #[arg(long, value_name = "DB")]
    from: String,
    /// The empty one
    #[arg(long, value_name = "DB")]
    to: String,
    /// The certificates that vouch for PostgreSQL, as PEM
    #[arg(long, value_name = "FILE")]
    db_ca: Option<Utf8PathBuf>,
}

impl Move {
    pub(super) async fn run(self, world: &mut World) -> Result<()> {
        let certificates = self.db_ca.as_deref();
        for name in [&self.from, &self.to] {
            check_idle(name, certificates).await.with_context(|| format!("cannot use {}", shown(name)))?;
        }
        let rows = transfer((&self.from, certificates), (&self.to, certificates)).await?;
        let (from, to) = (shown(&self.from), shown(&self.to));
        writeln!(world.stdout, "{rows} rows of {from} are in {to} now")?;
        writeln!(
            world.stderr,
            "Serve {to} from now on, with `--db` or MEMDIR_SERVER_DB. {from} is as it was: remove it; a server that is started on it by \
             mistake splits the teams in two."
        )?;
        Ok(())
    }
}

/// A database, and who vouches for it.
type Named<'n> = (&'n str, Option<&'n Utf8Path>);

/// Copies one database into another, and gives back how many rows that were. Both are closed then.
async fn transfer((from, from_certificates): Named<'_>, (to, to_certificates): Named<'_>) -> Result<u64> {
    let (from_shown, to_shown) = (shown(from), shown(to));
    if let Some(path) = file_of(from) {
        if !path.is_file() {
            bail!("there is no file `{path}`");
        }
        if !sqlite::is_ours(path).with_context(|| format!("cannot read `{path}`"))? {
            bail!("`{path}` is neither a server's database nor a backup of one");
        }
    }
    let from = open(from, from_certificates).await.with_context(|| format!("cannot use {from_shown}"))?;
    let to = open(to, to_certificates).await.with_context(|| format!("cannot use {to_shown}"))?;
    let rows =
        copy(from.as_ref(), to.as_ref()).await.with_context(|| format!("cannot copy into {to_shown}"))?;
    to.finish().await?;
    Ok(rows)
}
