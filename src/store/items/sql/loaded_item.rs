//! An item in memory during a transaction, and how sightings change it. `resolve` decides to which item a sighting
//! belongs, and `items` writes it.

use std::collections::{BTreeMap, BTreeSet};

use super::provider_words::{home_source, only_source};
use crate::model::{Engagement, Finding, Kind, ReplyEntry, Source, Time, ToneScore, time_of_post_id};
use crate::store::StoreError;

/// An item as it is stored, or will be.
#[derive(Debug, Clone)]
pub(in crate::store) struct LoadedItem {
    /// `None` until it is inserted.
    pub(in crate::store) id: Option<i64>,
    /// Whether it existed before this transaction.
    pub(in crate::store) stored: bool,
    /// The first key of an item that is not inserted yet.
    pub(in crate::store) key: String,
    pub(in crate::store) kind: Kind,
    pub(in crate::store) strong: bool,
    pub(in crate::store) first_seen: Time,
    pub(in crate::store) last_seen: Time,
    pub(in crate::store) content: Content,
    pub(in crate::store) engagement: Engagement,
    /// Keys to add for it.
    pub(in crate::store) keys_to_add: Vec<String>,
    /// Whether a run of this transaction saw it.
    pub(in crate::store) seen: bool,
    /// The sources that saw it so far; `None` if that was not read.
    pub(in crate::store) sources: Option<BTreeSet<Source>>,
    /// Whether anything but the last sighting and the engagement changed.
    pub(in crate::store) rewritten: bool,
    pub(in crate::store) revisions: Vec<Revision>,
    /// Its content before each run that changed it, in order.
    pub(in crate::store) past: Vec<(i64, Content)>,
    /// Whether reading replies again filled in unknown engagement.
    pub(in crate::store) filled: bool,
    /// Whether its title or text changed, so that its tone no longer holds.
    pub(in crate::store) reworded: bool,
    /// The tone of its words, if they are new.
    pub(in crate::store) judged: Option<ToneScore>,
}

/// Words that were replaced.
#[derive(Debug, Clone)]
pub(in crate::store) struct Revision {
    pub(in crate::store) run: i64,
    pub(in crate::store) replaced_at: Time,
    pub(in crate::store) title: Option<String>,
    pub(in crate::store) text: Option<String>,
}

/// The descriptive columns of an item.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(in crate::store) struct Content {
    pub(in crate::store) post_id: Option<String>,
    pub(in crate::store) url: Option<String>,
    pub(in crate::store) author: Option<String>,
    pub(in crate::store) author_name: Option<String>,
    pub(in crate::store) title: Option<String>,
    pub(in crate::store) text: Option<String>,
    pub(in crate::store) lang: Option<String>,
    pub(in crate::store) published_at: Option<Time>,
    pub(in crate::store) is_repost: Option<bool>,
    pub(in crate::store) is_quote: Option<bool>,
    pub(in crate::store) conversation_id: Option<String>,
}

impl LoadedItem {
    /// Creates an item not seen before; the update that follows fills it in.
    pub(in crate::store) fn new(key: &str, kind: Kind, seen_at: Time) -> Self {
        Self {
            id: None,
            stored: false,
            key: key.to_owned(),
            kind,
            strong: false,
            first_seen: seen_at,
            last_seen: seen_at,
            content: Content::default(),
            engagement: Engagement::default(),
            keys_to_add: Vec::new(),
            seen: false,
            sources: Some(BTreeSet::new()),
            rewritten: false,
            revisions: Vec::new(),
            past: Vec::new(),
            filled: false,
            reworded: false,
            judged: None,
        }
    }

    /// Applies the sightings of one run, one per source: `last_seen` never decreases, unknown fields are filled in the
    /// order of the sources, and replaced words are kept as a revision. `kind` is the kind that the run determined.
    pub(in crate::store) fn update(
        &mut self,
        run: i64,
        sightings: &BTreeMap<Source, &Finding>,
        kind: Kind,
        strong: bool,
        seen_at: Time,
    ) {
        // The newest engagement wins; a later source only fills what earlier ones left out.
        let reactions = sightings.values().fold(Engagement::default(), |known, one| merge(known, one.found.engagement));
        // If the clock was set back, the stored numbers are the later ones.
        let later = seen_at >= self.last_seen;
        let before = (self.stored || self.seen).then(|| self.content.clone());
        self.engagement = if later { merge(reactions, self.engagement) } else { merge(self.engagement, reactions) };
        // Only the item's own kind of source counts for edits: a snippet worded by another source is not an edit.
        let home = sightings.get(&home_source(kind)).copied();
        let home = home.or_else(|| only_source(kind, self.sources.as_ref(), sightings));
        if let Some(now) = home.filter(|_| later) {
            // Words that until now only other sources wrote are replaced, not edited.
            let is_edit = self.sources.as_ref().is_none_or(|seen| seen.is_empty() || seen.contains(&now.source));
            self.revise(run, &now.found, seen_at, is_edit);
        }
        let worded = self.content.has_words();
        for sighting in sightings.values() {
            self.rewritten |= self.content.fill(&sighting.found);
        }
        self.reworded |= worded != self.content.has_words();
        self.rewritten |= strong && !self.strong;
        self.strong |= strong;
        self.last_seen = self.last_seen.max(seen_at);
        self.seen = true;
        if let Some(sources) = &mut self.sources {
            sources.extend(sightings.keys());
        }
        if let Some(before) = before.filter(|before| before.exported_fields() != self.content.exported_fields()) {
            self.past.push((run, before));
        }
    }

