//! Share of voice: each topic's share of the items of a group, and whether it is a lower or upper bound because there
//! may be more items than are counted. `voice_sources` decides which sources count.

use std::collections::BTreeSet;

use crate::insight::daily::{ItemCounts, Share, share};
use crate::model::Source;
use crate::report::comparison::measures::{SourceShare, Voice};
use crate::report::facts::TopicFacts;

impl Voice {
    /// Formats the share of unique items for its bar.
    pub(in crate::report) fn bar(&self) -> String {
        match self.unique {
            None if self.at_least => "–".to_owned(),
            None => "none".to_owned(),
            Some(_) => bounded(self.unique, self.at_least, self.others_at_least),
        }
    }

    /// Formats its share at each source; `None` without providers.
    pub(in crate::report) fn sources(&self) -> Option<String> {
        let at_least = self.at_least || self.found_at_least;
        let format_source = |(source, share): &(Source, Share)| {
            format!("{source} {}", bounded(Some(*share), at_least, self.more_elsewhere.contains(source)))
        };
        (!self.by_source.is_empty()).then(|| self.by_source.iter().map(format_source).collect::<Vec<_>>().join(" · "))
    }

    /// Formats the three shares.
    pub(in crate::report) fn cells(&self) -> [String; 3] {
        let format_cell =
            |share, more_elsewhere| crate::report::format::share_with_count(share, self.at_least, more_elsewhere);
        let is_unknown = self.authors.is_none() && self.raw.is_some_and(|raw| raw.part > 0);
        let authors = format_cell(self.authors, self.others_at_least || self.others_hidden);
        [
            format_cell(self.raw, self.others_at_least),
            format_cell(self.unique, self.others_at_least),
            if is_unknown { "unknown".to_owned() } else { authors },
        ]
    }
}

/// Formats a share, as a bound if there may be more.
fn bounded(share: Option<Share>, at_least: bool, more_elsewhere: bool) -> String {
    let formatted = crate::report::format::share_with_count(share, at_least, more_elsewhere);
    formatted.split(" (").next().unwrap_or_default().to_owned()
}

/// Returns the items of a topic that count.
fn counts(topic: &TopicFacts) -> &ItemCounts {
    topic.voice.as_ref().unwrap_or(&topic.period)
}

/// Returns each topic's share within a group. An item found by several topics counts for each of them. `sources` are
/// those that count, if not all; without any there are no shares.
pub(in crate::report) fn of(topics: &[&TopicFacts], sources: Option<&BTreeSet<Source>>) -> Vec<Voice> {
    if topics.len() < 2 || sources.is_some_and(BTreeSet::is_empty) {
        return Vec::new();
    }
    let sum = |of: fn(&ItemCounts) -> u64| topics.iter().map(|topic| of(counts(topic))).sum::<u64>();
    let (raw, unique, authors) = (sum(|c| c.raw), sum(|c| c.unique), sum(|c| c.authors));
    let has_unknown_authors: fn(&TopicFacts) -> bool =
        |topic| counts(topic).authors == 0 && counts(topic).no_author > 0;
    let others = |at: usize, what: fn(&TopicFacts) -> bool| {
        topics.iter().enumerate().any(|(other, topic)| other != at && what(topic))
    };
    let mut all: Vec<Voice> = topics
        .iter()
        .enumerate()
        .map(|(at, topic)| Voice {
            topic: topic.id.clone(),
            title: topic.title.clone(),
            by_source: by_source(topic, topics, sources),
            more_elsewhere: sources_with_more(topics.iter().copied().filter(|other| other.id != topic.id)),
            found_at_least: topic.found_by.thinned,
            // A source that a topic had for a part of the period is not counted.
            at_least: topic.has_gaps(),
            others_at_least: others(at, TopicFacts::has_gaps),
            others_hidden: others(at, has_unknown_authors),
            raw: share(counts(topic).raw, raw).filter(|_| !topic.is_unsearched()),
            unique: share(counts(topic).unique, unique).filter(|_| !topic.is_unsearched()),
            authors: share(counts(topic).authors, authors)
                .filter(|_| !has_unknown_authors(topic) && !topic.is_unsearched()),
        })
        .collect();
    let part = |voice: &Voice| voice.unique.map_or(0, |share| share.part);
    all.sort_by(|a, b| part(b).cmp(&part(a)).then_with(|| a.topic.cmp(&b.topic)));
    all
}

/// Returns a topic's share of the items that each counted source found for the group.
fn by_source(topic: &TopicFacts, topics: &[&TopicFacts], sources: Option<&BTreeSet<Source>>) -> Vec<(Source, Share)> {
    let of = |topic: &TopicFacts, source: Source| {
        topic.found_by.sources.iter().filter(|one| one.source == source).map(|one| one.unique).sum::<u64>()
    };
    let is_counted = |source: Source| sources.is_none_or(|sources| sources.contains(&source));
    let part = |one: &SourceShare| {
        let total = topics.iter().map(|topic| of(topic, one.source)).sum();
        Some((one.source, share(one.unique, total).filter(|_| is_counted(one.source))?))
    };
    topic.found_by.sources.iter().filter_map(part).collect()
}

/// Returns the sources of topics that may have more items than are counted, or than are known to be theirs.
fn sources_with_more<'a>(topics: impl Iterator<Item = &'a TopicFacts>) -> BTreeSet<Source> {
    let incomplete = topics.filter(|topic| topic.has_gaps() || topic.found_by.thinned);
    let sources = incomplete.flat_map(|topic| {
        let searched = topic.sources.iter().map(|facts| facts.source);
        searched.chain(topic.found_by.sources.iter().map(|found| found.source))
    });
    sources.collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::indexing_slicing, reason = "tests fail by panicking")]
    use super::*;
    use crate::report::samples::topic;

    #[test]
    fn a_bar_shows_whether_its_share_is_a_lower_or_upper_bound() {
        let topic_with = |id: &str, unique: u64, saturated: bool| {
            let mut facts = topic(id);
            (facts.period.raw, facts.period.unique, facts.saturated) = (unique, unique, saturated);
            facts
        };
        let (full, whole, none) = (topic_with("a", 60, true), topic_with("b", 40, false), topic_with("c", 0, false));
        let bars = |topics: &[&TopicFacts]| of(topics, None).iter().map(Voice::bar).collect::<Vec<_>>();
        assert_eq!(bars(&[&full, &whole]), ["≥\u{a0}60%", "≤\u{a0}40%"]);
        assert_eq!(bars(&[&whole, &none]), ["100%", "0%"]);
        assert_eq!(bars(&[&full, &none]), ["100%", "0%"]);
        assert_eq!(bars(&[&none, &none]), ["none", "none"]);
        let mut paused = topic_with("p", 0, false);
        (paused.covered, paused.partly_uncovered) = (Some(0.0), true);
        assert_eq!(bars(&[&whole, &paused]), ["≤\u{a0}100%", "–"], "nothing is known about it");
        // A removed source is not counted, so its uncovered rest does not make the shares bounds.
        let mut changed = topic_with("d", 60, false);
        changed.part_time = vec![(Source::Web, Vec::new())];
        assert!(changed.may_be_more());
        assert_eq!(bars(&[&changed, &whole]), ["60%", "40%"]);
    }
}
