//! When the sources of a topic changed, from its searches: counts from before cannot be compared with counts from after,
//! nor those of topics that have different sources.

use std::collections::BTreeSet;

use super::SearchCoverage;
use crate::insight::coverage::membership::memberships;
use crate::model::{ResultKind, RunSearch, Source, Span, Time, WatchedTopic, result_kind};

impl SearchCoverage {
    /// Returns when the topic got or lost a source that finds items, within a span. The sources that it began with are
    /// no change.
    #[must_use]
    pub fn source_changes(&self, span: Span) -> BTreeSet<Time> {
        let Some(watched) = self.watched() else { return BTreeSet::new() };
        let mut changes = BTreeSet::new();
        for source in searched(self.runs()) {
            for member in memberships(source, watched, self.runs(), span) {
                changes.extend((member.span.from > span.from).then_some(member.span.from));
                changes.extend((!member.lasts && member.span.until < span.until).then_some(member.span.until));
            }
        }
        changes
    }
}

/// The sources that were searched and find items.
fn searched(runs: &[RunSearch]) -> BTreeSet<Source> {
    let searches = runs.iter().filter_map(|run| run.search.as_ref());
    searches
        .filter(|search| result_kind(search.source, &search.operation) != ResultKind::Answer)
        .map(|search| search.source)
        .collect()
}

/// The sources that find the items of a topic.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FindingSources {
    /// Those that it had in all of a span; `None` if it was not watched before the end of the span.
    pub throughout: Option<BTreeSet<Source>>,
    /// All that may have found items of the span.
    pub any: BTreeSet<Source>,
}

/// Returns the sources that find the items of a topic in a span. `runs` are those since the start of the span, in time
/// order: later ones may have found items of the span, too.
#[must_use]
pub fn finding_sources(watched: &WatchedTopic, runs: &[RunSearch], span: Span) -> FindingSources {
    let mut any = searched(runs);
    if let Some(topic) = &watched.definition {
        let finds = |source: &Source| topic.brings(*source).is_some_and(|kind| kind != ResultKind::Answer);
        any.extend(topic.sources().into_iter().filter(finds));
    }
    let is_whole = |source: &Source| memberships(*source, watched, runs, span).iter().any(|member| member.span == span);
    let throughout = (watched.began < span.until).then(|| any.iter().copied().filter(is_whole).collect());
    FindingSources { throughout, any }
}

/// Returns the sources that all topics had in all of a span, if any topic had others; `None` if their items can be
/// compared as they are. A topic that was not watched before the end of the span restricts no other.
#[must_use]
pub fn sources_in_common(topics: &[FindingSources]) -> Option<BTreeSet<Source>> {
    let throughout = topics.iter().filter_map(|topic| topic.throughout.clone());
    let common = throughout.reduce(|common, other| common.intersection(&other).copied().collect())?;
    let mut watched = topics.iter().filter(|topic| topic.throughout.is_some());
    watched.any(|topic| !topic.any.is_subset(&common)).then_some(common)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests fail by panicking")]
    use super::*;
    use crate::model::{
        CoverageSearch, ProviderQuery, RunState, SearchState, SocialOperation, SocialQuery, Topic, Window,
    };

    const HOUR: i64 = 3_600_000;

    /// The runs of a topic, one an hour, each with its sources: `s` social, `w` web, `h` Hacker News, `a` an answer.
    fn runs(letters: &[&str]) -> Vec<RunSearch> {
        let of = |(hour, letters): (i64, &&str)| {
            let search = move |letter: char| {
                let (source, operation) = match letter {
                    's' => (Source::Social, "search"),
                    'w' => (Source::Web, "search"),
                    'a' => (Source::Ai, "search"),
                    _ => (Source::parse("hn").unwrap(), "hackernews"),
                };
                let at = Time(hour * HOUR);
                let search = CoverageSearch {
                    source,
                    operation: operation.into(),
                    state: SearchState::Ok,
                    requested_span: Some(Span { from: Time(at.0 - HOUR), until: at }),
                    covered: None,
                    saturated: false,
                    trouble: None,
                };
                RunSearch { topic: "acme".into(), at, state: RunState::Ok, reason: None, search: Some(search) }
            };
            letters.chars().map(search).collect::<Vec<_>>()
        };
        (1..).zip(letters).flat_map(of).collect()
    }

    /// What a topic's sources were in the first four hours. Its definition is not known, so it has all of them still.
    fn sources(began: i64, letters: &[&str]) -> FindingSources {
        let watched = WatchedTopic {
            topic: "acme".into(),
            began: Time(began),
            filled_from: None,
            ended: None,
            paused: false,
            next: None,
            definition: None,
        };
        finding_sources(&watched, &runs(letters), Span { from: Time(0), until: Time(4 * HOUR) })
    }

    /// The same of a topic with social and Hacker News that was added after that.
    fn added_later() -> FindingSources {
        let query =
            ProviderQuery { source: Source::parse("hn").unwrap(), kind: "hackernews".into(), keys: Default::default() };
        let definition = Topic {
            id: "globex".into(),
            title: "Globex".into(),
            tags: Vec::new(),
            window: Window::Past24Hours,
            social: Some(SocialQuery { query: "globex".into(), operation: SocialOperation::Search, limit: None }),
            web: None,
            ai: None,
            providers: vec![query],
            schedule: None,
            unscheduled: Default::default(),
            limits: Default::default(),
            filter: Default::default(),
        };
        let watched = WatchedTopic {
            topic: "globex".into(),
            began: Time(9 * HOUR),
            filled_from: None,
            ended: None,
            paused: false,
            next: None,
            definition: Some(definition),
        };
        finding_sources(&watched, &[], Span { from: Time(0), until: Time(4 * HOUR) })
    }

    #[test]
    fn only_sources_that_all_topics_had_in_the_whole_span_are_compared() {
        let all: [&str; 5] = ["sh"; 5];
        let social: [&str; 5] = ["s"; 5];
        for (name, topics, common) in [
            ("the same", vec![sources(0, &all), sources(0, &all)], None),
            ("an answer finds nothing", vec![sources(0, &social), sources(0, &["sa"; 5])], None),
            ("one has another", vec![sources(0, &all), sources(0, &social)], Some(vec!["social"])),
            ("none in common", vec![sources(0, &["h"; 5]), sources(0, &social)], Some(vec![])),
            (
                "added to both in the middle",
                vec![sources(0, &["s", "s", "sh", "sh"]), sources(0, &["s", "s", "sh", "sh"])],
                Some(vec!["social"]),
            ),
            (
                "added after the span: its first search may look back",
                vec![sources(0, &["s", "s", "s", "s", "sh"]), sources(0, &social)],
                Some(vec!["social"]),
            ),
            ("watched after the span only", vec![sources(0, &all), sources(0, &all), sources(9 * HOUR, &[])], None),
            ("added after the span only", vec![sources(0, &social), sources(0, &social), added_later()], None),
            ("nothing is watched yet", vec![sources(9 * HOUR, &all)], None),
        ] {
            let parse = |names: Vec<&str>| names.into_iter().map(|name| Source::parse(name).unwrap()).collect();
            let common: Option<BTreeSet<Source>> = common.map(parse);
            assert_eq!(sources_in_common(&topics), common, "{name}");
        }
    }
}
