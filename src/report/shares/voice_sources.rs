//! Decides which sources shares of voice count. A topic with more sources finds more, even if people do not talk about
//! it more. So if the topics had different sources, only those count that all topics had for the whole period.
//! `insight` knows when a topic had a source.

use std::collections::{BTreeSet, HashSet};

use crate::insight::daily::{finding_sources, sources_in_common};
use crate::model::{CountedItem, Source, Span, Time, Topic};
use crate::report::document::Report;
use crate::store::{ReadSnapshot, StoreError};

/// Returns the sources that all of these topics had for a whole span; `None` if all had the same sources.
pub(in crate::report) async fn read(
    snapshot: &mut ReadSnapshot,
    topics: &[&Topic],
    span: Span,
    now: Time,
) -> Result<Option<BTreeSet<Source>>, StoreError> {
    if topics.len() < 2 {
        return Ok(None);
    }
    // Later searches may have found items of the span, too.
    let since = Span { until: Time(now.0.saturating_add(1)), ..span };
    let mut all = Vec::with_capacity(topics.len());
    for topic in topics {
        let Some(watched) = snapshot.watched_topics(std::slice::from_ref(&topic.id)).await?.pop() else { continue };
        let runs = snapshot.runs_with_searches(&topic.id, since).await?;
        all.push(finding_sources(&watched, &runs, span));
    }
    Ok(sources_in_common(&all))
}

/// Whether runs since the start of the span were thinned or pruned, if only some sources count: then only the first and
/// the last run of each item show which sources found it.
pub(in crate::report) async fn are_pruned(
    snapshot: &mut ReadSnapshot,
    topics: &[&Topic],
    span: Span,
    sources: Option<&BTreeSet<Source>>,
) -> Result<bool, StoreError> {
    if sources.is_none_or(BTreeSet::is_empty) {
        return Ok(false);
    }
    for topic in topics {
        if snapshot.thinned_until(&topic.id, span.from).await?.is_some() {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Returns the keys of items of a topic that these sources found, those of the period among them; `None` if all sources
/// count.
pub(in crate::report) async fn keys_found_by(
    snapshot: &mut ReadSnapshot,
    topic: &Topic,
    period: &[&CountedItem],
    sources: Option<&BTreeSet<Source>>,
) -> Result<Option<HashSet<String>>, StoreError> {
    let Some(sources) = sources else { return Ok(None) };
    let earliest = period.iter().map(|mark| mark.first_seen).min();
    let Some(earliest) = earliest.filter(|_| !sources.is_empty()) else { return Ok(Some(HashSet::new())) };
    let sources: Vec<Source> = sources.iter().copied().collect();
    let span = Span { from: earliest, until: Time(i64::MAX) };
    Ok(Some(snapshot.found_by(&topic.id, &sources, span, i64::MAX).await?))
}

impl Report {
    /// Returns which sources the shares of voice count, or why there are none; `None` if the topics had the same.
    pub(in crate::report) fn voice_note(&self) -> Option<String> {
        let sources = self.voice_sources.as_ref()?;
        if sources.is_empty() {
            return Some("No shares: the topics have no source in common for the whole period.".to_owned());
        }
        let names: Vec<&str> = sources.iter().map(Source::as_str).collect();
        let names = names.join(" or ");
        let pruned = match self.voice_pruned {
            true => " Some runs were pruned since: items that these sources did not find first or last may be missing.",
            false => "",
        };
        Some(format!(
            "Only items found by {names} count: no other source was searched for every topic in the whole period.{pruned}"
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::super::share_of_voice;
    use super::*;
    use crate::insight::daily::ItemCounts;
    use crate::report::facts::TopicFacts;
    use crate::report::samples::{report, topic};

    /// A topic with `all` items; the counted sources found this many of them.
    fn counted(id: &str, all: u64, in_common: Option<u64>) -> TopicFacts {
        let counts = |many: u64| ItemCounts { raw: many, unique: many, authors: many, ..ItemCounts::default() };
        TopicFacts { period: counts(all), voice: in_common.map(counts), ..topic(id) }
    }

    #[test]
    fn a_topic_with_more_sources_does_not_look_larger() {
        let same = BTreeSet::from([Source::Social]);
        let some = [("a", 90, Some(10)), ("b", 30, Some(30))];
        for (name, sources, is_pruned, topics, shares) in [
            ("the same sources", None, false, [("a", 90, None), ("b", 10, None)], vec!["a 90%", "b 10%"]),
            ("one in common", Some(same.clone()), false, some, vec!["b 75%", "a 25%"]),
            ("one in common, pruned", Some(same), true, some, vec!["b 75%", "a 25%"]),
            ("none in common", Some(BTreeSet::new()), false, [("a", 90, Some(0)), ("b", 10, Some(0))], vec![]),
        ] {
            let topics = topics.map(|(id, all, in_common)| counted(id, all, in_common));
            let compared: Vec<&TopicFacts> = topics.iter().collect();
            let voice = share_of_voice::of(&compared, sources.as_ref());
            let told: Vec<String> = voice.iter().map(|one| format!("{} {}", one.topic, one.bar())).collect();
            assert_eq!(told, shares, "{name}");
            let mut report = report(topics.to_vec());
            (report.voice, report.voice_sources, report.voice_pruned) = (voice, sources, is_pruned);
            let note = match name {
                "the same sources" => None,
                "one in common" | "one in common, pruned" => {
                    Some("Only items found by social count: no other source was searched for every topic")
                }
                _ => Some("No shares: the topics have no source in common for the whole period."),
            };
            for page in [report.html(), report.markdown()] {
                assert!(page.contains("Share of voice"), "{name}: {page}");
                for told in ["Only items that ", "No shares: "] {
                    let expected = note.is_some_and(|note| note.starts_with(told));
                    assert_eq!(page.contains(told), expected, "{name}: {page}");
                }
                assert!(note.is_none_or(|note| page.contains(note)), "{name}: {page}");
                assert_eq!(page.contains("Some runs were pruned since: "), is_pruned, "{name}: {page}");
            }
        }
    }
}
