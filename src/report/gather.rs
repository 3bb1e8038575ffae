//! Reads one topic and computes its facts: which items belong to the period and to each day, and what the lists
//! contain. `insight::daily` does the arithmetic, `coverage` reads coverage and sources, and `items` fills the lists.

use std::collections::BTreeSet;

use super::facts::{DayFacts, PrunedPeriod, TopicFacts};
use super::measures::{LONGEST_RUN, MOST_SEARCHES, ToneFacts, WHOLE, WhyFacts};
use super::{answer, calendar, causes, comparison, coverage, items, period, source_shares, uncovered_end};
use crate::compare::{
    FilteredItems, NoTermsReason, Relevance, TermsAsked, TopicTerms, apply_filter, relevance, topic_terms,
};
use crate::insight::daily::{self, Day, SearchCoverage, share};
use crate::model::{CountedItem, Micros, PrunedDays, ReportSpec, SearchSummary, Span, Time, Topic};
use crate::store::{ReadSnapshot, StoreError};

/// Days of history: those from which the usual is learned, and the day of the report.
const HISTORY: i32 = 61;
/// Days in the charts.
const CHART: usize = 14;
/// How many days before the last one its tone is compared with.
const BEFORE: usize = 7;
/// The maximum number of items read from the history; the latest are read.
const MOST_MARKS: i64 = 200_000;
/// Four weeks with which terms are compared, and the day in which the first of them may have begun, in milliseconds.
const TERMS_REACH: i64 = 29 * 86_400_000;
/// How long after the period an answer or a failure still counts for it, in milliseconds.
pub(super) const TAIL: i64 = 12 * 3_600_000;

/// Decides which items belong to the period: by the instant at which they count, or, when reports follow one another
/// without gaps, by when they were first seen, so that late finds are in the next report.
pub(super) struct PeriodRule {
    span: Span,
    by_moment: bool,
    /// Only items with a higher sequence number.
    since: Option<i64>,
}

impl PeriodRule {
    pub(super) fn of(&self, mark: &CountedItem) -> bool {
        let inside = mark.fit != crate::model::WindowFit::Outside;
        match self.since {
            _ if self.by_moment => self.span.contains(mark.moment()),
            // By number and not by time: a run that started before the last report may have ended after it.
            Some(since) => inside && mark.seq > since,
            // The first such report: items first seen by a clock that is ahead belong to it, too, since the next report
            // goes on by number.
            None => inside && mark.first_seen >= self.span.from,
        }
    }
}

/// What a report covers and when it is made.
#[derive(Debug, Clone, Copy)]
pub(super) struct ReportScope {
    pub(super) span: Span,
    /// The sequence number up to which the last report went, if reports follow one another.
    pub(super) since: Option<i64>,
    pub(super) now: Time,
    /// Whether the sources' results are compared with those of other topics.
    pub(super) by_source: bool,
}

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

