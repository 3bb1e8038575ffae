//! Reads from the store what a rule needs to know about one run: what the run found, the window that ends with it and
//! comparable windows, the latest searches. Bounded; `rules` does the judging.

use std::collections::BTreeSet;
use std::time::Duration;

use super::earlier_windows::comparable_windows;
use super::explain::{self, Unusual, Window};
use super::rules::{self, NAMED, WindowTone, WindowVolume};
use super::transitions::{Evaluation, Status};
use crate::compare::{self, AlertWindow, WordFilters};
use crate::insight::daily::{self, Day, Share, share, usual_share};
use crate::insight::{EvaluatedWindow, RunningStats, may_be_silent};
use crate::model::{
    AlertRule, AlertRun, AlertSpec, AnsweredSearch, CountedItem, ItemContent, Kind, SearchState, SeqRange, Source,
    SourceActivity, Span, Time, Topic, format_duration,
};
use crate::store::{ReadSnapshot, Store, StoreError};

/// Number of earlier days whose window at the same hour is compared.
const DAYS: i32 = 28;
/// The number of latest runs whose searches are read; `LONG` if a source may be silent or stale.
const QUICK: u32 = 6;
const LONG: u32 = 150;
/// What fires ends if the sources that are away in a window gave no answer this long before it, either: they may never
/// answer again.
const FORGOTTEN: Duration = Duration::from_secs(7 * 86_400);

/// What an alert's rule says about one run.
#[derive(Default)]
pub(super) struct RunEvaluation {
    pub(super) evaluations: Vec<Evaluation>,
    /// The window that `volume` counted.
    pub(super) window: Option<EvaluatedWindow>,
    /// New items in which the alert's words may occur: their text was pruned.
    pub(super) without_text: u64,
}

/// Evaluates one run by the rule of an alert.
pub(super) async fn evaluate_run(
    store: &Store,
    spec: &AlertSpec,
    wanted: &WordFilters,
    topic: &Topic,
    run: &AlertRun,
) -> Result<RunEvaluation, StoreError> {
    let mut result = RunEvaluation::default();
    match spec.rule {
        AlertRule::Items => {
            let changes = compare::changes_of_run(store, topic, run).await?;
            result.evaluations.extend(rules::items(spec, &topic.id, wanted, &changes));
            result.without_text = compare::count_without_text(spec, &changes);
        }
        AlertRule::Volume | AlertRule::Negative => {
            (result.evaluations, result.window) = evaluate_window(store, spec, topic, run).await?;
        }
        AlertRule::Source => result.evaluations = evaluate_sources(store, spec, topic, run).await?,
        AlertRule::Missed | AlertRule::Budget => {}
    }
    Ok(result)
}

async fn evaluate_sources(
    store: &Store,
    spec: &AlertSpec,
    topic: &Topic,
    run: &AlertRun,
) -> Result<Vec<Evaluation>, StoreError> {
    let quick = store.searched(&topic.id, run.seq, QUICK.max(spec.of)).await?;
    let sources: BTreeSet<Source> = quick.iter().map(|search| search.source).collect();
    let may_be_silent = sources.iter().any(|source| {
        let of_source = quick.iter().filter(|search| search.source == *source && !search.past);
        let answered = of_source.filter(|search| matches!(search.state, SearchState::Ok | SearchState::Empty));
        let beats: Vec<AnsweredSearch> = answered
            .map(|search| AnsweredSearch { at: search.at, counts: search.counts, fresh: search.fresh })
            .collect();
        !beats.is_empty() && may_be_silent(&SourceActivity { topic: topic.id.clone(), source: *source, beats })
    });
    let asked: BTreeSet<Source> = quick.iter().filter(|one| one.at == run.at).map(|one| one.source).collect();
    // A source that few runs ask, such as an AI source that only writes about new items.
    let is_rare = |source: &Source| {
        let executed = quick.iter().filter(|one| one.source == *source && one.state != SearchState::NotRun);
        executed.count() < spec.of as usize
    };
    let is_short = asked.iter().any(|source| spec.checks_source(*source) && is_rare(source));
    let mut searches =
        if may_be_silent || is_short { store.searched(&topic.id, run.seq, LONG.max(spec.of)).await? } else { quick };
    // This run says nothing about the sources that it was not to search.
    searches.retain(|search| asked.contains(&search.source));
    Ok(rules::sources(spec, &topic.id, &searches))
}

