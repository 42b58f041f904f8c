//! Backups, and the way from one engine to another.

use std::io::Write;

use anyhow::{Context, Result, bail};
use camino::{Utf8Path, Utf8PathBuf};
use clap::Args;

use super::{Database, World, open, shown};
use crate::copy::copy;

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
        for left in ["", "-wal", "-shm"] {
            match std::fs::remove_file(format!("{unfinished}{left}")) {
                Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                    return Err(error).with_context(|| format!("cannot remove `{unfinished}`"));
                }
                _ => {}
            }
        }
        let rows = transfer((&from, self.database.db_ca.as_deref()), (&format!("sqlite:{unfinished}"), None))
            .await?;
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
        let to = self.database.name(world)?;
        let from = format!("sqlite:{}", self.file);
        let rows = transfer((&from, None), (&to, self.database.db_ca.as_deref())).await?;
        writeln!(world.stdout, "{rows} rows of `{}` are in {} now", self.file, shown(&to))?;
        Ok(())
    }
}

#[derive(Debug, Args)]
#[command(after_help = "Stop the server first: what it writes after the copy was made stays behind.

Examples:
  memdir-server move --from sqlite:/srv/memdir/team.db --to postgres://memdir@db.internal/memdir")]
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
        let rows = transfer((&self.from, certificates), (&self.to, certificates)).await?;
        writeln!(world.stdout, "{rows} rows of {} are in {} now", shown(&self.from), shown(&self.to))?;
        Ok(())
    }
}

/// A database, and who vouches for it.
type Named<'n> = (&'n str, Option<&'n Utf8Path>);

/// Copies one database into another, and gives back how many rows that were. Both are closed then.
async fn transfer((from, from_certificates): Named<'_>, (to, to_certificates): Named<'_>) -> Result<u64> {
    let (from_shown, to_shown) = (shown(from), shown(to));
    if let Some(path) = from.strip_prefix("sqlite:")
        && !std::path::Path::new(path.strip_prefix("//").unwrap_or(path)).is_file()
    {
        bail!("there is no file `{path}`");
    }
    let from = open(from, from_certificates).await.with_context(|| format!("cannot use {from_shown}"))?;
    let to = open(to, to_certificates).await.with_context(|| format!("cannot use {to_shown}"))?;
    let rows =
        copy(from.as_ref(), to.as_ref()).await.with_context(|| format!("cannot copy into {to_shown}"))?;
    to.finish().await?;
    Ok(rows)
}