/// Reads one topic and computes its facts. `anew` lists when its query changed; `rows` is the maximum number of rows.
pub(super) async fn topic(
    moment: &mut ReadSnapshot,
    spec: &ReportSpec,
    topic: &Topic,
    ReportScope { span, since, now, by_source }: ReportScope,
    anew: &[Time],
    rows: usize,
) -> Result<TopicFacts, StoreError> {
    let history = history(spec, span);
    let seen = Span { from: reads_from(spec, span), until: Time(now.0.saturating_add(1)) };
    let tail = Span { from: span.from, until: Time(span.until.0.saturating_add(TAIL).min(seen.until.0)) };
    let belongs = PeriodRule { span, by_moment: spec.window.is_calendar(), since };
    // Items first seen by a clock that is ahead belong to this report, too, or to none.
    let known = if belongs.by_moment { seen } else { Span { until: Time(i64::MAX), ..seen } };
    let all = moment.counted_items_first_seen(&topic.id, known, MOST_MARKS).await?;
    let cut = i64::try_from(all.len()).is_ok_and(|many| many >= MOST_MARKS);
    // What was first seen before the earliest item read is not known here.
    let reach = if cut { all.last().map(|mark| mark.first_seen) } else { None };
    let period_cut = reach.is_some_and(|reach| reach > span.from);
    let FilteredItems { passed: marks, hidden, unjudged } = apply_filter(moment, topic, all).await?;
    let looked = coverage::read_coverage(moment, topic, seen).await?;
    let began = moment.first_run(&topic.id).await?;
    let searched_since = moment.first_search(&topic.id).await?;
    let kept = moment.pruned_days(&topic.id).await?;
    let tried = moment.last_run(&topic.id).await?.is_some();

    let period: Vec<&CountedItem> = marks.iter().filter(|mark| belongs.of(mark)).collect();
    let late: Vec<&CountedItem> =
        marks.iter().filter(|mark| span.contains(mark.first_seen) && mark.moment() < span.from).collect();
    let counted = daily::count_items(period.iter().copied());
    let calendar = period::calendar(spec.window, span, &spec.timezone);
    let own = history.partition_point(|day| day.span.from < span.from);
    let drawn_from = if calendar.is_some() { own } else { history.len().saturating_sub(CHART) };
    let chart = history.get(drawn_from..).unwrap_or_default();
    let drawn = chart.first().map_or(span, |day| Span { from: day.span.from, until: span.until });
    let scorer = daily::scorer_of(marks.iter().filter(|mark| drawn.contains(mark.moment())));
    // The results of another query say nothing about what is usual for this one.
    let asked_since = anew.iter().copied().filter(|at| *at < span.until).max();
    let comparable = |day: &&Day| asked_since.max(reach).is_none_or(|at| at <= day.span.from);
    let before = history.split_last().map_or(&*history, |(_, before)| before);
    let before = if calendar.is_some() { history.get(..own).unwrap_or_default() } else { before };
    let before: Vec<Day> = before.iter().filter(comparable).copied().collect();
    let whole = whole(&before, &looked);
    let earlier = items_of(&marks, &whole);
    let compared = history.last().filter(|day| belongs.by_moment && day.span == span && !period_cut);
    let usual = compared.map(|day| daily::usual_range(day, &earlier));
    let beside =
        compared.map(|_| comparison::compare_days(&history, &marks, &looked, &kept, asked_since)).unwrap_or_default();
    let by_day = whole.iter().map(|day| marks.iter().filter(|mark| day.span.contains(mark.moment())));
    // Posts found by an earlier query are not measured by the current one.
    let same = anew.iter().all(|at| *at < span.from);
    let relevance =
        if same { relevance(moment, topic, period.iter().copied(), by_day).await? } else { Relevance::default() };
    // A run may start before midnight and search after it.
    let began_by = Span { from: Time(tail.from.0.saturating_sub(LONGEST_RUN)), ..tail };
    let mut searches = moment.searches(&topic.id, began_by, MOST_SEARCHES).await?;
    let searches_cut = i64::try_from(searches.len()).is_ok_and(|many| many >= MOST_SEARCHES);
    searches.retain(|asked| asked.at >= span.from);
    let (gone, kept_from) = (kept.totals(span), kept.complete_from().filter(|from| *from > drawn.from));
    let inside = || searches.iter().filter(|asked| span.contains(asked.at));
    let asked = TermsAsked {
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
    };
    let astray = if calendar.is_some() { relevance.is_clearly_off_topic() } else { relevance.is_off_topic() };
    let terms = if astray {
        TopicTerms::without_terms(NoTermsReason::Relevance)
    } else if period_cut || reach.is_some_and(|reach| reach > Time(span.from.0.saturating_sub(TERMS_REACH))) {
        TopicTerms::without_terms(NoTermsReason::Cut)
    } else {
        topic_terms(moment, asked).await?
    };
    let found_by = source_shares::read(moment, topic, &period, seen, by_source).await?;
    let scored = scorer.as_deref();
    let about = calendar::Reading {
        marks: &marks,
        hidden: &hidden,
        looked: &looked,
        kept: &kept,
        searched_since,
        asked_since,
        reach,
        scored,
        now,
    };
    let beyond_days = match &calendar {
        Some(one) => calendar::read(moment, topic, one, &spec.timezone, &about).await?,
        None => None,
    };
    // What is usual is known for days only: a week or month is only compared with the one before.
    let (tone_days, tone_week) =
        if calendar.is_some() { (&[][..], &[][..]) } else { (&*whole, latest(&history, &whole)) };
    let tone = tone(&period, &marks, tone_days, tone_week, scorer.clone());
    let told = causes::UnusualFigures { usual: usual.and_then(Result::ok), tone: &tone, terms: &terms.rises };
    let why = match history.last() {
        Some(last) => {
            let beside = causes::PeriodBaseline { day: *last, period: &period, marks: &marks, days: &whole };
            causes::read(moment, topic, beside, seen, told).await?
        }
        None => WhyFacts::default(),
    };
    let chosen = items::choose(moment, topic, &marks, &period, scorer.as_deref(), span, rows).await?;
    Ok(TopicFacts {
        id: topic.id.clone(),
        title: topic.title.clone(),
        began,
        searched_since,
        tried,
        first_day: began.is_some_and(|began| span.contains(began)),
        unwatched: began.is_some_and(|began| began >= span.until),
        unanswered: began.is_some_and(|began| began >= span.until) && searched_since.is_some_and(|at| at < span.until),
        saturated: looked.saturated(span),
        // A report since the last one contains everything found since then.
        unseen: belongs.by_moment && uncovered_end::is_significant(&looked, span, now),
        full_pages: looked.full_pages(span),
        earlier: late.len() as u64,
        outside: late.iter().filter(|mark| mark.fit == crate::model::WindowFit::Outside).count() as u64,
        usual: usual.and_then(Result::ok),
        comparable: usual.and_then(Result::err).unwrap_or(0),
        earlier_days: beside,
        calendar: beyond_days,
        relevance,
        covered: kept.is_complete(span).then(|| looked.covered_share_due(span)),
        checks: looked.checks(span),
        covered_in_all: looked.covered_share(span),
        late_ms: looked.late_ms(Span { until: span.until.min(now), ..span }),
        open: uncovered_end::uncovered_end(&looked, span, now),
        // Of a week or month that is not over, only the days that have begun.
        days: chart
            .iter()
            .filter(|day| day.span.from <= now)
            .map(|day| day_facts(day, &marks, &looked, &kept, (scorer.as_deref(), now)))
            .collect(),
        // Holes in the pruned time are not known.
        holes: looked
            .holes(Span { from: drawn.from.max(kept_from.unwrap_or(drawn.from)), until: drawn.until.min(now) }),
        tone,
        why,
        answer: answer::read(moment, topic, tail).await?,
        found_by,
        terms,
        domains: daily::tally(period.iter().filter_map(|m| Some((items::host(m.url.as_deref()?)?, *m))), 8),
        authors: daily::top_authors(period.iter().copied(), 8),
        cost: gone.map(|gone| inside().fold(gone.2, |sum: Micros, s| sum.plus(s.cost))),
        not_kept: (!kept.is_complete(span)).then(|| PrunedPeriod { runs: gone.map(|gone| gone.0 + runs(inside())) }),
        kept_from,
        sources: coverage::sources(&searches, &looked, span),
        period: counted,
        top_posts: chosen.top_posts,
        top_pages: chosen.top_pages,
        rising: chosen.rising,
        negative: chosen.negative,
        positive: chosen.positive,
        campaigns: chosen.campaigns,
        rows_left_out: chosen.left_out,
        rows: chosen.rows,
        filtered: hidden.iter().filter(|mark| belongs.of(mark)).count() as u64,
        uncompared: moment.has_unclustered().await? && !period.is_empty(),
        unjudged: period.iter().filter(|mark| unjudged.contains(&mark.key)).count() as u64,
        changes: None,
        asked_anew: anew.iter().copied().filter(|at| drawn.contains(*at)).collect(),
        asked_since,
        ill: Vec::new(),
        cut,
        period_cut,
        risers_cut: chosen.risers_cut,
        searches_cut,
        pruned: moment.pruned_summary(&topic.id, drawn).await?.describe(),
    })
}

