//! `once`: runs topics now, or the slots that are due, and prints a table. Every run goes through the ledger, so `once`
//! can run while a daemon or another `once` is running.

use std::sync::Arc;

use clap::Args;
use serde_json::json;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use crate::cli::export::deliveries::JobResults;
use crate::cli::run::dry_run;
use crate::cli::terminal::failure::{Exit, Failure};
use crate::cli::terminal::{output, progress, run_table, signals};
use crate::cli::wiring::context::{Context, Service};
use crate::cli::wiring::options::Common;
use crate::cli::wiring::pings::{self, PingTask};
use crate::cli::wiring::{channels, ids, jobs};
use crate::collect::{Collector, Done, RunReport, WorkerPool, follow};
use crate::config::Target;
use crate::daemon::{Planner, Skew};
use crate::draw::format::count_noun;
use crate::model::{RunState, Time, Topic};
use crate::notify::Pinger;
use crate::store::{DefinitionSet, Store, StoreErrorKind};

#[derive(Debug, Args)]
pub struct OnceArgs {
    /// Only this topic (repeat for more)
    #[arg(long, value_name = "ID")]
    pub topic: Vec<String>,
    /// Run the slots due since the last recorded one, for cron and systemd timers
    #[arg(long)]
    pub due: bool,
    /// Make no calls; print the requests and what they would cost
    #[arg(long)]
    pub dry_run: bool,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
    /// Use this time as now, for tests and trials
    #[arg(long, hide = true, value_name = "TIME")]
    pub at: Option<String>,
}

pub(in crate::cli) async fn run(common: &Common, args: &OnceArgs) -> Result<Exit, Failure> {
    let mut context = Context::load(common, args.at.as_deref())?;
    // With daemons on other hosts, a wrong clock must not make a lease look lost or a slot look due.
    let skew = Skew::default();
    if args.at.is_none() {
        context.clock = skew.correct(context.clock);
    }
    context.check_topics(&args.topic)?;
    if args.due && !args.topic.is_empty() {
        return Err(Failure::usage("--due runs every topic that is due", "remove --topic or --due"));
    }
    if args.due && args.dry_run {
        let hint = format!("remove --due, or see the slots to come: {}", context.command("plan"));
        return Err(Failure::usage("--dry-run shows the requests of topics whether they are due or not", hint));
    }
    if args.dry_run {
        let named = |topic: &&Topic| args.topic.is_empty() || args.topic.contains(&topic.id);
        let topics: Vec<&Topic> = context.config.topics.iter().filter(named).collect();
        return dry_run::run(&context, &topics, args.json);
    }
    let topics = context.topics(&args.topic)?;
    // Read secrets first: nothing is written if one is missing.
    let channels = if args.due { channels::read(&context.config)? } else { Arc::default() };
    let targets = pings::targets(&context.config)?;
    let Service { callers, sandbox, .. } = context.service().await?;
    let store = context.store(true).await?;
    if args.at.is_none() {
        skew.follow(&store, (context.clock)()).await?;
    }
    let now = (context.clock)();
    // Runs of dead processes must not count as running.
    store.rescue(now).await?;
    let new_topics = store_definitions(&context, &store, (!args.due).then_some(&topics), now).await?;

    let collector = context.collector(store.clone(), callers);
    let cancel = CancellationToken::new();
    // Kept until the end: a second signal ends the process at any time.
    tokio::spawn(signals::interrupted(cancel.clone()));
    let size = context.config.scheduler.max_concurrent_runs.max(context.config.service.max_concurrent);
    let (worker_pool, ends) = WorkerPool::new(Arc::clone(&collector), size, cancel.clone());
    // With `--at`, all runs end at the same instant, so their order in the store must not depend on chance.
    let worker_pool = if args.at.is_some() { worker_pool.in_order() } else { worker_pool };
    let alive = tokio::spawn({
        let (worker_pool, lease) = (worker_pool.clone(), context.config.scheduler.lease);
        async move { worker_pool.keep_alive(lease).await }
    });
    let expected = if args.due { 0 } else { topics.len() };
    let pinging = PingTask::begin(targets, Arc::default());
    let pinger = &pinging.pinger;
    let ended =
        tokio::spawn(collect_reports(ends, pinger.clone(), progress::bar(expected as u64, common.quiet || args.json)));
    let begun = if args.due {
        start_due(&context, &collector, &worker_pool, pinger).await
    } else {
        start_all(&context, &collector, &worker_pool, pinger, &topics, args.at.is_some()).await
    };
    worker_pool.finished().await;
    alive.abort();
    drop(worker_pool);
    let (mut reports, failures) = ended
        .await
        .map_err(|e| Failure::new(Exit::Unexpected, format!("the results of the runs were lost: {e}"), ""))?;
    store.publish().await?;
    let again = "the next run will do it";
    follow(&store, &context.clock, &|| cancel.is_cancelled(), again).await;
    let due_results = if args.due && begun.is_ok() && !cancel.is_cancelled() {
        jobs::run_due(&context.config, &channels, &store, &context.clock, pinger, &cancel).await
    } else {
        Ok(Default::default())
    };
    pinging.end().await;
    let (outlook, (jobs, deliveries)) = (Outlook { new_topics, next: begun? }, due_results?);
    // The jobs may have added something.
    follow(&store, &context.clock, &|| cancel.is_cancelled(), again).await;
    let job_results = JobResults::of(&jobs, &deliveries);
    let place = |topic: &str| context.config.topics.iter().position(|t| t.id == topic);
    reports.sort_by_key(|report| (place(&report.topic), report.run.clone()));
    if let Some(sandbox) = sandbox {
        sandbox.stop().await;
    }
    if common.quiet && !args.json {
        run_table::problems(&reports).iter().for_each(|line| output::print_stderr(line));
        if !job_results.good {
            output::print_stderr(job_results.failures.trim_end());
        }
    } else {
        print(&context, args, &store, &reports, failures.is_empty(), &job_results, outlook).await?;
    }
    store.close().await;
    failures.iter().for_each(print_failure);
    if cancel.is_cancelled() {
        return Ok(Exit::Interrupted);
    }
    if let Some(failure) = failures.into_iter().next() {
        return Ok(failure.exit);
    }
    let good = job_results.good && reports.iter().all(|r| r.state == RunState::Ok);
    Ok(if good { Exit::Ok } else { Exit::Searches })
}

