//! Finds out from a topic's searches when its sources changed: counts from before cannot be compared with counts from
//! after. Counts of topics with different sources cannot be compared either.

use std::collections::{BTreeMap, BTreeSet};

use super::moments::searched;
use super::search_coverage::{COVERED, SearchCoverage, covered_share};
use crate::insight::coverage::membership::memberships;
use crate::insight::split_coverage;
use crate::model::{ResultKind, RunSearch, Source, Span, Time, WatchedTopic};

/// When a topic had each of the sources that find items.
#[derive(Debug)]
pub struct SourceHistory {
    seen: Span,
    /// Spans of a source are in order and do not touch.
    times: BTreeMap<Source, Vec<Span>>,
}

impl SearchCoverage {
    /// Returns when the topic had its sources, within a span up to the present. Time that their searches covered before
    /// that counts, too: a backfill, or a search after one that the budget refused.
    #[must_use]
    pub fn source_history(&self, seen: Span) -> SourceHistory {
        let Some(watched) = self.watched() else { return SourceHistory { seen, times: BTreeMap::new() } };
        let times = |source: Source| (source, times_of(source, watched, self.runs(), seen));
        SourceHistory { seen, times: searched(self.runs()).into_iter().map(times).collect() }
    }
}

impl SourceHistory {
    /// Returns when the topic last got or lost a source, before a time. The sources at the start are not a change.
    #[must_use]
    pub fn last_change(&self, before: Time) -> Option<Time> {
        let ends = self.times.values().flatten().flat_map(|span| [span.from, span.until]);
        ends.filter(|at| self.seen.from < *at && *at < self.seen.until.min(before)).max()
    }

    /// Returns the sources that the topic had in a span, as far as it has passed; `None` if it got or lost one within.
    #[must_use]
    pub fn constant(&self, span: Span) -> Option<BTreeSet<Source>> {
        let span = span.intersection(self.seen)?;
        let had = || self.times.iter().filter(|(_, times)| is_whole(span, times)).map(|(source, _)| *source).collect();
        self.part_time(span).is_empty().then(had)
    }

    /// Returns the sources that the topic had only in a part of a span, and when.
    #[must_use]
    pub fn part_time(&self, span: Span) -> Vec<(Source, Vec<Span>)> {
        span.intersection(self.seen).map_or_else(Vec::new, |span| self.part_time_of_any(&[span], span))
    }

    /// Returns the sources that the topic had only in a part of any of these spans, and when in all of `period`.
    pub(super) fn part_time_of_any(&self, spans: &[Span], period: Span) -> Vec<(Source, Vec<Span>)> {
        let some = self.times.iter().filter(|(_, times)| spans.iter().any(|span| is_part(*span, times)));
        let inside = |times: &[Span]| times.iter().filter_map(|one| one.intersection(period)).collect();
        some.map(|(source, times)| (*source, inside(times))).collect()
    }
}

/// Returns when a topic had a source, in order: the time while its runs searched it, and the time that its searches
/// covered.
fn times_of(source: Source, watched: &WatchedTopic, runs: &[RunSearch], seen: Span) -> Vec<Span> {
    let members = memberships(source, watched, runs, seen).into_iter().map(|member| member.span);
    let searches = runs.iter().filter_map(|run| run.search.as_ref()).filter(|search| search.source == source);
    split_coverage(seen, members.chain(searches.filter_map(|search| search.covered))).covered
}

/// Whether these times are all of a span. A few seconds may be missing: a search at midnight starts a little later, and
/// looks back to a little after midnight.
fn is_whole(span: Span, times: &[Span]) -> bool {
    covered_share(span, times.iter().copied()) >= COVERED
}

/// Whether these times are only a part of a span. A few seconds do not count.
fn is_part(span: Span, times: &[Span]) -> bool {
    covered_share(span, times.iter().copied()) > 1.0 - COVERED && !is_whole(span, times)
}

/// The sources that find the items of a topic.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FindingSources {
    /// The sources that it had for a whole span except a few seconds; `None` if it was not watched before the end of
    /// the span.
    pub throughout: Option<BTreeSet<Source>>,
    /// All sources that may have found items of the span.
    pub any: BTreeSet<Source>,
}

