//! Exports that programs request: the bytes of `topicwatch export`. `downloads` streams them.

use std::sync::LazyLock;

use axum::response::Response;

use super::call::Call;
use super::call::problem::not_found;
use super::runs::check_topics;
use crate::compare::{FilterMode, NoStart};
use crate::export::{ExportKind, ExportOptions, ExportRequest, Format, Profile};
use crate::model::{Kind, Mark, Source, Tone, excerpt};
use crate::schedule::check_zone;
use crate::web::access::access_rule::out_of_scope;
use crate::web::downloads::{self, refused};
use crate::web::problem::Problem;

/// The formats that are streamed.
const FORMATS: [Format; 2] = [Format::Csv, Format::Jsonl];

/// The names of all files that can be requested.
pub(super) fn files() -> Vec<&'static str> {
    FILES.iter().map(|(name, ..)| name.as_str()).collect()
}

/// Each file: its name, kind of rows and format.
static FILES: LazyLock<Vec<(String, ExportKind, Format)>> = LazyLock::new(|| {
    let all = ExportKind::ALL.iter().flat_map(|what| FORMATS.iter().map(move |format| (*what, *format)));
    all.map(|(what, format)| (format!("{what}.{format}"), what, format)).collect()
});

pub(super) async fn file(call: Call) -> Result<Response, Problem> {
    let name = call.required("file");
    let file = FILES.iter().find(|(file, ..)| *file == name);
    let (what, format) = file.map(|(_, what, format)| (*what, *format)).ok_or_else(not_found)?;
    if format != Format::Csv && call.one("profile").is_some() {
        let hint = "Omit it, or use .csv.";
        return Err(Problem::conflict(format!("`profile` does not apply to {name}"), hint));
    }
    // Without a topic in the address, all that the visitor sees.
    let topics = call
        .visitor
        .visible_topics()
        .filter(|_| call.all("topic").is_empty())
        .unwrap_or_else(|| call.all("topic").to_vec());
    if topics.is_empty() && !call.visitor.sees_all() {
        return Err(out_of_scope());
    }
    // Stars and notes belong to all topics.
    if !call.visitor.sees_all() && ["starred", "noted"].iter().any(|name| call.one(name).is_some()) {
        return Err(out_of_scope());
    }
    let mut order = order(&call, &topics, what, format)?;
    check_topics(&call, call.all("topic")).await?;
    known_tags(&call, call.all("tag")).await?;
    let exporting = &call.site().exporting;
    if let Some(named) = call.one("since").or(call.one("new_since")).filter(|_| what == ExportKind::Changes) {
        let begun = order.set_start(&exporting.store, named, call.now, &call.site().settings().reports).await;
        begun.map_err(|error| start_problem(error, named))?;
    }
    let filtered = call.word("filtered", FilterMode::parse).unwrap_or(FilterMode::Keep);
    downloads::answer(call.site(), &call.visitor, name, order, filtered, call.head).await
}

/// Refuses a tag that none of the visitor's topics has; a misspelt one would give an empty file.
async fn known_tags(call: &Call, tags: &[String]) -> Result<(), Problem> {
    if tags.is_empty() {
        return Ok(());
    }
    let (stored, settings) = (call.site().store.all_topics_with_tags(tags).await?, call.site().settings());
    let tagged = || stored.iter().chain(&settings.tags);
    let seen = || tagged().filter(|(topic, _)| call.visitor.sees(topic)).flat_map(|(_, tags)| tags);
    match tags.iter().find(|tag| seen().all(|known| known != *tag)) {
        None => Ok(()),
        Some(tag) => {
            let hint = "/api/v1/topics lists the tags of each topic.".to_owned();
            Err(Problem { hint, ..Problem::not_found(format!("No topic has the tag `{}`", excerpt(tag))) })
        }
    }
}

fn order(call: &Call, topics: &[String], what: ExportKind, format: Format) -> Result<ExportOptions, Problem> {
    if let Some(zone) = call.one("timezone") {
        check_zone(zone).map_err(|none| Problem { hint: none.hint, ..Problem::not_found(none.message) })?;
    }
    let request = ExportRequest {
        what,
        format,
        profile: call.word("profile", Profile::parse).unwrap_or(Profile::Machine),
        topics,
        tags: call.all("tag"),
        sources: call.words("source", Source::parse),
        since: call.one("since"),
        until: call.one("until"),
        tones: call.words("tone", Tone::parse),
        new_since: call.one("new_since"),
        authors: call.all("author"),
        words: call.search_query()?,
        seq: call.one("seq"),
        timezone: call.one("timezone"),
        filtered: call.word("filtered", FilterMode::parse).unwrap_or(FilterMode::Keep),
        kinds: call.words("kind", Kind::parse),
        languages: call.all("lang"),
        marks: call.words("marked", Mark::parse),
        starred: call.one("starred").is_some(),
        noted: call.one("noted").is_some(),
    };
    let order = request.parse(call.now).map_err(|invalid| refused(&invalid))?;
    Ok(ExportOptions { without_shared_fields: !call.visitor.sees_all(), ..order })
}

fn start_problem(error: NoStart, named: &str) -> Problem {
    match error {
        NoStart::Store(error) => error.into(),
        other => {
            let title = format!("since: `{}` is not a valid start: {other}", excerpt(named));
            let hint = "Name a run of the topic, a time (2026-03-11, 24h), or last-report.".to_owned();
            Problem { hint, ..Problem::not_found(title) }
        }
    }
}
