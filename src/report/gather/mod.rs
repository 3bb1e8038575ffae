//! Reads one topic and computes its facts: which items belong to the period and to each day, and what the lists
//! contain. `reading` reads, `days` knows the days, `insight::daily` does the arithmetic, `coverage` reads coverage and
//! sources, and `items` fills the lists.

mod days;
mod reading;

use super::comparison::few_answers::{few_answers, missing_answers, usual_answers};
use super::comparison::measures::{TAIL, WhyFacts};
use super::comparison::tone::{latest, tone};
use super::comparison::{self, calendar};
use super::coverage::costs::{PeriodCost, runs};
use super::facts::{PrunedPeriod, TopicFacts};
use super::highlights::causes;
use super::period::ReportScope;
use super::period::rule::PeriodRule;
use super::shares::{source_shares, voice_sources};
use super::{answer, coverage, format, items};
use crate::compare::{NoTermsReason, Relevance, TermsAsked, TopicTerms, relevance, topic_terms};
use crate::insight::daily::{self, Answers, Day};
use crate::model::{CountedItem, ReportSpec, Span, Time, Topic, WindowFit};
use crate::store::{ReadSnapshot, StoreError};
use days::{ReportDays, day_facts, holes_of_days, items_by_day};

/// Four weeks for comparing terms, and one more day because the first week may begin within a day, in milliseconds.
const TERMS_REACH: i64 = 29 * 86_400_000;

/// The maximum length of a topic's title, in characters.
const TITLE: usize = 120;

/// Returns the time from which a report reads items: for its days, and for the comparison of terms.
pub(super) fn reads_from(spec: &ReportSpec, span: Span) -> Time {
    ReportDays::of(spec, span).reads_from(terms_from(span))
}

