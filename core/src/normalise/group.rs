//! Groups the findings of one run: one group per item, whichever sources found it. The store joins them with items of
//! earlier runs, by the same keys.

use std::collections::{HashMap, HashSet};

use crate::model::{Finding, Kind, Source};

/// One item of one run with all its sightings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Group {
    /// All keys of the item, strongest first. No key is in two groups of a run.
    pub keys: Vec<String>,
    /// Whether the first key is strong.
    pub strong: bool,
    /// Post or page, according to the first key.
    pub kind: Kind,
    /// At most one finding per source, in the order of [`Source`]: the one with the best key, with the best rank.
    pub sightings: Vec<Finding>,
    /// For each source that listed the item more than once, the number of further entries.
    pub repeats: Vec<(Source, u32)>,
}

/// Groups the findings of one run, in the order in which their items first appear. Deterministic.
///
/// Findings with the same strong key are one item. A finding with only a text key joins the first item with that text.
/// An equal text never joins two different strong keys: one author may post a text twice. The text key then belongs to
/// the first of the two.
#[must_use]
pub fn group(findings: Vec<Finding>) -> Vec<Group> {
    let places = group_indexes(&findings);
    let mut groups: Vec<Group> = Vec::new();
    for (finding, place) in findings.into_iter().zip(places) {
        match groups.get_mut(place) {
            Some(group) => group.add(finding),
            // Groups are numbered in order of appearance, so a new one is always the next.
            None => groups.push(Group::of(finding)),
        }
    }
    let mut taken: HashSet<String> = HashSet::new();
    for group in &mut groups {
        group.keys.retain(|key| taken.insert(key.clone()));
        group.sightings.sort_by_key(|sighting| sighting.source);
        group.repeats.sort_unstable();
    }
    groups
}

/// The index of each finding's group.
fn group_indexes(findings: &[Finding]) -> Vec<usize> {
    // The first key of the item that owns a text key: the first strong finding with that text.
    let mut owner: HashMap<&str, &str> = HashMap::new();
    for finding in findings.iter().filter(|f| f.strong) {
        if let Some((first, rest)) = finding.keys.split_first() {
            for key in rest {
                owner.entry(key).or_insert(first);
            }
        }
    }
    let mut numbers: HashMap<&str, usize> = HashMap::new();
    findings
        .iter()
        .map(|finding| {
            let first = finding.keys.first().map_or("", String::as_str);
            let name = if finding.strong { first } else { owner.get(first).copied().unwrap_or(first) };
            let next = numbers.len();
            *numbers.entry(name).or_insert(next)
        })
        .collect()
}

impl Group {
    fn of(finding: Finding) -> Self {
        Self {
            keys: finding.keys.clone(),
            strong: finding.strong,
            kind: finding.kind,
            sightings: vec![finding],
            repeats: Vec::new(),
        }
    }

    fn add(&mut self, finding: Finding) {
        if finding.strong && !self.strong {
            self.strong = true;
            self.kind = finding.kind;
            let weaker = std::mem::replace(&mut self.keys, finding.keys.clone());
            self.add_keys(weaker);
        } else {
            self.add_keys(finding.keys.clone());
        }
        let Some(kept) = self.sightings.iter_mut().find(|kept| kept.source == finding.source) else {
            self.sightings.push(finding);
            return;
        };
        match self.repeats.iter_mut().find(|(source, _)| *source == finding.source) {
            Some((_, count)) => *count = count.saturating_add(1),
            None => self.repeats.push((finding.source, 1)),
        }
        let rank = kept.found.rank.min(finding.found.rank);
        if (!finding.strong, finding.found.rank) < (!kept.strong, kept.found.rank) {
            *kept = finding;
        }
        kept.found.rank = rank;
    }

