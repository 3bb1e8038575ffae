//! Finds out who sends a request: by the token that is sent, or by the session cookie of a browser. `need` decides
//! what that visitor may do.

use std::sync::Arc;
use std::time::Duration;

use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::Response;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::Access;
use super::guess_limit::TryResult;
use super::sessions::{self, Sessions};
use super::tokens::TokenTable;
use super::visitor::{Identity, Visitor};
use crate::listener::Peer;
use crate::model::LinkRow;
use crate::store::StoreError;
use crate::web::problem::Problem;
use crate::web::site::Site;

/// Maximum number of cookies of the name that are checked.
pub(in crate::web) const MOST_PASSES: usize = 8;

/// A valid token: whose it is, and the key that signs sessions which begin with it.
pub(in crate::web) struct ValidToken {
    pub(in crate::web) visitor: Visitor,
    pub(in crate::web) key: Access,
    /// The name of a named token.
    pub(in crate::web) name: Option<String>,
}

/// Returns the visitor: by a token if one is sent, otherwise by the cookies that `session_cookies` yields.
pub(in crate::web) async fn visitor<'a>(
    site: &Site,
    peer: &Peer,
    bearer: Option<&str>,
    passes: impl Iterator<Item = &'a str>,
) -> Result<Visitor, Problem> {
    let settings = site.settings();
    let mut named = Vec::new();
    // The configured token is checked without the database.
    if bearer.is_none() {
        for pass in passes {
            match (Sessions::name_of(pass), &settings.access) {
                (Some(_), _) => named.push(pass),
                (None, Some(access)) if site.sessions.is_valid(access, pass, site.now()) => return Ok(Visitor::owner()),
                (None, _) => {}
            }
        }
        if named.is_empty() && settings.access.is_some() {
            return Ok(Visitor::default());
        }
    }
    let table = match bearer {
        Some(token) if settings.access.as_ref().is_none_or(|access| !access.matches(token)) => {
            known_with(site, peer, token).await
        }
        _ => site.tokens.table(&site.store).await,
    };
    if settings.access.is_none() && table.as_ref().is_ok_and(|table| !table.any) {
        return Ok(Visitor::anyone(settings.edit));
    }
    if let Some(token) = bearer {
        return visitor_of_token(site, &table, peer, token).await.map(|valid| valid.visitor);
    }
    let table = table?;
    for pass in named {
        let holder = Sessions::name_of(pass).and_then(|name| table.by_name(name));
        if let Some(holder) = holder.filter(|holder| site.sessions.is_valid(&holder.key, pass, site.now()))
            && site.tokens.is_valid(&holder.visitor, &site.store).await?
        {
            record_use(site, &holder.visitor);
            return Ok(holder.visitor.clone());
        }
    }
    Ok(Visitor::default())
}

/// How a visitor was recognised, so that a long answer can check whether they may still read it.
#[derive(Debug, Clone)]
pub(in crate::web) struct Authentication {
    visitor: Visitor,
    /// The session cookies of the browser; none if a token was sent.
    passes: Vec<String>,
}

impl Authentication {
    pub(in crate::web) fn of(visitor: Visitor, headers: &HeaderMap, https: bool) -> Self {
        let passes = session_cookies(headers, https).take(if bearer(headers).is_some() { 0 } else { MOST_PASSES });
        Self { visitor, passes: passes.map(str::to_owned).collect() }
    }

    /// Whether the visitor is still the same: not logged out, and the token not withdrawn.
    pub(in crate::web) async fn is_still_valid(&self, site: &Site, peer: &Peer) -> Result<bool, Problem> {
        if self.passes.is_empty() {
            return Ok(site.tokens.is_valid(&self.visitor, &site.store).await?);
        }
        let now = visitor(site, peer, None, self.passes.iter().map(String::as_str)).await?;
        Ok(now.who == self.visitor.who)
    }
}

/// Returns the owner of this token, unless its sender guessed wrong too often.
pub(in crate::web) async fn token_of(site: &Site, peer: &Peer, token: &str) -> Result<ValidToken, Problem> {
    visitor_of_token(site, &known_with(site, peer, token).await, peer, token).await
}

/// Returns the known tokens and links, including one that was made just now. Reads nothing for a sender who guessed
/// wrong too often.
async fn known_with(site: &Site, peer: &Peer, secret: &str) -> Result<Arc<TokenTable>, StoreError> {
    if site.guesses.may_try(peer.ip) {
        site.tokens.known_with(secret, &site.store).await
    } else {
        site.tokens.table(&site.store).await
    }
}

