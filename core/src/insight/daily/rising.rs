//! The rising items of a period, the fastest first. `insight::rising_items` has the rule, shared with `diff`.

use std::collections::BTreeMap;

use crate::insight::{grown, is_comparable};
use crate::model::{Engagement, EngagementAt, Source, Time};

/// How the reactions to an item grew.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct Rise {
    /// The item's public key.
    pub key: String,
    /// Reactions at the first sighting, of the kinds known both times.
    pub had: i64,
    /// Reactions gained until the last sighting.
    pub gain: i64,
    /// When these sightings were.
    pub from_at: Time,
    pub to_at: Time,
    /// Reactions gained per hour between them.
    pub per_hour: f64,
}

/// The reactions of each item and source by time.
type ReactionsByItem<'a> = BTreeMap<(&'a str, Source), BTreeMap<Time, Engagement>>;

fn by_source(reactions: &[EngagementAt]) -> ReactionsByItem<'_> {
    let mut seen = ReactionsByItem::new();
    for reaction in reactions {
        seen.entry((&reaction.key, reaction.source)).or_default().insert(reaction.at, reaction.engagement);
    }
    seen
}

/// Whether the reactions of any item are known from two sightings of one source: if not, nothing can be called rising
/// or not.
#[must_use]
pub fn any_comparable(reactions: &[EngagementAt]) -> bool {
    by_source(reactions).values().any(|at| match (at.first_key_value(), at.last_key_value()) {
        (Some(first), Some(last)) => first.0 < last.0 && is_comparable(*first.1, *last.1),
        _ => false,
    })
}

/// Returns all rising items, the fastest first, each by its first and last sighting by one source. The caller must
/// filter the list before it cuts it, or it shows too few.
#[must_use]
pub fn rising_items(reactions: &[EngagementAt]) -> Vec<Rise> {
    let seen = by_source(reactions);
    // If two sources show the same item, keep the larger rise.
    let mut rises: BTreeMap<&str, Rise> = BTreeMap::new();
    for ((key, _), at) in seen {
        let (Some(first), Some(last)) = (at.first_key_value(), at.last_key_value()) else { continue };
        let Some(grown) = grown((*first.0, *first.1), (*last.0, *last.1)) else { continue };
        let rise = Rise {
            key: key.to_owned(),
            had: grown.had,
            gain: grown.gain,
            from_at: *first.0,
            to_at: *last.0,
            per_hour: grown.per_hour(),
        };
        match rises.get(key) {
            Some(other) if other.gain >= grown.gain => {}
            _ => drop(rises.insert(key, rise)),
        }
    }
    let mut all: Vec<Rise> = rises.into_values().collect();
    all.sort_by(|a, b| b.per_hour.total_cmp(&a.per_hour).then_with(|| a.key.cmp(&b.key)));
    all
}

#[cfg(test)]
mod tests {
    #![allow(clippy::indexing_slicing, reason = "tests fail by panicking")]
    use super::*;

    #[test]
    fn an_item_rises_by_its_first_and_last_sighting_of_one_source() {
        let by = |source, key: &str, minutes: i64, likes: i64| EngagementAt {
            key: key.to_owned(),
            source,
            at: Time(minutes * 60_000),
            engagement: Engagement { likes: Some(likes), ..Engagement::default() },
        };
        let seen = |key: &str, minutes: i64, likes: i64| by(Source::Social, key, minutes, likes);
        let all = rising_items(&[
            seen("a", 0, 10),
            seen("a", 60, 12),
            seen("a", 120, 50),
            seen("b", 0, 0),
            seen("b", 5, 900),
            seen("c", 0, 5),
            seen("c", 60, 4),
            seen("d", 0, 1_000),
            seen("d", 60, 1_100),
            by(Source::Ai, "e", 0, 1),
            seen("e", 60, 31),
            by(Source::Ai, "f", 0, 1),
            by(Source::Ai, "f", 120, 21),
            seen("f", 0, 1),
            seen("f", 60, 19),
        ]);
        let rates: Vec<_> = all.iter().map(|rise| (rise.key.as_str(), rise.per_hour)).collect();
        assert_eq!(rates, [("b", 900.0), ("a", 20.0), ("f", 10.0)], "a tenth more, and other sources, tell nothing");
        assert_eq!((all[1].had, all[1].gain), (10, 40));
        let unknown = |minutes: i64| EngagementAt { engagement: Engagement::default(), ..seen("a", minutes, 0) };
        for (reactions, expected) in [
            (vec![seen("a", 0, 1), seen("a", 60, 1)], true),
            (vec![seen("a", 0, 1), seen("b", 60, 900)], false),
            (vec![unknown(0), unknown(60)], false),
            (vec![by(Source::Ai, "a", 0, 1), seen("a", 60, 900)], false),
        ] {
            assert_eq!(any_comparable(&reactions), expected, "{reactions:?}");
        }
    }
}
