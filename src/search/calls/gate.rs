//! The traits that decide about each call: whether it has a permit and a start, and whether the quota allows it.
//! `collect` implements them for several processes.

use std::error::Error;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use crate::search::{CallError, Spent};

/// Why a call must not be made.
#[derive(Debug, Clone)]
pub struct Refusal {
    /// Whether the day's calls or money are used up. Otherwise something else blocks the call (a lost lease, a stop).
    pub over_quota: bool,
    /// One line for people.
    pub text: String,
    /// The error that prevented the check. It says nothing about the call.
    pub cause: Option<Arc<dyn Error + Send + Sync>>,
    /// The failure of the previous try, if there was one.
    pub tried: Option<Box<CallError>>,
}

impl Refusal {
    /// A refusal for another reason than the quota.
    pub fn new(text: impl Into<String>) -> Self {
        Self { over_quota: false, text: text.into(), cause: None, tried: None }
    }

    /// A refusal because the quota is used up.
    pub fn over_quota(text: impl Into<String>) -> Self {
        Self { over_quota: true, ..Self::new(text) }
    }

    /// A refusal because the check itself failed.
    pub fn from_error(cause: impl Error + Send + Sync + 'static) -> Self {
        let text = cause.to_string();
        Self { cause: Some(Arc::new(cause)), ..Self::new(text) }
    }
}

/// Asked before every try, the first included, when nothing else delays the call any more. Returns only once the try is
/// durably counted. A try that is then not made (the process died) still counts.
pub trait Gate: Send + Sync {
    /// `attempt` counts from 1 within one call.
    fn before(&self, attempt: u32) -> impl Future<Output = Result<(), Refusal>> + Send;

    /// Checks, before a login, whether calls are refused for a reason other than the quota. A login is not counted.
    fn allows(&self) -> Result<(), Refusal> {
        Ok(())
    }

    /// Reports the cost of a failed try, before the next one is requested.
    fn failed(&self, _cost: Spent) {}
}

/// A gate that is always open, for calls that no ledger counts (`check --probe`, `try`, tests).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct NoGate;

impl Gate for NoGate {
    async fn before(&self, _attempt: u32) -> Result<(), Refusal> {
        Ok(())
    }
}

/// Permission for one call in flight. Dropping it gives it back.
pub trait CallPermit: Send + Sync {
    /// Whether it is still valid. A leased permit may expire before its call begins.
    fn is_valid(&self) -> bool;
}

/// The result of [`CallLimiter::acquire`].
pub type Admission = Result<Box<dyn CallPermit>, Refusal>;

/// Decides when a call may start: the client's own limits, or limits shared by several processes.
pub trait CallLimiter: Send + Sync {
    /// Waits for a permit, then for the rate limit; the call counts as started. The future may be dropped at any point.
    fn acquire(&self) -> Pin<Box<dyn Future<Output = Admission> + Send + '_>>;
}
