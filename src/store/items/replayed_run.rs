//! Stored runs, and the findings when their replies are read again.

use crate::model::{Answer, Scorer, Source, Time};
use crate::store::{SeenItem, StoredReply};

/// A finished run whose replies are kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredRun {
    pub(crate) id: i64,
    /// Id shown to users.
    pub public_id: String,
    pub topic: String,
    /// Its place in the reading order, which does not change.
    pub seq: i64,
    /// When it searched.
    pub seen_at: Time,
}

/// A run as today's parser reads its replies.
#[derive(Debug, Clone)]
pub struct ReplayedRun {
    /// The items, as [`crate::store::Outcome::items`].
    pub items: Vec<SeenItem>,
    /// The replies that could be read.
    pub replies: Vec<ReadReply>,
    /// The summary, with the keys of the items it rests on.
    pub answer: Option<(Answer, Vec<String>)>,
    /// Version of the identity rules that made the keys.
    pub key_version: i64,
    /// Judges the tone of new words.
    pub judge: Option<Scorer>,
}

/// A reply that could be read.
#[derive(Debug, Clone, Copy)]
pub struct ReadReply {
    pub(crate) search: i64,
    pub(crate) source: Source,
    /// How many entries were unreadable then but are readable today.
    pub(crate) readable: i64,
}

impl StoredReply {
    /// Returns the reply as read, with this many unreadable entries.
    #[must_use]
    pub fn as_read(&self, unreadable: i64) -> ReadReply {
        let readable = self.unreadable.saturating_sub(unreadable).max(0);
        ReadReply { search: self.search, source: self.source, readable }
    }
}

/// The changes of reading again, made or expected.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize)]
pub struct ReplayChanges {
    /// Items not found before.
    pub items: u64,
    /// Items new to the topic of their run; includes `items`.
    pub new: u64,
    /// Sightings that were added.
    pub sightings: u64,
    /// Keys that were added to known items.
    pub keys: u64,
    /// Items that turned out to be the same as another.
    pub merged: u64,
    /// Known items that got a title.
    pub titles: u64,
    /// Known items that got a text.
    pub texts: u64,
    /// Known items that got an author.
    pub authors: u64,
    /// Known items that got a date.
    pub dates: u64,
    /// Known items that got anything else: address, language, thread.
    pub others: u64,
    /// Sightings that got engagement numbers or a place in the window.
    pub refined: u64,
    /// Entries that became readable.
    pub readable: u64,
    /// Answers that became readable.
    pub answers: u64,
    /// Sightings that would no longer be found; they stay.
    pub lost: u64,
    /// Items kept out because they were forgotten.
    pub forgotten: u64,
    /// Runs whose sightings are no longer kept; nothing is added to them.
    pub thinned: u64,
}

impl ReplayChanges {
    /// Returns whether anything changed.
    #[must_use]
    pub fn is_changed(&self) -> bool {
        let Self { sightings, keys, merged, titles, texts, authors, dates, others, refined, readable, answers, .. } =
            self;
        [sightings, keys, merged, titles, texts, authors, dates, others, refined, readable, answers]
            .iter()
            .any(|number| **number > 0)
    }

    pub fn add(&mut self, other: &Self) {
        let totals = [
            &mut self.items,
            &mut self.new,
            &mut self.sightings,
            &mut self.keys,
            &mut self.merged,
            &mut self.titles,
            &mut self.texts,
            &mut self.authors,
            &mut self.dates,
            &mut self.others,
            &mut self.refined,
            &mut self.readable,
            &mut self.answers,
            &mut self.lost,
            &mut self.forgotten,
            &mut self.thinned,
        ];
        let amounts = [
            other.items,
            other.new,
            other.sightings,
            other.keys,
            other.merged,
            other.titles,
            other.texts,
            other.authors,
            other.dates,
            other.others,
            other.refined,
            other.readable,
            other.answers,
            other.lost,
            other.forgotten,
            other.thinned,
        ];
        for (total, amount) in totals.into_iter().zip(amounts) {
            *total += amount;
        }
    }
}
