//! Decides who gets an answer: checks the size of a request, the host it was sent to, where a change came from, and
//! what its route needs of the visitor. Sets the headers of every answer, so that nothing from outside runs, and
//! nothing is framed or cached.

use std::time::Duration;

use axum::body::{Body, to_bytes};
use axum::extract::rejection::RawPathParamsRejection;
use axum::extract::{ConnectInfo, MatchedPath, RawPathParams, Request, State};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Redirect, Response};
use tokio::time::Instant;

use super::access::access_rule::{AccessRule, need_of};
use super::access::authentication::{self, MOST_PASSES, basic_password, bearer, problem_page, session_cookies};
use super::access::visitor::{Identity, Visitor};
use super::api::is_api_path;
use super::downloads;
use super::layout;
use super::page_request::{self, NEXT, largest_form, link};
use super::problem::Problem;
use super::sent_form::{self, SentForm};
use super::server::app::App;
use super::server::probes;
use super::site::Site;
use crate::listener::Peer;

/// Longest time until an answer begins, from the last byte of a request's head.
pub(super) const LONGEST: Duration = Duration::from_secs(8);
const LONGEST_URI: usize = 16 * 1024;
const MOST_HEADERS: usize = 16 * 1024;

/// No script, style, picture or frame of others, and none written into a page.
const POLICY: &str = "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; connect-src 'self'; \
                      form-action 'self'; frame-ancestors 'none'; base-uri 'none'";

/// Checks a request, answers it in a task of its own, and adds the headers of every answer.
pub(super) async fn handle(
    State(app): State<App>,
    ConnectInfo(peer): ConnectInfo<Peer>,
    params: Result<RawPathParams, RawPathParamsRejection>,
    request: Request,
    next: Next,
) -> Response {
    let (mut head, body) = request.into_parts();
    peer.begin();
    let until = Instant::now() + LONGEST;
    let checked = tokio::time::timeout_at(until, check(&app, &peer, params.as_ref(), &head)).await;
    let mut response = match checked {
        Err(_) => busy(&app.site, head.uri.path()),
        Ok(Err(mut refused)) => {
            let is_own = host(&head).is_some_and(|host| is_same_origin(&head.headers, &host));
            sent_form::keep(&mut refused, &head, body, is_own, until).await;
            let visitor = refused.extensions_mut().remove::<Visitor>().unwrap_or_default();
            layout::with_menu(&app.site, *refused, &visitor)
        }
        Ok(Ok(visitor)) => {
            head.extensions.insert(visitor.clone());
            let request = Request::from_parts(head, body);
            // Probes are answered however busy everything else is.
            let response = if probes::OPEN.contains(&request.uri().path()) {
                let _stays = peer.answer();
                next.run(request).await
            } else {
                answered(&app, &peer, request, next, until).await
            };
            layout::with_menu(&app.site, response, &visitor)
        }
    };
    add_headers(response.headers_mut());
    response
}

/// The answer if nothing came in time: the database is away, or there is too much to do.
fn busy(site: &Site, path: &str) -> Response {
    let hint = "Try again in a moment; if the database is unavailable, the log says so.";
    Problem::new(StatusCode::SERVICE_UNAVAILABLE, "This took too long", hint).answer(site, path)
}

/// A request whose body is longer than is accepted at this address.
fn too_large(path: &str) -> Problem {
    let hint = format!("At most {} KiB are accepted here.", largest_form(path) / 1_024);
    Problem { hint, ..Problem::new(StatusCode::PAYLOAD_TOO_LARGE, "This request is too large", "") }
}

/// Answers in a task of its own, because a call to the store must not be dropped midway. The task holds its permit to
/// the end.
async fn answered(app: &App, peer: &Peer, request: Request, next: Next, until: Instant) -> Response {
    let path = request.uri().path().to_owned();
    let busy = || busy(&app.site, &path);
    // A client that sends a form very slowly holds no permit meanwhile, and its connection counts as idle.
    let (head, body) = request.into_parts();
    let body = match tokio::time::timeout_at(until, to_bytes(body, largest_form(&path))).await {
        Ok(Ok(body)) => body,
        Ok(Err(_)) => {
            return too_large(&path).answer(&app.site, &path);
        }
        Err(_) => return busy(),
    };
    let sent = SentForm::of(&head, &body);
    let request = Request::from_parts(head, Body::from(body));
    let stays = peer.answer();
    let places = std::sync::Arc::clone(&app.places);
    let task = tokio::spawn(async move {
        let _place = places.acquire_owned().await.ok()?;
        Some(next.run(request).await)
    });
    let mut response = match tokio::time::timeout_at(until, task).await {
        Ok(Ok(Some(response))) => response,
        Ok(Err(_)) => {
            let hint = "The log says why.";
            Problem::new(StatusCode::INTERNAL_SERVER_ERROR, "This request failed", hint).answer(&app.site, &path)
        }
        Ok(Ok(None)) | Err(_) => busy(),
    };
    if let Some(sent) = sent {
        sent.add_to(&mut response, true);
    }
    downloads::keep_connection(response, stays)
}

