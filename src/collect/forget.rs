//! Forgetting: finds and erases, page by page, everything that the tombstones name: items, findings of topics, replies,
//! and the words of answers, messages, searches, runs and reports. After an interruption it can simply be started
//! again. The caller creates the tombstones.

use std::collections::{BTreeMap, BTreeSet};

use super::named_in_texts::{addresses, is_about, request_words};
use super::replay::read;
use crate::model::{AccessChanges, PAUSED, ReplyEntry, Time, Topic, alert_of, author_of_text_key, page_keys_of_post};
use crate::normalise::address_keys;
use crate::store::{
    ErasedCounts, Mention, MentionPlace, NamedItem, Store, StoreError, StoredReply, Tombstone, TombstoneKind,
    Tombstones, unpack,
};

/// Items read at a time.
const ITEMS: u32 = 2_000;
/// Items erased in one transaction.
const AT_ONCE: usize = 200;
/// Replies held in memory at a time; each may have 4 MiB.
const REPLIES: u32 = 4;
/// Rows of words read at a time.
const ROWS: u32 = 200;
/// Messages held in memory at a time; each may have a page.
const MESSAGES: u32 = 10;

/// The data to erase.
#[derive(Debug)]
pub struct Eraser<'a> {
    pub store: &'a Store,
    /// All tombstones, and the keys found while erasing.
    pub known: Tombstones,
    /// The topics' tombstones that are still open.
    pub topics: Vec<Tombstone>,
    /// The topics of the configuration, which stay watched.
    pub watched: &'a [Topic],
    /// The social platform.
    pub platform: &'a str,
    pub now: Time,
    /// Only measures, without erasing anything.
    pub dry_run: bool,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Forgotten {
    pub taken: ErasedCounts,
    /// When the first of the erased items was seen.
    pub since: Option<Time>,
    pub topics: Vec<String>,
    /// The changed tokens and links of these topics.
    pub access: AccessChanges,
}

