//! SearXNG's search API (<https://docs.searxng.org/dev/search_api.html>): one page of results per call. If no engine
//! answers, the reply is a 200 without results, and only `unresponsive_engines` shows it. The server silently leaves
//! out engines that cannot filter by time; its `/config` lists them.

use serde_json::Value;

use super::date;
use super::kind::{Kind, PartFailure, ProviderRequest, ReadResult, SearchCall, SpanCoverage, failed, get, malformed};
use crate::model::{Kind as Shape, Remembered, ReplyEntry, Time, Window};
use crate::search::decode::{DecodeError, json_value};
use crate::search::{ErrorClass, Reply, Request, Unsupported};

/// The name under which `/config` is remembered.
const CONFIG: &str = "config";
/// How long it is valid, in milliseconds.
const BELIEVED: i64 = 86_400_000;

const NOT_ALLOWED: &str = "403: JSON is not enabled, or its limiter blocks programs";

const NO_JSON: &str = "enable JSON: add json to `search.formats` in its settings.yml";

pub(super) struct Searxng;

impl Kind for Searxng {
    fn name(&self) -> &'static str {
        "searxng"
    }

    fn next(&self, request: &ProviderRequest<'_>, parts: &[SearchCall]) -> Result<Vec<Request>, Unsupported> {
        let needs_config = range(request).is_some() && valid_memory(request).is_none();
        let configs = usize::from(parts.first().is_some_and(is_config));
        if needs_config && parts.is_empty() {
            return Ok(vec![get(request.query, "/config", Vec::new())]);
        }
        let pages = parts.len() - configs;
        let wanted = request.query.count("pages").unwrap_or(1) as usize;
        let last = parts.last().filter(|part| !is_config(part));
        let empty = last.is_some_and(|last| match &last.reply {
            Ok(reply) => results(&reply.body).is_ok_and(|all| all.is_empty()),
            Err(_) => true,
        });
        Ok((pages < wanted && !empty).then(|| search(request, pages + 1)).into_iter().collect())
    }

    fn read(&self, request: &ProviderRequest<'_>, parts: &[SearchCall]) -> Result<ReadResult, DecodeError> {
        let mut memory = Vec::new();
        let (mut items, mut unreadable, mut silent_engines): (Vec<ReplyEntry>, u32, Vec<String>) =
            (Vec::new(), 0, Vec::new());
        let (mut trouble, mut pages) = (None, 0);
        for part in parts {
            if is_config(part) {
                // The search works without it, but then skipped engines are unknown.
                memory.extend(
                    part.reply.as_ref().ok().and_then(|reply| engines_without_time_filter(&reply.body, request.now)),
                );
                continue;
            }
            pages += 1;
            let read = match &part.reply {
                Ok(reply) => results(&reply.body).map(|results| (results, unresponsive(&reply.body))),
                Err(failure) => Err(request_error(failure)),
            };
            match read {
                Ok((results, silent)) => {
                    silent_engines.extend(silent);
                    for result in &results {
                        match read_entry(result, request.now) {
                            Some(found) => items.push(found),
                            None => unreadable = unreadable.saturating_add(1),
                        }
                    }
                }
                Err(error) if pages == 1 => return Err(error),
                Err(error) => trouble = Some(later_page_error(error, pages)),
            }
        }
        silent_engines.sort();
        silent_engines.dedup();
        for (rank, item) in (1..).zip(&mut items) {
            item.rank = rank;
        }
        let silence = (!silent_engines.is_empty()).then(|| {
            let text = format!("{} did not answer", silent_engines.join(", "));
            let hint =
                "see the engines in the server's preferences; an engine that refuses requests often needs a pause"
                    .to_owned();
            DecodeError { class: ErrorClass::Service, text, hint }
        });
        if items.is_empty()
            && let Some(silence) = silence
        {
            return Err(silence);
        }
        let failure = trouble.or(silence);
        let hint = failure.as_ref().map(|error| error.hint.clone());
        let failure = failure.map(|error| (error.class, error.text));
        let left_out =
            valid_memory(request).map(|one| one.value.clone()).or_else(|| memory.first().map(|one| one.value.clone()));
        let note = range(request).and(left_out).and_then(|value| left_out_note(request, &value));
        let reply = Reply { items, unreadable, failure, ..Reply::default() };
        Ok(ReadResult { reply, coverage: SpanCoverage::Nothing, full: false, memory, tokens: 0, note, hint })
    }
}

fn is_config(part: &SearchCall) -> bool {
    part.request.path == "/config"
}

/// Returns what is remembered of the server, while it is valid.
fn valid_memory<'a>(request: &ProviderRequest<'a>) -> Option<&'a Remembered> {
    let one = request.memory.iter().find(|one| one.name == CONFIG)?;
    let value: Value = serde_json::from_str(&one.value).ok()?;
    let at = value.get("at").and_then(Value::as_i64)?;
    (0..BELIEVED).contains(&(request.now.0.saturating_sub(at))).then_some(one)
}

/// The smallest time range that holds the span. The server has none below a day (`hour` is refused).
fn range(request: &ProviderRequest<'_>) -> Option<&'static str> {
    match request.query.text("time_range") {
        Some("any") => None,
        Some(text) => ["day", "week", "month", "year"].into_iter().find(|range| *range == text),
        None if request.span.length() <= Window::Past24Hours.length() => Some("day"),
        None => Some("week"),
    }
}

fn search(request: &ProviderRequest<'_>, page: usize) -> Request {
    let mut parameters = vec![
        ("q".to_owned(), request.query.text("query").unwrap_or_default().to_owned()),
        ("format".to_owned(), "json".to_owned()),
        ("pageno".to_owned(), page.to_string()),
    ];
    let optional = [
        ("time_range", range(request).map(str::to_owned)),
        ("categories", comma_list(request.query.texts("categories"))),
        ("engines", comma_list(request.query.texts("engines"))),
        ("language", request.query.text("language").map(str::to_owned)),
    ];
    parameters.extend(optional.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))));
    get(request.query, "/search", parameters)
}

