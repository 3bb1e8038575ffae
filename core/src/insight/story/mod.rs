//! How a text or a link spread: what its items say together, who brought it first, how fast it went. Pure; which items belong
//! to a story, and what is read of them, is decided elsewhere. Why the first may not be the first is `doubt`'s.

mod doubt;
mod pace;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};

pub use doubt::{Doubt, LONGEST_CHECKED, Looked, MOST_TOPICS, Missed, WatchedSince, checked};
pub use pace::{Bar, Peak};

use super::one_author;
use crate::model::{EarlierRow, Engagement, Kind, Source, StoryItem, StoryRows, Tie, Time, closed_list};

/// Authors that are told.
const MOST_AUTHORS: usize = 5;

closed_list! {
    /// What is known of when an item came.
    Basis {
        /// Its source says when it was published.
        Published = "published",
        /// It says nothing, or an instant after it was seen; so the instant is that of the first sighting.
        Seen = "seen",
    }
}

/// An item in the order in which a story went.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Entry {
    pub key: String,
    /// Post or page.
    pub kind: Kind,
    pub author: Option<String>,
    pub title: Option<String>,
    pub text: Option<String>,
    pub url: Option<String>,
    /// Its place in time.
    pub at: Time,
    /// What that instant is.
    pub at_is: Basis,
    pub published_at: Option<Time>,
    /// When any topic first saw it, which topic that was, and which source showed it then, as far as that is kept.
    pub first_seen: Time,
    pub topic: String,
    pub source: Option<Source>,
    /// Reactions as last seen.
    pub engagement: Engagement,
    pub tie: Tie,
    /// Whether it is the earliest of the story with its text.
    pub new_text: bool,
    /// How often its words changed.
    pub revisions: i64,
    /// Whether its words were let go for their age.
    pub pruned: bool,
}

/// When a topic or a source first had anything of a story.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct FirstIn {
    pub name: String,
    pub items: usize,
    /// When it first saw one.
    pub first_seen: Time,
    /// And which.
    pub key: String,
    pub author: Option<String>,
}

/// What an author brought.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Reach {
    pub author: String,
    pub items: usize,
    /// Likes, reposts, replies and quotes of these as last seen; `None` where nobody told any.
    pub reactions: Option<i64>,
}

/// How a text or a link spread.
#[derive(Debug, Clone, serde::Serialize)]
pub struct Story {
    /// Key of the item that was asked about.
    pub key: String,
    /// Addresses by which items were sought.
    pub links: Vec<String>,
    /// Further links of the item, which were not.
    pub links_beyond: u64,
    pub items: usize,
    /// With near-copies counted once.
    pub unique: usize,
    /// Different authors; `None` where none is known.
    pub authors: Option<usize>,
    /// Of the items, near-copies of the one that was asked about.
    pub copies: usize,
    /// Of the items, those that share a link with it.
    pub linked: usize,
    /// Whether these are all: otherwise those that were seen first.
    pub complete: bool,
    /// Whether all there is was seen once, by one topic.
    pub seen_once: bool,
    /// From the earliest item to the latest.
    pub from: Time,
    pub until: Time,
    /// Items of which nothing says when they were published.
    pub undated: usize,
    /// The earliest of those whose time is known.
    pub first_published: Option<Entry>,
    /// What any topic saw first.
    pub first_seen: Entry,
    /// Whether nothing speaks against the first of these being the first of what their topics look for.
    pub first_is_sure: bool,
    /// What the searches around the first did not cover.
    pub doubt: Doubt,
    /// How long after the earliest half of the items had come, milliseconds; of fewer than four it says nothing.
    pub half_ms: Option<i64>,
    /// The UTC hour with most items, where it has more than one.
    pub peak: Option<Peak>,
    /// By when they first saw any.
    pub topics: Vec<FirstIn>,
    pub sources: Vec<FirstIn>,
    /// Whether sightings were pruned: a source may have shown an item before.
    pub sightings_pruned: bool,
    /// The authors whose items got most reactions.
    pub reach: Vec<Reach>,
    /// What the words of the earliest item were, the latest first.
    pub edits: Vec<EarlierRow>,
    /// When any of them was seen last.
    pub last_seen: Time,
    /// Items that the last run of a topic still showed.
    pub still_shown: usize,
    /// Items whose words were let go for their age.
    pub pruned: usize,
    /// Items that wait for the text index; links in them are not known.
    pub unindexed: i64,
    /// Whether new items wait to be compared with others.
    pub uncompared: bool,
    /// Items over time.
    pub chart: Vec<Bar>,
    /// All of them, in time.
    pub timeline: Vec<Entry>,
}

