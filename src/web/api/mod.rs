//! The API: what the pages show, as JSON, and exports as streams. Every operation is defined in `table`; its route,
//! the check of its parameters and its part of the OpenAPI document are made from that, so that they cannot disagree.
//! `guard` decides who gets an answer; each operation is in the file of its name.

mod alerts;
mod answers;
mod call;
mod days;
mod document;
mod editions;
mod exports;
mod items;
mod requests;
mod runs;
mod table;
mod terms;
mod topics;

use axum::Extension;
use axum::extract::rejection::RawPathParamsRejection;
use axum::extract::{RawPathParams, Request, State};
use axum::response::Response;

use self::call::Call;
pub(super) use self::call::problem::{answer, is_api_path, method_not_allowed, not_found};
use self::table::OPERATIONS;
use self::table::operation::{Method, Operation};
use super::access::visitor::Visitor;
use super::problem::Problem;
use super::server::app::App;
use super::server::routes::Routes;

/// Adds every operation at its path.
pub(super) fn routes(routes: Routes) -> Routes {
    OPERATIONS.iter().fold(routes, |routes, operation| {
        let handler = move |State(app): State<App>, Extension(visitor), path: Path, request: Request| async move {
            match handle(operation, app, visitor, path, request).await {
                Ok(response) => response,
                Err(problem) => answer(&problem),
            }
        };
        match operation.method {
            Method::Get => routes.get(operation.path, operation.need, handler),
            Method::Post => routes.post(operation.path, operation.need, handler),
            Method::Delete => routes.delete(operation.path, operation.need, handler),
        }
    })
}

/// The parameters of a path; an error if they are not text.
type Path = Result<RawPathParams, RawPathParamsRejection>;

async fn handle(
    operation: &'static Operation,
    app: App,
    visitor: Visitor,
    path: Path,
    request: Request,
) -> Result<Response, Problem> {
    let path =
        path.map_err(|_| Problem::bad_request("This address cannot be read", "Write it as UTF-8, percent-encoded."))?;
    let takes_body = operation.body.is_some();
    let call = Call::of(operation.id, operation.parameters, takes_body, app, visitor, &path, request).await?;
    (operation.handler)(call).await
}
