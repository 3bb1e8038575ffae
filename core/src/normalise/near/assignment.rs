//! Assigns items to clusters, one after the other: to the cluster with the most similar first item, or to a new one.
//! The result depends only on the order, not on the batch size.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::similarity::similarity_decoded;
use super::sketch::{self, Sketch};
use crate::model::{Assignment, ClusterHead, Fingerprint};

/// The most clusters that one key leads to. Later clusters are found by their other keys. This bounds the cost of
/// common phrases.
const MOST_OF_A_KEY: usize = 4;

/// The most clusters an item is compared with: those that share the most keys, then the latest, since most copies come
/// soon.
const MOST_COMPARED: usize = 4;

/// The existing clusters that the items may belong to.
#[derive(Debug, Clone, Default)]
pub struct KnownClusters {
    /// Keys with the clusters they lead to.
    pub leads: Vec<(i64, i64)>,
    /// First items of clusters, at least those that [`needed_heads`] returns.
    pub heads: Vec<ClusterHead>,
    /// The number of the next new cluster.
    pub next: i64,
}

/// The similarity of a text to itself, in thousandths.
const SAME: u32 = 1_000;

/// The sorted clusters that each key leads to.
type Leads = HashMap<i64, Vec<i64>>;

fn places_by_key(leads: &[(i64, i64)]) -> Leads {
    let mut gathered = Leads::new();
    for (key, place) in leads {
        gathered.entry(*key).or_default().push(*place);
    }
    for places in gathered.values_mut() {
        places.sort_unstable();
        places.dedup();
    }
    gathered
}

/// The clusters to compare an item with.
fn shortlist(marks: &Fingerprint, leads: &Leads) -> Vec<i64> {
    let mut keys: BTreeMap<i64, usize> = BTreeMap::new();
    for place in marks.bands.iter().filter_map(|key| leads.get(key)).flatten() {
        *keys.entry(*place).or_default() += 1;
    }
    let mut places: Vec<(i64, usize)> = keys.into_iter().collect();
    places.sort_by(|a, b| b.1.cmp(&a.1).then(b.0.cmp(&a.0)));
    places.truncate(MOST_COMPARED);
    places.into_iter().map(|(place, _)| place).collect()
}

/// The clusters whose first items [`assign_clusters`] needs: those that the items' keys lead to. An item whose whole text is
/// already known needs none.
#[must_use]
pub fn needed_heads(items: &[Option<Fingerprint>], leads: &[(i64, i64)]) -> BTreeSet<i64> {
    let leads = places_by_key(leads);
    let compared = |marks: &&Fingerprint| !marks.bands.last().is_some_and(|exact_key| leads.contains_key(exact_key));
    items.iter().flatten().filter(compared).flat_map(|marks| shortlist(marks, &leads)).collect()
}

/// Decides for each item, in order.
#[must_use]
pub fn assign_clusters(items: Vec<Option<Fingerprint>>, known: &KnownClusters) -> Vec<Assignment> {
    let mut leads = places_by_key(&known.leads);
    let mut next = known.next;
    let mut heads: HashMap<i64, Option<Sketch>> =
        known.heads.iter().map(|head| (head.place, sketch::decode(&head.sketch))).collect();
    let mut decide = |marks: Fingerprint| {
        let exact_key = marks.bands.last().copied().unwrap_or_default();
        // A text with the same letters joins the same cluster as before, whatever clusters started since.
        if let Some(place) = leads.get(&exact_key).and_then(|places| places.first()) {
            return Assignment::CopyOf(*place, None);
        }
        let own_sketch = sketch::decode(&marks.sketch);
        let like = |place: &i64| similarity_decoded(own_sketch.as_ref()?, heads.get(place)?.as_ref()?);
        let compared = shortlist(&marks, &leads).into_iter().filter_map(|place| like(&place).map(|much| (place, much)));
        // The most similar; on a tie the earliest.
        if let Some((place, much)) = compared.min_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(&b.0))) {
            let own_words = (much < SAME).then_some(exact_key);
            if let Some(key) = own_words {
                leads.entry(key).or_default().push(place);
            }
            return Assignment::CopyOf(place, own_words);
        }
        let place = next;
        next += 1;
        let keys = leading_keys(&marks.bands, &leads);
        for key in &keys {
            leads.entry(*key).or_default().push(place);
        }
        heads.insert(place, own_sketch);
        Assignment::Begins(ClusterHead { place, sketch: marks.sketch }, keys)
    };
    items.into_iter().map(|marks| marks.map_or(Assignment::Alone, &mut decide)).collect()
}

/// The keys that lead to a new cluster: those that lead to few enough clusters so far, and that of the whole text, so
/// that exact copies are always found.
fn leading_keys(bands: &[i64], leads: &Leads) -> Vec<i64> {
    let free = |key: &&i64| leads.get(*key).is_none_or(|places| places.len() < MOST_OF_A_KEY);
    let Some((exact_key, pieces)) = bands.split_last() else { return Vec::new() };
    pieces.iter().filter(free).chain([exact_key]).copied().collect()
}
