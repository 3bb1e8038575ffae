//! `status`: the state of each topic and today's cost. Works as a health check: the store must be reachable.

use std::collections::HashMap;
use std::io::Write as _;

use clap::Args;
use serde_json::json;

use super::status_pages::{Page, Pages};
use crate::budget::UnaffordableCall;
use crate::cli::terminal::failure::{Exit, Failure};
use crate::cli::terminal::grid::Grid;
use crate::cli::terminal::json_list::JsonList;
use crate::cli::terminal::output;
use crate::cli::wiring::context::Context;
use crate::cli::wiring::options::Common;
use crate::config::ProviderConfig;
use crate::insight::{Amount, SilenceKind, SourceSilence, status_word};
use crate::model::{Budget, Micros, Paused, PausedBy, RunState, Source, Time, Topic, Undelivered, Usage};
use crate::schedule::{AHEAD, Schedule};
use crate::store::{DataOrigin, RunRow, TopicStatus};

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
    let limited: Vec<String> = context.limited().map(|topic| topic.id.clone()).collect();
    let (used, topics_used) = store.usage_on(now.utc_day(), &limited).await?;
    let calls = used.calls;
    let others = store.used_by_provider(now.utc_day()).await?;
    let budgets = budgets(&context, used, &topics_used);
    let channels: Vec<String> = context.config.channels.iter().map(|spec| spec.name.clone()).collect();
    let undelivered = store.undelivered(Some(&channels)).await?;
    let invented = store.nature().await? == Some(DataOrigin::Sandbox);
    let disk = store.disk().await?;
    let place = store.place().to_owned();
    let configured: HashMap<&str, &Topic> =
        context.config.topics.iter().map(|topic| (topic.id.as_str(), topic)).collect();
    let next = |status: &TopicStatus, page: &Page| {
        let stored = page.schedules.get(&status.topic);
        // A topic that runs here from another file has a next slot too.
        let wanted = configured.get(status.topic.as_str()).map_or(stored, |topic| topic.schedule.as_ref());
        let policy = wanted.filter(|policy| !policy.paused && status.paused.is_none())?;
        // Planned slots stay planned even if the clock is set back. A changed schedule starts when it is read.
        let same = stored.is_some_and(|one| (&one.period, &one.timezone) == (&policy.period, &policy.timezone));
        let until = status.planned_until.filter(|until| same && until.since(now) <= AHEAD);
        Schedule::compile(policy).ok()?.next_after(until.map_or(now, |until| until.max(now)))
    };
    let entry = |t: &TopicStatus, page: &Page| {
        let older = t.last_run.as_ref().map(|_| page.older.get(&t.topic).unwrap_or(&0));
        let state = state_word(t, &page.ill);
        // `standing` is the former name of `state`, until 1.0.
        json!({ "topic": t.topic, "title": t.title, "state": state, "standing": state, "items": t.items, "last_run": t.last_run,
            "new_filtered": page.filtered.get(&t.topic), "new_older": older, "ill": of(&t.topic, &page.ill).collect::<Vec<_>>(), "last_success": t.last_success,
            "next_slot": next(t, page), "overdue_since": t.overdue_since(now), "paused": t.paused })
    };
    let limit = context.config.service.max_calls_per_day;
    let mut pages = Pages::of(&store, &context.config.topics);
    if args.json {
        let document = |unjudged: usize| {
            json!({ "sandbox": invented, "database": place, "calls_today": calls, "max_calls_per_day": limit,
                "budget_clears_at": now.next_utc_day(), "budgets": budgets, "providers": provider_days(&context, &others), "unjudged": unjudged, "undelivered": undelivered, "disk": disk, "topics": [] })
        };
        let mut out = output::stdout();
        let mut list = JsonList::begin(&mut out, "topics", &document(0))?;
        let mut ill = false;
        while let Some(page) = pages.next().await? {
            for t in &page.topics {
                list.push(&entry(t, &page))?;
            }
            ill |= fails(args, &page.ill);
        }
        list.end(&document(pages.unjudged))?;
        out.flush()?;
        store.close().await;
        return Ok(exit(ill));
    }
    let mut grid = Grid::new(&["topic", "state", "last run", "new", "items", "next slot"], &[3, 4]);
    let (mut paused, mut quota, mut failures, mut ill, mut hidden, mut older) =
        (String::new(), String::new(), String::new(), String::new(), String::new(), String::new());
    let mut failed = false;
    let mut late: Vec<Time> = Vec::new();
    while let Some(page) = pages.next().await? {
        for t in &page.topics {
            let since = t.overdue_since(now);
            late.extend(since);
            grid.push(&row(t, &page, next(t, &page), since.is_some()));
            if let Some(why) = &t.paused {
                paused.push_str(&paused_line(&t.topic, why));
            }
            failures.push_str(&problem_line(t, &page));
            if let Some(run) = t.last_run.as_ref().filter(|run| is_over_quota(run, now)) {
                let why = output::truncate(run.reason.as_deref().unwrap_or(""), 200);
                quota.push_str(&format!("{} is over quota: {why}\n", run.topic.as_deref().unwrap_or("")));
            }
        }
        page.ill.iter().for_each(|one| ill.push_str(&format!("{one}\n")));
        for (topic, many) in page.filtered.iter().filter(|(_, many)| **many > 0) {
            hidden.push_str(&format!("{topic}: {many} more new in the last run, filtered\n"));
        }
        for (topic, many) in page.older.iter().filter(|(_, many)| **many > 0) {
            older.push_str(&format!("{topic}: {many} more first seen in the last run, but older than the window\n"));
        }
        failed |= fails(args, &page.ill);
    }
    store.close().await;
    let mut out = output::stdout();
    if invented {
        out.write_all(b"SANDBOX: invented findings\n\n")?;
    }
    for line in grid.lines() {
        writeln!(out, "{line}")?;
    }
    let mut text = [overdue_line(&late), paused, quota, failures, ill].concat();
    if pages.unjudged > 0 {
        let (topics, were) = if pages.unjudged == 1 { ("topic", "was") } else { ("topics", "were") };
        text.push_str(&format!("{} {topics} {were} not checked for silent sources\n", pages.unjudged));
    }
    if undelivered != Undelivered::default() {
        text.push_str(&format!("{undelivered}: topicwatch outbox\n"));
    }
    text.push_str(&hidden);
    text.push_str(&older);
    for line in budgets.iter().skip(1).filter(|line| line.limit.is_some()) {
        text.push_str(&format!("{line}\n"));
    }
    if !disk.gives_back && disk.free > disk.bytes / 5 {
        text.push_str(&format!(
            "{} of the file is free and cannot be returned to the file system: see `topicwatch db prune`\n",
            output::bytes(disk.free)
        ));
    }
    let size = output::bytes(disk.bytes);
    text.push('\n');
    let days = context.config.day_limits();
    for (name, limits) in &days.providers {
        let used = used_of(*name, &others);
        let money = money_used(used.money, limits.money);
        text.push_str(&format!("{name}: {} of {} calls today (UTC), {money}\n", used.calls, limits.calls));
    }
    if let Some(limits) = days.service {
        text.push_str(&format!("{calls} of {limit} calls today (UTC), {} · ", money_used(used.money, limits.money)));
    }
    text.push_str(&format!("{}, {size}\n", output::escape_control(&place)));
    out.write_all(text.as_bytes())?;
    out.flush()?;
    Ok(exit(failed))
}