/// Returns the sources that find the items of a topic in a span. `runs` are those since the start of the span, in time
/// order: later ones may have found items of the span, too.
#[must_use]
pub fn finding_sources(watched: &WatchedTopic, runs: &[RunSearch], span: Span) -> FindingSources {
    let mut any = searched(runs);
    if let Some(topic) = &watched.definition {
        let finds = |source: &Source| topic.result_kind(*source).is_some_and(|kind| kind != ResultKind::Answer);
        any.extend(topic.sources().into_iter().filter(finds));
    }
    // Use all runs: the time after a source ended in the span does not belong to the source.
    let after_last = runs.last().map_or(span.until, |run| Time(run.at.0.saturating_add(1)));
    let seen = Span { until: span.until.max(after_last), ..span };
    let had = |source: &Source| is_whole(span, &times_of(*source, watched, runs, seen));
    let throughout = (watched.began < span.until).then(|| any.iter().copied().filter(had).collect());
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

    /// The runs of a topic, one an hour, each with its sources: `s` social, `w` web, `h` Hacker News, `a` an answer; `m`
    /// is a missed slot.
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
                let (state, search) =
                    if letter == 'm' { (RunState::Missed, None) } else { (RunState::Ok, Some(search)) };
                RunSearch { topic: "acme".into(), at, seq: 0, state, reason: None, search }
            };
            letters.chars().map(search).collect::<Vec<_>>()
        };
        (1..).zip(letters).flat_map(of).collect()
    }

    /// The configuration of a topic with social, and Hacker News if wanted.
    fn definition(has_hn: bool) -> Topic {
        let hn = Source::parse("hn").unwrap();
        let query = ProviderQuery { source: hn, kind: "hackernews".into(), keys: Default::default() };
        Topic {
            id: "acme".into(),
            title: "Acme".into(),
            tags: Vec::new(),
            window: Window::Past24Hours,
            social: Some(SocialQuery { query: "acme".into(), operation: SocialOperation::Search, limit: None }),
            web: None,
            ai: None,
            providers: has_hn.then_some(query).into_iter().collect(),
            schedule: None,
            unscheduled: Default::default(),
            limits: Default::default(),
            filter: Default::default(),
        }
    }

    fn watched(began: i64, definition: Option<Topic>) -> WatchedTopic {
        WatchedTopic {
            topic: "acme".into(),
            began: Time(began),
            filled_from: None,
            ended: None,
            paused: false,
            next: None,
            definition,
        }
    }

    fn first_hours() -> Span {
        Span { from: Time(0), until: Time(4 * HOUR) }
    }

    /// The sources of a topic in the first four hours. Its definition is unknown, so it still has all of them.
    fn sources(began: i64, letters: &[&str]) -> FindingSources {
        finding_sources(&watched(began, None), &runs(letters), first_hours())
    }

    /// The same for a topic that now has only social.
    fn now_social(letters: &[&str]) -> FindingSources {
        finding_sources(&watched(0, Some(definition(false))), &runs(letters), first_hours())
    }

    /// The same for a topic with social and Hacker News that was added after that.
    fn added_later() -> FindingSources {
        finding_sources(&watched(9 * HOUR, Some(definition(true))), &[], first_hours())
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
            (
                "lost in the span, seen after it, and then a missed slot",
                vec![now_social(&["sh", "sh", "sh", "s", "s", "m"]), sources(0, &all)],
                Some(vec!["social"]),
            ),
            (
                "lost in the span, and back after it",
                vec![sources(0, &["sh", "sh", "sh", "s", "s", "sh"]), sources(0, &all)],
                Some(vec!["social"]),
            ),
            ("lost after the span", vec![now_social(&["sh", "sh", "sh", "sh", "s", "m"]), sources(0, &all)], None),
            ("watched after the span only", vec![sources(0, &all), sources(0, &all), sources(9 * HOUR, &[])], None),
            ("added after the span only", vec![sources(0, &social), sources(0, &social), added_later()], None),
            ("nothing is watched yet", vec![sources(9 * HOUR, &all)], None),
        ] {
            let parse = |names: Vec<&str>| names.into_iter().map(|name| Source::parse(name).unwrap()).collect();
            let common: Option<BTreeSet<Source>> = common.map(parse);
            assert_eq!(sources_in_common(&topics), common, "{name}");
        }
    }

    #[test]
    fn shares_of_sources_tolerate_the_same_seconds_as_the_sources_of_a_span() {
        // Hacker News is first searched at the third hour and looks back to the second, or is last searched at the third.
        let (added, removed) = (["s", "s", "sh", "sh", "sh", "sh"], ["sh", "sh", "sh", "s", "s", "s"]);
        let hn = Source::parse("hn").unwrap();
        let seconds = |from: i64, until: i64| Span { from: Time(from * 1_000), until: Time(until * 1_000) };
        for (name, letters, (from, until), (whole, part)) in [
            ("added before", added, (7_200, 18_000), (true, false)),
            ("added seconds later", added, (7_190, 18_000), (true, false)),
            ("added minutes later", added, (6_600, 18_000), (false, true)),
            ("removed after", removed, (3_600, 10_800), (true, false)),
            ("removed seconds before the end", removed, (3_600, 10_810), (true, false)),
            ("removed minutes before the end", removed, (3_600, 11_400), (false, true)),
            ("removed seconds after the start", removed, (10_790, 18_000), (false, false)),
        ] {
            let (watched, runs, span) =
                (watched(0, Some(definition(letters == added))), runs(&letters), seconds(from, until));
            let shared = finding_sources(&watched, &runs, span).throughout.unwrap();
            assert_eq!((shared.contains(&Source::Social), shared.contains(&hn)), (true, whole), "{name}");
            let seen = Span { from: Time(0), until: Time(7 * HOUR) };
            let history = SearchCoverage::new(Some(watched), runs, seen, seen.until).source_history(seen);
            assert_eq!(history.constant(span), (!part).then_some(shared), "{name}");
            assert_eq!(history.part_time(span).len(), usize::from(part), "{name}");
        }
    }

    #[test]
    fn spans_are_comparable_only_with_the_same_sources() {
        // Hacker News is lost after the third hour, and back at the seventh, whose search looks back an hour.
        let letters = ["sh", "sh", "sh", "sa", "s", "s", "sh", "sh"];
        let seen = Span { from: Time(0), until: Time(9 * HOUR) };
        let history = SearchCoverage::new(Some(watched(0, None)), runs(&letters), seen, Time(9 * HOUR - 1));
        let history = history.source_history(seen);
        let of = |from: i64, until: i64| {
            let sources = history.constant(Span { from: Time(from * HOUR), until: Time(until * HOUR) })?;
            let mut names: Vec<&str> = sources.iter().map(Source::as_str).collect();
            names.sort_unstable();
            Some(names.join(" "))
        };
        for (from, until, sources) in [
            (0, 3, Some("hn social")),
            (1, 2, Some("hn social")),
            (2, 4, None),
            (3, 6, Some("social")),
            (5, 7, None),
            (6, 9, Some("hn social")),
            (7, 20, Some("hn social")),
            (0, 9, None),
        ] {
            assert_eq!(of(from, until).as_deref(), sources, "{from}..{until}");
        }
        let hours = |at: Time| at.0 / HOUR;
        assert_eq!(
            [3, 4, 9].map(|before| history.last_change(Time(before * HOUR)).map(hours)),
            [None, Some(3), Some(6)]
        );
        let part = history.part_time(Span { from: Time(HOUR), until: Time(5 * HOUR) });
        let hn = Source::parse("hn").unwrap();
        assert_eq!(part, [(hn, vec![Span { from: Time(HOUR), until: Time(3 * HOUR) }])]);
        // Each change of a span is known, not only the last one.
        let part = history.part_time(seen);
        let both = [(0, 3), (6, 9)].map(|(from, until)| Span { from: Time(from * HOUR), until: Time(until * HOUR) });
        assert_eq!(part, [(hn, both.to_vec())]);
        // A few seconds do not count: the search at the third hour belongs to the time before it.
        let seconds = |from: i64, until: i64| Span { from: Time(from * 1_000), until: Time(until * 1_000) };
        let social = Some(BTreeSet::from([Source::Social]));
        assert_eq!(history.constant(seconds(3 * 3_600 - 3, 6 * 3_600)), social);
        assert_eq!(history.constant(seconds(6 * 3_600 - 3, 9 * 3_600)), Some(BTreeSet::from([Source::Social, hn])));
        assert_eq!(history.constant(seconds(3 * 3_600 - 600, 6 * 3_600)), None);
    }
}
