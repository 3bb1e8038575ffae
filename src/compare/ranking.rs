//! How likely items of a topic are good, learned from the marks on its items. Reads the items and has `insight`
//! learn. Learns again on every call, from a bounded number of items; stores nothing and hides nothing.

use std::collections::{HashMap, HashSet};

use super::relevance::all_query_words;
use super::{FilterMode, RowFilter};
use crate::insight::relevance::{
    CrossCheck, Features, LEAST_MARKS, MOST_ITEMS, Ranker, TrainingItem, TrainingMark, features_of_item,
    features_of_sighting, suggest,
};
use crate::model::{ItemRow, Mark, MarkRow, SightingRow};
use crate::normalise::words::QueryWords;
use crate::store::{Filter, Store, StoreError};

/// The number of latest marks to learn from.
const MOST_MARKS: u32 = 2_000;

/// The learned ranking of a topic.
#[derive(Debug)]
pub struct Ranking {
    query_words: Option<QueryWords>,
    ranker: Ranker,
}

/// The training data: a topic's latest items and all marked ones. An item may occur twice.
struct Lessons {
    query_words: Option<QueryWords>,
    rows: Vec<(ItemRow, Features)>,
    /// Keys of marked items that had been suggested.
    suggested: HashSet<String>,
}

impl Lessons {
    async fn of(store: &Store, topic: &str, marks: Vec<MarkRow>) -> Result<Self, StoreError> {
        let topics = [topic.to_owned()];
        let filter = Filter { topics: topics.to_vec(), ..Filter::default() };
        let most = i64::try_from(MOST_ITEMS).unwrap_or(i64::MAX);
        let mut rows = store.items(&filter, None, most).await?;
        let marked: Vec<String> = marks.iter().map(|mark| mark.key.clone()).collect();
        rows.extend(store.items_by_key(topic, &marked).await?);
        let query_words = store
            .watched_topics(&topics)
            .await?
            .pop()
            .and_then(|one| one.definition)
            .and_then(|one| all_query_words(&one));
        let readable = |row: ItemRow| features_of_item(&row, query_words.as_ref()).map(|features| (row, features));
        let rows = rows.into_iter().filter_map(readable).collect();
        let suggested = marks.into_iter().filter(|mark| mark.suggested).map(|mark| mark.key).collect();
        Ok(Self { query_words, rows, suggested })
    }

    fn items(&self) -> Vec<TrainingItem<'_>> {
        let mark = |row: &ItemRow| {
            let suggested = self.suggested.contains(&row.key);
            row.mark.map(|mark| TrainingMark { good: mark == Mark::Good, suggested })
        };
        self.rows.iter().map(|(row, features)| TrainingItem { key: &row.key, features, mark: mark(row) }).collect()
    }

    async fn into_items_to_mark(mut self, store: &Store, topic: &str) -> Result<Vec<ItemRow>, StoreError> {
        let mut row_filter = RowFilter::of(store, &[topic.to_owned()], FilterMode::Hide).await?;
        self.rows.retain(|(row, _)| row.mark.is_some() || row_filter.shows_item(row));
        let keys: Vec<String> = suggest(&self.items()).into_iter().map(str::to_owned).collect();
        let mut rows: Vec<ItemRow> =
            self.rows.into_iter().map(|(row, _)| row).filter(|row| keys.contains(&row.key)).collect();
        rows.sort_by_key(|row| keys.iter().position(|key| *key == row.key));
        Ok(rows)
    }
}

/// The items to mark next, chosen among a topic's latest: marks of these teach most. The topic's filter hides none of
/// them.
pub async fn items_to_mark(store: &Store, topic: &str) -> Result<Vec<ItemRow>, StoreError> {
    let marks = store.list_marks(topic, None, MOST_MARKS).await?;
    Lessons::of(store, topic, marks).await?.into_items_to_mark(store, topic).await
}

/// The same with the ranking, from one reading of the items.
pub async fn items_to_mark_and_ranking(
    store: &Store,
    topic: &str,
) -> Result<(Vec<ItemRow>, Option<Ranking>), StoreError> {
    let marks = store.list_marks(topic, None, MOST_MARKS).await?;
    let mut lessons = Lessons::of(store, topic, marks).await?;
    // There is no ranking if there are too few marks.
    let ranker = Ranker::learn(&lessons.items());
    let query_words = lessons.query_words.take();
    let items = lessons.into_items_to_mark(store, topic).await?;
    Ok((items, ranker.map(|ranker| Ranking { query_words, ranker })))
}

