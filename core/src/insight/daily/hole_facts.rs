//! A hole of the coverage as reports, pages and the API show it. `search_coverage` finds holes.

use crate::model::Span;

/// A span that nothing covered.
#[derive(Debug, Clone, serde::Serialize)]
pub struct HoleFacts {
    /// Where it is.
    #[serde(flatten)]
    pub span: Span,
    /// Causes in words; empty before the topic was watched.
    pub why: String,
    /// Whether it lies before the topic was watched.
    pub before: bool,
    /// Whether no search was due since the last one; the next search looks back over it.
    #[serde(skip_serializing_if = "is_false")]
    pub open: bool,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "as serde asks for it")]
fn is_false(flag: &bool) -> bool {
    !flag
}
