//! How a text or a link spread: its items, who had it first, how fast it spread. Pure: the caller decides which items
//! belong to a story. `caveats` has the reasons why the first may not be the real first.

mod caveats;
mod pace;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};

pub use caveats::{LONGEST_CHECKED, MOST_TOPICS, MissedSpan, StoryCaveats, TopicSearches, WatchedSince, checked_span};
pub use pace::{Bar, Peak};

use super::normalize_author;
use crate::model::{Engagement, Kind, RevisionRow, Source, StoryItem, StoryRows, Tie, Time, closed_list};

/// The most authors listed.
const MOST_AUTHORS: usize = 5;

closed_list! {
    /// What an item's time is based on.
    TimeBasis {
        /// The publication time from its source.
        Published = "published",
        /// The first sighting, because the source gives no time, or one after the sighting.
        Seen = "seen",
    }
}

/// An item of the timeline.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct TimelineEntry {
    pub key: String,
    /// Post or page.
    pub kind: Kind,
    pub author: Option<String>,
    pub title: Option<String>,
    pub text: Option<String>,
    pub url: Option<String>,
    /// Its time in the timeline.
    pub at: Time,
    /// What `at` is based on.
    pub at_is: TimeBasis,
    pub published_at: Option<Time>,
    /// When any topic first saw it, which topic, and which source showed it then, if still stored.
    pub first_seen: Time,
    pub topic: String,
    pub source: Option<Source>,
    /// Reactions at the last sighting.
    pub engagement: Engagement,
    pub tie: Tie,
    /// Whether it is the earliest item of the story with its text.
    pub new_text: bool,
    /// How often its text changed.
    pub revisions: i64,
    /// Whether its text was pruned by age.
    pub pruned: bool,
    /// The topics that saw it, and the sources that showed it, as far as that is stored.
    #[serde(skip)]
    pub topics: Vec<String>,
    #[serde(skip)]
    pub sources: Vec<Source>,
}

impl TimelineEntry {
    /// Whether it is by an author, however the name is spelled.
    #[must_use]
    pub fn is_by(&self, author: &str) -> bool {
        self.author.as_deref().is_some_and(|own| normalize_author(own) == normalize_author(author))
    }
}

/// The first item of a story that a topic or a source saw.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct FirstSighting {
    pub name: String,
    pub items: usize,
    /// When it first saw an item of the story.
    pub first_seen: Time,
    /// The key of that item.
    pub key: String,
    pub author: Option<String>,
}

/// The items of an author and their reactions.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct AuthorReach {
    pub author: String,
    pub items: usize,
    /// Likes, reposts, replies and quotes at the last sighting; `None` if unknown.
    pub reactions: Option<i64>,
}

/// How a text or a link spread.
#[derive(Debug, Clone, serde::Serialize)]
pub struct Story {
    /// Key of the requested item.
    pub key: String,
    /// The links used to search for items.
    pub links: Vec<String>,
    /// The number of further links in the item that were not searched for.
    pub links_beyond: u64,
    pub items: usize,
    /// Items with near-copies counted once.
    pub unique: usize,
    /// Different authors; `None` if none is known or some were pruned.
    pub authors: Option<usize>,
    /// Items that are near-copies of the requested one.
    pub copies: usize,
    /// Items that share a link with it.
    pub linked: usize,
    /// Whether these are all items; otherwise those seen first.
    pub complete: bool,
    /// Whether the story is a single item, seen once by one topic.
    pub seen_once: bool,
    /// From the earliest item to the latest.
    pub from: Time,
    pub until: Time,
    /// Items without a usable publication time.
    pub undated: usize,
    /// The earliest item with a possible publication time.
    pub first_published: Option<TimelineEntry>,
    /// The item that any topic saw first.
    pub first_seen: TimelineEntry,
    /// Whether no earlier item of the topics' queries can be missing.
    pub first_is_sure: bool,
    /// Whether no source that looks back over time found the earliest item: others may have missed earlier ones.
    pub first_by_snapshot: bool,
    /// Reasons why an earlier item may be missing.
    #[serde(rename = "doubt")]
    pub caveats: StoryCaveats,
    /// Milliseconds from the earliest item until half of the items were there; `None` with fewer than four.
    pub half_ms: Option<i64>,
    /// The UTC hour with the most items; `None` if several have as many, or none has more than one.
    pub peak: Option<Peak>,
    /// Topics, by when each first saw an item.
    pub topics: Vec<FirstSighting>,
    pub sources: Vec<FirstSighting>,
    /// Whether sightings were pruned: a source may have shown an item earlier.
    pub sightings_pruned: bool,
    /// The authors with the most reactions.
    pub reach: Vec<AuthorReach>,
    /// Earlier texts of the earliest item, the latest first.
    pub edits: Vec<RevisionRow>,
    /// When any of the items was last seen.
    pub last_seen: Time,
    /// Items that the last run of a topic still showed.
    pub still_shown: usize,
    /// Items whose text was pruned by age.
    pub pruned: usize,
    /// Items not yet in the text index; their links are unknown.
    pub unindexed: i64,
    /// Whether new items still wait for near-copy comparison.
    pub uncompared: bool,
    /// Items over time, as bars.
    pub chart: Vec<Bar>,
    /// All items, in time order.
    pub timeline: Vec<TimelineEntry>,
}

