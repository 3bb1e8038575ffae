//! `plan`: estimates slots, calls and cost before anything runs. It makes no calls. Prices come from the database if
//! there is one. `insight` does the arithmetic.

use std::time::Duration;

use clap::Args;

use super::plan_gaps;
use super::plan_limits::{only_providers, provider_quota, quota, render_budget};
use crate::cli::terminal::failure::{Exit, Failure};
use crate::cli::terminal::output;
use crate::cli::wiring::context::Context;
use crate::cli::wiring::options::Common;
use crate::config::ProviderConfig;
use crate::draw::format::count_noun;
use crate::insight::{Calls, Forecast, History, Horizon, ProviderDay, TopicForecast, forecast};
use crate::model::{Micros, Source, Time, Usage};
use crate::store::{DataOrigin, Store, StoreError, StoreErrorKind};

#[derive(Debug, Args)]
pub struct PlanArgs {
    /// How far to look ahead
    #[arg(long, value_name = "N", default_value_t = 7, value_parser = clap::value_parser!(u32).range(1..=366))]
    pub days: u32,
    /// Only this topic (repeat for more)
    #[arg(long, value_name = "ID")]
    pub topic: Vec<String>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
    /// Use this time as now, for tests and rehearsals
    #[arg(long, hide = true, value_name = "TIME")]
    pub at: Option<String>,
}

/// Explains the mark of an upper bound.
const UPPER: &str =
    "if the AI source is asked in every run; with ai.when = \"new\", only runs that find something new ask it";

/// Explains the mark of calls of a provider.
const FEWER: &str =
    "if every search needs all its calls; one that finds little, or knows its SearXNG's /config, needs fewer";

/// Explains the mark of calls within limits.
const SHARED: &str = "if no other source uses the topic's own limits, which hold for all its calls together";

/// How far back billed prices are averaged.
const PAST: Duration = Duration::from_secs(30 * 86_400);

/// How far back answers are looked for: a local day may have more than 24 hours.
const TWO_DAYS: Duration = Duration::from_secs(2 * 86_400);

/// What the database knows, or why it could not be read.
struct Stored {
    history: History,
    used: Usage,
    invented: bool,
    missing: Option<String>,
}

#[derive(serde::Serialize)]
struct PlanDocument<'a> {
    sandbox: bool,
    without_database: Option<&'a str>,
    #[serde(flatten)]
    forecast: &'a Forecast,
}

pub(in crate::cli) async fn run(common: &Common, args: &PlanArgs) -> Result<Exit, Failure> {
    let context = Context::load(common, args.at.as_deref())?;
    context.check_topics(&args.topic)?;
    let now = (context.clock)();
    let stored = load_history(&context, now).await?;
    let service = &context.config.service;
    let horizon = Horizon { from: now, days: args.days, limits: service.limits(), used: stored.used };
    let wanted = |topic: &crate::model::Topic| args.topic.is_empty() || args.topic.contains(&topic.id);
    let mut forecast = forecast(&context.config.topics, wanted, &context.prices(), &stored.history, horizon)?;
    plan_gaps::remove_covered_gaps(&context, &mut forecast);
    if args.json {
        output::json(&PlanDocument {
            sandbox: stored.invented,
            without_database: stored.missing.as_deref(),
            forecast: &forecast,
        })?;
    } else {
        output::text(&render(&forecast, &stored))?;
    }
    Ok(Exit::Ok)
}

/// Reads prices and use from the database. If it does not exist or cannot be reached, the configured prices are used
/// and nothing is created. A database of another program is an error.
async fn load_history(context: &Context, now: Time) -> Result<Stored, Failure> {
    let without = |missing| Stored {
        history: History { providers: providers(context, &[]), ..History::default() },
        used: Usage::default(),
        invented: context.is_sandbox(),
        missing: Some(missing),
    };
    let store = match Store::open_to_read(&context.store_settings(false)).await {
        Ok(store) => store,
        Err(error)
            if matches!(
                error.kind,
                StoreErrorKind::Unprepared | StoreErrorKind::Unreachable | StoreErrorKind::Unwritable
            ) =>
        {
            return Ok(without(error.text));
        }
        Err(error) => return Err(error.into()),
    };
    let (history, used) = history(context, &store, now).await?;
    // A topic paused in the database is not planned either.
    let paused = store.pauses().await?.into_iter().map(|(topic, _)| topic).collect();
    let stored = Stored {
        history: History { paused, ..history },
        used,
        invented: context.is_sandbox() || store.nature().await? == Some(DataOrigin::Sandbox),
        missing: None,
    };
    store.close().await;
    Ok(stored)
}

