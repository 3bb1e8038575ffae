//! Says why counts of a chart are lower bounds, for its caption. `insight` knows the reasons.

use std::collections::BTreeSet;

use super::enumeration;
use crate::insight::daily::GapReason;

/// Explains `≥` in a chart of days or weeks (`each`): `≥: there may be more, because …`. `sources_changed`: a source was
/// searched for a part of the time only. Empty if nothing is marked.
#[must_use]
pub fn note(reasons: &BTreeSet<GapReason>, sources_changed: bool, each: &str) -> String {
    let mut all: Vec<String> = reasons.iter().map(|reason| describe(*reason, each)).collect();
    if sources_changed {
        all.push("a source was added or removed".to_owned());
    }
    if all.is_empty() {
        return String::new();
    }
    format!("≥: there may be more, because {}.", enumeration::join(&all, ", or"))
}

/// Says what a reason is about, such as `a reply was full`.
#[must_use]
pub fn describe(reason: GapReason, each: &str) -> String {
    match reason {
        GapReason::NotWatched => "the topic was not watched yet".to_owned(),
        GapReason::FullReply => "a reply was full".to_owned(),
        GapReason::Uncovered => "not all time was covered".to_owned(),
        GapReason::NoAnswer => "a source gave no answer".to_owned(),
        GapReason::Paused => "the topic was paused".to_owned(),
        GapReason::End => format!("the {each} was not searched to its end yet"),
        GapReason::Pruned => "searches were pruned".to_owned(),
        GapReason::NotRead => "there are more items than can be read at once".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_reasons_present_are_named() {
        let note = |reasons: &[GapReason], changed| note(&reasons.iter().copied().collect(), changed, "day");
        assert_eq!(note(&[], false), "");
        assert_eq!(note(&[], true), "≥: there may be more, because a source was added or removed.");
        assert_eq!(note(&[GapReason::Pruned], false), "≥: there may be more, because searches were pruned.");
        assert_eq!(note(&[GapReason::NoAnswer], false), "≥: there may be more, because a source gave no answer.");
        assert_eq!(
            note(&[GapReason::NotRead], false),
            "≥: there may be more, because there are more items than can be read at once."
        );
        assert_eq!(
            note(&[GapReason::End, GapReason::FullReply, GapReason::NotWatched], false),
            "≥: there may be more, because the topic was not watched yet, a reply was full, or the day was not searched \
             to its end yet."
        );
    }
}
