//! Which stored item a seen item is. Keys were made elsewhere; here they are only looked up. Runs under the lock of the
//! transaction that stores, so that what was looked up still holds when it is written.

use std::collections::{BTreeMap, HashMap};

use sqlx::{QueryBuilder, Row as _};

use super::{Conn, Database, read};
use crate::model::{Engagement, Finding, Kind, Source, TEXT_KEY_PREFIX, Time};
use crate::store::{SeenItem, StoreError};

/// What is stored of an item that a seen item may be.
#[derive(Debug, Clone)]
pub(super) struct Held {
    pub(super) id: i64,
    pub(super) strong: bool,
    pub(super) last_seen: Time,
    pub(super) content: Content,
    pub(super) engagement: Engagement,
    /// Whether the topic of the run has seen it before.
    pub(super) of_topic: bool,
}

/// The descriptive columns of an item.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Content {
    pub(super) post_id: Option<String>,
    pub(super) url: Option<String>,
    pub(super) author: Option<String>,
    pub(super) author_name: Option<String>,
    pub(super) title: Option<String>,
    pub(super) text: Option<String>,
    pub(super) lang: Option<String>,
    pub(super) published_at: Option<Time>,
    pub(super) is_repost: Option<bool>,
    pub(super) is_quote: Option<bool>,
    pub(super) conversation_id: Option<String>,
}

/// One item of the run after look-up: stored already, or to be inserted.
#[derive(Debug)]
pub(super) struct Resolved<'a> {
    pub(super) held: Option<Held>,
    pub(super) keys: Vec<&'a str>,
    /// Those of the keys that were looked up and name no item yet, or were not looked up.
    pub(super) keys_to_add: Vec<&'a str>,
    pub(super) strong: bool,
    pub(super) kind: Kind,
    /// At most one per source, in source order.
    pub(super) sightings: BTreeMap<Source, &'a Finding>,
    /// Entries of each source that were this item: the sighting and its repeats.
    pub(super) entries: BTreeMap<Source, i64>,
}

impl Content {
    pub(super) fn of(finding: &Finding) -> Self {
        let found = &finding.found;
        Self {
            post_id: found.id.clone(),
            url: found.url.clone(),
            author: found.author.clone(),
            author_name: found.author_name.clone(),
            title: found.title.clone(),
            text: found.text.clone(),
            lang: found.lang.clone(),
            published_at: found.published_at,
            is_repost: found.is_repost,
            is_quote: found.is_quote,
            conversation_id: found.conversation_id.clone(),
        }
    }

    /// Takes what is still unknown from another sighting of the same item.
    pub(super) fn fill(&mut self, other: &Self) {
        fn or<T: Clone>(mine: &mut Option<T>, other: Option<&T>) {
            if mine.is_none() {
                *mine = other.cloned();
            }
        }
        or(&mut self.post_id, other.post_id.as_ref());
        or(&mut self.url, other.url.as_ref());
        or(&mut self.author, other.author.as_ref());
        or(&mut self.author_name, other.author_name.as_ref());
        or(&mut self.title, other.title.as_ref());
        or(&mut self.text, other.text.as_ref());
        or(&mut self.lang, other.lang.as_ref());
        or(&mut self.published_at, other.published_at.as_ref());
        or(&mut self.is_repost, other.is_repost.as_ref());
        or(&mut self.is_quote, other.is_quote.as_ref());
        or(&mut self.conversation_id, other.conversation_id.as_ref());
    }
}

impl Resolved<'_> {
    /// What the run knows of the item, the earliest source's word first.
    pub(super) fn content(&self) -> Content {
        let mut all = self.sightings.values().map(|finding| Content::of(finding));
        let mut content = all.next().unwrap_or_default();
        all.for_each(|other| content.fill(&other));
        content
    }

    /// The newest word on reactions: a later source only fills what the earlier left out.
    pub(super) fn engagement(&self) -> Engagement {
        self.sightings.values().fold(Engagement::default(), |known, finding| merge(known, finding.found.engagement))
    }

    /// The content as the item's own kind of source gave it, by which edits are judged: a snippet in another source's
    /// words is not an edit.
    pub(super) fn home_content(&self) -> Option<Content> {
        let home = match self.kind {
            Kind::Post => Source::Social,
            Kind::Page => Source::Web,
        };
        self.sightings.get(&home).map(|finding| Content::of(finding))
    }
}

/// Known numbers of `first`, filled from `second`.
pub(super) fn merge(first: Engagement, second: Engagement) -> Engagement {
    Engagement {
        likes: first.likes.or(second.likes),
        reposts: first.reposts.or(second.reposts),
        replies: first.replies.or(second.replies),
        quotes: first.quotes.or(second.quotes),
        bookmarks: first.bookmarks.or(second.bookmarks),
        views: first.views.or(second.views),
    }
}

