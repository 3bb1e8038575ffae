//! `status`: the state of each topic and today's cost. Works as a health check: the store must be reachable.

use std::collections::{BTreeMap, BTreeSet};

use clap::Args;
use serde_json::json;

use crate::cli::terminal::failure::{Exit, Failure};
use crate::cli::terminal::output;
use crate::cli::wiring::context::Context;
use crate::cli::wiring::options::Common;
use crate::compare::{MOST_JUDGED, filter_of, health};
use crate::config::ProviderConfig;
use crate::insight::{Amount, Ill, Illness, meant, standing};
use crate::model::{Between, Budget, Micros, PausedBy, Source, Undelivered, Used, WindowFit};
use crate::schedule::Schedule;
use crate::store::{Nature, Store, TopicStatus};

#[derive(Debug, Args)]
pub struct StatusArgs {
    /// Exit with 3 when a source is stale or silent (stale,silent)
    #[arg(long, value_name = "STATES", value_delimiter = ',', value_parser = ["stale", "silent"], hide_possible_values = true)]
    pub fail_on: Vec<String>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
    /// Use this time as now, for tests and rehearsals
    #[arg(long, hide = true, value_name = "TIME")]
    pub at: Option<String>,
}

pub(in crate::cli) async fn run(common: &Common, args: &StatusArgs) -> Result<Exit, Failure> {
    let context = Context::load(common, args.at.as_deref())?;
    let store = context.store_to_read().await?;
    let now = (context.clock)();
    let topics = store.status().await?;
    let limited: Vec<String> = context.limited().map(|topic| topic.id.clone()).collect();
    let (used, topics_used) = store.used_on(now.utc_day(), &limited).await?;
    let calls = used.calls;
    let others = store.used_by_provider(now.utc_day()).await?;
    let budgets = budgets(&context, used, &topics_used);
    let health = health(&store, &topics.iter().map(|t| t.topic.clone()).collect::<Vec<_>>()).await?;
    let (filtered, older) = told_apart(&store, &topics).await?;
    let full = full(&store, &topics).await?;
    let channels: Vec<String> = context.config.channels.iter().map(|spec| spec.name.clone()).collect();
    let undelivered = store.undelivered(Some(&channels)).await?;
    let invented = store.nature().await? == Some(Nature::Sandbox);
    let disk = store.disk().await?;
    let place = store.place().to_owned();
    store.close().await;
    let next = |status: &TopicStatus| {
        let topic = context.config.topics.iter().find(|t| t.id == status.topic && status.paused.is_none())?;
        let policy = topic.schedule.as_ref().filter(|p| !p.paused)?;
        Schedule::compile(policy).ok()?.next_after(now)
    };
    let limit = context.config.service.max_calls_per_day;
    if args.json {
        let topics: Vec<_> = topics
            .iter()
            .map(|t| json!({ "topic": t.topic, "title": t.title, "standing": standing_now(t, &health.ill), "items": t.items, "last_run": t.last_run,
                "new_filtered": filtered.get(&t.topic), "new_older": t.last_run.as_ref().map(|_| older.get(&t.topic).unwrap_or(&0)), "ill": of(&t.topic, &health.ill).collect::<Vec<_>>(), "last_success": t.last_success,
                "next_slot": next(t), "paused": t.paused }))
            .collect();
        output::json(
            &json!({ "sandbox": invented, "database": place, "calls_today": calls, "max_calls_per_day": limit,
                "budget_clears_at": now.next_utc_day(), "budgets": budgets, "providers": provider_days(&context, &others), "unjudged": health.unjudged, "undelivered": undelivered, "disk": disk, "topics": topics }),
        )?;
        return Ok(exit(args, &health.ill));
    }
    let mut text = String::new();
    if invented {
        text.push_str("SANDBOX: invented findings\n\n");
    }
    let rows = topics
        .iter()
        .map(|t: &TopicStatus| {
            let run = t.last_run.as_ref();
            vec![
                t.topic.clone(),
                standing_now(t, &health.ill).to_owned(),
                output::when_known(run.and_then(|r| r.started_at)),
                run.map_or_else(
                    || "-".to_owned(),
                    |r| {
                        let apart = [&filtered, &older].map(|of| of.get(&t.topic).unwrap_or(&0));
                        output::at_least(r.counts.new - apart[0] - apart[1], full.contains(&r.run))
                    },
                ),
                t.items.to_string(),
                if t.paused.is_some() { "paused".to_owned() } else { output::when_known(next(t)) },
            ]
        })
        .collect();
    text.push_str(&output::table(&["topic", "standing", "last run", "new", "items", "next slot"], rows, &[3, 4]));
    for (topic, paused) in topics.iter().filter_map(|t| Some((&t.topic, t.paused.as_ref()?))) {
        text.push_str(&match paused.by {
            PausedBy::File => format!("{topic} is paused in the configuration\n"),
            PausedBy::Pause => {
                let why = paused.reason.as_ref().map_or_else(String::new, |why| format!(": {}", output::visible(why)));
                format!("{topic} is paused since {}{why}\n", output::when_known(paused.since))
            }
        });
    }
    for (run, at) in topics.iter().filter_map(|t| t.last_run.as_ref()).filter_map(|r| Some((r, r.clears_at?))) {
        if at > now {
            let why = output::brief(run.reason.as_deref().unwrap_or(""), 200);
            text.push_str(&format!("{} is over quota: {why}\n", run.topic.as_deref().unwrap_or("")));
        }
    }
    for ill in &health.ill {
        text.push_str(&format!("{ill}\n"));
    }
    if health.unjudged > 0 {
        text.push_str(&format!("{} topics were not judged for silent sources\n", health.unjudged));
    }
    if undelivered != Undelivered::default() {
        text.push_str(&format!("{undelivered}: topicwatch outbox\n"));
    }
    for (topic, hidden) in filtered.iter().filter(|(_, hidden)| **hidden > 0) {
        text.push_str(&format!("{topic}: {hidden} more new in the last run, filtered\n"));
    }
    for (topic, older) in older.iter().filter(|(_, older)| **older > 0) {
        text.push_str(&format!("{topic}: {older} more first seen in the last run, older than the window\n"));
    }
    for line in budgets.iter().skip(1).filter(|line| line.limit.is_some()) {
        text.push_str(&format!("{line}\n"));
    }
    if !disk.gives_back && disk.free > disk.bytes / 5 {
        text.push_str(&format!(
            "{} of the file are free and cannot be given back: see `topicwatch db prune`\n",
            output::bytes(disk.free)
        ));
    }
    let size = output::bytes(disk.bytes);
    text.push('\n');
    let days = context.config.day_limits();
    for (name, limits) in &days.providers {
        let used = used_of(*name, &others);
        text.push_str(&format!("{name}: {} of {} calls today (UTC), {}\n", used.calls, limits.calls, used.money));
    }
    if days.service.is_some() {
        text.push_str(&format!("{calls} of {limit} calls today (UTC), {} · ", used.money));
    }
    text.push_str(&format!("{}, {size}\n", output::visible(&place)));
    output::text(&text)?;
    Ok(exit(args, &health.ill))
}

