//! `memdir-server health`: what a container asks, in an image that has no other program.

use std::net::SocketAddr;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use clap::Args;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// Docker's own limit for a health check is often three seconds.
const PATIENCE: Duration = Duration::from_secs(2);

#[derive(Debug, Args)]
#[command(after_help = "Asks over plain HTTP whether the server and its database answer. Exits 0 if they do.

Examples:
  memdir-server health
  memdir-server health 127.0.0.1:9000")]
pub(super) struct Health {
    /// The address that the server listens on
    #[arg(default_value = "127.0.0.1:8787")]
    address: SocketAddr,
}

impl Health {
    pub(super) async fn run(self) -> Result<()> {
        let answer = tokio::time::timeout(PATIENCE, ask(self.address)).await;
        let answer = answer.context("the server does not answer in time")?;
        let status = answer.with_context(|| format!("no server answers at {}", self.address))?;
        if status != "HTTP/1.1 200" {
            bail!("the server at {} is not ready: {status}", self.address);
        }
        Ok(())
    }
}

/// The beginning of the answer to `/readyz`: version and status.
async fn ask(address: SocketAddr) -> std::io::Result<String> {
    let mut stream = TcpStream::connect(address).await?;
    stream.write_all(b"GET /readyz HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n").await?;
    let mut status = [0; 12];
    stream.read_exact(&mut status).await?;
    Ok(String::from_utf8_lossy(&status).into_owned())
}
