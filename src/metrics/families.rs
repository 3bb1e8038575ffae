//! All metrics: the name of each, its help, and where its values come from. docs/reference/metrics.md describes the
//! same for people; a test compares the two.

use super::family::{BucketCounts, Families, Sample, number, seconds};
use super::reading::Reading;
use crate::insight::tally as sums;
use crate::model::{DayLimits, MetricSum, Micros, Source, Time};
use crate::process_status::ProcessStatus;

pub(super) fn text(
    process_status: &ProcessStatus,
    version: Option<&str>,
    limits: &DayLimits,
    now: Time,
    read: Option<&Reading>,
) -> Result<String, prometheus::Error> {
    let mut all = Families::default();
    process(&mut all, process_status, version);
    let up = f64::from(u8::from(read.is_some()));
    all.gauge(
        "topicwatch_database_up",
        "Whether the database answered this request in time.",
        [Sample::unlabelled(up)],
    );
    if let Some(read) = read {
        gauges(&mut all, read);
        daily_usage(&mut all, read, limits, now);
        topics(&mut all, read);
        if let Some(counted) = &read.sums {
            totals(&mut all, counted);
        }
    }
    all.encode()
}

/// Metrics of this process.
fn process(all: &mut Families, process_status: &ProcessStatus, version: Option<&str>) {
    if let Some(version) = version {
        all.gauge(
            "topicwatch_build_info",
            "Version of this process; always 1. Only if a token is set.",
            [Sample::of([("version", version)], 1.0)],
        );
    }
    let began = Sample::unlabelled(seconds(process_status.started_at.0));
    all.gauge("process_start_time_seconds", "Start time of this process, in seconds since 1970.", [began]);
    if let Some(beat) = &process_status.beat {
        let at = Sample::unlabelled(seconds(beat.last().1.0));
        let help = "Time of the last iteration of this process's loop, in seconds since 1970.";
        all.gauge("topicwatch_loop_last_tick_timestamp_seconds", help, [at]);
        let pings = process_status.pings.counts();
        let pings = pings.map(|(outcome, many)| Sample::of([("outcome", outcome)], number(many.cast_signed())));
        let help = "Pings of this process: sent, given up (failed), or dropped because too many were waiting.";
        all.counter("topicwatch_pings_total", help, pings);
    }
}

fn gauges(all: &mut Families, read: &Reading) {
    let counts = &read.counts;
    let alone = |value: i64| [Sample::unlabelled(number(value))];
    all.gauge("topicwatch_database_size_bytes", "Size of the database on disk.", alone(read.bytes));
    let roles = read.roles.iter().map(|(role, many)| Sample::of([("role", role)], number(*many)));
    all.gauge("topicwatch_processes", "Processes that run due jobs and whose heartbeat is current.", roles);
    all.gauge("topicwatch_topics", "Watched topics.", alone(counts.topics));
    let without = counts.topics - i64::try_from(read.topics.len()).unwrap_or(i64::MAX);
    let help = "Topics beyond the first 200 by id, which have no series of their own.";
    all.gauge("topicwatch_topics_without_series", help, alone(without.max(0)));
    all.gauge("topicwatch_runs_due", "Due runs that are waiting.", alone(counts.due));
    all.gauge("topicwatch_runs_running", "Active runs.", alone(counts.running));
    let help = "Topics and other jobs whose slot passed more than two minutes ago and is not yet planned.";
    all.gauge("topicwatch_slots_overdue", help, alone(counts.overdue));
    let states = ["queued", "sending", "dead"].into_iter().zip(counts.outbox);
    let states = states.map(|(state, many)| Sample::of([("state", state)], number(many)));
    all.gauge("topicwatch_outbox_messages", "Messages that are waiting, being sent, or given up.", states);
    let firing = counts.firing.iter().map(|(alert, many)| Sample::of([("alert", alert)], number(*many)));
    all.gauge(
        "topicwatch_alerts_firing",
        "Number of subjects for which an alert is firing; first 200 alerts only.",
        firing,
    );
    let help = "Finished runs not yet in the totals, which are counted in the background.";
    all.gauge("topicwatch_runs_uncounted", help, alone(counts.uncounted));
}