/// Formats the money used on a day, with its budget if there is one.
fn money_used(used: Micros, budget: Option<Micros>) -> String {
    budget.map_or_else(|| used.to_string(), |budget| format!("{used} of {budget}"))
}

/// Returns a topic's row of the table.
fn row(t: &TopicStatus, page: &Page, next: Option<Time>, overdue: bool) -> [String; 6] {
    let run = t.last_run.as_ref();
    let new = run.map_or_else(
        || "-".to_owned(),
        |r| {
            let excluded = [&page.filtered, &page.older].map(|of| of.get(&t.topic).unwrap_or(&0));
            output::at_least(r.counts.new - excluded[0] - excluded[1], page.full.contains(&r.run))
        },
    );
    let next = match (&t.paused, overdue) {
        (Some(_), _) => "paused".to_owned(),
        (None, true) => "overdue".to_owned(),
        (None, false) => output::format_time_or_dash(next),
    };
    let (state, last) = (state_word(t, &page.ill).to_owned(), run.and_then(|r| r.started_at));
    [t.topic.clone(), state, output::format_time_or_dash(last), new, t.items.to_string(), next]
}

/// Says how many topics are overdue, since when, and what to do.
fn overdue_line(since: &[Time]) -> String {
    let Some(first) = since.iter().min() else { return String::new() };
    let topics = if since.len() == 1 { "topic is" } else { "topics are" };
    format!(
        "{} {topics} overdue since {}: start `topicwatch run`, or run `topicwatch once --due`\n",
        since.len(),
        output::format_time(*first)
    )
}

/// Describes what failed in a topic's last run, and when the last success was if that was another run.
fn problem_line(t: &TopicStatus, page: &Page) -> String {
    let Some(run) = &t.last_run else { return String::new() };
    let failed = page.failed.get(&run.run).map(|failed| format!("failed in the last run: {}", failed.join(", ")));
    let success = (t.last_success != run.started_at).then(|| match t.last_success {
        Some(at) => format!("last results {}", output::format_time(at)),
        None => "no successful run yet".to_owned(),
    });
    let parts: Vec<String> = failed.into_iter().chain(success).collect();
    if parts.is_empty() { String::new() } else { format!("{}: {}\n", t.topic, parts.join("; ")) }
}

/// Whether the quota of a topic's last run is still used up. Without a reset time, it is.
fn is_over_quota(run: &RunRow, now: Time) -> bool {
    run.clears_at.map_or(run.state == RunState::OverQuota, |at| at > now)
}

