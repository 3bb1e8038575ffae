//! Sums over finished runs for metrics: the names of the sums and the buckets of durations. Pure; the store keeps the
//! sums and `metrics` shows them.

use std::collections::BTreeMap;

use crate::model::{MetricSum, RunState, SearchState, Source, SourceLatest, TallyRun, TallySearch, Time, Trigger};

/// Runs by kind of job and outcome.
pub const RUNS: &str = "runs";
/// Run durations by kind of job: buckets, and the sum in milliseconds.
pub const RUN_TIME: (&str, &str) = ("run_time", "run_time_sum");
/// How long after its slot a run started, by trigger.
pub const SLOT_LAG: (&str, &str) = ("slot_lag", "slot_lag_sum");
/// Searches by source and class.
pub const SEARCHES: &str = "searches";
/// Duration of the last try of a search, by source.
pub const SEARCH_TIME: (&str, &str) = ("search_time", "search_time_sum");
/// Calls by source.
pub const CALLS: &str = "calls";
/// Items by source, and whether they were new to their topic.
pub const ITEMS: &str = "items";
/// Items outside the window, by source.
pub const OUTSIDE: &str = "outside";
/// Unreadable entries of replies, by source.
pub const UNREADABLE: &str = "unreadable";
/// Cost of searches by source, in micro-dollars.
pub const COST: &str = "cost";
/// How much of it no bill confirms.
pub const ASSUMED: &str = "cost_assumed";

/// Upper bounds of the [`RUN_TIME`] buckets, milliseconds.
pub const RUN_BOUNDS: [i64; 11] =
    [500, 1_000, 2_500, 5_000, 10_000, 30_000, 60_000, 120_000, 300_000, 600_000, 1_800_000];
/// The same for [`SLOT_LAG`]: a slot that is caught up may be days late.
pub const LAG_BOUNDS: [i64; 11] =
    [250, 500, 1_000, 2_500, 5_000, 10_000, 30_000, 60_000, 600_000, 3_600_000, 86_400_000];
/// The same for [`SEARCH_TIME`].
pub const SEARCH_BOUNDS: [i64; 11] = [100, 250, 500, 1_000, 2_500, 5_000, 10_000, 20_000, 30_000, 60_000, 120_000];

