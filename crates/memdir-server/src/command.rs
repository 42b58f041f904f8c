//! The program's commands.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::{self, Write};
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::{Context, Result, anyhow, bail};
use camino::{Utf8Path, Utf8PathBuf};
use clap::{Parser, Subcommand};
use jiff::Timestamp;

use crate::storage::Storage;
use crate::storage::postgres::Postgres;
use crate::storage::sqlite::Sqlite;
use crate::store::Store;

mod health;
mod keep;
mod look_after;
mod serve;

/// Everything outside of the program.
pub struct World {
    /// The environment.
    pub vars: BTreeMap<String, String>,
    /// What tells the time.
    pub clock: fn() -> Timestamp,
    /// For data.
    pub stdout: Box<dyn Write>,
    /// For talk.
    pub stderr: Box<dyn Write + Send>,
}

/// Keep the memory of teams, and serve it over HTTP
#[derive(Debug, Parser)]
#[command(
    name = "memdir-server",
    version,
    after_help = "Examples:
  memdir-server init crew
  memdir-server serve
  memdir-server serve --db postgres://memdir@db.internal/memdir --listen 0.0.0.0:8787 --tls-cert cert.pem --tls-key key.pem
  memdir-server move --from sqlite:team.db --to postgres://memdir@db.internal/memdir"
)]
struct Program {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Serve until told to stop
    Serve(serve::Serve),
    /// Ask whether a server on this machine is ready
    Health(health::Health),
    /// Make a team, and print what its first member says to set it up
    Init(look_after::Init),
    /// List a team's tokens
    Tokens(look_after::Tokens),
    /// Make a token
    Token(look_after::NewToken),
    /// End a token
    Revoke(look_after::Revoke),
    /// Remove a member: their tokens, and what they wrote
    RemoveMember(look_after::RemoveMember),
    /// List teams, and how much they keep
    Teams(look_after::Teams),
    /// Remove a team and everything that it shares
    RemoveTeam(look_after::RemoveTeam),
    /// Show what was done to the access to a team
    Audit(look_after::Audit),
    /// Forget contents that were replaced long ago
    Prune(look_after::Prune),
    /// Copy everything into a file, while the server runs
    Backup(keep::Backup),
    /// Put a backup into an empty database
    Restore(keep::Restore),
    /// Copy everything from one database into another, empty one
    Move(keep::Move),
    /// Print the OpenAPI document
    Openapi,
}

/// Runs the program.
pub fn run(arguments: impl IntoIterator<Item = OsString>, mut world: World) -> ExitCode {
    let program = match Program::try_parse_from(arguments) {
        Ok(program) => program,
        Err(error) => {
            let (out, code) = if error.use_stderr() {
                (&mut world.stderr as &mut dyn Write, ExitCode::from(2))
            } else {
                (&mut world.stdout as &mut dyn Write, ExitCode::SUCCESS)
            };
            drop(write!(out, "{}", error.render()));
            return code;
        }
    };
    match program.run(&mut world) {
        Ok(code) => code,
        Err(error) if is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            drop(writeln!(world.stderr, "error: {error:#}"));
            ExitCode::from(2)
        }
    }
}

impl Program {
    fn run(self, world: &mut World) -> Result<ExitCode> {
        if let Command::Openapi = self.command {
            world.stdout.write_all(crate::api::OPENAPI.as_bytes())?;
            return Ok(ExitCode::SUCCESS);
        }
        let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
        let done = runtime.block_on(async {
            match self.command {
                Command::Serve(serve) => serve.run(world).await,
                Command::Health(health) => health.run().await,
                Command::Init(init) => init.run(world).await,
                Command::Tokens(tokens) => tokens.run(world).await,
                Command::Token(token) => token.run(world).await,
                Command::Revoke(revoke) => revoke.run(world).await,
                Command::RemoveMember(remove) => remove.run(world).await,
                Command::Teams(teams) => teams.run(world).await,
                Command::RemoveTeam(remove) => remove.run(world).await,
                Command::Audit(audit) => audit.run(world).await,
                Command::Prune(prune) => prune.run(world).await,
                Command::Backup(backup) => backup.run(world).await,
                Command::Restore(restore) => restore.run(world).await,
                Command::Move(moving) => moving.run(world).await,
                Command::Openapi => Ok(()),
            }
        });
        // A thread that still reads does not delay the end.
        runtime.shutdown_background();
        done.map(|()| ExitCode::SUCCESS)
    }
}

fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error
        .chain()
        .filter_map(|cause| cause.downcast_ref::<io::Error>())
        .any(|cause| cause.kind() == io::ErrorKind::BrokenPipe)
}

/// Which database.
#[derive(Debug, Clone, clap::Args)]
struct Database {
    /// The database: `sqlite:FILE` or `postgres://…`; also from MEMDIR_SERVER_DB
    #[arg(long, value_name = "DB")]
    db: Option<String>,
    /// The certificates that vouch for PostgreSQL, as PEM: the way there is encrypted then
    #[arg(long, value_name = "FILE")]
    db_ca: Option<Utf8PathBuf>,
}

impl Database {
    fn name(&self, world: &World) -> Result<String> {
        if let Some(named) = self.db.clone().or_else(|| world.vars.get("MEMDIR_SERVER_DB").cloned()) {
            return Ok(named);
        }
        let var =
            |name: &str| world.vars.get(name).filter(|value| value.starts_with('/')).map(Utf8PathBuf::from);
        let data = var("XDG_DATA_HOME").or_else(|| var("HOME").map(|home| home.join(".local/share")));
        let data = data.ok_or_else(|| anyhow!("say with `--db` where the memory is kept"))?;
        Ok(format!("sqlite:{}", data.join("memdir/server.db")))
    }

    /// The database that is there.
    async fn open(&self, world: &World) -> Result<Store> {
        let name = self.name(world)?;
        if let Some(path) = file_of(&name).filter(|path| !path.exists()) {
            bail!("there is no database `{path}`: say with `--db` or MEMDIR_SERVER_DB where it is");
        }
        Ok(Store::new(open(&name, self.db_ca.as_deref()).await?))
    }

    /// The same, for the process that begins with it.
    async fn open_or_make(&self, world: &World) -> Result<Store> {
        Ok(Store::new(open(&self.name(world)?, self.db_ca.as_deref()).await?))
    }
}

/// Opens a database by its name.
async fn open(name: &str, certificates: Option<&Utf8Path>) -> Result<Arc<dyn Storage>> {
    if let Some(path) = file_of(name) {
        make_folder_of(path)?;
        return Ok(Arc::new(Sqlite::open(path)?));
    }
    match name.split_once(':') {
        Some(("postgres" | "postgresql", _)) => Ok(Arc::new(Postgres::connect(name, certificates).await?)),
        _ => bail!("a database is `sqlite:FILE` or `postgres://…`"),
    }
}

/// The file of a database of SQLite.
fn file_of(name: &str) -> Option<&Utf8Path> {
    let path = name.strip_prefix("sqlite:")?;
    Some(Utf8Path::new(path.strip_prefix("//").unwrap_or(path)))
}

/// How a database may be shown: without a password.
fn shown(name: &str) -> String {
    let Some((scheme, rest)) = name.split_once("://") else { return name.to_owned() };
    // A password may hold whatever is in an address; where it cannot be told apart, nothing is shown.
    match rest.rsplit_once('@') {
        Some((login, _)) if login.contains(['/', '?', '#']) => format!("{scheme}://…"),
        Some((login, host)) => {
            let user = login.split([':', '@']).next().unwrap_or_default();
            format!("{scheme}://{user}@{}", host.split('?').next().unwrap_or_default())
        }
        None => format!("{scheme}://{}", rest.split('?').next().unwrap_or_default()),
    }
}

fn make_folder_of(path: &Utf8Path) -> Result<()> {
    use std::os::unix::fs::DirBuilderExt;
    match path.parent() {
        Some(folder) if !folder.as_str().is_empty() && !folder.exists() => std::fs::DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(folder)
            .with_context(|| format!("cannot make `{folder}`")),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_commands_are_well_formed() {
        Program::command().debug_assert();
    }

    #[test]
    fn a_database_is_shown_without_its_password() {
        for (name, expected) in [
            ("postgres://ada:pw@db/x?password=pw", "postgres://ada@db/x"),
            ("postgres://db/x?password=pw", "postgres://db/x"),
            ("postgres://ada:p@ss@db/x", "postgres://ada@db/x"),
            ("postgres://ada:p@:ss@db:5432/x?a=b", "postgres://ada@db:5432/x"),
            ("postgres://ada:p/ss@db/x", "postgres://…"),
            ("postgres://db/x?password=p@ss", "postgres://…"),
            ("sqlite:/srv/team.db", "sqlite:/srv/team.db"),
        ] {
            assert_eq!(shown(name), expected);
        }
    }
}
