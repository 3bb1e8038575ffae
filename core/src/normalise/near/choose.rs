//! Which cluster each of some items belongs to, taken one after the other: to the one whose first item it is most like,
//! or to one of its own. What is decided depends on the order alone, never on how many are decided at once.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::alike::alike_decoded;
use super::sketch::{self, Sketch};
use crate::model::{Choice, Head, Marks};

/// First items that one key leads to; later ones are found by their other keys. So a phrase that everybody uses costs no
/// more than another.
const MOST_OF_A_KEY: usize = 4;

/// First items that one item is compared with: those that share most keys, the later first, since most copies follow soon.
const MOST_COMPARED: usize = 4;

/// What is known of the clusters that the items may belong to.
#[derive(Debug, Clone, Default)]
pub struct Known {
    /// Keys and the places they lead to.
    pub leads: Vec<(i64, i64)>,
    /// First items, at least those that [`wanted`] names.
    pub heads: Vec<Head>,
    /// The place of the next cluster that begins.
    pub next: i64,
}

/// How alike a text is to itself.
const SAME: u32 = 1_000;

/// Keys and, in order, the places they lead to.
type Leads = HashMap<i64, Vec<i64>>;

fn gathered(leads: &[(i64, i64)]) -> Leads {
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

/// The places to compare with.
fn shortlist(marks: &Marks, leads: &Leads) -> Vec<i64> {
    let mut keys: BTreeMap<i64, usize> = BTreeMap::new();
    for place in marks.bands.iter().filter_map(|key| leads.get(key)).flatten() {
        *keys.entry(*place).or_default() += 1;
    }
    let mut places: Vec<(i64, usize)> = keys.into_iter().collect();
    places.sort_by(|a, b| b.1.cmp(&a.1).then(b.0.cmp(&a.0)));
    places.truncate(MOST_COMPARED);
    places.into_iter().map(|(place, _)| place).collect()
}

/// The first items that have to be known to decide: those that the items may be copies of, as far as keys lead there. Of an
/// item whose whole text is known nothing has to be.
#[must_use]
pub fn wanted(items: &[Option<Marks>], leads: &[(i64, i64)]) -> BTreeSet<i64> {
    let leads = gathered(leads);
    let compared = |marks: &&Marks| !marks.bands.last().is_some_and(|whole| leads.contains_key(whole));
    items.iter().flatten().filter(compared).flat_map(|marks| shortlist(marks, &leads)).collect()
}

/// Decides of each item, in order.
#[must_use]
pub fn choose(items: Vec<Option<Marks>>, known: &Known) -> Vec<Choice> {
    let mut leads = gathered(&known.leads);
    let mut next = known.next;
    let mut heads: HashMap<i64, Option<Sketch>> =
        known.heads.iter().map(|head| (head.place, sketch::decoded(&head.sketch))).collect();
    let mut decide = |marks: Marks| {
        let whole = marks.bands.last().copied().unwrap_or_default();
        // The same letters belong where they were put before, whatever began since.
        if let Some(place) = leads.get(&whole).and_then(|places| places.first()) {
            return Choice::CopyOf(*place, None);
        }
        let mine = sketch::decoded(&marks.sketch);
        let like = |place: &i64| alike_decoded(mine.as_ref()?, heads.get(place)?.as_ref()?);
        let compared = shortlist(&marks, &leads).into_iter().filter_map(|place| like(&place).map(|much| (place, much)));
        // The likest; of several the earliest.
        if let Some((place, much)) = compared.min_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(&b.0))) {
            let own_words = (much < SAME).then_some(whole);
            if let Some(key) = own_words {
                leads.entry(key).or_default().push(place);
            }
            return Choice::CopyOf(place, own_words);
        }
        let place = next;
        next += 1;
        let keys = led_by(&marks.bands, &leads);
        for key in &keys {
            leads.entry(*key).or_default().push(place);
        }
        heads.insert(place, mine);
        Choice::Begins(Head { place, sketch: marks.sketch }, keys)
    };
    items.into_iter().map(|marks| marks.map_or(Choice::Alone, &mut decide)).collect()
}

/// The keys that will lead to a new cluster: those that lead to few enough already, and that of the whole text, by which
/// copies that differ in nothing are found however many others share the rest.
fn led_by(bands: &[i64], leads: &Leads) -> Vec<i64> {
    let free = |key: &&i64| leads.get(*key).is_none_or(|places| places.len() < MOST_OF_A_KEY);
    let Some((whole, pieces)) = bands.split_last() else { return Vec::new() };
    pieces.iter().filter(free).chain([whole]).copied().collect()
}
