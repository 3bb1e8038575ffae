//! JSON as deployments write it: repaired where one bad character would lose a reply, and built with bounded memory.

mod build;
pub(super) mod lenient;
pub(super) mod node;
