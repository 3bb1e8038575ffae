//! The requirements of a call: room in the budgets, a permit, and a start within the service's limits.

pub(in crate::store) mod allowance;
pub(in crate::store) mod lease;
mod limits;
pub(in crate::store) mod shares;
