//! The items of a topic's page: the query in the address, what is found, in which order, with near-copies.

use std::cmp::Reverse;
use std::time::Duration;

use maud::{Markup, html};

use super::item::seen;
use super::{item_view, marks, stars_and_notes};
use crate::compare::{FilterMode, ListOptions, Ranking, list_items};
use crate::draw::format::{count_noun, number};
use crate::export::Format;
use crate::insight::daily::rising_items;
use crate::insight::relevance::{LEAST_MARKS, MOST_ITEMS};
use crate::model::{CopyRow, Span, Time, Tone, TopicCard};
use crate::store::{Filter, ItemCursor, ItemOrder, ItemRow};
use crate::web::layout::moment;
use crate::web::page_request::{Ask, LONGEST, link, words as words_of};
use crate::web::problem::Problem;
use crate::web::site::Site;
use crate::web::visitor::Visitor;

/// Items on a page.
const ITEMS: u32 = 30;
/// Maximum number of near-copies that unfold under an item.
const COPIES: u32 = 5;
/// How far back the growth of reactions is measured.
const PACE: Duration = Duration::from_secs(2 * 86_400);
/// Maximum number of sightings that are compared for it.
const MOST_REACTIONS: i64 = 5_000;
const DAY: Duration = Duration::from_secs(86_400);

/// The orders of items, as the address writes them.
const ORDERS: [(&str, &str); 6] = [
    ("new", "Newest first"),
    ("engagement", "Most reactions"),
    ("velocity", "Fastest rising"),
    ("negative", "Most negative"),
    ("positive", "Most positive"),
    ("relevance", "Most relevant"),
];
/// How far back, as the address writes it, and in days.
const SPANS: [(&str, u64); 4] = [("1d", 1), ("7d", 7), ("30d", 30), ("90d", 90)];

/// The parameters of the page.
pub(in crate::web) const PARAMETERS: &[&str] =
    &["q", "sort", "tone", "source", "author", "since", "copies", "noise", "filtered", "by", "after"];

/// The query of a topic's items.
pub(super) struct ItemQuery {
    filter: Filter,
    order: &'static str,
    filtered: FilterMode,
    folded: bool,
    /// Whether to leave out likely noise.
    fold_noise: bool,
    after: Option<ItemCursor>,
}

impl ItemQuery {
    pub(super) fn of(ask: &Ask, card: &TopicCard, now: Time) -> Result<Self, Problem> {
        let order = ask.word("sort", |word| ORDERS.iter().find(|(name, _)| *name == word).map(|(name, _)| *name))?;
        let since = ask.word("since", |word| SPANS.iter().find(|(name, _)| *name == word).map(|(_, days)| *days))?;
        let words = ask.get("q").map(words_of).transpose()?;
        let author = ask.get("author").map(|author| author.trim_start_matches('@').to_owned());
        Ok(Self {
            filter: Filter {
                topics: vec![ask.name.clone()],
                sources: ask
                    .word("source", |word| card.sources().into_iter().find(|one| one.as_str() == word))?
                    .into_iter()
                    .collect(),
                tones: ask.word("tone", Tone::parse)?.into_iter().collect(),
                authors: author.into_iter().collect(),
                since: since.map(|days| now.minus(DAY * u32::try_from(days).unwrap_or(1))),
                words,
                ..Filter::default()
            },
            order: order.unwrap_or("new"),
            filtered: ask.word("filtered", FilterMode::parse)?.unwrap_or(FilterMode::Hide),
            folded: ask
                .word("copies", |word| matches!(word, "fold" | "all").then_some(word == "fold"))?
                .unwrap_or(true),
            fold_noise: ask
                .word("noise", |word| matches!(word, "fold" | "all").then_some(word == "fold"))?
                .unwrap_or(false),
            after: ask.word("after", parse_page_token)?,
        })
    }

    /// Whether the filters apply to the list. Rankings have none.
    fn is_filtered_list(&self) -> bool {
        !matches!(self.order, "relevance" | "velocity")
    }

