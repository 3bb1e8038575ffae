//! What a call needs before it may begin: room in the budgets, a permit and a start within the service's limits.

pub(in crate::store) mod allowance;
pub(in crate::store) mod lease;
mod limits;
pub(in crate::store) mod shares;