/// Tells the story; `None` of no items.
#[must_use]
pub fn story(rows: StoryRows, doubt: Doubt) -> Option<Story> {
    let timeline = timeline(&rows.items);
    let (first, last) = (timeline.first()?, timeline.last()?);
    let first_seen = timeline.iter().min_by_key(|entry| (entry.first_seen, entry.at, &entry.key))?;
    let dated = || timeline.iter().filter(|entry| entry.at_is == Basis::Published);
    let texts: BTreeSet<&str> = rows.items.iter().map(|item| item.cluster.as_str()).collect();
    let authors: BTreeSet<String> =
        timeline.iter().filter_map(|entry| entry.author.as_deref().map(one_author)).collect();
    let tied = |ties: &[Tie]| timeline.iter().filter(|entry| ties.contains(&entry.tie)).count();
    let seen: i64 = rows.items.iter().flat_map(|item| &item.topics).map(|topic| topic.times_seen).sum();
    let at: Vec<Time> = timeline.iter().map(|entry| entry.at).collect();
    Some(Story {
        items: timeline.len(),
        unique: texts.len(),
        authors: (!authors.is_empty()).then_some(authors.len()),
        copies: tied(&[Tie::Copy, Tie::Both]),
        linked: tied(&[Tie::Link, Tie::Both]),
        complete: !rows.more,
        seen_once: timeline.len() == 1 && seen == 1 && !rows.more,
        from: first.at,
        until: last.at,
        undated: timeline.len() - dated().count(),
        first_published: dated().next().cloned(),
        first_seen: first_seen.clone(),
        first_is_sure: doubt.is_none_before(first.at)
            && dated().count() == timeline.len()
            && !rows.more
            && !rows.uncompared
            && rows.unindexed == 0
            && rows.links_beyond == 0,
        half_ms: pace::half(&at),
        peak: pace::peak(&at),
        topics: topics(&rows.items),
        sources: sources(&rows.items),
        sightings_pruned: rows.items.iter().flat_map(|item| &item.topics).any(|topic| topic.kept < topic.times_seen),
        reach: reach(&timeline),
        last_seen: rows.items.iter().flat_map(|item| &item.topics).map(|topic| topic.last_seen).max()?,
        still_shown: rows.items.iter().filter(|item| is_shown(item, &rows.last_looks)).count(),
        pruned: timeline.iter().filter(|entry| entry.pruned).count(),
        chart: pace::bars(&timeline.iter().map(|entry| (entry.at, entry.new_text)).collect::<Vec<_>>()),
        key: rows.asked,
        links: rows.links,
        links_beyond: rows.links_beyond,
        edits: rows.edits,
        unindexed: rows.unindexed,
        uncompared: rows.uncompared,
        doubt,
        timeline,
    })
}

/// The items in time.
#[must_use]
pub fn timeline(items: &[StoryItem]) -> Vec<Entry> {
    let mut entries: Vec<(Entry, &str)> =
        items.iter().filter_map(|item| Some((entry(item)?, &*item.cluster))).collect();
    entries.sort_by(|(a, _), (b, _)| (a.at, a.first_seen, &a.key).cmp(&(b.at, b.first_seen, &b.key)));
    let mut told = BTreeSet::new();
    entries.into_iter().map(|(entry, text)| Entry { new_text: told.insert(text), ..entry }).collect()
}

