//! The calls of deployed services as observed: paths, methods, names of windows, bounds of numbers. `request` chooses
//! the call for a query.

use std::ops::RangeInclusive;
use std::time::Duration;

use jiff::tz::TimeZone;
use serde_json::{Value, json};

use super::spec::post;
use crate::model::{AiQuery, LookBack, SocialQuery, Source, Time, WebQuery, Window};
use crate::search::call_limits::{POSTS_A_PAGE, RESULTS};
use crate::search::{Request, Unsupported};

/// Posts requested when the topic gives no number: the unit in which they are billed.
const POSTS_BY_DEFAULT: u32 = 20;
/// The tools of an AI search when the topic names none.
const TOOLS_BY_DEFAULT: [&str; 2] = ["twitter", "web"];

/// `GET /twitter`: the latest posts since the first day of the look-back. Both dates are whole UTC days. Whether the
/// last day is included is not documented, so the day after is sent; the exact window is checked locally.
pub(in crate::search) fn social(query: &SocialQuery, over: LookBack, now: Time) -> Result<Request, Unsupported> {
    let (count, start, end) = page(query, over, now)?;
    let query = [
        ("query", query.query.clone()),
        ("sort", "Latest".to_owned()),
        ("count", count.to_string()),
        ("start_date", start),
        ("end_date", end),
    ];
    Ok(Request { limit: Some(count), ..get(Source::Social, "/twitter", query) })
}

/// `POST /twitter`: the same with its parameters as JSON. The contract says nothing of this call except that it is a
/// POST.
pub(super) fn social_post(query: &SocialQuery, over: LookBack, now: Time) -> Result<Request, Unsupported> {
    let (count, start, end) = page(query, over, now)?;
    let body = json!({
        "query": query.query,
        "sort": "Latest",
        "count": count,
        "start_date": start,
        "end_date": end,
    });
    Ok(Request { limit: Some(count), ..post(Source::Social, "/twitter".to_owned(), body) })
}

/// Returns the number of posts to request from `/twitter`, and the first and the last day.
fn page(query: &SocialQuery, over: LookBack, now: Time) -> Result<(u32, String, String), Unsupported> {
    let count = check_range("social.limit", query.limit.unwrap_or(POSTS_BY_DEFAULT), &POSTS_A_PAGE)?;
    let (start, end) = days(over, now)?;
    Ok((count, start, end))
}

/// `POST /desearch/ai/search/links/twitter`.
pub(in crate::search) fn posts(query: &SocialQuery, over: LookBack) -> Result<Request, Unsupported> {
    if !matches!(over, LookBack::Window(_)) {
        return Err(Unsupported {
            message: "social operation \"posts\" does not support dates".to_owned(),
            hint: "for dates, set social.operation = \"basic\"".to_owned(),
        });
    }
    let mut body = json!({ "prompt": query.query });
    let limit = query.limit.map(|limit| check_range("social.limit", limit, &RESULTS)).transpose()?;
    if let Some(count) = limit {
        body["count"] = Value::from(count);
    }
    Ok(Request { limit, ..post(Source::Social, "/desearch/ai/search/links/twitter".to_owned(), body) })
}

/// `GET /web`: the first page. The service chooses its length.
pub(in crate::search) fn web(query: &WebQuery) -> Request {
    get(Source::Web, "/web", [("query", query.query.clone()), ("start", "0".to_owned())])
}

/// `POST /desearch/ai/search/links/web`. If the topic wants fewer pages than the call's minimum, requests the minimum:
/// more pages do no harm.
pub(in crate::search) fn links(query: &WebQuery) -> Result<Request, Unsupported> {
    let count = check_range("web.limit", query.limit.max(*RESULTS.start()), &RESULTS)?;
    let body = json!({ "prompt": query.query, "tools": ["web"], "count": count });
    Ok(Request { limit: Some(count), ..post(Source::Web, "/desearch/ai/search/links/web".to_owned(), body) })
}

/// `POST /desearch/ai/search`. The count applies to each tool, so there is no bound for the whole reply.
pub(in crate::search) fn ai(query: &AiQuery, over: LookBack, now: Time) -> Result<Request, Unsupported> {
    let tools = if query.tools.is_empty() { json!(TOOLS_BY_DEFAULT) } else { json!(query.tools) };
    let mut body = json!({
        "prompt": query.prompt,
        "tools": tools,
        "streaming": query.streaming,
        "result_type": "LINKS_WITH_FINAL_SUMMARY",
    });
    if let LookBack::Window(window) = over {
        body["date_filter"] = Value::from(date_filter(window));
    } else {
        let (start, end) = days(over, now)?;
        (body["start_date"], body["end_date"]) = (Value::from(start), Value::from(end));
    }
    if let Some(count) = query.count {
        body["count"] = Value::from(check_range("ai.count", count, &RESULTS)?);
    }
    Ok(Request { streaming: query.streaming, ..post(Source::Ai, "/desearch/ai/search".to_owned(), body) })
}

/// The name of the window in this dialect.
fn date_filter(window: Window) -> &'static str {
    match window {
        Window::Past24Hours => "PAST_24_HOURS",
        Window::Past7Days => "PAST_WEEK",
    }
}

/// Returns the first day of a look-back, and the day after its last.
fn days(over: LookBack, now: Time) -> Result<(String, String), Unsupported> {
    let span = over.span(now);
    let last = span.until.minus(Duration::from_millis(u64::from(span.until < now)));
    Ok((day(span.from)?, day(last.plus(Window::Past24Hours.length()))?))
}

/// Returns the UTC day of an instant, as `2026-03-11`.
fn day(at: Time) -> Result<String, Unsupported> {
    let at = at.to_jiff().ok_or_else(|| Unsupported {
        message: "the clock is outside the range of valid dates".to_owned(),
        hint: "set this machine's clock".to_owned(),
    })?;
    Ok(at.to_zoned(TimeZone::UTC).date().to_string())
}

/// Checks that a number is within the call's bounds. The service refuses anything else with 422.
fn check_range(key: &str, number: u32, bounds: &RangeInclusive<u32>) -> Result<u32, Unsupported> {
    if bounds.contains(&number) {
        return Ok(number);
    }
    let (low, high) = (bounds.start(), bounds.end());
    Err(Unsupported {
        message: format!("`{key}` is {number}, but this call takes {low} to {high}"),
        hint: format!("set `{key}` to a number from {low} to {high}"),
    })
}

/// A GET without a body, unbounded and not streamed.
fn get<const N: usize>(source: Source, path: &str, query: [(&str, String); N]) -> Request {
    let query = query.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
    Request {
        source,
        method: "GET",
        path: path.to_owned(),
        query,
        body: None,
        limit: None,
        streaming: false,
        address: None,
        redirected_from: Vec::new(),
        headers: Vec::new(),
    }
}
