//! What an operation is: its path, its parameters, what it answers, and who does it. How a request is held
//! against that is `call`'s, how it is told `document`'s.

use axum::response::Response;
use futures_util::future::BoxFuture;

use super::call::Call;
use super::parameter::Parameter;
use crate::web::need::Need;
use crate::web::problem::Problem;

/// By which method.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Method {
    Get,
    Post,
    Delete,
}

/// What comes back when all is well.
#[derive(Debug, Clone, Copy)]
pub(super) enum Answered {
    /// JSON of a schema.
    Json(u16, &'static str),
    /// A file of unknown length, as one of these media types.
    Stream(&'static [&'static str]),
}

pub(super) type Handler = fn(Call) -> BoxFuture<'static, Result<Response, Problem>>;

#[derive(Debug)]
pub(super) struct Operation {
    pub(super) method: Method,
    pub(super) path: &'static str,
    /// What it needs of who asks.
    pub(super) need: Need,
    /// Its name for programs.
    pub(super) id: &'static str,
    /// What it is for, in a line.
    pub(super) summary: &'static str,
    /// What else is to be known.
    pub(super) told: &'static str,
    pub(super) parameters: &'static [&'static Parameter],
    /// Schema of the body that it takes, and an action that stands for an example, or one written out as JSON.
    pub(super) body: Option<(&'static str, &'static str)>,
    pub(super) answered: Answered,
    /// Statuses of its own with which it refuses, beside those that all have.
    pub(super) refuses: &'static [u16],
    pub(super) handler: Handler,
}

/// One that reads and answers JSON.
#[expect(clippy::too_many_arguments, reason = "a row of a table")]
pub(super) const fn get(
    path: &'static str,
    need: Need,
    id: &'static str,
    summary: &'static str,
    told: &'static str,
    parameters: &'static [&'static Parameter],
    schema: &'static str,
    handler: Handler,
) -> Operation {
    let answered = Answered::Json(200, schema);
    Operation {
        method: Method::Get,
        path,
        need,
        id,
        summary,
        told,
        parameters,
        body: None,
        answered,
        refuses: &[],
        handler,
    }
}
