//! The routes of these kinds. The file of each kind builds its replies.

use std::sync::Arc;

use axum::Router;
use axum::body::{Body, Bytes, to_bytes};
use axum::extract::{Path, RawQuery, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use axum::routing::{get, post};

use super::{bluesky, feeds, hackernews, openai, role, searxng};
use crate::sandbox::corpus::Hour;
use crate::sandbox::layers::{App, MAX_REQUEST_BYTES};
use crate::sandbox::reply;

/// Lists the routes, for a 404 below a prefix.
const THERE_IS: &str = "Not Found; there is GET /hackernews/api/v1/search_by_date, /searxng/search, /searxng/config, \
                        /feeds/NAME.rss, /feeds/NAME.atom, /feeds/NAME.json, /openai/v1/models, \
                        /bluesky/xrpc/app.bsky.feed.searchPosts, and POST /openai/v1/chat/completions, \
                        /bluesky/xrpc/com.atproto.server.createSession, \
                        /bluesky/xrpc/com.atproto.server.refreshSession";

/// Returns all routes below the prefixes.
pub(in crate::sandbox) fn routes() -> Router<Arc<App>> {
    Router::new()
        .route("/hackernews/api/v1/search_by_date", get(hackernews))
        .route("/searxng/search", get(searxng).post(searxng_form))
        .route("/searxng/config", get(async || searxng::config()))
        .route("/feeds/{file}", get(feed))
        .route("/bluesky/xrpc/com.atproto.server.createSession", post(create_session))
        .route("/bluesky/xrpc/com.atproto.server.refreshSession", post(refresh_session))
        .route("/bluesky/xrpc/app.bsky.feed.searchPosts", get(search_posts))
        .route("/openai/v1/chat/completions", post(chat))
        .route("/openai/v1/models", get(models))
}

/// 404 below a prefix.
pub(in crate::sandbox) fn unknown() -> Response {
    reply::error(StatusCode::NOT_FOUND, THERE_IS)
}

fn hour(app: &App) -> Hour {
    Hour::of((app.clock)())
}

/// Reads the body of a request, or refuses a large one.
async fn read(body: Body) -> Result<Bytes, Response> {
    let large = |_| reply::error(StatusCode::PAYLOAD_TOO_LARGE, "the request body is larger than 1 MiB");
    to_bytes(body, MAX_REQUEST_BYTES).await.map_err(large)
}

async fn hackernews(State(app): State<Arc<App>>, RawQuery(query): RawQuery) -> Response {
    hackernews::search_by_date(&app.corpus, hour(&app), &query.unwrap_or_default())
}

async fn searxng(State(app): State<Arc<App>>, RawQuery(query): RawQuery) -> Response {
    searxng::search(&app.corpus, hour(&app), query.unwrap_or_default().as_bytes())
}

/// The same with a form, which SearXNG also accepts.
async fn searxng_form(State(app): State<Arc<App>>, body: Body) -> Response {
    match read(body).await {
        Ok(form) => searxng::search(&app.corpus, hour(&app), &form),
        Err(refusal) => refusal,
    }
}

async fn feed(State(app): State<Arc<App>>, Path(file): Path<String>, headers: HeaderMap) -> Response {
    feeds::feed(&app.corpus, hour(&app), &file, &headers).unwrap_or_else(unknown)
}

async fn create_session(State(app): State<Arc<App>>, body: Body) -> Response {
    match read(body).await {
        Ok(body) => bluesky::create_session(&body, app.key.as_deref(), (app.clock)()),
        Err(refusal) => refusal,
    }
}

async fn refresh_session(State(app): State<Arc<App>>, headers: HeaderMap) -> Response {
    bluesky::refresh_session(&headers, (app.clock)())
}

async fn search_posts(State(app): State<Arc<App>>, headers: HeaderMap, RawQuery(query): RawQuery) -> Response {
    bluesky::search_posts(&app.corpus, (app.clock)(), &headers, &query.unwrap_or_default())
}

/// The models' key is checked here, so that fault rules count every request, as for the other kinds.
async fn chat(State(app): State<Arc<App>>, headers: HeaderMap, body: Body) -> Response {
    if let Err((status, body)) = role::model_key(&headers, app.key.as_deref()) {
        return reply::json(status, &body);
    }
    match read(body).await {
        Ok(body) => openai::chat(&body, hour(&app)),
        Err(refusal) => refusal,
    }
}

async fn models(State(app): State<Arc<App>>, headers: HeaderMap) -> Response {
    match role::model_key(&headers, app.key.as_deref()) {
        Ok(()) => openai::models(hour(&app)),
        Err((status, body)) => reply::json(status, &body),
    }
}
