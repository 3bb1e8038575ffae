//! Reads the items of a period as terms need them: their words, day, author and tone.

use std::collections::{BTreeSet, HashMap};

use crate::insight::daily::days;
use crate::insight::terms::{TermItem, speaker_of};
use crate::model::{CountedItem, ItemContent, SearchableItem, Span, Time, Topic};
use crate::normalise::words;
use crate::store::{ReadSnapshot, StoreError};

/// Items of the period whose words are read.
const MOST: usize = 20_000;
/// The same for pages and alerts, which must answer quickly.
const MOST_TRUSTING: usize = 2_000;
/// Items whose words are in memory at a time.
pub(in crate::compare) const CHUNK: usize = 2_000;

/// The items and settings that terms are computed from.
#[derive(Debug, Clone, Copy)]
pub struct TermsAsked<'a> {
    pub topic: &'a Topic,
    /// Items first seen in the period or the four weeks before, without those that the topic's filter hides.
    pub passed: &'a [CountedItem],
    /// The items that the filter hides.
    pub hidden: &'a [CountedItem],
    /// Keys of the period's items.
    pub period: &'a [&'a CountedItem],
    pub span: Span,
    /// When the topic's first run with findings started.
    pub began: Option<Time>,
    /// When the query last changed; `None` if it never did.
    pub asked_since: Option<Time>,
    /// The scorer whose tone counts in this period.
    pub scorer: Option<&'a str>,
    /// Use stored counts of the days before without a check; `passed` and `hidden` need not include those days then.
    pub trusting: bool,
    /// Whether the items of the terms are needed to explain a figure. If only a sample was read, the words of all other
    /// items are then searched for these terms.
    pub explains: bool,
    /// Whether they are compared with no other topic: a reader may not know them.
    pub alone: bool,
}

impl TermsAsked<'_> {
    /// The most items of a period that are read.
    pub(in crate::compare) const fn most(&self) -> usize {
        if self.trusting { MOST_TRUSTING } else { MOST }
    }
}

/// Returns the items of the period whose words are read, the latest first. If there are too many, returns a sample
/// over the whole period: the latest alone would say nothing about its other days. Hashes of the keys select it, so
/// that every read selects the same items.
pub(in crate::compare) fn sample<'a>(period: &[&'a CountedItem], most: usize) -> Vec<&'a CountedItem> {
    let mut period = period.to_vec();
    if period.len() > most {
        period.sort_by_cached_key(|mark| *blake3::hash(mark.key.as_bytes()).as_bytes());
        period.truncate(most);
    }
    period.sort_by(|a, b| (b.moment(), &a.key).cmp(&(a.moment(), &b.key)));
    period
}

pub(super) async fn load_texts(
    snapshot: &mut ReadSnapshot,
    marks: &[&CountedItem],
) -> Result<HashMap<String, ItemContent>, StoreError> {
    let keys: BTreeSet<&str> = marks.iter().map(|mark| mark.key.as_str()).collect();
    let words = snapshot.words(&keys.into_iter().map(str::to_owned).collect::<Vec<_>>()).await?;
    Ok(words.into_iter().map(|words| (words.key.clone(), words)).collect())
}

pub(in crate::compare) fn readable<'a>(mark: &CountedItem, words: &'a ItemContent) -> SearchableItem<'a> {
    SearchableItem {
        kind: mark.kind,
        title: words.title.as_deref(),
        text: words.text.as_deref(),
        author: None,
        author_name: None,
        url: words.url.as_deref(),
    }
}

/// The terms of an item, each once, sorted.
pub(in crate::compare) fn terms_of(mark: &CountedItem, words: &ItemContent) -> Vec<String> {
    let mut terms = BTreeSet::new();
    words::terms(&readable(mark, words), &mut |term| {
        if !terms.contains(term) {
            terms.insert(term.to_owned());
        }
    });
    terms.into_iter().collect()
}

pub(in crate::compare) async fn items_of(
    snapshot: &mut ReadSnapshot,
    request: &TermsAsked<'_>,
    period: &[&CountedItem],
) -> Result<Vec<TermItem>, StoreError> {
    let last = Time(request.span.until.0.saturating_sub(1));
    let day_count = i32::try_from(request.span.length().as_secs() / 86_400 + 2).unwrap_or(400);
    let days = days(last, day_count, request.topic.timezone());
    let mut items = Vec::with_capacity(period.len());
    for chunk in period.chunks(CHUNK) {
        let texts = load_texts(snapshot, chunk).await?;
        for mark in chunk {
            let Some(words) = texts.get(mark.key.as_str()) else { continue };
            let is_same_scorer = Some(mark.scorer.as_deref().unwrap_or_default()) == request.scorer;
            items.push(TermItem {
                key: mark.key.clone(),
                kind: mark.kind,
                cluster: mark.cluster.clone(),
                voice: speaker_of(mark),
                day: days.partition_point(|day| day.span.until <= mark.moment()),
                at: mark.moment(),
                sound: mark.sound.filter(|_| is_same_scorer),
                weight: mark.engagement.sum(),
                terms: terms_of(mark, words),
                runs: words::dense_runs(&readable(mark, words)),
            });
        }
    }
    Ok(items)
}

/// The queries of a topic that contain words.
pub(in crate::compare) fn questions(topic: &Topic) -> Vec<words::QueryWords> {
    let of_service = topic.sources().into_iter().filter_map(|source| topic.query(source));
    let of_providers = topic.providers.iter().filter_map(|one| Some(one.text("query")?.to_owned()));
    of_service.chain(of_providers).filter_map(|question| words::QueryWords::of(&question)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Engagement, Kind, WindowFit};

    #[test]
    fn too_many_items_are_sampled_evenly_over_the_period() {
        let mark = |n: i64| CountedItem {
            key: format!("post:x:{n}"),
            kind: Kind::Post,
            author: None,
            url: None,
            published_at: Some(Time(n)),
            first_seen: Time(10_000),
            seq: 1,
            fit: WindowFit::In,
            cluster: format!("post:x:{n}"),
            sound: None,
            score: None,
            scorer: None,
            engagement: Engagement::default(),
            changes: 0,
            pruned: false,
        };
        let marks: Vec<CountedItem> = (0..10_000).map(mark).collect();
        let period: Vec<&CountedItem> = marks.iter().collect();
        let read = sample(&period, 2_000);
        assert_eq!(read.len(), 2_000);
        assert!(read.windows(2).all(|pair| pair[0].moment() > pair[1].moment()), "the latest first, each once");
        // 200 of each tenth are expected, with a standard deviation of 13.
        for tenth in 0..10 {
            let of_tenth = read.iter().filter(|mark| mark.moment().0 / 1_000 == tenth).count();
            assert!((150..250).contains(&of_tenth), "{tenth}: {of_tenth}");
        }
        let again: Vec<&CountedItem> = period.iter().rev().copied().collect();
        assert_eq!(sample(&again, 2_000), read, "the order of the rows does not matter");
        assert_eq!(sample(&period, 10_000).len(), 10_000);
    }
}
