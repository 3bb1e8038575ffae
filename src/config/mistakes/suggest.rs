//! "Did you mean": the nearest of a list of known words, as a hint. Also lists names that people try.

/// Names that people try, and what to write instead.
const OTHER_NAMES: [(&str, &str); 5] = [
    ("budget", "budgets are `budget_per_day`, in [service], [providers.NAME] or [[topics]]"),
    ("notify", "each receiver is a [[channels]] table; reports and alerts name it in `channels`"),
    ("notifications", "each receiver is a [[channels]] table; reports and alerts name it in `channels`"),
    ("threshold", "an alert has `min`; with rule = \"budget\" it is `percent`, with rule = \"source\" `failures`"),
    ("sentiment", "sentiment needs no settings: every item is scored"),
];

/// Returns what to write instead of a name that people try.
pub(in crate::config) fn other_name(name: &str) -> Option<&'static str> {
    OTHER_NAMES.iter().find(|(tried, _)| *tried == name).map(|(_, hint)| *hint)
}

/// Returns the known word nearest to `word`, if one is near enough.
#[must_use]
pub fn nearest<'k>(word: &str, known: impl IntoIterator<Item = &'k str>) -> Option<&'k str> {
    crate::model::nearest(word, known, 1).first().copied()
}

/// Returns `did you mean `x`?`, or the given text.
pub(in crate::config) fn did_you_mean<'k>(
    word: &str,
    known: impl IntoIterator<Item = &'k str>,
    otherwise: &str,
) -> String {
    nearest(word, known).map_or_else(|| otherwise.to_owned(), |suggestion| format!("did you mean `{suggestion}`?"))
}