/// How many items each window holds, near-copies counted once.
fn counts(windows: &[(Day, Vec<CountedItem>)]) -> Vec<(Day, u64)> {
    windows.iter().map(|(day, marks)| (*day, daily::count_items(marks).unique)).collect()
}

/// Evaluates the window that ends with a run against comparable windows.
async fn evaluate_window(
    store: &Store,
    spec: &AlertSpec,
    topic: &Topic,
    run: &AlertRun,
) -> Result<(Vec<Evaluation>, Option<EvaluatedWindow>), StoreError> {
    let Some(current) = compare::alert_window(store, spec, topic, run).await? else { return Ok((Vec::new(), None)) };
    let AlertWindow { day: now, pause, answers, full, items: marks } = current;
    let length = Duration::from_millis(spec.window_ms);
    let window = |back: i32| compare::window_of_run(spec, run, back);
    let before = daily::windows_at_any_hour(now.span.until, length, &spec.timezone);
    let reaches = before.first().into_iter().copied().chain(window(DAYS)).map(|day| day.span.from).min();
    let reaches = reaches.unwrap_or(Time(0));
    let between = SeqRange { since: store.seq_before(&topic.id, reaches).await?, until: run.seq };
    let sources = compare::queries_between(store, &topic.id, between).await?;
    // Results of earlier queries do not show what is usual, and the first results of a new query must not raise an
    // alert.
    let anew = sources.iter().flat_map(|source| source.queries.iter()).filter(|query| query.baseline);
    let anew = anew.map(|query| query.from).max();
    if anew.is_some_and(|at| at >= now.span.from) {
        return Ok((Vec::new(), None));
    }
    let comparable = |day: &Day| anew.is_none_or(|at| at < day.span.from);
    let mut moment = store.snapshot().await?;
    // Whole days contain every hour, so windows that end at any hour can be compared.
    let whole_days = spec.rule == AlertRule::Volume && daily::is_whole_days(length);
    let days = if whole_days { 0 } else { DAYS };
    let days = (1..=days).rev().filter_map(window).filter(&comparable).collect();
    let found = comparable_windows(&mut moment, topic, spec, days, run, &answers, pause).await?;
    let (mut earlier, mut is_whole, mut away) = (found.windows, found.is_current_whole, found.away);
    let (mut evaluated, mut too_little) = (None, false);
    let length = format_duration(length);
    let evaluation = match spec.rule {
        AlertRule::Volume => {
            let mut same_hour = counts(&earlier);
            let mut at_any_hour = Vec::new();
            if whole_days || same_hour.len() < daily::MIN_DAYS {
                let before = before.into_iter().filter(comparable).collect();
                let found = comparable_windows(&mut moment, topic, spec, before, run, &answers, pause).await?;
                (earlier, is_whole, away) = (found.windows, found.is_current_whole, found.away);
                at_any_hour = counts(&earlier);
            }
            if whole_days {
                let days_before = |day: &Day| daily::is_whole_days(now.span.until.since(day.span.until));
                same_hour = at_any_hour.iter().copied().filter(|(day, _)| days_before(day)).collect();
            }
            let usual = rules::usual_volume(&now, &same_hour, &at_any_hour);
            let top = top(&mut moment, &marks, |mark| -mark.engagement.sum()).await?;
            let counted = daily::count_items(&marks);
            let like = RunningStats::of(same_hour.iter().map(|(_, count)| *count));
            evaluated = Some(EvaluatedWindow { at: run.at, window: now.span, count: counted.unique, like });
            let unusual = usual.usual.map(Unusual::Volume);
            let about = WindowVolume { counted: &counted, at_least: full, usual, length: &length, top: &top };
            let evaluation = rules::volume(spec, &topic.id, &about);
            let window =
                Window { topic, day: now, marks: &marks, earlier: &earlier, run_at: run.at, asked_since: anew };
            explain::explained(&mut moment, &window, unusual, evaluation).await?
        }
        _ => {
            let scorer = daily::scorer_of(&marks);
            let negative = |marks: &[CountedItem]| {
                let sounds = daily::count_tones(marks, scorer.as_deref());
                share(sounds.negative, sounds.sample())
            };
            let shares: Vec<Share> = earlier
                .iter()
                .filter_map(|(_, marks)| negative(marks))
                .filter(|share| share.whole >= u64::from(spec.least).div_ceil(2))
                .collect();
            let top = top(&mut moment, &marks, |mark| mark.score.unwrap_or(0)).await?;
            let negative = negative(&marks);
            too_little = negative.is_none_or(|share| share.whole < u64::from(spec.least));
            let usual = usual_share(negative.map_or(0, |share| share.whole), &shares);
            let evaluation =
                rules::negative(spec, &topic.id, &WindowTone { negative, usual, length: &length, top: &top });
            let unusual =
                |usual| Unusual::Negative(usual, u64::from(spec.least), scorer.as_deref().unwrap_or_default());
            let window =
                Window { topic, day: now, marks: &marks, earlier: &earlier, run_at: run.at, asked_since: anew };
            explain::explained(&mut moment, &window, usual.ok().map(unusual), evaluation).await?
        }
    };
    // While a source is away, fewer items do not show that what fires is over.
    let shows_end = evaluation.as_ref().map_or(too_little, |one| one.status == Status::Well);
    let is_held = shows_end && !is_whole;
    let evaluations = match evaluation.filter(|_| !is_held) {
        Some(evaluation) => check_relevance(&mut moment, topic, evaluation, &marks, &earlier, &length).await?,
        None if is_held || answers.many == 0 => forgotten(&mut moment, topic, spec, (&now, &away), pause).await?,
        None if too_little => rules::too_little(&topic.id, now.span.from),
        None => Vec::new(),
    };
    moment.end().await?;
    Ok((evaluations, evaluated))
}

