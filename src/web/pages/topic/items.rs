//! The items of a topic's page, with near-copies under each. `item_query` is the query in the address.

use maud::{Markup, html};

use super::item_query::{ITEMS, MOST_REACTIONS, ORDERS, SPANS, SUGGESTED, TopicItemQuery};
use crate::compare::{FilterMode, Ranking, list_items};
use crate::draw::format::{count_noun, number};
use crate::export::Format;
use crate::insight::relevance::{LEAST_MARKS, MOST_ITEMS};
use crate::insight::{RISING_GAIN, RISING_SHARE};
use crate::model::{CopyRow, Tone, TopicCard};
use crate::normalise::words;
use crate::store::{ItemCursor, ItemRow};
use crate::web::access::visitor::Visitor;
use crate::web::layout::{field_error, moment};
use crate::web::page_request::{LONGEST, PageRequest};
use crate::web::pages::items::item::{all_copies, seen};
use crate::web::pages::items::{item_view, marks, stars_and_notes};
use crate::web::problem::Problem;
use crate::web::site::Site;

/// Maximum number of near-copies that unfold under an item.
const COPIES: u32 = 5;
/// Explains a count in a list of one item of each cluster.
pub(in crate::web::pages) const COPIES_ONCE: &str = " (near-copies count once)";

/// The items that are shown.
pub(in crate::web::pages) struct Found {
    /// Each with its near-copies: their number, and the first of them.
    items: Vec<(ItemRow, (i64, Vec<CopyRow>))>,
    next: Option<ItemCursor>,
    hidden: u64,
    /// Whether only the latest were read.
    cut: bool,
    waiting: bool,
    /// A sentence on the ranking learned from marks, and how reliable it is.
    learned: Option<String>,
    /// Items of this page that were left out as likely noise.
    noise: usize,
    /// Items of this page before its filters.
    read: usize,
    /// Whether only the latest sightings were compared, for the order by velocity.
    sightings_cut: bool,
}

impl Found {
    /// The sightings that the order by velocity compares.
    fn compared_sightings(&self) -> String {
        match self.sightings_cut {
            true => format!("among the latest {} sightings", number(MOST_REACTIONS.unsigned_abs())),
            false => "in the last two days".to_owned(),
        }
    }
}

pub(super) async fn load_items(
    site: &Site,
    card: &TopicCard,
    query: &TopicItemQuery,
    visitor: &Visitor,
) -> Result<Found, Problem> {
    let store = &site.store;
    let ranking = Ranking::of(store, &card.topic).await?;
    let position = (query.after.as_ref(), ITEMS);
    let page = query.rows((store, site.now()), &card.topic, ranking.as_ref(), position).await?;
    let (read, sightings_cut) = (page.rows.len(), page.sightings_cut);
    let listing = list_items(store, ranking.as_ref(), page.rows, query.options(&card.topic, Some(COPIES))).await?;
    let (hidden, noise) = (listing.hidden, listing.noise);
    let items = listing.items.into_iter().filter_map(|one| Some((seen(visitor, one.row)?, one.copies))).collect();
    let waiting = query.filter.words.is_some() && store.words_waiting_of(&card.topic, words::VERSION).await? > 0;
    let learned = ranking.map(|ranking| ranking.describe());
    Ok(Found { items, next: page.next, hidden, cut: page.cut, waiting, learned, noise, read, sightings_cut })
}

/// The section of the page with the items and their form.
pub(in crate::web::pages) fn section(
    site: &Site,
    request: &PageRequest,
    card: &TopicCard,
    query: &TopicItemQuery,
    found: &Found,
) -> Markup {
    html! { section aria-labelledby="items" {
        h2 #items { "Items" }
        (form(request, card, query, (found.learned.is_some(), site.may_act(&request.visitor)), None))
        (list(request, card, query, found, (site.may_act(&request.visitor), site.may_annotate(&request.visitor))))
        @if !found.items.is_empty() || found.next.is_some() { (files(request, card, query)) }
    } }
}

/// Links to files of these items, those of further pages included.
fn files(request: &PageRequest, card: &TopicCard, query: &TopicItemQuery) -> Markup {
    let address = |format: Format| {
        request.with(&format!("/topics/{}/items.{format}", card.topic), &[("after", None), ("by", None)])
    };
    html! {
        nav.pages aria-label="Download these items" {
            @for format in [Format::Csv, Format::Xlsx, Format::Jsonl] {
                a href=(address(format)) { "Download " (format.to_string().to_uppercase()) }
            }
            // Rankings list each copy.
            @if query.folded && query.is_filtered_list() { span.meta { "Near-copies are left out." } }
        }
    }
}

