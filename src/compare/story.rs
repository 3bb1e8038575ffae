//! Finds the items that belong to the story of one item: its near-copies, and items that share a link with it.
//! Follows links one step only, so that a story stays about one thing. `insight::story` works out how the items
//! spread.
//!
//! Links are compared by the key of their address, whatever its spelling. A page has the link of its own address; a
//! post has that of its own and those in its text. Two items share a link if both have it.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::item_key::find_item_key;
use crate::insight::daily::{extract_links, without_last_word};
use crate::insight::story::{
    MOST_TOPICS, Story, StoryCaveats, TopicSearches, checked_span, story as build_story, timeline,
};
use crate::insight::{source_coverage, without_wrong_times};
use crate::model::{Kind, LinkSource, ReplyEntry, Span, StoryRows, Tie, Time};
use crate::normalise::words::{VERSION, url_query};
use crate::normalise::{canonical, decode_entities, identify};
use crate::store::{ReadSnapshot, Store, StoreError};

/// Maximum number of items of a story; if there are more, those seen first are shown.
pub const MOST_ITEMS: usize = 500;

/// Maximum number of links of an item to look for.
const MOST_LINKS: usize = 10;

/// Maximum number of posts with the words of an address that are searched for it.
const MOST_WORDED: usize = 2_000;

/// Maximum number of characters of a text that the store returns for its links.
const MOST_READ: usize = 8_192;

/// Maximum number of earlier wordings of the earliest item.
const MOST_EDITS: i64 = 20;

/// An address and its key.
type Link = (String, String);

/// The story of an item, found by any of its keys or its address; `None` if nothing has it.
pub async fn story(store: &Store, key_or_address: &str) -> Result<Option<Story>, StoreError> {
    let key = find_item_key(store, key_or_address).await?;
    let pruned_until = store.pruned_until().await?;
    let mut snapshot = store.snapshot().await?;
    let read = read(&mut snapshot, &key, pruned_until).await;
    snapshot.end().await?;
    read
}

async fn read(snapshot: &mut ReadSnapshot, key: &str, pruned_until: Option<Time>) -> Result<Option<Story>, StoreError> {
    let Some(item) = snapshot.story_item(key).await? else { return Ok(None) };
    let mut rows = members(snapshot, &item).await?;
    let timeline = timeline(&rows.items);
    let (Some(first), Some(last)) = (timeline.first(), timeline.last()) else { return Ok(None) };
    rows.edits = snapshot.earlier_of(&first.key, MOST_EDITS).await?;
    let topics = topics(&rows);
    for topic in &topics {
        if let Some(at) = snapshot.last_look(topic).await? {
            rows.last_looks.push((topic.clone(), at));
        }
    }
    let span = checked_span(first.at, last.at);
    let known_since = pruned_until.filter(|until| *until > span.from);
    let (near, beyond) = topics.split_at(topics.len().min(MOST_TOPICS));
    let searches = load_coverage(snapshot, near, span, known_since).await?;
    let caveats = StoryCaveats::of(span, &searches, pruned_until, beyond.len());
    Ok(build_story(rows, caveats))
}

/// The topics that found any of the items, in the order in which they first saw one.
fn topics(rows: &StoryRows) -> Vec<String> {
    let mut first: BTreeMap<&str, Time> = BTreeMap::new();
    for seen in rows.items.iter().flat_map(|item| &item.topics) {
        let at = first.entry(&seen.topic).or_insert(seen.first_seen);
        *at = seen.first_seen.min(*at);
    }
    let mut all: Vec<(Time, &str)> = first.into_iter().map(|(topic, at)| (at, topic)).collect();
    all.sort_unstable();
    all.into_iter().map(|(_, topic)| topic.to_owned()).collect()
}

/// The coverage of a span by the topics' sources. Time whose searches were pruned is not a hole.
async fn load_coverage(
    snapshot: &mut ReadSnapshot,
    topics: &[String],
    span: Span,
    known_since: Option<Time>,
) -> Result<Vec<TopicSearches>, StoreError> {
    let mut all = Vec::new();
    if topics.is_empty() {
        return Ok(all);
    }
    for mut watched in snapshot.watched_topics(topics).await? {
        let searches = without_wrong_times(snapshot.runs_covering(&watched.topic, span).await?);
        if let Some(since) = known_since {
            watched.forget_before(since);
        }
        let sources = source_coverage(&watched, &searches, span, |_| true);
        all.push(TopicSearches { watched, sources });
    }
    Ok(all)
}

/// Reads the items of the story.
async fn members(snapshot: &mut ReadSnapshot, item: &LinkSource) -> Result<StoryRows, StoreError> {
    let most = i64::try_from(MOST_ITEMS).unwrap_or(i64::MAX);
    let copies = snapshot.story_copies(&item.key, most.saturating_add(1)).await?;
    let mut more = copies.len() > MOST_ITEMS;
    let mut ties: HashMap<String, Tie> = copies.into_iter().map(|key| (key, Tie::Copy)).collect();
    ties.insert(item.key.clone(), Tie::Asked);
    let (links, links_beyond) = links_to_seek(item);
    let keys: Vec<String> = links.iter().map(|(_, key)| key.clone()).collect();
    for met in snapshot.resolve_keys(&keys).await? {
        add_link(&mut ties, met.key);
    }
    let wanted: BTreeSet<&str> = keys.iter().map(String::as_str).collect();
    for words in links.iter().filter_map(|(address, _)| url_query(address)) {
        let found = snapshot.posts_with_words(&words, i64::try_from(MOST_WORDED + 1).unwrap_or(i64::MAX)).await?;
        more |= found.len() > MOST_WORDED;
        for post in
            found.iter().filter(|post| links_in_text(post).0.iter().any(|(_, key)| wanted.contains(key.as_str())))
        {
            add_link(&mut ties, post.key.clone());
        }
    }
    more |= ties.len() > MOST_ITEMS;
    Ok(StoryRows {
        asked: item.key.clone(),
        items: snapshot.story_items(&ties, MOST_ITEMS).await?,
        links: links.into_iter().map(|(address, _)| address).collect(),
        links_beyond,
        more,
        unindexed: snapshot.words_waiting(VERSION).await?,
        uncompared: snapshot.has_unclustered().await?,
        last_looks: Vec::new(),
        edits: Vec::new(),
    })
}

