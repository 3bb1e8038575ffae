//! A snapshot of the database for several reads: a report runs many small queries whose results must agree. It sees
//! only runs with a place in the reading order. The caller bounds what is returned.

use std::collections::{HashMap, HashSet};

use sqlx::Transaction;

use crate::model::{
    AnswerRow, CountedItem, DataOrigin, EngagementAt, ItemContent, LinkSource, PrunedDays, PrunedSummary, ResolvedKey,
    RevisionRow, RunSearch, SearchCost, SearchSummary, Source, Span, StoryItem, TextQuery, Tie, Time, WatchedTopic,
};
use crate::store::database::handle::Db;
use crate::store::database::postgres;
use crate::store::database::sqlite;
use crate::store::{Filter, Store, StoreError, StoredTerms};

/// A read-only snapshot transaction. Like every store future, do not drop its futures before they finish.
#[derive(Debug)]
pub struct ReadSnapshot(Tx);

#[derive(Debug)]
enum Tx {
    Sqlite(Transaction<'static, ::sqlx::Sqlite>),
    Postgres(Transaction<'static, ::sqlx::Postgres>),
}

/// Runs one statement function in the transaction.
macro_rules! snapshot_read {
    ($moment:expr, $module:ident :: $function:ident ( $($arg:expr),* $(,)? )) => {
        match &mut $moment.0 {
            Tx::Sqlite(tx) => sqlite::statements::$module::$function(&mut *tx, $($arg),*).await,
            Tx::Postgres(tx) => postgres::statements::$module::$function(&mut *tx, $($arg),*).await,
        }
    };
}

impl Store {
    /// Begins a snapshot.
    pub async fn snapshot(&self) -> Result<ReadSnapshot, StoreError> {
        Ok(ReadSnapshot(match &self.db {
            Db::Sqlite(pools) => Tx::Sqlite(pools.snapshot().await?),
            Db::Postgres(pools) => Tx::Postgres(pools.snapshot().await?),
        }))
    }
}

impl ReadSnapshot {
    /// Returns the origin of the stored data.
    pub async fn origin(&mut self) -> Result<Option<DataOrigin>, StoreError> {
        snapshot_read!(self, info::origin())
    }

    /// Returns the number of the last run that readers can see.
    pub async fn last_seq(&mut self) -> Result<i64, StoreError> {
        snapshot_read!(self, followers::last_seq())
    }

    /// Returns the last number before all runs that began at an instant or later, but not after `now`: those are of a clock
    /// that was ahead.
    pub async fn last_seq_until(&mut self, until: Time, now: Time) -> Result<i64, StoreError> {
        snapshot_read!(self, followers::last_seq_until(until, now))
    }

    /// Returns topics by id.
    pub async fn watched_topics(&mut self, topics: &[String]) -> Result<Vec<WatchedTopic>, StoreError> {
        snapshot_read!(self, search_history::watched_topics(topics))
    }

    /// Returns the ids of all topics but these, including those that are no longer watched and those that were forgotten.
    pub async fn topics_except(&mut self, known: &[&str]) -> Result<Vec<String>, StoreError> {
        snapshot_read!(self, topics::except(known))
    }

    /// Returns when the topic's first run that searched began, answered or not.
    pub async fn first_search(&mut self, topic: &str) -> Result<Option<Time>, StoreError> {
        snapshot_read!(self, search_history::first_search(topic))
    }

    /// Returns when the topic's first successful run began.
    pub async fn first_run(&mut self, topic: &str) -> Result<Option<Time>, StoreError> {
        snapshot_read!(self, search_history::first_run(topic))
    }

    /// Returns when the topic's last run that was started began.
    pub async fn last_run(&mut self, topic: &str) -> Result<Option<Time>, StoreError> {
        snapshot_read!(self, report::last_run(topic))
    }

    /// Returns when the topic's last run began that saw what its sources show now.
    pub async fn last_look(&mut self, topic: &str) -> Result<Option<Time>, StoreError> {
        snapshot_read!(self, report::last_look(topic))
    }

    /// Returns when the last run before an instant began in which each source of a topic found something.
    pub async fn last_finds_before(&mut self, topic: &str, at: Time) -> Result<Vec<(Source, Time)>, StoreError> {
        snapshot_read!(self, report::last_finds_before(topic, at))
    }

    /// Returns items of the topic that count in a span.
    pub async fn counted_items(&mut self, topic: &str, span: Span) -> Result<Vec<CountedItem>, StoreError> {
        snapshot_read!(self, report::counted_items(topic, span))
    }

    /// Returns the last number of the topic's runs that started before an instant.
    pub async fn seq_before(&mut self, topic: &str, at: Time) -> Result<i64, StoreError> {
        snapshot_read!(self, changes::seq_before(topic, at))
    }

    /// Returns when the topic first saw items, within a span.
    pub async fn first_seen_in(&mut self, topic: &str, span: Span) -> Result<Vec<Time>, StoreError> {
        snapshot_read!(self, report::first_seen_in(topic, span))
    }

    /// Returns items that the topic first saw in a span, the latest first.
    pub async fn counted_items_first_seen(
        &mut self,
        topic: &str,
        seen: Span,
        most: i64,
    ) -> Result<Vec<CountedItem>, StoreError> {
        snapshot_read!(self, report::marks(topic, seen, most))
    }

    /// Returns the words of items by key, in order of key.
    pub async fn words(&mut self, keys: &[String]) -> Result<Vec<ItemContent>, StoreError> {
        snapshot_read!(self, report::words(keys))
    }

    /// Returns the term counts of a topic's days in a span.
    pub async fn term_counts(&mut self, topic: &str, inside: Span) -> Result<Vec<StoredTerms>, StoreError> {
        snapshot_read!(self, day_terms::read(topic, inside))
    }

    /// Returns term counts of other topics' days that ended by an instant; at most `most` of topics before this one in
    /// id order, and as many of topics after it.
    pub async fn terms_of_other_topics(
        &mut self,
        topic: &str,
        until: Time,
        most: i64,
    ) -> Result<Vec<StoredTerms>, StoreError> {
        snapshot_read!(self, day_terms::of_other_topics(topic, until, most))
    }

    /// Returns the engagement that the topic's runs of a span saw, the latest first.
    pub async fn reactions(&mut self, topic: &str, span: Span, most: i64) -> Result<Vec<EngagementAt>, StoreError> {
        snapshot_read!(self, report::reactions(topic, span, most))
    }

    /// Returns which source showed which item in the topic's runs of a span, by key; at most `most`.
    pub async fn shown_by(&mut self, topic: &str, span: Span, most: i64) -> Result<Vec<(Source, String)>, StoreError> {
        snapshot_read!(self, report::shown_by(topic, span, most))
    }

    /// Returns the keys of the items that the topic first saw since the start of a span and that one of these sources
    /// showed in its runs of the span, up to a place in the reading order.
    pub async fn found_by(
        &mut self,
        topic: &str,
        sources: &[Source],
        span: Span,
        until: i64,
    ) -> Result<HashSet<String>, StoreError> {
        snapshot_read!(self, report::found_by(topic, sources, span, until))
    }

    /// Returns searches of the topic's runs of a span, by time; the latest if there are more than `most`.
    pub async fn searches(&mut self, topic: &str, span: Span, most: i64) -> Result<Vec<SearchSummary>, StoreError> {
        snapshot_read!(self, report::searches(topic, span, most))
    }

    /// Returns what the searches of these topics cost in a span, in runs that began at an instant or later.
    pub async fn cost_of_topics(
        &mut self,
        topics: &[String],
        began_from: Time,
        span: Span,
    ) -> Result<SearchCost, StoreError> {
        snapshot_read!(self, report::cost_of_topics(topics, began_from, span))
    }

    /// Returns the last answer of the topic's runs of a span.
    pub async fn answer(&mut self, topic: &str, span: Span) -> Result<Option<AnswerRow>, StoreError> {
        snapshot_read!(self, report::answer(topic, span))
    }

    /// Returns the items that keys name. Unknown keys are left out.
    pub async fn resolve_keys(&mut self, keys: &[String]) -> Result<Vec<ResolvedKey>, StoreError> {
        snapshot_read!(self, report::resolve_keys(keys))
    }

    /// Returns a topic's runs of a span with their searches, by time.
    pub async fn runs_with_searches(&mut self, topic: &str, span: Span) -> Result<Vec<RunSearch>, StoreError> {
        let (since, until) = (Some(span.from), Some(span.until));
        let filter = Filter { topics: vec![topic.to_owned()], since, until, ..Filter::default() };
        let mut all = Vec::new();
        let mut each = |search: RunSearch| {
            all.push(search);
            Ok::<_, StoreError>(())
        };
        snapshot_read!(self, stream::run_searches(&filter, &mut each))?;
        Ok(all)
    }

    /// Returns a topic's runs of a span with their searches, and later searches that cover a part of it.
    pub async fn runs_covering(&mut self, topic: &str, span: Span) -> Result<Vec<RunSearch>, StoreError> {
        snapshot_read!(self, search_history::searches_covering(topic, span))
    }

    /// Returns the remaining data of a topic's pruned searches.
    pub async fn pruned_days(&mut self, topic: &str) -> Result<PrunedDays, StoreError> {
        snapshot_read!(self, prune::pruned_days(topic))
    }

    /// Returns the remaining data of these topics' pruned searches, added up for each day of a span.
    pub async fn pruned_days_of_topics(&mut self, topics: &[String], span: Span) -> Result<PrunedDays, StoreError> {
        snapshot_read!(self, prune::pruned_days_of_topics(topics, span))
    }

    /// Returns what was pruned from a topic's span.
    pub async fn pruned_summary(&mut self, topic: &str, span: Span) -> Result<PrunedSummary, StoreError> {
        snapshot_read!(self, prune::pruned_summary(topic, span))
    }

    /// Returns up to when runs of a topic lost sightings, if runs since an instant did. For items that the topic saw
    /// first by then, it is no longer known which other sources showed them later.
    pub async fn thinned_until(&mut self, topic: &str, since: Time) -> Result<Option<Time>, StoreError> {
        snapshot_read!(self, prune::thinned_until(topic, since))
    }

    /// Returns the item that a key names, with the data that a story needs to look for links.
    pub async fn story_item(&mut self, key: &str) -> Result<Option<LinkSource>, StoreError> {
        snapshot_read!(self, story::link_source(key))
    }

    /// Returns keys of an item and its near-copies, in order of first sighting.
    pub async fn story_copies(&mut self, key: &str, most: i64) -> Result<Vec<String>, StoreError> {
        snapshot_read!(self, story::copies(key, most))
    }

    /// Returns posts that contain certain words, in order of arrival.
    pub async fn posts_with_words(&mut self, wanted: &TextQuery, most: i64) -> Result<Vec<LinkSource>, StoreError> {
        snapshot_read!(self, story::posts_with_words(wanted, most))
    }

    /// Returns the items of a story by their keys, in order of first sighting.
    pub async fn story_items(
        &mut self,
        ties: &HashMap<String, Tie>,
        most: usize,
    ) -> Result<Vec<StoryItem>, StoreError> {
        snapshot_read!(self, story::items(ties, most))
    }

    /// Returns whether there are items not compared with others yet.
    pub async fn has_unclustered(&mut self) -> Result<bool, StoreError> {
        snapshot_read!(self, story::uncompared())
    }

    /// Returns whether there are items of a topic not compared with others yet.
    pub async fn has_unclustered_of(&mut self, topic: &str) -> Result<bool, StoreError> {
        snapshot_read!(self, story::uncompared_of(topic))
    }

    /// Returns the number of items that wait to be indexed by these rules.
    pub async fn words_waiting(&mut self, rules: i64) -> Result<i64, StoreError> {
        snapshot_read!(self, word_index::waiting(rules))
    }

    /// Returns an item's earlier words, the latest first.
    pub async fn earlier_of(&mut self, key: &str, most: i64) -> Result<Vec<RevisionRow>, StoreError> {
        snapshot_read!(self, one_item::earlier(key, None, most))
    }

    pub async fn end(self) -> Result<(), StoreError> {
        match self.0 {
            Tx::Sqlite(tx) => tx.rollback().await?,
            Tx::Postgres(tx) => tx.rollback().await?,
        }
        Ok(())
    }
}