    fn by(&self) -> ItemOrder {
        match self.order {
            "engagement" => ItemOrder::Reactions,
            "negative" => ItemOrder::Negative,
            "positive" => ItemOrder::Positive,
            _ => ItemOrder::New,
        }
    }
}

/// Parses a page token: the last item of the page before.
fn parse_page_token(token: &str) -> Option<ItemCursor> {
    let (value, key) = token.split_once('/')?;
    Some(ItemCursor { value: value.parse().ok()?, key: key.to_owned() })
}

/// The items that are shown.
pub(super) struct Found {
    /// Each with its near-copies: their number, and the first of them.
    items: Vec<(ItemRow, (i64, Vec<CopyRow>))>,
    next: Option<ItemCursor>,
    hidden: u64,
    /// Whether only the latest were read.
    cut: bool,
    waiting: bool,
    /// What was learned from marks, and how reliable it is.
    learned: Option<String>,
    /// Items of this page that were left out as likely noise.
    noise: usize,
}

pub(super) async fn load_items(
    site: &Site,
    card: &TopicCard,
    wish: &ItemQuery,
    visitor: &Visitor,
) -> Result<Found, Problem> {
    let (store, now) = (&site.store, site.now());
    let ranking = Ranking::of(store, &card.topic).await?;
    let (rows, next, cut) = if wish.order == "relevance" {
        let (rows, whole) = most_relevant(site, &card.topic, ranking.as_ref(), ITEMS as usize).await?;
        (rows, None, !whole)
    } else if wish.order == "velocity" {
        (fastest(site, &card.topic, now, ITEMS as usize).await?, None, false)
    } else {
        let listed = store.list_items(&wish.filter, wish.folded, wish.by(), wish.after.as_ref(), ITEMS).await?;
        (listed.rows, listed.next, wish.order != "new" && !listed.whole)
    };
    let how = ListOptions {
        topic: &card.topic,
        filtered: wish.filtered,
        without_noise: wish.fold_noise,
        only_new: false,
        copies: wish.folded.then_some(COPIES),
        folded: Some(&wish.filter).filter(|_| wish.folded && wish.is_filtered_list()),
    };
    let shown = list_items(store, ranking.as_ref(), rows, how).await?;
    let (hidden, noise) = (shown.hidden, shown.noise);
    let items = shown.items.into_iter().filter_map(|one| Some((seen(visitor, one.row)?, one.copies))).collect();
    let waiting = wish.filter.words.is_some() && store.words_waiting_of(&card.topic).await? > 0;
    let learned = ranking.map(|ranking| ranking.describe());
    Ok(Found { items, next, hidden, cut, waiting, learned, noise })
}

/// The latest items that are most likely good, as learned from marks; none if there are too few marks. Also returns
/// whether all items were looked through.
pub(in crate::web) async fn most_relevant(
    site: &Site,
    topic: &str,
    ranking: Option<&Ranking>,
    most: usize,
) -> Result<(Vec<ItemRow>, bool), Problem> {
    let Some(ranking) = ranking else { return Ok((Vec::new(), true)) };
    let filter = Filter { topics: vec![topic.to_owned()], ..Filter::default() };
    let latest = i64::try_from(MOST_ITEMS).unwrap_or(i64::MAX);
    let mut rows = site.store.items(&filter, None, latest).await?;
    let whole = rows.len() < MOST_ITEMS;
    rows.sort_by_cached_key(|row| Reverse((ranking.item_relevance(row), row.first_seen, row.key.clone())));
    rows.truncate(most);
    Ok((rows, whole))
}

/// Items whose reactions grow fastest, as in reports.
pub(in crate::web) async fn fastest(site: &Site, topic: &str, now: Time, most: usize) -> Result<Vec<ItemRow>, Problem> {
    let mut moment = site.store.snapshot().await?;
    let span = Span { from: now.minus(PACE), until: now };
    let reactions = moment.reactions(topic, span, MOST_REACTIONS).await;
    moment.end().await?;
    let keys: Vec<String> = rising_items(&reactions?).into_iter().take(most).map(|rise| rise.key).collect();
    let mut rows = site.store.items_by_key(topic, &keys).await?;
    rows.sort_by_key(|row| keys.iter().position(|key| *key == row.key));
    Ok(rows)
}

