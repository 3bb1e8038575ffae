//! Exports over HTTP: rows are streamed while they are read, few exports at a time, on connections of their own, so
//! that neither pages nor runs wait for one. If the client disconnects, reading ends. Callers parse the request.

pub(super) mod export_pool;
pub(super) mod pipe;

use std::io;
use std::sync::Arc;
use std::time::Duration;

use axum::Extension;
use axum::body::{Body, Bytes};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use futures_util::StreamExt as _;
use tokio::runtime::Handle;
use tokio::sync::OwnedSemaphorePermit;
use tokio_util::sync::CancellationToken;

use super::access::visitor::Visitor;
use super::problem::Problem;
use super::site::Site;
use crate::compare::{FilterMode, RowFilter};
use crate::draw::format::sentence;
use crate::export::{self, ExportError, ExportOptions, Format, InvalidRequest};
use crate::listener::ActiveRequest;
use crate::model::excerpt;
use crate::normalise::words;
use crate::store::{Store, StoreError};
use export_pool::AT_ONCE;
use pipe::{Pages, Writer, pipe};

/// How long an export may take: it holds a snapshot of the database.
const LONGEST: Duration = Duration::from_secs(3_600);
/// How often to check whether the token is still valid.
const LOOK: Duration = Duration::from_secs(1);
pub(super) const CSV: &str = "text/csv; charset=utf-8; header=present";
pub(super) const JSONL: &str = "application/x-ndjson; charset=utf-8";
const XLSX: &str = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";

/// Marks the response of a download.
#[derive(Debug, Clone)]
struct Download;

/// A file to send.
pub(super) struct File<'f> {
    pub(super) name: &'f str,
    pub(super) format: Format,
    /// Whether only its headers are asked for.
    pub(super) head: bool,
}

/// An export as a download.
pub(super) async fn answer(
    site: &Arc<Site>,
    visitor: &Visitor,
    name: &str,
    order: ExportOptions,
    filtered: FilterMode,
    head: bool,
) -> Result<Response, Problem> {
    if order.filter.words.is_some() {
        check_indexed(&site.store, &order.filter.topics).await?;
    }
    let file = File { name, format: order.format, head };
    stream(site, visitor, file, async move |store: &Store, mut out: &Writer| {
        let mut row_filter = RowFilter::of(store, &order.filter.topics, filtered).await?;
        export::write(store, &order, &mut row_filter, &mut out).await.map(drop)
    })
    .await
}

/// Streams what `write` writes, as a download. Checks first that the database answers: once a download has begun, it can
/// only break off.
pub(super) async fn stream<W>(
    site: &Arc<Site>,
    visitor: &Visitor,
    File { name, format, head }: File<'_>,
    write: W,
) -> Result<Response, Problem>
where
    W: AsyncFnOnce(&Store, &Writer) -> Result<(), ExportError> + Send + 'static,
{
    let place = site.exporting.places.clone().try_acquire_owned().map_err(|_| {
        let hint = format!("At most {AT_ONCE} exports run at a time. Try again in a moment.");
        Problem::new(StatusCode::SERVICE_UNAVAILABLE, "Other exports are running", hint)
    })?;
    site.exporting.store.origin().await?;
    let media = match format {
        Format::Jsonl => JSONL,
        Format::Xlsx => XLSX,
        _ => CSV,
    };
    let body = if head {
        // Not `empty`: its length of 0 would be sent as the file's length.
        Body::from_stream(futures_util::stream::empty::<io::Result<Bytes>>())
    } else {
        Body::from_stream(begin(site, visitor, place, name.to_owned(), write))
    };
    let disposition = format!("attachment; filename=\"{name}\"");
    let headers = [(header::CONTENT_TYPE, media), (header::CONTENT_DISPOSITION, &disposition)];
    Ok((Extension(Download), headers, body).into_response())
}

