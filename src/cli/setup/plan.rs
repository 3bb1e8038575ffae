//! `plan`: estimates slots, calls and cost before anything runs. It makes no calls. Prices come from the database if
//! there is one. `insight` does the arithmetic.

use std::time::Duration;

use clap::Args;

use super::plan_costs::{is_retried, render_costs};
use super::plan_gaps;
use super::plan_limits::{only_providers, provider_quota, quota, render_budget};
use crate::cli::terminal::failure::{Exit, Failure};
use crate::cli::terminal::output;
use crate::cli::wiring::context::Context;
use crate::cli::wiring::options::Common;
use crate::config::ProviderConfig;
use crate::draw::format::count_noun;
use crate::insight::{Forecast, History, Horizon, ProviderDay, TopicForecast, forecast};
use crate::model::{Login, Source, Span, Time, Usage};
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
    /// Use this time as now, for tests and trials
    #[arg(long, hide = true, value_name = "TIME")]
    pub at: Option<String>,
}

/// How far back billed prices are averaged.
const PAST: Duration = Duration::from_secs(30 * 86_400);

/// How far back and ahead answers of today are looked for: a local day may have more than 24 hours.
const TWO_DAYS: Duration = Duration::from_secs(2 * 86_400);

/// The history from the database, or why it could not be read.
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
    let (limits, tries) = (service.limits(), service.max_tries);
    let horizon = Horizon { from: now, days: args.days, limits, used: stored.used, tries };
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
        invented: context.is_sandbox() || store.origin().await? == Some(DataOrigin::Sandbox),
        missing: None,
    };
    store.close().await;
    Ok(stored)
}

/// Returns the cost of the last 30 days, and today's use.
pub(in crate::cli) async fn history(
    context: &Context,
    store: &Store,
    now: Time,
) -> Result<(History, Usage), StoreError> {
    let since = now.minus(PAST);
    // Not much later: a clock may have been ahead.
    let lately = Span { from: now.minus(TWO_DAYS), until: now.plus(TWO_DAYS) };
    let limited: Vec<String> = context.limited().map(|topic| topic.id.clone()).collect();
    let (used, topics) = store.usage_on(now.utc_day(), &limited).await?;
    let history = History {
        billed: store.billed_since(since).await?,
        ai_usage: store.ai_asked_since(since).await?,
        last_answers: store.last_answers_in(lately).await?,
        used: limited.into_iter().zip(topics).collect(),
        providers: providers(context, &store.used_by_provider(now.utc_day()).await?),
        paused: Vec::new(),
    };
    Ok((history, used))
}

fn providers(context: &Context, used: &[(Source, Usage)]) -> Vec<ProviderDay> {
    let used = |name: Source| used.iter().find(|(one, _)| *one == name).map(|(_, used)| *used).unwrap_or_default();
    let day = |one: &ProviderConfig| {
        // A call whose session had expired is tried once more after the next login.
        let logs_in = one.kind.login == Login::Session;
        ProviderDay { name: one.name, limits: one.limits(), used: used(one.name), max_tries: one.max_tries, logs_in }
    };
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
    forecast.providers.iter().for_each(|provider| text.push_str(&provider_quota(provider, forecast.from)));
    forecast.budgets.iter().for_each(|met| text.push_str(&render_budget(met)));
    if is_retried(forecast) {
        let note = "Days are counted without retries; each try counts against these limits.";
        text.push_str(&output::wrap("", note, usize::from(output::width())));
    }
    text.push_str(&plan_gaps::render_gaps(forecast));
    text
}

fn slots_row(row: &TopicForecast) -> Vec<String> {
    let (first, last) = match (row.state, row.first_slot) {
        ("scheduled", None) => ("none in this period".to_owned(), String::new()),
        ("scheduled", first) => (output::format_time_or_dash(first), output::format_time_or_dash(row.last_slot)),
        ("paused", _) => ("paused".to_owned(), String::new()),
        _ => ("only on request".to_owned(), String::new()),
    };
    vec![row.topic.clone(), row.slots.to_string(), first, last]
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
            let mut why = match (price.basis, &stored.missing) {
                ("observed", _) if price.assumed_searches > 0 => {
                    let all = price.billed_searches + price.assumed_searches;
                    format!("average of {all} searches in the last 30 days, {} billed", price.billed_searches)
                }
                ("observed", _) => format!("average of {billed} in the last 30 days"),
                (_, None) if price.billed_searches == 0 => "no billed search in the last 30 days".to_owned(),
                (_, Some(_)) => "no usable database".to_owned(),
                (_, None) => format!("{billed} in the last 30 days, too few for an average"),
            };
            if dearer && price.highest_is_average {
                why.push_str("; highest: the average of the calls of one search");
            }
            let highest = dearer.then(|| price.highest.to_string());
            let row = [price.source.to_string(), price.price.to_string()].into_iter().chain(highest);
            (row.chain([price.basis.to_owned()]).collect::<Vec<String>>(), why)
        })
        .unzip();
    let (heads, numbers): (&[&str], &[usize]) = match dearer {
        true => (&["one call", "price", "highest", "from"][..], &[1, 2][..]),
        false => (&["one call", "price", "from"][..], &[1][..]),
    };
    let mut text = output::table_with_text((heads, "because"), rows, numbers, &reasons, output::wrap_width());
    if let Some(missing) = &stored.missing {
        text.push_str(&output::wrap("", &output::truncate(missing, 300), usize::from(output::width())));
    }
    text
}