/// Looks keys up and settles which items are one.
///
/// A key that is an id or an address decides. A text key joins only what no other id contradicts: an identified post
/// never joins another identified post through equal words.
pub(super) async fn resolve<'a>(
    conn: &mut Conn,
    topic: &str,
    items: &'a [SeenItem],
) -> Result<Vec<Resolved<'a>>, StoreError> {
    let mut held = HashMap::with_capacity(items.len());
    look_up(conn, topic, items.iter().flat_map(|item| item.keys.iter()).filter(|key| !is_text(key)), &mut held).await?;
    // Most items are known by their id, and then their text decides nothing.
    let unknown = items.iter().filter(|item| !item.keys.iter().any(|key| held.contains_key(key)));
    let texts: Vec<&String> = unknown.flat_map(|item| item.keys.iter()).filter(|key| is_text(key)).collect();
    look_up(conn, topic, texts.into_iter(), &mut held).await?;

    let mut resolved: Vec<Resolved<'a>> = Vec::with_capacity(items.len());
    let mut place: HashMap<i64, usize> = HashMap::new();
    let mut fresh: HashMap<&str, usize> = HashMap::new();
    for item in items {
        let by_id = item.keys.iter().filter(|key| !is_text(key)).find_map(|key| held.get(key));
        let by_text = item.keys.iter().filter(|key| is_text(key)).find_map(|key| held.get(key)).filter(|held| {
            // Another id of this run may have taken the text's item over a moment ago.
            let taken = place.get(&held.id).and_then(|at| resolved.get(*at)).is_some_and(|entry| entry.strong);
            !(item.strong && (held.strong || taken))
        });
        let found = by_id.or(by_text).cloned();
        let first = item.keys.first().map_or("", String::as_str);
        let at = found.as_ref().map_or_else(|| fresh.get(first).copied(), |held| place.get(&held.id).copied());
        let at = at.unwrap_or_else(|| {
            resolved.push(Resolved {
                held: found.clone(),
                keys: Vec::new(),
                keys_to_add: Vec::new(),
                strong: false,
                kind: item.kind,
                sightings: BTreeMap::new(),
                entries: BTreeMap::new(),
            });
            match &found {
                Some(held) => place.insert(held.id, resolved.len() - 1),
                None => fresh.insert(first, resolved.len() - 1),
            };
            resolved.len() - 1
        });
        let Some(entry) = resolved.get_mut(at) else { continue };
        entry.keys.extend(item.keys.iter().map(String::as_str));
        entry.keys_to_add.extend(item.keys.iter().filter(|key| !held.contains_key(*key)).map(String::as_str));
        entry.strong |= item.strong;
        for finding in &item.sightings {
            *entry.entries.entry(finding.source).or_insert(0) += 1;
            entry.sightings.entry(finding.source).or_insert(finding);
        }
        for (source, more) in &item.repeats {
            *entry.entries.entry(*source).or_insert(0) += i64::from(*more);
        }
    }
    Ok(resolved)
}

fn is_text(key: &str) -> bool {
    key.starts_with(TEXT_KEY_PREFIX)
}

/// Adds the stored items that these keys name.
async fn look_up(
    conn: &mut Conn,
    topic: &str,
    keys: impl Iterator<Item = &String> + Send,
    held: &mut HashMap<String, Held>,
) -> Result<(), StoreError> {
    let mut keys: Vec<&str> = keys.map(String::as_str).collect();
    keys.sort_unstable();
    keys.dedup();
    for chunk in keys.chunks(1_000) {
        let mut select = QueryBuilder::<Database>::new(
            "SELECT k.key AS named, i.id, i.strong, i.last_seen, i.post_id, i.url, i.author, i.author_name, i.title, i.text, i.lang, i.published_at, \
             i.is_repost, i.is_quote, i.conversation_id, i.likes, i.reposts, i.replies, i.quotes, i.bookmarks, i.views, \
             t.item AS of_topic FROM item_key k JOIN item i ON i.id = k.item LEFT JOIN topic_item t ON t.item = i.id AND t.topic = ",
        );
        select.push_bind(topic).push(" WHERE k.key IN (");
        let mut list = select.separated(", ");
        for key in chunk {
            list.push_bind(*key);
        }
        list.push_unseparated(")");
        for row in select.build().persistent(false).fetch_all(&mut *conn).await? {
            let content = Content {
                post_id: row.try_get("post_id")?,
                url: row.try_get("url")?,
                author: row.try_get("author")?,
                author_name: row.try_get("author_name")?,
                title: row.try_get("title")?,
                text: row.try_get("text")?,
                lang: row.try_get("lang")?,
                published_at: read::time(&row, "published_at")?,
                is_repost: read::flag(&row, "is_repost")?,
                is_quote: read::flag(&row, "is_quote")?,
                conversation_id: row.try_get("conversation_id")?,
            };
            let item = Held {
                id: row.try_get("id")?,
                strong: read::flag(&row, "strong")?.unwrap_or(false),
                last_seen: read::time(&row, "last_seen")?.unwrap_or_default(),
                content,
                engagement: read::engagement(&row)?,
                of_topic: row.try_get::<Option<i64>, _>("of_topic")?.is_some(),
            };
            held.insert(row.try_get("named")?, item);
        }
    }
    Ok(())
}