/// Returns what the last 30 days cost, and what was used today.
pub(in crate::cli) async fn history(
    context: &Context,
    store: &Store,
    now: Time,
) -> Result<(History, Usage), StoreError> {
    let since = now.minus(PAST);
    let limited: Vec<String> = context.limited().map(|topic| topic.id.clone()).collect();
    let (used, topics) = store.usage_on(now.utc_day(), &limited).await?;
    let history = History {
        billed: store.billed_since(since).await?,
        ai_usage: store.ai_asked_since(since).await?,
        last_answers: store.last_answers_since(now.minus(TWO_DAYS)).await?,
        used: limited.into_iter().zip(topics).collect(),
        providers: providers(context, &store.used_by_provider(now.utc_day()).await?),
        paused: Vec::new(),
    };
    Ok((history, used))
}

fn providers(context: &Context, used: &[(Source, Usage)]) -> Vec<ProviderDay> {
    let used = |name: Source| used.iter().find(|(one, _)| *one == name).map(|(_, used)| *used).unwrap_or_default();
    let day = |one: &ProviderConfig| ProviderDay { name: one.name, limits: one.limits(), used: used(one.name) };
    context.config.providers.iter().map(day).collect()
}

fn render(forecast: &Forecast, stored: &Stored) -> String {
    let mut text = if stored.invented { "SANDBOX: invented findings and prices\n\n".to_owned() } else { String::new() };
    let days = count_noun(u64::from(forecast.days), "day");
    text.push_str(&format!("{days} from {}\n\n", output::format_time(forecast.from)));
    let rows = forecast.topics.iter().map(slots_row).collect();
    text.push_str(&output::table(&["topic", "slots", "first slot", "last slot"], rows, &[1]));
    text.push('\n');
    text.push_str(&render_costs(forecast));
    text.push('\n');
    text.push_str(&prices(forecast, stored));
    text.push('\n');
    text.push_str(&quota(forecast));
    forecast.providers.iter().for_each(|provider| text.push_str(&provider_quota(provider)));
    forecast.budgets.iter().for_each(|met| text.push_str(&render_budget(met)));
    text.push_str(&plan_gaps::render_gaps(forecast));
    text
}

fn slots_row(row: &TopicForecast) -> Vec<String> {
    let (first, last) = match (row.state, row.first_slot) {
        ("scheduled", None) => ("none in this period".to_owned(), String::new()),
        ("scheduled", first) => (output::format_time_or_dash(first), output::format_time_or_dash(row.last_slot)),
        ("paused", _) => ("paused".to_owned(), String::new()),
        _ => ("only with `once`".to_owned(), String::new()),
    };
    vec![row.topic.clone(), row.slots.to_string(), first, last]
}

/// The marks of uncertain numbers in a line of costs.
struct Marks {
    service: &'static str,
    ai: &'static str,
    others: &'static str,
    cost: &'static str,
}

impl Marks {
    fn new(ai: &'static str, may_need_fewer_calls: bool, shares_limits: bool) -> Self {
        let service = if shares_limits { "≤" } else { "" };
        let others = if may_need_fewer_calls { "≤" } else { service };
        let ai = if ai.is_empty() { service } else { ai };
        Self { service, ai, others, cost: if others.is_empty() { ai } else { others } }
    }
}

