//! The ledger: each run with all its searches, what it found, how long it took, what it cost, and what went wrong.

pub(super) mod findings;
pub(in crate::web) mod progress;
pub(in crate::web) mod query;
pub(super) mod run_state;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use maud::{Markup, html};

use super::items::item_view::topic_link;
use crate::compare::any_filter;
use crate::draw::format::{self, at_least, number};
use crate::model::{Micros, RunRow, RunState, SearchRow, SearchState, Time};
use crate::store::{RunCursor, RunItems};
use crate::web::access::access_rule::out_of_scope;
use crate::web::access::visitor::Visitor;
use crate::web::layout::{Page, moment, utc};
use crate::web::page_request::PageRequest;
use crate::web::problem::Problem;
use crate::web::site::Site;
use query::RunQuery;
use run_state::{cost, state};

/// Maximum number of topics to choose from; if there are more, a topic's id is typed.
const CHOICE: usize = 200;
/// Runs on a page.
const RUNS: u32 = 40;
/// A longer list is not read again every few seconds.
const MOST_LIVE: u32 = 100;

pub(in crate::web) async fn show(site: Arc<Site>, request: PageRequest) -> Result<Page, Problem> {
    let store = &site.store;
    let (topic, wanted) = (request.get("topic"), request.word("state", RunState::parse)?);
    let choice: BTreeSet<String> = store.topic_ids().await?.into_iter().filter(|id| request.visitor.sees(id)).collect();
    if let Some(topic) = topic {
        if !request.visitor.sees(topic) {
            return Err(out_of_scope());
        }
        // A topic that is no longer watched keeps its runs.
        if !choice.contains(topic) && store.watched_topics(&[topic.to_owned()]).await?.is_empty() {
            return Err(Problem::not_found("There is no such topic"));
        }
    }
    let query = RunQuery::of(site.now(), &request)?;
    let after = request.word("after", parse_page_token)?;
    let most = query.last.unwrap_or(RUNS);
    let mut runs = match request.get("run") {
        Some(run) => as_list(store.run(run).await?.filter(|run| may_see(&request.visitor, run))),
        None => store.list_runs(&query.filter, after.as_ref(), most + 1).await?,
    };
    let more = query.last.is_none() && runs.len() > RUNS as usize;
    runs.truncate(most as usize);
    let ids: Vec<String> = runs.iter().map(|(_, run)| run.run.clone()).collect();
    let mut searches: BTreeMap<String, Vec<SearchRow>> = BTreeMap::new();
    for search in store.searches(&ids).await? {
        searches.entry(search.run.clone()).or_default().push(search);
    }
    let (baselines, assumed) = (store.baselines_of_runs(&ids).await?, store.assumed_of_runs(&ids).await?);
    let summary = if request.get("run").is_none() { query.summary(&site, &request.visitor).await? } else { None };
    let findings = match (request.get("run"), runs.first()) {
        (Some(_), Some((_, run))) => {
            let searches = searches.get(&run.run).map(Vec::as_slice).unwrap_or_default();
            findings::section(&site, run, searches, &request).await?
        }
        _ => html! {},
    };
    let topics: BTreeSet<String> = runs.iter().filter_map(|(_, run)| run.topic.clone()).collect();
    let has_filter = any_filter(store, &topics.into_iter().collect::<Vec<_>>()).await?;
    let narrowed = topic.is_some() || wanted.is_some() || after.is_some() || summary.is_some();
    // A run that the visitor may not see is not named: its name holds its topic.
    let one = runs.first().filter(|_| request.get("run").is_some());
    let title = one.map_or_else(|| "Runs".to_owned(), |(_, run)| format!("Run {}", format::line(&run.run, 120)));
    let main = html! {
        h1 { (title) }
        form.filters method="get" action="/runs" {
            div { label for="topic" { "Topic" } @if choice.len() > CHOICE { input #topic name="topic" value=(topic.unwrap_or("")) maxlength="64"; } @else {
                select #topic name="topic" { option value="" { "any" } @for id in &choice { option value=(id) selected[topic == Some(id)] { (id) } }
                    @if let Some(topic) = topic.filter(|topic| !choice.contains(*topic)) { option value=(topic) selected { (topic) } } }
            } }
            div { label for="state" { "State" } select #state name="state" { option value="" { "any" } @for run_state in RunState::ALL { option value=(run_state) selected[wanted == Some(*run_state)] { (run_state.to_string().replace('_', " ")) } } } }
            button.main type="submit" { "Show" }
        }
        @if one.is_some() { p { "One run. " a href="/runs" { "All of them" } } }
        @if let Some(summary) = &summary { (summary) }
        @if runs.is_empty() { p {
            @if request.get("run").is_some() { "No run has this id. It was mistyped, or the run was deleted" @if !request.visitor.sees_all() { ", or your token does not cover its topic" } ". " a href="/runs" { "All runs" } }
            @else if narrowed { "No runs match. " a href="/runs" { "Clear the filters" } " to see all." }
            @else if site.settings().acts.is_some() { "Nothing has run yet. Each topic runs when it is due" @if site.may_act(&request.visitor) { "; " strong { "Run now" } " on its page runs it at once" } "." }
            @else { "Nothing has run yet. " code { "topicwatch once" } " runs every topic now; " code { "topicwatch run" } " keeps running and runs them on schedule." }
        } } @else { ol.found { @for (place, run) in &runs { li { (run_markup((&site, &choice), run, place.at, (searches.get(&run.run), query.filter.called.is_some()), (baselines.get(&run.run), assumed.get(&run.run).copied().unwrap_or(Some(Micros(0)))))) } } } }
        @if has_filter { p.meta { "Found and new also count what the filters of topics hide." } }
        (findings)
        nav.pages aria-label="More runs" {
            @if after.is_some() { a href=(request.with("/runs", &[("after", None)])) { "The latest" } }
            @if let (true, Some((last, _))) = (more, runs.last()) { a rel="next" href=(request.with("/runs", &[("after", Some(&format!("{}/{}", last.at.0, last.run)))])) { "Earlier runs" } }
        }
    };
    let live = after.is_none() && query.last.is_none_or(|last| last <= MOST_LIVE);
    Ok(Page { title, place: "/runs", live, origin: site.origin().await?, main })
}

