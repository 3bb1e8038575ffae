//! What an operation is: its path, its parameters with their bounds, what it answers, and who does it. How a request is held
//! against that is `call`'s, how it is told `document`'s.

use axum::response::Response;
use futures_util::future::BoxFuture;

use super::call::Call;
use crate::web::problem::Problem;

/// By which method.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Method {
    Get,
    Post,
}

/// Where a parameter stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    Path,
    Query,
}

/// What may be given for a parameter.
#[derive(Debug, Clone, Copy)]
pub(super) enum Kind {
    /// Anything of so many characters at most.
    Text(usize),
    /// One of a closed list.
    Word(fn() -> Vec<&'static str>),
    /// A whole number: least, most, and what it is when nobody says.
    Number(u32, u32, u32),
    /// An instant as [`crate::schedule::instant`] reads it.
    Instant,
}

/// A parameter.
#[derive(Debug)]
pub(super) struct Parameter {
    pub(super) name: &'static str,
    pub(super) place: Place,
    pub(super) kind: Kind,
    /// Whether it may be given several times.
    pub(super) many: bool,
    /// Whether it must be given.
    pub(super) needed: bool,
    /// What it means, in a sentence.
    pub(super) meaning: &'static str,
    /// Empty where any would be wrong.
    pub(super) example: &'static str,
}

impl Parameter {
    pub(super) const fn path(name: &'static str, kind: Kind, meaning: &'static str, example: &'static str) -> Self {
        Self { name, place: Place::Path, kind, many: false, needed: true, meaning, example }
    }

    pub(super) const fn query(name: &'static str, kind: Kind, meaning: &'static str, example: &'static str) -> Self {
        Self { name, place: Place::Query, kind, many: false, needed: false, meaning, example }
    }

    pub(super) const fn many(self) -> Self {
        Self { many: true, ..self }
    }

    pub(super) const fn needed(self) -> Self {
        Self { needed: true, ..self }
    }
}

/// What comes back when all is well.
#[derive(Debug, Clone, Copy)]
pub(super) enum Answered {
    /// JSON of a schema.
    Json(u16, &'static str),
    /// A file of unknown length, as one of these media types.
    Stream(&'static [&'static str]),
}

/// Who answers.
pub(super) type Handler = fn(Call) -> BoxFuture<'static, Result<Response, Problem>>;

/// An operation.
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