    fn add_keys(&mut self, keys: Vec<String>) {
        for key in keys {
            if !self.keys.contains(&key) {
                self.keys.push(key);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::model::{ReplyEntry, WindowFit};

    fn seen(source: Source, rank: u32, keys: &[&str]) -> Finding {
        Finding {
            source,
            found: ReplyEntry { rank, ..ReplyEntry::default() },
            kind: if keys[0].starts_with("page:") { Kind::Page } else { Kind::Post },
            keys: keys.iter().map(|k| (*k).to_owned()).collect(),
            strong: !keys[0].starts_with("text:"),
            fit: WindowFit::Undated,
        }
    }

    #[test]
    fn one_item_of_three_sources_is_one_group_with_three_sightings() {
        let groups = group(vec![
            seen(Source::Web, 1, &["page:a"]),
            seen(Source::Ai, 1, &["post:x:1"]),
            seen(Source::Social, 4, &["post:x:1", "text:t"]),
            seen(Source::Web, 2, &["post:x:1"]),
        ]);
        assert_eq!(groups.len(), 2);
        assert_eq!(groups[1].keys, ["post:x:1", "text:t"]);
        let sources: Vec<Source> = groups[1].sightings.iter().map(|s| s.source).collect();
        assert_eq!(sources, [Source::Social, Source::Web, Source::Ai]);
        assert_eq!(groups[1].repeats, []);
    }

    #[test]
    fn a_text_joins_the_first_matching_post_and_never_joins_two_posts() {
        let groups = group(vec![
            seen(Source::Ai, 1, &["text:t"]),
            seen(Source::Social, 1, &["post:x:1", "text:t"]),
            seen(Source::Social, 2, &["post:x:2", "text:t"]),
            seen(Source::Ai, 2, &["text:other"]),
        ]);
        let keys: Vec<Vec<String>> = groups.iter().map(|g| g.keys.clone()).collect();
        assert_eq!(keys, [vec!["post:x:1", "text:t"], vec!["post:x:2"], vec!["text:other"]]);
        assert!(groups[0].strong && !groups[2].strong);
        assert_eq!(groups[0].sightings.len(), 2);
    }

    #[test]
    fn a_repeated_item_of_a_source_is_one_sighting_with_the_best_key_and_rank() {
        let groups = group(vec![
            seen(Source::Social, 2, &["text:t"]),
            seen(Source::Social, 5, &["post:x:1", "text:t"]),
            seen(Source::Social, 9, &["post:x:1", "text:t"]),
        ]);
        assert_eq!(groups.len(), 1);
        assert_eq!(groups[0].sightings.len(), 1);
        assert!(groups[0].sightings[0].strong);
        assert_eq!(groups[0].sightings[0].found.rank, 2);
        assert_eq!(groups[0].repeats, [(Source::Social, 2)]);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200))]
        #[test]
        fn grouping_loses_no_finding_and_puts_no_key_in_two_groups(
            entries in proptest::collection::vec((0usize..3, 0u8..4, 0u8..3, 1u32..9), 0..20),
        ) {
            let findings: Vec<Finding> = entries.iter().map(|&(source, strong, weak, rank)| {
                let (post, text) = (format!("post:x:{strong}"), format!("text:{weak}"));
                let keys: &[&str] = match strong { 0 => &[&text], _ => &[&post, &text] };
                seen(Source::SERVICE[source], rank, keys)
            }).collect();
            let groups = group(findings.clone());
            let counted: usize = groups.iter()
                .map(|g| g.sightings.len() + g.repeats.iter().map(|(_, n)| *n as usize).sum::<usize>()).sum();
            prop_assert_eq!(counted, findings.len());
            let mut keys: Vec<&String> = groups.iter().flat_map(|g| &g.keys).collect();
            let all = keys.len();
            keys.sort();
            keys.dedup();
            prop_assert_eq!(keys.len(), all);
            for g in &groups {
                prop_assert!(g.keys.iter().filter(|k| k.starts_with("post:")).count() <= 1);
                prop_assert!(g.sightings.windows(2).all(|w| w[0].source < w[1].source));
                prop_assert_eq!(g.strong, g.keys[0].starts_with("post:"));
            }
        }
    }
}
