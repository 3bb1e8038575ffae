//! Listening, routing, stopping. Every path that is served stands in [`router`]; who gets an answer is `guard`'s.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::State;
use axum::http::{StatusCode, Uri, header};
use axum::response::{IntoResponse as _, Response};
use axum::routing::{MethodRouter, get, post};
use axum::{Router, middleware};
use tokio::sync::Semaphore;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use super::app::App;
use super::ask::Ask;
use super::layout::{self, Page};
use super::pages::{
    acks, actions, alerts, answers, editions, health, item, items, kept, keys, login, marks, overview, runs, searches,
    topic,
};
use super::pages::{jobs, progress, topic_edit, topic_report};
use super::probes;
use super::problem::Problem;
use super::site::Site;
use super::{api, guard, mcp};
use crate::listener::{Limited, Peer};

/// Connections open at a time. One more takes the place of one that is idle.
const MAX_CONNECTIONS: usize = 256;
/// How long a client may neither finish a request nor take an answer; longer than [`guard::LONGEST`].
const PATIENCE: Duration = Duration::from_secs(15);
/// Pages made at a time; the others wait.
const AT_ONCE: usize = 4;
/// How long a stop waits for answers under way.
const STOP_GRACE: Duration = Duration::from_secs(2);

/// Why the pages are not served.
#[derive(Debug, Clone, thiserror::Error)]
#[error("{message}")]
pub struct StartError {
    /// What is wrong.
    pub message: String,
    /// What to do.
    pub hint: String,
}

/// Pages that are served. Dropping it stops them without waiting for answers under way.
#[derive(Debug)]
pub struct Running {
    /// Where; the port is the real one when 0 was asked for.
    pub address: SocketAddr,
    site: Arc<Site>,
    stop: CancellationToken,
    server: JoinHandle<()>,
}

impl Running {
    /// Stops listening, lets answers under way finish for a moment, and closes the store behind them.
    pub async fn stop(mut self) {
        self.stop.cancel();
        self.site.exporting.stop();
        self.site.streams.stop();
        if tokio::time::timeout(STOP_GRACE, &mut self.server).await.is_err() {
            self.server.abort();
        }
        self.site.guesses.tell();
        self.site.exporting.close().await;
        self.site.store.close().await;
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.stop.cancel();
        self.site.exporting.stop();
        self.site.streams.stop();
    }
}

/// Begins to serve; when this returns, requests are answered.
///
/// # Errors
/// The address cannot be listened on, or is open to others without a token.
pub async fn start(site: Site, listen: SocketAddr) -> Result<Running, StartError> {
    if !listen.ip().is_loopback() && site.settings().access.is_none() {
        return Err(StartError {
            message: format!("pages on {listen} would show everything to whoever reaches this machine"),
            hint: "set a token ([web] token_env or token_file), or listen on 127.0.0.1".into(),
        });
    }
    let cannot = |error: std::io::Error| unheard(listen, &error);
    let listener = tokio::net::TcpListener::bind(listen).await.map_err(cannot)?;
    let address = listener.local_addr().map_err(cannot)?;
    let (site, stop) = (Arc::new(site), CancellationToken::new());
    let app = App { site: Arc::clone(&site), places: Arc::new(Semaphore::new(AT_ONCE)) };
    let listener = Limited::new(listener, MAX_CONNECTIONS, Some(PATIENCE));
    let serving = axum::serve(listener, router(app).into_make_service_with_connect_info::<Peer>())
        .with_graceful_shutdown(stop.clone().cancelled_owned());
    let server = tokio::spawn(async move {
        // Serving ends only by the stop token; accept errors are retried inside.
        let _ = serving.await;
    });
    Ok(Running { address, site, stop, server })
}

