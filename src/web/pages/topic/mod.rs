//! One topic: its status, its days, its answers. `items` shows its items.

pub(in crate::web) mod actions;
pub(in crate::web) mod answers;
mod candidate;
pub(super) mod counted_items;
pub(in crate::web) mod days;
pub(in crate::web) mod edit;
mod fields;
mod form;
pub(in crate::web) mod item_query;
pub(super) mod items;
pub(in crate::web) mod items_file;
pub(super) mod lines;
pub(in crate::web) mod report;
pub(in crate::web) mod submit;
mod terms;
mod untouched;

use std::sync::Arc;

use axum::http::StatusCode;
use maud::html;

use super::alerts;
use super::items::item_view;
use super::overview::{new, next, sources};
use super::runs::findings;
use super::runs::run_state::state;
use crate::compare::{FirstSeen, LATELY, first_seen, mark_missed};
use crate::draw::format::{self, at_least_noun, number};
use crate::store::{RunItems, RunRow};
use crate::web::layout::Page;
use crate::web::page_request::PageRequest;
use crate::web::problem::Problem;
use crate::web::site::Site;
use item_query::TopicItemQuery;

pub(in crate::web) async fn show(site: Arc<Site>, request: PageRequest) -> Result<Page, Problem> {
    let (store, now) = (&site.store, site.now());
    let unknown = || Problem::not_found("There is no such topic");
    let Some(mut card) = store.topic_card(&request.name, now.minus(LATELY)).await? else {
        return if edit::file_has_topic(&site, &request.name, &request.visitor).await {
            pending_page(&site, &request).await
        } else {
            Err(unknown())
        };
    };
    if let Some(page) = counted_items::show(&site, &card, &request).await? {
        return Ok(page);
    }
    mark_missed(store, std::slice::from_mut(&mut card), now).await?;
    let query = match TopicItemQuery::of(&request, &card, now) {
        // The typed values can be corrected.
        Err(problem) if problem.status == StatusCode::BAD_REQUEST => {
            let form = items::form_to_correct(&site, &request, &card, &problem).await?;
            return Err(Problem { form: Some(form), ..problem });
        }
        query => query?,
    };
    let history = site.sources(std::slice::from_ref(&card)).await?;
    let found = items::load_items(&site, &card, &query, &request.visitor).await?;
    let firing = alerts::firing_at(&site, std::slice::from_ref(&card.topic), &request.visitor).await?;
    let actions = actions::section(&site, &card, &request).await?;
    let charts = days::charts(&site, &card, Some(&request)).await?;
    let terms = terms::section(&site, &card, &request.visitor).await?;
    let last: Vec<&RunRow> = card.last_run.iter().collect();
    let FirstSeen { new: fresh, baseline, older, .. } =
        first_seen(store, &last, &[]).await?.into_values().next().unwrap_or_default();
    let answers = answers::latest(&site, &card, &request.visitor).await?;
    let main = html! {
        h1 { (format::line(&card.title, 120)) " " small.meta { (card.topic) } }
        dl.facts {
            dt { "Last run" } dd { @match &card.last_run { None => "not run yet", Some(run) => {
                (state(run.state)) " " (item_view::when(run.started_at, card.timezone())) ", "
                (findings::counted(run, RunItems::New, None, fresh, &at_least_noun(fresh.max(0).unsigned_abs(), card.fails || baseline == 0 && history.is_full(&card), "new item")))
                @if baseline > 0 { " (+" (findings::counted(run, RunItems::Baseline, None, baseline, &format!("{} of the baseline", number(baseline.unsigned_abs())))) ")" }
                @if older > 0 { " (+" (findings::counted(run, RunItems::Older, None, older, &format!("{} older", number(older.unsigned_abs())))) ")" }
            } } }
            dt { "Next slot" } dd { (next(&card, now)) }
            dt { "Sources" } dd { (sources(&card, &history)) }
            @if !firing.is_empty() { dt { "Alerts" } dd { (alerts::note(&firing)) } }
            dt { "New, 24 h" } dd { (new(&card, now, true)) @if card.has_filter() { ", before its filter" } }
        }
        (actions)
        (charts)
        (terms)
        (answers)
        (items::section(&site, &request, &card, &query, &found))
    };
    Ok(Page { title: card.title.clone(), place: "/", live: false, origin: site.origin().await?, main })
}

/// A topic that is in the file, but not yet in a daemon.
async fn pending_page(site: &Site, request: &PageRequest) -> Result<Page, Problem> {
    let topic = &request.name;
    let main = html! {
        h1 { (format::line(topic, 120)) }
        p data-soon { "Saved in the file, but not yet in the database. " @if site.settings().acts.is_some() { "It is applied within seconds; if not, the log says why." } @else { code { "topicwatch run" } " with the same file applies it within seconds, " code { "topicwatch once" } " at its next run." } }
        p { a href=(format!("/topics/{topic}")) { "Refresh" } @if request.visitor.sees_all() { " · " a href="/jobs" { "Settings" } } }
    };
    Ok(Page { title: topic.clone(), place: "/", live: true, origin: site.origin().await?, main })
}
