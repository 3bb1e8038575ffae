//! The pure part of topicwatch: what a finding is, when a topic is due, and what rows say. No IO, no clock, no async.
//!
//! It is a crate of its own for two reasons. The compiler holds the wall: what is here cannot reach a database or the network.
//! And it is optimised in test builds too, because it computes most of what tests simulate; the rest of the program compiles
//! three times faster without. `topicwatch` shows these rooms under its own name; nothing else uses them.
//!
//! 1. [`model`] is plain data; [`budget`] prices; [`schedule`] the slots of a schedule.
//! 2. [`normalise`] gives a finding its identity; [`sentiment`] judges its tone; [`filter`] says which items a topic means.
//! 3. [`insight`] turns rows into statements: new, gone, covered, usual.

pub mod budget;
pub mod filter;
pub mod insight;
pub mod model;
pub mod normalise;
pub mod schedule;
pub mod sentiment;