async fn visitor_of_token(
    site: &Site,
    table: &Result<Arc<TokenTable>, StoreError>,
    peer: &Peer,
    token: &str,
) -> Result<ValidToken, Problem> {
    let settings = site.settings();
    let mut found = None;
    let tried = site.guesses.attempt(peer.ip, || {
        found = match (&settings.access, table) {
            (Some(access), _) if access.matches(token) => {
                Some(ValidToken { visitor: Visitor::owner(), key: access.clone(), name: None })
            }
            (_, Ok(table)) => table.of(token).map(|holder| {
                let (visitor, key, name) = (holder.visitor.clone(), holder.key.clone(), Some(holder.name.clone()));
                ValidToken { visitor, key, name }
            }),
            (_, Err(_)) => None,
        };
        found.is_some()
    });
    match (tried, found) {
        (TryResult::Right, Some(valid)) if site.tokens.is_valid(&valid.visitor, &site.store).await? => {
            record_use(site, &valid.visitor);
            Ok(valid)
        }
        (TryResult::TooMany(wait), _) => Err(too_many(wait)),
        _ => match table {
            Err(error) => Err(error.clone().into()),
            Ok(_) => {
                let hint = "Send `Authorization: Bearer` with the token of the pages.";
                Err(Problem::new(StatusCode::UNAUTHORIZED, "Wrong token", hint))
            }
        },
    }
}

/// Returns what a link shows, if it is valid. Guesses at links are limited like guesses at tokens.
pub(in crate::web) async fn link_of(site: &Site, peer: &Peer, secret: &str) -> Result<Option<LinkRow>, Problem> {
    let table = known_with(site, peer, secret).await?;
    let mut link = None;
    let tried = site.guesses.attempt(peer.ip, || {
        link = table.link(secret, site.now()).cloned();
        link.is_some()
    });
    match tried {
        TryResult::TooMany(wait) => Err(too_many(wait)),
        TryResult::Right | TryResult::Wrong => match link {
            Some(link) if site.tokens.is_link_valid(&link, &site.store).await? => Ok(Some(link)),
            _ => Ok(None),
        },
    }
}

fn too_many(wait: Duration) -> Problem {
    let seconds = wait.as_secs().saturating_add(1);
    let hint = format!("Try again in {seconds} s. No token is checked until then.");
    let problem = Problem::new(StatusCode::TOO_MANY_REQUESTS, "Too many wrong tokens", hint);
    Problem { retry_after: Some(seconds), ..problem }
}

/// Records the use of a token, unless this process only reads.
fn record_use(site: &Site, visitor: &Visitor) {
    if let Identity::Named { hash, .. } = &visitor.who
        && site.settings().acts.is_some()
    {
        site.tokens.record_use(&site.store, hash, site.now());
    }
}

/// Whether the pages can be read only with a token.
pub(in crate::web) async fn requires_token(site: &Site) -> Result<bool, Problem> {
    Ok(site.settings().access.is_some() || site.tokens.table(&site.store).await?.any)
}

/// The token that is sent.
pub(in crate::web) fn bearer(headers: &HeaderMap) -> Option<&str> {
    let (scheme, token) = headers.get(header::AUTHORIZATION)?.to_str().ok()?.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then_some(token.trim())
}

/// The password of `Authorization: Basic` (RFC 7617): feed readers send no other token. The name does not matter.
pub(in crate::web) fn basic_password(headers: &HeaderMap) -> Option<String> {
    let (scheme, encoded) = headers.get(header::AUTHORIZATION)?.to_str().ok()?.split_once(' ')?;
    let pair = STANDARD.decode(encoded.trim()).ok().filter(|_| scheme.eq_ignore_ascii_case("basic"))?;
    let (_, password) = std::str::from_utf8(&pair).ok()?.split_once(':')?;
    Some(password.to_owned())
}

/// The session cookies of a request. Every cookie of the name, because another host below this host's domain can make
/// a browser send one of its own first.
pub(in crate::web) fn session_cookies(headers: &HeaderMap, https: bool) -> impl Iterator<Item = &str> {
    let all = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
    let pairs = all.flat_map(|value| value.split(';')).filter_map(|pair| pair.trim().split_once('='));
    pairs.filter(move |(name, _)| *name == sessions::name(https)).map(|(_, value)| value)
}

/// Ends the session of a cookie.
pub(in crate::web) async fn end_session(site: &Site, pass: &str) -> Result<(), Problem> {
    match (Sessions::name_of(pass), &site.settings().access) {
        (None, Some(access)) => site.sessions.end(access, pass, site.now()),
        (None, None) => {}
        (Some(name), _) => {
            if let Some(holder) = site.tokens.table(&site.store).await?.by_name(name) {
                site.sessions.end(&holder.key, pass, site.now());
            }
        }
    }
    Ok(())
}

/// The answer to a problem, with the time of the next try if there is one.
pub(in crate::web) fn problem_page(problem: &Problem, site: &Site, path: &str) -> Response {
    let mut response = problem.answer(site, path);
    if let Some(seconds) = problem.retry_after {
        response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(seconds));
    }
    response
}
