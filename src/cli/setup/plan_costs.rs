//! The calls and money of `plan`: a table with a line for each topic, the sums without and with retries, and an
//! explanation of the marks.

use super::plan_limits::only_providers;
use crate::cli::terminal::output;
use crate::draw::enumeration;
use crate::insight::{Calls, Cost, Forecast, Price};
use crate::model::{Micros, Source};

/// Explains the mark of an upper bound.
const UPPER: &str = "if every run calls the AI source; with ai.when = \"new\" only runs with new items do";

/// Explains the mark of calls of a provider.
const FEWER: &str =
    "if every search needs all its calls; one that finds little, or knows its SearXNG's /config, needs fewer";

/// Explains the mark of calls within limits.
const SHARED: &str = "if no other source uses the topic's own limits, which hold for all its calls together";

/// Says what the costs leave out.
const UNLIMITED: &str = "these costs ignore that daily limits of the service or of a provider are used up (below)";

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
pub(super) fn render_costs(forecast: &Forecast) -> String {
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
    let dollars = |cost: Cost| (cost.per_day, cost.per_month);
    if may_call_more(forecast) {
        rows.push(line("no retries", forecast.calls, &marks, dollars(forecast.without_retries)));
    }
    rows.push(line("at most", forecast.tries, &marks, dollars(forecast.at_most)));
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
        let dearer: Vec<&Price> = forecast.prices.iter().filter(|price| price.highest > price.price).collect();
        let lines = if may_call_more(forecast) { "lines above count" } else { "line above counts" };
        let average =
            if dearer.iter().any(|price| price.highest_is_average) { " (or average of a search's calls)" } else { "" };
        let counted = match dearer.is_empty() {
            true => String::new(),
            false => {
                format!("; the {lines} the highest bill{average} of 30 days, or the price in the file if higher")
            }
        };
        let expected = format!(
            "expected: {}{} a day, {} in 30 days, at the prices below{}{counted}",
            if fewer || shared { "at most " } else { "" },
            forecast.expected.per_day,
            forecast.expected.per_month,
            if asked { " and the rate of AI searches of the last 30 days" } else { "" },
        );
        note("~ ", &expected);
    }
    if may_call_more(forecast) {
        let mut conditions = match is_retried(forecast) {
            true => vec![format!("each call is tried {}", times(forecast)), "every try is billed".to_owned()],
            false => vec!["every call is made and billed".to_owned()],
        };
        if forecast.topics.iter().any(|row| row.may_repeat_ai) {
            conditions.push("no daily AI search is answered".to_owned());
        }
        note("", &format!("at most: if {}", enumeration::join(&conditions, " and")));
    }
    if is_limited(forecast) {
        note("! ", UNLIMITED);
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

/// Whether a limit that topics share is used up. The costs of a topic keep to its own limits.
fn is_limited(forecast: &Forecast) -> bool {
    forecast.quota.used_up.is_some()
        || forecast.providers.iter().any(|provider| provider.quota.used_up.is_some())
        || forecast.budgets.iter().any(|met| met.topic.is_none() && met.used_up_on.is_some())
}

/// Whether more calls may be made than those that are planned.
fn may_call_more(forecast: &Forecast) -> bool {
    forecast.tries != forecast.calls
}

/// Whether a planned call may be tried more than once.
pub(super) fn is_retried(forecast: &Forecast) -> bool {
    may_call_more(forecast) && planned(forecast).any(|price| price.tries() > 1)
}

/// Returns the prices of the planned sources. It is unknown here which of the other providers are planned.
fn planned(forecast: &Forecast) -> impl Iterator<Item = &Price> {
    let Calls { social, web, ai, providers } = forecast.calls;
    let is_planned = move |source: Source| match source {
        Source::Social => social > 0,
        Source::Web => web > 0,
        Source::Ai => ai > 0,
        _ => providers > 0,
    };
    forecast.prices.iter().filter(move |price| is_planned(price.source))
}

/// How often the planned calls may be tried, in words.
fn times(forecast: &Forecast) -> String {
    let tries = planned(forecast).map(Price::tries);
    let (least, most) = tries.fold((u32::MAX, 0), |(least, most), tries| (least.min(tries), most.max(tries)));
    let (some, all) = (planned(forecast).any(|price| price.logs_in), planned(forecast).all(|price| price.logs_in));
    // No numbers if they differ.
    match (least == most && some == all, some) {
        (true, false) => format!("{most} times (max_tries)"),
        (true, true) => format!("{most} times (max_tries and once more after a new login)"),
        (false, false) => "as often as max_tries allows".to_owned(),
        (false, true) => "as often as max_tries allows (once more after a new login)".to_owned(),
    }
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