/// Why an address cannot be listened on, and what to do about it.
fn unheard(listen: SocketAddr, error: &std::io::Error) -> StartError {
    use std::io::ErrorKind::{AddrInUse, AddrNotAvailable, PermissionDenied};
    let port = listen.port();
    let (why, first) = match error.kind() {
        AddrInUse => {
            ("another process listens there".to_owned(), format!("end it (`ss -ltnp sport = :{port}` names it), or "))
        }
        PermissionDenied => (format!("this user may not ({error})"), "take a port from 1024 on: ".to_owned()),
        AddrNotAvailable => ("this machine has no such address".to_owned(), String::new()),
        _ => (error.to_string(), String::new()),
    };
    StartError {
        message: format!("cannot listen on {listen}: {why}"),
        hint: format!("{first}choose another address with [web] listen or --listen, or port 0 for a free one"),
    }
}

/// Everything that is served.
fn router(app: App) -> Router {
    Router::new()
        .route("/", page(overview::show))
        .route("/topics/{id}", page(topic::show).merge(post(actions::ask)))
        .route("/topics/{id}/marks", post(marks::ask))
        .route("/topics/{id}/report", get(topic_report::show))
        .route("/jobs", page(jobs::show).merge(post(jobs::ask)))
        .route(topic_edit::NEW, page(topic_edit::add).merge(post(topic_edit::add_now)))
        .route("/jobs/topics/{id}", page(topic_edit::change).merge(post(topic_edit::change_now)))
        .route("/progress/{run}", page(progress::show))
        .route("/progress/{run}/events", get(progress::events))
        .route("/answers/{id}", page(answers::show))
        .route("/item", page(item::show))
        .route("/items", page(items::show))
        .route("/items.csv", get(items::file))
        .route("/items.xlsx", get(items::file))
        .route("/items.jsonl", get(items::file))
        .route("/items/star", post(kept::star))
        .route("/items/note", post(kept::note))
        .route("/searches", post(searches::ask))
        .route("/searches/{file}", get(searches::feed))
        .route("/keys", page(keys::show))
        .route("/runs", page(runs::show))
        .route("/alerts", page(alerts::show).merge(post(acks::ask)))
        .route("/files", page(editions::show))
        .route("/file", get(editions::file))
        .route("/health", page(health::show))
        .route("/healthz", get(probes::healthz))
        .route("/readyz", get(probes::readyz))
        .route("/metrics", get(probes::metrics))
        .route("/login", page(login::show).merge(post(login::enter)))
        .route("/logout", post(login::leave))
        .route("/mcp", mcp::route(&app.site))
        .route(
            "/style.css",
            file("text/css; charset=utf-8", concat!(include_str!("../draw/base.css"), include_str!("style.css"))),
        )
        .route(
            "/live.js",
            file("text/javascript; charset=utf-8", concat!(include_str!("live.js"), include_str!("keys.js"))),
        )
        .merge(api::routes())
        .fallback(async |State(app): State<App>, uri: Uri| {
            let page = || Problem::unknown("There is no such page");
            let problem = if api::is_of(uri.path()) { api::nowhere() } else { page() };
            problem.answer(&app.site, uri.path())
        })
        .method_not_allowed_fallback(async |State(app): State<App>, uri: Uri| {
            let hint = "Pages are read with GET; actions are the buttons on them.";
            let page = || Problem::new(StatusCode::METHOD_NOT_ALLOWED, "That cannot be done here", hint);
            let problem = if api::is_of(uri.path()) { api::not_so() } else { page() };
            problem.answer(&app.site, uri.path())
        })
        .layer(middleware::from_fn_with_state(app.clone(), guard::pass))
        .with_state(app)
}

/// A page that is made anew for each request.
fn page<F, Made>(make: F) -> MethodRouter<App>
where
    F: Fn(Arc<Site>, Ask) -> Made + Clone + Send + Sync + 'static,
    Made: Future<Output = Result<Page, Problem>> + Send,
{
    get(move |State(app): State<App>, uri: Uri| async move {
        let made = match Ask::of(&uri) {
            Ok(ask) => make(Arc::clone(&app.site), ask).await,
            Err(problem) => Err(problem),
        };
        match made {
            Ok(page) => layout::page(&app.site, &page),
            Err(problem) => layout::problem(&app.site, &problem),
        }
    })
}

/// A file of the program's own.
fn file(kind: &'static str, text: &'static str) -> MethodRouter<App> {
    get(async move || -> Response { ([(header::CONTENT_TYPE, kind)], text).into_response() })
}