/// Records that an item shares a link.
fn add_link(ties: &mut HashMap<String, Tie>, key: String) {
    let tie = ties.entry(key).or_insert(Tie::Link);
    if *tie == Tie::Copy {
        *tie = Tie::Both;
    }
}

/// The links of an item by which to find others, its own first, and the number of further links.
fn links_to_seek(item: &LinkSource) -> (Vec<Link>, u64) {
    let by_key = item.keys.iter().filter_map(|key| match (key.strip_prefix("page:"), key.strip_prefix("post:x:")) {
        (Some(address), _) if address.starts_with("https://") => Some(address.to_owned()),
        (_, Some(id)) => Some(format!("https://x.com/i/status/{id}")),
        _ => None,
    });
    let own = item.url.iter().cloned().chain(by_key);
    let mut all: Vec<Link> = Vec::new();
    for address in own {
        add_unique(&mut all, &address);
    }
    let mut beyond = 0;
    if item.kind == Kind::Post {
        let (in_text, left) = links_in_text(item);
        let mut others = BTreeSet::new();
        for (address, key) in in_text {
            if all.len() < MOST_LINKS {
                add_unique(&mut all, &address);
            } else if all.iter().all(|(_, known)| *known != key) {
                others.insert(key);
            }
        }
        beyond = left + others.len() as u64;
    }
    (all, beyond)
}

fn add_unique(all: &mut Vec<Link>, address: &str) {
    if let Some(key) = key_of(address).filter(|key| all.iter().all(|(_, known)| known != key)) {
        all.push((address.to_owned(), key));
    }
}

/// The links in a post's text, without front pages of sites: many posts name those, whatever they are about.
fn links_in_text(post: &LinkSource) -> (Vec<Link>, u64) {
    let text = post.text.as_deref().unwrap_or_default();
    // A cut text may end in half an address.
    let text = if text.chars().count() < MOST_READ { text } else { without_last_word(text) };
    // `&quot;` after an address is no part of it.
    let text = decode_entities(text);
    let (found, beyond) = extract_links(&text);
    let links = found.into_iter().filter(|link| !is_front_page(link));
    (links.filter_map(|link| Some((link.to_owned(), key_of(link)?))).collect(), beyond)
}

fn is_front_page(address: &str) -> bool {
    let rest = canonical(address);
    rest.and_then(|whole| whole.strip_prefix("https://").map(|rest| rest.find('/') == Some(rest.len() - 1)))
        .unwrap_or(true)
}

/// The key under which a page or post of this address would be stored. The address alone determines the platform.
fn key_of(address: &str) -> Option<String> {
    let found = ReplyEntry { kind: Some(Kind::Page), url: Some(address.to_owned()), ..ReplyEntry::default() };
    identify(&found, "x")?.keys.into_iter().next()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn item(kind: Kind, url: &str, text: &str) -> LinkSource {
        LinkSource { key: "k".into(), kind, url: Some(url.into()), text: Some(text.into()), keys: Vec::new() }
    }

    fn keys(item: &LinkSource) -> Vec<String> {
        links_to_seek(item).0.into_iter().map(|(_, key)| key).collect()
    }

    #[test]
    fn the_links_of_a_page_are_its_own_url_and_of_a_post_also_those_in_its_text() {
        let text = "read http://www.a.example/x/?utm_source=b and https://twitter.com/ann/status/77, from https://a.example/ again https://a.example/x.";
        assert_eq!(
            keys(&item(Kind::Post, "https://x.com/bob/status/5", text)),
            ["post:x:5", "page:https://a.example/x", "post:x:77"]
        );
        assert_eq!(keys(&item(Kind::Page, "https://b.example/?a=1", text)), ["page:https://b.example/?a=1"]);
        assert_eq!(
            keys(&item(Kind::Page, "https://b.example", text)),
            ["page:https://b.example/"],
            "its own address counts"
        );
        assert_eq!(keys(&item(Kind::Post, "javascript:alert(1)", "no links, https://t.co/ab…")), [""; 0]);
        let quoted = "&quot;https://a.example/x&quot; &lt;https://a.example/y?a=1&amp;b=2&gt; https://a.example/z&#39;";
        assert_eq!(
            keys(&item(Kind::Post, "", quoted)),
            ["page:https://a.example/x", "page:https://a.example/y?a=1&b=2", "page:https://a.example/z"]
        );
    }

    #[test]
    fn other_keys_of_an_item_count_as_links_once() {
        let mut post = item(Kind::Post, "https://x.com/ann/status/9", "");
        post.keys = vec!["page:https://a.example/9".into(), "post:x:9".into(), "text:x:ann:abc".into()];
        assert_eq!(keys(&post), ["post:x:9", "page:https://a.example/9"]);
    }

    #[test]
    fn only_the_first_ten_links_are_looked_up_and_the_rest_counted() {
        let text: String = (0..15).map(|n| format!("https://a.example/{n} https://a.example/{n}/ ")).collect();
        let (sought, beyond) = links_to_seek(&item(Kind::Post, "", &text));
        assert_eq!((sought.len(), beyond), (10, 5), "two spellings are one link");
    }
}
