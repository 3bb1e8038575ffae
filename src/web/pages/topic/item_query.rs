//! The query of a topic's items: its address as filters and an order, for the page and its files, so that both have the
//! same rows. `item_query` is that of the items of all topics.

use std::cmp::Reverse;
use std::time::Duration;

use crate::compare::{FilterMode, ListOptions, Ranking, items_to_mark};
use crate::insight::daily::rising_items;
use crate::insight::relevance::MOST_ITEMS;
use crate::model::{Span, Time, Tone, TopicCard};
use crate::store::{Filter, ItemCursor, ItemOrder, ItemRow, Store, StoreError};
use crate::web::page_request::{PageRequest, words as words_of};
use crate::web::problem::Problem;

/// Items on a page.
pub(in crate::web::pages) const ITEMS: u32 = 30;
/// How far back the growth of reactions is measured.
const PACE: Duration = Duration::from_secs(2 * 86_400);
/// Maximum number of sightings that are compared for it.
pub(super) const MOST_REACTIONS: i64 = 5_000;
const DAY: Duration = Duration::from_secs(86_400);

/// The order that lists only the items to mark next.
pub(in crate::web::pages) const SUGGESTED: &str = "suggested";
/// The orders of items, as the address writes them.
pub(in crate::web::pages) const ORDERS: [(&str, &str); 7] = [
    ("new", "Newest first"),
    ("engagement", "Most reactions"),
    ("velocity", "Fastest rising"),
    ("negative", "Most negative"),
    ("positive", "Most positive"),
    ("relevance", "Most relevant"),
    (SUGGESTED, "To mark next"),
];
/// How far back, as the address writes it, and in days.
pub(super) const SPANS: [(&str, u64); 4] = [("1d", 1), ("7d", 7), ("30d", 30), ("90d", 90)];

/// Declares the parameters of the files, and those of the page: the same and more.
macro_rules! parameters {
    (files: $($of_files:literal)*; page: $($of_page:literal)*) => {
        /// The parameters of its files: those of the list.
        pub(in crate::web) const FILE_PARAMETERS: &[&str] = &[$($of_files),*];

        /// The parameters of the page: those of its list, what else changes the page, and those of `counted_items`.
        pub(in crate::web) const PARAMETERS: &[&str] = &[$($of_files,)* $($of_page),*];
    };
}

parameters! {
    files: "search" "order" "tone" "source" "author" "since" "copies" "noise" "filtered";
    page: "by" "after" "new_since" "baseline_since" "from" "until" "term" "theme" "alert" "run"
}

/// The query of a topic's items.
pub(in crate::web::pages) struct TopicItemQuery {
    pub(in crate::web::pages) filter: Filter,
    pub(in crate::web::pages) order: &'static str,
    pub(in crate::web::pages) filtered: FilterMode,
    pub(in crate::web::pages) folded: bool,
    /// Whether to leave out likely noise.
    pub(in crate::web::pages) fold_noise: bool,
    pub(in crate::web::pages) after: Option<ItemCursor>,
}

/// A page of rows, before the topic's filter and near-copies.
pub(in crate::web::pages) struct RowPage {
    pub(in crate::web::pages) rows: Vec<ItemRow>,
    pub(in crate::web::pages) next: Option<ItemCursor>,
    /// Whether only the items first seen most recently were looked through.
    pub(in crate::web::pages) cut: bool,
    /// Whether only the latest sightings were compared, for the order by velocity.
    pub(in crate::web::pages) sightings_cut: bool,
}

impl TopicItemQuery {
    pub(in crate::web::pages) fn of(request: &PageRequest, card: &TopicCard, now: Time) -> Result<Self, Problem> {
        let order =
            request.word("order", |word| ORDERS.iter().find(|(name, _)| *name == word).map(|(name, _)| *name))?;
        let since =
            request.word("since", |word| SPANS.iter().find(|(name, _)| *name == word).map(|(_, days)| *days))?;
        let words = request.get("search").map(words_of).transpose()?;
        let author = request.get("author").map(|author| author.trim_start_matches('@').to_owned());
        Ok(Self {
            filter: Filter {
                topics: vec![card.topic.clone()],
                sources: request
                    .word("source", |word| card.sources().into_iter().find(|one| one.as_str() == word))?
                    .into_iter()
                    .collect(),
                tones: request.word("tone", Tone::parse)?.into_iter().collect(),
                authors: author.into_iter().collect(),
                since: since.map(|days| now.minus(DAY * u32::try_from(days).unwrap_or(1))),
                words,
                ..Filter::default()
            },
            order: order.unwrap_or("new"),
            filtered: request.word("filtered", FilterMode::parse)?.unwrap_or(FilterMode::Hide),
            folded: request
                .word("copies", |word| matches!(word, "fold" | "all").then_some(word == "fold"))?
                .unwrap_or(true),
            fold_noise: request
                .word("noise", |word| matches!(word, "fold" | "all").then_some(word == "fold"))?
                .unwrap_or(false),
            after: request.word("after", parse_page_token)?,
        })
    }

