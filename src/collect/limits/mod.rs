//! The limits of a service, shared by all processes, and refusals after which calls stop.

mod permits;
pub(super) mod refused;
pub(super) mod shared_limits;
