//! Listens, routes and stops. [`router`] has all paths, those of other kinds come from `kinds`. `contract` and
//! `deployed` have the answers.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::Duration;

use axum::body::Body;
use axum::extract::{Path, RawQuery, State};
use axum::http::{HeaderMap, StatusCode, Uri};
use axum::response::Response;
use axum::routing::{get, post};
use axum::{Router, middleware};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use super::corpus::{Corpus, Hour, LoadStats};
use super::journal::{Journal, RecordedRequest};
use super::layers::{self, App};
use super::params::Params;
use super::reply::error;
use super::{Settings, StartError, contract, deployed, kinds};
use crate::listener::LimitedListener;

/// How long a stop waits for open requests.
const STOP_GRACE: Duration = Duration::from_secs(5);
/// The maximum number of open connections.
const MAX_CONNECTIONS: usize = 512;
/// The maximum length of a platform name in a path.
const MAX_PLATFORM: usize = 32;

/// A running sandbox. Dropping it stops it without waiting for open requests.
pub struct SandboxHandle {
    /// The address it listens on, with the real port if port 0 was requested.
    pub address: SocketAddr,
    app: Arc<App>,
    server: JoinHandle<()>,
}

impl std::fmt::Debug for SandboxHandle {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Running").field("address", &self.address).field("calls", &self.calls()).finish_non_exhaustive()
    }
}

impl SandboxHandle {
    /// Returns `http://127.0.0.1:PORT`, without a slash at the end.
    #[must_use]
    pub fn base_url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// The number of requests since the start, including refused ones.
    #[must_use]
    pub fn calls(&self) -> u64 {
        self.app.journal.calls()
    }

    /// Returns the last 1,000 requests, oldest first.
    #[must_use]
    pub fn requests(&self) -> Vec<RecordedRequest> {
        self.app.journal.list()
    }

    /// Returns the counts of the corpus folder; `None` for the built-in corpus.
    #[must_use]
    pub fn loaded(&self) -> Option<LoadStats> {
        self.app.corpus.loaded()
    }

    /// Stops listening and ends delays. Open requests have five seconds to finish, then they are dropped.
    pub async fn stop(mut self) {
        self.app.stop.cancel();
        if tokio::time::timeout(STOP_GRACE, &mut self.server).await.is_err() {
            self.server.abort();
        }
    }
}

impl Drop for SandboxHandle {
    fn drop(&mut self) {
        self.app.stop.cancel();
    }
}

/// Starts a sandbox. Reads the corpus folder first. When this returns, requests are answered.
///
/// # Errors
/// The folder cannot be read or holds nothing, the key is empty, or the address cannot be listened on.
pub async fn start(settings: Settings) -> Result<SandboxHandle, StartError> {
    let Settings { listen, key, corpus, faults, clock } = settings;
    if key.as_ref().is_some_and(|key| key.trim().is_empty()) {
        let (message, hint) = ("the sandbox's key is empty", "omit the key to accept any");
        return Err(StartError { message: message.into(), hint: hint.into() });
    }
    let now = clock();
    let corpus = tokio::task::spawn_blocking(move || Corpus::open(&corpus, now)).await.map_err(|error| {
        StartError { message: format!("reading the corpus was interrupted: {error}"), hint: "start again".into() }
    })??;
    let cannot_listen = |error: std::io::Error| StartError {
        message: format!("cannot listen on {listen}: {error}"),
        hint: "choose another address, or port 0 for a free one".into(),
    };
    let listener = tokio::net::TcpListener::bind(listen).await.map_err(cannot_listen)?;
    let address = listener.local_addr().map_err(cannot_listen)?;
    let app = Arc::new(App {
        corpus,
        key,
        faults: faults.into_iter().map(|fault| (fault, AtomicU64::new(0))).collect(),
        clock,
        journal: Journal::default(),
        stop: CancellationToken::new(),
    });
    let stopped = app.stop.clone().cancelled_owned();
    let serving = axum::serve(LimitedListener::new(listener, MAX_CONNECTIONS, None), router(&app))
        .with_graceful_shutdown(stopped);
    let server = tokio::spawn(async move {
        // Serving ends only with the stop token; accept errors are retried inside.
        let _ = serving.await;
    });
    Ok(SandboxHandle { address, app, server })
}

