//! A form that was sent and not carried out. The page of the problem shows what was typed. If the sender was logged out
//! or the database was away, the page can also send the form again.

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
const UNTYPED: [&str; 17] = [
    "key",
    "back",
    "from",
    "seen",
    "shown",
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

/// Problems that may soon be over.
const PASSING: [StatusCode; 4] = [
    StatusCode::UNAUTHORIZED,
    StatusCode::TOO_MANY_REQUESTS,
    StatusCode::INTERNAL_SERVER_ERROR,
    StatusCode::SERVICE_UNAVAILABLE,
];

/// Problems that the same form would have again.
const REFUSED: [StatusCode; 5] = [
    StatusCode::BAD_REQUEST,
    StatusCode::FORBIDDEN,
    StatusCode::NOT_FOUND,
    StatusCode::CONFLICT,
    StatusCode::UNPROCESSABLE_ENTITY,
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
            // An address without a route could be that of another site.
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

    /// Adds it to the page of a problem, to be sent again if the problem may soon be over, else to be copied. `was_begun`
    /// says whether the form may have been carried out before the problem.
    pub(super) fn add_to(self, response: &mut Response, was_begun: bool) {
        let problem = response.extensions_mut().get_mut::<Problem>();
        let Some(problem) = problem.filter(|problem| problem.form.is_none()) else { return };
        if PASSING.contains(&problem.status) {
            problem.form = Some(self.to_send_again(problem.status, was_begun));
        } else if REFUSED.contains(&problem.status) && self.typed().next().is_some() {
            problem.form = Some(self.to_copy());
        }
    }

    /// The fields that somebody filled in. The name of a saved search is typed, any other belongs to a button; a form
    /// below `/jobs/` is about one topic, others may search in the one that is named.
    fn typed(&self) -> impl Iterator<Item = &(String, String)> {
        let saves = self.fields.iter().any(|(name, value)| name == "what" && value == "save");
        let is_about_topic = self.to.starts_with("/jobs/");
        let is_typed = move |name: &str| match name {
            "name" => saves,
            "topic" => !is_about_topic,
            _ => !UNTYPED.contains(&name),
        };
        self.fields.iter().filter(move |(name, value)| is_typed(name.as_str()) && !value.trim().is_empty())
    }

    /// The browser asks before leaving the page only if the list or its form is marked.
    fn typed_list(&self, is_marked: bool) -> Markup {
        html! { dl.facts data-unsaved[is_marked] { @for (name, value) in self.typed() {
            dt { (name) } dd { pre dir="auto" { "\n" (value) } }
        } } }
    }

    fn to_copy(&self) -> Markup {
        html! {
            p { "Nothing was saved. " strong { "What you typed is kept on this page until you leave it. " } "Copy what you need. " a href="/" { "Topics" } }
            (self.typed_list(true))
        }
    }

    fn to_send_again(&self, status: StatusCode, was_begun: bool) -> Markup {
        let has_typed = self.typed().next().is_some();
        let is_unsaved = !was_begun || status == StatusCode::TOO_MANY_REQUESTS;
        html! {
            p {
                @if is_unsaved { "Nothing was saved. " }
                strong { "What you sent is kept on this page until you leave it. " }
                @if status == StatusCode::UNAUTHORIZED { a href="/login" target="_blank" rel="noopener" { "Log in in a new tab" } ", then come back here and send it again." }
                @else if !is_unsaved { "It may have been saved all the same: look in another tab, and send it again if it is missing." }
            }
            form method="post" action=(self.to) data-unsaved[has_typed] {
                @for (name, value) in &self.fields { input type="hidden" name=(name) value=(value); }
                button.main type="submit" { "Send it again" }
            }
            @if has_typed { (self.typed_list(false)) }
        }
    }
}

/// The problem that a page is about, if it may soon be over.
fn passing_problem(response: &mut Response) -> Option<&mut Problem> {
    response.extensions_mut().get_mut::<Problem>().filter(|problem| PASSING.contains(&problem.status))
}

/// Reads the form of a visitor who was not let in: nobody must lose what they typed because their session ended or
/// their role was lowered meanwhile. `is_own` says whether the browser names one of these pages as the sender.
pub(super) async fn keep(refused: &mut Response, head: &Parts, body: Body, is_own: bool, until: Instant) {
    let is_kept = |problem: &Problem| PASSING.contains(&problem.status) || is_own && REFUSED.contains(&problem.status);
    if !SentForm::is_sent_by(head) || !refused.extensions().get::<Problem>().is_some_and(is_kept) {
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