/// Stores the definitions that are run: those of the whole file, or only the named topics. Returns how many topics of
/// the file are planned from now on.
async fn store_definitions(
    context: &Context,
    store: &Store,
    named: Option<&Vec<Topic>>,
    now: Time,
) -> Result<usize, Failure> {
    if let Some(topics) = named {
        // Topics of another file may belong to another daemon: leave them.
        Planner::plan_before_change(store, topics, false, now, false).await?;
        store.add_topics(topics, now).await?;
        return Ok(0);
    }
    let jobs = jobs::of(&context.config)?;
    let set = DefinitionSet { topics: &context.config.topics, jobs: &jobs };
    Planner::plan_before_change(store, set, true, now, false).await?;
    let adopted = store.activate(set, None, now).await?;
    if adopted.follows() {
        output::print_stderr(
            "warning: a daemon with newer topics is running; its topics are run, not those of this file",
        );
    }
    crate::alert::begin(store, now).await?;
    Ok(adopted.synced.new_topics)
}

fn print_failure(failure: &Failure) {
    output::print_stderr(&format!("error: {}", output::escape_control(&failure.text)));
    if !failure.hint.is_empty() {
        output::print_stderr(&format!("hint: {}", output::escape_control(&failure.hint)));
    }
}

/// Starts one manual run per topic.
async fn start_all(
    context: &Context,
    collector: &Arc<Collector>,
    worker_pool: &WorkerPool,
    pinger: &Pinger,
    topics: &[Topic],
    at_given: bool,
) -> Result<Option<Upcoming>, Failure> {
    let lease = context.config.scheduler.lease;
    for topic in topics {
        let Some(permit) = worker_pool.acquire().await else { break };
        let now = collector.now();
        let id = if at_given {
            ids::reproducible_run_id(now, &topic.job(), collector.store().manual_runs(&topic.id).await?)
        } else {
            ids::run_id(now)
        };
        if worker_pool.is_stuck() {
            break;
        }
        pings::topic_started(pinger, &topic.id);
        worker_pool.start_manual(topic.clone(), id, ids::token(), lease, permit);
    }
    Ok(None)
}

/// The topic that is due next, and when.
type Upcoming = (String, Time);

/// What `--due` says about slots to come.
struct Outlook {
    new_topics: usize,
    next: Option<Upcoming>,
}

/// Runs the due slots as the daemon would. Returns what is due next.
async fn start_due(
    context: &Context,
    collector: &Arc<Collector>,
    worker_pool: &WorkerPool,
    pinger: &Pinger,
) -> Result<Option<Upcoming>, Failure> {
    let store = collector.store();
    Planner::default().plan(store, collector.now(), false).await?;
    loop {
        let before = worker_pool.ends();
        let Some(permit) = worker_pool.acquire().await else { return Ok(None) };
        let mut permits = vec![permit];
        while let Some(permit) = worker_pool.try_acquire() {
            permits.push(permit);
        }
        let most = u32::try_from(permits.len()).unwrap_or(u32::MAX);
        let claimed = store.claim(collector.now(), most, context.config.scheduler.lease, &ids::token()).await?;
        // Slots of one job run one after another: claim again when one of our runs has ended.
        if claimed.is_empty() && !worker_pool.ended_since(before).await {
            break;
        }
        for (run, permit) in claimed.into_iter().zip(permits) {
            pings::topic_started(pinger, &run.topic.id);
            worker_pool.start(run, permit);
        }
    }
    Ok(store.next_slots(1).await?.pop())
}