    /// Whether the filters apply to the list. Rankings have none.
    pub(super) fn is_filtered_list(&self) -> bool {
        !matches!(self.order, "relevance" | "velocity" | SUGGESTED)
    }

    /// How to list the rows of [`Self::rows`], with up to `copies` near-copies under each.
    pub(in crate::web::pages) fn options<'a>(&'a self, topic: &'a str, copies: Option<u32>) -> ListOptions<'a> {
        ListOptions {
            topic,
            // Only items that the filter shows are suggested.
            filtered: if self.order == SUGGESTED { FilterMode::Hide } else { self.filtered },
            // Likely noise is worth marking, too.
            without_noise: self.fold_noise && self.order != SUGGESTED,
            new_since: None,
            copies: copies.filter(|_| self.folded),
            folded: Some(&self.filter).filter(|_| self.folded && self.is_filtered_list()),
        }
    }

    /// Reads a page of rows. Rankings have only one, of [`ITEMS`].
    pub(in crate::web::pages) async fn rows(
        &self,
        (store, now): (&Store, Time),
        topic: &str,
        ranking: Option<&Ranking>,
        (after, most): (Option<&ItemCursor>, u32),
    ) -> Result<RowPage, StoreError> {
        let by = match self.order {
            "relevance" => {
                let (rows, complete) = most_relevant(store, topic, ranking, ITEMS as usize).await?;
                return Ok(RowPage { rows, next: None, cut: !complete, sightings_cut: false });
            }
            "velocity" => {
                let (rows, sightings_cut) = fastest(store, topic, now, ITEMS as usize).await?;
                return Ok(RowPage { rows, next: None, cut: false, sightings_cut });
            }
            SUGGESTED => {
                let rows = items_to_mark(store, topic).await?;
                return Ok(RowPage { rows, next: None, cut: false, sightings_cut: false });
            }
            "engagement" => ItemOrder::Reactions,
            "negative" => ItemOrder::Negative,
            "positive" => ItemOrder::Positive,
            _ => ItemOrder::New,
        };
        let listed = store.list_items(&self.filter, self.folded, by, after, most).await?;
        let cut = self.order != "new" && !listed.whole;
        Ok(RowPage { rows: listed.rows, next: listed.next, cut, sightings_cut: false })
    }
}

/// Parses a page token: the last item of the page before.
fn parse_page_token(token: &str) -> Option<ItemCursor> {
    let (value, key) = token.split_once('/')?;
    Some(ItemCursor { value: value.parse().ok()?, key: key.to_owned() })
}

/// The latest items that are most likely good, as learned from marks; none if there are too few marks. Also returns
/// whether all items were looked through.
pub(in crate::web) async fn most_relevant(
    store: &Store,
    topic: &str,
    ranking: Option<&Ranking>,
    most: usize,
) -> Result<(Vec<ItemRow>, bool), StoreError> {
    let Some(ranking) = ranking else { return Ok((Vec::new(), true)) };
    let filter = Filter { topics: vec![topic.to_owned()], ..Filter::default() };
    let latest = i64::try_from(MOST_ITEMS).unwrap_or(i64::MAX);
    let mut rows = store.items(&filter, None, latest).await?;
    let complete = rows.len() < MOST_ITEMS;
    rows.sort_by_cached_key(|row| Reverse((ranking.item_relevance(row), row.first_seen, row.key.clone())));
    rows.truncate(most);
    Ok((rows, complete))
}

/// Items whose reactions grow fastest, as in reports. Also returns whether only the latest sightings were compared.
pub(in crate::web) async fn fastest(
    store: &Store,
    topic: &str,
    now: Time,
    most: usize,
) -> Result<(Vec<ItemRow>, bool), StoreError> {
    let mut moment = store.snapshot().await?;
    let span = Span { from: now.minus(PACE), until: now };
    let reactions = moment.reactions(topic, span, MOST_REACTIONS).await;
    moment.end().await?;
    let reactions = reactions?;
    let cut = i64::try_from(reactions.len()).is_ok_and(|many| many >= MOST_REACTIONS);
    let keys: Vec<String> = rising_items(&reactions).into_iter().take(most).map(|rise| rise.key).collect();
    let mut rows = store.items_by_key(topic, &keys).await?;
    rows.sort_by_key(|row| keys.iter().position(|key| *key == row.key));
    Ok((rows, cut))
}
