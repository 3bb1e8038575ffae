//! An operation: its path, its parameters, its answer and its handler. `call` checks requests against it; `document`
//! describes it.

use axum::response::Response;
use futures_util::future::BoxFuture;

use super::parameter::Parameter;
use crate::web::access::access_rule::AccessRule;
use crate::web::api::call::Call;
use crate::web::problem::Problem;

/// The method of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::web::api) enum Method {
    Get,
    Post,
    Delete,
}

/// The answer of an operation that succeeds.
#[derive(Debug, Clone, Copy)]
pub(in crate::web::api) enum ResponseKind {
    /// JSON: its status and its schema.
    Json(u16, &'static str),
    /// A file of unknown length, in one of these media types.
    Stream(&'static [&'static str]),
}

pub(in crate::web::api) type Handler = fn(Call) -> BoxFuture<'static, Result<Response, Problem>>;

#[derive(Debug)]
pub(in crate::web::api) struct Operation {
    pub(in crate::web::api) method: Method,
    pub(in crate::web::api) path: &'static str,
    /// What it requires of the visitor.
    pub(in crate::web::api) need: AccessRule,
    /// Its name for programs.
    pub(in crate::web::api) id: &'static str,
    /// What it is for, in one line.
    pub(in crate::web::api) summary: &'static str,
    /// What else to know.
    pub(in crate::web::api) description: &'static str,
    pub(in crate::web::api) parameters: &'static [&'static Parameter],
    /// The schema of its body, and an example: an action, or JSON.
    pub(in crate::web::api) body: Option<(&'static str, &'static str)>,
    pub(in crate::web::api) answered: ResponseKind,
    /// Statuses of its own with which it refuses, besides those that all have.
    pub(in crate::web::api) refuses: &'static [u16],
    pub(in crate::web::api) handler: Handler,
}

/// A GET operation that answers JSON.
#[expect(clippy::too_many_arguments, reason = "a row of a table")]
pub(in crate::web::api) const fn get(
    path: &'static str,
    need: AccessRule,
    id: &'static str,
    summary: &'static str,
    description: &'static str,
    parameters: &'static [&'static Parameter],
    schema: &'static str,
    handler: Handler,
) -> Operation {
    let answered = ResponseKind::Json(200, schema);
    Operation {
        method: Method::Get,
        path,
        need,
        id,
        summary,
        description,
        parameters,
        body: None,
        answered,
        refuses: &[],
        handler,
    }
}
