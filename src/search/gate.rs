//! Who is asked before each call: for a place and a start, and whether it may cost something. The answers over several
//! processes are made elsewhere; here are only the questions.

use std::error::Error;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

/// A call that must not be made.
#[derive(Debug, Clone)]
pub struct Refusal {
    /// The day's calls or money are used up; otherwise something else stands in the way (a lost lease, a stop).
    pub over_quota: bool,
    /// One line for people.
    pub text: String,
    /// What failed, when whoever was asked could not tell. It says nothing of the call.
    pub cause: Option<Arc<dyn Error + Send + Sync>>,
}

impl Refusal {
    /// Something stands in the way.
    pub fn new(text: impl Into<String>) -> Self {
        Self { over_quota: false, text: text.into(), cause: None }
    }

    /// The quota is used up.
    pub fn over_quota(text: impl Into<String>) -> Self {
        Self { over_quota: true, ..Self::new(text) }
    }

    /// It could not be told because of this.
    pub fn because(cause: impl Error + Send + Sync + 'static) -> Self {
        Self { over_quota: false, text: cause.to_string(), cause: Some(Arc::new(cause)) }
    }
}

/// Asked before every try, the first included, when the call is next to be made and nothing delays it any more. It
/// returns only once the try is counted durably; a try that is then not made (the process died) counts all the same.
pub trait Gate: Send + Sync {
    /// `attempt` counts from 1 within one call.
    fn before(&self, attempt: u32) -> impl Future<Output = Result<(), Refusal>> + Send;
}

/// A gate that is always open, for calls that no ledger counts (`check --probe`, `try`, tests).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Ungated;

impl Gate for Ungated {
    async fn before(&self, _attempt: u32) -> Result<(), Refusal> {
        Ok(())
    }
}

/// A place among the calls in flight; given back by dropping it.
pub trait CallPermit: Send + Sync {
    /// Whether it may still be used. One that is leased may run out before its call begins.
    fn holds(&self) -> bool;
}

/// What [`Pace::enter`] comes to.
pub type Entered = Result<Box<dyn CallPermit>, Refusal>;

/// Who says when a call may begin: the client's own limits, or those that several processes share.
pub trait Pace: Send + Sync {
    /// Waits for a place, then for a start; the call counts as begun. May be dropped at any point.
    fn enter(&self) -> Pin<Box<dyn Future<Output = Entered> + Send + '_>>;
}
