//! Reads one topic and computes its facts: which items belong to the period and to each day, and what the lists
//! contain. `insight::daily` does the arithmetic, `coverage` reads coverage and sources, and `items` fills the lists.

use super::comparison::calendar;
use super::comparison::measures::{LONGEST_RUN, MOST_SEARCHES, TAIL, WHOLE, WhyFacts};
use super::comparison::tone::{latest, tone};
use super::coverage::costs::{PeriodCost, runs};
use super::facts::{DayFacts, PrunedPeriod, TopicFacts};
use super::highlights::causes;
use super::period::rule::PeriodRule;
use super::period::{self, ReportScope};
use super::shares::{source_shares, voice_sources};
use super::{answer, comparison, coverage, items};
use crate::compare::{
    FilteredItems, NoTermsReason, Relevance, TermsAsked, TopicTerms, apply_filter, relevance, topic_terms,
};
use crate::insight::daily::{self, Day, GapReason, SearchCoverage, share};
use crate::model::{CountedItem, PrunedDays, ReportSpec, Span, Time, Topic};
use crate::store::{ReadSnapshot, StoreError};

/// Days of history: the days that show what is usual, and the day of the report.
const HISTORY: i32 = 61;
/// Days in the charts.
const CHART: usize = 14;
/// The maximum number of items read from the history; the latest are read.
const MOST_MARKS: i64 = 200_000;
/// Four weeks for comparing terms, and one more day because the first week may begin within a day, in milliseconds.
const TERMS_REACH: i64 = 29 * 86_400_000;

/// Returns the days used by a report, ending with its own; for a week or month also those of the one before.
pub(super) fn history(spec: &ReportSpec, span: Span) -> Vec<Day> {
    if let Some(period) = period::calendar(spec.window, span, &spec.timezone) {
        let before = period.previous(&spec.timezone).map(|before| before.days(&spec.timezone));
        return before.into_iter().flatten().chain(period.days(&spec.timezone)).collect();
    }
    daily::days(Time(span.until.0 - 1), HISTORY, &spec.timezone)
}

/// Returns the time from which a report reads items: for its days, and for the comparison of terms.
pub(super) fn reads_from(spec: &ReportSpec, span: Span) -> Time {
    let terms = Time(span.from.0.saturating_sub(TERMS_REACH));
    history(spec, span).first().map_or(terms, |day| day.span.from.min(terms))
}

