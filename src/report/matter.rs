//! A sentence of "What matters". Which there are is `highlights`' to say.

/// Something the reader should know first.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Matter {
    /// What happened first, then how far to trust it; of each the heaviest first.
    pub weight: u32,
    pub topic: String,
    /// The section it leads to.
    pub section: &'static str,
    /// What it is about, in a word.
    pub kind: &'static str,
    pub sentence: String,
}

impl Matter {
    /// Whether it says what happened; all else says how far the figures can be trusted. That a period's searches are not kept
    /// stands before all.
    #[must_use]
    pub fn is_news(&self) -> bool {
        ["pruned", "volume", "tone", "terms", "campaign", "baseline"].contains(&self.kind)
    }
}
