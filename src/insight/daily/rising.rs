//! What is rising: how fast reactions to an item grew between the sightings of a period.

use std::collections::BTreeMap;

use crate::model::{Reaction, Time};

/// Sightings closer than this say nothing about speed, milliseconds.
const CLOSE: i64 = 600_000;

/// How reactions to an item grew.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct Rise {
    /// Public key.
    pub key: String,
    /// Reactions at the first sighting of the period …
    pub from: i64,
    /// … and at the last.
    pub to: i64,
    /// When that was.
    pub from_at: Time,
    /// See `from_at`.
    pub to_at: Time,
    /// Growth per hour between the two.
    pub per_hour: f64,
}

/// The items whose reactions grew fastest, the fastest first.
#[must_use]
pub fn rising(reactions: &[Reaction], most: usize) -> Vec<Rise> {
    // One moment of one item may have been seen by several sources: the largest count is the latest.
    let mut seen: BTreeMap<&str, BTreeMap<Time, i64>> = BTreeMap::new();
    for reaction in reactions {
        let sum = reaction.engagement.sum();
        let at = seen.entry(&reaction.key).or_default().entry(reaction.at).or_insert(sum);
        *at = (*at).max(sum);
    }
    let mut all: Vec<Rise> = seen
        .into_iter()
        .filter_map(|(key, at)| {
            let ((from_at, from), (to_at, to)) = (at.first_key_value()?, at.last_key_value()?);
            let length = to_at.0 - from_at.0;
            #[expect(clippy::cast_precision_loss, reason = "counts and hours")]
            let per_hour = (to - from) as f64 * 3_600_000.0 / length.max(1) as f64;
            let (from_at, to_at) = (*from_at, *to_at);
            (length >= CLOSE && to > from).then(|| Rise {
                key: key.to_owned(),
                from: *from,
                to: *to,
                from_at,
                to_at,
                per_hour,
            })
        })
        .collect();
    all.sort_by(|a, b| b.per_hour.total_cmp(&a.per_hour).then_with(|| a.key.cmp(&b.key)));
    all.truncate(most);
    all
}

#[cfg(test)]
mod tests {
    #![allow(clippy::indexing_slicing, reason = "tests fail by panicking")]
    use super::*;
    use crate::model::Engagement;

    #[test]
    fn speed_is_told_only_between_sightings_that_are_apart() {
        let seen = |key: &str, minutes: i64, likes: i64| Reaction {
            key: key.to_owned(),
            at: Time(minutes * 60_000),
            engagement: Engagement { likes: Some(likes), ..Engagement::default() },
        };
        let all = rising(
            &[
                seen("a", 0, 10),
                seen("a", 120, 50),
                seen("b", 0, 0),
                seen("b", 5, 900),
                seen("c", 0, 5),
                seen("c", 60, 4),
                seen("d", 0, 1),
                seen("d", 60, 31),
                seen("d", 60, 30),
            ],
            9,
        );
        assert_eq!(all.iter().map(|r| (r.key.as_str(), r.per_hour)).collect::<Vec<_>>(), [("d", 30.0), ("a", 20.0)]);
        assert_eq!((all[1].from, all[1].to), (10, 50));
    }
}
