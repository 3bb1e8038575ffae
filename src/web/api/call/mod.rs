//! Checks a request against its operation: parameters that are unknown, given twice or invalid are refused before
//! anything is read.

pub(super) mod envelope;
pub(super) mod form;
pub(super) mod problem;

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::body::{Bytes, to_bytes};
use axum::extract::{RawPathParams, Request};
use axum::http::{Method as HttpMethod, StatusCode, header};

use super::table::parameter::{Kind, MOST, Parameter, ParameterIn};
use crate::model::{BadToken, Position, Source, TextQuery, Time, excerpt, page_token, parse_page_token};
use crate::schedule::parse_instant;
use crate::web::access::visitor::Visitor;
use crate::web::page_request::{LARGEST_FORM, unknown_parameter, words};
use crate::web::problem::Problem;
use crate::web::server::app::App;
use crate::web::site::Site;

/// A checked request.
pub(super) struct Call {
    app: App,
    /// Who sent it.
    pub(super) visitor: Visitor,
    /// Id of the operation.
    id: &'static str,
    parameters: &'static [&'static Parameter],
    arguments: BTreeMap<&'static str, Vec<String>>,
    /// The body of a POST request.
    pub(super) body: Bytes,
    /// Whether only the head of the answer is wanted.
    pub(super) head: bool,
    pub(super) now: Time,
}

impl Call {
    pub(super) async fn of(
        id: &'static str,
        parameters: &'static [&'static Parameter],
        takes_body: bool,
        app: App,
        visitor: Visitor,
        path: &RawPathParams,
        request: Request,
    ) -> Result<Self, Problem> {
        let now = app.site.now();
        let mut arguments: BTreeMap<&'static str, Vec<String>> = BTreeMap::new();
        let query = url::form_urlencoded::parse(request.uri().query().unwrap_or("").as_bytes());
        let query = query.map(|(name, value)| (ParameterIn::Query, name.into_owned(), value.into_owned()));
        let path = path.iter().map(|(name, value)| (ParameterIn::Path, name.to_owned(), value.to_owned()));
        for (place, name, value) in path.chain(query) {
            let found = parameters.iter().find(|p| p.place == place && p.name == name);
            let Some(parameter) = found else { return Err(unknown(parameters, &name)) };
            match (place, check_value(parameter, &value)) {
                (_, Ok(())) => {}
                (ParameterIn::Query, Err(problem)) => return Err(problem),
                // A path value that is invalid is an address that does not exist.
                (ParameterIn::Path, Err(problem)) => return Err(Problem { status: StatusCode::NOT_FOUND, ..problem }),
            }
            if matches!(parameter.kind, Kind::Source) {
                known_source(&app, &visitor, &value).await?;
            }
            let values = arguments.entry(parameter.name).or_default();
            if !values.is_empty() && !parameter.many {
                let hint = "Give it once.";
                return Err(Problem::bad_request(format!("`{name}` is given several times"), hint));
            }
            if values.len() == MOST {
                let hint = format!("Give it at most {MOST} times.");
                return Err(Problem::bad_request(format!("`{name}` is given too often"), hint));
            }
            values.push(value);
        }
        if let Some(parameter) = parameters.iter().find(|p| p.needed && !arguments.contains_key(p.name)) {
            let hint = format!("Give it: {}={}", parameter.name, parameter.example);
            return Err(Problem::bad_request(format!("`{}` is missing", parameter.name), hint));
        }
        let head = request.method() == HttpMethod::HEAD;
        let body = if takes_body { body(request).await? } else { Bytes::new() };
        Ok(Self { app, visitor, id, parameters, arguments, body, head, now })
    }

    pub(super) fn site(&self) -> &Arc<Site> {
        &self.app.site
    }

    pub(super) fn one(&self, name: &str) -> Option<&str> {
        self.all(name).first().map(String::as_str)
    }

    /// A parameter that must be given, as those of a path are.
    pub(super) fn required(&self, name: &str) -> &str {
        self.one(name).unwrap_or("")
    }

    pub(super) fn all(&self, name: &str) -> &[String] {
        self.arguments.get(name).map_or(&[], Vec::as_slice)
    }

    /// A parameter of a closed list, parsed.
    pub(super) fn word<T>(&self, name: &str, parse: impl Fn(&str) -> Option<T>) -> Option<T> {
        self.one(name).and_then(parse)
    }

    pub(super) fn words<T>(&self, name: &str, parse: impl Fn(&str) -> Option<T>) -> Vec<T> {
        self.all(name).iter().filter_map(|value| parse(value)).collect()
    }

    pub(super) fn number(&self, name: &str) -> u32 {
        let otherwise = self.parameters.iter().find_map(|parameter| match parameter.kind {
            Kind::Number(_, _, otherwise) if parameter.name == name => Some(otherwise),
            _ => None,
        });
        self.one(name).and_then(|value| value.parse().ok()).or(otherwise).unwrap_or(1)
    }

    /// Parses the words of `search`, if given; words that cannot be searched for are a 409.
    pub(super) fn search_query(&self) -> Result<Option<TextQuery>, Problem> {
        let query = self.one("search").map(words).transpose();
        // The patterns of the document cannot express what counts as a word, or that a search must not consist of
        // exclusions only.
        query.map_err(|none| Problem { status: StatusCode::CONFLICT, ..none })
    }

    pub(super) fn instant(&self, name: &str) -> Option<Time> {
        self.one(name).and_then(|value| parse_instant(value, self.now))
    }

    /// Where the requested page begins.
    pub(super) fn position(&self) -> Result<Option<Position>, Problem> {
        let wrong = |bad| {
            let title = match bad {
                BadToken::OfAnother => "This page token belongs to another query",
                BadToken::NoToken => "This is not a page token",
            };
            let hint = "Use the `next_page_token` of the previous page unchanged, with the same filters, or omit it.";
            Problem { hint: hint.to_owned(), ..Problem::not_found(title) }
        };
        self.one("page_token").map(|token| parse_page_token(&self.scope(), token).map_err(wrong)).transpose()
    }

    /// The token of a page that begins after a position.
    pub(super) fn token(&self, value: i64, key: &str) -> String {
        page_token(&self.scope(), &Position { value, key: key.to_owned() })
    }

    /// The body as JSON. `hint` shows a valid one.
    pub(super) fn json<T: serde::de::DeserializeOwned>(&self, hint: &str) -> Result<T, Problem> {
        serde_json::from_slice(&self.body).map_err(|_| Problem::bad_request("The body is not valid here", hint))
    }

    /// What a page token belongs to: the operation, and everything that determines which rows are listed and in which
    /// order.
    fn scope(&self) -> String {
        let parts = self.arguments.iter().filter(|(name, _)| !matches!(**name, "limit" | "page_token"));
        serde_json::json!([self.id, parts.collect::<Vec<_>>()]).to_string()
    }
}