/// Reads one topic and computes its facts. `query_changes` lists when its query changed; `rows` is the maximum number
/// of rows.
pub(super) async fn topic(
    snapshot: &mut ReadSnapshot,
    spec: &ReportSpec,
    topic: &Topic,
    ReportScope { span, since, now, by_source, voice_sources, alone }: ReportScope<'_>,
    query_changes: &[Time],
    rows: usize,
) -> Result<TopicFacts, StoreError> {
    let history = history(spec, span);
    let seen = Span { from: reads_from(spec, span), until: Time(now.0.saturating_add(1)) };
    let tail = Span { from: span.from, until: Time(span.until.0.saturating_add(TAIL).min(seen.until.0)) };
    let rule = PeriodRule { span, by_moment: spec.window.is_calendar(), since };
    // An item first seen by a clock that is ahead belongs to this report, or to none. In a report about days, it
    // belongs if a run before the present saw it.
    let first_seen_span = Span { until: Time(i64::MAX), ..seen };
    let most = crate::failpoint::limit("report/items", MOST_MARKS);
    let mut all = snapshot.counted_items_first_seen(&topic.id, first_seen_span, most).await?;
    let cut = i64::try_from(all.len()).is_ok_and(|many| many >= most);
    if rule.by_moment && all.first().is_some_and(|mark| mark.first_seen >= seen.until) {
        let last = snapshot.seq_before(&topic.id, seen.until).await?;
        all.retain(|mark| mark.first_seen < seen.until || mark.seq <= last);
    }
    // Items first seen before the earliest item read are not known here.
    let reach = if cut { all.last().map(|mark| mark.first_seen) } else { None };
    let period_cut = reach.is_some_and(|reach| reach > span.from);
    let filtered = apply_filter(snapshot, topic, all).await?;
    let judged_from = filtered.judged_from();
    let FilteredItems { passed: marks, hidden, unjudged } = filtered;
    let search_coverage = coverage::read_coverage(snapshot, topic, seen).await?;
    let began = snapshot.first_run(&topic.id).await?;
    let searched_since = snapshot.first_search(&topic.id).await?;
    let pruned_days = snapshot.pruned_days(&topic.id).await?;
    let tried = snapshot.last_run(&topic.id).await?.is_some();

    let period: Vec<&CountedItem> = marks.iter().filter(|mark| rule.counts(mark)).collect();
    let late: Vec<&CountedItem> = marks.iter().filter(|mark| rule.is_new(mark) && mark.moment() < span.from).collect();
    let counted = daily::count_items(period.iter().copied());
    let calendar = period::calendar(spec.window, span, &spec.timezone);
    let period_start = history.partition_point(|day| day.span.from < span.from);
    let chart_start = if calendar.is_some() { period_start } else { history.len().saturating_sub(CHART) };
    let chart = history.get(chart_start..).unwrap_or_default();
    let chart_span = chart.first().map_or(span, |day| Span { from: day.span.from, until: span.until });
    let scorer = daily::scorer_of(marks.iter().filter(|mark| chart_span.contains(mark.moment())));
    // The results of another query do not show what is usual for this one.
    let asked_since = query_changes.iter().copied().filter(|at| *at < span.until).max();
    let sources = search_coverage.source_history(seen);
    let own_sources = sources.constant(span);
    let since = asked_since.max(reach).max(judged_from);
    let comparable = |day: &&Day| {
        since.is_none_or(|at| at <= day.span.from) && own_sources.is_some() && sources.constant(day.span) == own_sources
    };
    let before = history.split_last().map_or(&*history, |(_, before)| before);
    let before = if calendar.is_some() { history.get(..period_start).unwrap_or_default() } else { before };
    let before: Vec<Day> = before.iter().filter(comparable).copied().collect();
    let covered_days = covered_days(&before, &search_coverage);
    let earlier = items_of(&marks, &covered_days);
    let compared = history.last().filter(|day| rule.by_moment && day.span == span && !period_cut);
    let usual = compared.map(|day| daily::usual_range(day, &earlier));
    let earlier_days = compared
        .map(|_| {
            comparison::compare_days(
                &history,
                &marks,
                &search_coverage,
                &pruned_days,
                &comparison::Limits { asked_since, sources: &sources, reach, judged_from, searched_since, now },
            )
        })
        .unwrap_or_default();
    let by_day = covered_days.iter().map(|day| marks.iter().filter(|mark| day.span.contains(mark.moment())));
    // Posts found by an earlier query are not measured by the current one.
    let is_same_query = query_changes.iter().all(|at| *at < span.from);
    let relevance = if is_same_query {
        relevance(snapshot, topic, period.iter().copied(), by_day).await?
    } else {
        Relevance::default()
    };
    // A run may start before midnight and search after it.
    let began_by = Span { from: Time(tail.from.0.saturating_sub(LONGEST_RUN)), ..tail };
    let mut searches = snapshot.searches(&topic.id, began_by, MOST_SEARCHES).await?;
    let searches_cut = i64::try_from(searches.len()).is_ok_and(|many| many >= MOST_SEARCHES);
    searches.retain(|search| search.at >= span.from);
    let (pruned_totals, kept_from) =
        (pruned_days.totals(span), pruned_days.complete_from().filter(|from| *from > chart_span.from));
    let inside = || searches.iter().filter(|search| span.contains(search.at));
    let cost = PeriodCost::of(inside(), pruned_totals.map(|totals| totals.2));
    let terms_request = TermsAsked {
        topic,
        passed: &marks,
        hidden: &hidden,
        period: &period,
        span,
        began,
        asked_since,
        scorer: scorer.as_deref(),
        trusting: false,
        explains: true,
        alone,
    };
    let is_off_topic = if calendar.is_some() { relevance.is_clearly_off_topic() } else { relevance.is_off_topic() };
    let terms = if is_off_topic {
        TopicTerms::without_terms(NoTermsReason::Relevance, period.len())
    } else if period_cut || reach.is_some_and(|reach| reach > Time(span.from.0.saturating_sub(TERMS_REACH))) {
        TopicTerms::without_terms(NoTermsReason::Cut, period.len())
    } else {
        topic_terms(snapshot, terms_request).await?
    };
    let found_by = source_shares::read(snapshot, topic, &period, seen, by_source).await?;
    let in_voice = voice_sources::keys_found_by(snapshot, topic, &period, voice_sources).await?;
    let scored = scorer.as_deref();
    let reading = calendar::Reading {
        marks: &marks,
        hidden: &hidden,
        looked: &search_coverage,
        kept: &pruned_days,
        searched_since,
        asked_since,
        sources: &sources,
        reach,
        judged_from,
        in_voice: in_voice.as_ref(),
        scored,
        now,
    };
    let beyond_days = match &calendar {
        Some(one) => calendar::read(snapshot, topic, one, &spec.timezone, &reading).await?,
        None => None,
    };
    // Usual numbers exist only for days: a week or month is only compared with the one before.
    let (tone_days, tone_week) =
        if calendar.is_some() { (&[][..], &[][..]) } else { (&*covered_days, latest(&history, &covered_days)) };
    let tone = tone(&period, &marks, tone_days, tone_week, scorer.clone());
    let figures = causes::UnusualFigures { usual: usual.and_then(Result::ok), tone: &tone, terms: &terms.rises };
    let why = match history.last() {
        Some(last) => {
            let baseline = causes::PeriodBaseline { day: *last, period: &period, marks: &marks, days: &covered_days };
            causes::read(snapshot, topic, baseline, seen, figures).await?
        }
        None => WhyFacts::default(),
    };
    let chosen = items::choose(snapshot, topic, &marks, &period, scorer.as_deref(), &rule, rows).await?;
    Ok(TopicFacts {
        id: topic.id.clone(),
        title: topic.title.clone(),
        began,
        searched_since,
        tried,
        first_day: began.is_some_and(|began| span.contains(began)),
        unwatched: began.is_some_and(|began| began >= span.until),
        unanswered: began.is_some_and(|began| began >= span.until) && searched_since.is_some_and(|at| at < span.until),
        saturated: search_coverage.saturated(span),
        // A report since the last one contains everything found since then.
        unseen: rule.by_moment && search_coverage.is_end_significant(span, now),
        searched_share: search_coverage.searched_share_due(&pruned_days, span, now),
        partly_uncovered: search_coverage.is_partly_uncovered(span, &pruned_days),
        full_pages: search_coverage.full_pages(span),
        earlier: late.len() as u64,
        outside: late.iter().filter(|mark| mark.fit == crate::model::WindowFit::Outside).count() as u64,
        usual: usual.and_then(Result::ok),
        comparable: usual.and_then(Result::err).unwrap_or(0),
        earlier_days,
        calendar: beyond_days,
        relevance,
        covered: pruned_days.is_complete(span).then(|| search_coverage.covered_share_due(span)),
        checks: search_coverage.checks(span),
        covered_in_all: search_coverage.covered_share(span),
        late_ms: search_coverage.late_ms(Span { until: span.until.min(now), ..span }),
        open: search_coverage.uncovered_end(span, now),
        // For a week or month that is not over, only the days that have begun.
        days: chart
            .iter()
            .filter(|day| day.span.from <= now)
            .map(|day| day_facts(day, &marks, &search_coverage, &pruned_days, (scorer.as_deref(), reach, now)))
            .collect(),
        holes: holes_of_days(&search_coverage, seen, chart_span, kept_from),
        tone,
        why,
        answer: answer::read(snapshot, topic, tail).await?,
        found_by,
        terms,
        domains: daily::tally(period.iter().filter_map(|m| Some((items::host(m.url.as_deref()?)?, *m))), 8),
        authors: daily::top_authors(period.iter().copied(), 8),
        cost: cost.total,
        not_kept: (!pruned_days.is_complete(span))
            .then(|| PrunedPeriod { runs: pruned_totals.map(|totals| totals.0 + runs(inside())) }),
        kept_from,
        sources: coverage::sources(&searches, &search_coverage, (span, now)),
        period: counted,
        voice: in_voice
            .as_ref()
            .map(|keys| daily::count_items(period.iter().copied().filter(|mark| keys.contains(&mark.key)))),
        top_posts: chosen.top_posts,
        top_pages: chosen.top_pages,
        rising: chosen.rising,
        negative: chosen.negative,
        positive: chosen.positive,
        campaigns: chosen.campaigns,
        rows_left_out: chosen.left_out,
        rows: chosen.rows,
        filtered: hidden.iter().filter(|mark| rule.counts(mark)).count() as u64,
        uncompared: snapshot.has_unclustered_of(&topic.id).await? && !period.is_empty(),
        unjudged: marks
            .iter()
            .filter(|mark| unjudged.contains(&mark.key) && (rule.counts(mark) || chart_span.contains(mark.moment())))
            .count() as u64,
        changes: None,
        query_changed_at: query_changes.iter().copied().filter(|at| chart_span.contains(*at)).collect(),
        asked_since,
        sources_since: sources.last_change(span.until),
        silences: Vec::new(),
        cut,
        period_cut,
        risers_compared: chosen.risers_compared,
        risers_cut: chosen.risers_cut,
        risers_pruned: chosen.risers_pruned,
        searches_cut,
        pruned: snapshot.pruned_summary(&topic.id, chart_span).await?.describe(),
        assumed: cost.assumed,
        part_time: sources.part_time(span),
        new_pages: chosen.new_pages,
    })
}