/// The illnesses of one topic.
fn of<'a>(topic: &'a str, ill: &'a [Illness]) -> impl Iterator<Item = &'a Illness> {
    ill.iter().filter(move |illness| illness.topic == topic)
}

/// The standing in one word: a topic whose last run went well may still have a source that fell silent.
fn standing_now(status: &TopicStatus, ill: &[Illness]) -> &'static str {
    let usual = standing(status);
    let worst = of(&status.topic, ill).map(|illness| illness.state).min();
    worst.filter(|_| usual == "ok").map_or(usual, Ill::as_str)
}

fn exit(args: &StatusArgs, ill: &[Illness]) -> Exit {
    let fails = ill.iter().any(|illness| args.fail_on.iter().any(|state| state == illness.state.as_str()));
    if fails { Exit::Searches } else { Exit::Ok }
}

/// Of the new ones of each topic's last run: how many its filter hides, for topics with one, and how many of the others were
/// older than their window.
async fn told_apart(
    store: &Store,
    topics: &[TopicStatus],
) -> Result<(BTreeMap<String, i64>, BTreeMap<String, i64>), Failure> {
    let ids: Vec<String> = topics.iter().map(|t| t.topic.clone()).collect();
    let runs: Vec<String> = topics.iter().filter_map(|t| Some(t.last_run.as_ref()?.run.clone())).collect();
    let of_runs = store.older_of(&runs).await?;
    let of_topic = |t: &TopicStatus| Some((t.topic.clone(), *of_runs.get(&t.last_run.as_ref()?.run)?));
    let (mut filtered, mut older) = (BTreeMap::new(), topics.iter().filter_map(of_topic).collect::<BTreeMap<_, _>>());
    let definitions = store.watched(&ids).await?.into_iter().filter_map(|watched| watched.definition);
    for topic in definitions.filter(|topic| !topic.filter.is_none()).take(MOST_JUDGED) {
        let last = topics.iter().find(|t| t.topic == topic.id).and_then(|t| t.last_run.as_ref()?.seq);
        if let Some(seq) = last {
            let first = store.first_sights(&topic.id, Between { since: seq - 1, until: seq }).await?;
            let filter = filter_of(&topic);
            let hidden: Vec<String> =
                first.iter().filter(|first| !meant(&filter, &first.item)).map(|first| first.item.key.clone()).collect();
            if let Some(older) = older.get_mut(&topic.id) {
                let fits = store.first_fits(Some(&topic.id), &hidden).await?;
                *older -= count(fits.values().filter(|fit| **fit == WindowFit::Outside).count());
            }
            filtered.insert(topic.id, count(hidden.len()));
        }
    }
    Ok((filtered, older))
}