/// The form with the sent values, one of which is invalid.
pub(super) async fn form_to_correct(
    site: &Site,
    request: &PageRequest,
    card: &TopicCard,
    wrong: &Problem,
) -> Result<Markup, Problem> {
    let rest = TopicItemQuery::of(&request.without("search"), card, site.now());
    let query = rest.or_else(|_| TopicItemQuery::of(&PageRequest::default(), card, site.now()))?;
    let learned = Ranking::of(&site.store, &card.topic).await?.is_some();
    Ok(form(request, card, &query, (learned, site.may_act(&request.visitor)), Some(wrong)))
}

/// The form of the filters, with each error next to its field.
fn form(
    request: &PageRequest,
    card: &TopicCard,
    query: &TopicItemQuery,
    (learned, acts): (bool, bool),
    wrong: Option<&Problem>,
) -> Markup {
    let value_of = |name: &str| request.get(name).unwrap_or("");
    // An order is offered if it lists something, or if the visitor can use what it lists.
    let is_offered = |name: &str| match name {
        "relevance" => learned,
        SUGGESTED => acts,
        _ => true,
    };
    let filters = card.has_filter();
    html! { form.filters method="get" action=(format!("/topics/{}#items", card.topic)) role="search" {
        div {
            @let wrong = wrong.filter(|problem| problem.is_about("search"));
            label for="search" { "Words" }
            input #search type="search" name="search" value=(value_of("search")) maxlength=(words::LONGEST_QUERY) aria-invalid=[wrong.map(|_| "true")] aria-describedby=[wrong.map(|_| "wrong")] autofocus[wrong.is_some()];
            (field_error(wrong))
        }
        div { label for="order" { "Order" } select #order name="order" { @for (name, text) in ORDERS.iter().filter(|(name, _)| is_offered(name) || query.order == *name) { option value=(name) selected[query.order == *name] { (text) } } } }
        div { label for="tone" { "Tone" } select #tone name="tone" { option value="" { "any" } @for tone in Tone::ALL { option value=(tone) selected[value_of("tone") == tone.as_str()] { (tone) } } } }
        div { label for="source" { "Source" } select #source name="source" { option value="" { "any" } @for source in card.sources() { option value=(source) selected[value_of("source") == source.as_str()] { (source) } } } }
        div { label for="author" { "Author" } input #author name="author" value=(value_of("author")) maxlength="100" size="12"; }
        div { label for="since" { "First seen" } select #since name="since" { option value="" { "ever" } @for (name, days) in SPANS { option value=(name) selected[value_of("since") == name] { "last " (count_noun(days, "day")) } } } }
        div { label for="copies" { "Near-copies" } select #copies name="copies" { option value="fold" selected[query.folded] { "folded" } option value="all" selected[!query.folded] { "all" } } }
        @if learned { div { label for="noise" { "Likely noise" } select #noise name="noise" { option value="all" selected[!query.fold_noise] { "all" } option value="fold" selected[query.fold_noise] { "folded" } } } }
        @if filters { div { label for="filtered" { "Topic's filter" } select #filtered name="filtered" { @for mode in FilterMode::ALL { option value=(mode) selected[query.filtered == *mode] { (mode) } } } } }
        @if let Some(by) = request.get("by") { input type="hidden" name="by" value=(by); }
        button.main type="submit" { "Show" }
    } }
}

fn verb(many: u64) -> &'static str {
    if many == 1 { "is" } else { "are" }
}

/// Explains the counts of hidden items of a page.
fn of_copies(query: &TopicItemQuery) -> &'static str {
    // Rankings list each copy.
    if query.folded && query.is_filtered_list() { COPIES_ONCE } else { "" }
}

/// Starts the sentence that the topic's filter hides each item of the last page. It says that all items are hidden only
/// for a first page from which nothing else was left out.
fn all_hidden_words(query: &TopicItemQuery, found: &Found) -> String {
    let has_all = query.is_filtered_list() && query.after.is_none() && found.noise == 0 && !found.cut;
    if has_all {
        return item_view::all_hidden(found.hidden, of_copies(query));
    }
    format!("{} on this page{} {} hidden by", count_noun(found.hidden, "item"), of_copies(query), verb(found.hidden))
}

/// Whether the address leaves out some items.
fn is_filtered(request: &PageRequest) -> bool {
    ["search", "tone", "source", "author", "since", "noise", "filtered", "after"]
        .iter()
        .any(|name| request.get(name).is_some())
}

fn list(
    request: &PageRequest,
    card: &TopicCard,
    query: &TopicItemQuery,
    found: &Found,
    (acts, keeps): (bool, bool),
) -> Markup {
    let (zone, path) = (card.timezone(), format!("/topics/{}", card.topic));
    // A form accepts no longer address.
    let back = Some(request.with(&path, &[])).filter(|back| back.len() + 10 <= LONGEST).unwrap_or_else(|| path.clone());
    // Much of the page is above its items.
    let here = |changes: &[(&str, Option<&str>)]| request.with(&path, changes) + "#items";
    let all_hidden = found.items.is_empty() && found.hidden > 0 && found.next.is_none();
    html! {
        @if query.order == "velocity" { p.meta { "Items that gained reactions fastest between their first and last sighting " (found.compared_sightings()) "." } }
        @if ["relevance", SUGGESTED].contains(&query.order) && found.learned.is_none() { p.note { "Relevance needs at least " (LEAST_MARKS) " marks, both good and noise." } }
        @if query.order == SUGGESTED { p.meta { "Marks of these, good or noise, teach more than marks of others. The fields above do not apply." } }
        @else if acts && !found.items.is_empty() { p.meta { a href=(format!("{path}?order={SUGGESTED}#items")) { "Suggest items to mark" } } }
        @if let Some(learned) = &found.learned { p.meta { "Relevance is " (learned) "." @if query.fold_noise && query.order != SUGGESTED { " " (number(found.noise as u64)) " on this page " (verb(found.noise as u64)) " likely noise and left out." } } }
        @if !query.is_filtered_list() && query.order != SUGGESTED { p.meta { "Words, tone, source, author and first seen do not apply in this order, and each near-copy is listed." } }
        @if found.cut { p.meta { "Only the items first seen most recently; older ones were not checked." } }
        @if found.waiting { p.note { "Some items are not indexed yet, so the words do not find them." } }
        @if found.items.is_empty() {
            p { @if found.next.is_some() { "No match among the items checked so far; there are older ones." }
                @else if all_hidden { (all_hidden_words(query, found)) " the topic's filter. " a href=(here(&[("filtered", Some("keep"))])) { "Show them" } }
                @else if query.order == SUGGESTED { "Nothing to mark: among the latest " (number(MOST_ITEMS as u64)) " items, no unmarked one has words and is shown by the topic's filter." }
                @else if query.order == "relevance" && found.learned.is_none() { "Without enough marks, this order lists nothing." }
                @else if query.order == "velocity" && found.read == 0 { "Nothing rose enough: of the items seen more than once " (found.compared_sightings()) ", none gained at least " (RISING_GAIN) " reactions and " (RISING_SHARE) " %." }
                @else if is_filtered(request) { "No items match. " a href=(format!("{path}#items")) { "Clear the filters" } " to see all." }
                @else if acts { "Nothing found yet. " strong { "Run now" } " above runs this topic." }
                @else { "Nothing found yet. " code { "topicwatch once --topic " (card.topic) } " runs this topic now; if it stays empty, " code { "topicwatch once --dry-run --topic " (card.topic) } " shows what would be searched." } }
        } @else { ol.found { @for (number, (row, (many, copies))) in found.items.iter().enumerate() { li id=(format!("i{number}")) data-item tabindex="-1" {
            @let back = format!("{back}#i{number}");
            (item_view::item(row, zone))
            div.deeds { (marks::of_item(row, acts, &back, query.order == SUGGESTED)) (stars_and_notes::of_item(row, keeps, &back, number)) }
            @if *many > 0 { details {
                summary { (count_noun(many.unsigned_abs(), if is_filtered(request) { "matching near-copy" } else { "near-copy" }).replace("copys", "copies")) }
                ul { @for copy in copies { li {
                    a dir="auto" href=(item_view::item_page(&copy.key)) { (item_view::summary_line(copy.title.as_deref(), copy.text.as_deref(), 160)) } " "
                    span.meta { (item_view::by(copy.author.as_deref())) @if let Some(at) = copy.published_at { ", " (moment(at, zone)) } }
                } } }
                @if *many > i64::from(COPIES) { p { a href=(all_copies(&row.key, Some(&card.topic))) { "All of the topic's" } } }
            } }
        } } } }
        @if found.hidden > 0 && !all_hidden { p.meta { (number(found.hidden)) " on this page " (verb(found.hidden)) " " @if query.filtered != FilterMode::Hide { "otherwise " } "hidden by the topic's filter" (of_copies(query)) "." @if query.filtered == FilterMode::Hide { " " a href=(here(&[("filtered", Some("keep"))])) { "Show them" } } } }
        nav.pages aria-label="More items" {
            @if query.after.is_some() { a href=(here(&[("after", None)])) { "From the beginning" } }
            @if let Some(next) = &found.next {
                a rel="next" href=(here(&[("after", Some(&format!("{}/{}", next.value, next.key)))])) { "Older items" }
            }
        }
    }
}