/// Keeps the connection of a download to its end: the next rows may take longer than a client may be idle.
pub(super) fn keep_connection(mut response: Response, stays: ActiveRequest) -> Response {
    if response.extensions_mut().remove::<Download>().is_none() {
        return response;
    }
    response.map(|body| {
        Body::from_stream(body.into_data_stream().map(move |part| {
            let _stays = &stays;
            part
        }))
    })
}

/// Checks that no items of these topics wait for the index.
pub(super) async fn check_indexed(store: &Store, topics: &[String]) -> Result<(), Problem> {
    if !has_unindexed_items(store, topics).await? {
        return Ok(());
    }
    let hint = "`topicwatch run` indexes them in the background, `topicwatch items --search` at once. Then try again.";
    let title = "Some items are not indexed yet, and would be missing";
    Err(Problem::new(StatusCode::SERVICE_UNAVAILABLE, title, hint))
}

/// Whether items of these topics wait for the index; items of any topic if none is named.
async fn has_unindexed_items(store: &Store, topics: &[String]) -> Result<bool, StoreError> {
    if topics.is_empty() {
        return Ok(store.index_backlog(words::VERSION).await? > 0);
    }
    for topic in topics {
        if store.words_waiting_of(topic, words::VERSION).await? > 0 {
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
pub(super) fn refused(invalid: &InvalidRequest) -> Problem {
    let option = option_names(invalid.option);
    let title = match &invalid.given {
        Some(value) => format!("{option}: `{}` {}", excerpt(value), option_names(&invalid.why)),
        None => format!("{option}{}", option_names(&invalid.why)),
    };
    Problem { field: Some(option), ..Problem::conflict(title, sentence(&option_names(&invalid.hint))) }
}

/// Writes the file on a thread of its own, and streams it for as long as the visitor may have it.
fn begin<W>(site: &Arc<Site>, visitor: &Visitor, place: OwnedSemaphorePermit, name: String, write: W) -> Pages
where
    W: AsyncFnOnce(&Store, &Writer) -> Result<(), ExportError> + Send + 'static,
{
    let (store, stop) = (site.exporting.store.clone(), site.exporting.stop.clone());
    // For this export only: cancelled when its token is withdrawn, and when it has ended.
    let over = stop.child_token();
    let (writer, pages) = pipe(LONGEST, over.clone());
    tokio::spawn(watch(Arc::clone(site), visitor.clone(), over.clone()));
    let handle = Handle::current();
    tokio::task::spawn_blocking(move || {
        let (_place, _over) = (place, over.drop_guard());
        // Reading is dropped midway only if the whole process ends.
        let end = handle.block_on(async {
            tokio::select! {
                written = write(&store, &writer) => written,
                () = stop.cancelled() => Err(io::Error::other("the pages are closing").into()),
            }
        });
        writer.end(end.map_err(|error| io_error(&name, error)));
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
        if matches!(site.tokens.is_valid(&visitor, &site.store).await, Ok(false)) {
            tracing::info!("an export ends: its token was withdrawn");
            return over.cancel();
        }
    }
}

/// Logs the error; the client only sees that the connection broke.
fn io_error(file: &str, error: ExportError) -> io::Error {
    match error {
        ExportError::Output(error) => {
            tracing::info!(file, "an export ended early: {error}");
            error
        }
        ExportError::Store(error) => {
            tracing::warn!(file, "an export failed: {error}");
            io::Error::other("the export failed")
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests fail by panicking")]
    use axum::body::to_bytes;

    use super::*;
    use crate::listener::Peer;

    #[tokio::test]
    async fn a_download_keeps_its_connection_to_its_end_and_a_page_does_not() {
        let peer = Peer::unconnected();
        let _page = keep_connection("a page".into_response(), peer.answer());
        assert!(!peer.is_answered());
        let download = keep_connection((Extension(Download), "rows").into_response(), peer.answer());
        assert!(peer.is_answered());
        assert_eq!(to_bytes(download.into_body(), 100).await.unwrap(), "rows");
        assert!(!peer.is_answered());
    }
}
