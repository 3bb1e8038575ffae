//! Buttons of a topic: what may be requested, the request, and its outcome. A button writes one row and does nothing
//! else; a daemon carries it out. The buttons of alerts are in `acks`, and work in the same way.

use axum::Extension;
use axum::body::{Body, to_bytes};
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Redirect, Response};
use maud::{Markup, html};

use super::edit;
use crate::draw::format;
use crate::model::{ControlRequest, PausedBy, Request, RequestKind, RequestState, RunState, Time, TopicCard};
use crate::web::access::visitor::Visitor;
use crate::web::layout::{self, moment};
use crate::web::page_request::{LARGEST_FORM, LONGEST, PageRequest, link};
use crate::web::pages::items::item_view::progress_page;
use crate::web::problem::Problem;
use crate::web::server::app::App;
use crate::web::site::Site;

/// Maximum number of requests shown.
const MAX_LISTED: u32 = 3;

pub(in crate::web::pages) fn name(kind: RequestKind) -> &'static str {
    match kind {
        RequestKind::RunNow => "Run now",
        RequestKind::Pause => "Pause",
        RequestKind::Resume => "Resume",
        RequestKind::Ack => "Acknowledge",
        RequestKind::Snooze => "Snooze",
        RequestKind::Unsnooze => "End the snooze",
    }
}

/// The buttons of a topic, and the outcome of the latest requests.
pub(in crate::web::pages) async fn section(
    site: &Site,
    card: &TopicCard,
    page_request: &PageRequest,
) -> Result<Markup, Problem> {
    let visitor = &page_request.visitor;
    let acts = site.may_act(visitor);
    let requests = if acts { site.store.requests_of(&card.topic, MAX_LISTED).await? } else { Vec::new() };
    let pause = match &card.paused {
        None => Some(RequestKind::Pause),
        Some(paused) if paused.by == PausedBy::Pause => Some(RequestKind::Resume),
        Some(_) => None,
    };
    let mut outcomes = Vec::with_capacity(requests.len());
    for request in &requests {
        outcomes.push(match request.request.kind {
            RequestKind::RunNow => run_request(site, request, card.timezone(), visitor).await?,
            kind => html! { (name(kind)) (request_row(request, card.timezone(), visitor)) },
        });
    }
    let edits = edits(site, card, visitor).await;
    Ok(html! {
        div.actions {
            @if acts { @for kind in [Some(RequestKind::RunNow), pause].into_iter().flatten() {
                form method="post" action=(format!("/topics/{}", card.topic)) {
                    input type="hidden" name="kind" value=(kind);
                    @if kind == RequestKind::RunNow { (press_field(site)?) }
                    button type="submit" { (name(kind)) }
                }
            } }
            (edits)
            @if site.editing.is_some() {
                @let report = format!("/topics/{}/report", card.topic);
                a.button href=(report) { "Report" }
                a.button href=(format!("{report}?as=file")) { "Download report" }
            }
        }
        @if !outcomes.is_empty() { ul.meta { @for outcome in &outcomes { li { (outcome) } } } }
    })
}

/// Buttons to change, copy or delete a topic, and to resume one that the file pauses.
async fn edits(site: &Site, card: &TopicCard, visitor: &Visitor) -> Markup {
    let topic = card.topic.as_str();
    let file = match site.editing.as_ref().filter(|_| site.may_edit(visitor)) {
        Some(editing) => edit::read_file(editing).await.ok(),
        None => None,
    };
    let edits = file.is_some_and(|file| edit::locked(site, &file, visitor).is_none());
    let by_file = card.paused.as_ref().is_some_and(|paused| paused.by == PausedBy::File);
    html! { @if edits {
        @if by_file { form method="post" action="/jobs" {
            input type="hidden" name="do" value="on";
            input type="hidden" name="kind" value="topic";
            input type="hidden" name="name" value=(topic);
            button type="submit" { (name(RequestKind::Resume)) }
        } }
        a.button href=(edit::edit_path(topic)) { "Change" }
        a.button href=(link(edit::NEW, [("from", topic)])) { "Duplicate" }
        a.button href=(edit::deletion(topic)) { "Delete" }
    } }
}

/// A request to run something now, and its outcome. Once there is a run, it says more than the request.
pub(in crate::web::pages) async fn run_request(
    site: &Site,
    request: &Request,
    zone: &str,
    visitor: &Visitor,
) -> Result<Markup, Problem> {
    let run = site.store.run(&request.id).await?;
    Ok(html! { (name(RequestKind::RunNow)) @match &run {
        Some(run) => {
            ", requested " (moment(request.asked_at, zone)) ": " strong { (run.state.to_string().replace('_', " ")) }
            @if let Some(why) = run.reason.as_ref().or(run.error_text.as_ref()) { ", " (format::line(why, 200)) }
            ", " a href=(run_page(&request.id, visitor)) { "its run" }
        },
        None => (request_row(request, zone, visitor)),
    } })
}

/// When something was requested, and its outcome.
pub(in crate::web::pages) fn request_row(request: &Request, zone: &str, visitor: &Visitor) -> Markup {
    html! {
        ", requested " (moment(request.asked_at, zone)) ": "
        @match request.state {
            RequestState::Queued => "waiting for a daemon",
            RequestState::Refused => { strong.bad { "refused: " } (format::line(request.answer.as_deref().unwrap_or(""), 200)) },
            RequestState::Done => @match snoozed_until(request) {
                Some(until) => { "snoozed until " (moment(until, zone)) },
                None => { (format::line(request.answer.as_deref().unwrap_or("done"), 200)) },
            },
        }
        @if request.request.kind == RequestKind::RunNow && request.state == RequestState::Done { " as " a href=(run_page(&request.id, visitor)) { code { (request.id) } } }
    }
}

