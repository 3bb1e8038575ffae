//! `/searxng/search` and `/searxng/config`: a metasearch engine with three invented engines, one of which cannot filter
//! by time. Its pages are those of the web search.

use axum::http::StatusCode;
use axum::response::Response;
use serde_json::{Value, json};

use super::query_params::QueryParams;
use super::texts::{date, escaped};
use crate::sandbox::corpus::{Corpus, CorpusQuery, HOUR_MS, Hour, Page, PageDate};
use crate::sandbox::random::SeededRng;
use crate::sandbox::reply;

/// One engine of the instance.
struct Engine {
    name: &'static str,
    category: &'static str,
    shortcut: &'static str,
    /// Whether it can filter by time. Engines that cannot are left out when a time range is given.
    by_time: bool,
}

const ENGINES: &[Engine] = &[
    Engine { name: "sandbox web", category: "general", shortcut: "sw", by_time: true },
    Engine { name: "sandbox news", category: "news", shortcut: "sn", by_time: true },
    Engine { name: "sandbox pages", category: "general", shortcut: "sp", by_time: false },
];
/// The values of `time_range` and their hours.
const RANGES: &[(&str, i64)] = &[("day", 24), ("week", 168), ("month", 720), ("year", 8_760)];
/// Results per page.
const PER_PAGE: usize = 10;
/// The maximum number of pages taken from the corpus.
const MAX_READ: usize = 1_000;
/// The maximum length of a query, in characters; the rest is ignored.
const QUERY_CHARS: usize = 4_000;

/// A result with its date and its engines.
struct Found {
    page: Page,
    published: Option<i64>,
    engines: Vec<&'static Engine>,
}

/// `GET` or `POST /search`.
pub(super) fn search(corpus: &Corpus, hour: Hour, encoded: &[u8]) -> Response {
    let params = QueryParams::read(encoded);
    let query: String = params.get("q").unwrap_or_default().chars().take(QUERY_CHARS).collect();
    if query.trim().is_empty() {
        return refused("No query");
    }
    let invalid =
        |name: &str| refused(&format!("Invalid value {:?} for parameter {name}", params.get(name).unwrap_or("")));
    let range = match params.get("time_range") {
        None => None,
        Some(word) => match RANGES.iter().find(|(range, _)| *range == word) {
            Some((_, hours)) => Some(*hours),
            None => return invalid("time_range"),
        },
    };
    let Ok(page) = params.number("pageno", 1..=usize::MAX, 1) else { return invalid("pageno") };
    let engines: Vec<&Engine> = ENGINES.iter().filter(|engine| is_selected(engine, &params, range.is_some())).collect();
    let since = range.map(|hours| hour.start().saturating_sub(hours.saturating_mul(HOUR_MS)));
    let all = find_pages(corpus, &query, hour, &engines, since);
    let first = page.saturating_sub(1).saturating_mul(PER_PAGE);
    let results: Vec<Value> =
        all.iter().enumerate().skip(first).take(PER_PAGE).map(|(at, found)| result(at + 1, found)).collect();
    match params.get("format") {
        Some("json") => reply::json(
            StatusCode::OK,
            &json!({
                "query": query,
                "number_of_results": 0,
                "results": results,
                "answers": [],
                "corrections": [],
                "infoboxes": [],
                "suggestions": [],
                "unresponsive_engines": [],
            }),
        ),
        _ => html(&query, &results),
    }
}

/// Whether an engine is used: `engines` names engines, else `categories` names categories; the default is `general`.
fn is_selected(engine: &Engine, params: &QueryParams, by_time: bool) -> bool {
    let named = |name: &str, value: &str| params.get(name).map(|list| list.split(',').any(|one| one.trim() == value));
    let wanted = named("engines", engine.name)
        .or_else(|| named("categories", engine.category))
        .unwrap_or(engine.category == "general");
    wanted && (engine.by_time || !by_time)
}