/// The section of the page with the items and their form.
pub(super) fn section(site: &Site, ask: &Ask, card: &TopicCard, wish: &ItemQuery, found: &Found) -> Markup {
    html! { section aria-labelledby="items" {
        h2 #items { "Items" }
        (form(ask, card, wish, found.learned.is_some()))
        (list(ask, card, wish, found, (site.may_act(&ask.visitor), site.may_annotate(&ask.visitor))))
        // The files are those of the items page, which covers all topics.
        @if !found.items.is_empty() && wish.is_filtered_list() && ask.visitor.sees_all() { (files(ask, card, wish)) }
    } }
}

/// The same items as files. These have every item on a row of its own.
fn files(ask: &Ask, card: &TopicCard, wish: &ItemQuery) -> Markup {
    let same = [
        ("search", "q"),
        ("tone", "tone"),
        ("source", "source"),
        ("author", "author"),
        ("since", "since"),
        ("filtered", "filtered"),
    ];
    let address = |format: Format| {
        let given = same.iter().filter_map(|(name, here)| Some((*name, ask.get(here)?)));
        link(&format!("/items.{format}"), [("topic", &*card.topic)].into_iter().chain(given))
    };
    let folded = [(wish.folded, "near-copies"), (wish.fold_noise, "likely noise")];
    let also: Vec<&str> = folded.into_iter().filter_map(|(folded, what)| folded.then_some(what)).collect();
    html! {
        nav.pages aria-label="Download these items" {
            @for format in [Format::Csv, Format::Xlsx, Format::Jsonl] {
                a href=(address(format)) download { "Download " (format.to_string().to_uppercase()) }
            }
            @if !also.is_empty() { span.meta { "With " (also.join(" and ")) " on rows of their own." } }
        }
    }
}

