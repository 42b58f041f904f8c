//! The table of pages.

use std::sync::Arc;

use axum::extract::{Extension, Form, Path, Query, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::middleware::from_fn_with_state;
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Router, extract};
use futures_util::stream;
use serde::de::DeserializeOwned;
use tokio::sync::broadcast::error::RecvError;

use crate::access::Browser;
use crate::guard::{check_browser, check_sender};
use crate::page::{Asked, Links, error_page};
use crate::reply::{PageError, Reply, html_response, plain};
use crate::viewer::Viewer;
use crate::{change, graph_data, pages};

type Tell = Arc<dyn Fn(&str) + Send + Sync>;
type Page<T> = fn(&Asked<'_>, T) -> Result<Reply, PageError>;

const ASSETS: [(&str, &str, &str); 5] = [
    ("viewer.css", "text/css; charset=utf-8", include_str!("../assets/viewer.css")),
    ("viewer.js", "text/javascript; charset=utf-8", include_str!("../assets/viewer.js")),
    ("graph.js", "text/javascript; charset=utf-8", include_str!("../assets/graph.js")),
    ("d3-force.js", "text/javascript; charset=utf-8", include_str!("../assets/vendor/d3-force.js")),
    ("icon.svg", "image/svg+xml", include_str!("../assets/icon.svg")),
];

pub(crate) fn router(viewer: Arc<Viewer>, tell: Tell) -> Router {
    let inside = Router::new()
        .route("/home", get(home))
        .route("/events", get(events))
        .route("/assets/{name}", get(asset))
        .merge(show("overview", pages::overview::overview))
        .merge(show("memories", pages::memories::memories))
        .merge(show("new", pages::edit::new))
        .merge(show("edit", pages::edit::edit))
        .merge(show("merge", pages::edit::merge))
        .merge(show("timeline", pages::timeline::timeline))
        .merge(show("operation", pages::timeline::operation))
        .merge(show("undo-last", pages::timeline::undo_last))
        .merge(show("review", pages::review::review))
        .merge(show("sessions", pages::sessions::sessions))
        .merge(show("session", pages::sessions::session))
        .merge(show("context", pages::context::context))
        .merge(show("journal", pages::journal::journal))
        .merge(show("graph", pages::graph::graph))
        .merge(show("graph.json", graph_data::graph_data))
        .merge(show("team", pages::team::team))
        .merge(alter("preview", pages::edit::preview))
        .merge(alter("save", pages::edit::save))
        .merge(alter("add", change::add))
        .merge(alter("rename", change::rename))
        .merge(alter("set", change::set))
        .merge(alter("delete", change::delete))
        .merge(alter("restore", change::restore))
        .merge(alter("undo", change::undo))
        .merge(alter("share", change::share))
        .merge(alter("move", change::move_to))
        .merge(alter("fix", change::fix))
        .merge(alter("answer", pages::review::answer))
        .merge(alter("resolve", pages::team::resolve))
        .layer(from_fn_with_state(Arc::clone(&viewer), check_browser));
    Router::new()
        .nest(&format!("/{}", viewer.access.prefix), inside)
        .route("/open/{secret}", get(open).layer(Extension(tell)))
        .fallback(async || plain(StatusCode::NOT_FOUND, "There is no such page."))
        .layer(from_fn_with_state(Arc::clone(&viewer), check_sender))
        .with_state(viewer)
}

/// A page of a project.
fn show<T: DeserializeOwned + Send + 'static>(name: &str, page: Page<T>) -> Router<Arc<Viewer>> {
    let answer = async move |state: State<Arc<Viewer>>,
                             browser: Extension<Browser>,
                             Path(slug): Path<String>,
                             Query(asked): Query<T>| {
        run(state.0, browser.0, slug, move |a| page(a, asked)).await
    };
    Router::new().route(&format!("/p/{{slug}}/{name}"), get(answer))
}

