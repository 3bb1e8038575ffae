//! The items of the period by source: how many each found, how many only it found, and how many several found. Shown
//! for topics with providers in addition to the search service; also counted for the topics with which they are
//! compared.

use std::collections::{BTreeMap, BTreeSet};

use crate::insight::daily::share;
use crate::model::{CountedItem, Source, Span, Topic};
use crate::report::comparison::measures::{FoundBy, SourceShare};
use crate::report::format::{at_least, count_noun, number};
use crate::store::{ReadSnapshot, StoreError};

/// The maximum number of items read by source.
const MOST: i64 = 500_000;

/// Whether a topic has several sources, and not only those of the search service.
pub(in crate::report) fn has_several_sources(topic: &Topic) -> bool {
    let sources = topic.sources();
    sources.len() > 1 && !sources.iter().all(|source| source.is_service())
}

/// Reads what each source found of a period; empty if this is neither shown for the topic nor compared with other
/// topics.
pub(in crate::report) async fn read(
    snapshot: &mut ReadSnapshot,
    topic: &Topic,
    period: &[&CountedItem],
    seen: Span,
    compared: bool,
) -> Result<FoundBy, StoreError> {
    let first = period.iter().map(|mark| mark.first_seen).min();
    let Some(first) = first.filter(|_| compared || has_several_sources(topic)) else {
        return Ok(FoundBy::default());
    };
    // An item of the period may have been first seen before the period began.
    let sightings = snapshot.shown_by(&topic.id, Span { from: first.min(seen.from), ..seen }, MOST).await?;
    // If only a part was read, it is unknown which source alone found an item.
    let is_cut = i64::try_from(sightings.len()).is_ok_and(|many| many >= MOST);
    let thinned = snapshot.thinned_until(&topic.id, first).await?.is_some();
    let found = of(period, &sightings);
    let is_shown = has_several_sources(topic) && found.sources.len() > 1 && !is_cut;
    let found = FoundBy { is_shown, ..found };
    Ok(if thinned || is_cut { found.into_thinned() } else { found })
}

fn of(period: &[&CountedItem], sightings: &[(Source, String)]) -> FoundBy {
    let clusters: BTreeMap<&str, &str> = period.iter().map(|mark| (&*mark.key, &*mark.cluster)).collect();
    let mut texts: BTreeMap<&str, BTreeSet<Source>> = BTreeMap::new();
    let mut items: BTreeMap<Source, u64> = BTreeMap::new();
    for (source, key) in sightings {
        if let Some(cluster) = clusters.get(&**key) {
            *items.entry(*source).or_default() += 1;
            texts.entry(cluster).or_default().insert(*source);
        }
    }
    let row = |(source, items): (Source, u64)| {
        let of = || texts.values().filter(|by| by.contains(&source));
        SourceShare {
            source,
            items,
            unique: of().count() as u64,
            exclusive: Some(of().filter(|by| by.len() == 1).count() as u64),
        }
    };
    let agreed = texts.values().filter(|by| by.len() > 1).count() as u64;
    let sources = items.into_iter().map(row).collect();
    FoundBy { is_shown: false, sources, unique: texts.len() as u64, agreed, thinned: false }
}

impl FoundBy {
    /// The same if sightings are missing: an item may have other sources than those that are known.
    fn into_thinned(self) -> Self {
        let sources = self.sources.into_iter().map(|one| SourceShare { exclusive: None, ..one }).collect();
        Self { thinned: true, sources, ..self }
    }

    /// Returns a sentence about how much several sources agree on; `None` if it is not shown or there is nothing to
    /// agree on.
    pub(in crate::report) fn sentence(&self) -> Option<String> {
        let agreed = share(self.agreed, self.unique).filter(|_| self.is_shown)?;
        let texts = count_noun(self.unique, "text");
        if self.thinned {
            return Some(format!(
                "At least {} of {texts} found by more than one source. Some runs were pruned since: a source may have \
                 found more of these, and it is not known which texts only one found.",
                number(self.agreed)
            ));
        }
        Some(format!(
            "{} of {texts} ({}) found by more than one source.",
            number(self.agreed),
            crate::report::format::share(&agreed)
        ))
    }

    /// Formats the figures of a source: items, unique items, and those that only it found.
    pub(in crate::report) fn cells(&self, one: &SourceShare) -> [String; 3] {
        let [items, unique] = [one.items, one.unique].map(|many| at_least(many, self.thinned));
        [items, unique, one.exclusive.map_or_else(|| "–".to_owned(), number)]
    }

    pub(in crate::report) fn is_hidden(&self) -> bool {
        !self.is_shown
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Engagement, Kind, Time, WindowFit};

    #[test]
    fn a_text_found_by_two_sources_counts_once_as_agreed_with_all_its_copies() {
        let mark = |key: &str, cluster: &str| CountedItem {
            key: key.into(),
            kind: Kind::Post,
            author: None,
            url: None,
            published_at: None,
            first_seen: Time(0),
            seq: 1,
            fit: WindowFit::In,
            cluster: cluster.into(),
            sound: None,
            score: None,
            scorer: None,
            engagement: Engagement::default(),
            changes: 0,
            pruned: false,
        };
        let marks = [mark("a", "a"), mark("b", "a"), mark("c", "c"), mark("d", "d")];
        let source = |name: &str| Source::parse(name).unwrap_or(Source::Social);
        let sightings: Vec<(Source, String)> =
            [("hn", "a"), ("news", "b"), ("news", "c"), ("hn", "d"), ("news", "d"), ("news", "other")]
                .into_iter()
                .map(|(name, key)| (source(name), key.to_owned()))
                .collect();
        let found = of(&marks.iter().collect::<Vec<_>>(), &sightings);
        let rows: Vec<_> =
            found.sources.iter().map(|one| (one.source.as_str(), one.items, one.unique, one.exclusive)).collect();
        assert_eq!(rows, [("hn", 2, 2, Some(0)), ("news", 3, 3, Some(1))]);
        assert_eq!((found.unique, found.agreed), (3, 2));
        let cells = |found: &FoundBy| found.sources.iter().map(|one| found.cells(one).join(" ")).collect::<Vec<_>>();
        let alone_of = |found: &FoundBy| serde_json::to_value(&found.sources).unwrap()[1]["alone"].clone();
        assert_eq!(
            (cells(&found), alone_of(&found)),
            (vec!["2 2 0".to_owned(), "3 3 1".to_owned()], serde_json::json!(1))
        );
        let thinned = found.into_thinned();
        assert_eq!(cells(&thinned), ["≥\u{a0}2 ≥\u{a0}2 –", "≥\u{a0}3 ≥\u{a0}3 –"]);
        assert_eq!(alone_of(&thinned), serde_json::Value::Null);
        let alone = of(&marks.iter().collect::<Vec<_>>(), &sightings[..1]);
        assert_eq!((alone.sources.len(), alone.unique, alone.agreed, alone.sentence()), (1, 1, 0, None));
    }
}
