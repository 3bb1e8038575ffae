//! The page of a share link: one report's file, or one topic as of now. It has no links to other pages, and a wrong
//! link looks the same as one that has expired or was withdrawn.

use axum::extract::{ConnectInfo, Path, State};
use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use maud::{Markup, html};
use tokio::io::AsyncReadExt as _;

use super::items::item_view;
use super::overview;
use super::runs::run_state::state;
use super::topic::items::COPIES_ONCE;
use super::topic::{answers, days};
use crate::compare::{FilterMode, LATELY, RowFilter, mark_missed, shown_or_copy};
use crate::draw::format::{self, count_noun};
use crate::listener::Peer;
use crate::model::{ItemRow, LinkRow, SharedKind, Time, TopicCard};
use crate::store::{Filter, ItemOrder};
use crate::web::access::authentication;
use crate::web::layout;
use crate::web::problem::Problem;
use crate::web::server::app::App;
use crate::web::site::Site;

/// Maximum number of items of a topic that are shown.
const ITEMS: usize = 50;
/// Maximum number of items that are read for them, including those that the topic's filter hides.
const MAX_READ: usize = 1_000;
/// Items that are read at a time.
const STEP: u32 = 100;
/// The largest report that is shown, in bytes.
const LARGEST: u64 = 32 * 1024 * 1024;

/// A report contains its own style; it runs no scripts and sends no forms.
const REPORT_POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; form-action 'none'; frame-ancestors 'none'; \
                             base-uri 'none'; sandbox allow-popups allow-popups-to-escape-sandbox";

pub(in crate::web) async fn show(
    State(app): State<App>,
    ConnectInfo(peer): ConnectInfo<Peer>,
    Path(secret): Path<String>,
) -> Response {
    let site = &app.site;
    let result = match authentication::link_of(site, &peer, &secret).await {
        Ok(Some(link)) => shared_page(site, &link).await,
        Ok(None) => Err(not_found()),
        Err(problem) => Err(problem),
    };
    let mut response = result.unwrap_or_else(|problem| {
        let main = html! { h1 { (problem.title) } p { (problem.hint) } };
        let mut response = layout::standalone_page(&problem.title, None, &main);
        *response.status_mut() = problem.status;
        response
    });
    for (name, value) in [("x-robots-tag", "noindex, nofollow, noarchive"), ("referrer-policy", "no-referrer")] {
        response.headers_mut().insert(HeaderName::from_static(name), HeaderValue::from_static(value));
    }
    response
}

fn not_found() -> Problem {
    let hint = "It was mistyped, has expired or was withdrawn, or its topic or report is no longer there. Ask the sender for another.";
    Problem::new(StatusCode::NOT_FOUND, "This link shows nothing", hint)
}

async fn shared_page(site: &Site, link: &LinkRow) -> Result<Response, Problem> {
    match link.kind {
        SharedKind::Topic => topic(site, link).await,
        SharedKind::Report => report(site, &link.of).await,
    }
}

/// The file that the run made, as the database recorded it. A file that was removed, erased or replaced since is not
/// shown.
async fn report(site: &Site, run: &str) -> Result<Response, Problem> {
    let output = site.store.output_of_run(run).await?.ok_or_else(not_found)?;
    let page = output.files.into_iter().find(|file| is_page(&file.path));
    // A later run may have written more there than was shared.
    let path = page.filter(|page| !page.replaced).ok_or_else(not_found)?.path;
    let unread = |error: std::io::Error| {
        tracing::warn!(path, "cannot read a report that a link shows: {error}");
        not_found()
    };
    let file = tokio::fs::File::open(&path).await.map_err(unread)?;
    let mut text = Vec::new();
    file.take(LARGEST + 1).read_to_end(&mut text).await.map_err(unread)?;
    if text.len() as u64 > LARGEST {
        return Err(unread(std::io::ErrorKind::InvalidData.into()));
    }
    let headers =
        [(header::CONTENT_TYPE, "text/html; charset=utf-8"), (header::CONTENT_SECURITY_POLICY, REPORT_POLICY)];
    Ok((headers, text).into_response())
}

/// Whether a file of a report is the page for browsers.
fn is_page(path: &str) -> bool {
    std::path::Path::new(path).extension().is_some_and(|end| end.eq_ignore_ascii_case("html"))
}

async fn topic(site: &Site, link: &LinkRow) -> Result<Response, Problem> {
    let (store, now) = (&site.store, site.now());
    let mut card = store.topic_card(&link.of, now.minus(LATELY)).await?.ok_or_else(not_found)?;
    mark_missed(store, std::slice::from_mut(&mut card), now).await?;
    let Latest { items, hidden, whole } = latest(site, &card).await?;
    let answer = answers::words(site, &card).await?;
    let charts = days::charts(site, &card, None).await?;
    let main = html! {
        h1 { (format::line(&card.title, 120)) }
        (facts(&card, link.expires_at, now))
        (charts)
        (answer)
        section aria-labelledby="items" {
            h2 #items { "Latest items" }
            @if items.is_empty() { p {
                @if hidden == 0 { "Nothing found yet." }
                @else { @if whole { (item_view::all_hidden(hidden, COPIES_ONCE)) } @else { "The latest items are all hidden by" } " the topic's filter." }
            } } @else {
                p.meta { @if items.len() >= ITEMS { "The latest " } (count_noun(items.len() as u64, "item")) ", new first; near-copies are folded." }
                ol.found { @for row in &items { li { (item_view::item_without_link(row, card.timezone())) } } }
            }
        }
    };
    Ok(layout::standalone_page(&card.title, site.origin().await?, &main))
}

/// The latest items that the topic's filter does not hide.
struct Latest {
    items: Vec<ItemRow>,
    /// How many of the read items it hides.
    hidden: u64,
    /// Whether all items were read.
    whole: bool,
}

async fn latest(site: &Site, card: &TopicCard) -> Result<Latest, Problem> {
    let filter = Filter { topics: vec![card.topic.clone()], ..Filter::default() };
    let mut row_filter = RowFilter::of(&site.store, std::slice::from_ref(&card.topic), FilterMode::Hide).await?;
    let (mut items, mut after, mut pages) = (Vec::new(), None, 0);
    loop {
        let listed = site.store.list_items(&filter, true, ItemOrder::New, after.as_ref(), STEP).await?;
        for row in listed.rows {
            items.extend(shown_or_copy(&site.store, &mut row_filter, Some(&filter), row).await?);
        }
        (after, pages) = (listed.next, pages + 1);
        if items.len() >= ITEMS || after.is_none() || pages * STEP as usize >= MAX_READ {
            items.truncate(ITEMS);
            return Ok(Latest { items, hidden: row_filter.hidden_count(), whole: after.is_none() });
        }
    }
}

fn facts(card: &TopicCard, until: Time, now: Time) -> Markup {
    html! { dl.facts {
        dt { "Last run" } dd { @match &card.last_run { None => "not run yet", Some(run) => { (state(run.state)) " " (item_view::when(run.started_at, card.timezone())) } } }
        dt { "New, 24 h" } dd { (overview::new(card, now, false)) @if card.has_filter() { ", before its filter" } }
        dt { "This link" } dd { "expires " (layout::moment(until, card.timezone())) }
    } }
}
