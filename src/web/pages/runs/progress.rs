//! A run under way: what it asks, what it found, what it cost. The page shows its progress; a stream of events sends
//! each change until the run has ended.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::Extension;
use axum::body::{Body, Bytes};
use axum::extract::{ConnectInfo, Path, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use maud::{Markup, html};
use tokio::sync::OwnedSemaphorePermit;

use super::findings;
use super::run_state::{cost, state};
use crate::draw::format::{self, at_least};
use crate::listener::Peer;
use crate::model::{EMPTY_REPLY, EditionRow, Micros, Request, RequestState, RunRow, RunState, SearchRow, SearchState};
use crate::store::RunItems;
use crate::web::access::authentication::Authentication;
use crate::web::access::visitor::Visitor;
use crate::web::layout::{self, Page, moment};
use crate::web::page_request::PageRequest;
use crate::web::pages::editions::{files, what};
use crate::web::pages::items::item_view::progress_page;
use crate::web::problem::Problem;
use crate::web::server::app::App;
use crate::web::server::streams::Streams;
use crate::web::site::Site;

/// Time between two checks.
const LOOK: Duration = Duration::from_millis(500);
/// Checks without a change after which a comment keeps the connection alive.
const QUIET: u32 = 10;
/// Checks of a stream; after that a browser connects again.
const LOOKS: u32 = 1_200;

/// The current state of a run.
struct Progress {
    request: Option<Request>,
    run: Option<RunRow>,
    searches: Vec<SearchRow>,
    /// The part of its new items that belongs to the baseline.
    baseline: i64,
    /// How much of its cost no bill confirms; `None` if its searches were deleted.
    assumed: Option<Micros>,
    /// The report or export that it made.
    made: Option<EditionRow>,
}

impl Progress {
    async fn of(site: &Site, id: &str) -> Result<Option<Self>, Problem> {
        let (request, run) = (site.store.request_by_id(id).await?, site.store.run(id).await?);
        if request.is_none() && run.is_none() {
            return Ok(None);
        }
        let made = match run.as_ref().is_some_and(|run| run.topic.is_none()) {
            true => site.store.output_of_run(id).await?,
            false => None,
        };
        let id = [id.to_owned()];
        let searches = site.store.searches(&id).await?;
        let baseline = site.store.baselines_of_runs(&id).await?.into_values().sum();
        let assumed = site.store.assumed_of_runs(&id).await?.into_values().next().unwrap_or(Some(Micros(0)));
        Ok(Some(Self { request, run, searches, baseline, assumed, made }))
    }

    /// What it is a run of: a topic, or a job such as `report:daily`.
    fn job(&self) -> Option<&str> {
        let requested = self.request.as_ref().map(|request| request.request.of.as_str());
        self.run.as_ref().map(|run| run.topic.as_deref().unwrap_or(&run.job)).or(requested)
    }

    /// Whether the run has ended, or its request was refused.
    fn is_over(&self) -> bool {
        match &self.run {
            Some(run) => !matches!(run.state, RunState::Queued | RunState::Running),
            None => self.request.as_ref().is_some_and(|request| request.state != RequestState::Queued),
        }
    }

    fn markup(&self) -> Markup {
        let full = self.run.as_ref().is_some_and(|run| run.may_be_more(&self.searches));
        html! {
            p role="status" { @match (&self.run, &self.request) {
                (Some(run), _) => {
                    (state(run.state)) " "
                    @if let Some(at) = run.started_at { "started " (moment(at, "UTC")) ". " }
                    @if self.is_over() && run.topic.is_none() {} @else if self.is_over() { @if run.has_counts(&self.searches) { (counted(run, RunItems::Found, run.counts.found, full, "found")) ", " (counted(run, RunItems::First, run.counts.new, full, "new")) @if self.baseline > 0 { " (" (counted(run, RunItems::Baseline, self.baseline, false, "of the baseline")) ")" } ", cost " } @else { "Cost " } (cost(run.cost, self.assumed)) "." }
                    @else if run.state == RunState::Queued { "It starts as soon as there is capacity." }
                    @if let Some(why) = run.reason.as_ref().or(run.error_text.as_ref()) { " " (format::line(why, 300)) }
                },
                (None, Some(request)) if request.state == RequestState::Queued => "Queued; starts within seconds.",
                (None, Some(request)) => { strong.bad { "Refused: " } (format::line(request.answer.as_deref().unwrap_or("the request failed"), 300)) },
                (None, None) => "Nothing is known about it.",
            } }
            @if let Some(made) = &self.made { dl.facts { dt { "Made" } dd { (what(made)) } dt { "Files" } dd { (files(made)) } } }
            @if !self.searches.is_empty() { div.wide { table.cards {
                caption.quiet { "Searches" }
                thead { tr { th scope="col" { "Source" } th scope="col" { "State" } th.n scope="col" { "Found" } th.n scope="col" { "New" } th.n scope="col" { "Cost" } } }
                tbody { @for search in &self.searches { tr {
                    th scope="row" { (search.source) span.sub { (format::line(&search.query, 160)) } }
                    @let open = search.state == SearchState::Started;
                    td data-label="State" { @if open { "searching …" } @else { (search.state.to_string().replace('_', " ")) } @if search.empty_in_error { span.sub { (EMPTY_REPLY) } } @else if let Some(why) = search.error_text.as_ref().or(search.reason.as_ref()) { span.sub { (format::line(why, 200)) } } }
                    td.n data-label="Found" { @if !search.state.has_counts(search.counts.found) { "–" } @else { (self.counted_of(search, RunItems::Found, search.counts.found)) } }
                    td.n data-label="New" { @if !search.state.has_counts(search.counts.found) { "–" } @else { (self.counted_of(search, RunItems::First, search.counts.new)) } }
                    td.n data-label="Cost" { @if open { "about " } (search.cost.to_string()) }
                } } }
            } } }
        }
    }

    /// A number of a search as a link to its items, once the run is over.
    fn counted_of(&self, search: &SearchRow, which: RunItems, many: i64) -> Markup {
        let text = at_least(many.unsigned_abs(), search.may_be_more());
        match self.run.as_ref().filter(|run| run.attempt == search.attempt) {
            Some(run) => findings::counted(run, which, Some(search.source), many, &text),
            None => html! { (text) },
        }
    }

    /// Where to go next.
    fn next_links(&self) -> Markup {
        // A daemon may not have begun it yet. Jobs other than topics have a colon in their name.
        let requested = self.request.as_ref().map(|request| &request.request.of).filter(|of| !of.contains(':'));
        let topic = self.run.as_ref().and_then(|run| run.topic.as_ref()).or(requested);
        html! { p { @match topic {
            Some(topic) => { a href=(format!("/topics/{topic}")) { "The topic" } " · " a href=(format!("/topics/{topic}/report")) { "Its report" } },
            None => { a href="/files" { "Reports and exports" } " · " a href="/jobs" { "Settings" } },
        } } }
    }
}

/// A number of the run as a link to its items.
fn counted(run: &RunRow, which: RunItems, many: i64, full: bool, what: &str) -> Markup {
    findings::counted(run, which, None, many, &format!("{} {what}", at_least(many.unsigned_abs(), full)))
}

pub(in crate::web) async fn show(site: Arc<Site>, request: PageRequest) -> Result<Page, Problem> {
    let progress = Progress::of(&site, &request.name).await?.ok_or_else(unknown)?;
    let path = progress_page(&request.name);
    let main = html! {
        h1 { "Run " @if let Some(job) = progress.job() { "of " (format::line(job, 80)) " " } small.meta { (format::line(&request.name, 120)) } }
        div #progress data-events=[(!progress.is_over()).then(|| format!("{path}/events"))] { (progress.markup()) }
        @if !progress.is_over() { p { a href=(path) { "Refresh" } } }
        (progress.next_links())
    };
    let title = progress.job().map_or_else(|| "Run".to_owned(), |job| format!("Run of {}", format::line(job, 80)));
    Ok(Page { title, place: "/runs", live: false, origin: site.origin().await?, main })
}

fn unknown() -> Problem {
    Problem { hint: "The page Runs lists all runs.".to_owned(), ..Problem::not_found("There is no such run") }
}

/// Sends each change of a run as it happens.
pub(in crate::web) async fn events(
    State(app): State<App>,
    Extension(visitor): Extension<Visitor>,
    ConnectInfo(peer): ConnectInfo<Peer>,
    headers: HeaderMap,
    Path(id): Path<String>,
) -> Response {
    let site = app.site;
    let authentication = Authentication::of(visitor, &headers, site.settings().https);
    match Progress::of(&site, &id).await {
        Ok(Some(_)) => {}
        Ok(None) => return layout::problem(&site, &unknown()),
        Err(problem) => return layout::problem(&site, &problem),
    }
    let Some(place) = Streams::try_acquire(&site.streams) else {
        let hint = "Reload the page to see its progress.";
        let problem = Problem::new(StatusCode::SERVICE_UNAVAILABLE, "Too many visitors are watching runs", hint);
        return layout::problem(&site, &problem);
    };
    let watch = EventStream {
        site,
        authentication,
        peer,
        id,
        last_sent: String::new(),
        quiet: 0,
        checks: 0,
        over: false,
        _place: place,
    };
    let stream = futures_util::stream::unfold(watch, EventStream::next);
    ([(header::CONTENT_TYPE, "text/event-stream")], Body::from_stream(stream)).into_response()
}

/// A stream under way.
struct EventStream {
    site: Arc<Site>,
    authentication: Authentication,
    peer: Peer,
    id: String,
    /// The last event that was sent.
    last_sent: String,
    quiet: u32,
    checks: u32,
    over: bool,
    _place: OwnedSemaphorePermit,
}

impl EventStream {
    /// The next event; `None` when the stream ends.
    async fn next(mut self) -> Option<(Result<Bytes, Infallible>, Self)> {
        loop {
            if self.over || self.checks >= LOOKS {
                return None;
            }
            if self.checks > 0 {
                tokio::select! {
                    () = self.site.streams.stop.cancelled() => return None,
                    () = tokio::time::sleep(LOOK) => {}
                }
            }
            self.checks += 1;
            // A database that is away for a moment may be back at the next check.
            match self.authentication.is_still_valid(&self.site, &self.peer).await {
                Ok(true) => {}
                Ok(false) => return None,
                Err(_) => continue,
            }
            let Ok(Some(progress)) = Progress::of(&self.site, &self.id).await else { continue };
            let markup = progress.markup().into_string();
            self.over = progress.is_over();
            if markup != self.last_sent {
                self.quiet = 0;
                let event = event(if self.over { "over" } else { "progress" }, &markup);
                self.last_sent = markup;
                return Some((Ok(event), self));
            }
            self.quiet += 1;
            if self.quiet >= QUIET {
                self.quiet = 0;
                return Some((Ok(Bytes::from_static(b": still there\n\n")), self));
            }
        }
    }
}

fn event(name: &str, data: &str) -> Bytes {
    let lines: String = data.lines().map(|line| format!("data: {line}\n")).collect();
    Bytes::from(format!("event: {name}\n{lines}\n"))
}