fn entry(item: &StoryItem) -> Option<Entry> {
    let first = item.topics.iter().min_by_key(|topic| (topic.first_seen, &topic.topic))?;
    // Nothing is published after it was seen: such an instant is wrong.
    let published = item.published_at.filter(|at| *at <= first.first_seen);
    let source = item.sources.iter().filter(|seen| seen.topic == first.topic && seen.first_seen <= first.first_seen);
    Some(Entry {
        key: item.key.clone(),
        kind: item.kind,
        author: item.author.clone(),
        title: item.title.clone(),
        text: item.text.clone(),
        url: item.url.clone(),
        at: published.unwrap_or(first.first_seen),
        at_is: if published.is_some() { Basis::Published } else { Basis::Seen },
        published_at: item.published_at,
        first_seen: first.first_seen,
        topic: first.topic.clone(),
        source: source.min_by_key(|seen| seen.source).map(|seen| seen.source),
        engagement: item.engagement,
        tie: item.tie,
        new_text: false,
        revisions: item.revisions,
        pruned: item.pruned,
    })
}

fn is_shown(item: &StoryItem, last_looks: &[(String, Time)]) -> bool {
    item.topics.iter().any(|seen| last_looks.iter().any(|(topic, at)| *topic == seen.topic && seen.last_seen >= *at))
}

/// One of several firsts: when, the item's key, and its author.
type Sight<'i> = (Time, &'i str, Option<&'i str>);

fn topics(items: &[StoryItem]) -> Vec<FirstIn> {
    let sight = |item| move |seen: &'_ crate::model::InTopic| (seen.topic.clone(), sight(item, seen.first_seen));
    firsts(items.iter().flat_map(|item| item.topics.iter().map(sight(item))))
}

fn sources(items: &[StoryItem]) -> Vec<FirstIn> {
    let sight =
        |item| move |seen: &'_ crate::model::InSource| (seen.source.as_str().to_owned(), sight(item, seen.first_seen));
    firsts(items.iter().flat_map(|item| item.sources.iter().map(sight(item))))
}

fn sight(item: &StoryItem, at: Time) -> Sight<'_> {
    (at, &item.key, item.author.as_deref())
}

fn firsts<'i>(sights: impl Iterator<Item = (String, Sight<'i>)>) -> Vec<FirstIn> {
    let mut by_name: BTreeMap<String, (BTreeSet<&str>, Sight<'i>)> = BTreeMap::new();
    for (name, sight) in sights {
        let (keys, first) = by_name.entry(name).or_insert_with(|| (BTreeSet::new(), sight));
        keys.insert(sight.1);
        *first = sight.min(*first);
    }
    let told = |(name, (keys, (first_seen, key, author))): (String, (BTreeSet<&str>, Sight<'_>))| FirstIn {
        name,
        items: keys.len(),
        first_seen,
        key: key.to_owned(),
        author: author.map(str::to_owned),
    };
    let mut all: Vec<FirstIn> = by_name.into_iter().map(told).collect();
    all.sort_by(|a, b| (a.first_seen, &a.name).cmp(&(b.first_seen, &b.name)));
    all
}

/// Those with most reactions; who got none that is known comes last.
fn reach(timeline: &[Entry]) -> Vec<Reach> {
    let mut by_author: BTreeMap<String, Reach> = BTreeMap::new();
    for entry in timeline {
        let Some(author) = &entry.author else { continue };
        let new = || Reach { author: author.clone(), items: 0, reactions: None };
        let reach = by_author.entry(one_author(author)).or_insert_with(new);
        reach.items += 1;
        if entry.engagement.is_known() {
            reach.reactions = Some(reach.reactions.unwrap_or(0).saturating_add(entry.engagement.sum()));
        }
    }
    let mut all: Vec<(String, Reach)> = by_author.into_iter().collect();
    all.sort_by(|(a, x), (b, y)| (y.reactions, y.items, a).cmp(&(x.reactions, x.items, b)));
    all.into_iter().map(|(_, reach)| reach).take(MOST_AUTHORS).collect()
}