impl Eraser<'_> {
    /// Erases what the tombstones name.
    pub async fn erase(mut self) -> Result<Forgotten, StoreError> {
        let mut done = Forgotten::default();
        let gone = self.items(&mut done).await?;
        let former = self.erase_topics(&mut done).await?;
        let topics: Vec<String> = done.topics.iter().cloned().chain(former).collect();
        self.replies(&mut done.taken).await?;
        // First the data that reports and alerts read, then the data that they store: events, then messages and
        // reports.
        for place in [
            MentionPlace::Answers,
            MentionPlace::SearchErrors,
            MentionPlace::Queries,
            MentionPlace::RunErrors,
            MentionPlace::RunReasons,
            MentionPlace::Pauses,
            MentionPlace::Notes,
            MentionPlace::SavedSearches,
            MentionPlace::Alerts,
            MentionPlace::Messages,
            MentionPlace::Reports,
            MentionPlace::Jobs,
            MentionPlace::Editions,
        ] {
            // A process that read the data before it was erased can no longer store any of it.
            if !self.dry_run && matches!(place, MentionPlace::Alerts | MentionPlace::Messages) {
                self.store.restart_readers(self.now).await?;
            }
            let rows = self.blank_words(place, &topics, &gone).await?;
            match place {
                MentionPlace::Answers => done.taken.answers += rows,
                MentionPlace::Messages => done.taken.messages += rows,
                MentionPlace::Alerts
                | MentionPlace::Reports
                | MentionPlace::Queries
                | MentionPlace::SearchErrors
                | MentionPlace::RunErrors
                | MentionPlace::RunReasons
                | MentionPlace::Jobs
                | MentionPlace::Editions
                | MentionPlace::Pauses
                | MentionPlace::Notes
                | MentionPlace::SavedSearches => {
                    done.taken.words += rows;
                }
            }
            crate::failpoint::at("forget/words");
        }
        Ok(done)
    }

    /// Erases the named items, and returns their ids: a dry run keeps their notes, which must not be counted then.
    async fn items(&mut self, done: &mut Forgotten) -> Result<BTreeSet<i64>, StoreError> {
        let mut gone = BTreeSet::new();
        if !self.known.any(TombstoneKind::Author) && !self.known.any(TombstoneKind::Item) {
            return Ok(gone);
        }
        while self.named_items(done, &mut gone).await? {}
        Ok(gone)
    }

    /// Erases the items that are named so far. Returns whether others may be named now: pages at the address of a post
    /// that came after them.
    async fn named_items(&mut self, done: &mut Forgotten, gone: &mut BTreeSet<i64>) -> Result<bool, StoreError> {
        let (mut last, mut more): (Option<NamedItem>, bool) = (None, false);
        loop {
            let page = self.store.named_items(last.as_ref(), ITEMS).await?;
            let is_left = |item: &&NamedItem| !gone.contains(&item.id) && self.names(item);
            let named: Vec<NamedItem> = page.iter().filter(is_left).cloned().collect();
            for items in named.chunks(AT_ONCE) {
                let (impact, since) = self.store.erasure_impact(items).await?;
                // Their data is found by their keys, even if no author is named.
                items.iter().flat_map(|item| &item.keys).for_each(|key| self.known.add_name(TombstoneKind::Item, key));
                for key in items.iter().flat_map(|item| page_keys(&item.keys, item.url.as_deref())) {
                    more |= !self.known.has(TombstoneKind::Item, &key);
                    self.known.add_name(TombstoneKind::Item, &key);
                }
                done.since = earlier(done.since, since);
                gone.extend(items.iter().map(|item| item.id).filter(|_| self.dry_run));
                done.taken.add(if self.dry_run { impact } else { self.store.erase_items(items, self.now).await? });
                crate::failpoint::at("forget/items");
            }
            last = page.into_iter().next_back();
            if last.is_none() {
                return Ok(more);
            }
        }
    }

    fn names(&self, item: &NamedItem) -> bool {
        // Pruning removes the author of an item, but not the keys.
        let of_keys = item.keys.iter().filter_map(|key| author_of_text_key(key));
        item.author.as_deref().into_iter().chain(of_keys).any(|author| self.known.has(TombstoneKind::Author, author))
            || self.has_item(&item.keys, item.url.as_deref())
    }

    fn has_item(&self, keys: &[String], url: Option<&str>) -> bool {
        keys.iter().chain(&page_keys(keys, url)).any(|key| self.known.has(TombstoneKind::Item, key))
    }

    /// Erases what the topics found, and returns their former ids, by which messages may name them.
    async fn erase_topics(&mut self, done: &mut Forgotten) -> Result<Vec<String>, StoreError> {
        let mut former = Vec::new();
        if self.topics.is_empty() {
            return Ok(former);
        }
        for (topic, created_at) in self.store.topics_of_runs().await? {
            // A topic of the same name that was created since then is another topic.
            let begun_again = |stone: &Tombstone| created_at.is_some_and(|created| created > stone.at);
            let is_of_topic = |stone: &&Tombstone| self.known.hash_of(TombstoneKind::Topic, &topic) == stone.hash;
            let Some(stone) = self.topics.iter().find(is_of_topic) else { continue };
            if !self.dry_run && begun_again(stone) {
                continue;
            }
            former.extend(self.store.former_ids(&topic).await?);
            let (impact, since) = self.store.topic_erasure_impact(&topic).await?;
            done.since = earlier(done.since, since);
            if self.dry_run {
                done.taken.add(impact);
            } else {
                let changed = self.end_topic(&topic, &mut done.taken).await?;
                done.access.add(changed);
            }
            done.topics.push(topic);
        }
        Ok(former)
    }

    async fn end_topic(&self, topic: &str, taken: &mut ErasedCounts) -> Result<AccessChanges, StoreError> {
        // A restored database still watches it. No run of it keeps its findings, not even an interrupted one.
        let is_watched = self.watched.iter().any(|watched| watched.id == topic);
        let closed =
            if is_watched { Ok(AccessChanges::default()) } else { self.store.close_topic(topic, self.now).await };
        loop {
            let page = self.store.erase_topic_items(topic, self.now).await?;
            crate::failpoint::at("forget/topic");
            if page.items + page.shared == 0 {
                break;
            }
            taken.add(page);
        }
        let mut after = 0;
        loop {
            let (last, page) = self.store.erase_topic_runs(topic, after).await?;
            taken.add(page);
            match last {
                Some(last) => after = last,
                None => return closed,
            }
        }
    }

    async fn replies(&self, taken: &mut ErasedCounts) -> Result<(), StoreError> {
        let mut last: Option<StoredReply> = None;
        loop {
            let page = self.store.raw_replies(last.as_ref(), REPLIES).await?;
            let named: Vec<&StoredReply> = page.iter().filter(|reply| self.is_named_by(reply)).collect();
            taken.raw_replies += match named.len() as u64 {
                0 => 0,
                some if self.dry_run => some,
                _ => self.store.drop_raw_replies(&named).await?,
            };
            last = page.into_iter().next_back();
            if last.is_none() {
                return Ok(());
            }
        }
    }

    /// Whether a reply or its request contains forgotten names or addresses. A reply that cannot be unpacked might.
    fn is_named_by(&self, reply: &StoredReply) -> bool {
        let Some(body) = unpack(&reply.body) else { return true };
        let authors = |found: &ReplyEntry| {
            found.author.as_deref().is_some_and(|name| self.known.has(TombstoneKind::Author, name))
        };
        request_words(&reply.request).iter().any(|words| self.named_by(words, MentionPlace::Answers))
            || self.named_by(&String::from_utf8_lossy(&body), MentionPlace::Answers)
            || read(reply, self.platform).is_some_and(|ingested| {
                ingested.findings.iter().any(|finding| {
                    authors(&finding.found) || self.has_item(&finding.keys, finding.found.url.as_deref())
                })
            })
    }

    async fn blank_words(
        &self,
        place: MentionPlace,
        topics: &[String],
        gone: &BTreeSet<i64>,
    ) -> Result<u64, StoreError> {
        let mut last: Option<Mention> = None;
        let most = if place == MentionPlace::Messages { MESSAGES } else { ROWS };
        let mut blanked = 0;
        let alerts = match place {
            MentionPlace::Alerts => self.store.all_alerts().await?,
            _ => Vec::new(),
        };
        // A day's budget of a provider is not that of a topic with its name.
        let is_others = |row: &Mention| {
            let alert = alerts.iter().find(|spec| alert_of(&row.id) == Some(spec.name.as_str()));
            alert.zip(row.texts.first()).is_some_and(|(alert, subject)| alert.is_provider_budget(subject))
        };
        loop {
            let page = self.store.mentions(place, last.as_ref(), most).await?;
            let of_topic = |row: &Mention| {
                let may_name_topics =
                    matches!(place, MentionPlace::Messages | MentionPlace::Alerts | MentionPlace::Reports);
                may_name_topics && !is_others(row) && topics.iter().any(|topic| is_about(&row.texts, topic))
            };
            // Alerts of a topic are deleted when it is closed, and notes with their item. A dry run keeps them.
            let is_deleted = |row: &&Mention| match place {
                MentionPlace::Alerts => row.texts.first().is_some_and(|subject| {
                    let of = subject.split_once('/').map_or(subject.as_str(), |(topic, _)| topic);
                    topics.iter().any(|topic| topic == of) && !is_others(row)
                }),
                MentionPlace::Notes => row.id.parse().is_ok_and(|item: i64| gone.contains(&item)),
                _ => false,
            };
            let named: Vec<&Mention> = page
                .iter()
                .filter(|row| !(self.dry_run && is_deleted(row)))
                .filter(|row| row.texts.iter().any(|text| self.quotes(text, place)) || of_topic(row))
                .collect();
            blanked += match named.len() as u64 {
                0 => 0,
                some if self.dry_run => some,
                _ => self.store.blank(place, &named).await?,
            };
            last = page.into_iter().next_back();
            if last.is_none() {
                return Ok(blanked);
            }
        }
    }

    /// Whether a text contains a forgotten name or address.
    fn quotes(&self, text: &str, place: MentionPlace) -> bool {
        if place == MentionPlace::SavedSearches
            && let Ok(filters) = serde_json::from_str::<BTreeMap<String, String>>(text)
        {
            return filters.values().any(|value| self.named_by(value, place));
        }
        // The reason of a pause is also the reason of the runs that it cancelled.
        if let (MentionPlace::RunReasons, Some(reason)) = (place, text.strip_prefix(PAUSED)) {
            return self.named_by(reason, MentionPlace::Pauses);
        }
        self.named_by(text, place)
    }

    fn named_by(&self, text: &str, place: MentionPlace) -> bool {
        let leads = |url: &str| address_keys(url).iter().any(|key| self.known.has(TombstoneKind::Item, key));
        let named =
            if place.is_prose() { self.known.named_in_prose(text) } else { self.known.mentions_forgotten(text) };
        named || addresses(text).any(|url| leads(&url))
    }
}

/// The keys of the pages at the address of a post with these keys.
fn page_keys(keys: &[String], url: Option<&str>) -> Vec<String> {
    keys.iter().flat_map(|key| page_keys_of_post(key, url)).collect()
}

fn earlier(mine: Option<Time>, other: Option<Time>) -> Option<Time> {
    mine.into_iter().chain(other).min()
}
