//! Exports as they are asked for: the bytes of `topicwatch export`, streamed while they are read. Few at a time, on
//! connections of their own, so that neither pages nor runs wait for one; whoever goes away ends the reading.

use std::io;
use std::sync::LazyLock;
use std::time::Duration;

use axum::body::Body;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use tokio::runtime::Handle;
use tokio::sync::OwnedSemaphorePermit;

use super::call::Call;
use super::exporting::{AT_ONCE, Exporting};
use super::pipe::{Pages, Writer, pipe};
use super::problem::nowhere;
use super::runs::known;
use crate::compare::{Filtered, Hiding, NoBegin};
use crate::export::{self, ExportError, ExportRequest, Format, InvalidRequest, Order, Profile, What};
use crate::model::{Source, Tone};
use crate::store::Store;
use crate::web::ask::words;
use crate::web::need::outside;
use crate::web::problem::Problem;

/// How long one may take: what it reads stands still for it in the database.
const LONGEST: Duration = Duration::from_secs(3_600);
/// The formats that are streamed, and their media types.
const FORMATS: [(Format, &str); 2] = [(Format::Csv, CSV), (Format::Jsonl, JSONL)];
pub(super) const CSV: &str = "text/csv; charset=utf-8; header=present";
pub(super) const JSONL: &str = "application/x-ndjson; charset=utf-8";

/// The names of all that can be asked for.
pub(super) fn files() -> Vec<&'static str> {
    FILES.iter().map(|(name, ..)| name.as_str()).collect()
}

/// Each file, what it is of, and its format.
static FILES: LazyLock<Vec<(String, What, Format)>> = LazyLock::new(|| {
    let all = What::ALL.iter().flat_map(|what| FORMATS.iter().map(move |(format, _)| (*what, *format)));
    all.map(|(what, format)| (format!("{what}.{format}"), what, format)).collect()
});

pub(super) async fn file(call: Call) -> Result<Response, Problem> {
    let name = call.needed("file");
    let file = FILES.iter().find(|(file, ..)| *file == name);
    let (what, format) = file.map(|(_, what, format)| (*what, *format)).ok_or_else(nowhere)?;
    if format != Format::Csv && call.one("profile").is_some() {
        let hint = "Leave it out, or ask for .csv.";
        return Err(Problem::bad(format!("`profile` means nothing for {name}"), hint));
    }
    // Without a topic in the address those that the visitor sees.
    let topics =
        call.visitor.only().filter(|_| call.all("topic").is_empty()).unwrap_or_else(|| call.all("topic").to_vec());
    if topics.is_empty() && !call.visitor.sees_all() {
        return Err(outside());
    }
    let mut order = order(&call, &topics, what, format)?;
    known(&call, call.all("topic")).await?;
    let exporting = &call.site().exporting;
    if let Some(named) = call.one("since").or(call.one("new_since")).filter(|_| what == What::Changes) {
        let begun = order.begin_with(&exporting.store, named, call.now, &call.site().settings().reports).await;
        begun.map_err(|error| no_begin(error, named))?;
    }
    if order.filter.words.is_some() && call.site().store.words_waiting().await? > 0 {
        let hint = "`topicwatch run` indexes beside its loop, `topicwatch items --search` at once; ask again then.";
        let title = "Some items are not indexed yet, and would be missing";
        return Err(Problem::new(StatusCode::SERVICE_UNAVAILABLE, title, hint));
    }
    let filtered = call.word("filtered", Filtered::parse).unwrap_or(Filtered::Keep);
    let place = exporting.places.clone().try_acquire_owned().map_err(|_| {
        let hint = format!("At most {AT_ONCE} exports are made at a time. Ask again in a moment.");
        Problem::new(StatusCode::SERVICE_UNAVAILABLE, "Other exports are being made", hint)
    })?;
    let body = if call.head { Body::empty() } else { Body::from_stream(begin(exporting, place, order, filtered)) };
    let media = FORMATS.iter().find(|(known, _)| *known == format).map_or(CSV, |(_, media)| media);
    let disposition = format!("attachment; filename=\"{name}\"");
    Ok(([(header::CONTENT_TYPE, media), (header::CONTENT_DISPOSITION, &disposition)], body).into_response())
}

fn order(call: &Call, topics: &[String], what: What, format: Format) -> Result<Order, Problem> {
    let wish = ExportRequest {
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
        words: call.one("search").map(words).transpose()?,
        seq: call.one("seq"),
        timezone: call.one("timezone"),
        filtered: call.word("filtered", Filtered::parse).unwrap_or(Filtered::Keep),
    };
    let order = wish.order(call.now).map_err(|unfit| refused(&unfit))?;
    Ok(Order { alone: !call.visitor.sees_all(), ..order })
}

/// Options as they are written in an address.
fn named(text: &str) -> String {
    text.replace("--new-since", "new_since").replace("--", "")
}

fn refused(unfit: &InvalidRequest) -> Problem {
    let option = named(unfit.option);
    let title = match &unfit.given {
        Some(given) => format!("{option}: `{}` {}", super::call::cut(given), named(&unfit.why)),
        None => format!("{option}{}", named(&unfit.why)),
    };
    Problem::bad(title, unfit.hint.clone())
}

fn no_begin(error: NoBegin, named: &str) -> Problem {
    match error {
        NoBegin::Store(error) => error.into(),
        other => {
            let title = format!("since: `{}` is no begin: {other}", super::call::cut(named));
            Problem::bad(title, "Name a run of the topic, a time (2026-03-11, 24h), or last-report.")
        }
    }
}

/// Has it written on a thread of its own; what is sent is what was written.
fn begin(exporting: &Exporting, place: OwnedSemaphorePermit, order: Order, filtered: Filtered) -> Pages {
    let (writer, pages) = pipe(LONGEST, exporting.stop.clone());
    let (store, stop, handle) = (exporting.store.clone(), exporting.stop.clone(), Handle::current());
    tokio::task::spawn_blocking(move || {
        let _place = place;
        // Only where the whole process ends is a reading dropped midway.
        let end = handle.block_on(async {
            tokio::select! {
                written = write(&store, &order, filtered, &writer) => written,
                () = stop.cancelled() => Err(io::Error::other("the pages are closing").into()),
            }
        });
        writer.end(end.map_err(|error| io_error(&order, error)));
    });
    pages
}

async fn write(store: &Store, order: &Order, filtered: Filtered, mut out: &Writer) -> Result<(), ExportError> {
    let mut hiding = Hiding::of(store, &order.filter.topics, filtered).await?;
    export::write(store, order, &mut hiding, &mut out).await.map(drop)
}

/// For the log; whoever asked sees that the connection broke.
fn io_error(order: &Order, error: ExportError) -> io::Error {
    match error {
        ExportError::Output(error) => {
            tracing::info!(what = order.what.as_str(), "an export ended before its end: {error}");
            error
        }
        ExportError::Store(error) => {
            tracing::warn!(what = order.what.as_str(), "an export broke: {error}");
            io::Error::other("the export broke")
        }
    }
}
