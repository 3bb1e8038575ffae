//! A sentence of "What matters". `highlights` creates them.

/// A sentence that the reader should know first.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Highlight {
    /// The order within its kind: the heaviest first.
    pub weight: u32,
    pub topic: String,
    /// The section to which it links.
    pub section: &'static str,
    /// What it is about, in one word.
    pub kind: &'static str,
    pub sentence: String,
}

impl Highlight {
    /// What it is about, as people read it. `kind` is stored with reports and stays.
    #[must_use]
    pub fn label(&self) -> &'static str {
        match self.kind {
            "hole" => "gap",
            "campaign" => "repeated text",
            "not run" => "no results",
            kind => kind,
        }
    }

    /// What stands between the topic's title and the sentence, which begins with a verb if there are no results or nothing
    /// was searched.
    #[must_use]
    pub fn after_title(&self) -> &'static str {
        if matches!(self.kind, "not run" | "not asked") { " " } else { ": " }
    }

    /// Whether it says what happened. All others say how far the figures can be trusted. That searches were pruned
    /// counts as news, so that it comes first.
    #[must_use]
    pub fn is_news(&self) -> bool {
        ["pruned", "volume", "tone", "terms", "campaign", "baseline"].contains(&self.kind)
    }
}
