//! Items of all topics: filters in the address, files of exactly what they find, and saved searches. `item_query`
//! defines what a filter means.

pub(in crate::web) mod item;
pub(super) mod item_view;
pub(in crate::web) mod marks;
pub(in crate::web) mod searches;
pub(in crate::web) mod stars_and_notes;
mod story;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use axum::Extension;
use axum::extract::State;
use axum::http::{Method, StatusCode, Uri};
use axum::response::Response;
use maud::{Markup, html};

use crate::compare::{FilterMode, Rankings, RowFilter};
use crate::draw::format::{count_noun, number};
use crate::export::{ExportError, Format, ItemCount, count_items, write_items};
use crate::model::{Kind, Mark, Source, Time, Tone};
use crate::normalise::words;
use crate::store::{AllItemsCursor, ItemRow, Store};
use crate::web::access::visitor::Visitor;
use crate::web::downloads::pipe::Writer;
use crate::web::downloads::{self, File};
use crate::web::item_query::{ItemQuery, PARAMETERS, address, latest, place_of, tags_of};
use crate::web::layout::{self, Page, field_error};
use crate::web::page_request::{LONGEST, PageRequest};
use crate::web::problem::Problem;
use crate::web::server::app::App;
use crate::web::site::Site;

/// Items on a page.
const ITEMS: usize = 50;
/// Items that are read at a time for a file. Each read finds all items with the words again.
const READ: u32 = 250;
/// Maximum number of items that are counted for a page.
const COUNTED: u64 = 5_000;
/// Filters that are folded until one of them is used, so that a phone shows items first.
const MORE: [&str; 10] = ["tag", "source", "tone", "kind", "lang", "author", "since", "until", "new_since", "marked"];
/// Maximum number of topics to choose from; if there are more, a topic's id is typed.
const CHOICE: usize = 200;

/// Parses a page token: the last item of the page before.
fn parse_page_token(token: &str) -> Option<AllItemsCursor> {
    let mut parts = token.splitn(3, '/');
    let (at, topic, key) = (parts.next()?, parts.next()?, parts.next()?);
    Some(AllItemsCursor { first_seen: Time(at.parse().ok()?), topic: topic.to_owned(), key: key.to_owned() })
}

pub(in crate::web) async fn show(site: Arc<Site>, request: PageRequest) -> Result<Page, Problem> {
    let store = &site.store;
    let query = match ItemQuery::of(&site, &request, Format::Csv).await {
        Err(problem) if problem.status == StatusCode::BAD_REQUEST => {
            let form = form(&site, &request, FilterMode::Hide, false, Some(&problem)).await?;
            return Err(Problem { form: Some(form), ..problem });
        }
        query => query?,
    };
    let after = request.word("after", parse_page_token)?;
    let (rows, next) = latest(&site, &query, after.clone(), ITEMS).await?;
    let rows = Rankings::rate_all(store, rows).await?;
    let mut row_filter = RowFilter::of(store, &query.order.filter.topics, query.filtered).await?;
    let many = count_items(store, &query.order, &mut row_filter, COUNTED).await?;
    let hidden = if query.filtered == FilterMode::Hide { row_filter.hidden_count() } else { 0 };
    let waiting = query.order.filter.words.is_some() && store.index_backlog(words::VERSION).await? > 0;
    let per_topic = query.order.filter.topics.is_empty() && store.count_topics().await? > 1;
    let filters = request.given_of(PARAMETERS);
    let narrowed = !filters.is_empty();
    let form = form(&site, &request, query.filtered, row_filter.has_filters(), None).await?;
    let saved = searches::section(&site, &filters, site.may_annotate(&request.visitor)).await?;
    let state = ListState {
        more: next.is_some(),
        later: after.is_some(),
        hidden,
        counted: matches!(many, ItemCount::All(_)),
        per_topic,
        narrowed,
        acts: site.may_annotate(&request.visitor),
        runs: site.may_act(&request.visitor),
        topics: store.topic_ids().await?.into_iter().collect(),
    };
    let main = html! {
        h1 { (heading(&filters)) }
        (form)
        nav.pages aria-label="Kept items" { a href="/items" aria-current=[(!narrowed).then_some("page")] { "All" } @for (name, label) in KEPT { a href=(format!("/items?{name}=true")) aria-current=[(filters.len() == 1 && filters.contains_key(name)).then_some("page")] { (label) } } }
        p.lead role="status" {
            strong { @match many {
                ItemCount::All(many) => (count_noun(many, "item")),
                ItemCount::AtLeast(0) => { "Items that match" },
                ItemCount::AtLeast(many) => { "At least " (count_noun(many, "item")) },
                ItemCount::More => { "More than " (number(COUNTED)) " items" },
            } }
            @if matches!(many, ItemCount::AtLeast(_)) { " (not all were checked)" }
            @if many != ItemCount::All(0) { ", newest first." }
            @if per_topic && many != ItemCount::All(0) { " An item counts once for each topic that found it." }
            @if row_filter.has_filters() && query.filtered == FilterMode::Hide { " Items hidden by topics' filters are left out." }
        }
        @if waiting { p.note { "Some items are not indexed yet, so the words do not find them." } }
        (list(&request, &rows, &state))
        // Not marked as downloads, which would hide a refusal or the login.
        @if many != ItemCount::All(0) { nav.pages aria-label="Download these items" {
            @for format in [Format::Csv, Format::Xlsx, Format::Jsonl] {
                a href=(address(&format!("/items.{format}"), &filters)) { "Download " (format.to_string().to_uppercase()) }
            }
        } }
        nav.pages aria-label="More items" {
            @if after.is_some() { a href=(request.with("/items", &[("after", None)])) { "From the beginning" } }
            @if let Some(next) = &next {
                @let token = format!("{}/{}/{}", next.first_seen.0, next.topic, next.key);
                a rel="next" href=(request.with("/items", &[("after", Some(&token))])) { "Older items" }
            }
        }
        (saved)
    };
    Ok(Page { title: heading(&filters).to_owned(), place: "/items", live: false, origin: site.origin().await?, main })
}

