//! Saved searches: the list, saving and deleting one, and the feed of each.

use std::collections::{BTreeMap, HashSet};

use axum::body::Body;
use axum::extract::{Path, State};
use axum::http::header;
use axum::response::{IntoResponse as _, Redirect, Response};
use maud::{Markup, html};

use super::stars_and_notes::may_annotate;
use crate::draw::format;
use crate::export::{FEED_ENTRIES, Format, write_feed};
use crate::model::{DataOrigin, MOST_SEARCHES, SavedSearch, excerpt};
use crate::store::{ItemRow, Store};
use crate::web::item_query::{ItemQuery, address, latest, to_keep};
use crate::web::layout;
use crate::web::page_request::PageRequest;
use crate::web::pages::topic::actions::form;
use crate::web::problem::Problem;
use crate::web::server::app::App;
use crate::web::site::Site;

/// How often a feed reads on for items that only one topic found.
const MOST_READS: usize = 10;

/// The address of a search's feed.
pub(in crate::web) fn feed_of(name: &str) -> String {
    format!("/searches/{name}.atom")
}

/// The section of the items page that lists the saved searches, and saves the search that the page shows.
pub(in crate::web::pages) async fn section(
    site: &Site,
    filters: &BTreeMap<String, String>,
    acts: bool,
) -> Result<Markup, Problem> {
    let saved = site.store.saved_searches().await?;
    Ok(html! { section aria-labelledby="searches" {
        h2 #searches { "Saved searches" }
        @if saved.is_empty() { p {
            "There are none. "
            @if acts { "Choose filters, press Show, and save the search below: it gets its own feed." }
            @else { "Searches can be saved on the pages of " code { "topicwatch run" } ", by visitors who may run topics." }
        } } @else { ul { @for search in &saved { li {
            a href=(address("/items", &search.filters)) { (search.name) } " "
            span.meta { (describe_filters(search)) " " }
            a href=(feed_of(&search.name)) aria-label=(format!("Feed of {}", search.name)) { "Feed" }
            @if acts { " " form.inline method="post" action="/searches" {
                input type="hidden" name="name" value=(search.name);
                button.plain type="submit" name="what" value="delete" aria-label=(format!("Delete the search {}", search.name)) { "Delete" }
            } }
        } } } }
        @if acts { form.filters method="post" action="/searches" aria-label="Save this search" {
            @for (name, value) in filters { input type="hidden" name=(name) value=(value); }
            div { label for="name" { "Name: lowercase letters, digits, - and _; an existing search of this name is replaced" } input #name name="name" maxlength="64" pattern="[a-z0-9_\\-]+" required; }
            button type="submit" name="what" value="save" { "Save this search" }
        } }
    } })
}

/// The filters of a search, in words.
fn describe_filters(search: &SavedSearch) -> String {
    let all: Vec<String> = search.filters.iter().map(|(name, value)| format!("{name}: {value}")).collect();
    if all.is_empty() { "everything".to_owned() } else { format::line(&all.join(", "), 160) }
}

/// Links to the saved searches, for the overview.
pub(in crate::web::pages) async fn line(store: &Store) -> Result<Markup, Problem> {
    let saved = store.saved_searches().await?;
    Ok(html! { @if !saved.is_empty() { p.meta {
        "Saved searches: "
        @for (place, search) in saved.iter().take(20).enumerate() {
            @if place > 0 { ", " }
            a href=(address("/items", &search.filters)) { (search.name) }
        }
        @if saved.len() > 20 { ", " a href="/items#searches" { "all of them" } }
    } } })
}

/// Saves the filters of an address under a name.
pub(in crate::web) async fn save(site: &Site, name: &str, request: &PageRequest) -> Result<SavedSearch, Problem> {
    if !SavedSearch::is_valid_name(name) {
        let hint = "Use 1 to 64 lowercase letters, digits, - and _, such as launch-news.";
        return Err(Problem::bad_request(format!("`{}` cannot be the name of a search", excerpt(name)), hint));
    }
    let search = SavedSearch { name: name.to_owned(), filters: to_keep(site, request).await?, made_at: site.now() };
    if !site.store.save_search(&search).await? {
        let hint = "Delete one that is no longer needed, then save this one.";
        return Err(Problem::bad_request(
            format!("There are already {MOST_SEARCHES} saved searches, the maximum"),
            hint,
        ));
    }
    Ok(search)
}

/// Deletes a search.
pub(in crate::web) async fn delete(site: &Site, name: &str) -> Result<(), Problem> {
    if site.store.drop_search(name).await? { Ok(()) } else { Err(unknown(name)) }
}

fn unknown(name: &str) -> Problem {
    let hint = "It may have been deleted. /items lists all saved searches.";
    Problem { hint: hint.to_owned(), ..Problem::not_found(format!("There is no search `{}`", excerpt(name))) }
}

/// Handles a button.
pub(in crate::web) async fn ask(State(app): State<App>, body: Body) -> Response {
    let pressed = async {
        may_annotate(&app.site)?;
        let form = form(body).await?;
        let deletes = form.word("what", |word| matches!(word, "save" | "delete").then_some(word == "delete"))?;
        let name = form.get("name").unwrap_or("");
        if deletes.ok_or_else(|| form.invalid("what"))? {
            delete(&app.site, name).await?;
            return Ok("/items#searches".to_owned());
        }
        Ok(address("/items", &save(&app.site, name, &form).await?.filters) + "#searches")
    };
    match pressed.await {
        Ok(back) => Redirect::to(&back).into_response(),
        Err(problem) => layout::problem(&app.site, &problem),
    }
}

/// The feed of a search: the items that the items page shows for it, at most a hundred.
pub(in crate::web) async fn feed(State(app): State<App>, Path(file): Path<String>) -> Response {
    match render_feed(&app.site, &file).await {
        Ok(response) => response,
        Err(problem) => layout::problem(&app.site, &problem),
    }
}

async fn render_feed(site: &Site, file: &str) -> Result<Response, Problem> {
    let Some(name) = file.strip_suffix(".atom") else {
        let hint = format!("The feed of a saved search is at {}.", feed_of(&excerpt(file)));
        return Err(Problem { hint, ..Problem::not_found("There is no such page") });
    };
    let search = site.store.saved_search(name).await?.ok_or_else(|| unknown(name))?;
    let query = ItemQuery::of(site, &PageRequest::from_stored(&search.filters), Format::Atom).await?;
    let rows = unique(site, &query).await?;
    let invented = site.origin().await? == Some(DataOrigin::Sandbox);
    let mut feed = Vec::new();
    write_feed(&mut feed, &search.name, rows, invented).map_err(|error| {
        tracing::warn!("cannot write a feed: {error}");
        Problem::new(
            axum::http::StatusCode::INTERNAL_SERVER_ERROR,
            "The feed could not be written",
            "The log says why.",
        )
    })?;
    Ok(([(header::CONTENT_TYPE, "application/atom+xml; charset=utf-8")], feed).into_response())
}

/// The latest items of a query, each once, however many topics found it; and no more than a feed has.
async fn unique(site: &Site, query: &ItemQuery) -> Result<Vec<ItemRow>, Problem> {
    let (mut rows, mut seen_keys, mut after) = (Vec::new(), HashSet::new(), None);
    for _ in 0..MOST_READS {
        let (read, next) = latest(site, query, after, FEED_ENTRIES).await?;
        rows.extend(read.into_iter().filter(|row| seen_keys.insert(row.key.clone())));
        if rows.len() >= FEED_ENTRIES || next.is_none() {
            break;
        }
        after = next;
    }
    rows.truncate(FEED_ENTRIES);
    Ok(rows)
}