/// Sums by name, labels and bucket.
#[derive(Debug, Default)]
struct Sums(BTreeMap<(&'static str, String, i64), i64>);

impl Sums {
    fn add(&mut self, name: &'static str, labels: &str, value: i64) {
        self.add_to(name, labels, 0, value);
    }

    fn add_to(&mut self, name: &'static str, labels: &str, bound: i64, value: i64) {
        let sum = self.0.entry((name, labels.to_owned(), bound)).or_default();
        *sum = sum.saturating_add(value.max(0));
    }

    /// Adds a duration to the first bucket large enough, or to bucket 0. A clock that was set back counts as 0.
    fn add_duration(&mut self, (name, sum): (&'static str, &'static str), bounds: &[i64], labels: &str, ms: i64) {
        let ms = ms.max(0);
        let bound = bounds.iter().copied().find(|bound| ms <= *bound).unwrap_or(0);
        self.add_to(name, labels, bound, 1);
        self.add(sum, labels, ms);
    }

    fn run(&mut self, run: &TallyRun) {
        let kind = run.job.split(':').next().unwrap_or_default();
        self.add(RUNS, &format!("{kind} {}", run.state), 1);
        let ran = run.started_at.filter(|_| run.state != RunState::Cancelled);
        if let (Some(from), Some(until)) = (ran, run.finished_at) {
            self.add_duration(RUN_TIME, &RUN_BOUNDS, kind, until.0.saturating_sub(from.0));
        }
        if let (Some(slot), Some(from)) = (run.slot.filter(|_| run.trigger != Trigger::Manual), ran) {
            self.add_duration(SLOT_LAG, &LAG_BOUNDS, run.trigger.as_str(), from.0.saturating_sub(slot.0));
        }
        for search in &run.searches {
            self.search(search);
        }
    }

    fn search(&mut self, search: &TallySearch) {
        let source = search.source.as_str();
        let class = match (search.state, search.class.as_deref()) {
            (SearchState::Error, Some(class)) if is_error_class(class) => class,
            (state, _) => state.as_str(),
        };
        self.add(SEARCHES, &format!("{source} {class}"), 1);
        if let Some(latency) = search.latency_ms {
            self.add_duration(SEARCH_TIME, &SEARCH_BOUNDS, source, latency);
        }
        let counts = &search.counts;
        for (name, labels, value) in [
            (CALLS, source.to_owned(), search.tries),
            (ITEMS, format!("{source} new"), counts.new),
            (ITEMS, format!("{source} duplicate"), counts.duplicate),
            (OUTSIDE, source.to_owned(), counts.outside),
            (UNREADABLE, source.to_owned(), search.unreadable),
            (COST, source.to_owned(), search.cost.total.0),
            (ASSUMED, source.to_owned(), search.cost.assumed.0),
        ] {
            self.add(name, &labels, value);
        }
    }
}

/// Whether `class` is a short word, as this program writes them. Anything else gets no series of its own.
fn is_error_class(class: &str) -> bool {
    !class.is_empty() && class.len() <= 32 && class.bytes().all(|b| b.is_ascii_lowercase() || b == b'_')
}

/// Returns the sums over runs, and when each source of their topics last answered.
#[must_use]
pub fn tally(runs: &[TallyRun]) -> (Vec<MetricSum>, Vec<SourceLatest>) {
    let mut sums = Sums::default();
    let mut latest: BTreeMap<(&str, Source), (Time, Option<Time>)> = BTreeMap::new();
    for run in runs {
        sums.run(run);
        let (Some(topic), Some(at)) = (run.topic.as_deref(), run.started_at) else { continue };
        for search in run.searches.iter().filter(|s| matches!(s.state, SearchState::Ok | SearchState::Empty)) {
            let known = latest.entry((topic, search.source)).or_insert((at, None));
            known.0 = known.0.max(at);
            if search.fresh {
                known.1 = known.1.max(Some(at));
            }
        }
    }
    let sum = |((name, labels, bound), value): ((&str, String, i64), i64)| MetricSum {
        name: name.to_owned(),
        labels,
        bound,
        value,
    };
    let last = |((topic, source), (answered_at, new_at)): ((&str, Source), (Time, Option<Time>))| SourceLatest {
        topic: topic.to_owned(),
        source,
        answered_at,
        new_at,
    };
    (sums.0.into_iter().map(sum).collect(), latest.into_iter().map(last).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Counts, Micros, SearchCost};

    fn search(state: SearchState, class: Option<&str>, new: i64) -> TallySearch {
        let counts = Counts { found: new + 2, new, duplicate: 2, ..Counts::default() };
        let (source, class) = (Source::Web, class.map(str::to_owned));
        TallySearch {
            source,
            state,
            class,
            tries: 1,
            latency_ms: Some(250),
            counts,
            fresh: new > 0,
            unreadable: 0,
            cost: SearchCost { total: Micros(1_000), assumed: Micros(400) },
        }
    }

    fn run(job: &str, state: RunState, slot: i64, started_at: Option<i64>, searches: Vec<TallySearch>) -> TallyRun {
        TallyRun {
            seq: 1,
            job: job.to_owned(),
            topic: job.strip_prefix("topic:").map(str::to_owned),
            trigger: Trigger::Scheduled,
            state,
            slot: Some(Time(slot)),
            started_at: started_at.map(Time),
            finished_at: Some(Time(slot + 5_000)),
            searches,
        }
    }

    #[test]
    fn each_run_is_counted_once_by_its_outcome() {
        let runs = [
            run("topic:a", RunState::Ok, 0, Some(300), vec![search(SearchState::Ok, None, 3)]),
            run("topic:a", RunState::Failed, 9_000, Some(9_000), vec![search(SearchState::Error, Some("timeout"), 0)]),
            run("topic:a", RunState::Missed, 20_000, None, Vec::new()),
            run("prune", RunState::Ok, 0, Some(100), Vec::new()),
        ];
        let (sums, latest) = tally(&runs);
        let of = |name: &str, labels: &str, bound: i64| {
            sums.iter().find(|s| (&*s.name, &*s.labels, s.bound) == (name, labels, bound)).map(|s| s.value)
        };
        assert_eq!([of(RUNS, "topic ok", 0), of(RUNS, "topic failed", 0), of(RUNS, "topic missed", 0)], [Some(1); 3]);
        assert_eq!(of(RUNS, "prune ok", 0), Some(1));
        assert_eq!([of(SEARCHES, "web ok", 0), of(SEARCHES, "web timeout", 0)], [Some(1); 2]);
        assert_eq!([of(ITEMS, "web new", 0), of(ITEMS, "web duplicate", 0)], [Some(3), Some(4)]);
        assert_eq!([of(COST, "web", 0), of(ASSUMED, "web", 0)], [Some(2_000), Some(800)]);
        // Bounds are inclusive, as in Prometheus.
        assert_eq!([of("search_time", "web", 250), of("search_time_sum", "web", 0)], [Some(2), Some(500)]);
        // Two runs of the topic, of 4.7 and 5 s; a run that never started took no time and was not late.
        assert_eq!([of("run_time", "topic", 5_000), of("run_time_sum", "topic", 0)], [Some(2), Some(9_700)]);
        assert_eq!([of("slot_lag", "scheduled", 250), of("slot_lag", "scheduled", 500)], [Some(2), Some(1)]);
        assert_eq!(
            latest,
            [SourceLatest { topic: "a".into(), source: Source::Web, answered_at: Time(300), new_at: Some(Time(300)) }]
        );
    }

    #[test]
    fn an_invalid_error_class_is_counted_as_error() {
        let odd = "x".repeat(40);
        for class in ["", "Timeout\"} 1\n", odd.as_str()] {
            let (sums, _) = tally(&[run(
                "topic:a",
                RunState::Failed,
                0,
                Some(0),
                vec![search(SearchState::Error, Some(class), 0)],
            )]);
            assert!(sums.iter().any(|sum| sum.name == SEARCHES && sum.labels == "web error"), "{class}");
        }
    }
}