/// Builds the story; `None` without items.
#[must_use]
pub fn story(rows: StoryRows, doubt: StoryCaveats) -> Option<Story> {
    let timeline = timeline(&rows.items);
    let (first, last) = (timeline.first()?, timeline.last()?);
    let first_seen = timeline.iter().min_by_key(|entry| (entry.first_seen, entry.at, &entry.key))?;
    let dated = || timeline.iter().filter(|entry| entry.at_is == TimeBasis::Published);
    let texts: BTreeSet<&str> = rows.items.iter().map(|item| item.cluster.as_str()).collect();
    let authors: BTreeSet<String> =
        timeline.iter().filter_map(|entry| entry.author.as_deref().map(normalize_author)).collect();
    let tied = |ties: &[Tie]| timeline.iter().filter(|entry| ties.contains(&entry.tie)).count();
    let seen: i64 =
        rows.items.iter().flat_map(|item| &item.topics).fold(0, |sum, topic| sum.saturating_add(topic.times_seen));
    let at: Vec<Time> = timeline.iter().map(|entry| entry.at).collect();
    let pruned = timeline.iter().filter(|entry| entry.pruned).count();
    let first_by_snapshot = is_by_snapshot(&rows.items, &first.key, &doubt);
    Some(Story {
        items: timeline.len(),
        unique: texts.len(),
        // Pruning deletes authors, so a count of the others would be too low.
        authors: (!authors.is_empty() && pruned == 0).then_some(authors.len()),
        copies: tied(&[Tie::Copy, Tie::Both]),
        linked: tied(&[Tie::Link, Tie::Both]),
        complete: !rows.more,
        seen_once: timeline.len() == 1 && seen == 1 && !rows.more,
        from: first.at,
        until: last.at,
        undated: timeline.len() - dated().count(),
        first_published: dated().next().cloned(),
        first_seen: first_seen.clone(),
        first_is_sure: doubt.is_certain_at(first.at)
            && !first_by_snapshot
            && dated().count() == timeline.len()
            && !rows.more
            && !rows.uncompared
            && rows.unindexed == 0
            && rows.links_beyond == 0,
        first_by_snapshot,
        half_ms: pace::time_to_half(&at),
        peak: pace::peak(&at),
        topics: topics(&rows.items),
        sources: sources(&rows.items),
        sightings_pruned: rows.items.iter().flat_map(|item| &item.topics).any(|topic| topic.kept < topic.times_seen),
        reach: author_reach(&timeline),
        last_seen: rows.items.iter().flat_map(|item| &item.topics).map(|topic| topic.last_seen).max()?,
        still_shown: rows.items.iter().filter(|item| is_shown(item, &rows.last_looks)).count(),
        pruned,
        chart: pace::bars(&timeline.iter().map(|entry| (entry.at, entry.new_text)).collect::<Vec<_>>()),
        key: rows.asked,
        links: rows.links,
        links_beyond: rows.links_beyond,
        edits: rows.edits,
        unindexed: rows.unindexed,
        uncompared: rows.uncompared,
        caveats: doubt,
        timeline,
    })
}

/// Returns the items in time order.
#[must_use]
pub fn timeline(items: &[StoryItem]) -> Vec<TimelineEntry> {
    let mut entries: Vec<(TimelineEntry, &str)> =
        items.iter().filter_map(|item| Some((entry(item)?, &*item.cluster))).collect();
    entries.sort_by(|(a, _), (b, _)| (a.at, a.first_seen, &a.key).cmp(&(b.at, b.first_seen, &b.key)));
    let mut seen_texts = BTreeSet::new();
    entries.into_iter().map(|(entry, text)| TimelineEntry { new_text: seen_texts.insert(text), ..entry }).collect()
}