/// Returns the pages that these engines have. A page without a date counts as old as the next older one with a date.
fn find_pages(corpus: &Corpus, query: &str, hour: Hour, engines: &[&'static Engine], since: Option<i64>) -> Vec<Found> {
    let corpus_query = CorpusQuery { query, hour, hours_back: 24, limit: MAX_READ };
    let (mut all, mut age) = (Vec::new(), None);
    for page in corpus.pages(&corpus_query).into_iter().rev() {
        let published = published(&page, hour);
        age = published.or(age);
        let of_page = engines_of(&page);
        let engines: Vec<&Engine> = engines.iter().filter(|engine| of_page.contains(&engine.name)).copied().collect();
        let inside = since.is_none_or(|since| age.is_some_and(|age| age >= since));
        if inside && !engines.is_empty() {
            all.push(Found { page, published, engines });
        }
    }
    all.reverse();
    all
}

fn published(page: &Page, hour: Hour) -> Option<i64> {
    match page.date {
        PageDate::Iso(at) => Some(at).filter(|at| *at <= hour.start().saturating_add(HOUR_MS)),
        PageDate::HoursAgo(hours) => Some(hour.start().saturating_sub(hours.saturating_mul(HOUR_MS))),
        PageDate::DaysAgo(days) => Some(hour.start().saturating_sub(days.saturating_mul(24 * HOUR_MS))),
        PageDate::Unknown => None,
    }
}

/// Returns the engines that find a page, always the same ones.
fn engines_of(page: &Page) -> Vec<&'static str> {
    let sets: [&[usize]; 4] = [&[0], &[0, 1], &[0, 2], &[1, 2]];
    let at = SeededRng::new(&[b"searxng", page.url.as_bytes()]).below(sets.len() as u64);
    let set = usize::try_from(at).ok().and_then(|at| sets.get(at)).copied().unwrap_or(&[0]);
    set.iter().filter_map(|at| ENGINES.get(*at)).map(|engine| engine.name).collect()
}

fn result(place: usize, found: &Found) -> Value {
    let page = &found.page;
    let url = url::Url::parse(&page.url).ok();
    let of = |part: fn(&url::Url) -> &str| url.as_ref().map(part).unwrap_or_default();
    let names: Vec<&str> = found.engines.iter().map(|engine| engine.name).collect();
    // SearXNG's own formula: each engine adds its weight divided by the position, multiplied by the number of engines.
    let place_f = u32::try_from(place).map_or(f64::MAX, f64::from);
    let count = u32::try_from(names.len()).map_or(1.0, f64::from);
    json!({
        "url": page.url,
        "title": page.title,
        "content": page.snippet,
        "publishedDate": found.published.map(|at| date(at, "%Y-%m-%dT%H:%M:%S")),
        "engine": names.first(),
        "engines": names,
        "positions": vec![place; names.len()],
        "score": count * count / place_f,
        "category": found.engines.first().map(|engine| engine.category),
        "template": "default.html",
        "parsed_url": [
            of(url::Url::scheme),
            of(|url| url.host_str().unwrap_or_default()),
            of(url::Url::path),
            "",
            of(|url| url.query().unwrap_or_default()),
            of(|url| url.fragment().unwrap_or_default()),
        ],
        "thumbnail": "",
        "img_src": "",
        "priority": "",
    })
}

fn html(query: &str, results: &[Value]) -> Response {
    let text = |result: &Value, name: &str| escaped(result[name].as_str().unwrap_or_default());
    let list: String = results
        .iter()
        .map(|result| {
            let (url, title, content) = (text(result, "url"), text(result, "title"), text(result, "content"));
            format!("<article class=\"result\"><h3><a href=\"{url}\">{title}</a></h3><p>{content}</p></article>\n")
        })
        .collect();
    let body = format!(
        "<!DOCTYPE html>\n<html lang=\"en\"><head><title>{}</title></head><body>\n{list}</body></html>\n",
        escaped(query)
    );
    reply::bytes(StatusCode::OK, "text/html; charset=utf-8", body)
}

fn refused(message: &str) -> Response {
    reply::bytes(StatusCode::BAD_REQUEST, "text/plain; charset=utf-8", message.to_owned())
}

/// `GET /config`.
pub(super) fn config() -> Response {
    let engine = |engine: &Engine| {
        json!({
            "name": engine.name,
            "categories": [engine.category],
            "enabled": true,
            "shortcut": engine.shortcut,
            "time_range_support": engine.by_time,
            "paging": true,
            "language_support": true,
            "languages": ["en", "de", "es", "ja"],
            "regions": [],
            "safesearch": false,
            "timeout": 3.0,
        })
    };
    reply::json(
        StatusCode::OK,
        &json!({
            "instance_name": "topicwatch sandbox",
            "version": "2026.1.1+sandbox",
            "categories": ["general", "news"],
            "engines": ENGINES.iter().map(engine).collect::<Vec<_>>(),
            "plugins": [],
            "locales": {"en": "English"},
            "default_locale": "",
            "default_theme": "simple",
            "autocomplete": "",
            "safe_search": 0,
            "public_instance": false,
        }),
    )
}
