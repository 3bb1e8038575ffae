//! Listens, routes and stops. Every path that is served is in [`routes()`] with what it needs of a visitor; `guard`
//! decides who gets an answer.

pub(super) mod app;
pub(super) mod probes;
pub(super) mod readiness;
pub(super) mod routes;
pub(super) mod streams;

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::{RawPathParams, State};
use axum::http::{StatusCode, Uri, header};
use axum::response::{IntoResponse as _, Response};
use axum::{Extension, Router, middleware};
use futures_util::future::{BoxFuture, Ready, ready};
use tokio::sync::Semaphore;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use super::access::access_rule::AccessRule::{InScope, OfAll, OfTopic, Open};
use super::access::access_rule::RouteNeed;
use super::access::visitor::Visitor;
use super::layout::{self, Page};
use super::page_request::{NEXT, PageRequest};
use super::pages::items::{item, marks, searches, stars_and_notes};
use super::pages::runs::{progress, query};
use super::pages::topic::answers;
use super::pages::{access, alerts, editions, health, items, jobs, keys, login, overview, runs, shared, topic};
use super::problem::Problem;
use super::site::Site;
use super::{api, guard, item_query, mcp};
use crate::listener::{LimitedListener, Peer};
use crate::model::Role::{Act, Edit, Read};
use app::App;
use routes::Routes;

/// Maximum number of connections open at a time. One more takes the place of an idle one.
const MAX_CONNECTIONS: usize = 256;
/// How long a client may neither finish a request nor accept an answer; longer than [`guard::LONGEST`].
const PATIENCE: Duration = Duration::from_secs(15);
/// Pages made at a time; others wait.
const AT_ONCE: usize = 4;
/// How long a stop waits for answers under way.
const STOP_GRACE: Duration = Duration::from_secs(2);

/// Why the pages cannot be served.
#[derive(Debug, Clone, thiserror::Error)]
#[error("{message}")]
pub struct StartError {
    /// What is wrong.
    pub message: String,
    /// What to do.
    pub hint: String,
}

/// A running server. Dropping it stops it without waiting for answers under way.
#[derive(Debug)]
pub struct Running {
    /// Its address; the port is the real one if 0 was requested.
    pub address: SocketAddr,
    site: Arc<Site>,
    stop: CancellationToken,
    server: JoinHandle<()>,
}

