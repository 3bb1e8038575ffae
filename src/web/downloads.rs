//! Exports over HTTP: rows are streamed while they are read, few exports at a time, on connections of their own, so
//! that neither pages nor runs wait for one. If the client disconnects, reading ends. Callers parse what is asked
//! for.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use tokio::runtime::Handle;
use tokio::sync::OwnedSemaphorePermit;
use tokio_util::sync::CancellationToken;

use super::exporting::AT_ONCE;
use super::page_request::cut;
use super::pipe::{Pages, Writer, pipe};
use super::problem::Problem;
use super::site::Site;
use super::visitor::Visitor;
use crate::compare::{FilterMode, RowFilter};
use crate::export::{self, ExportError, ExportOptions, Format, InvalidRequest};
use crate::store::{Store, StoreError};

/// How long an export may take: it holds a snapshot of the database.
const LONGEST: Duration = Duration::from_secs(3_600);
/// How often to check whether the token is still valid.
const LOOK: Duration = Duration::from_secs(1);
pub(super) const CSV: &str = "text/csv; charset=utf-8; header=present";
pub(super) const JSONL: &str = "application/x-ndjson; charset=utf-8";
const XLSX: &str = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";

/// A file of rows, as a download.
pub(super) async fn answer(
    site: &Arc<Site>,
    visitor: &Visitor,
    name: &str,
    order: ExportOptions,
    filtered: FilterMode,
    head: bool,
) -> Result<Response, Problem> {
    if order.filter.words.is_some() && has_unindexed_items(&site.store, &order.filter.topics).await? {
        let hint = "`topicwatch run` indexes in the background, `topicwatch items --search` at once; try again then.";
        let title = "Some items are not indexed yet, and would be missing";
        return Err(Problem::new(StatusCode::SERVICE_UNAVAILABLE, title, hint));
    }
    let place = site.exporting.places.clone().try_acquire_owned().map_err(|_| {
        let hint = format!("At most {AT_ONCE} exports run at a time. Try again in a moment.");
        Problem::new(StatusCode::SERVICE_UNAVAILABLE, "Other exports are running", hint)
    })?;
    let media = match order.format {
        Format::Jsonl => JSONL,
        Format::Xlsx => XLSX,
        _ => CSV,
    };
    let body = if head { Body::empty() } else { Body::from_stream(begin(site, visitor, place, order, filtered)) };
    let disposition = format!("attachment; filename=\"{name}\"");
    Ok(([(header::CONTENT_TYPE, media), (header::CONTENT_DISPOSITION, &disposition)], body).into_response())
}

/// Whether items of these topics wait for the index; items of any topic if none is named.
async fn has_unindexed_items(store: &Store, topics: &[String]) -> Result<bool, StoreError> {
    if topics.is_empty() {
        return Ok(store.index_backlog().await? > 0);
    }
    for topic in topics {
        if store.words_waiting_of(topic).await? > 0 {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Writes options as an address names them.
fn option_names(text: &str) -> String {
    text.replace("--new-since", "new_since").replace("--", "")
}

/// The problem of an invalid request, as an address names its options.
pub(super) fn refused(unfit: &InvalidRequest) -> Problem {
    let option = option_names(unfit.option);
    let title = match &unfit.given {
        Some(given) => format!("{option}: `{}` {}", cut(given), option_names(&unfit.why)),
        None => format!("{option}{}", option_names(&unfit.why)),
    };
    Problem::conflict(title, option_names(&unfit.hint))
}

/// Writes the export on a thread of its own, and streams it for as long as the visitor may have it.
fn begin(
    site: &Arc<Site>,
    visitor: &Visitor,
    place: OwnedSemaphorePermit,
    order: ExportOptions,
    filtered: FilterMode,
) -> Pages {
    let (store, stop) = (site.exporting.store.clone(), site.exporting.stop.clone());
    // Of this export alone: cancelled when its token is withdrawn, and when it has ended.
    let over = stop.child_token();
    let (writer, pages) = pipe(LONGEST, over.clone());
    tokio::spawn(watch(Arc::clone(site), visitor.clone(), over.clone()));
    let handle = Handle::current();
    tokio::task::spawn_blocking(move || {
        let (_place, _over) = (place, over.drop_guard());
        // Reading is dropped midway only if the whole process ends.
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

/// Ends an export whose token was withdrawn.
async fn watch(site: Arc<Site>, visitor: Visitor, over: CancellationToken) {
    loop {
        tokio::select! {
            () = over.cancelled() => return,
            () = tokio::time::sleep(LOOK) => {}
        }
        // A database that is away for a moment may be back at the next check.
        if matches!(site.tokens.holds(&visitor, &site.store).await, Ok(false)) {
            tracing::info!("an export ends: its token was withdrawn");
            return over.cancel();
        }
    }
}

async fn write(
    store: &Store,
    order: &ExportOptions,
    filtered: FilterMode,
    mut out: &Writer,
) -> Result<(), ExportError> {
    let mut hiding = RowFilter::of(store, &order.filter.topics, filtered).await?;
    export::write(store, order, &mut hiding, &mut out).await.map(drop)
}

/// Logs the error; the client only sees that the connection broke.
fn io_error(order: &ExportOptions, error: ExportError) -> io::Error {
    match error {
        ExportError::Output(error) => {
            tracing::info!(what = order.what.as_str(), "an export ended early: {error}");
            error
        }
        ExportError::Store(error) => {
            tracing::warn!(what = order.what.as_str(), "an export failed: {error}");
            io::Error::other("the export failed")
        }
    }
}
