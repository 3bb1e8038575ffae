//! The error for a question that cannot be put into a request.

/// The error for a query that a dialect cannot express.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Unsupported {
    /// What is wrong, in one line.
    pub message: String,
    /// What to do next.
    pub hint: String,
}
