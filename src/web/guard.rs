//! Who gets an answer: limits of a request, the host it was sent to, the token, where a change came from; and what every
//! answer carries, so that nothing foreign runs, is framed or is kept.

use std::time::Duration;

use axum::body::{Body, to_bytes};
use axum::extract::{ConnectInfo, Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Redirect, Response};

use super::access::Access;
use super::api::is_of;
use super::app::App;
use super::ask::LARGEST_FORM;
use super::guesses::Tried;
use super::probes;
use super::problem::Problem;
use super::sessions;
use super::site::Site;
use crate::listener::Peer;

/// Longest time until an answer begins.
pub(super) const LONGEST: Duration = Duration::from_secs(10);
const LONGEST_URI: usize = 16 * 1024;
const MOST_HEADERS: usize = 16 * 1024;

/// Seconds after which to come back with another token.
const AGAIN: &str = "10";

/// No script, style, picture or frame of anybody else, and none written into a page.
const POLICY: &str = "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; connect-src 'self'; \
                      form-action 'self'; frame-ancestors 'none'; base-uri 'none'";

/// Checks a request, has it answered in a task of its own, and dresses the answer.
pub(super) async fn pass(
    State(app): State<App>,
    ConnectInfo(peer): ConnectInfo<Peer>,
    request: Request,
    next: Next,
) -> Response {
    let mut response = match check(&app.site, &peer, &request) {
        Err(refused) => *refused,
        // However busy everything else is.
        Ok(()) if probes::OPEN.contains(&request.uri().path()) => {
            let _stays = peer.answer();
            next.run(request).await
        }
        Ok(()) => answered(&app, &peer, request, next).await,
    };
    dress(response.headers_mut());
    response
}

/// In a task of its own, since what the store was asked must not be dropped midway; it holds its place to its end.
async fn answered(app: &App, peer: &Peer, request: Request, next: Next) -> Response {
    let path = request.uri().path().to_owned();
    let busy = || {
        let hint = "Ask again in a moment.";
        Problem::new(StatusCode::SERVICE_UNAVAILABLE, "Too much at once", hint).answer(&app.site, &path)
    };
    // Whoever sends a form drop by drop holds no place meanwhile, and gives way as if idle.
    let (head, body) = request.into_parts();
    let body = match tokio::time::timeout(LONGEST, to_bytes(body, LARGEST_FORM)).await {
        Ok(Ok(body)) => body,
        Ok(Err(_)) => {
            let hint = "Forms here are short.";
            let problem = Problem::new(StatusCode::PAYLOAD_TOO_LARGE, "This request carries too much", hint);
            return problem.answer(&app.site, &path);
        }
        Err(_) => return busy(),
    };
    let request = Request::from_parts(head, Body::from(body));
    let _stays = peer.answer();
    let places = std::sync::Arc::clone(&app.places);
    let task = tokio::spawn(async move {
        let _place = places.acquire_owned().await.ok()?;
        Some(next.run(request).await)
    });
    match tokio::time::timeout(LONGEST, task).await {
        Ok(Ok(Some(response))) => response,
        Ok(Err(_)) => {
            let hint = "The log says why.";
            Problem::new(StatusCode::INTERNAL_SERVER_ERROR, "This could not be made", hint).answer(&app.site, &path)
        }
        Ok(Ok(None)) | Err(_) => busy(),
    }
}

type Refused = Box<Response>;

fn check(site: &Site, peer: &Peer, request: &Request) -> Result<(), Refused> {
    let (headers, path) = (request.headers(), request.uri().path());
    let refuse = |status: StatusCode, title: &str, hint: &str| {
        Err(Box::new(Problem::new(status, title, hint).answer(site, path)))
    };
    if request.uri().to_string().len() > LONGEST_URI {
        return refuse(StatusCode::URI_TOO_LONG, "This address is too long", "Search for less at a time.");
    }
    let size: usize = headers.iter().map(|(name, value)| name.as_str().len() + value.len() + 4).sum();
    if size > MOST_HEADERS {
        let status = StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE;
        return refuse(status, "This request carries too much", "Delete the cookies of this address.");
    }
    let length = headers.get(header::CONTENT_LENGTH).and_then(|value| value.to_str().ok()?.parse::<u64>().ok());
    if length.is_some_and(|length| length > LARGEST_FORM as u64) {
        return refuse(StatusCode::PAYLOAD_TOO_LARGE, "This request carries too much", "Forms here are short.");
    }
    let settings = site.settings();
    let Some(host) = host(request) else {
        return refuse(StatusCode::BAD_REQUEST, "This request names no host", "Send a Host header.");
    };
    if !may_be_called(&host, &settings.hosts) {
        let hint = "Add the name to `hosts` under [web], or open the address that `topicwatch` printed.";
        return refuse(StatusCode::MISDIRECTED_REQUEST, "These pages do not answer to that name", hint);
    }
    let changes = !matches!(*request.method(), Method::GET | Method::HEAD);
    let bearer = bearer(headers);
    // A browser says whose page it is that speaks for its user, and MCP is for none.
    if path == "/mcp" && headers.contains_key(header::ORIGIN) && !from_here(headers, &host) {
        let hint = "Ask from a program, not from another page.";
        return refuse(StatusCode::FORBIDDEN, "This request came from another page", hint);
    }
    if is_of(path) {
        // A script of another page may not ask for something where nobody needs a token.
        if changes && settings.access.is_none() && headers.contains_key(header::ORIGIN) && !from_here(headers, &host) {
            return refuse(StatusCode::FORBIDDEN, "This request came from another page", "Ask from a program.");
        }
        return admit(site, peer, bearer).map_err(|problem| Box::new(problem_page(&problem, site, path)));
    }
    if changes && bearer.is_none() && !from_here(headers, &host) {
        let hint = "Changes are made by the buttons of these pages, or by a script that sends the token.";
        return refuse(StatusCode::FORBIDDEN, "This request came from another page", hint);
    }
    let open = matches!(path, "/login" | "/style.css" | "/live.js") || probes::OPEN.contains(&path);
    match (&settings.access, bearer) {
        (None, _) => Ok(()),
        (Some(access), Some(token)) => {
            token_of(site, access, peer, token).map_err(|problem| Box::new(problem_page(&problem, site, path)))
        }
        (Some(_), None) if open => Ok(()),
        (Some(access), None)
            if passes(headers, settings.https).any(|pass| site.sessions.admits(access, pass, site.now())) =>
        {
            Ok(())
        }
        // A program that is led to a form takes it for what it asked for.
        (Some(_), None) if path == "/metrics" || path.ends_with(".atom") => {
            let hint = "Send `Authorization: Bearer` with the token.";
            let mut refused = refuse(StatusCode::UNAUTHORIZED, "This is for who has the token", hint);
            if let Err(refused) = &mut refused {
                refused.headers_mut().insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
            }
            refused
        }
        (Some(_), None) if changes => {
            refuse(StatusCode::UNAUTHORIZED, "You are not logged in", "Log in and try again.")
        }
        (Some(_), None) => Err(Box::new(Redirect::to("/login").into_response())),
    }
}

