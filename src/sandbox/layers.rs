//! The layers around every request: the key check, the fault rules, the journal. The replies are made elsewhere.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use axum::body::{Body, Bytes, to_bytes};
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::middleware::Next;
use axum::response::Response;
use tokio_util::sync::CancellationToken;

use super::Clock;
use super::auth;
use super::corpus::Corpus;
use super::damage;
use super::fault::{Action, Fault, Role};
use super::journal::Journal;
use super::kinds;
use super::params::Params;
use super::reply;
use super::stream::chunked;

/// The maximum size of a request body.
pub(crate) const MAX_REQUEST_BYTES: usize = 1 << 20;
/// Marks every reply as invented, so that it is never stored together with real findings. Documented in
/// `docs/reference/sandbox.md`.
const MARK: HeaderName = HeaderName::from_static("x-topicwatch-sandbox");
/// More than any reply of the sandbox.
const MAX_REPLY_BYTES: usize = 64 << 20;

/// The state that all requests share.
pub(crate) struct App {
    /// Posts and pages.
    pub(crate) corpus: Corpus,
    /// The only accepted key, if there is one.
    pub(crate) key: Option<String>,
    /// The rules, each with the number of requests to which it has applied so far.
    pub(crate) faults: Vec<(Fault, AtomicU64)>,
    pub(crate) clock: Clock,
    pub(crate) journal: Journal,
    /// Cancelled when the sandbox stops.
    pub(crate) stop: CancellationToken,
}

impl App {
    /// Returns the first rule that fires on this request. Every rule counts every request to which it applies, so that
    /// `every` and `after` of one rule do not depend on the others.
    fn fault(&self, role: Option<Role>, path: &str) -> Option<&Fault> {
        let mut first = None;
        for (fault, count) in &self.faults {
            if fault.applies_to(role, path) {
                let nth = count.fetch_add(1, Ordering::Relaxed) + 1;
                if first.is_none() && fault.fires(nth) {
                    first = Some(fault);
                }
            }
        }
        first
    }
}

/// Returns the role of a path, for fault rules; `None` if nothing is served there.
fn role_of(path: &str) -> Option<Role> {
    if let Some(role) = kinds::of_path(path) {
        return Some(role);
    }
    let segments: Vec<&str> = path.trim_matches('/').split('/').collect();
    match segments.as_slice() {
        ["ai", "search"] | ["desearch", "ai", "search"] => Some(Role::Ai),
        ["web"] | ["web", "search"] | ["desearch", "ai", "search", "links", "web"] => Some(Role::Web),
        ["twitter"] | [_, "search"] | ["desearch", "ai", "search", "links", "twitter"] => Some(Role::Social),
        _ => None,
    }
}

/// The middleware around every request.
pub(crate) async fn middleware(State(app): State<Arc<App>>, request: Request, next: Next) -> Response {
    let method = request.method().to_string();
    let path = request.uri().path().to_owned();
    let query = request.uri().query().unwrap_or_default().to_owned();
    let (mut response, status) = answer(&app, &path, request, next).await;
    response.headers_mut().insert(MARK, HeaderValue::from_static("1"));
    app.journal.note(&method, &path, &query, status);
    response
}

/// Returns the reply and the status to record: 0 when the connection breaks before one is sent.
async fn answer(app: &App, path: &str, request: Request, next: Next) -> (Response, u16) {
    let noted = |response: Response| {
        let status = response.status().as_u16();
        (response, status)
    };
    let role = role_of(path);
    // Providers of other kinds have their own keys, or none.
    if !kinds::is_kind(role)
        && let Err((status, body)) = auth::check(request.headers(), app.key.as_deref())
    {
        return noted(reply::json(status, &body));
    }
    let fault = app.fault(role, path);
    if let Some(delay) = fault.and_then(|fault| fault.delay) {
        wait(delay, &app.stop).await;
    }
    match fault.and_then(|fault| fault.action.clone()) {
        None => noted(next.run(request).await),
        Some(Action::Status(code, retry_after)) => {
            let refusal = damage::status(code, retry_after, (app.clock)());
            noted(match kinds::refusal(role, code, retry_after) {
                Some(body) => with_body(refusal, body.to_string().into()),
                None => refusal,
            })
        }
        Some(Action::Redirect(to)) => noted(damage::redirect(&to)),
        Some(Action::Reset) => (Response::new(damage::cut(&Bytes::new(), 0)), 0),
        Some(Action::Bomb(size)) => {
            let compressed = tokio::task::spawn_blocking(move || damage::bomb(size)).await;
            noted(damage::bomb_response(compressed.ok().and_then(Result::ok).unwrap_or_default()))
        }
        Some(action) => noted(apply_action(role, &action, next.run(request).await).await),
    }
}

