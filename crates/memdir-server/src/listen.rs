//! The server's side of the network: connections, their limits and their end.

use std::convert::Infallible;
use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use axum::Router;
use axum::response::Response;
use hyper::body::Incoming;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::{GracefulShutdown, Watcher};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::sync::Semaphore;
use tokio_rustls::TlsAcceptor;
use tower_service::Service;

use crate::addresses::Addresses;
use crate::api::{Peer, router};
use crate::server::Server;
use crate::slow_client::SlowClientStream;

/// The head of a request, and what is read ahead of it.
const MAX_HEAD_BYTES: usize = 64 << 10;
const MAX_HEADERS: usize = 64;

/// So many may knock at once: whole teams begin their day at the same time.
const WAITING: u32 = 4096;

/// Begins to listen.
///
/// # Errors
/// Another process does, or it may not be.
pub fn listen(address: SocketAddr) -> io::Result<TcpListener> {
    let socket = if address.is_ipv4() { TcpSocket::new_v4()? } else { TcpSocket::new_v6()? };
    // Who was stopped a moment ago listens again at once.
    socket.set_reuseaddr(true)?;
    socket.bind(address)?;
    socket.listen(WAITING)
}

/// Answers requests until `stop`, then finishes those that are under way.
pub async fn serve(
    server: Arc<Server>,
    listener: TcpListener,
    tls: Option<TlsAcceptor>,
    stop: impl Future<Output = ()>,
) {
    let routes = router(Arc::clone(&server));
    let places = Arc::new(Semaphore::new(possible_connections(server.limits.connections)));
    let addresses = Addresses::new(&server.limits, server.gate.behind_proxy);
    let graceful = GracefulShutdown::new();
    let mut stop = std::pin::pin!(stop);
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            () = &mut stop => break,
        };
        let Ok((stream, address)) = accepted else {
            // Most likely no descriptors are left: a connection that closes makes room.
            tokio::time::sleep(Duration::from_millis(50)).await;
            continue;
        };
        let connected = addresses.connect(address.ip());
        let place = Arc::clone(&places).try_acquire_owned().ok();
        let Some(place) = connected.zip(place) else {
            server.metrics.turned_away.fetch_add(1, Ordering::Relaxed);
            continue;
        };
        let our_own = stream.local_addr().ok().map(|own| own.ip());
        let connection = Connection {
            server: Arc::clone(&server),
            routes: routes.clone(),
            peer: Peer::of(address.ip(), our_own),
            tls: tls.clone(),
            watcher: graceful.watcher(),
        };
        tokio::spawn(async move {
            connection.server.metrics.connections.fetch_add(1, Ordering::Relaxed);
            let server = Arc::clone(&connection.server);
            connection.run(stream).await;
            server.metrics.connections.fetch_sub(1, Ordering::Relaxed);
            drop(place);
        });
    }
    drop(listener);
    let finished = tokio::time::timeout(server.limits.stop_time, graceful.shutdown()).await;
    let event = if finished.is_ok() { "stopped" } else { "stopped with requests under way" };
    server.log.line(server.now(), event, vec![]);
}

/// What is left for files and the database.
const OTHER_DESCRIPTORS: u64 = 64;

/// How many of so many connections there can be: each is a descriptor, of which a process has as many as it asks for up
/// to a limit.
fn possible_connections(wanted: usize) -> usize {
    let limit = getrlimit(Resource::Nofile);
    // Without the right to ask there are as many as before.
    let _ = setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, ..limit });
    match getrlimit(Resource::Nofile).current {
        Some(most) => wanted.min(usize::try_from(most.saturating_sub(OTHER_DESCRIPTORS)).unwrap_or(wanted)),
        None => wanted,
    }
}

struct Connection {
    server: Arc<Server>,
    routes: Router,
    peer: Peer,
    tls: Option<TlsAcceptor>,
    watcher: Watcher,
}

impl Connection {
    async fn run(self, stream: TcpStream) {
        // Answers are small; none waits for the next one.
        drop(stream.set_nodelay(true));
        match self.tls.clone() {
            None => self.speak(stream).await,
            Some(tls) => {
                let greeting = tokio::time::timeout(self.server.limits.head_time, tls.accept(stream));
                if let Ok(Ok(stream)) = greeting.await {
                    self.speak(stream).await;
                }
            }
        }
    }

    async fn speak(self, stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static) {
        let (routes, peer) = (self.routes, self.peer);
        let service = hyper::service::service_fn(move |mut request: hyper::Request<Incoming>| {
            request.extensions_mut().insert(peer);
            let mut routes = routes.clone();
            async move { Service::call(&mut routes, request).await as Result<Response, Infallible> }
        });
        let connection = hyper::server::conn::http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(self.server.limits.head_time)
            .max_buf_size(MAX_HEAD_BYTES)
            .max_headers(MAX_HEADERS)
            .serve_connection(
                TokioIo::new(SlowClientStream::new(stream, self.server.limits.read_time)),
                service,
            );
        // A client may hang up at any time.
        drop(self.watcher.watch(connection).await);
    }
}