fn comma_list(texts: &[String]) -> Option<String> {
    (!texts.is_empty()).then(|| texts.join(","))
}

fn results(body: &[u8]) -> Result<Vec<Value>, DecodeError> {
    match json_value(body) {
        Some(mut all) => match all.get_mut("results").map(Value::take) {
            Some(Value::Array(results)) => Ok(results),
            _ => Err(malformed("the reply contains no list `results`", "is base_url the address of a SearXNG server?")),
        },
        None if body.trim_ascii_start().starts_with(b"<") => Err(malformed("an HTML page instead of JSON", NO_JSON)),
        None => Err(malformed("the reply is not JSON", "is base_url the address of a SearXNG server?")),
    }
}

/// The engines that did not answer, each with the reason.
fn unresponsive(body: &[u8]) -> Vec<String> {
    let all = json_value(body).unwrap_or_default();
    let Some(list) = all.get("unresponsive_engines").and_then(Value::as_array) else { return Vec::new() };
    let named = |one: &Value| match one {
        Value::Array(pair) => {
            let name = pair.first().and_then(Value::as_str)?;
            let why = pair.get(1).and_then(Value::as_str).unwrap_or("no answer");
            Some(format!("{} ({})", shorten(name), shorten(why)))
        }
        Value::String(name) => Some(shorten(name)),
        _ => None,
    };
    list.iter().filter_map(named).take(50).collect()
}

/// A 403 means that JSON is not enabled, not that a key was refused: there is no key.
fn request_error(failure: &PartFailure) -> DecodeError {
    match failure.status {
        Some(403) => {
            DecodeError { class: ErrorClass::BadRequest, text: NOT_ALLOWED.to_owned(), hint: NO_JSON.to_owned() }
        }
        _ => failed(failure),
    }
}

/// The failure of a page after the first one, which came as JSON.
fn later_page_error(error: DecodeError, page: usize) -> DecodeError {
    let hint = match error.class {
        ErrorClass::BadRequest | ErrorClass::Malformed => {
            "the first page was good, so the address is right: ask for fewer `pages`, or less often".to_owned()
        }
        _ => error.hint,
    };
    let text = match error.text.as_str() {
        NOT_ALLOWED => "403: its limiter may block programs",
        text => text,
    };
    DecodeError { class: error.class, text: format!("page {page}: {text}"), hint }
}

/// The engines that cannot filter by time, to be remembered for the next searches.
fn engines_without_time_filter(body: &[u8], now: Time) -> Option<Remembered> {
    let config = json_value(body)?;
    let engines = config.get("engines")?.as_array()?;
    let without = |engine: &&Value| {
        let flag = |name: &str| engine.get(name).and_then(Value::as_bool);
        flag("enabled") != Some(false) && flag("time_range_support") == Some(false)
    };
    let listed = |engine: &Value| {
        let categories = engine.get("categories").and_then(Value::as_array).into_iter().flatten();
        let categories: Vec<&str> = categories.filter_map(Value::as_str).collect();
        Some(serde_json::json!({ "name": engine.get("name")?.as_str()?, "categories": categories }))
    };
    let all: Vec<Value> = engines.iter().filter(without).filter_map(listed).take(500).collect();
    Some(Remembered { name: CONFIG.to_owned(), value: serde_json::json!({ "at": now.0, "untimed": all }).to_string() })
}

/// Names the requested engines that the server silently left out.
fn left_out_note(request: &ProviderRequest<'_>, value: &str) -> Option<String> {
    let value: Value = serde_json::from_str(value).ok()?;
    let (engines, categories) = (request.query.texts("engines"), request.query.texts("categories"));
    let wanted = |engine: &&Value| {
        let of = |name: &str| {
            engine.get("categories").and_then(Value::as_array).is_some_and(|all| all.iter().any(|one| one == name))
        };
        let named = engine.get("name").and_then(Value::as_str).unwrap_or_default();
        if !engines.is_empty() {
            return engines.iter().any(|one| one == named);
        }
        if categories.is_empty() { of("general") } else { categories.iter().any(|one| of(one)) }
    };
    let names = value.get("untimed")?.as_array()?.iter().filter(wanted);
    let names: Vec<String> = names.filter_map(|engine| Some(shorten(engine.get("name")?.as_str()?))).take(20).collect();
    (!names.is_empty()).then(|| {
        format!(
            "not searched because they cannot filter by time: {} (time_range = \"any\" includes them)",
            names.join(", ")
        )
    })
}

fn read_entry(result: &Value, now: Time) -> Option<ReplyEntry> {
    let text = |name: &str| result.get(name).and_then(Value::as_str).filter(|text| !text.trim().is_empty());
    let url = text("url")?;
    let published = text("publishedDate").or_else(|| text("pubdate"));
    Some(ReplyEntry {
        kind: Some(Shape::Page),
        url: Some(url.to_owned()),
        // The server has removed the markup: what looks like a tag is text.
        title: text("title").map(str::to_owned),
        text: text("content").map(str::to_owned),
        published_at: published.and_then(|date| date::read(date, now)),
        // The order depends on the engines that answered.
        excerpt: true,
        ..ReplyEntry::default()
    })
}

fn shorten(text: &str) -> String {
    text.chars().filter(|c| !c.is_control()).take(80).collect()
}
