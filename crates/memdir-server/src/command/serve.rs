//! `memdir-server serve`.

use std::io::Write;
use std::net::SocketAddr;
use std::sync::Arc;

use anyhow::{Context, Result, bail};
use camino::Utf8PathBuf;
use clap::Args;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::oneshot;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};

use super::{Database, World, shown};
use crate::gate::{Gate, host_name};
use crate::limits::{DAY, Limits};
use crate::listen::{listen, serve};
use crate::log::Log;
use crate::server::Server;
use crate::storage::StorageError;

#[derive(Debug, Args)]
#[command(
    after_help = "Listens on this machine only, unless `--listen` says otherwise; beyond it only with TLS, or if `--without-tls` says
that something in front speaks it. Stops on SIGTERM and SIGINT, after the requests that are under way; told so twice, at
once.

Examples:
  memdir-server serve
  memdir-server serve --db sqlite:/srv/memdir/team.db --listen 127.0.0.1:9000 --name memory.example.com --behind-proxy
  memdir-server serve --listen 0.0.0.0:443 --tls-cert cert.pem --tls-key key.pem --name memory.example.com"
)]
pub(super) struct Serve {
    #[command(flatten)]
    database: Database,
    /// The address to listen on; port 0 takes a free one, which is printed
    #[arg(long, default_value = "127.0.0.1:8787")]
    listen: SocketAddr,
    /// A name under which the server is known, besides this machine's own (repeatable)
    #[arg(long, value_name = "HOST", value_parser = host_name)]
    name: Vec<String>,
    /// The certificate chain, as PEM
    #[arg(long, value_name = "FILE", requires = "tls_key")]
    tls_cert: Option<Utf8PathBuf>,
    /// The private key, as PEM
    #[arg(long, value_name = "FILE", requires = "tls_cert")]
    tls_key: Option<Utf8PathBuf>,
    /// Listen beyond this machine although nothing here speaks TLS
    #[arg(long)]
    without_tls: bool,
    /// Take a client's address from X-Forwarded-For, which a proxy in front sets
    #[arg(long)]
    behind_proxy: bool,
    /// Files that a team may have
    #[arg(long, value_name = "N", default_value_t = Limits::default().team_files)]
    team_files: u64,
    /// Bytes that a team's files may have
    #[arg(long, value_name = "N", default_value_t = Limits::default().team_bytes)]
    team_bytes: u64,
    /// Files that one member may have put into a team
    #[arg(long, value_name = "N", default_value_t = Limits::default().member_files)]
    member_files: u64,
    /// Bytes that those may have
    #[arg(long, value_name = "N", default_value_t = Limits::default().member_bytes)]
    member_bytes: u64,
    /// Requests a second with one token; 0: any number
    #[arg(long, value_name = "N", default_value_t = Limits::default().token_rate)]
    token_rate: u32,
    /// Versions a second that one token may publish, ten seconds' worth at once; 0: any number
    #[arg(long, value_name = "N", default_value_t = Limits::default().publish_rate)]
    publish_rate: u32,
    /// Requests a second from one address; 0: any number
    #[arg(long, value_name = "N", default_value_t = Limits::default().address_rate)]
    address_rate: u32,
    /// Connections at once from one address beyond this machine, unless a proxy is in front; 0: any number
    #[arg(long, value_name = "N", default_value_t = Limits::default().address_connections)]
    address_connections: usize,
    /// Log no requests
    #[arg(long)]
    quiet: bool,
}

/// How long an unpublished part of a version is kept.
const PART_SECONDS: i64 = DAY;
/// How long it is remembered that a file is gone.
const GONE_SECONDS: i64 = 90 * DAY;
/// How long unused invitations are still listed.
const UNUSED_SECONDS: i64 = 30 * DAY;
/// What grows slowly is looked at once in so many rounds.
const ROUNDS: u32 = 60;

