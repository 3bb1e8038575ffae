//! The notes of `plan` on daily limits: when they are used up.

use crate::budget::UnaffordableCall;
use crate::cli::terminal::output;
use crate::insight::{Allowance, ExhaustedDay, Forecast, ProviderQuota, Quota};
use crate::model::Time;

/// Whether only other providers are asked, not the search service.
pub(super) fn only_providers(forecast: &Forecast) -> bool {
    forecast.calls.social + forecast.calls.web + forecast.calls.ai == 0 && forecast.calls.providers > 0
}

pub(super) fn quota(forecast: &Forecast) -> String {
    let quota = &forecast.quota;
    if only_providers(forecast) {
        // The limit is the search service's.
        return String::new();
    }
    let limit = quota.max_calls_per_day;
    let note = if quota.made_today > 0 { format!(" ({} made today)", quota.made_today) } else { String::new() };
    let Some(used) = &quota.used_up else {
        let text = format!(
            "The busiest day, {}, has {} of the {limit} that max_calls_per_day allows{note}.",
            quota.fullest_day,
            if quota.fullest_day_calls == 1 {
                "1 call".to_owned()
            } else {
                format!("{} calls", quota.fullest_day_calls)
            }
        );
        return output::wrap("", &text, usize::from(output::width()));
    };
    let more = match quota.days_over {
        0 | 1 => String::new(),
        2 => "; one more day exceeds the limit".to_owned(),
        days => format!("; {} more days exceed the limit", days - 1),
    };
    let (calls, used_up) = calls_used_up(quota);
    let text = format!(
        "{}: the {calls} of the day {used_up} {} UTC; {}{more}. Further calls are not \
         made (over_quota): raise [service] max_calls_per_day, or run topics less often.",
        used.day,
        clock(used.at),
        planned(quota, used, forecast.from)
    );
    output::wrap("! ", &text, usize::from(output::width()))
}

/// Warns about a provider's limit that will be used up.
pub(super) fn provider_quota(ProviderQuota { provider, quota }: &ProviderQuota, from: Time) -> String {
    let Some(used) = &quota.used_up else { return String::new() };
    let (calls, used_up) = calls_used_up(quota);
    let text = format!(
        "{}: the {calls} of the day for {provider} {used_up} {} UTC; {}. Further calls are not made \
         (over_quota): raise [providers.{provider}] max_calls_per_day, or run topics less often.",
        used.day,
        clock(used.at),
        planned(quota, used, from)
    );
    output::wrap("! ", &text, usize::from(output::width()))
}

/// Returns how many calls a day has, and the words that they are used up, before a time.
fn calls_used_up(quota: &Quota) -> (String, &'static str) {
    let limit = quota.max_calls_per_day;
    let (calls, are) = if limit == 1 { ("call", "is used up at") } else { ("calls", "are used up at") };
    (format!("{limit} {calls}"), if quota.upper_bound { "may be used up from" } else { are })
}

/// Describes how many calls are planned on a day that exceeds its limit, and how many were already made on it.
fn planned(quota: &Quota, used: &ExhaustedDay, from: Time) -> String {
    let made = if used.day == from.utc_date() { quota.made_today } else { 0 };
    let most = if quota.upper_bound { "at most " } else { "" };
    let calls = used.calls.saturating_sub(made);
    let are = if calls == 1 { "is" } else { "are" };
    match made {
        0 => format!("{most}{calls} {are} planned"),
        made => format!("{most}{calls} more {are} planned ({made} made today)"),
    }
}

/// Describes a limit other than the service's calls.
pub(super) fn render_budget(met: &Allowance) -> String {
    let Allowance { budget, limit, used_today, .. } = met;
    let owner = met.topic.clone().or_else(|| met.provider.map(|provider| provider.to_string()));
    let of = owner.map_or_else(String::new, |owner| format!(" of {owner}"));
    let width = usize::from(output::width());
    if let Some(UnaffordableCall { source, price }) = met.too_dear {
        let text = format!(
            "{budget}{of}: one call of {source} may cost {price}, more than the {limit} of a day. None is made (over_quota): raise budget_per_day."
        );
        return output::wrap("! ", &text, width);
    }
    let (Some(day), Some(at), Some(wanted)) = (&met.used_up_on, met.used_up_at, met.wanted) else {
        let text = format!(
            "The busiest day of {budget}{of}, {}, is expected to use {} of {limit} ({used_today} today).",
            met.fullest_day, met.fullest_day_use
        );
        return output::wrap("", &text, width);
    };
    let (used_up, exceeded) = match met.upper_bound {
        true => ("may be used up from", "may be exceeded"),
        false => ("is used up at", "exceeded"),
    };
    let more = if met.days_over > 1 { format!("; {exceeded} on {} days", met.days_over) } else { String::new() };
    let text = format!(
        "{day}: {budget}{of}, {limit} a day, {used_up} {} UTC ({used_today} used today); expected use: {wanted}{more}. \
         Further calls are not made (over_quota).",
        clock(at)
    );
    output::wrap("! ", &text, width)
}

fn clock(at: Time) -> String {
    output::format_time(at).chars().skip(11).take(5).collect()
}
