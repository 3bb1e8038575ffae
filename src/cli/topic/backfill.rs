//! `topic backfill`: searches past days, one manual run per day, with calls that take dates. Findings are judged
//! against their day; `first_seen` stays the time of the backfill.

use std::sync::Arc;

use clap::Args;
use serde_json::json;
use tokio_util::sync::CancellationToken;

use crate::cli::terminal::failure::{Exit, Failure};
use crate::cli::terminal::{output, run_table, signals};
use crate::cli::wiring::context::{Context, Service};
use crate::cli::wiring::ids;
use crate::cli::wiring::options::Common;
use crate::collect::{Collector, Done, RunReport, SearchReport, WorkerPool, follow};
use crate::daemon::{Planner, Skew};
use crate::draw::format::count_noun;
use crate::insight::daily::COVERED;
use crate::model::{AiWhen, LookBack, Micros, RunState, SearchState, Source, Span, Time, Topic, format_duration};
use crate::search::{self, LookBackSupport, SearchQuery, look_back_support};
use crate::store::Store;

#[derive(Debug, Args)]
pub struct BackfillArgs {
    /// Topic id
    pub topic: String,
    /// First day, UTC: 2026-03-01
    #[arg(long, value_name = "DATE")]
    pub from: String,
    /// Last day, inclusive
    #[arg(long, value_name = "DATE")]
    pub to: String,
    /// Make no calls; print the requests and their price
    #[arg(long)]
    pub dry_run: bool,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
    /// Use this time as now, for tests and trials
    #[arg(long, hide = true, value_name = "TIME")]
    pub at: Option<String>,
}

/// The most days of one backfill.
const MOST_DAYS: i64 = 31;

pub(in crate::cli) async fn run(common: &Common, args: &BackfillArgs) -> Result<Exit, Failure> {
    let mut context = Context::load(common, args.at.as_deref())?;
    let skew = Skew::default();
    if args.at.is_none() {
        context.clock = skew.correct(context.clock);
    }
    let mut topic = context.topics(std::slice::from_ref(&args.topic))?.remove(0);
    let days = days(args, (context.clock)())?;
    datable(&context, &mut topic)?;
    if args.dry_run {
        return dry_run(&context, args, &topic, &days);
    }
    let Service { callers, sandbox, .. } = context.service().await?;
    let store = context.store(true).await?;
    if args.at.is_none() {
        skew.follow(&store, (context.clock)()).await?;
    }
    let now = (context.clock)();
    // Store the topic as written: what a backfill leaves out applies only to its own runs.
    let as_written = context.topics(std::slice::from_ref(&args.topic))?;
    store.rescue(now).await?;
    Planner::plan_before_change(&store, &as_written, false, now, false).await?;
    store.add_topics(&as_written, now).await?;
    let collector = context.collector(store.clone(), callers);
    let cancel = CancellationToken::new();
    // Kept until the end: a second signal ends the process at any time.
    tokio::spawn(signals::interrupted(cancel.clone()));
    let ended = each_day(&context, &collector, &topic, &days, args.at.is_some(), &cancel).await;
    store.publish().await?;
    follow(&store, &context.clock, &|| cancel.is_cancelled(), "the next run will do it").await;
    if let Some(sandbox) = sandbox {
        sandbox.stop().await;
    }
    let (reports, interrupted) = ended?;
    print(&context, args, &store, days.len(), &reports).await?;
    store.close().await;
    let done = reports.iter().filter(|(_, report)| is_done(report, interrupted)).count();
    let left = days.get(done..).unwrap_or_default();
    if let (Some(next), Some(last)) = (left.first(), days.last()) {
        output::print_stderr(&format!(
            "stopped{}. To continue: {}",
            if done > 0 { "; the days before are stored" } else { "" },
            context.command(&format!(
                "topic backfill {} --from {} --to {}",
                topic.id,
                Time::of_utc_day(*next).utc_date(),
                Time::of_utc_day(*last).utc_date()
            ))
        ));
    }
    Ok(match () {
        () if interrupted => Exit::Interrupted,
        () if left.is_empty() && reports.iter().all(|(_, report)| report.state == RunState::Ok) => Exit::Ok,
        () => Exit::Searches,
    })
}

/// Whether a day need not be searched again. A failed source does not hold up the days after it; an interrupted day is
/// repeated.
fn is_done(report: &RunReport, interrupted: bool) -> bool {
    report.state == RunState::Ok || (report.state == RunState::Partial && !interrupted)
}