/// The end of a snooze that was requested.
fn snoozed_until(request: &Request) -> Option<Time> {
    let length_ms = request.request.length_ms.filter(|_| request.request.kind == RequestKind::Snooze)?;
    Some(Time(request.asked_at.0.saturating_add(length_ms)))
}

/// The page of a requested run. Its progress is shown only to visitors who see all topics.
fn run_page(run: &str, visitor: &Visitor) -> String {
    if visitor.sees_all() { progress_page(run) } else { link("/runs", [("run", run)]) }
}

/// Handles a button.
pub(in crate::web) async fn ask(
    State(app): State<App>,
    Extension(visitor): Extension<Visitor>,
    Path(topic): Path<String>,
    body: Body,
) -> Response {
    match handle_form(&app.site, &topic, body).await {
        Ok(run) => {
            let run = run.filter(|_| visitor.sees_all());
            Redirect::to(&run.map_or_else(|| format!("/topics/{topic}"), |run| progress_page(&run))).into_response()
        }
        Err(problem) => layout::problem(&app.site, &problem),
    }
}

/// Returns the requested run, if one was requested.
async fn handle_form(site: &Site, topic: &str, body: Body) -> Result<Option<String>, Problem> {
    may_ask(site)?;
    let form = form(body).await?;
    let kind = form.word("kind", |word| RequestKind::parse(word).filter(|kind| !kind.is_for_alert()))?;
    let kind = kind.ok_or_else(|| form.invalid("kind"))?;
    if !site.store.topic_ids().await?.iter().any(|known| known == topic) {
        return Err(Problem::not_found("There is no such topic"));
    }
    if kind == RequestKind::RunNow {
        return request_run(site, &form, topic).await.map(Some);
    }
    submit_request(site, &ControlRequest::plain(kind, topic)).await?;
    Ok(None)
}

/// Parses a form.
pub(in crate::web::pages) async fn form(body: Body) -> Result<PageRequest, Problem> {
    long_form(body, LONGEST).await
}

/// The same, for longer values.
pub(in crate::web::pages) async fn long_form(body: Body, longest: usize) -> Result<PageRequest, Problem> {
    let body = to_bytes(body, LARGEST_FORM).await.map_err(|_| {
        Problem::new(StatusCode::PAYLOAD_TOO_LARGE, "This request is too large", "Forms here are short.")
    })?;
    PageRequest::form_of(&String::from_utf8_lossy(&body), longest)
}

/// Returns what makes ids of requests, if this process takes requests. The visitor's permission was checked before.
pub(in crate::web) fn may_ask(site: &Site) -> Result<fn(Time) -> String, Problem> {
    site.settings().acts.ok_or_else(|| {
        let hint = "Actions need the pages of `topicwatch run`; `topicwatch serve` takes none.";
        Problem::new(StatusCode::FORBIDDEN, "These pages take no actions", hint)
    })
}

/// Requests something for a topic or an alert that exists: one row. Returns its id, unless the same request or too
/// many already wait.
pub(in crate::web) async fn submit_request(site: &Site, request: &ControlRequest) -> Result<Option<String>, Problem> {
    let id = may_ask(site)?(site.now());
    Ok(site.store.request(&id, request, site.now()).await?.then_some(id))
}

/// A hidden field that distinguishes two presses of a button from one that a browser sent twice.
pub(in crate::web::pages) fn press_field(site: &Site) -> Result<Markup, Problem> {
    let id = may_ask(site)?(site.now());
    Ok(html! { input type="hidden" name="press" value=(id); })
}

/// Requests a run now, or a test of a channel. If this press was already handled, or a requested run has not ended,
/// makes no new request and returns the earlier one.
pub(in crate::web::pages) async fn request_run(site: &Site, form: &PageRequest, of: &str) -> Result<String, Problem> {
    let new = may_ask(site)?(site.now());
    let is_id = |id: &&str| id.len() == new.len() && id.bytes().all(|byte| byte.is_ascii_alphanumeric());
    let id = form.get("press").filter(is_id).unwrap_or(&new);
    // A request is stored for some days, but its run stays.
    if site.store.request_by_id(id).await?.is_some() || site.store.run(id).await?.is_some() {
        return Ok(id.to_owned());
    }
    if let Some(pending) = pending_run_request(site, of).await? {
        return Ok(pending);
    }
    if site.store.request(id, &ControlRequest::plain(RequestKind::RunNow, of), site.now()).await? {
        return Ok(id.to_owned());
    }
    // Somebody else made the request meanwhile.
    if let Some(pending) = pending_run_request(site, of).await? {
        return Ok(pending);
    }
    let hint = "Is `topicwatch run` running? It handles waiting requests within seconds; try again then.";
    Err(Problem::new(StatusCode::TOO_MANY_REQUESTS, "Too many requests are already waiting", hint))
}

/// The request for a run that still waits, or whose run has not ended.
async fn pending_run_request(site: &Site, of: &str) -> Result<Option<String>, Problem> {
    let requests = site.store.requests_of(of, MAX_LISTED).await?;
    for request in requests.into_iter().filter(|request| request.request.kind == RequestKind::RunNow) {
        let goes_on = match request.state {
            RequestState::Queued => true,
            RequestState::Done => {
                let run = site.store.run(&request.id).await?;
                run.is_some_and(|run| matches!(run.state, RunState::Queued | RunState::Running))
            }
            RequestState::Refused => false,
        };
        if goes_on {
            return Ok(Some(request.id));
        }
    }
    Ok(None)
}