/// Links above the list to starred items and to those with a note.
const KEPT: [(&str, &str); 2] = [("starred", "Starred"), ("noted", "With a note")];

/// Explains a count in a list of several topics.
const PER_TOPIC: &str = " (an item counts once for each topic that found it)";

/// The heading of the list; a special one if the address has a single filter of these.
fn heading(filters: &BTreeMap<String, String>) -> &'static str {
    match filters.keys().map(String::as_str).collect::<Vec<_>>()[..] {
        ["starred"] => "Starred items",
        ["noted"] => "Items with a note",
        _ => "Items",
    }
}

/// The state of the list, apart from its rows.
struct ListState {
    /// Whether there are older items that were not checked.
    more: bool,
    /// Whether there was a page before.
    later: bool,
    /// How many items are hidden by topics' filters.
    hidden: u64,
    /// Whether these are all.
    counted: bool,
    /// Whether the items are of several topics.
    per_topic: bool,
    /// Whether the address leaves out some items.
    narrowed: bool,
    acts: bool,
    /// Whether topics can be run from these pages.
    runs: bool,
    /// Topics with a page: those that were not deleted.
    topics: BTreeSet<String>,
}

fn list(request: &PageRequest, rows: &[ItemRow], state: &ListState) -> Markup {
    let ListState { more, later, hidden, counted, per_topic, narrowed, acts, runs, .. } = *state;
    let (note, by) = match (per_topic, hidden) {
        (false, _) => ("", "the topic's filter"),
        (true, 1) => (PER_TOPIC, "its topic's filter"),
        (true, _) => (PER_TOPIC, "their topics' filters"),
    };
    // A form accepts no longer address.
    let back = Some(request.with("/items", &[])).filter(|back| back.len() + 10 <= LONGEST);
    let back = back.unwrap_or_else(|| "/items".to_owned());
    html! {
        @if rows.is_empty() { p {
            @if more { "No match among the items checked so far; there are older ones." }
            @else if later { "No more items." }
            @else if hidden > 0 { @if counted { (item_view::all_hidden(hidden, note)) } @else { "All of these are hidden by" } " " (by) ". " a href=(request.with("/items", &[("filtered", Some("keep"))])) { "Show them" } }
            @else if narrowed { "No items match. " a href="/items" { "Clear the filters" } " to see all." }
            @else if runs { "Nothing found yet. " strong { "Run now" } " on a topic's page runs it; what it finds appears here." }
            @else { "Nothing found yet. " code { "topicwatch once" } " runs every topic now; what it finds appears here." }
        } } @else { ol.found { @for (number, row) in rows.iter().enumerate() { li id=(format!("i{number}")) data-item tabindex="-1" {
            @let back = format!("{back}#i{number}");
            (item_view::item(row, "UTC"))
            div.deeds { span.meta { "Topic " (item_view::topic_link(&row.topic, &state.topics)) } (marks::of_item(row, acts, &back, false)) (stars_and_notes::of_item(row, acts, &back, number)) }
        } } } }
    }
}