    /// Fills only fields that are still unknown, from sightings of a run that is already over.
    pub(in crate::store) fn fill(&mut self, sightings: &BTreeMap<Source, &Finding>, strong: bool) {
        let reactions = sightings.values().fold(self.engagement, |known, one| merge(known, one.found.engagement));
        self.filled |= reactions != self.engagement;
        self.engagement = reactions;
        let worded = self.content.has_words();
        for sighting in sightings.values() {
            self.rewritten |= self.content.fill(&sighting.found);
        }
        self.reworded |= worded != self.content.has_words();
        self.rewritten |= strong && !self.strong;
        self.strong |= strong;
        self.seen = true;
    }

    /// Merges in the known values of an item that turned out to be the same.
    pub(in crate::store) fn merge_from(&mut self, part: &Self) {
        self.engagement = if part.last_seen > self.last_seen {
            merge(part.engagement, self.engagement)
        } else {
            merge(self.engagement, part.engagement)
        };
        self.first_seen = self.first_seen.min(part.first_seen);
        self.last_seen = self.last_seen.max(part.last_seen);
        // A value that is unknown for one is unknown for the merged item.
        self.sources =
            self.sources.take().zip(part.sources.clone()).map(|(ours, theirs)| ours.union(&theirs).copied().collect());
        let worded = self.content.has_words();
        self.rewritten |= self.content.fill_from(&part.content);
        self.reworded |= worded != self.content.has_words();
    }

    /// Applies changed words. After an edit the old ones are kept as a revision.
    fn revise(&mut self, run: i64, now: &ReplyEntry, seen_at: Time, is_edit: bool) {
        let content = &mut self.content;
        let (title, text) = content.replaced_by(now);
        if !title && !text {
            return;
        }
        if is_edit {
            let (old_title, old_text) = (content.title.clone(), content.text.clone());
            self.revisions.push(Revision { run, replaced_at: seen_at, title: old_title, text: old_text });
        }
        if title {
            content.title.clone_from(&now.title);
        }
        if text {
            content.text.clone_from(&now.text);
        }
        self.rewritten = true;
        self.reworded = true;
    }

    /// Builds an item from its stored row.
    pub(in crate::store) fn stored(row: Stored) -> Result<Self, StoreError> {
        let kind = Kind::parse(&row.kind);
        Ok(Self {
            id: Some(row.id),
            stored: true,
            key: row.key,
            kind: kind.ok_or_else(|| StoreError::unreadable(&format!("`{}` in kind", row.kind)))?,
            strong: row.strong != 0,
            first_seen: Time(row.first_seen),
            last_seen: Time(row.last_seen),
            content: Content {
                post_id: row.post_id,
                url: row.url,
                author: row.author,
                author_name: row.author_name,
                title: row.title,
                text: row.text,
                lang: row.lang,
                published_at: row.published_at.map(Time),
                is_repost: row.is_repost.map(|flag| flag != 0),
                is_quote: row.is_quote.map(|flag| flag != 0),
                conversation_id: row.conversation_id,
            },
            engagement: Engagement {
                likes: row.likes,
                reposts: row.reposts,
                replies: row.replies,
                quotes: row.quotes,
                bookmarks: row.bookmarks,
                views: row.views,
            },
            keys_to_add: Vec::new(),
            seen: false,
            sources: None,
            rewritten: false,
            revisions: Vec::new(),
            past: Vec::new(),
            filled: false,
            reworded: false,
            judged: None,
        })
    }
}