/// Returns the number of runs that made these searches.
fn runs<'a>(searches: impl Iterator<Item = &'a SearchSummary>) -> i64 {
    let runs: BTreeSet<&str> = searches.map(|asked| asked.run.as_str()).collect();
    i64::try_from(runs.len()).unwrap_or(i64::MAX)
}

/// Returns the days with which the last one can be compared: watched, and covered except for a little.
fn whole(before: &[Day], looked: &SearchCoverage) -> Vec<Day> {
    let whole = |day: &&Day| looked.was_watched(day.span) && looked.searched_share(day.span) >= WHOLE;
    before.iter().filter(whole).copied().collect()
}

fn items_of(marks: &[CountedItem], days: &[Day]) -> Vec<(Day, u64)> {
    let many = |day: &Day| marks.iter().filter(|mark| day.span.contains(mark.moment())).count() as u64;
    days.iter().map(|day| (*day, many(day))).collect()
}

fn day_facts(
    day: &Day,
    marks: &[CountedItem],
    looked: &SearchCoverage,
    kept: &PrunedDays,
    (scorer, now): (Option<&str>, Time),
) -> DayFacts {
    let inside = || marks.iter().filter(|mark| day.span.contains(mark.moment()));
    let sounds = daily::count_tones(inside(), scorer);
    DayFacts {
        date: day.date.to_string(),
        span: day.span,
        counted: daily::count_items(inside()),
        negative: share(sounds.negative, sounds.sample()),
        positive: share(sounds.positive, sounds.sample()),
        tones: sounds,
        covered: kept.is_complete(day.span).then(|| looked.covered_share(day.span)),
        checks: looked.checks(day.span),
        at_least: looked.saturated(day.span) || uncovered_end::is_significant(looked, day.span, now),
    }
}

/// Returns those of `before` with which the tone of the last day of a history is compared.
fn latest<'a>(history: &[Day], before: &'a [Day]) -> &'a [Day] {
    let week = history.get(history.len().saturating_sub(BEFORE + 1)).map_or(Time(i64::MIN), |day| day.span.from);
    before.get(before.partition_point(|day| day.span.from < week)..).unwrap_or_default()
}

fn tone(
    period: &[&CountedItem],
    marks: &[CountedItem],
    earlier: &[Day],
    week: &[Day],
    scorer: Option<String>,
) -> ToneFacts {
    let ours: BTreeSet<&str> = period.iter().map(|mark| mark.key.as_str()).collect();
    let others: Vec<&CountedItem> = marks.iter().filter(|mark| !ours.contains(&*mark.key)).collect();
    let of_day = |day: &Day| {
        daily::count_tones(others.iter().copied().filter(|mark| day.span.contains(mark.moment())), scorer.as_deref())
    };
    let of_days = |days: &[Day]| days.iter().map(of_day).collect::<Vec<_>>();
    let period = daily::count_tones(period.iter().copied(), scorer.as_deref());
    let (earlier, week) = (of_days(earlier), of_days(week));
    ToneFacts::of(period, &earlier, &week, scorer)
}
