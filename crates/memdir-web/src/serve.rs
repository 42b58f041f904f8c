//! The life of a viewer: it listens, answers, and ends.

use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use memdir_core::env::Env;
use tokio::net::TcpListener;

use crate::access::Access;
use crate::live;
use crate::routes::router;
use crate::viewer::Viewer;

/// How a viewer is started.
pub struct ViewerOptions {
    /// The user's environment; its working directory says which project is shown first.
    pub env: Env,
    /// The time.
    pub clock: fn() -> Timestamp,
    /// The port on 127.0.0.1; `0` takes any that is free.
    pub port: u16,
    /// The viewer ends after so long without a request.
    pub idle: Duration,
}

/// Why a viewer ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    /// The user interrupted it.
    Interrupted,
    /// There was no request for a long time.
    Idle,
}

/// How long what is under way may take at the end.
const LAST_WORK: Duration = Duration::from_secs(2);

/// Serves until Ctrl-C or until there was no request for a long time. `tell` gets the link for each next browser.
///
/// # Errors
/// The port is taken, or the system gives no threads or random bits.
pub fn serve(options: ViewerOptions, tell: impl Fn(&str) + Send + Sync + 'static) -> io::Result<Ended> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .max_blocking_threads(8)
        .enable_all()
        .build()?;
    let ended = runtime.block_on(async {
        let listener = TcpListener::bind(SocketAddr::from((Ipv4Addr::LOCALHOST, options.port))).await?;
        let access = Access::new(listener.local_addr()?.to_string())?;
        let viewer = Arc::new(Viewer::new(options.env, options.clock, access));
        tell(&viewer.access.link());
        let routes = router(Arc::clone(&viewer), Arc::new(tell));
        let served = axum::serve(listener, routes);
        tokio::select! {
            result = async { served.await } => result.map(|()| Ended::Interrupted),
            signal = tokio::signal::ctrl_c() => signal.map(|()| Ended::Interrupted),
            () = watch(&viewer, options.idle) => Ok(Ended::Idle),
        }
    });
    runtime.shutdown_timeout(LAST_WORK);
    ended
}

/// Looks for changes until no page is open any more.
async fn watch(viewer: &Viewer, idle: Duration) {
    while viewer.idle_for() < idle {
        tokio::time::sleep(live::EVERY).await;
        viewer.live.tick();
    }
}