/// Returns the holes that overlap the days of the charts, each in its full length as far as known. Holes in the pruned
/// time are not known.
fn holes_of_days(
    search_coverage: &SearchCoverage,
    seen: Span,
    chart_span: Span,
    kept_from: Option<Time>,
) -> Vec<daily::HoleFacts> {
    let known = Span { from: kept_from.map_or(seen.from, |from| from.max(seen.from)), ..seen };
    let mut holes = search_coverage.holes(known);
    holes.retain(|hole| hole.span.intersection(chart_span).is_some());
    // Nothing before was read, so the start of a hole at the beginning is unknown.
    for hole in holes.iter_mut().filter(|hole| hole.span.from == known.from && !hole.before && !hole.open) {
        hole.why.push_str("; it may have begun earlier");
    }
    holes
}

/// Returns the days with which the last one can be compared: watched, and covered except for a little.
fn covered_days(before: &[Day], search_coverage: &SearchCoverage) -> Vec<Day> {
    let is_covered =
        |day: &&Day| search_coverage.was_watched(day.span) && search_coverage.searched_share(day.span) >= WHOLE;
    before.iter().filter(is_covered).copied().collect()
}

fn items_of(marks: &[CountedItem], days: &[Day]) -> Vec<(Day, u64)> {
    let count = |day: &Day| marks.iter().filter(|mark| day.span.contains(mark.moment())).count() as u64;
    days.iter().map(|day| (*day, count(day))).collect()
}

fn day_facts(
    day: &Day,
    marks: &[CountedItem],
    search_coverage: &SearchCoverage,
    pruned_days: &PrunedDays,
    (scorer, reach, now): (Option<&str>, Option<Time>, Time),
) -> DayFacts {
    let inside = || marks.iter().filter(|mark| day.span.contains(mark.moment()));
    let tones = daily::count_tones(inside(), scorer);
    let mut gap_reasons = search_coverage.gap_reasons(pruned_days, day.span, now);
    if reach.is_some_and(|reach| reach > day.span.from) {
        gap_reasons.push(GapReason::NotRead);
    }
    let sources_changed = search_coverage.is_part_time(day.span, now);
    DayFacts {
        date: day.date.to_string(),
        span: day.span,
        counted: daily::count_items(inside()),
        negative: share(tones.negative, tones.sample()),
        positive: share(tones.positive, tones.sample()),
        tones,
        covered: pruned_days.is_complete(day.span).then(|| search_coverage.covered_share(day.span)),
        checks: search_coverage.checks(day.span),
        at_least: sources_changed || !gap_reasons.is_empty(),
        gap_reasons,
        sources_changed,
    }
}
