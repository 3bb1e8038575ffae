//! The API: what the pages show, as JSON, and exports as streams. Every operation stands in `table`, from which its route,
//! the check of its parameters and its part of the OpenAPI document are made, so that they cannot disagree. Who gets an
//! answer is `guard`'s; what an operation reads is in the file of its name.

mod alerts;
mod answers;
mod call;
mod days;
mod document;
mod editions;
mod envelope;
mod exports;
mod form;
mod item;
mod items;
mod kept;
mod marks;
mod operation;
mod parameter;
mod parameters;
mod problem;
mod requests;
mod runs;
mod schemas;
mod searches;
mod shape;
mod table;
mod table_exports;
mod table_kept;
mod table_marks;
mod terms;
mod topics;

use axum::Router;
use axum::extract::rejection::RawPathParamsRejection;
use axum::extract::{RawPathParams, Request, State};
use axum::response::Response;
use axum::routing::{MethodRouter, delete, get, post};

use self::call::Call;
use self::operation::{Method, Operation};
pub(super) use self::problem::{answer, is_of, not_so, nowhere};
use self::table::OPERATIONS;
use super::app::App;
use super::problem::Problem;

/// Every operation at its path.
pub(super) fn routes() -> Router<App> {
    OPERATIONS.iter().fold(Router::new(), |router, operation| router.route(operation.path, serve(operation)))
}

fn serve(operation: &'static Operation) -> MethodRouter<App> {
    let answered = move |State(app): State<App>, path: Path, request: Request| async move {
        match made(operation, app, path, request).await {
            Ok(response) => response,
            Err(problem) => answer(&problem),
        }
    };
    match operation.method {
        Method::Get => get(answered),
        Method::Post => post(answered),
        Method::Delete => delete(answered),
    }
}

/// The parameters of a path; none where these are no text.
type Path = Result<RawPathParams, RawPathParamsRejection>;

async fn made(operation: &'static Operation, app: App, path: Path, request: Request) -> Result<Response, Problem> {
    let path = path.map_err(|_| Problem::bad("This address cannot be read", "Write it as UTF-8, percent-encoded."))?;
    (operation.handler)(
        Call::of(operation.id, operation.parameters, operation.body.is_some(), app, &path, request).await?,
    )
    .await
}
