//! The pure part of topicwatch: what a finding is, when a topic is due, and what rows show. No IO, no clock, no async.
//!
//! It is a separate crate for two reasons. The compiler enforces the boundary: code here cannot reach a database or the
//! network. And it is optimised in test builds too, because it does most of the computing in tests; the rest of the
//! program compiles three times faster without optimisation. Long simulations are in `tests/simulations`, which is
//! optimised, too. `topicwatch` re-exports these modules; nothing else uses them.
//!
//! 1. [`model`] has plain data types; [`budget`] the prices; [`schedule`] the slots of a schedule.
//! 2. [`normalise`] identifies findings; [`sentiment`] judges their tone; [`filter`] decides which items pass a topic's
//!    filter.
//! 3. [`insight`] turns rows into results: new, gone, covered, usual.

pub mod budget;
pub mod filter;
pub mod insight;
pub mod model;
pub mod normalise;
pub mod schedule;
pub mod sentiment;
