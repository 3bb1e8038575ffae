//! What pages ask for. How it is shown is theirs.

use crate::model::{
    AnswerRow, CopyRow, EarlierRow, ItemRow, LedgerRow, LivingRow, MadeRow, RunRow, RunState, SeenRow, Time, TopicCard,
};
use crate::store::{Filter, ItemOrder, ItemPlace, Listed, RunPlace, Store, StoreError};

impl Store {
    /// Topics after an id, in order of id, of these alone where they are named; `since` is from when items count as new.
    pub async fn topic_cards(
        &self,
        only: Option<&[String]>,
        after: &str,
        limit: u32,
        since: Time,
    ) -> Result<Vec<TopicCard>, StoreError> {
        read!(self, dashboard::cards(only, after, i64::from(limit), since))
    }

    /// One of them.
    pub async fn topic_card(&self, topic: &str, since: Time) -> Result<Option<TopicCard>, StoreError> {
        let only = [topic.to_owned()];
        Ok(read!(self, dashboard::cards(Some(&only), "", 1, since))?.pop())
    }

    /// How many topics are watched.
    pub async fn many_topics(&self) -> Result<i64, StoreError> {
        read!(self, dashboard::many_topics())
    }

    /// Whether any run can be read.
    pub async fn any_run(&self) -> Result<bool, StoreError> {
        read!(self, dashboard::any_run())
    }

    /// The processes that run what is due, as far as they said so.
    pub async fn living_rows(&self) -> Result<Vec<LivingRow>, StoreError> {
        read!(self, dashboard::living_rows())
    }

    /// What the ledger says beside `standing`.
    pub async fn ledger(&self, missed_since: Time, planned_by: Time) -> Result<LedgerRow, StoreError> {
        read!(self, dashboard::ledger(missed_since, planned_by))
    }

    /// Items of the filter's one topic; `folded` leaves one of each cluster of near-copies.
    pub async fn list_items(
        &self,
        filter: &Filter,
        folded: bool,
        order: ItemOrder,
        after: Option<&ItemPlace>,
        limit: u32,
    ) -> Result<Listed<ItemRow, ItemPlace>, StoreError> {
        read!(self, lists::items(filter, folded, order, after, i64::from(limit)))
    }

    /// Near-copies of an item that match a filter of one topic, the first of their cluster aside, in the order in which the topic
    /// saw them.
    pub async fn matching_copies(&self, filter: &Filter, key: &str, limit: u32) -> Result<Vec<ItemRow>, StoreError> {
        read!(self, lists::copies(filter, key, i64::from(limit)))
    }

    /// Items of a topic by key, in order of key.
    pub async fn items_by_key(&self, topic: &str, keys: &[String]) -> Result<Vec<ItemRow>, StoreError> {
        read!(self, lists::named(topic, keys))
    }

    /// Answers of a topic with their numbers, the latest first.
    pub async fn list_answers(
        &self,
        topic: &str,
        before: i64,
        limit: u32,
    ) -> Result<Vec<(i64, AnswerRow)>, StoreError> {
        read!(self, lists::answers(topic, before, i64::from(limit)))
    }

    /// Runs, the latest first, back to an instant; of these topics alone where they are named.
    pub async fn list_runs(
        &self,
        topics: Option<&[String]>,
        state: Option<RunState>,
        since: Option<Time>,
        after: Option<&RunPlace>,
        limit: u32,
    ) -> Result<Vec<(RunPlace, RunRow)>, StoreError> {
        read!(self, lists::runs(topics, state, since, after, i64::from(limit)))
    }

    /// Reports and exports that were made, or one kind of these, the latest first.
    pub async fn list_made(
        &self,
        kind: Option<&str>,
        before: Option<&RunPlace>,
        limit: u32,
    ) -> Result<Vec<MadeRow>, StoreError> {
        read!(self, made::made(None, kind, before, i64::from(limit)))
    }

    /// What a run made.
    pub async fn made_by(&self, run: &str) -> Result<Option<MadeRow>, StoreError> {
        Ok(read!(self, made::made(Some(run), None, None, 1))?.pop())
    }

    /// An item by any of its keys, as each topic knows it.
    pub async fn item_by_key(&self, key: &str) -> Result<Vec<ItemRow>, StoreError> {
        read!(self, one_item::known(key))
    }

    /// An item's sightings, the latest first; by these topics alone where they are named.
    pub async fn seen_of(&self, key: &str, topics: Option<&[String]>, limit: u32) -> Result<Vec<SeenRow>, StoreError> {
        read!(self, one_item::seen(key, topics, i64::from(limit)))
    }

    /// What an item's words were, the latest first; those that these topics saw where they are named.
    pub async fn earlier_of(
        &self,
        key: &str,
        topics: Option<&[String]>,
        limit: u32,
    ) -> Result<Vec<EarlierRow>, StoreError> {
        read!(self, one_item::earlier(key, topics, i64::from(limit)))
    }

    /// An item's near-copies, those of topics when they are named, and how many there are.
    pub async fn copies_of(
        &self,
        key: &str,
        topics: Option<&[String]>,
        limit: u32,
    ) -> Result<(i64, Vec<CopyRow>), StoreError> {
        read!(self, one_item::copies(key, topics, i64::from(limit)))
    }
}