/// The form of the filters, with each error next to its field.
async fn form(
    site: &Site,
    request: &PageRequest,
    filtered: FilterMode,
    filters: bool,
    wrong: Option<&Problem>,
) -> Result<Markup, Problem> {
    let topics = site.store.topic_ids().await?;
    let (sources, tags) = (site.store.searched_sources().await?, tags_of(site).await?);
    let value_of = |name: &str| request.get(name).unwrap_or("");
    let wrong_in = |name: &str| wrong.filter(|problem| problem.is_about(name));
    let field = |name: &'static str, label: &str, hint: &'static str, most: u32| {
        let wrong = wrong_in(name);
        html! { div {
            label for=(name) { (label) }
            input id=(name) name=(name) value=(value_of(name)) maxlength=(most) size="12" placeholder=[(!hint.is_empty()).then_some(hint)] aria-invalid=[wrong.map(|_| "true")] aria-describedby=[wrong.map(|_| "wrong")] autofocus[wrong.is_some()];
            (field_error(wrong))
        } }
    };
    let choice = |name: &'static str, label: &str, words: Vec<(&str, &str)>| {
        html! { div { label for=(name) { (label) } select id=(name) name=(name) {
            option value="" { "any" }
            @for (word, text) in words { option value=(word) selected[value_of(name) == word] { (text) } }
        } } }
    };
    let same = |words: Vec<&'static str>| words.into_iter().map(|word| (word, word)).collect::<Vec<_>>();
    let mut named: Vec<(&str, &str)> = topics.iter().map(|topic| (topic.as_str(), topic.as_str())).collect();
    // The filter stays if its topic was deleted since.
    let deleted = request.get("topic").filter(|topic| topics.iter().all(|known| known != topic));
    let label = deleted.map(|topic| format!("{topic}, deleted"));
    named.extend(deleted.zip(label.as_deref()));
    Ok(html! { form.filters method="get" action="/items" role="search" aria-label="Items" {
        div.asked {
            @let wrong = wrong_in("search");
            label for="search" { "Words" }
            input #search type="search" name="search" value=(value_of("search")) maxlength=(words::LONGEST_QUERY) aria-invalid=[wrong.map(|_| "true")] aria-describedby=[wrong.map(|_| "wrong")] autofocus[wrong.is_some()];
            (field_error(wrong))
        }
        @if topics.len() > CHOICE { (field("topic", "Topic", "", 64)) } @else { (choice("topic", "Topic", named)) }
        @if filters { div { label for="filtered" { "Topics' filters" } select #filtered name="filtered" { @for mode in FilterMode::ALL { option value=(mode) selected[filtered == *mode] { (mode) } } } } }
        button.main type="submit" { "Show" }
        @if !request.given_of(PARAMETERS).is_empty() { a href="/items" { "Clear the filters" } }
        details open[!request.given_of(&MORE).is_empty()] { summary { "More filters" } div {
            @if tags.len() > CHOICE { (field("tag", "Tag", "", 100)) } @else if !tags.is_empty() { (choice("tag", "Tag", tags.iter().map(|tag| (tag.as_str(), tag.as_str())).collect())) }
            (choice("source", "Source", sources.iter().map(Source::as_str).map(|source| (source, source)).collect()))
            (choice("tone", "Tone", same(Tone::ALL.iter().map(|tone| tone.as_str()).collect())))
            (choice("kind", "Kind", same(Kind::ALL.iter().map(|kind| kind.as_str()).collect())))
            (field("lang", "Language", "en", 20))
            (field("author", "Author", "", 100))
            (field("since", "First seen since", "7d or 2026-03-11", 40))
            (field("until", "First seen before", "2026-03-12", 40))
            (field("new_since", "New since", "24h", 40))
            (choice("marked", "Marked", same(Mark::ALL.iter().map(|mark| mark.as_str()).collect())))
            (choice("starred", "Star", vec![("true", "starred")]))
            (choice("noted", "Note", vec![("true", "with a note")]))
        } }
    } })
}

/// Writes the items of a query, those first seen last at the top.
async fn write_latest(store: &Store, query: &ItemQuery, mut out: &Writer) -> Result<(), ExportError> {
    let filter = &query.order.filter;
    let mut row_filter = RowFilter::of(store, &filter.topics, query.filtered).await?;
    let rankings = Rankings::of(store, &filter.topics).await?;
    let mut after = Some(None);
    write_items(store, &query.order, &mut out, async || {
        let Some(from) = after.take() else { return Ok(None) };
        let mut rows = store.list_found(filter, from.as_ref(), READ).await?;
        after = rows.last().filter(|_| rows.len() == READ as usize).map(|last| Some(place_of(last)));
        rows.retain(|row| row_filter.shows_item(row));
        rows.iter_mut().for_each(|row| rankings.rate(row));
        Ok(Some(rows))
    })
    .await
}

/// The same rows as a file.
pub(in crate::web) async fn file(
    State(app): State<App>,
    Extension(visitor): Extension<Visitor>,
    method: Method,
    uri: Uri,
) -> Response {
    let response = async {
        let request = PageRequest::of(&uri, visitor, PARAMETERS)?;
        let format = request.name.rsplit('.').next().and_then(Format::parse).unwrap_or(Format::Csv);
        let query = ItemQuery::of(&app.site, &request, format).await?;
        if query.order.filter.words.is_some() {
            downloads::check_indexed(&app.site.store, &query.order.filter.topics).await?;
        }
        let file = File { name: &request.name, format, head: method == Method::HEAD };
        downloads::stream(&app.site, &request.visitor, file, async move |store: &Store, out: &Writer| {
            write_latest(store, &query, out).await
        })
        .await
    };
    response.await.unwrap_or_else(|problem: Problem| layout::problem(&app.site, &problem))
}