type Refused = Box<Response>;

/// Returns the visitor, if the request is acceptable and the visitor has what its route needs.
async fn check(
    app: &App,
    peer: &Peer,
    params: Result<&RawPathParams, &RawPathParamsRejection>,
    head: &Parts,
) -> Result<Visitor, Refused> {
    let (site, path, headers) = (&*app.site, head.uri.path(), &head.headers);
    check_request(site, head)?;
    if !is_readable(params, is_api_path(path)) || !page_request::is_utf8(head.uri.query().unwrap_or("")) {
        let hint = "Write it as UTF-8, percent-encoded, without NUL.";
        return Err(Box::new(Problem::bad_request("This address cannot be read", hint).answer(site, path)));
    }
    let matched = head.extensions.get::<MatchedPath>().map(MatchedPath::as_str);
    let need = matched.and_then(|matched| need_of(&app.declared, &head.method, matched));
    if need == Some(AccessRule::Open) {
        return Ok(Visitor::default());
    }
    let (api, settings) = (is_api_path(path), site.settings());
    // The API ignores cookies, so that pages of other sites cannot request anything from it.
    let passes = session_cookies(headers, settings.https).take(if api { 0 } else { MOST_PASSES });
    let problem = |problem: Problem| Box::new(problem_page(&problem, site, path));
    let basic = if is_for_programs(path) && !changes(head) { basic_password(headers) } else { None };
    let token = bearer(headers).or(basic.as_deref());
    let visitor = authentication::visitor(site, peer, token, passes).await.map_err(problem)?;
    if visitor.who == Identity::Nobody {
        return Err(Box::new(login_required(site, head, api)));
    }
    // Without tokens, a script of another site must not change anything.
    let foreign =
        || headers.contains_key(header::ORIGIN) && !host(head).is_some_and(|host| is_same_origin(headers, &host));
    if api && changes(head) && visitor.who == Identity::Anyone && foreign() {
        let refused =
            Problem::new(StatusCode::FORBIDDEN, "This request came from another page", "Use a program, not a page.");
        return Err(problem(refused));
    }
    // Routes write it as `{topic}`.
    let topic = params.ok().and_then(|params| params.iter().find(|(name, _)| *name == "topic")).map(|(_, topic)| topic);
    match need.map_or(Ok(()), |need| need.check(&visitor, topic)) {
        Ok(()) => Ok(visitor),
        Err(refused) => {
            let mut refused = problem(refused);
            // For the menu of its page.
            refused.extensions_mut().insert(visitor);
            Err(refused)
        }
    }
}

/// Whether the variable parts of a path are text without NUL, which PostgreSQL does not accept. The API checks each of
/// its parameters itself.
fn is_readable(params: Result<&RawPathParams, &RawPathParamsRejection>, api: bool) -> bool {
    match params {
        Ok(params) => api || params.iter().all(|(_, value)| !value.contains('\0')),
        // Without a route there are no parameters.
        Err(rejection) => !matches!(rejection, RawPathParamsRejection::InvalidUtf8InPathParam(_)),
    }
}

/// Whether feed readers and monitoring read this. They may send the token as a password; a browser that does so on its
/// own can only read here.
fn is_for_programs(path: &str) -> bool {
    path == "/metrics" || path.ends_with(".atom")
}

/// The answer for visitors who must log in first.
fn login_required(site: &Site, head: &Parts, api: bool) -> Response {
    let path = head.uri.path();
    let refuse = |title: &str, hint: &str| Problem::new(StatusCode::UNAUTHORIZED, title, hint).answer(site, path);
    if api {
        return refuse("The token is missing", "Send `Authorization: Bearer` with the token of the pages.");
    }
    // A program that is redirected to a form would take it for the answer.
    if is_for_programs(path) {
        let hint = "Send `Authorization: Bearer` with the token, or the token as the password of any user.";
        let mut refused = refuse("This needs a token", hint);
        for scheme in ["Bearer", "Basic realm=\"topicwatch\", charset=\"UTF-8\""] {
            refused.headers_mut().append(header::WWW_AUTHENTICATE, HeaderValue::from_static(scheme));
        }
        return refused;
    }
    if changes(head) {
        return refuse("You are not logged in", "Log in and try again.");
    }
    // Back to where the visitor was going.
    let to = head.uri.path_and_query().map_or("/", |to| to.as_str());
    let next = (to != "/" && to.len() <= page_request::LONGEST).then_some((NEXT, to));
    Redirect::to(&link("/login", next)).into_response()
}

fn changes(head: &Parts) -> bool {
    !matches!(head.method, Method::GET | Method::HEAD)
}