fn entry(item: &StoryItem) -> Option<TimelineEntry> {
    let first = item.topics.iter().min_by_key(|topic| (topic.first_seen, &topic.topic))?;
    // A publication time after the first sighting is wrong.
    let published = item.published_at.filter(|at| *at <= first.first_seen);
    let source = item.sources.iter().filter(|seen| seen.topic == first.topic && seen.first_seen <= first.first_seen);
    Some(TimelineEntry {
        key: item.key.clone(),
        kind: item.kind,
        author: item.author.clone(),
        title: item.title.clone(),
        text: item.text.clone(),
        url: item.url.clone(),
        at: published.unwrap_or(first.first_seen),
        at_is: if published.is_some() { TimeBasis::Published } else { TimeBasis::Seen },
        published_at: item.published_at,
        first_seen: first.first_seen,
        topic: first.topic.clone(),
        source: source.min_by_key(|seen| seen.source).map(|seen| seen.source),
        engagement: item.engagement,
        tie: item.tie,
        new_text: false,
        revisions: item.revisions,
        pruned: item.pruned,
        topics: item.topics.iter().map(|seen| seen.topic.clone()).collect(),
        sources: item.sources.iter().map(|seen| seen.source).collect(),
    })
}

/// Whether all sources known to have found an item only show the present.
fn is_by_snapshot(items: &[StoryItem], key: &str, doubt: &StoryCaveats) -> bool {
    let found_by = items.iter().filter(|item| item.key == key).flat_map(|item| &item.sources);
    !found_by.into_iter().any(|seen| doubt.spanning.contains(&(seen.topic.clone(), seen.source)))
}

fn is_shown(item: &StoryItem, last_looks: &[(String, Time)]) -> bool {
    item.topics.iter().any(|seen| last_looks.iter().any(|(topic, at)| *topic == seen.topic && seen.last_seen >= *at))
}

/// A first sighting: time, item key, author.
type Sight<'i> = (Time, &'i str, Option<&'i str>);

fn topics(items: &[StoryItem]) -> Vec<FirstSighting> {
    let sight = |item| move |seen: &'_ crate::model::TopicSighting| (seen.topic.clone(), sight(item, seen.first_seen));
    first_sightings(items.iter().flat_map(|item| item.topics.iter().map(sight(item))))
}

fn sources(items: &[StoryItem]) -> Vec<FirstSighting> {
    let sight = |item| {
        move |seen: &'_ crate::model::SourceSighting| (seen.source.as_str().to_owned(), sight(item, seen.first_seen))
    };
    first_sightings(items.iter().flat_map(|item| item.sources.iter().map(sight(item))))
}

fn sight(item: &StoryItem, at: Time) -> Sight<'_> {
    (at, &item.key, item.author.as_deref())
}

fn first_sightings<'i>(sights: impl Iterator<Item = (String, Sight<'i>)>) -> Vec<FirstSighting> {
    let mut by_name: BTreeMap<String, (BTreeSet<&str>, Sight<'i>)> = BTreeMap::new();
    for (name, sight) in sights {
        let (keys, first) = by_name.entry(name).or_insert_with(|| (BTreeSet::new(), sight));
        keys.insert(sight.1);
        *first = sight.min(*first);
    }
    let first_sighting = |(name, (keys, (first_seen, key, author))): (String, (BTreeSet<&str>, Sight<'_>))| {
        FirstSighting { name, items: keys.len(), first_seen, key: key.to_owned(), author: author.map(str::to_owned) }
    };
    let mut all: Vec<FirstSighting> = by_name.into_iter().map(first_sighting).collect();
    all.sort_by(|a, b| (a.first_seen, &a.name).cmp(&(b.first_seen, &b.name)));
    all
}

/// Returns the authors with the most reactions; those with unknown reactions come last.
fn author_reach(timeline: &[TimelineEntry]) -> Vec<AuthorReach> {
    let mut by_author: BTreeMap<String, AuthorReach> = BTreeMap::new();
    for entry in timeline {
        let Some(author) = &entry.author else { continue };
        let new = || AuthorReach { author: author.clone(), items: 0, reactions: None };
        let reach = by_author.entry(normalize_author(author)).or_insert_with(new);
        reach.items += 1;
        if entry.engagement.is_known() {
            reach.reactions = Some(reach.reactions.unwrap_or(0).saturating_add(entry.engagement.sum()));
        }
    }
    let mut all: Vec<(String, AuthorReach)> = by_author.into_iter().collect();
    all.sort_by(|(a, x), (b, y)| (y.reactions, y.items, a).cmp(&(x.reactions, x.items, b)));
    all.into_iter().map(|(_, reach)| reach).take(MOST_AUTHORS).collect()
}