impl Ranking {
    /// Learns from a topic's marks and latest items; `None` if there are too few marks.
    pub async fn of(store: &Store, topic: &str) -> Result<Option<Self>, StoreError> {
        let marks = store.list_marks(topic, None, MOST_MARKS).await?;
        if marks.len() < LEAST_MARKS {
            return Ok(None);
        }
        let lessons = Lessons::of(store, topic, marks).await?;
        let ranker = Ranker::learn(&lessons.items());
        Ok(ranker.map(|ranker| Self { query_words: lessons.query_words, ranker }))
    }

    /// How likely an item is good, in thousandths; `None` if its words are gone.
    #[must_use]
    pub fn item_relevance(&self, row: &ItemRow) -> Option<i64> {
        features_of_item(row, self.query_words.as_ref()).map(|features| self.thousandths(&features))
    }

    /// The same for a sighting, by the words it had then.
    #[must_use]
    pub fn sighting_relevance(&self, row: &SightingRow) -> Option<i64> {
        features_of_sighting(row, self.query_words.as_ref()).map(|features| self.thousandths(&features))
    }

    #[expect(clippy::cast_possible_truncation, reason = "a probability in thousandths")]
    fn thousandths(&self, features: &Features) -> i64 {
        (self.ranker.relevance(features) * 1_000.0).round() as i64
    }

    /// Whether to fold an item as likely noise. Marked items are never folded: somebody already judged them.
    #[must_use]
    pub fn is_likely_noise(&self, row: &ItemRow) -> bool {
        let features = || features_of_item(row, self.query_words.as_ref());
        row.mark.is_none() && features().is_some_and(|features| self.ranker.folds(self.ranker.relevance(&features)))
    }

    /// Writes into each item how likely it is good. With `fold`, removes likely noise. Returns how many were removed.
    pub fn apply(&self, rows: &mut Vec<ItemRow>, fold: bool) -> usize {
        let all = rows.len();
        rows.retain(|row| !fold || !self.is_likely_noise(row));
        rows.iter_mut().for_each(|row| row.relevance = self.item_relevance(row));
        all - rows.len()
    }

    /// Describes in a sentence how reliable it is: what folding does to marks that it did not learn from.
    #[must_use]
    pub fn describe(&self) -> String {
        let CrossCheck { noise, noise_folded, good, good_folded } = self.ranker.cross_check();
        let marks = noise + good;
        if self.ranker.can_fold() {
            format!(
                "learned from {marks} marks; cross-validated, it folds {noise_folded} of {noise} noise and {good_folded} of {good} good"
            )
        } else {
            format!("learned from {marks} marks, which cannot separate noise from good yet: nothing is folded")
        }
    }
}

/// The rankings of all topics with enough marks.
#[derive(Debug, Default)]
pub struct Rankings(HashMap<String, Ranking>);

impl Rankings {
    /// For these topics, or for all if none are given.
    pub async fn of(store: &Store, topics: &[String]) -> Result<Self, StoreError> {
        let mut all = HashMap::new();
        let least = i64::try_from(LEAST_MARKS).unwrap_or(i64::MAX);
        for (topic, marks) in store.marked_counts().await? {
            if marks < least || !(topics.is_empty() || topics.contains(&topic)) {
                continue;
            }
            if let Some(ranking) = Ranking::of(store, &topic).await? {
                all.insert(topic, ranking);
            }
        }
        Ok(Self(all))
    }

    /// Returns these items with how likely each is good for its topic.
    pub async fn rate_all(store: &Store, mut rows: Vec<ItemRow>) -> Result<Vec<ItemRow>, StoreError> {
        let topics: Vec<String> = rows.iter().map(|row| row.topic.clone()).collect();
        if !topics.is_empty() {
            let all = Self::of(store, &topics).await?;
            rows.iter_mut().for_each(|row| all.rate(row));
        }
        Ok(rows)
    }

    /// The ranking of a topic.
    fn of_topic(&self, topic: &str) -> Option<&Ranking> {
        self.0.get(topic)
    }

    /// Writes into an item how likely it is good.
    pub fn rate(&self, row: &mut ItemRow) {
        row.relevance = self.of_topic(&row.topic).and_then(|ranking| ranking.item_relevance(row));
    }

    /// The same for a sighting.
    pub fn rate_sighting(&self, row: &mut SightingRow) {
        row.relevance = self.of_topic(&row.topic).and_then(|ranking| ranking.sighting_relevance(row));
    }
}