/// Checks that do not depend on the visitor.
fn check_request(site: &Site, head: &Parts) -> Result<(), Refused> {
    let (headers, path) = (&head.headers, head.uri.path());
    let refuse = |status: StatusCode, title: &str, hint: &str| {
        Err(Box::new(Problem::new(status, title, hint).answer(site, path)))
    };
    if head.uri.to_string().len() > LONGEST_URI {
        return refuse(StatusCode::URI_TOO_LONG, "This address is too long", "Search for less at a time.");
    }
    let size: usize = headers.iter().map(|(name, value)| name.as_str().len() + value.len() + 4).sum();
    if size > MOST_HEADERS {
        let status = StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE;
        let hint = "Send fewer or shorter headers; in a browser, delete the cookies of this address.";
        return refuse(status, "This request is too large", hint);
    }
    let length = headers.get(header::CONTENT_LENGTH).and_then(|value| value.to_str().ok()?.parse::<u64>().ok());
    if length.is_some_and(|length| length > largest_form(head.uri.path()) as u64) {
        return Err(Box::new(too_large(path).answer(site, path)));
    }
    let settings = site.settings();
    let Some(host) = host(head) else {
        return refuse(StatusCode::BAD_REQUEST, "This request has no host", "Send a Host header.");
    };
    if !is_allowed_host(&host, &settings.hosts) {
        let hint = "Add the name to `hosts` under [web], or open the address that `topicwatch` printed.";
        return refuse(StatusCode::MISDIRECTED_REQUEST, "These pages are not served under that name", hint);
    }
    // A browser names the page that sends a request for its user; MCP refuses other pages.
    if path == "/mcp" && headers.contains_key(header::ORIGIN) && !is_same_origin(headers, &host) {
        let hint = "Send it from a program, not from a web page.";
        return refuse(StatusCode::FORBIDDEN, "This request came from another page", hint);
    }
    if !is_api_path(path) && changes(head) && bearer(headers).is_none() && !is_same_origin(headers, &host) {
        let hint = "Use the buttons on these pages, or a script that sends the token.";
        return refuse(StatusCode::FORBIDDEN, "This request came from another page", hint);
    }
    Ok(())
}

/// The host that was asked, from the `Host` header or the address of the request.
fn host(head: &Parts) -> Option<String> {
    let mut named = head.headers.get_all(header::HOST).iter();
    let host = match (named.next(), named.next()) {
        (Some(host), None) => host.to_str().ok()?,
        (None, _) => head.uri.authority()?.as_str(),
        _ => return None,
    };
    (!host.is_empty()).then(|| host.to_ascii_lowercase())
}

/// Whether these pages answer to a host name. Prevents DNS rebinding: if others point their host name here, their
/// scripts must not read these pages. An IP address is not such a name.
fn is_allowed_host(host: &str, hosts: &[String]) -> bool {
    let name = match host.strip_prefix('[') {
        Some(rest) => {
            let Some((inside, port)) = rest.split_once(']') else { return false };
            let port = port.is_empty() || port.strip_prefix(':').is_some_and(is_port);
            return port && inside.parse::<std::net::Ipv6Addr>().is_ok();
        }
        None => match host.split_once(':') {
            Some((name, port)) if is_port(port) => name,
            Some(_) => return false,
            None => host,
        },
    };
    name == "localhost" || name.parse::<std::net::Ipv4Addr>().is_ok() || hosts.iter().any(|known| known == name)
}

fn is_port(text: &str) -> bool {
    text.parse::<u16>().is_ok()
}

/// Whether the browser says that one of our pages sent this.
fn is_same_origin(headers: &HeaderMap, host: &str) -> bool {
    let header_text = |name: HeaderName| headers.get(name).and_then(|value| value.to_str().ok());
    let site = header_text(HeaderName::from_static("sec-fetch-site"));
    let origin = header_text(header::ORIGIN).map(str::to_ascii_lowercase);
    let same = origin.as_deref().and_then(|o| o.strip_prefix("http://").or_else(|| o.strip_prefix("https://")));
    same == Some(host) && site.is_none_or(|site| site == "same-origin")
}

/// Adds the headers of every answer. `same-origin` and not `no-referrer`: with that, browsers send no origin with a
/// form.
fn add_headers(headers: &mut HeaderMap) {
    for (name, value) in [
        ("content-security-policy", POLICY),
        ("x-content-type-options", "nosniff"),
        ("x-frame-options", "DENY"),
        ("referrer-policy", "same-origin"),
        ("cross-origin-opener-policy", "same-origin"),
        ("cross-origin-resource-policy", "same-origin"),
        ("cache-control", "no-store"),
    ] {
        let name = HeaderName::from_static(name);
        if !headers.contains_key(&name) {
            headers.insert(name, HeaderValue::from_static(value));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_configured_hosts_localhost_and_ip_addresses_are_allowed() {
        let hosts = ["watch.example.com".to_owned()];
        for host in
            ["localhost", "localhost:8080", "127.0.0.1:80", "192.168.1.5", "[::1]:8080", "watch.example.com:443"]
        {
            assert!(is_allowed_host(host, &hosts), "{host}");
        }
        for host in [
            "evil.example",
            "localhost.evil.example",
            "127.0.0.1.evil.example",
            "localhost:",
            "localhost:80:80",
            "[::1",
            "[::1]x",
            "[evil]",
            "example.com",
            "localhost:x",
            "x watch.example.com",
            "",
        ] {
            assert!(!is_allowed_host(host, &hosts), "{host}");
        }
    }
}
