//! Why a value cannot be used, before its place is known. With its place it becomes a `Mistake`.

use std::ops::Range;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::config) struct Fault {
    /// What is wrong.
    pub(in crate::config) message: String,
    /// What to do.
    pub(in crate::config) hint: String,
    /// A narrower place than the value's, such as one element of a list.
    pub(in crate::config) at: Option<Range<usize>>,
}

impl Fault {
    /// A fault of the whole value.
    pub(in crate::config) fn new(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { message: message.into(), hint: hint.into(), at: None }
    }
}