/// Returns the router with all paths.
fn router(app: &Arc<App>) -> Router {
    Router::new()
        .route("/ai/search", post(contract_ai))
        .route("/web/search", post(contract_web))
        .route("/{platform}/search", post(contract_social))
        .route("/desearch/ai/search", post(observed_ai))
        .route("/desearch/ai/search/links/web", post(observed_link_pages))
        .route("/desearch/ai/search/links/twitter", post(observed_link_posts))
        .route("/twitter", get(observed_basic_posts).post(contract_basic_posts))
        .route("/web", get(observed_basic_pages))
        // Feeds have a route of the same shape, so the platform `feeds` needs its own.
        .route("/feeds/search", post(contract_feeds))
        .merge(kinds::routes())
        .fallback(async |uri: Uri| match kinds::of_path(uri.path()) {
            Some(_) => kinds::unknown(),
            None => unknown(),
        })
        .method_not_allowed_fallback(async || error(StatusCode::METHOD_NOT_ALLOWED, "Method Not Allowed"))
        .layer(middleware::from_fn_with_state(app.clone(), layers::middleware))
        .with_state(app.clone())
}

/// Lists the paths, for a 404.
fn unknown() -> Response {
    const THERE_IS: &str = "Not Found; there is POST /ai/search, /web/search, /{platform}/search, /twitter, \
                            /desearch/ai/search, /desearch/ai/search/links/web, /desearch/ai/search/links/twitter, \
                            and GET /twitter, /web";
    error(StatusCode::NOT_FOUND, THERE_IS)
}

/// Returns the current hour of the sandbox's clock.
fn hour(app: &App) -> Hour {
    Hour::of((app.clock)())
}

async fn contract_ai(State(app): State<Arc<App>>, headers: HeaderMap, body: Body) -> Response {
    match layers::json_body(&headers, body).await {
        Ok(params) => contract::ai(&app.corpus, hour(&app), params),
        Err(refusal) => refusal,
    }
}

async fn contract_web(State(app): State<Arc<App>>, headers: HeaderMap, body: Body) -> Response {
    match layers::json_body(&headers, body).await {
        Ok(params) => contract::web(&app.corpus, hour(&app), params),
        Err(refusal) => refusal,
    }
}

async fn contract_social(
    State(app): State<Arc<App>>,
    Path(platform): Path<String>,
    headers: HeaderMap,
    body: Body,
) -> Response {
    let is_name = platform.len() <= MAX_PLATFORM
        && platform.starts_with(|c: char| c.is_ascii_alphabetic())
        && platform.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'));
    // The names of the deployed services' paths are no platforms.
    if !is_name || matches!(platform.as_str(), "desearch" | "twitter") {
        return unknown();
    }
    match layers::json_body(&headers, body).await {
        Ok(params) => contract::social(&app.corpus, hour(&app), &platform, params),
        Err(refusal) => refusal,
    }
}

async fn contract_feeds(state: State<Arc<App>>, headers: HeaderMap, body: Body) -> Response {
    contract_social(state, Path("feeds".to_owned()), headers, body).await
}

async fn contract_basic_posts(State(app): State<Arc<App>>, headers: HeaderMap, body: Body) -> Response {
    match layers::json_body(&headers, body).await {
        Ok(params) => contract::basic_posts(&app.corpus, hour(&app), params),
        Err(refusal) => refusal,
    }
}

async fn observed_ai(State(app): State<Arc<App>>, headers: HeaderMap, body: Body) -> Response {
    match layers::json_body(&headers, body).await {
        Ok(params) => deployed::ai(&app.corpus, hour(&app), params),
        Err(refusal) => refusal,
    }
}

async fn observed_link_pages(State(app): State<Arc<App>>, headers: HeaderMap, body: Body) -> Response {
    match layers::json_body(&headers, body).await {
        Ok(params) => deployed::link_pages(&app.corpus, hour(&app), params),
        Err(refusal) => refusal,
    }
}

async fn observed_link_posts(State(app): State<Arc<App>>, headers: HeaderMap, body: Body) -> Response {
    match layers::json_body(&headers, body).await {
        Ok(params) => deployed::link_posts(&app.corpus, hour(&app), params),
        Err(refusal) => refusal,
    }
}

async fn observed_basic_posts(State(app): State<Arc<App>>, RawQuery(query): RawQuery) -> Response {
    deployed::basic_posts(&app.corpus, hour(&app), Params::query(&query.unwrap_or_default()))
}

async fn observed_basic_pages(State(app): State<Arc<App>>, RawQuery(query): RawQuery) -> Response {
    deployed::basic_pages(&app.corpus, hour(&app), Params::query(&query.unwrap_or_default()))
}