impl Running {
    /// Stops listening, gives answers under way a moment to finish, and closes the stores.
    pub async fn stop(mut self) {
        self.stop.cancel();
        self.site.exporting.stop();
        self.site.streams.stop();
        self.site.store.stop_waiting();
        self.site.exporting.store.stop_waiting();
        if tokio::time::timeout(STOP_GRACE, &mut self.server).await.is_err() {
            self.server.abort();
        }
        self.site.guesses.log();
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

/// Starts serving. When this returns, requests are answered.
///
/// # Errors
/// If the address cannot be listened on, or is open to others without a token.
pub async fn start(site: Site, listen: SocketAddr) -> Result<Running, StartError> {
    if !listen.ip().is_loopback() && site.settings().access.is_none() {
        return Err(StartError {
            message: format!("pages on {listen} would show everything to anyone who can reach this machine"),
            hint: "set a token ([web] token_env or token_file; a named one is not enough), or listen on 127.0.0.1"
                .into(),
        });
    }
    let cannot = |error: std::io::Error| bind_error(listen, &error);
    // Reads the tokens now, to know whether there are named ones if the database is away later.
    let _ = site.tokens.table(&site.store).await;
    let listener = tokio::net::TcpListener::bind(listen).await.map_err(cannot)?;
    let address = listener.local_addr().map_err(cannot)?;
    let (site, stop) = (Arc::new(site), CancellationToken::new());
    let listener = LimitedListener::new(listener, MAX_CONNECTIONS, Some(PATIENCE));
    let serving = axum::serve(listener, router(Arc::clone(&site)).into_make_service_with_connect_info::<Peer>())
        .with_graceful_shutdown(stop.clone().cancelled_owned());
    let server = tokio::spawn(async move {
        // Serving ends only by the stop token; accept errors are retried inside.
        let _ = serving.await;
    });
    Ok(Running { address, site, stop, server })
}

/// Why an address cannot be listened on, and what to do about it.
fn bind_error(listen: SocketAddr, error: &std::io::Error) -> StartError {
    use std::io::ErrorKind::{AddrInUse, AddrNotAvailable, PermissionDenied};
    let port = listen.port();
    let (why, first) = match error.kind() {
        AddrInUse => (
            "another process is listening there".to_owned(),
            format!("stop it (`ss -ltnp sport = :{port}` names it), or "),
        ),
        PermissionDenied => {
            (format!("this user is not permitted to ({error})"), "use a port of 1024 or higher: ".to_owned())
        }
        AddrNotAvailable => ("this machine has no such address".to_owned(), String::new()),
        _ => (error.to_string(), String::new()),
    };
    StartError {
        message: format!("cannot listen on {listen}: {why}"),
        hint: format!(
            "{first}choose another address with [web] listen (`serve`: or --listen), or port 0 for a free one"
        ),
    }
}

/// All routes, and the access that each requires.
fn routes() -> Routes {
    let style = concat!(include_str!("../../draw/base.css"), include_str!("../assets/style.css"));
    let script = concat!(include_str!("../assets/live.js"), include_str!("../assets/keys.js"));
    let pages = Routes::default()
        .get("/", InScope(Read), page(&["after"], overview::show))
        .get("/topics/{topic}", OfTopic(Read), page(topic::item_query::PARAMETERS, topic::show))
        .post("/topics/{topic}", OfTopic(Act), topic::actions::ask)
        .post("/topics/{topic}/marks", OfTopic(Act), marks::ask)
        .get("/answers/{topic}", OfTopic(Read), page(&["before"], answers::show))
        .get("/topics/{topic}/report", OfTopic(Read), topic::report::show)
        .get("/topics/{topic}/items.csv", OfTopic(Read), topic::items_file::file)
        .get("/topics/{topic}/items.xlsx", OfTopic(Read), topic::items_file::file)
        .get("/topics/{topic}/items.jsonl", OfTopic(Read), topic::items_file::file)
        .get("/item", InScope(Read), page(item::PARAMETERS, item::show))
        .get("/items", OfAll(Read), page(item_query::PAGE, items::show))
        .get("/items.csv", OfAll(Read), items::file)
        .get("/items.xlsx", OfAll(Read), items::file)
        .get("/items.jsonl", OfAll(Read), items::file)
        .post("/items/star", OfAll(Act), stars_and_notes::star)
        .post("/items/note", OfAll(Act), stars_and_notes::note)
        .post("/searches", OfAll(Act), searches::ask)
        .get("/searches/{file}", OfAll(Read), searches::feed)
        .get("/jobs", OfAll(Read), page(&["undo", "tested", "delete", "restored"], jobs::show))
        .post("/jobs", OfAll(Edit), jobs::ask)
        .get(topic::edit::NEW, OfAll(Read), page(&["from", "as"], topic::edit::add))
        .post(topic::edit::NEW, OfAll(Edit), topic::submit::add_now)
        .post("/jobs/check", OfAll(Read), topic::submit::check_now)
        .get("/jobs/topics/{id}", OfAll(Read), page(&["as"], topic::edit::change))
        .post("/jobs/topics/{id}", OfAll(Edit), topic::submit::change_now)
        .get("/progress/{run}", OfAll(Read), page(&[], progress::show))
        .get("/progress/{run}/events", OfAll(Read), progress::events)
        .get("/keys", InScope(Read), page(&[], keys::show))
        .post("/mcp", OfAll(Read), mcp::answer)
        .get("/runs", InScope(Read), page(query::PARAMETERS, runs::show))
        .get("/alerts", OfAll(Read), page(&["alert", "after", "before", "firing"], alerts::show))
        .post("/alerts", OfAll(Act), alerts::actions::ask)
        .get("/files", OfAll(Read), page(&["after"], editions::show))
        .get("/file", OfAll(Read), editions::file)
        .get("/health", OfAll(Read), page(&[], health::show))
        .get("/access", OfAll(Edit), page(&[], access::show))
        .get("/shared/{secret}", Open, shared::show)
        .get("/healthz", Open, probes::healthz)
        .get("/readyz", Open, probes::readyz)
        .get("/metrics", OfAll(Read), probes::metrics)
        .get("/login", Open, page(&[NEXT], login::show))
        .post("/login", Open, login::log_in)
        .post("/logout", InScope(Read), login::log_out)
        .get("/style.css", Open, file("text/css; charset=utf-8", style))
        .get("/live.js", Open, file("text/javascript; charset=utf-8", script));
    api::routes(pages)
}

/// The access that each route requires.
#[must_use]
pub fn declared() -> Vec<RouteNeed> {
    routes().done().1
}

/// All routes, behind the guard.
fn router(site: Arc<Site>) -> Router {
    let (router, declared) = routes().done();
    let app = App { site, places: Arc::new(Semaphore::new(AT_ONCE)), declared: declared.into() };
    router
        .fallback(async |State(app): State<App>, uri: Uri| {
            let page = || Problem::not_found("There is no such page");
            let problem = if api::is_api_path(uri.path()) { api::not_found() } else { page() };
            problem.answer(&app.site, uri.path())
        })
        .method_not_allowed_fallback(async |State(app): State<App>, uri: Uri| {
            let hint = "Read pages with GET; use their buttons for actions.";
            let page = || Problem::new(StatusCode::METHOD_NOT_ALLOWED, "This method is not allowed here", hint);
            let problem = if api::is_api_path(uri.path()) { api::method_not_allowed() } else { page() };
            problem.answer(&app.site, uri.path())
        })
        .layer(middleware::from_fn_with_state(app.clone(), guard::handle))
        .with_state(app)
}

/// A page that is made for each request, and the parameters that it takes.
fn page<F, Made>(
    takes: &'static [&'static str],
    make: F,
) -> impl Fn(State<App>, Extension<Visitor>, RawPathParams, Uri) -> BoxFuture<'static, Response>
+ Clone
+ Send
+ Sync
+ 'static
where
    F: Fn(Arc<Site>, PageRequest) -> Made + Clone + Send + Sync + 'static,
    Made: Future<Output = Result<Page, Problem>> + Send,
{
    move |State(app), Extension(visitor), params, uri| {
        let make = make.clone();
        Box::pin(async move {
            let result = match PageRequest::of(&uri, visitor.clone(), takes) {
                Ok(request) => make(Arc::clone(&app.site), request.about(&params)).await,
                Err(problem) => Err(problem),
            };
            match result {
                Ok(page) => layout::page(&app.site, &page, &visitor),
                Err(problem) => layout::problem(&app.site, &problem),
            }
        })
    }
}

/// A file that is part of the program.
fn file(kind: &'static str, text: &'static str) -> impl Fn() -> Ready<Response> + Clone + Send + Sync + 'static {
    move || ready(([(header::CONTENT_TYPE, kind)], text).into_response())
}