fn paused_line(topic: &str, paused: &Paused) -> String {
    match paused.by {
        PausedBy::File => format!("{topic} is paused in the configuration\n"),
        PausedBy::Pause => {
            let why =
                paused.reason.as_ref().map_or_else(String::new, |why| format!(": {}", output::escape_control(why)));
            format!("{topic} has been paused since {}{why}\n", output::format_time_or_dash(paused.since))
        }
    }
}

/// Returns the stale and silent sources of one topic.
fn of<'a>(topic: &'a str, ill: &'a [SourceSilence]) -> impl Iterator<Item = &'a SourceSilence> {
    ill.iter().filter(move |illness| illness.topic == topic)
}

/// Returns the state in one word. A topic whose last run succeeded may still have a stale or silent source.
fn state_word(status: &TopicStatus, ill: &[SourceSilence]) -> &'static str {
    let usual = status_word(status);
    let worst = of(&status.topic, ill).map(|illness| illness.state).min();
    worst.filter(|_| usual == "ok").map_or(usual, SilenceKind::as_str)
}

fn fails(args: &StatusArgs, ill: &[SourceSilence]) -> bool {
    ill.iter().any(|illness| args.fail_on.iter().any(|state| state == illness.state.as_str()))
}

fn exit(fails: bool) -> Exit {
    if fails { Exit::Searches } else { Exit::Ok }
}

/// A daily budget, and how much of it is used.
#[derive(serde::Serialize)]
struct BudgetLine {
    budget: Budget,
    topic: Option<String>,
    used: Amount,
    /// `None` means no limit; only the service's money can have none.
    limit: Option<Amount>,
    left: Option<Amount>,
    /// A call that costs more than the whole daily budget.
    #[serde(skip_serializing_if = "Option::is_none")]
    too_dear: Option<UnaffordableCall>,
}

impl BudgetLine {
    fn new(budget: Budget, topic: Option<&str>, used: Amount, limit: Option<Amount>) -> Self {
        let left = limit.map(|limit| match (limit, used) {
            (Amount::Money(limit), Amount::Money(used)) => Amount::Money(Micros((limit.0 - used.0).max(0))),
            (Amount::Calls(limit), Amount::Calls(used)) => Amount::Calls((limit - used).max(0)),
            (other, _) => other,
        });
        Self { budget, topic: topic.map(str::to_owned), used, limit, left, too_dear: None }
    }
}

impl std::fmt::Display for BudgetLine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let of = self.topic.as_ref().map_or_else(String::new, |topic| format!(" of {topic}"));
        write!(f, "{}{of}: {} used today (UTC)", self.budget, self.used)?;
        match (self.limit, self.left) {
            (Some(limit), Some(left)) => write!(f, " of {limit}, {left} left")?,
            _ => return Ok(()),
        }
        match self.too_dear {
            Some(UnaffordableCall { source, price }) => write!(f, ", too little for one call of {source} ({price})"),
            None => Ok(()),
        }
    }
}

fn used_of(name: Source, used: &[(Source, Usage)]) -> Usage {
    used.iter().find(|(one, _)| *one == name).map(|(_, used)| *used).unwrap_or_default()
}

/// Returns today's use of each provider other than the search service.
fn provider_days(context: &Context, used: &[(Source, Usage)]) -> Vec<serde_json::Value> {
    let day = |one: &ProviderConfig| {
        let used = used_of(one.name, used);
        json!({ "provider": one.name, "kind": one.kind.name, "calls_today": used.calls, "max_calls_per_day": one.max_calls_per_day,
            "cost_usd": used.money, "budget_per_day_usd": one.budget_per_day })
    };
    context.config.providers.iter().map(day).collect()
}

/// Returns the service's budgets for calls and money first, then the topics' own.
fn budgets(context: &Context, used: Usage, topics: &[Usage]) -> Vec<BudgetLine> {
    let limits = context.config.service.limits();
    let calls = |calls: u32| Amount::Calls(i64::from(calls));
    let prices = context.prices();
    let service_sources = context.config.topics.iter().flat_map(Topic::sources).filter(|source| source.is_service());
    let money = BudgetLine::new(Budget::ServiceMoney, None, Amount::Money(used.money), limits.money.map(Amount::Money));
    let mut lines = vec![
        BudgetLine::new(Budget::ServiceCalls, None, Amount::Calls(used.calls), Some(calls(limits.calls))),
        BudgetLine { too_dear: limits.money.and_then(|day| prices.unaffordable(service_sources, day)), ..money },
    ];
    for (topic, used) in context.limited().zip(topics) {
        let id = Some(topic.id.as_str());
        if let Some(limit) = topic.limits.calls {
            lines.push(BudgetLine::new(Budget::TopicCalls, id, Amount::Calls(used.calls), Some(calls(limit))));
        }
        if let Some(limit) = topic.limits.money() {
            let line = BudgetLine::new(Budget::TopicMoney, id, Amount::Money(used.money), Some(Amount::Money(limit)));
            lines.push(BudgetLine { too_dear: prices.unaffordable(topic.sources(), limit), ..line });
        }
    }
    lines
}