impl Serve {
    pub(super) async fn run(self, world: &mut World) -> Result<()> {
        let tls = self.tls()?;
        if !self.listen.ip().is_loopback() && tls.is_none() && !self.without_tls {
            bail!(
                "{} can be reached from other machines, and nothing would be encrypted: give `--tls-cert` and `--tls-key`, \
                 or say `--without-tls` if a proxy in front speaks TLS",
                self.listen
            );
        }
        let name = self.database.name(world)?;
        let store = self
            .database
            .open_or_make(world)
            .await
            .with_context(|| format!("cannot use {}", shown(&name)))?;
        let listener = listen(self.listen).with_context(|| format!("cannot listen on {}", self.listen))?;
        let address = listener.local_addr()?;
        let limits = Limits {
            team_files: self.team_files,
            team_bytes: self.team_bytes,
            member_files: self.member_files,
            member_bytes: self.member_bytes,
            token_rate: self.token_rate,
            publish_rate: self.publish_rate,
            address_rate: self.address_rate,
            address_connections: self.address_connections,
            ..Limits::default()
        };
        let mut names = self.name.clone();
        if !address.ip().is_unspecified() {
            names.push(match address.ip() {
                std::net::IpAddr::V4(ip) => ip.to_string(),
                std::net::IpAddr::V6(ip) => format!("[{ip}]"),
            });
        }
        let gate = Gate::new(names, self.behind_proxy);
        let log = if self.quiet {
            Log::silent()
        } else {
            Log::to(std::mem::replace(&mut world.stderr, Box::new(std::io::sink())))
        };
        let server = Server::new(store, limits, gate, log, world.clock);
        let mut terminate = signal(SignalKind::terminate())?;
        let mut interrupt = signal(SignalKind::interrupt())?;
        // Who starts it waits for this line, and may stop it right after.
        let scheme = if tls.is_some() { "https" } else { "http" };
        writeln!(world.stdout, "listening on {scheme}://{address}, {}", shown(&name))?;
        world.stdout.flush()?;
        let tidying = tokio::spawn(tidy(Arc::clone(&server)));
        let mut told = async || {
            tokio::select! {
                _ = terminate.recv() => {}
                _ = interrupt.recv() => {}
            }
        };
        let (storage, ended) = (Arc::clone(server.store.storage()), Arc::clone(&server));
        let (stop, stopped) = oneshot::channel::<()>();
        let told_twice = async {
            told().await;
            drop(stop);
            told().await;
        };
        tokio::select! {
            () = serve(server, listener, tls, async { drop(stopped.await) }) => {}
            () = told_twice => ended.log.line(ended.now(), "stopped with requests under way", vec![]),
        }
        tidying.abort();
        // What cannot be put in order now is put in order at the next start.
        if let Err(error) = storage.finish().await {
            ended.log.line(ended.now(), "storage", vec![("error", error.to_string().into())]);
        }
        ended.log.finish();
        Ok(())
    }

    fn tls(&self) -> Result<Option<TlsAcceptor>> {
        let (Some(certificate), Some(key)) = (&self.tls_cert, &self.tls_key) else { return Ok(None) };
        let chain = CertificateDer::pem_file_iter(certificate)
            .and_then(Iterator::collect::<Result<Vec<_>, _>>)
            .with_context(|| format!("cannot read the certificate in `{certificate}`"))?;
        let key_der = PrivateKeyDer::from_pem_file(key)
            .with_context(|| format!("cannot read the private key in `{key}`"))?;
        let mut config = ServerConfig::builder()
            .with_no_client_auth()
            .with_single_cert(chain, key_der)
            .with_context(|| format!("`{certificate}` and `{key}` do not fit together"))?;
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
        Ok(Some(TlsAcceptor::from(Arc::new(config))))
    }
}

/// Removes outdated rows now and then.
async fn tidy(server: Arc<Server>) {
    let mut now_and_then = tokio::time::interval(std::time::Duration::from_secs(60));
    for round in (0..ROUNDS).cycle() {
        now_and_then.tick().await;
        if let Err(error) = tidy_once(&server, round == 0).await {
            server.log.line(server.now(), "storage", vec![("error", error.to_string().into())]);
        }
    }
}

async fn tidy_once(server: &Server, is_thorough: bool) -> Result<(), StorageError> {
    let (store, now) = (&server.store, server.now().as_second());
    store.drop_parts_before(now - PART_SECONDS).await?;
    if is_thorough {
        store.forget_invitations(now - UNUSED_SECONDS).await?;
        store.forget_gone(now - GONE_SECONDS).await?;
    }
    // As much may be old as may be new.
    let most = server.limits.team_bytes;
    for team in store.teams_with_old_bytes(most).await? {
        store.forget_oldest(&team, most / 2).await?;
    }
    Ok(())
}