/// Whether the visitor may see a run. Runs of reports and other jobs are for visitors who see all topics.
pub(in crate::web) fn may_see(visitor: &Visitor, run: &RunRow) -> bool {
    visitor.sees_all() || run.topic.as_ref().is_some_and(|topic| visitor.sees(topic))
}

/// One run as a list.
fn as_list(run: Option<RunRow>) -> Vec<(RunCursor, RunRow)> {
    let at = |run: &RunRow| run.started_at.or(run.slot).or(run.finished_at).unwrap_or_default();
    run.into_iter().map(|run| (RunCursor { at: at(&run), run: run.run.clone() }, run)).collect()
}

/// Parses a page token: the last run of the page before.
pub(super) fn parse_page_token(token: &str) -> Option<RunCursor> {
    let (at, run) = token.split_once('/')?;
    Some(RunCursor { at: Time(at.parse().ok()?), run: run.to_owned() })
}

fn run_markup(
    (site, pages): (&Site, &BTreeSet<String>),
    run: &RunRow,
    at: Time,
    (searches, calls): (Option<&Vec<SearchRow>>, bool),
    (baseline, assumed): (Option<&i64>, Option<Micros>),
) -> Markup {
    let counts = &run.counts;
    let full = run.may_be_more(searches.into_iter().flatten());
    let counted = |which, many: i64, what: &str| {
        let full = full && matches!(which, RunItems::Found | RunItems::First);
        findings::counted(run, which, None, many, &format!("{} {what}", at_least(many.unsigned_abs(), full)))
    };
    html! {
        p {
            (state(run.state)) " "
            @match &run.topic { Some(topic) => (topic_link(topic, pages)), None => strong { (format::line(&run.job, 100)) } }
            " " (moment(at, "UTC")) ", " (run.trigger.to_string().replace('_', "-"))
            @if run.attempt > 1 { ", attempt " (number(run.attempt.unsigned_abs())) }
        }
        p.meta {
            code { (format::line(&run.run, 120)) }
            // Jobs other than topics make no searches.
            @if run.started_at.is_none() && matches!(run.state, RunState::Missed | RunState::Skipped) { " · it did not run" }
            @else if run.topic.is_some() { @if run.has_counts(searches.into_iter().flatten()) { " · " (counted(RunItems::Found, counts.found, "found")) " = " (counted(RunItems::First, counts.new, "new")) @if let Some(many) = baseline { " (" (counted(RunItems::Baseline, *many, "of the baseline")) ")" } " + " (counted(RunItems::Duplicate, counts.duplicate, "duplicate")) } " · " (cost(run.cost, assumed)) }
            @if let Some((from, until)) = run.started_at.zip(run.finished_at) { " · " (number(u64::try_from(until.since(from).as_millis()).unwrap_or(u64::MAX))) " ms" }
        }
        @if let Some(why) = run.reason.as_ref().or(run.error_text.as_ref()) { p { (format::line(why, 400)) } }
        @if let Some(at) = run.clears_at { p.meta { "Calls or budget are available again from " (moment(at, "UTC")) " on." } }
        @if let Some(searches) = searches { details open[!matches!(run.state, RunState::Ok)] {
            summary { "Searches" }
            div.wide role="region" tabindex="0" aria-label=(format!("Searches of {}", format::line(&run.run, 120))) { (ledger(site, run, searches, calls)) }
        } }
    }
}