/// The use of the UTC day, and the rest if there is a limit.
fn daily_usage(all: &mut Families, read: &Reading, limits: &DayLimits, now: Time) {
    let counts = &read.counts;
    all.gauge(
        "topicwatch_today_calls",
        "Calls to the search service on this UTC day.",
        [Sample::unlabelled(number(counts.calls))],
    );
    let left = limits.service.map(|limits| Sample::unlabelled(number((i64::from(limits.calls) - counts.calls).max(0))));
    all.gauge("topicwatch_today_calls_left", "Calls to the search service left on this UTC day.", left);
    providers(all, read, limits);
    if let (Some(spent), Some(budget)) = (counts.spent, limits.service.and_then(|limits| limits.money)) {
        let help = "Cost of the search service on this UTC day, in dollars. Only if it has a budget.";
        all.gauge("topicwatch_today_cost_dollars", help, [Sample::unlabelled(spent.dollars())]);
        let left = [Sample::unlabelled(remaining_budget(budget, spent))];
        all.gauge(
            "topicwatch_today_budget_left_dollars",
            "Budget of the search service left on this UTC day, in dollars.",
            left,
        );
    }
    let clears = Sample::unlabelled(seconds(now.next_utc_day().0));
    let help = "When the daily calls and budget reset, in seconds since 1970.";
    all.gauge("topicwatch_today_clears_timestamp_seconds", help, [clears]);
    let calls = read.limited.iter().filter_map(|(topic, limits, used)| {
        let left = (i64::from(limits.calls?) - used.calls).max(0);
        Some(Sample::of([("topic", topic)], number(left)))
    });
    let help = "Calls left on this UTC day for a topic with its own limit.";
    all.gauge("topicwatch_topic_today_calls_left", help, calls);
    let money = read.limited.iter().filter_map(|(topic, limits, used)| {
        Some(Sample::of([("topic", topic)], remaining_budget(limits.money()?, used.money)))
    });
    let help = "Budget left on this UTC day for a topic with its own budget, in dollars.";
    all.gauge("topicwatch_topic_today_budget_left_dollars", help, money);
}

/// The same for each provider other than the search service.
fn providers(all: &mut Families, read: &Reading, limits: &DayLimits) {
    let usage =
        |name: Source| read.providers.iter().find(|(one, _)| *one == name).map(|(_, used)| *used).unwrap_or_default();
    let used = |name: Source| usage(name).calls;
    let calls = limits.providers.iter().map(|(name, _)| Sample::of([("provider", name.as_str())], number(used(*name))));
    all.gauge("topicwatch_provider_today_calls", "Calls of a provider on this UTC day.", calls);
    let left = limits.providers.iter().map(|(name, limits)| {
        let left = (i64::from(limits.calls) - used(*name)).max(0);
        Sample::of([("provider", name.as_str())], number(left))
    });
    all.gauge("topicwatch_provider_today_calls_left", "Calls left on this UTC day for a provider.", left);
    let budgets = || limits.providers.iter().filter_map(|(name, limits)| Some((*name, limits.money?)));
    let spent = budgets().map(|(name, _)| Sample::of([("provider", name.as_str())], usage(name).money.dollars()));
    let help = "Cost of a provider with a budget on this UTC day, in dollars.";
    all.gauge("topicwatch_provider_today_cost_dollars", help, spent);
    let left = budgets()
        .map(|(name, budget)| Sample::of([("provider", name.as_str())], remaining_budget(budget, usage(name).money)));
    let help = "Budget left on this UTC day for a provider, in dollars.";
    all.gauge("topicwatch_provider_today_budget_left_dollars", help, left);
}

fn remaining_budget(budget: Micros, spent: Micros) -> f64 {
    Micros((budget.0 - spent.0).max(0)).dollars()
}

