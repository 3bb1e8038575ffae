//! What an operation is: its path, its parameters, what it answers, and who does it. How a request is held
//! against that is `call`'s, how it is told `document`'s.

use axum::response::Response;
use futures_util::future::BoxFuture;

use super::call::Call;
use super::parameter::Parameter;
use crate::web::problem::Problem;

/// By which method.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Method {
    Get,
    Post,
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
    /// Its name for programs.
    pub(super) id: &'static str,
    /// What it is for, in a line.
    pub(super) summary: &'static str,
    /// What else is to be known.
    pub(super) told: &'static str,
    pub(super) parameters: &'static [&'static Parameter],
    /// Schema of the body that it takes, and an action that stands for an example.
    pub(super) body: Option<(&'static str, &'static str)>,
    pub(super) answered: Answered,
    /// Statuses of its own with which it refuses, beside those that all have.
    pub(super) refuses: &'static [u16],
    pub(super) handler: Handler,
}
