//! One moment of the database, read several times: whoever makes a report asks many small questions that must agree with
//! one another. It sees only runs that have a place in the reading order, and what it returns is bounded by its caller.

use std::collections::HashMap;

use sqlx::Transaction;

use crate::model::{
    AnswerRow, Asked, EarlierRow, Linking, Look, Mark, Met, Nature, PrunedDays, Reaction, Source, Span, StoryItem, Tie,
    Time, Trimmed, Wanted, Watched, Words,
};
use crate::store::database::handle::Db;
use crate::store::database::postgres;
use crate::store::database::sqlite;
use crate::store::{Filter, KeptTerms, Store, StoreError};

/// A transaction that reads one moment. Like every future of the store, its questions must not be dropped midway.
#[derive(Debug)]
pub struct Moment(Tx);

#[derive(Debug)]
enum Tx {
    Sqlite(Transaction<'static, ::sqlx::Sqlite>),
    Postgres(Transaction<'static, ::sqlx::Postgres>),
}

/// Asks one function of `statements/` in the transaction.
macro_rules! ask {
    ($moment:expr, $module:ident :: $function:ident ( $($arg:expr),* $(,)? )) => {
        match &mut $moment.0 {
            Tx::Sqlite(tx) => sqlite::statements::$module::$function(&mut *tx, $($arg),*).await,
            Tx::Postgres(tx) => postgres::statements::$module::$function(&mut *tx, $($arg),*).await,
        }
    };
}

impl Store {
    /// Begins to read one moment.
    pub async fn moment(&self) -> Result<Moment, StoreError> {
        Ok(Moment(match &self.db {
            Db::Sqlite(pools) => Tx::Sqlite(pools.snapshot().await?),
            Db::Postgres(pools) => Tx::Postgres(pools.snapshot().await?),
        }))
    }
}

impl Moment {
    /// What the database holds.
    pub async fn nature(&mut self) -> Result<Option<Nature>, StoreError> {
        ask!(self, info::nature())
    }

    /// The number of the last run that readers can see.
    pub async fn last_seq(&mut self) -> Result<i64, StoreError> {
        ask!(self, followers::last_seq())
    }

    /// The same before any run that began at an instant or later.
    pub async fn last_seq_until(&mut self, until: Time) -> Result<i64, StoreError> {
        ask!(self, followers::last_seq_until(until))
    }

    /// Topics by id.
    pub async fn watched(&mut self, topics: &[String]) -> Result<Vec<Watched>, StoreError> {
        ask!(self, search_history::watched(topics))
    }

    /// The begin of the topic's first run that searched, whether it was answered or not.
    pub async fn first_search(&mut self, topic: &str) -> Result<Option<Time>, StoreError> {
        ask!(self, days::first_search(topic))
    }

    /// The begin of the topic's first run that found anything out.
    pub async fn first_run(&mut self, topic: &str) -> Result<Option<Time>, StoreError> {
        ask!(self, days::first_run(topic))
    }

    /// The begin of the topic's last run that looked.
    pub async fn last_run(&mut self, topic: &str) -> Result<Option<Time>, StoreError> {
        ask!(self, days::last_run(topic))
    }

    /// The begin of the topic's last run before an instant that brought anything.
    pub async fn look_before(&mut self, topic: &str, at: Time) -> Result<Option<Time>, StoreError> {
        ask!(self, days::look_before(topic, at))
    }

    /// Items of the topic that count in a span.
    pub async fn marks_of(&mut self, topic: &str, span: Span) -> Result<Vec<Mark>, StoreError> {
        ask!(self, days::marks_of(topic, span))
    }

    /// When the topic saw items first, of a span.
    pub async fn first_seen_in(&mut self, topic: &str, span: Span) -> Result<Vec<Time>, StoreError> {
        ask!(self, days::first_seen_in(topic, span))
    }

    /// Items that the topic saw first in a span, the latest first.
    pub async fn marks(&mut self, topic: &str, seen: Span, most: i64) -> Result<Vec<Mark>, StoreError> {
        ask!(self, days::marks(topic, seen, most))
    }

    /// The words of items by key, in order of key.
    pub async fn words(&mut self, keys: &[String]) -> Result<Vec<Words>, StoreError> {
        ask!(self, days::words(keys))
    }

    /// The terms that were counted of a topic's days in a span.
    pub async fn kept_terms(&mut self, topic: &str, inside: Span) -> Result<Vec<KeptTerms>, StoreError> {
        ask!(self, terms_kept::read(topic, inside))
    }

    /// The terms that were counted of days of other topics that ended by an instant; at most so many of those before it in the
    /// order of ids, and of those behind it.
    pub async fn kept_terms_elsewhere(
        &mut self,
        topic: &str,
        until: Time,
        most: i64,
    ) -> Result<Vec<KeptTerms>, StoreError> {
        ask!(self, terms_kept::elsewhere(topic, until, most))
    }

    /// Reactions that the topic's runs of a span saw, the latest first.
    pub async fn reactions(&mut self, topic: &str, span: Span, most: i64) -> Result<Vec<Reaction>, StoreError> {
        ask!(self, days::reactions(topic, span, most))
    }

    /// Which source showed which item in the topic's runs of a span, by key; at most so many.
    pub async fn shown_by(&mut self, topic: &str, span: Span, most: i64) -> Result<Vec<(Source, String)>, StoreError> {
        ask!(self, days::shown_by(topic, span, most))
    }

    /// Searches of the topic's runs of a span, in time; of more than `most` the latest.
    pub async fn asked(&mut self, topic: &str, span: Span, most: i64) -> Result<Vec<Asked>, StoreError> {
        ask!(self, days::asked(topic, span, most))
    }

    /// The last answer of the topic's runs of a span.
    pub async fn answer(&mut self, topic: &str, span: Span) -> Result<Option<AnswerRow>, StoreError> {
        ask!(self, days::answer(topic, span))
    }

    /// The items that keys lead to; a key that nobody has is left out.
    pub async fn meet(&mut self, keys: &[String]) -> Result<Vec<Met>, StoreError> {
        ask!(self, days::meet(keys))
    }

    /// When a topic was looked at since an instant, in time.
    pub async fn looks(&mut self, topic: &str, span: Span) -> Result<Vec<Look>, StoreError> {
        let (since, until) = (Some(span.from), Some(span.until));
        let filter = Filter { topics: vec![topic.to_owned()], since, until, ..Filter::default() };
        let mut all = Vec::new();
        let mut each = |look: Look| {
            all.push(look);
            Ok::<_, StoreError>(())
        };
        ask!(self, stream::looks(&filter, &mut each))?;
        Ok(all)
    }

    /// When a topic was looked at in a span, and the later looks that were about it.
    pub async fn looks_over(&mut self, topic: &str, span: Span) -> Result<Vec<Look>, StoreError> {
        ask!(self, search_history::looks_over(topic, span))
    }

    /// What a topic's searches were before they were pruned.
    pub async fn pruned_days(&mut self, topic: &str) -> Result<PrunedDays, StoreError> {
        ask!(self, prune::pruned_days(topic))
    }

    /// What pruning took of a topic's span.
    pub async fn trimmed(&mut self, topic: &str, span: Span) -> Result<Trimmed, StoreError> {
        ask!(self, prune::trimmed(topic, span))
    }

    /// The item that a key names, as far as a story looks for its links.
    pub async fn story_asked(&mut self, key: &str) -> Result<Option<Linking>, StoreError> {
        ask!(self, story::asked(key))
    }

    /// Keys of an item and its near-copies, those that were seen first before the others.
    pub async fn story_copies(&mut self, key: &str, most: i64) -> Result<Vec<String>, StoreError> {
        ask!(self, story::copies(key, most))
    }

    /// Posts that have certain words, in the order in which they came.
    pub async fn story_worded(&mut self, wanted: &Wanted, most: i64) -> Result<Vec<Linking>, StoreError> {
        ask!(self, story::worded(wanted, most))
    }

    /// The items of a story by their keys, those that were seen first before the others.
    pub async fn story_items(
        &mut self,
        ties: &HashMap<String, Tie>,
        most: usize,
    ) -> Result<Vec<StoryItem>, StoreError> {
        ask!(self, story::items(ties, most))
    }

    /// Whether runs brought items that nobody compared with others yet.
    pub async fn uncompared(&mut self) -> Result<bool, StoreError> {
        ask!(self, story::uncompared())
    }

    /// How many items wait for the text index.
    pub async fn words_waiting(&mut self) -> Result<i64, StoreError> {
        ask!(self, words::waiting())
    }

    /// What an item's words were, the latest first.
    pub async fn earlier_of(&mut self, key: &str, most: i64) -> Result<Vec<EarlierRow>, StoreError> {
        ask!(self, one_item::earlier(key, None, most))
    }

    pub async fn end(self) -> Result<(), StoreError> {
        match self.0 {
            Tx::Sqlite(tx) => tx.rollback().await?,
            Tx::Postgres(tx) => tx.rollback().await?,
        }
        Ok(())
    }
}