/// Returns the same reply with another body.
fn with_body(response: Response, body: Body) -> Response {
    let (mut parts, _) = response.into_parts();
    parts.headers.remove(header::CONTENT_LENGTH);
    Response::from_parts(parts, body)
}

/// Applies an action to the body of a good reply; a bad one stays as it is.
async fn apply_action(role: Option<Role>, action: &Action, response: Response) -> Response {
    if !response.status().is_success() {
        return response;
    }
    let (mut parts, body) = response.into_parts();
    let Ok(bytes) = to_bytes(body, MAX_REPLY_BYTES).await else {
        return reply::error(StatusCode::INTERNAL_SERVER_ERROR, "the reply is too large to damage");
    };
    let body = match action {
        _ if kinds::is_kind(role) => kinds::damaged(action, &mut parts.headers, &bytes),
        Action::Cut(keep) => damage::cut(&bytes, *keep),
        Action::Truncate(keep) => damage::truncated(&bytes, *keep),
        Action::Empty => chunked(damage::empty_reply(&bytes)),
        Action::ErrorFrame => chunked(damage::with_error(&bytes)),
        Action::Malformed(kind) => {
            let (content_type, bytes) = damage::garbage(*kind, &bytes);
            parts.headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(content_type));
            Body::from(bytes)
        }
        // These were answered before there was a reply.
        Action::Status(..) | Action::Redirect(_) | Action::Reset | Action::Bomb(_) => Body::from(bytes),
    };
    parts.headers.remove(header::CONTENT_LENGTH);
    Response::from_parts(parts, body)
}

/// Waits, but no longer than until the sandbox stops.
async fn wait(delay: Duration, stop: &CancellationToken) {
    tokio::select! {
        () = tokio::time::sleep(delay) => {}
        () = stop.cancelled() => {}
    }
}

/// Reads the object in a JSON body. The refusal is 415 for another content type, 413 for a large body, 422 for anything
/// but an object.
pub(crate) async fn json_body(headers: &HeaderMap, body: Body) -> Result<Params, Response> {
    let content_type = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let essence = content_type.split(';').next().unwrap_or_default().trim();
    if !essence.eq_ignore_ascii_case("application/json") {
        let message = "Content-Type must be application/json";
        return Err(reply::error(StatusCode::UNSUPPORTED_MEDIA_TYPE, message));
    }
    let Ok(bytes) = to_bytes(body, MAX_REQUEST_BYTES).await else {
        return Err(reply::error(StatusCode::PAYLOAD_TOO_LARGE, "the request body is larger than 1 MiB"));
    };
    serde_json::from_slice(&bytes).map(Params::body).map_err(|error| {
        let mut params = Params::body(serde_json::Map::new());
        params.add_error("json_invalid", "", &format!("Input should be a JSON object: {error}"));
        super::params::validation_error(params)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_path_has_the_role_that_fault_rules_match() {
        for (path, role) in [
            ("/ai/search", Some(Role::Ai)),
            ("/X/search", Some(Role::Social)),
            ("/web/search", Some(Role::Web)),
            ("/desearch/ai/search", Some(Role::Ai)),
            ("/desearch/ai/search/links/web", Some(Role::Web)),
            ("/desearch/ai/search/links/twitter", Some(Role::Social)),
            ("/twitter", Some(Role::Social)),
            ("/web", Some(Role::Web)),
            ("/web/crawl", None),
            ("/searxng/search", Some(Role::Searxng)),
            ("/hackernews/search", Some(Role::Social)),
            ("/feeds/search", Some(Role::Social)),
            ("/feeds/coffee.rss", Some(Role::Feeds)),
            ("/", None),
        ] {
            assert_eq!(role_of(path), role, "{path}");
        }
    }
}
