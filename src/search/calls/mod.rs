//! One call: the checks before it, its tries, its failures and retries, and logins.

pub(super) mod attempt;
mod detail;
pub(super) mod failure;
pub(super) mod gate;
pub(super) mod hint;
pub(super) mod limits;
pub(super) mod retry;
pub(super) mod sent_secrets;
pub(super) mod session;
pub(super) mod setup;