/// Returns the named days, oldest first.
fn days(args: &BackfillArgs, now: Time) -> Result<Vec<i64>, Failure> {
    let day = |option: &str, text: &str| {
        let date = text.parse::<jiff::civil::Date>().ok().and_then(|date| date.to_zoned(jiff::tz::TimeZone::UTC).ok());
        date.map(|day| Time::from_jiff(day.timestamp()).utc_day()).ok_or_else(|| {
            Failure::usage(
                format!("{option}: `{}` is not a date", output::truncate(text, 60)),
                "write 2026-03-11; days are in UTC",
            )
        })
    };
    let (first, last) = (day("--from", &args.from)?, day("--to", &args.to)?);
    if last > now.utc_day() {
        return Err(Failure::usage(
            format!("--to {} is in the future", Time::of_utc_day(last).utc_date()),
            format!("today is {} in UTC", Time::of_utc_day(now.utc_day()).utc_date()),
        ));
    }
    if first > last {
        return Err(Failure::usage("--from is after --to", "both days are included; they may be the same"));
    }
    if last - first >= MOST_DAYS {
        return Err(Failure::usage(
            format!("{} days are more than the {MOST_DAYS} allowed in one backfill", last - first + 1),
            format!(
                "start with --from {} --to {}",
                Time::of_utc_day(first).utc_date(),
                Time::of_utc_day(first + MOST_DAYS - 1).utc_date()
            ),
        ));
    }
    Ok((first..=last).collect())
}

/// Keeps the sources that can search a given day. Rejects a topic whose posts cannot be, or that has no source left.
fn datable(context: &Context, topic: &mut Topic) -> Result<(), Failure> {
    let service = &context.config.service;
    let takes = |topic: &Topic, source| {
        SearchQuery::of(topic, source)
            .is_some_and(|query| look_back_support(service.dialect, &query) == LookBackSupport::Dates)
    };
    if topic.social.is_some() && !takes(topic, Source::Social) {
        // The request's own error explains it best.
        let query = SearchQuery::of(topic, Source::Social).map(|query| query.with_look_back(LookBack::Day(0)));
        let why = query
            .and_then(|query| search::request(service.dialect, &service.platform, &query, Time::of_utc_day(1)).err());
        let (message, hint) = why.map_or_else(Default::default, |why| (why.message, why.hint));
        return Err(Failure::usage(format!("topic {} cannot be backfilled: {message}", topic.id), hint));
    }
    let asked_ai = topic.ai.is_some();
    if !takes(topic, Source::Ai) {
        topic.ai = None;
    }
    if topic.social.is_none() && topic.ai.is_none() {
        // A backfill makes the calls of `[service]`; providers that take dates are not asked either.
        let names: Vec<&str> = topic.providers.iter().map(|provider| provider.source.as_str()).collect();
        let why = match names.as_slice() {
            [] => "none of its sources accepts dates".to_owned(),
            _ if topic.web.is_none() && !asked_ai => {
                format!("it uses only providers ({}); backfill works only with the search service", names.join(", "))
            }
            _ => format!("none of its [service] sources accepts dates; {} cannot be backfilled", names.join(", ")),
        };
        return Err(Failure::usage(
            format!("topic {} cannot be backfilled: {why}", topic.id),
            "of [service], social searches with operation \"basic\", and social and AI searches of dialect \"desearch\", accept dates",
        ));
    }
    // Page searches always return today's pages.
    topic.web = None;
    if let Some(ai) = topic.ai.as_mut().filter(|ai| ai.when == AiWhen::Daily) {
        // `daily` means today, not the days that are filled.
        ai.when = AiWhen::New;
    }
    Ok(())
}

/// Runs one day after another until one fails or the user interrupts. Days that ended are stored.
async fn each_day(
    context: &Context,
    collector: &Arc<Collector>,
    topic: &Topic,
    days: &[i64],
    at_given: bool,
    cancel: &CancellationToken,
) -> Result<(Vec<(i64, RunReport)>, bool), Failure> {
    let lease = context.config.scheduler.lease;
    let (worker_pool, mut ends) = WorkerPool::new(Arc::clone(collector), 1, cancel.clone());
    let alive = tokio::spawn({
        let worker_pool = worker_pool.clone();
        async move { worker_pool.keep_alive(lease).await }
    });
    let mut reports = Vec::new();
    let mut failed = None;
    for day in days {
        let Some(permit) = worker_pool.acquire().await.filter(|_| !cancel.is_cancelled()) else { break };
        let now = collector.now();
        let id = if at_given {
            ids::reproducible_run_id(now, &topic.job(), collector.store().manual_runs(&topic.id).await?)
        } else {
            ids::run_id(now)
        };
        let run = collector.store().start_manual(topic, &id, now, lease, &ids::token()).await?;
        worker_pool.start_day(run, permit, *day);
        match ends.recv().await {
            Some(Done { result: Ok(report), .. }) => {
                let done = is_done(&report, cancel.is_cancelled());
                reports.push((*day, report));
                if !done {
                    break;
                }
            }
            Some(Done { result: Err(error), .. }) => {
                failed = Some(Failure::from(error));
                break;
            }
            None => break,
        }
    }
    worker_pool.finished().await;
    alive.abort();
    failed.map_or(Ok((reports, cancel.is_cancelled())), Err)
}