/// Returns the time from which items are read to compare terms.
fn terms_from(span: Span) -> Time {
    Time(span.from.0.saturating_sub(TERMS_REACH))
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
    let days = ReportDays::of(spec, span);
    let seen = Span { from: days.reads_from(terms_from(span)), until: Time(now.0.saturating_add(1)) };
    let tail = Span { from: span.from, until: Time(span.until.0.saturating_add(TAIL).min(seen.until.0)) };
    let rule = PeriodRule { span, by_moment: spec.window.is_calendar(), since };
    let read = reading::read(snapshot, topic, seen, &rule, &spec.timezone).await?;
    let (search_coverage, pruned_days, chart_span) = (&read.search_coverage, &read.pruned_days, days.chart_span);
    let (began, searched_since) = (read.began, read.searched_since);
    let period_cut = read.is_cut_after(span.from);

    let period: Vec<&CountedItem> = read.marks.iter().filter(|mark| rule.counts(mark)).collect();
    let late: Vec<&CountedItem> = read.marks.iter().filter(|mark| rule.is_older(mark)).collect();
    let scorer = daily::scorer_of(read.marks.iter().filter(|mark| chart_span.contains(mark.moment())));
    // The results of another query do not show what is usual for this one.
    let asked_since = query_changes.iter().copied().filter(|at| *at < span.until).max();
    let sources = search_coverage.source_history(seen);
    let comparable_since = asked_since.max(read.reach).max(read.judged_from);
    let unchecked = search_coverage.unchecked(span, pruned_days);
    let mut covered_days = days.comparable(span, comparable_since, &sources, search_coverage);
    let compared = days.history.last().filter(|day| rule.by_moment && day.span == span && !period_cut);
    let answers = |day: &Day| search_coverage.answers(day.span);
    let few_answers = compared.and_then(|own| {
        let own = answers(own);
        let is_complete =
            |day: &Day| missing_answers(&answers(day), &own, search_coverage.has_spans(day.span)).is_none();
        covered_days.retain(is_complete);
        let chart: Vec<Answers> = days.chart().iter().rev().skip(1).map(answers).collect();
        let mut usual = usual_answers(&chart);
        let had = sources.constant(span).unwrap_or_default();
        usual.retain(|source, _| had.contains(source));
        few_answers(&own, &usual).filter(|_| span.until <= now)
    });
    let usual = compared.map(|day| daily::usual_range(day, &items_by_day(&read.marks, &covered_days)));
    let limits = comparison::Limits {
        asked_since,
        sources: &sources,
        reach: read.reach,
        judged_from: read.judged_from,
        searched_since,
        now,
    };
    let compare = |_| comparison::compare_days(&days.history, &read.marks, search_coverage, pruned_days, &limits);
    let earlier_days = compared.map(compare).unwrap_or_default();
    let by_day = covered_days.iter().map(|day| read.marks.iter().filter(|mark| day.span.contains(mark.moment())));
    // Posts found by an earlier query are not measured by the current one.
    let is_same_query = query_changes.iter().all(|at| *at < span.from);
    let relevance = if is_same_query {
        relevance(snapshot, topic, period.iter().copied(), by_day).await?
    } else {
        Relevance::default()
    };
    let (searches, searches_cut) = reading::searches(snapshot, topic, tail).await?;
    let (pruned_totals, kept_from) =
        (pruned_days.totals(span), pruned_days.complete_from().filter(|from| *from > chart_span.from));
    let inside = || searches.iter().filter(|search| span.contains(search.at));
    let cost = PeriodCost::of(inside(), pruned_totals.map(|totals| totals.2));
    let is_off_topic =
        if days.calendar.is_some() { relevance.is_clearly_off_topic() } else { relevance.is_off_topic() };
    let terms = if is_off_topic {
        TopicTerms::without_terms(NoTermsReason::Relevance, period.len())
    } else if period_cut || read.is_cut_after(terms_from(span)) {
        TopicTerms::without_terms(NoTermsReason::Cut, period.len())
    } else {
        let request = TermsAsked {
            topic,
            passed: &read.marks,
            hidden: &read.hidden,
            period: &period,
            span,
            began,
            asked_since,
            scorer: scorer.as_deref(),
            trusting: false,
            explains: true,
            alone,
        };
        topic_terms(snapshot, request).await?
    };
    let found_by = source_shares::read(snapshot, topic, &period, seen, by_source).await?;
    let in_voice = voice_sources::keys_found_by(snapshot, topic, &period, voice_sources).await?;
    let reading = calendar::Reading {
        marks: &read.marks,
        hidden: &read.hidden,
        looked: search_coverage,
        kept: pruned_days,
        searched_since,
        asked_since,
        sources: &sources,
        reach: read.reach,
        judged_from: read.judged_from,
        in_voice: in_voice.as_ref(),
        scored: scorer.as_deref(),
        now,
    };
    let calendar = match &days.calendar {
        Some(period) => calendar::read(snapshot, topic, period, &spec.timezone, &reading).await?,
        None => None,
    };
    // Usual numbers exist only for days: a week or month is only compared with the one before.
    let (tone_days, tone_week) = if days.calendar.is_some() {
        (&[][..], &[][..])
    } else {
        (&*covered_days, latest(&days.history, &covered_days))
    };
    let tone = tone(&period, &read.marks, tone_days, tone_week, scorer.clone());
    let figures = causes::UnusualFigures { usual: usual.and_then(Result::ok), tone: &tone, terms: &terms.rises };
    let why = match days.history.last() {
        Some(last) => {
            let baseline =
                causes::PeriodBaseline { day: *last, period: &period, marks: &read.marks, days: &covered_days };
            causes::read(snapshot, topic, baseline, seen, figures).await?
        }
        None => WhyFacts::default(),
    };
    let chosen = items::choose(snapshot, topic, &read.marks, &period, scorer.as_deref(), &rule, rows).await?;
    Ok(TopicFacts {
        id: topic.id.clone(),
        title: format::line(&topic.title, TITLE),
        began,
        searched_since,
        tried: read.tried,
        first_day: began.is_some_and(|began| span.contains(began)),
        unwatched: began.is_some_and(|began| began >= span.until),
        unanswered: began.is_some_and(|began| began >= span.until) && searched_since.is_some_and(|at| at < span.until),
        saturated: search_coverage.saturated(span),
        // A report since the last one contains everything found since then.
        unseen: rule.by_moment && search_coverage.is_end_significant(span, now),
        searched_share: search_coverage.searched_share_due(pruned_days, span, now),
        partly_uncovered: search_coverage.is_partly_uncovered(span, pruned_days),
        unchecked,
        few_answers,
        full_pages: search_coverage.full_pages(span),
        earlier: late.len() as u64,
        outside: late.iter().filter(|mark| mark.fit == WindowFit::Outside).count() as u64,
        usual: usual.and_then(Result::ok),
        comparable: usual.and_then(Result::err).unwrap_or(0),
        earlier_days,
        calendar,
        relevance,
        covered: pruned_days.is_complete(span).then(|| search_coverage.covered_share_due(span)),
        checks: search_coverage.checks(span),
        covered_in_all: search_coverage.covered_share(span),
        late_ms: search_coverage.late_ms(Span { until: span.until.min(now), ..span }),
        open: search_coverage.uncovered_end(span, now),
        // For a week or month that is not over, only the days that have begun.
        days: days
            .chart()
            .iter()
            .filter(|day| day.span.from <= now)
            .map(|day| day_facts(day, &read, scorer.as_deref(), now))
            .collect(),
        holes: holes_of_days(search_coverage, seen, chart_span, kept_from),
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
        sources: coverage::sources(&searches, search_coverage, (span, now)),
        period: daily::count_items(period.iter().copied()),
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
        filtered: read.hidden.iter().filter(|mark| rule.counts(mark)).count() as u64,
        uncompared: snapshot.has_unclustered_of(&topic.id).await? && !period.is_empty(),
        unjudged: read
            .marks
            .iter()
            .filter(|mark| {
                read.unjudged.contains(&mark.key) && (rule.counts(mark) || chart_span.contains(mark.moment()))
            })
            .count() as u64,
        changes: None,
        query_changed_at: query_changes.iter().copied().filter(|at| chart_span.contains(*at)).collect(),
        asked_since,
        sources_since: sources.last_change(span.until),
        silences: Vec::new(),
        cut: read.cut,
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