/// The searches of a run; with the number of their calls if requested.
fn ledger(site: &Site, run: &RunRow, searches: &[SearchRow], calls: bool) -> Markup {
    // Only the last attempt stored its findings.
    let counted = |search: &SearchRow, which, many: i64, full: bool| {
        if !search.state.has_counts(search.counts.found) {
            return html! { "–" };
        }
        let text = at_least(many.unsigned_abs(), full);
        let listed = if search.attempt == run.attempt { many } else { 0 };
        findings::counted(run, which, Some(search.source), listed, &text)
    };
    html! { table.cards {
        caption.quiet { "Every search of the run" }
        thead { tr {
            th scope="col" { "Source" } th scope="col" { "State" } th.n scope="col" { "Found" } th.n scope="col" { "New" } th.n scope="col" { "Duplicate" }
            th.n scope="col" { "Latency" } th.n scope="col" { "Cost" } th scope="col" { "Note" }
        } }
        tbody { @for search in searches { tr {
            th scope="row" { (search.source) @if search.attempt > 1 { " (attempt " (search.attempt) ")" } span.sub { (format::line(&search.query, 120)) } }
            td data-label="State" { (word(search.state)) @if let Some(status) = search.http_status { span.sub { "HTTP " (status) } } }
            td.n data-label="Found" { (counted(search, RunItems::Found, search.counts.found, search.may_be_more())) }
            td.n data-label="New" { (counted(search, RunItems::First, search.counts.new, search.may_be_more())) }
            td.n data-label="Duplicate" { (counted(search, RunItems::Duplicate, search.counts.duplicate, false)) }
            td.n data-label="Latency" { (search.latency_ms.map_or_else(|| "–".to_owned(), |ms| format!("{} ms", number(ms.unsigned_abs())))) }
            td.n data-label="Cost" { (search.cost.to_string()) @if calls { span.sub { (format::count_noun(search.tries.unsigned_abs(), "call")) } } }
            td data-label="Note" {
                @match (&search.error_class, &search.error_text, &search.reason) {
                    (None, None, None) => "nothing",
                    (class, text, reason) => {
                        @if let Some(class) = class { strong.bad { (format::line(class, 40)) } " " }
                        @if let Some(text) = text.as_ref().or(reason.as_ref()) { (format::line(text, 300)) }
                        @if let Some(hint) = hint(site, run, search) { span.sub { (hint) } }
                    }
                }
            }
        } } }
    } }
}

fn word(state: SearchState) -> Markup {
    let class = match state {
        SearchState::Ok | SearchState::Empty => "good",
        SearchState::Error | SearchState::Lost => "bad",
        SearchState::OverQuota => "warn",
        _ => "calm",
    };
    html! { span.{ "state " (class) } { (state.to_string().replace('_', " ")) } }
}

/// The hint for a search of a run that went wrong.
pub(in crate::web) fn hint(site: &Site, run: &RunRow, search: &SearchRow) -> Option<String> {
    match (search.state, &search.error_class) {
        (SearchState::OverQuota, _) => Some(match search.clears_at {
            Some(at) if at > site.now() => format!("raise the daily limit, or wait until {}", utc(at)),
            Some(_) => "calls are available again; raise the daily limit to allow more a day".to_owned(),
            None => "raise the daily limit: one call may cost more than it allows".to_owned(),
        }),
        (SearchState::Lost, _) => {
            let again = match (search.attempt < run.attempt, run.finished_at) {
                (true, _) => "; the run was made again",
                (false, None) => "; its run will be made again",
                (false, Some(_)) => "",
            };
            Some(format!("the process ended during the search{again}"))
        }
        (_, Some(class)) => {
            let text = search.error_text.as_deref().unwrap_or("");
            let (settings, provider) = (site.settings(), search.source.provider());
            (settings.hint)(provider, settings.feeds.contains(provider), class, search.http_status, text)
        }
        _ => None,
    }
}
