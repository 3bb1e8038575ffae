//! Who is asked before each call that may cost something. The ledger's answer is made elsewhere; here is only the
//! question.

use std::future::Future;

/// A call that must not be made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// The day's calls or money are used up; otherwise something else stands in the way (a lost lease, a stop).
    pub over_quota: bool,
    /// One line for people.
    pub text: String,
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