fn topics(all: &mut Families, read: &Reading) {
    let sample = |topic: &str, source: &str, value: f64| Sample::of([("topic", topic), ("source", source)], value);
    let answered = read.latest.iter().map(|l| sample(&l.topic, l.source.as_str(), seconds(l.answered_at.0)));
    let help = "When a topic's source last answered, in seconds since 1970.";
    all.gauge("topicwatch_topic_last_answer_timestamp_seconds", help, answered);
    let newest = read.latest.iter().filter_map(|l| Some(sample(&l.topic, l.source.as_str(), seconds(l.new_at?.0))));
    let help =
        "When a topic's source last found something new, even if another source found it too, in seconds since 1970.";
    all.gauge("topicwatch_topic_newest_item_timestamp_seconds", help, newest);
    let missed = read.missed.iter().map(|(topic, source, missed)| sample(topic, source, number(*missed)));
    let help = "Seconds of the window and the preceding day that no search of the source covered or will cover; computed every five minutes.";
    all.gauge("topicwatch_topic_coverage_missed_seconds", help, missed);
}

/// The totals of finished runs.
fn totals(all: &mut Families, counted: &[MetricSum]) {
    let two = |name: &'static str, first: &'static str, second: &'static str| {
        counted.iter().filter(move |sum| sum.name == name).filter_map(move |sum| {
            let (a, b) = sum.labels.split_once(' ')?;
            Some(Sample::of([(first, a), (second, b)], number(sum.value)))
        })
    };
    let by_source = |name: &'static str| {
        counted.iter().filter(move |sum| sum.name == name).map(|sum| (sum.labels.as_str(), sum.value))
    };
    let one = |name| by_source(name).map(|(source, value)| Sample::of([("source", source)], number(value)));
    let help = "Finished runs, by kind of job and outcome, including missed and skipped slots.";
    all.counter("topicwatch_runs_total", help, two(sums::RUNS, "kind", "outcome"));
    let help = "Duration of runs, by kind of job; only the last attempt counts.";
    let times = BucketCounts::of(counted, sums::RUN_TIME);
    all.histogram("topicwatch_run_duration_seconds", help, "kind", &times, &sums::RUN_BOUNDS);
    let help = "Delay from the slot to the start of a run, including jitter.";
    let times = BucketCounts::of(counted, sums::SLOT_LAG);
    all.histogram("topicwatch_slot_lag_seconds", help, "trigger", &times, &sums::LAG_BOUNDS);
    let help = "Searches by source and class: ok, empty, not_run, over_quota, lost, or the class of the failure.";
    all.counter("topicwatch_searches_total", help, two(sums::SEARCHES, "source", "class"));
    let help = "Duration of the last try of a search, by source.";
    let times = BucketCounts::of(counted, sums::SEARCH_TIME);
    all.histogram("topicwatch_search_latency_seconds", help, "source", &times, &sums::SEARCH_BOUNDS);
    all.counter("topicwatch_calls_total", "Calls by source, including retries.", one(sums::CALLS));
    let help = "Items found, by source: new to their topic, or duplicates of known items.";
    all.counter("topicwatch_items_total", help, two(sums::ITEMS, "source", "result"));
    let help = "Items found outside the requested window, by source.";
    all.counter("topicwatch_items_outside_window_total", help, one(sums::OUTSIDE));
    let help = "Unreadable entries of replies, by source.";
    all.counter("topicwatch_entries_unreadable_total", help, one(sums::UNREADABLE));
    let dollars =
        |name| by_source(name).map(|(source, value)| Sample::of([("source", source)], Micros(value).dollars()));
    all.counter("topicwatch_cost_dollars_total", "Cost of searches, by source, in dollars.", dollars(sums::COST));
    let help = "Cost of searches that no bill confirms in full, by source, in dollars.";
    all.counter("topicwatch_cost_assumed_dollars_total", help, dollars(sums::ASSUMED));
}