fn form(ask: &Ask, card: &TopicCard, wish: &ItemQuery, learned: bool) -> Markup {
    let given = |name: &str| ask.get(name).unwrap_or("");
    let filters = card.has_filter();
    html! { form.filters method="get" action=(format!("/topics/{}", card.topic)) role="search" {
        div { label for="q" { "Words" } input #q type="search" name="q" value=(given("q")) maxlength="300"; }
        div { label for="sort" { "Order" } select #sort name="sort" { @for (name, told) in ORDERS.iter().filter(|(name, _)| learned || *name != "relevance" || wish.order == "relevance") { option value=(name) selected[wish.order == *name] { (told) } } } }
        div { label for="tone" { "Tone" } select #tone name="tone" { option value="" { "any" } @for tone in Tone::ALL { option value=(tone) selected[given("tone") == tone.as_str()] { (tone) } } } }
        div { label for="source" { "Source" } select #source name="source" { option value="" { "any" } @for source in card.sources() { option value=(source) selected[given("source") == source.as_str()] { (source) } } } }
        div { label for="author" { "Author" } input #author name="author" value=(given("author")) maxlength="100" size="12"; }
        div { label for="since" { "First seen" } select #since name="since" { option value="" { "ever" } @for (name, days) in SPANS { option value=(name) selected[given("since") == name] { "last " (count_noun(days, "day")) } } } }
        div { label for="copies" { "Near-copies" } select #copies name="copies" { option value="fold" selected[wish.folded] { "folded" } option value="all" selected[!wish.folded] { "all" } } }
        @if learned { div { label for="noise" { "Likely noise" } select #noise name="noise" { option value="all" selected[!wish.fold_noise] { "all" } option value="fold" selected[wish.fold_noise] { "folded" } } } }
        @if filters { div { label for="filtered" { "Topic's filter" } select #filtered name="filtered" { @for mode in FilterMode::ALL { option value=(mode) selected[wish.filtered == *mode] { (mode) } } } } }
        @if let Some(by) = ask.get("by") { input type="hidden" name="by" value=(by); }
        button.main type="submit" { "Show" }
    } }
}

/// Whether the address leaves out some items.
fn narrowed(ask: &Ask) -> bool {
    ["q", "tone", "source", "author", "since", "noise", "filtered", "after"].iter().any(|name| ask.get(name).is_some())
}

fn list(ask: &Ask, card: &TopicCard, wish: &ItemQuery, found: &Found, (acts, keeps): (bool, bool)) -> Markup {
    let (zone, path) = (card.timezone(), format!("/topics/{}", card.topic));
    // A form accepts no longer address.
    let back = Some(ask.with(&path, &[])).filter(|back| back.len() + 10 <= LONGEST).unwrap_or_else(|| path.clone());
    let all_hidden = found.items.is_empty() && found.hidden > 0 && found.next.is_none();
    html! {
        @if wish.order == "velocity" { p.meta { "Items that gained reactions fastest between their first and last sighting in the last two days; filters do not apply." } }
        @if wish.order == "relevance" && found.learned.is_none() { p.note { "Relevance needs at least " (LEAST_MARKS) " marks, both good and noise." } }
        @if let Some(learned) = &found.learned { p.meta { "Relevance is " (learned) "." @if wish.fold_noise { " " (number(found.noise as u64)) " on this page are likely noise and left out." } } }
        @if found.cut { p.meta { "Only the items first seen most recently; older ones were not checked." } }
        @if found.waiting { p.note { "Some items are not indexed yet; those of the last minutes may be missing." } }
        @if found.items.is_empty() {
            p { @if found.next.is_some() { "No match among the items checked so far; there are older ones." }
                @else if all_hidden { (count_noun(found.hidden, "item")) " found, all hidden by the topic's filter. " a href=(ask.with(&path, &[("filtered", Some("keep"))])) { "Show them" } }
                @else if narrowed(ask) { "No items match. " a href=(format!("{path}#items")) { "Clear the filters" } " to see all." }
                @else { "Nothing found yet. " code { "topicwatch once --topic " (card.topic) } " runs this topic now; if it stays empty, " code { "topicwatch once --dry-run --topic " (card.topic) } " shows what would be searched." } }
        } @else { ol.found { @for (number, (row, (many, copies))) in found.items.iter().enumerate() { li id=(format!("i{number}")) data-item tabindex="-1" {
            @let back = format!("{back}#i{number}");
            (item_view::item(row, zone))
            div.deeds { (marks::of_item(row, acts, &back)) (stars_and_notes::of_item(row, keeps, &back, number)) }
            @if *many > 0 { details {
                summary { (count_noun(many.unsigned_abs(), "near-copy").replace("copys", "copies")) }
                ul { @for copy in copies { li {
                    a dir="auto" href=(item_view::item_page(&copy.key)) { (item_view::summary_line(copy.title.as_deref(), copy.text.as_deref(), 160)) } " "
                    span.meta { (item_view::by(copy.author.as_deref())) @if let Some(at) = copy.published_at { ", " (moment(at, zone)) } }
                } } }
                @if *many > i64::from(COPIES) { p { a href=(item_view::item_page(&row.key)) { "All of them" } } }
            } }
        } } } }
        @if found.hidden > 0 && !all_hidden { p.meta { (number(found.hidden)) " on this page are " @if wish.filtered == FilterMode::Hide { "hidden by" } @else { "those hidden by" } " the topic's filter." } }
        nav.pages aria-label="More items" {
            @if wish.after.is_some() { a href=(ask.with(&path, &[("after", None)])) { "From the beginning" } }
            @if let Some(next) = &found.next {
                a rel="next" href=(ask.with(&path, &[("after", Some(&format!("{}/{}", next.value, next.key)))])) { "Older items" }
            }
        }
    }
}
