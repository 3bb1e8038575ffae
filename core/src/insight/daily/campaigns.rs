//! One text by many authors: clusters of near-copies in a set of items. The near-copies were found when the items were
//! stored.

use std::collections::{BTreeMap, BTreeSet};

use crate::insight::normalize_author;
use crate::model::{CountedItem, Kind, Time};

/// The fewest copies of a campaign.
const MIN_COPIES: u64 = 3;

/// A text that was posted repeatedly.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Campaign {
    /// Key of the item that represents the cluster; it may be older than the set.
    pub cluster: String,
    /// Key of the earliest copy in the set; if possible, one that still has its text.
    pub first: String,
    pub copies: u64,
    /// Copies that are posts.
    pub posts: u64,
    /// Different known authors; 0 if none is known.
    pub authors: u64,
    /// Whether copies were pruned, so that there may have been more authors.
    pub authors_at_least: bool,
    /// When the earliest and the latest copy appeared.
    pub from: Time,
    pub until: Time,
}

/// Returns the largest campaigns in a set of items, by authors and then by copies.
#[must_use]
pub fn campaigns<'a>(marks: impl IntoIterator<Item = &'a CountedItem>, most: usize) -> Vec<Campaign> {
    let mut clusters: BTreeMap<&str, Vec<&CountedItem>> = BTreeMap::new();
    for mark in marks {
        clusters.entry(&mark.cluster).or_default().push(mark);
    }
    let mut all: Vec<Campaign> = clusters
        .into_iter()
        .filter(|(_, members)| members.len() as u64 >= MIN_COPIES)
        .filter_map(|(cluster, members)| {
            let authors: BTreeSet<String> =
                members.iter().filter_map(|m| m.author.as_deref().map(normalize_author)).collect();
            let first = members.iter().min_by_key(|m| (m.pruned, m.moment(), &m.key))?;
            Some(Campaign {
                cluster: cluster.to_owned(),
                first: first.key.clone(),
                copies: members.len() as u64,
                posts: members.iter().filter(|mark| mark.kind == Kind::Post).count() as u64,
                authors: authors.len() as u64,
                authors_at_least: members.iter().any(|m| m.pruned),
                from: members.iter().map(|m| m.moment()).min()?,
                until: members.iter().map(|m| m.moment()).max()?,
            })
        })
        .collect();
    all.sort_by(|a, b| (b.authors, b.copies, &a.cluster).cmp(&(a.authors, a.copies, &b.cluster)));
    all.truncate(most);
    all
}
