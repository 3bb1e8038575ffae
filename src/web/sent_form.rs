//! A form that was sent and not carried out, because its sender was logged out or the database was away. The page of the
//! problem shows what was typed, and sends it again.

use std::pin::pin;

use axum::body::Body;
use axum::extract::MatchedPath;
use axum::http::request::Parts;
use axum::http::{Method, StatusCode, header};
use axum::response::Response;
use futures_util::StreamExt as _;
use maud::{Markup, html};
use tokio::time::{Instant, timeout_at};

use super::page_request::{LARGEST_FORM, largest_form};
use super::problem::Problem;

/// Forms that are never shown again: one holds a token, the other says nothing.
const NEVER: [&str; 2] = ["/login", "/logout"];

/// Fields that nobody types.
const UNTYPED: [&str; 15] = [
    "key",
    "back",
    "seen",
    "press",
    "do",
    "as",
    "what",
    "undo",
    "event",
    "starred",
    "mark",
    "suggested",
    "kind",
    "alert",
    "length",
];

/// Maximum number of fields: no form has half as many, and each field costs more on the page than in the request.
const MOST_FIELDS: usize = 100;

/// A form as it was sent.
pub(super) struct SentForm {
    to: String,
    fields: Vec<(String, String)>,
}

impl SentForm {
    /// Whether a request sends a form of these pages. The page that sent it must be one of them: `guard` checks that first.
    fn is_sent_by(head: &Parts) -> bool {
        let kind = head.headers.get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
        head.method == Method::POST
            && kind.starts_with("application/x-www-form-urlencoded")
            // What has no route could be the address of another site.
            && head.extensions.get::<MatchedPath>().is_some()
            && !NEVER.contains(&head.uri.path())
    }

    pub(super) fn of(head: &Parts, body: &[u8]) -> Option<Self> {
        if !Self::is_sent_by(head) || body.len() > LARGEST_FORM {
            return None;
        }
        let fields: Vec<_> = url::form_urlencoded::parse(body).into_owned().take(MOST_FIELDS + 1).collect();
        let is_form = (1..=MOST_FIELDS).contains(&fields.len());
        is_form.then(|| Self { to: head.uri.path().to_owned(), fields })
    }

    /// Adds it to the page of a problem that may soon be over. With any other problem it would only fail again. `was_begun`
    /// says whether the form may have been carried out before the problem.
    pub(super) fn add_to(self, response: &mut Response, was_begun: bool) {
        if let Some(problem) = passing_problem(response).filter(|problem| problem.form.is_none()) {
            problem.form = Some(self.markup(problem.status, was_begun));
        }
    }

    fn markup(&self, status: StatusCode, was_begun: bool) -> Markup {
        let typed =
            || self.fields.iter().filter(|(name, value)| !UNTYPED.contains(&&**name) && !value.trim().is_empty());
        let is_unsaved = !was_begun || status == StatusCode::TOO_MANY_REQUESTS;
        html! {
            p {
                @if is_unsaved { "Nothing was saved. " }
                strong { "What you sent is kept on this page until you leave it. " }
                @if status == StatusCode::UNAUTHORIZED { a href="/login" target="_blank" rel="noopener" { "Log in in a new tab" } ", then come back here and send it again." }
                @else if !is_unsaved { "It may have been saved all the same: look in another tab, and send it again if it is missing." }
            }
            form method="post" action=(self.to) data-unsaved[typed().next().is_some()] {
                @for (name, value) in &self.fields { input type="hidden" name=(name) value=(value); }
                button.main type="submit" { "Send it again" }
            }
            @if typed().next().is_some() { dl.facts { @for (name, value) in typed() {
                dt { (name) } dd { pre dir="auto" { "\n" (value) } }
            } } }
        }
    }
}

/// The problem that a page is about, if it may soon be over.
fn passing_problem(response: &mut Response) -> Option<&mut Problem> {
    const PASSING: [StatusCode; 4] = [
        StatusCode::UNAUTHORIZED,
        StatusCode::TOO_MANY_REQUESTS,
        StatusCode::INTERNAL_SERVER_ERROR,
        StatusCode::SERVICE_UNAVAILABLE,
    ];
    response.extensions_mut().get_mut::<Problem>().filter(|problem| PASSING.contains(&problem.status))
}

/// Reads the form of a visitor who was not let in: a session that ended meanwhile must cost nobody what they typed.
pub(super) async fn keep(refused: &mut Response, head: &Parts, body: Body, until: Instant) {
    if !SentForm::is_sent_by(head) || passing_problem(refused).is_none() {
        return;
    }
    let read = timeout_at(until, read_form(body, largest_form(head.uri.path()))).await;
    match read.ok().flatten() {
        Some(body) => {
            if let Some(form) = SentForm::of(head, &body) {
                form.add_to(refused, false);
            }
        }
        None => {
            if let Some(problem) = passing_problem(refused) {
                const TOO_LONG: &str = "Nothing was saved. What you sent is longer than 32 KiB or came too slowly, so it \
                                        is not kept here: go back and see whether your browser still has it.";
                problem.hint = TOO_LONG.to_owned();
            }
        }
    }
}

/// Reads a body to its end, because a browser shows no answer before it has sent everything, and keeps it if it is short.
async fn read_form(body: Body, most: usize) -> Option<Vec<u8>> {
    let mut parts = pin!(body.into_data_stream());
    let (mut kept, mut length) = (Vec::<u8>::new(), 0_usize);
    while let Some(part) = parts.next().await {
        let part = part.ok()?;
        length += part.len();
        if length > most {
            return None;
        }
        if length <= LARGEST_FORM {
            kept.extend_from_slice(&part);
        }
    }
    (length <= LARGEST_FORM).then_some(kept)
}