/// Formats calls and money per topic, with sums. Uncertain numbers are marked.
fn render_costs(forecast: &Forecast) -> String {
    let line = |name: &str, calls: Calls, marks: &Marks, (day, month): (Micros, Micros)| {
        let marked = |mark: &str, calls: i64| match calls {
            0 => "0".to_owned(),
            calls => format!("{mark}{}", per_day(calls, forecast.days)),
        };
        let cost = |money: Micros| format!("{}{money}", if money > Micros(0) { marks.cost } else { "" });
        vec![
            name.to_owned(),
            marked(marks.service, calls.social),
            marked(marks.service, calls.web),
            marked(marks.ai, calls.ai),
            cost(day),
            cost(month),
            marked(marks.others, calls.providers),
        ]
    };
    let mut rows = Vec::new();
    for row in forecast.topics.iter().filter(|row| row.state == "scheduled") {
        let (calls, ai) = match row.ai_asked {
            Some((asked, of)) => {
                let ai = i128::from(row.calls.ai) * i128::from(asked) / i128::from(of.max(1));
                (Calls { ai: i64::try_from(ai).unwrap_or(i64::MAX), ..row.calls }, "~")
            }
            None => (row.calls, if row.may_skip_ai { "≤" } else { "" }),
        };
        let marks = Marks::new(ai, row.may_need_fewer_calls, row.shares_limits);
        rows.push(line(&row.topic, calls, &marks, (row.expected.per_day, row.expected.per_month)));
    }
    let bounded = forecast.topics.iter().any(|row| row.may_skip_ai || row.ai_asked.is_some());
    let fewer = forecast.topics.iter().any(|row| row.may_need_fewer_calls);
    let shared = forecast.topics.iter().any(|row| row.shares_limits);
    let marks = Marks::new(if bounded { "≤" } else { "" }, fewer, shared);
    rows.push(line("at most", forecast.calls, &marks, (forecast.at_most.per_day, forecast.at_most.per_month)));
    let mut heads = vec!["calls per day", "social", "web", "ai", "cost/day", "cost/30 days", "others"];
    if forecast.calls.providers == 0 {
        // Most configurations have only the search service.
        heads.pop();
        rows.iter_mut().for_each(|row| row.truncate(heads.len()));
    } else if only_providers(forecast) {
        heads = vec!["calls per day", "cost/day", "cost/30 days", "calls"];
        rows.iter_mut().for_each(|row| {
            row.drain(1..4);
        });
    }
    let numbers: Vec<usize> = (1..heads.len()).collect();
    let mut text = output::table(&heads, rows, &numbers);
    let mut note = |mark: &str, note: &str| text.push_str(&output::wrap(mark, note, usize::from(output::width())));
    if forecast.expected != forecast.at_most {
        let asked = forecast.topics.iter().any(|row| row.ai_asked.is_some());
        let dearer = forecast.prices.iter().any(|price| price.highest > price.price);
        let expected = format!(
            "expected: {}{} a day, {} in 30 days, at the prices below{}{}",
            if fewer || shared { "at most " } else { "" },
            forecast.expected.per_day,
            forecast.expected.per_month,
            if asked { " and the rate of AI searches of the last 30 days" } else { "" },
            if dearer {
                "; the line above counts the highest bill of 30 days, or the price in the file if higher"
            } else {
                ""
            }
        );
        note("~ ", &expected);
    }
    if forecast.topics.iter().any(|row| row.may_skip_ai) {
        note("≤ ", UPPER);
    }
    if fewer {
        note("≤ ", FEWER);
    }
    if shared {
        note("≤ ", SHARED);
    }
    text
}

/// Formats calls per day with one decimal, rounded; whole numbers have none.
fn per_day(calls: i64, days: u32) -> String {
    let days = i128::from(days.max(1));
    let tenths = (i128::from(calls) * 10 + days / 2) / days;
    match (tenths, tenths % 10) {
        (0, _) if calls > 0 => "<0.1".to_owned(),
        (_, 0) => (tenths / 10).to_string(),
        (_, part) => format!("{}.{part}", tenths / 10),
    }
}

fn prices(forecast: &Forecast, stored: &Stored) -> String {
    let shown = || forecast.prices.iter().filter(|price| !only_providers(forecast) || !price.source.is_service());
    let dearer = shown().any(|price| price.highest > price.price);
    let (rows, reasons): (Vec<Vec<String>>, Vec<String>) = shown()
        .map(|price| {
            let billed = match price.billed_searches {
                1 => "1 billed search".to_owned(),
                many => format!("{many} billed searches"),
            };
            let why = match (price.basis, &stored.missing) {
                ("observed", _) if price.assumed_searches > 0 => {
                    let all = price.billed_searches + price.assumed_searches;
                    format!("average of {all} searches in the last 30 days, {} billed", price.billed_searches)
                }
                ("observed", _) => format!("average of {billed} in the last 30 days"),
                (_, None) if price.billed_searches == 0 => "no billed search in the last 30 days".to_owned(),
                (_, Some(_)) => "no usable database".to_owned(),
                (_, None) => format!("{billed} in the last 30 days, too few for an average"),
            };
            let highest = dearer.then(|| price.highest.to_string());
            let row = [price.source.to_string(), price.price.to_string()].into_iter().chain(highest);
            (row.chain([price.basis.to_owned()]).collect::<Vec<String>>(), why)
        })
        .unzip();
    let (heads, numbers): (&[&str], &[usize]) = match dearer {
        true => (&["one call", "price", "at most", "from"][..], &[1, 2][..]),
        false => (&["one call", "price", "from"][..], &[1][..]),
    };
    let mut text = output::table_with_text((heads, "because"), rows, numbers, &reasons, output::room());
    if let Some(missing) = &stored.missing {
        text.push_str(&output::wrap("", &output::truncate(missing, 300), usize::from(output::width())));
    }
    text
}