/// A change in a project, or what takes a long text to ask.
fn alter<T: DeserializeOwned + Send + 'static>(name: &str, page: Page<T>) -> Router<Arc<Viewer>> {
    let answer = async move |state: State<Arc<Viewer>>,
                             browser: Extension<Browser>,
                             Path(slug): Path<String>,
                             Form(asked): Form<T>| {
        run(state.0, browser.0, slug, move |a| page(a, asked)).await
    };
    Router::new()
        .route(&format!("/p/{{slug}}/{name}"), post(answer))
        .layer(extract::DefaultBodyLimit::disable())
}

/// Makes a page on a thread that may wait for the disk.
async fn run(
    viewer: Arc<Viewer>,
    browser: Browser,
    slug: String,
    page: impl FnOnce(&Asked<'_>) -> Result<Reply, PageError> + Send + 'static,
) -> Response {
    let made = tokio::task::spawn_blocking(move || {
        let project = match viewer.project(&slug) {
            Ok(project) => project,
            Err(error) => return plain(error.status, &error.message),
        };
        let links = Links::of(&viewer, &slug);
        let asked = Asked { viewer: &viewer, browser: &browser, project: &project, links };
        match page(&asked) {
            Ok(reply) => reply.into_response(),
            Err(error) => html_response(error.status, error_page(&asked, &error)),
        }
    });
    match made.await {
        Ok(response) => response,
        Err(_) => plain(
            StatusCode::INTERNAL_SERVER_ERROR,
            "The page could not be made; this is a defect of memdir.",
        ),
    }
}

async fn home(State(viewer): State<Arc<Viewer>>, Extension(browser): Extension<Browser>) -> Response {
    let made = tokio::task::spawn_blocking(move || match pages::home::home(&viewer, &browser) {
        Ok(reply) => reply.into_response(),
        Err(error) => plain(error.status, &error.message),
    });
    match made.await {
        Ok(response) => response,
        Err(_) => plain(
            StatusCode::INTERNAL_SERVER_ERROR,
            "The page could not be made; this is a defect of memdir.",
        ),
    }
}

/// The one-time link.
async fn open(
    State(viewer): State<Arc<Viewer>>,
    Extension(tell): Extension<Tell>,
    Path(secret): Path<String>,
) -> Response {
    match viewer.access.redeem(&secret) {
        Ok(Some(cookie)) => {
            viewer.touch();
            tell(&viewer.access.link());
            let Ok(cookie) = HeaderValue::try_from(cookie) else {
                return plain(StatusCode::INTERNAL_SERVER_ERROR, "The cookie is invalid.");
            };
            let home = format!("/{}/home", viewer.access.prefix);
            let mut response = Reply::See(home).into_response();
            response.headers_mut().insert(header::SET_COOKIE, cookie);
            response
        }
        Ok(None) => plain(
            StatusCode::GONE,
            "This link was used before. `memdir ui` prints a new one for each browser; look in its terminal.",
        ),
        Err(error) => plain(StatusCode::INTERNAL_SERVER_ERROR, &error.to_string()),
    }
}

async fn asset(Path(name): Path<String>) -> Response {
    let Some((_, kind, text)) = ASSETS.iter().find(|(known, ..)| *known == name) else {
        return plain(StatusCode::NOT_FOUND, "There is no such file.");
    };
    let kept = HeaderValue::from_static("private, max-age=86400");
    ([(header::CONTENT_TYPE, HeaderValue::from_static(kind)), (header::CACHE_CONTROL, kept)], *text)
        .into_response()
}

/// The names of projects that change, as they do.
async fn events(State(viewer): State<Arc<Viewer>>) -> Response {
    let changes = stream::unfold(viewer.live.changes(), async |mut changes| {
        let event = match changes.recv().await {
            Ok(slug) => Event::default().event("change").data(slug),
            Err(RecvError::Lagged(_)) => Event::default().event("change").data(""),
            Err(RecvError::Closed) => return None,
        };
        Some((Ok::<_, std::convert::Infallible>(event), changes))
    });
    Sse::new(changes).keep_alive(KeepAlive::default()).into_response()
}
