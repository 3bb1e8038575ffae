//! Reads for pages. How they are shown is not decided here.

use crate::model::{
    AnswerRow, CopyRow, EditionRow, ItemRow, ItemSightingRow, LedgerRow, ProcessRow, RevisionRow, RunRow, Span, Time,
    TopicCard,
};
use crate::store::{Filter, ItemCursor, ItemOrder, ListPage, RunCursor, RunFilter, Store, StoreError};

impl Store {
    /// Returns topics after an id, in order of id; only those in `only` if given. Items count as new from `since` on.
    pub async fn topic_cards(
        &self,
        only: Option<&[String]>,
        after: &str,
        limit: u32,
        since: Time,
    ) -> Result<Vec<TopicCard>, StoreError> {
        read!(self, dashboard::cards(only, after, i64::from(limit), since))
    }

    /// Returns one topic card.
    pub async fn topic_card(&self, topic: &str, since: Time) -> Result<Option<TopicCard>, StoreError> {
        let only = [topic.to_owned()];
        Ok(read!(self, dashboard::cards(Some(&only), "", 1, since))?.pop())
    }

    /// Returns the number of watched topics.
    pub async fn count_topics(&self) -> Result<i64, StoreError> {
        read!(self, dashboard::count_topics())
    }

    /// Returns whether there is any readable run.
    pub async fn any_run(&self) -> Result<bool, StoreError> {
        read!(self, dashboard::any_run())
    }

    /// Returns the registered processes.
    pub async fn processes(&self) -> Result<Vec<ProcessRow>, StoreError> {
        read!(self, dashboard::process_rows())
    }

    /// Returns figures of the ledger that no topic has: missed slots, the oldest overdue slot, the end of the last run.
    pub async fn ledger(&self, missed: Span, planned_by: Time) -> Result<LedgerRow, StoreError> {
        read!(self, dashboard::ledger(missed, planned_by))
    }

    /// Returns items of the filter's one topic. `folded` keeps one item of each cluster of near-copies.
    pub async fn list_items(
        &self,
        filter: &Filter,
        folded: bool,
        order: ItemOrder,
        after: Option<&ItemCursor>,
        limit: u32,
    ) -> Result<ListPage<ItemRow, ItemCursor>, StoreError> {
        read!(self, topic_lists::items(filter, folded, order, after, i64::from(limit)))
    }

    /// Returns near-copies of an item that match a filter of one topic, without the first of their cluster, in the
    /// order in which the topic saw them.
    pub async fn matching_copies(&self, filter: &Filter, key: &str, limit: u32) -> Result<Vec<ItemRow>, StoreError> {
        read!(self, topic_lists::copies(filter, key, i64::from(limit)))
    }

    /// Returns items of a topic by key, in order of key.
    pub async fn items_by_key(&self, topic: &str, keys: &[String]) -> Result<Vec<ItemRow>, StoreError> {
        read!(self, topic_lists::items_by_key(topic, keys))
    }

    /// Returns answers of a topic with their `seq`, the latest first.
    pub async fn list_answers(
        &self,
        topic: &str,
        before: i64,
        limit: u32,
    ) -> Result<Vec<(i64, AnswerRow)>, StoreError> {
        read!(self, status_and_runs::answers(topic, before, i64::from(limit)))
    }

    /// Returns the last answer of a topic, without those of backfills, which are about other days.
    pub async fn latest_answer(&self, topic: &str, before: i64) -> Result<Option<AnswerRow>, StoreError> {
        read!(self, status_and_runs::latest_answer(topic, before))
    }

    /// Returns runs that match a filter, the latest first.
    pub async fn list_runs(
        &self,
        filter: &RunFilter,
        after: Option<&RunCursor>,
        limit: u32,
    ) -> Result<Vec<(RunCursor, RunRow)>, StoreError> {
        read!(self, run_lists::runs(filter, after, i64::from(limit)))
    }

    /// Returns how many runs match a filter; counts no further than `most`.
    pub async fn count_runs(&self, filter: &RunFilter, most: u32) -> Result<i64, StoreError> {
        read!(self, run_lists::count(filter, i64::from(most)))
    }

    /// Returns reports and export editions, or one of the two kinds, the latest first.
    pub async fn list_outputs(
        &self,
        kind: Option<&str>,
        before: Option<&RunCursor>,
        limit: u32,
    ) -> Result<Vec<EditionRow>, StoreError> {
        read!(self, finished_files::list(None, kind, before, i64::from(limit)))
    }

    /// Returns the report or edition that a run made.
    pub async fn output_of_run(&self, run: &str) -> Result<Option<EditionRow>, StoreError> {
        Ok(read!(self, finished_files::list(Some(run), None, None, 1))?.pop())
    }

    /// Returns an item by any of its keys, one row for each topic that knows it.
    pub async fn item_by_key(&self, key: &str) -> Result<Vec<ItemRow>, StoreError> {
        read!(self, one_item::rows_of_key(key))
    }

    /// Returns the first of these keys that names an item. If none does, returns the key of the first item whose address
    /// is spelled in one of these ways. Only items of these topics, if given.
    pub async fn key_at_address(
        &self,
        keys: &[String],
        spellings: &[String],
        topics: Option<&[String]>,
    ) -> Result<Option<String>, StoreError> {
        read!(self, one_item::key_at_address(keys, spellings, topics))
    }

    /// Returns an item's sightings, the latest first; only by these topics if given.
    pub async fn item_sightings(
        &self,
        key: &str,
        topics: Option<&[String]>,
        limit: u32,
    ) -> Result<Vec<ItemSightingRow>, StoreError> {
        read!(self, one_item::seen(key, topics, i64::from(limit)))
    }

    /// Returns an item's earlier words, the latest first; only those that these topics saw if given.
    pub async fn item_revisions(
        &self,
        key: &str,
        topics: Option<&[String]>,
        limit: u32,
    ) -> Result<Vec<RevisionRow>, StoreError> {
        read!(self, one_item::earlier(key, topics, i64::from(limit)))
    }

    /// Returns the number of an item's near-copies and the first of them; only those of these topics if given.
    pub async fn copies_of(
        &self,
        key: &str,
        topics: Option<&[String]>,
        limit: u32,
    ) -> Result<(i64, Vec<CopyRow>), StoreError> {
        read!(self, one_item::copies(key, topics, i64::from(limit)))
    }

    /// The same for a list of the filter's one topic that shows one item of each cluster: only those that match,
    /// without the item `hidden` that the shown one replaces.
    pub async fn copies_in_list(
        &self,
        filter: &Filter,
        key: &str,
        hidden: Option<&str>,
        limit: u32,
    ) -> Result<(i64, Vec<CopyRow>), StoreError> {
        read!(self, one_item::copies_in_list(filter, key, hidden, i64::from(limit)))
    }
}