fn unknown(parameters: &[&Parameter], name: &str) -> Problem {
    let query_parameters = parameters.iter().filter(|parameter| parameter.place == ParameterIn::Query);
    unknown_parameter(&query_parameters.map(|parameter| parameter.name).collect::<Vec<_>>(), name)
}

/// Checks that a topic which the visitor sees was searched with a source of this name. Those of the search service
/// are always known.
async fn known_source(app: &App, visitor: &Visitor, value: &str) -> Result<(), Problem> {
    let store = &app.site.store;
    let all = match visitor.visible_topics() {
        Some(topics) => store.searched_sources_of(&topics).await?,
        None => store.searched_sources().await?,
    };
    if all.iter().any(|source| source.as_str() == value) {
        return Ok(());
    }
    let names: Vec<&str> = all.iter().map(Source::as_str).collect();
    let title = format!("There is no source `{}`", excerpt(value));
    // Topics of others may have sources of their own.
    let hint = if visitor.sees_all() {
        format!("One of: {}.", names.join(", "))
    } else {
        "Each topic lists its sources.".to_owned()
    };
    Err(Problem { hint, ..Problem::not_found(title) })
}

/// Checks whether a parameter accepts a value.
fn check_value(parameter: &Parameter, value: &str) -> Result<(), Problem> {
    let refuse = |hint: String| {
        Err(Problem::bad_request(format!("`{}` is not a valid `{}`", excerpt(value), parameter.name), hint))
    };
    // Stored text never contains NUL, and PostgreSQL accepts none.
    if value.contains('\0') {
        return refuse("Remove the NUL character.".to_owned());
    }
    match parameter.kind {
        Kind::Source if Source::parse(value).is_none() => {
            refuse("social, web, ai, or the name of a provider.".to_owned())
        }
        Kind::Text(most) if value.is_empty() || value.chars().count() > most => {
            let or = if parameter.needed { "" } else { ", or omit it" };
            refuse(format!("Give 1 to {most} characters{or}."))
        }
        Kind::Word(words) if !words().contains(&value) => refuse(format!("One of: {}.", words().join(", "))),
        Kind::Number(least, most, _) => match number(value) {
            Some(number) if (least..=most).contains(&number) => Ok(()),
            _ => refuse(format!("Give a whole number from {least} to {most}.")),
        },
        Kind::Written(form) if !form.fits(value) => {
            refuse(format!("{}{}.", form.hint[..1].to_uppercase(), &form.hint[1..]))
        }
        _ => Ok(()),
    }
}

/// Digits only: no sign, no leading zero.
fn number(value: &str) -> Option<u32> {
    let number: u32 = value.parse().ok()?;
    (number.to_string() == value).then_some(number)
}

/// The body of a request: JSON, not longer than forms are.
async fn body(request: Request) -> Result<Bytes, Problem> {
    let kind = request.headers().get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or("");
    if !kind.split(';').next().is_some_and(|kind| kind.trim().eq_ignore_ascii_case("application/json")) {
        let hint = "Send `Content-Type: application/json`.";
        return Err(Problem::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "Only JSON is accepted here", hint));
    }
    to_bytes(request.into_body(), LARGEST_FORM).await.map_err(|_| {
        let hint = "Request bodies here are short; send a smaller one.";
        Problem::new(StatusCode::PAYLOAD_TOO_LARGE, "This request is too large", hint)
    })
}