fn count(many: usize) -> i64 {
    i64::try_from(many).unwrap_or(i64::MAX)
}

/// Of as many topics as are judged: the last runs in which a source returned as much as it could.
async fn full(store: &Store, topics: &[TopicStatus]) -> Result<BTreeSet<String>, Failure> {
    let last = topics.iter().filter_map(|t| Some(t.last_run.as_ref()?.run.clone())).take(MOST_JUDGED);
    let searches = store.searches(&last.collect::<Vec<_>>()).await?;
    Ok(searches.into_iter().filter(|search| search.saturated).map(|search| search.run).collect())
}

/// What there is of a day, and what is used of it.
#[derive(serde::Serialize)]
struct Line {
    budget: Budget,
    topic: Option<String>,
    used: Amount,
    /// `None` without a limit, which only the service's money can be.
    limit: Option<Amount>,
    left: Option<Amount>,
}

impl Line {
    fn new(budget: Budget, topic: Option<&str>, used: Amount, limit: Option<Amount>) -> Self {
        let left = limit.map(|limit| match (limit, used) {
            (Amount::Money(limit), Amount::Money(used)) => Amount::Money(Micros((limit.0 - used.0).max(0))),
            (Amount::Calls(limit), Amount::Calls(used)) => Amount::Calls((limit - used).max(0)),
            (other, _) => other,
        });
        Self { budget, topic: topic.map(str::to_owned), used, limit, left }
    }
}

impl std::fmt::Display for Line {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let of = self.topic.as_ref().map_or_else(String::new, |topic| format!(" of {topic}"));
        write!(f, "{}{of}: {} used today (UTC)", self.budget, self.used)?;
        match (self.limit, self.left) {
            (Some(limit), Some(left)) => write!(f, " of {limit}, {left} left"),
            _ => Ok(()),
        }
    }
}

fn used_of(name: Source, used: &[(Source, Used)]) -> Used {
    used.iter().find(|(one, _)| *one == name).map(|(_, used)| *used).unwrap_or_default()
}

/// What each provider beside the search service was used today.
fn provider_days(context: &Context, used: &[(Source, Used)]) -> Vec<serde_json::Value> {
    let day = |one: &ProviderConfig| {
        let used = used_of(one.name, used);
        json!({ "provider": one.name, "kind": one.kind.name, "calls_today": used.calls, "max_calls_per_day": one.max_calls_per_day,
            "cost_usd": used.money, "budget_per_day_usd": one.budget_per_day })
    };
    context.config.providers.iter().map(day).collect()
}

/// The service's calls and money first, then what topics have of their own.
fn budgets(context: &Context, used: Used, topics: &[Used]) -> Vec<Line> {
    let limits = context.config.service.limits();
    let calls = |calls: u32| Amount::Calls(i64::from(calls));
    let mut lines = vec![
        Line::new(Budget::ServiceCalls, None, Amount::Calls(used.calls), Some(calls(limits.calls))),
        Line::new(Budget::ServiceMoney, None, Amount::Money(used.money), limits.money.map(Amount::Money)),
    ];
    for (topic, used) in context.limited().zip(topics) {
        let id = Some(topic.id.as_str());
        if let Some(limit) = topic.limits.calls {
            lines.push(Line::new(Budget::TopicCalls, id, Amount::Calls(used.calls), Some(calls(limit))));
        }
        if let Some(limit) = topic.limits.money() {
            lines.push(Line::new(Budget::TopicMoney, id, Amount::Money(used.money), Some(Amount::Money(limit))));
        }
    }
    lines
}