/// Collects the reports of ended runs, and the failures of runs that could not be stored.
async fn collect_reports(
    mut ends: mpsc::UnboundedReceiver<Done>,
    pinger: Pinger,
    bar: indicatif::ProgressBar,
) -> (Vec<RunReport>, Vec<Failure>) {
    let (mut reports, mut failures) = (Vec::new(), Vec::new());
    let mut new = 0;
    while let Some(done) = ends.recv().await {
        pings::topic_ended(&pinger, &done);
        match done.result {
            Ok(report) => {
                new += report.searches.iter().map(|s| s.counts.new).sum::<i64>();
                reports.push(report);
            }
            // Another process took the run over and will report it.
            Err(error) if error.kind == StoreErrorKind::Fenced => {}
            Err(error) => {
                failures.push(Failure { text: format!("{}: {}", done.topic, error.text), ..Failure::from(error) });
            }
        }
        bar.set_message(format!("{new} new"));
        bar.inc(1);
    }
    bar.finish_and_clear();
    (reports, failures)
}

async fn print(
    context: &Context,
    args: &OnceArgs,
    store: &Store,
    reports: &[RunReport],
    unfailed: bool,
    job_results: &JobResults,
    outlook: Outlook,
) -> Result<(), Failure> {
    let ids: Vec<String> = reports.iter().map(|report| report.run.clone()).collect();
    let invented = run_table::is_invented(store, context.is_sandbox(), &ids).await?;
    let volume = store.volume_of_runs(&ids).await?;
    let hidden = run_table::hidden(store, reports).await?;
    let baseline: i64 = store.baselines_of_runs(&ids).await?.into_values().sum();
    if args.json {
        return output::json(&json!({
            "sandbox": invented, "database": store.location(), "sums": run_table::sums(reports, &hidden), "baseline": baseline, "volume": volume, "runs": reports,
            "jobs": job_results.jobs, "deliveries": job_results.deliveries,
        }));
    }
    let mut text = String::new();
    if invented {
        text.push_str("SANDBOX: findings and costs are invented, nothing is billed\n\n");
    }
    if reports.is_empty() && job_results.text.is_empty() {
        // Runs that could not be stored are reported on stderr.
        text.push_str(if args.due && unfailed { "nothing was due\n" } else { "" });
    } else if !reports.is_empty() {
        text.push_str(&run_table::render(reports, &hidden));
        text.push_str(&format!("{}\n", output::volume(volume)));
        if baseline > 0 {
            let are = if baseline == 1 { "is" } else { "are" };
            text.push_str(&format!(
                "{baseline} of the new items {are} a baseline: first replies, compared with later ones\n"
            ));
        }
    }
    text.push_str(&job_results.text);
    if outlook.new_topics > 0 {
        let slots = if outlook.new_topics == 1 { "its slots count" } else { "their slots count" };
        text.push_str(&format!("{}: {slots} from now on\n", count_noun(outlook.new_topics as u64, "new topic")));
    }
    if let Some((topic, at)) = outlook.next {
        text.push_str(&format!("next due: {topic} at {}\n", output::format_time(at)));
    }
    if unfailed || !reports.is_empty() {
        text.push_str(&format!("stored in {}\n", output::escape_control(store.location())));
    }
    if !reports.is_empty() && reports.iter().all(|report| report.state == RunState::Failed) {
        text.push_str(&format!("next: {}\n", context.command("check --probe")));
    } else if let Some(first) = reports.first() {
        text.push_str(&format!(
            "next: {} · {} · {}\n",
            context.command(&format!("show {}", first.topic)),
            context.command("items --new-since 24h"),
            context.command("export --out items.csv")
        ));
    }
    if context.is_sandbox() && context.config.service.target == Target::Sandbox {
        let effective = context.config.effective.iter().find(|one| one.key == "service.base_url");
        let place = match effective.and_then(|one| one.origin.strip_prefix("environment ")) {
            Some(variable) if variable.ends_with("_FILE") => format!("the address in the file that {variable} names"),
            Some(variable) => variable.to_owned(),
            None => format!("[service] base_url in {}", context.config.file.display()),
        };
        text.push_str(&format!(
            "for real searches: set {} and put your key into ${}, then {}\n",
            output::escape_control(&place),
            context.config.service.api_key_env,
            context.command("check --probe")
        ));
    }
    Ok(output::text(&text)?)
}
