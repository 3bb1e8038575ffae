//! Warns about daily budgets that are smaller than the cost of a single call: no such call would ever be made. And about
//! alerts on budgets that no topic has.

use std::collections::HashMap;
use std::ops::Range;

use crate::budget::UnaffordableCall;
use crate::config::file::document::Document;
use crate::config::mistakes::mistake::Mistakes;
use crate::config::settings::prices;
use crate::config::values::value::{Table, Value};
use crate::config::{ProviderConfig, ServiceConfig};
use crate::model::{AlertSpec, Micros, Source, Topic};

const NAME: &str = "budget_per_day";

/// Warns about each such budget, once if many topics share it.
pub(in crate::config) fn warn_of_small(
    document: &Document,
    service: &ServiceConfig,
    providers: &[ProviderConfig],
    topics: &[Topic],
    mistakes: &mut Mistakes<'_>,
) {
    let prices = prices(service, providers, topics);
    if let Some(day) = service.budget_per_day {
        let sources = topics.iter().flat_map(Topic::sources).filter(|source| source.is_service());
        if let Some(unaffordable) = prices.unaffordable(sources, day) {
            warn(span(&[&document.service]), day, unaffordable, mistakes);
        }
    }
    for provider in providers {
        let unaffordable =
            provider.budget_per_day.and_then(|day| Some((day, prices.unaffordable([provider.name], day)?)));
        let table = document.providers.iter().find(|one| one.name == provider.name).map(|one| &one.table);
        if let (Some((day, unaffordable)), Some(table)) = (unaffordable, table) {
            warn(span(&[table]), day, unaffordable, mistakes);
        }
    }
    let small = topics.iter().filter_map(|topic| {
        let day = topic.limits.money()?;
        Some((topic.id.as_str(), (day, prices.unaffordable(topic.sources(), day)?)))
    });
    let small: HashMap<&str, (Micros, UnaffordableCall)> = small.collect();
    for table in document.topics.iter().filter(|_| !small.is_empty()) {
        let Some(Value::Text(id)) = table.values.get("id").map(|setting| &setting.value) else { continue };
        if let Some((day, unaffordable)) = small.get(id.as_str()) {
            warn(span(&[table, &document.defaults]), *day, *unaffordable, mistakes);
        }
    }
}

/// Warns about each alert on the budgets of topics that have none: it would never fire.
pub(in crate::config) fn warn_of_alerts_without_limits(
    document: &Document,
    alerts: &[AlertSpec],
    topics: &[Topic],
    mistakes: &mut Mistakes<'_>,
) {
    let without = |alert: &&AlertSpec| {
        let mut covered = topics.iter().filter(|topic| alert.matches_topic(&topic.id, &topic.tags)).peekable();
        alert.checks_topic_budgets() && covered.peek().is_some() && covered.all(|topic| topic.limits.is_none())
    };
    for alert in alerts.iter().filter(without) {
        let is_it = |table: &&Table| {
            let name = table.values.get("name").map(|setting| &setting.value);
            matches!(name, Some(Value::Text(name)) if *name == alert.name)
        };
        let Some(table) = document.alerts.iter().find(is_it) else { continue };
        // An empty list names nothing.
        let key = if alert.topics.is_empty() { "tags" } else { "topics" };
        let written = table.values.get(key);
        mistakes.warn(
            written.and_then(|setting| setting.origin.span()),
            "no topic of this alert has a limit of its own: it never fires",
            "set budget_per_day or max_calls_per_day in the topics; or remove `topics` and `tags` to watch the limits of the service and of providers",
        );
    }
}

/// Returns where the budget was written; the first table wins.
fn span<'d>(tables: &[&'d Table]) -> Option<&'d Range<usize>> {
    tables.iter().find_map(|table| table.values.get(NAME)).and_then(|setting| setting.origin.span())
}

fn warn(
    span: Option<&Range<usize>>,
    day: Micros,
    UnaffordableCall { source, price }: UnaffordableCall,
    mistakes: &mut Mistakes<'_>,
) {
    let message =
        format!("`{NAME}` = {day} is less than one {source} call may cost ({price}): no {source} call will be made");
    let key = match source {
        Source::Social | Source::Web | Source::Ai => format!("[service] prices.{source}"),
        _ => format!("price.* of [providers.{source}]"),
    };
    mistakes.warn(span, message, format!("raise it; or, if a call costs less, lower {key}"));
}