/// A row of `item`, read by position from the columns of [`STORED`].
#[derive(Debug, serde::Deserialize)]
pub(in crate::store) struct Stored {
    id: i64,
    key: String,
    kind: String,
    strong: i64,
    first_seen: i64,
    last_seen: i64,
    post_id: Option<String>,
    url: Option<String>,
    author: Option<String>,
    author_name: Option<String>,
    title: Option<String>,
    text: Option<String>,
    lang: Option<String>,
    published_at: Option<i64>,
    is_repost: Option<i64>,
    is_quote: Option<i64>,
    conversation_id: Option<String>,
    likes: Option<i64>,
    reposts: Option<i64>,
    replies: Option<i64>,
    quotes: Option<i64>,
    bookmarks: Option<i64>,
    views: Option<i64>,
}

/// The columns of [`Stored`], in its order.
pub(in crate::store) const STORED: &str = "i.id, i.key, i.kind, i.strong, i.first_seen, i.last_seen, i.post_id, i.url, i.author, i.author_name, i.title, i.text, \
     i.lang, i.published_at, i.is_repost, i.is_quote, i.conversation_id, i.likes, i.reposts, i.replies, i.quotes, i.bookmarks, i.views";

/// Sets a value that is still unknown. Returns whether it was set.
fn fill_option<T: Clone>(mine: &mut Option<T>, found: Option<&T>) -> bool {
    let takes = mine.is_none() && found.is_some();
    if takes {
        *mine = found.cloned();
    }
    takes
}

impl Content {
    /// The fields that exports show with each run that saw the item.
    fn exported_fields(&self) -> ([Option<&str>; 6], Option<Time>) {
        let texts = [&self.url, &self.author, &self.author_name, &self.title, &self.text, &self.lang];
        (texts.map(Option::as_deref), self.published_at)
    }

    /// Whether a sighting words the title or the text differently; unknown ones do not count.
    pub(in crate::store) fn replaced_by(&self, now: &ReplyEntry) -> (bool, bool) {
        let changed = |mine: &Option<String>, new: &Option<String>| mine.is_some() && new.is_some() && mine != new;
        (changed(&self.title, &now.title), changed(&self.text, &now.text))
    }

    /// Which words are known: title, text.
    fn has_words(&self) -> (bool, bool) {
        (self.title.is_some(), self.text.is_some())
    }

    /// Fills unknown fields from another item. Returns whether any was filled.
    fn fill_from(&mut self, other: &Self) -> bool {
        fill_option(&mut self.post_id, other.post_id.as_ref())
            | fill_option(&mut self.url, other.url.as_ref())
            | fill_option(&mut self.author, other.author.as_ref())
            | fill_option(&mut self.author_name, other.author_name.as_ref())
            | fill_option(&mut self.title, other.title.as_ref())
            | fill_option(&mut self.text, other.text.as_ref())
            | fill_option(&mut self.lang, other.lang.as_ref())
            | fill_option(&mut self.published_at, other.published_at.as_ref())
            | fill_option(&mut self.is_repost, other.is_repost.as_ref())
            | fill_option(&mut self.is_quote, other.is_quote.as_ref())
            | fill_option(&mut self.conversation_id, other.conversation_id.as_ref())
    }

    /// Replaces a date derived from the post's id by the date in a reply. Returns whether it did.
    fn replace_derived_date(&mut self, found: &ReplyEntry) -> bool {
        let derived = self.post_id.as_deref().and_then(time_of_post_id);
        let takes = derived.is_some()
            && self.published_at == derived
            && found.published_at.is_some_and(|at| Some(at) != derived);
        if takes {
            self.published_at = found.published_at;
        }
        takes
    }

    /// Fills unknown fields. Returns whether any was filled.
    fn fill(&mut self, found: &ReplyEntry) -> bool {
        let dated = self.replace_derived_date(found);
        dated
            | fill_option(&mut self.post_id, found.id.as_ref())
            | fill_option(&mut self.url, found.url.as_ref())
            | fill_option(&mut self.author, found.author.as_ref())
            | fill_option(&mut self.author_name, found.author_name.as_ref())
            | fill_option(&mut self.title, found.title.as_ref())
            | fill_option(&mut self.text, found.text.as_ref())
            | fill_option(&mut self.lang, found.lang.as_ref())
            | fill_option(&mut self.published_at, found.published_at.as_ref())
            | fill_option(&mut self.is_repost, found.is_repost.as_ref())
            | fill_option(&mut self.is_quote, found.is_quote.as_ref())
            | fill_option(&mut self.conversation_id, found.conversation_id.as_ref())
    }
}

/// Returns the numbers of `first`, with unknown ones taken from `second`.
pub(in crate::store) fn merge(first: Engagement, second: Engagement) -> Engagement {
    Engagement {
        likes: first.likes.or(second.likes),
        reposts: first.reposts.or(second.reposts),
        replies: first.replies.or(second.replies),
        quotes: first.quotes.or(second.quotes),
        bookmarks: first.bookmarks.or(second.bookmarks),
        views: first.views.or(second.views),
    }
}