/// Lets in whoever has the token, and everybody to read where there is none. What a browser keeps of a login is not looked at: no
/// page of anybody else can ask for something here, whatever it sends.
fn admit(site: &Site, peer: &Peer, bearer: Option<&str>) -> Result<(), Problem> {
    match (&site.settings().access, bearer) {
        (None, _) => Ok(()),
        (Some(access), Some(token)) => token_of(site, access, peer, token),
        (Some(_), None) => {
            let hint = "Send `Authorization: Bearer` with the token of the pages.";
            Err(Problem::new(StatusCode::UNAUTHORIZED, "The token is missing", hint))
        }
    }
}

/// Whether this is the token, unless its sender was wrong too often.
pub(super) fn token_of(site: &Site, access: &Access, peer: &Peer, given: &str) -> Result<(), Problem> {
    match site.guesses.tries(peer.ip, || access.knows(given)) {
        Tried::Right => Ok(()),
        Tried::Wrong => {
            let hint = "Send `Authorization: Bearer` with the token of the pages.";
            Err(Problem::new(StatusCode::UNAUTHORIZED, "That is not the token", hint))
        }
        Tried::TooMany(wait) => {
            let hint = format!("Try again in {} s. No token is looked at until then.", wait.as_secs() + 1);
            Err(Problem::new(StatusCode::TOO_MANY_REQUESTS, "There were too many wrong tokens", hint))
        }
    }
}

/// A problem, and when to come back where one is to.
pub(super) fn problem_page(problem: &Problem, site: &Site, path: &str) -> Response {
    let mut response = problem.answer(site, path);
    if problem.status == StatusCode::TOO_MANY_REQUESTS {
        response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from_static(AGAIN));
    }
    response
}

/// The host that was asked, as its header says, or the address of the request.
fn host(request: &Request) -> Option<String> {
    let mut named = request.headers().get_all(header::HOST).iter();
    let host = match (named.next(), named.next()) {
        (Some(host), None) => host.to_str().ok()?,
        (None, _) => request.uri().authority()?.as_str(),
        _ => return None,
    };
    (!host.is_empty()).then(|| host.to_ascii_lowercase())
}

/// A name that was pointed here by somebody else must not open these pages to that one's scripts. Whoever writes an address
/// of numbers has no such name.
fn may_be_called(host: &str, hosts: &[String]) -> bool {
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

/// Whether a browser says that a page of ours sent this.
fn from_here(headers: &HeaderMap, host: &str) -> bool {
    let said = |name: HeaderName| headers.get(name).and_then(|value| value.to_str().ok());
    let site = said(HeaderName::from_static("sec-fetch-site"));
    let origin = said(header::ORIGIN).map(str::to_ascii_lowercase);
    let same = origin.as_deref().and_then(|o| o.strip_prefix("http://").or_else(|| o.strip_prefix("https://")));
    same == Some(host) && site.is_none_or(|site| site == "same-origin")
}

fn bearer(headers: &HeaderMap) -> Option<&str> {
    let (scheme, token) = headers.get(header::AUTHORIZATION)?.to_str().ok()?.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then_some(token.trim())
}

/// What a browser may carry in place of the token. Every cookie of the name: somebody else at a part of this host's name can
/// have a browser send one of theirs first.
pub(super) fn passes(headers: &HeaderMap, https: bool) -> impl Iterator<Item = &str> {
    let all = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
    let pairs = all.flat_map(|value| value.split(';')).filter_map(|pair| pair.trim().split_once('='));
    pairs.filter(move |(name, _)| *name == sessions::name(https)).map(|(_, value)| value)
}

/// What every answer carries. `same-origin` and not `no-referrer`: with that one, browsers send no origin with a form.
fn dress(headers: &mut HeaderMap) {
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
    fn only_names_of_ours_and_numbers_are_answered_to() {
        let ours = ["watch.example.com".to_owned()];
        for host in
            ["localhost", "localhost:8080", "127.0.0.1:80", "192.168.1.5", "[::1]:8080", "watch.example.com:443"]
        {
            assert!(may_be_called(host, &ours), "{host}");
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
            assert!(!may_be_called(host, &ours), "{host}");
        }
    }
}
