//! Works out from the ledger when a source belonged to a topic: from its first search on, for as long as the topic's
//! runs search it. Failed searches count, and so do searches that were not made: every finished run has a row for each
//! source of its topic. Pure.

use crate::model::{CoverageSearch, RunSearch, SearchState, Source, Span, Time, WatchedTopic};

/// A search of a time that was over this many milliseconds before its run is a backfill, which leaves out sources that
/// take no dates.
const OVER: i64 = 60_000;

/// A time in which a source belonged to a topic.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::insight) struct Membership {
    pub(in crate::insight) span: Span,
    /// Whether the topic still has the source at the end of the period: its next search looks back.
    pub(in crate::insight) lasts: bool,
    /// The first row of the ledger about it.
    pub(in crate::insight) first_row: usize,
}

/// The evidence of a run about a source.
enum RunEvidence {
    /// The topic has it; its search looks back to here.
    Has(Time),
    /// The topic does not have it.
    HasNot,
    /// Nothing was searched, as in a missed slot.
    NoSearch,
    /// The run did not ask every source.
    Nothing,
}

/// Returns the times of a period in which a source belonged to a topic, in order. `runs` are the topic's, in time
/// order. A source begins where its first search looks back to; if no earlier run lacks it, it was there from the
/// start. Once a run lacks it or the topic no longer has it, it ended with its last search, or with the last slot after
/// that in which nothing was searched.
pub(in crate::insight) fn memberships(
    source: Source,
    watched: &WatchedTopic,
    runs: &[RunSearch],
    period: Span,
) -> Vec<Membership> {
    let has_now = watched.definition.as_ref().is_none_or(|topic| topic.sources().contains(&source));
    let (mut all, mut row, mut lacked): (Vec<Membership>, usize, bool) = (Vec::new(), 0, false);
    let mut current: Option<Membership> = None;
    for run in runs.chunk_by(|a, b| a.at == b.at) {
        let at = run.first().map_or(period.from, |row| row.at);
        match evidence(run, source) {
            RunEvidence::Has(looks_back_to) => {
                let before = all.last().map_or(period.from, |last| last.span.until);
                let from = if lacked { looks_back_to.max(before) } else { period.from };
                let began = Membership { span: Span { from, until: at }, lasts: false, first_row: row };
                current.get_or_insert(began).span.until = at;
            }
            // For runs after the period, perhaps only the searches that look back into it were read.
            RunEvidence::HasNot if at >= period.until => {}
            RunEvidence::HasNot => {
                all.extend(current.take());
                lacked = true;
            }
            RunEvidence::NoSearch => {
                if let Some(current) = &mut current {
                    current.span.until = at;
                }
            }
            RunEvidence::Nothing => {}
        }
        row += run.len();
    }
    all.extend(current);
    let whole = Membership { span: period, lasts: true, first_row: 0 };
    match all.last_mut().filter(|_| has_now) {
        Some(last) => (last.span.until, last.lasts) = (period.until, true),
        None if has_now && !lacked => all.push(whole),
        None => {}
    }
    let inside = |one: Membership| Some(Membership { span: one.span.intersection(period)?, ..one });
    all.into_iter().filter_map(inside).collect()
}

