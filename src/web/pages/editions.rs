//! Reports and exports that were made, and their files. A file is found by what the database recorded of it; no path
//! ever comes from an address.

use std::path::Path;
use std::sync::Arc;

use axum::Extension;
use axum::body::Body;
use axum::extract::State;
use axum::http::{StatusCode, Uri, header};
use axum::response::{IntoResponse as _, Response};
use maud::{Markup, html};

use super::runs::parse_page_token;
use crate::draw::format::{self, count_noun};
use crate::model::EditionRow;
use crate::web::access::visitor::Visitor;
use crate::web::layout::{self, Page, moment};
use crate::web::page_request::{PageRequest, link};
use crate::web::problem::Problem;
use crate::web::server::app::App;
use crate::web::site::Site;

/// Entries on a page.
const PAGE_LENGTH: u32 = 50;

pub(in crate::web) async fn show(site: Arc<Site>, request: PageRequest) -> Result<Page, Problem> {
    let before = request.word("after", parse_page_token)?;
    let mut editions = site.store.list_outputs(None, before.as_ref(), PAGE_LENGTH + 1).await?;
    let more = editions.len() > PAGE_LENGTH as usize;
    editions.truncate(PAGE_LENGTH as usize);
    let main = html! {
        h1 { "Reports and exports" }
        @if editions.is_empty() && before.is_some() { p { "Nothing earlier." } }
        @else if editions.is_empty() {
            p { "Nothing here yet. " code { "[[reports]]" } " and " code { "[[exports]]" } " in " code { "jobs.toml" } " are written on schedule and listed here; " code { "topicwatch report" } " writes one at once." }
        } @else { (table(&editions)) }
        nav.pages aria-label="More of these" {
            @if before.is_some() { a href="/files" { "The latest" } }
            @if let (true, Some(last)) = (more, editions.last()) { a rel="next" href=(link("/files", [("after", format!("{}/{}", last.made_at.0, last.run).as_str())])) { "Earlier" } }
        }
    };
    Ok(Page {
        title: "Reports and exports".to_owned(),
        place: "/files",
        live: false,
        origin: site.origin().await?,
        main,
    })
}

fn table(editions: &[EditionRow]) -> Markup {
    html! { div.wide { table.cards {
        caption.quiet { "Reports and exports, the latest first" }
        thead { tr { th scope="col" { "Name" } th scope="col" { "Created" } th scope="col" { "What" } th scope="col" { "Files" } } }
        tbody { @for row in editions { tr {
            th scope="row" { (format::line(&row.name, 80)) span.sub { (row.kind) } }
            td data-label="Created" { (moment(row.made_at, "UTC")) }
            td data-label="What" { (what(row)) }
            td data-label="Files" { (files(row)) }
        } } }
    } } }
}

/// What a run made: the rows of an export, the subject of a report.
pub(super) fn what(row: &EditionRow) -> String {
    row.rows.map_or_else(|| format::line(&row.subject, 160), |rows| count_noun(rows.unsigned_abs(), "row"))
}

/// The files of a run, as links to those that no later run replaced.
pub(super) fn files(row: &EditionRow) -> Markup {
    html! {
        @if row.files.is_empty() { span.meta { "none left" } }
        @for (place, file) in row.files.iter().enumerate() {
            @let label = format::line(&name(&file.path), 120);
            @if file.replaced { span.sub { (label) ", replaced by a later run" } }
            @else { a.sub href=(link("/file", [("run", row.run.as_str()), ("n", place.to_string().as_str())])) { (label) } }
        }
    }
}

/// The last part of a path.
pub(in crate::web) fn name(path: &str) -> String {
    Path::new(path).file_name().map_or_else(|| "file".to_owned(), |name| name.to_string_lossy().into_owned())
}

/// Sends a file as a download and does not show it: a report would be a page of this address.
pub(in crate::web) async fn file(State(app): State<App>, Extension(visitor): Extension<Visitor>, uri: Uri) -> Response {
    match recorded_file(&app.site, &uri, visitor).await {
        Ok(response) => response,
        Err(problem) => layout::problem(&app.site, &problem),
    }
}

async fn recorded_file(site: &Site, uri: &Uri, visitor: Visitor) -> Result<Response, Problem> {
    let request = PageRequest::of(uri, visitor, &["run", "n"])?;
    let place = request.word("n", |word| word.parse::<usize>().ok())?.unwrap_or(0);
    open(site, request.get("run").unwrap_or(""), place).await
}

/// Opens a file of a run, by its place among those that are recorded.
pub(in crate::web) async fn open(site: &Site, run: &str, place: usize) -> Result<Response, Problem> {
    let edition = site.store.output_of_run(run).await?;
    let unknown = || Problem {
        hint: "The list of reports and exports shows all files.".to_owned(),
        ..Problem::not_found("There is no such file")
    };
    let file = edition.and_then(|edition| edition.files.into_iter().nth(place)).ok_or_else(unknown)?;
    if file.replaced {
        let hint = "The list of reports and exports links to the current one.";
        return Err(Problem::new(StatusCode::GONE, "This file was replaced by a later run", hint));
    }
    let path = file.path;
    let gone = |error: std::io::Error| {
        tracing::warn!(path, "cannot read a recorded file: {error}");
        let hint = "It was moved or deleted, or this process cannot read it. `topicwatch report` can write a report again; \
                    an export writes its next file on schedule.";
        Problem::new(StatusCode::GONE, "This file is missing", hint)
    };
    let file = tokio::fs::File::open(&path).await.map_err(gone)?;
    let found = file.metadata().await.map_err(gone)?;
    if !found.is_file() {
        return Err(gone(std::io::ErrorKind::InvalidInput.into()));
    }
    let name: String =
        name(&path).chars().map(|c| if c.is_ascii_alphanumeric() || "._-".contains(c) { c } else { '_' }).collect();
    let headers = [
        (header::CONTENT_TYPE, "application/octet-stream".to_owned()),
        (header::CONTENT_LENGTH, found.len().to_string()),
        (header::CONTENT_DISPOSITION, format!("attachment; filename=\"{name}\"")),
    ];
    let stream = tokio_util::io::ReaderStream::with_capacity(file, 64 * 1024);
    Ok((headers, Body::from_stream(stream)).into_response())
}
