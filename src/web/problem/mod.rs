//! A problem, for a visitor or a program: a status, what happened, what to do. Errors of the database go to the log
//! only.

mod problem_response;

use axum::http::StatusCode;
use maud::Markup;

use crate::store::{StoreError, StoreErrorKind};

/// Why a request is not answered as asked.
#[derive(Debug, Clone)]
pub(super) struct Problem {
    pub(super) status: StatusCode,
    pub(super) title: String,
    pub(super) hint: String,
    /// The form to correct, as it was filled in.
    pub(super) form: Option<Markup>,
    /// The name of the form's field that it is about.
    pub(super) field: Option<String>,
    /// Seconds after which to try again, if that may help.
    pub(super) retry_after: Option<u64>,
}

impl Problem {
    pub(super) fn new(status: StatusCode, title: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { status, title: title.into(), hint: hint.into(), form: None, field: None, retry_after: None }
    }

    /// Whether it is about a field of a form.
    pub(super) fn is_about(&self, field: &str) -> bool {
        self.field.as_deref() == Some(field)
    }

    /// There is nothing with that name.
    pub(super) fn not_found(title: impl Into<String>) -> Self {
        Self::new(StatusCode::NOT_FOUND, title, "It may have been renamed or removed. The page / lists the topics.")
    }

    /// Something in the request is invalid.
    pub(super) fn bad_request(title: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, title, hint)
    }

    /// Each part of the request is valid, but not all of it together.
    pub(super) fn conflict(title: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::new(StatusCode::CONFLICT, title, hint)
    }
}

impl From<StoreError> for Problem {
    fn from(error: StoreError) -> Self {
        tracing::warn!("cannot create an answer: {error}");
        match error.kind {
            StoreErrorKind::Replaced => Self::new(
                StatusCode::SERVICE_UNAVAILABLE,
                "The database's file was deleted or replaced",
                "Restart this process; its log says more.",
            ),
            StoreErrorKind::Locked | StoreErrorKind::Unreachable | StoreErrorKind::Unwritable => Self::new(
                StatusCode::SERVICE_UNAVAILABLE,
                "The database is not available at the moment",
                "Nothing is lost. Try again in a minute; the log says why.",
            ),
            _ => Self::new(StatusCode::INTERNAL_SERVER_ERROR, "This request failed", "The log says why."),
        }
    }
}