fn evidence(run: &[RunSearch], source: Source) -> RunEvidence {
    let searches = || run.iter().filter_map(|row| Some((row.at, row.search.as_ref()?)));
    let is_over = |(at, search): &(Time, &CoverageSearch)| {
        search.requested_span.is_some_and(|requested| requested.until.0 < at.0 - OVER)
    };
    let looks_back_to = |(at, search): (Time, &CoverageSearch)| search.requested_span.map_or(at, |r| r.from.min(at));
    let own = searches().filter(|one| one.1.source == source && !is_over(one)).map(looks_back_to).min();
    match own {
        Some(from) => RunEvidence::Has(from),
        None if searches().next().is_none() => RunEvidence::NoSearch,
        // A backfill, or a run that was cut off before it had asked all its sources.
        None if searches()
            .any(|one| is_over(&one) || matches!(one.1.state, SearchState::Lost | SearchState::Started)) =>
        {
            RunEvidence::Nothing
        }
        None => RunEvidence::HasNot,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests fail by panicking")]
    use super::*;
    use crate::model::{Period, RunState, SchedulePolicy, SocialOperation, SocialQuery, Topic, Window};

    const HOUR: i64 = 3_600_000;

    fn watched(has_social: bool) -> WatchedTopic {
        let social = SocialQuery { query: "acme".into(), operation: SocialOperation::Search, limit: None };
        let definition = Topic {
            id: "acme".into(),
            title: "Acme".into(),
            tags: Vec::new(),
            window: Window::Past24Hours,
            social: has_social.then_some(social),
            web: None,
            ai: None,
            providers: Vec::new(),
            schedule: Some(SchedulePolicy::timing_only(Period::Every(21_600_000), "UTC")),
            unscheduled: Default::default(),
            limits: Default::default(),
            filter: Default::default(),
        };
        let (topic, definition) = ("acme".to_owned(), Some(definition));
        WatchedTopic { topic, began: Time(0), filled_from: None, ended: None, paused: false, next: None, definition }
    }

    /// One run every ten hours, by one letter each: `s` searched the source and others, `f` it failed, `q` it was over
    /// quota, `o` only others were searched, `l` others were lost, `b` a backfill of others, `B` one of the source,
    /// `m` a missed slot.
    fn runs(letters: &str) -> Vec<RunSearch> {
        let mut all = Vec::new();
        for (number, letter) in (0_i64..).zip(letters.chars()) {
            let at = Time(number * 10 * HOUR);
            let row = |search: Option<CoverageSearch>| {
                let state = if search.is_some() { RunState::Ok } else { RunState::Missed };
                RunSearch { topic: "acme".into(), at, seq: 0, state, reason: None, search }
            };
            let search = |source: Source, state: SearchState, until: Time| CoverageSearch {
                source,
                operation: "search".into(),
                state,
                requested_span: Some(Span { from: Time(until.0 - 24 * HOUR), until }),
                covered: None,
                saturated: false,
                trouble: None,
            };
            let (own, other) = (Source::Social, Source::Web);
            let days_ago = Time(at.0 - 72 * HOUR);
            let searches = match letter {
                's' => vec![search(other, SearchState::Ok, at), search(own, SearchState::Ok, at)],
                'f' => vec![search(other, SearchState::Ok, at), search(own, SearchState::Error, at)],
                'q' => {
                    let unasked = CoverageSearch { requested_span: None, ..search(own, SearchState::OverQuota, at) };
                    vec![search(other, SearchState::Ok, at), unasked]
                }
                'o' => vec![search(other, SearchState::Ok, at)],
                'l' => vec![search(other, SearchState::Lost, at)],
                'b' => vec![search(other, SearchState::Ok, days_ago)],
                'B' => vec![search(own, SearchState::Ok, days_ago)],
                _ => Vec::new(),
            };
            if searches.is_empty() {
                all.push(row(None));
            }
            all.extend(searches.into_iter().map(|search| row(Some(search))));
        }
        all
    }

    #[test]
    fn a_source_belongs_from_its_first_search_until_runs_lack_it() {
        // The period: ten hours before the first run until ten hours after the tenth. Hours, and whether it lasts.
        let period = Span { from: Time(-10 * HOUR), until: Time(100 * HOUR) };
        for (name, has_now, letters, expected) in [
            ("always there", true, "ssssssssss", vec![(-10, 100, true)]),
            ("it only fails", true, "fqfqffqqff", vec![(-10, 100, true)]),
            ("nothing ran yet", true, "", vec![(-10, 100, true)]),
            ("nothing but missed slots", true, "mmmm", vec![(-10, 100, true)]),
            ("a downtime, then the first search: it may have been there before", true, "mmms", vec![(-10, 100, true)]),
            ("added later: from where its first search looks back to", true, "oooossssss", vec![(16, 100, true)]),
            ("added, and over quota at once", true, "ooooqsssss", vec![(40, 100, true)]),
            ("added, but not searched yet", true, "oooooooooo", vec![]),
            ("removed", false, "ssssoooooo", vec![(-10, 30, false)]),
            ("removed while it failed", false, "ssffoooooo", vec![(-10, 30, false)]),
            ("removed after a downtime", false, "ssmmmooooo", vec![(-10, 40, false)]),
            ("missed slots after the removal are not its own", false, "ssssommmoo", vec![(-10, 30, false)]),
            ("removed, and nothing ran since", false, "ssss", vec![(-10, 30, false)]),
            ("added and removed", false, "ooooffffoo", vec![(16, 70, false)]),
            ("removed and added again", true, "ssooooosss", vec![(-10, 10, false), (46, 100, true)]),
            ("away for one run only", true, "ssosssssss", vec![(-10, 10, false), (10, 100, true)]),
            ("a backfill of others, and a run cut off, say nothing", true, "ssblsbssss", vec![(-10, 100, true)]),
            ("a backfill does not add it earlier", true, "oooosBssss", vec![(16, 100, true)]),
            ("only a backfill, and gone", false, "ooBooooooo", vec![]),
        ] {
            let got = memberships(Source::Social, &watched(has_now), &runs(letters), period);
            let got: Vec<_> =
                got.iter().map(|one| (one.span.from.0 / HOUR, one.span.until.0 / HOUR, one.lasts)).collect();
            assert_eq!(got, expected, "{name}");
        }
    }

    #[test]
    fn each_membership_lies_in_the_period_and_has_its_first_row() {
        let runs = runs("ssooooosss");
        let period = Span { from: Time(5 * HOUR), until: Time(75 * HOUR) };
        let got = memberships(Source::Social, &watched(true), &runs, period);
        let got: Vec<_> =
            got.iter().map(|one| (one.span.from.0 / HOUR, one.span.until.0 / HOUR, one.first_row)).collect();
        // Two rows for each of the first two runs, one for each of the next five.
        assert_eq!(got, [(5, 10, 0), (46, 75, 9)]);
    }
}