/// Whether posts were searched, but not all of the day was covered: a reply was full, or the service ignored the dates.
fn is_not_wholly_covered(report: &RunReport) -> bool {
    let answered = |search: &&SearchReport| matches!(search.state, SearchState::Ok | SearchState::Empty);
    let length = |span: Option<Span>| span.map_or(0.0, |span| span.length().as_secs_f64());
    let posts = report.searches.iter().find(|search| search.source == Source::Social).filter(answered);
    posts.is_some_and(|search| length(search.covered) < COVERED * length(search.requested_span))
}

async fn print(
    context: &Context,
    args: &BackfillArgs,
    store: &Store,
    wanted: usize,
    days: &[(i64, RunReport)],
) -> Result<(), Failure> {
    let ids: Vec<String> = days.iter().map(|(_, report)| report.run.clone()).collect();
    let invented = run_table::is_invented(store, context.is_sandbox(), &ids).await?;
    let reports: Vec<RunReport> = days.iter().map(|(_, report)| report.clone()).collect();
    let sums = run_table::sums(&reports, &run_table::hidden(store, &reports).await?);
    if args.json {
        let days: Vec<_> = days
            .iter()
            .map(|(day, report)| json!({ "day": Time::of_utc_day(*day).utc_date(), "run": report }))
            .collect();
        return output::json(
            &json!({ "sandbox": invented, "database": store.location(), "topic": args.topic, "sums": sums, "days": days }),
        );
    }
    let mut rows = Vec::new();
    let mut notes = String::new();
    for (day, report) in days {
        for (place, search) in report.searches.iter().enumerate() {
            let c = search.counts;
            let cell =
                |count: String| if search.state.has_counts(search.counts.found) { count } else { "-".to_owned() };
            rows.push(vec![
                if place == 0 { Time::of_utc_day(*day).utc_date() } else { String::new() },
                search.source.to_string(),
                search.state.to_string(),
                cell(output::at_least(c.found, search.may_be_more())),
                cell(output::at_least(c.new, search.may_be_more())),
                cell(c.duplicate.to_string()),
                cell(c.outside.to_string()),
                search.covered.map_or_else(|| "-".to_owned(), |span| format_duration(span.length())),
                search.cost.to_string(),
            ]);
            if let Some(note) = &search.note {
                notes.push_str(&format!(
                    "  {} {}: {}\n",
                    Time::of_utc_day(*day).utc_date(),
                    search.source,
                    output::truncate(note, 300)
                ));
            }
        }
    }
    let header = ["day", "source", "state", "found", "new", "duplicate", "outside", "covered", "cost"];
    let mut text = if invented {
        "SANDBOX: findings and costs are invented, nothing is billed\n\n".to_owned()
    } else {
        String::new()
    };
    text.push_str(&output::table(&header, rows, &[3, 4, 5, 6, 7, 8]));
    let not_whole = reports.iter().filter(|report| is_not_wholly_covered(report)).count();
    text.push_str(&format!(
        "\n{}{} · {} · cost {}\n{notes}stored in {}\n",
        run_table::states(&reports, wanted, "day"),
        if not_whole > 0 { format!(" ({not_whole} not wholly covered)") } else { String::new() },
        sums.found_parts(),
        sums.paid(),
        output::escape_control(store.location())
    ));
    Ok(output::text(&text)?)
}

/// Prints the requests with their expected price. Makes no calls and opens no database.
fn dry_run(context: &Context, args: &BackfillArgs, topic: &Topic, days: &[i64]) -> Result<Exit, Failure> {
    let service = &context.config.service;
    let head = if context.is_sandbox() { "SANDBOX: invented findings and prices\n\n" } else { "" };
    let (mut total, mut text, mut list) = (Micros(0), head.to_owned(), Vec::new());
    let may_ask = topic.ai.as_ref().is_some_and(|ai| ai.when != AiWhen::Always);
    for day in days {
        for source in topic.sources() {
            let Some(query) = SearchQuery::of(topic, source).map(|query| query.with_look_back(LookBack::Day(*day)))
            else {
                continue;
            };
            let request = search::request(service.dialect, &service.platform, &query, (context.clock)())
                .map_err(|e| Failure::usage(format!("{} {source}: {}", topic.id, e.message), e.hint))?;
            let price = service.prices.of(source);
            total = total.plus(price);
            let only = if source == Source::Ai && may_ask { ", if asked" } else { "" };
            text.push_str(&format!(
                "{}  {source}  {} {}, expected {price}{only}\n",
                Time::of_utc_day(*day).utc_date(),
                request.method,
                request.path
            ));
            list.push(
                json!({ "day": Time::of_utc_day(*day).utc_date(), "request": request, "expected_cost_usd": price }),
            );
        }
    }
    let (calls, bound) = (list.len(), if may_ask { "at most " } else { "" });
    if args.json {
        output::json(&json!({ "calls": calls, "expected_cost_usd": total, "requests": list }))?;
        return Ok(Exit::Ok);
    }
    text.push_str(&format!(
        "\nno calls were made; {bound}{} for {} would cost about {total} at the configured prices (limit: {})\n",
        count_noun(calls as u64, "call"),
        count_noun(days.len() as u64, "day"),
        service.limits()
    ));
    output::text(&text)?;
    Ok(Exit::Ok)
}