/// Ends what has fired since before a window in which sources were away, if they gave no answer long before it, either.
/// Without sources that are known to be away, none of the alert's may have answered.
async fn forgotten(
    moment: &mut ReadSnapshot,
    topic: &Topic,
    spec: &AlertSpec,
    (now, away): (&Day, &[Source]),
    pause: i64,
) -> Result<Vec<Evaluation>, StoreError> {
    let before = Span { from: now.span.from.minus(FORGOTTEN), until: now.span.from };
    let answers = compare::window_answers(moment, spec, topic, before, pause).await?;
    let is_silent = match away {
        [] => answers.many == 0,
        away => away.iter().all(|source| answers.shown_by(*source) == 0),
    };
    Ok(if is_silent { rules::too_little(&topic.id, before.from) } else { Vec::new() })
}

/// Returns the evaluation of a window, or that it is held back: if most posts do not match the question, volume and
/// tone mean nothing.
async fn check_relevance(
    moment: &mut ReadSnapshot,
    topic: &Topic,
    evaluation: Evaluation,
    marks: &[CountedItem],
    earlier: &[(Day, Vec<CountedItem>)],
    length: &str,
) -> Result<Vec<Evaluation>, StoreError> {
    if evaluation.status == Status::Bad {
        let relevance = compare::relevance(moment, topic, marks, pool_windows(earlier).into_iter()).await?;
        if relevance.is_off_topic() {
            return Ok(rules::unrelated(&topic.id, length, &relevance).into_iter().collect());
        }
    }
    let related = rules::related(&topic.id);
    Ok(vec![evaluation, related])
}

/// Groups earlier windows, small ones together with those after them, so that each group holds enough posts to judge.
fn pool_windows(earlier: &[(Day, Vec<CountedItem>)]) -> Vec<Vec<&CountedItem>> {
    let mut pools: Vec<Vec<&CountedItem>> = Vec::new();
    for (_, marks) in earlier {
        let posts = marks.iter().filter(|mark| mark.kind == Kind::Post);
        match pools.last_mut().filter(|pool| pool.len() < compare::LEAST_POSTS) {
            Some(pool) => pool.extend(posts),
            None => pools.push(posts.collect()),
        }
    }
    pools
}

/// The words of the first items in an order, one per cluster.
async fn top(
    moment: &mut ReadSnapshot,
    marks: &[CountedItem],
    order: impl Fn(&CountedItem) -> i64,
) -> Result<Vec<ItemContent>, StoreError> {
    let mut all: Vec<&CountedItem> = marks.iter().collect();
    all.sort_by_key(|mark| (order(mark), &mark.key));
    let mut clusters = BTreeSet::new();
    all.retain(|mark| clusters.len() < NAMED && clusters.insert(&mark.cluster));
    let keys: Vec<String> = all.iter().map(|mark| mark.key.clone()).collect();
    let mut sorted = keys.clone();
    sorted.sort();
    let mut words = moment.words(&sorted).await?;
    words.sort_by_key(|words| keys.iter().position(|key| *key == words.key));
    Ok(words)
}
