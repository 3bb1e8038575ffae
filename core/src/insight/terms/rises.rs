//! The terms of a period with their items, and the counts that the days before predict. `news` picks those that are
//! news; explanations of a rise use them all.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::day_terms::{DayTerms, TermCounter, hash};
use super::log_odds::{Counts, scatter};
use crate::model::{Kind, Time, Tone};

/// A term that fewer people use is never news.
pub const LEAST_VOICES: usize = 3;

/// The chance that any term is called news by mistake, in a period like the days before.
const NEWS: f64 = 0.02;
/// The same for the test whether the words of a period differ at all.
const DIFFERENT: f64 = 0.1;

/// The most cells that terms are counted in.
const MOST_CELLS: usize = 1 << 23;

/// The fields of an item that terms need.
#[derive(Debug, Clone)]
pub struct TermItem {
    /// Key shown to users.
    pub key: String,
    pub kind: Kind,
    /// Key of its near-copy cluster; its own key if it has none.
    pub cluster: String,
    /// The author; for a page without one its site; if neither is known, the text itself.
    pub voice: String,
    /// Number of the local day in the period, from 0.
    pub day: usize,
    /// The time it counts at.
    pub at: Time,
    /// Its tone, if the period's scorer scored it.
    pub sound: Option<Tone>,
    /// Sum of its reactions.
    pub weight: i64,
    /// Its terms, each once, sorted.
    pub terms: Vec<String>,
    /// Its runs of letters in scripts without spaces; its terms hold their pairs.
    pub runs: Vec<String>,
}

/// The input of [`rises`].
#[derive(Debug, Clone, Copy)]
pub struct RiseInput<'a> {
    pub items: &'a [TermItem],
    /// The counts of the days before that can be compared.
    pub before: &'a [DayTerms],
}

/// A term of the period.
#[derive(Debug, Clone)]
pub struct Rise<'a> {
    pub term: &'a str,
    /// Indexes of the items that contain it, sorted.
    pub items: Vec<usize>,
    /// How many people use it.
    pub voices: usize,
    /// Different texts by different people, summed over days: the count that is compared.
    pub now: u64,
    /// The same count over all days before.
    pub before: u64,
    /// The count of the period that the days before predict.
    pub expected: f64,
    /// The log-odds ratio divided by its standard error, which includes how much the days before vary.
    pub z: f64,
    /// At most this is the chance that any of the tested terms has so high a count in a period that is like the days
    /// before (Bonferroni): the chance of this term multiplied by the number of terms.
    pub chance: f64,
}

impl Rise<'_> {
    /// Whether the term is news.
    #[must_use]
    pub fn is_news(&self) -> bool {
        self.z > 0.0 && self.chance <= NEWS
    }
}

/// Whether the words of a period differ from those of the days before, even if no single term is news.
#[must_use]
pub fn differs(rises: &[Rise<'_>]) -> bool {
    rises.iter().any(|rise| rise.z > 0.0 && rise.chance <= DIFFERENT)
}

/// Returns the terms that at least [`LEAST_VOICES`] people use, in as many texts, the highest z first; and how many
/// terms were tested. `own` recognises the words of the topic's query, which are left out.
#[must_use]
pub fn rises<'a>(input: RiseInput<'a>, own: &dyn Fn(&str) -> bool) -> (Vec<Rise<'a>>, usize) {
    let mut found: HashMap<&str, Vec<usize>> = HashMap::new();
    for (place, item) in input.items.iter().enumerate() {
        for term in &item.terms {
            found.entry(term).or_default().push(place);
        }
    }
    let days = by_day(input.items);
    let of_now: u64 = days.values().map(|day| day.texts).sum();
    let of_before: u64 = input.before.iter().map(|day| day.texts).sum();
    let voices = |places: &[usize]| {
        let names: BTreeSet<&str> = places.iter().filter_map(|at| Some(&*input.items.get(*at)?.voice)).collect();
        names.len()
    };
    let mut tested: Vec<(&str, Vec<usize>, usize, u64)> = found
        .into_iter()
        .filter(|(_, places)| places.len() >= LEAST_VOICES)
        .map(|(term, places)| {
            let now: u64 = days.values().map(|day| day.of(term)).sum();
            let voices = voices(&places);
            (term, places, voices, now)
        })
        .filter(|(term, _, voices, now)| *voices >= LEAST_VOICES && *now >= LEAST_VOICES as u64 && !own(term))
        .collect();
    tested.sort_unstable_by(|a, b| a.0.cmp(b.0));
    let many = tested_terms(input.before, &days);
    #[expect(clippy::cast_precision_loss, reason = "a count of terms")]
    let tests = many.max(1) as f64;
    // One pass over each stored day.
    let wanted: HashMap<u64, usize> = tested.iter().enumerate().map(|(at, (term, ..))| (hash(term), at)).collect();
    let mut before: Vec<Vec<(u64, u64)>> = vec![input.before.iter().map(|day| (0, day.texts)).collect(); tested.len()];
    for (place, day) in input.before.iter().enumerate() {
        for (hash, many) in day.each() {
            let of_term = wanted.get(&hash).and_then(|at| before.get_mut(*at)).and_then(|days| days.get_mut(place));
            if let Some(count) = of_term {
                count.0 = many;
            }
        }
    }
    let mut all: Vec<Rise<'a>> = tested
        .into_iter()
        .zip(before)
        .map(|((term, items, voices, now), days)| {
            let before = days.iter().map(|(count, _)| count).sum();
            let counts = Counts { now, of_now, before, of_before };
            let scatter = scatter(&days);
            let z = counts.z() / scatter.sqrt();
            let chance = counts.chance(scatter) * tests;
            Rise { term, items, voices, now, before, expected: counts.expected(), z, chance }
        })
        .collect();
    all.sort_by(|a, b| b.z.total_cmp(&a.z).then_with(|| a.term.cmp(b.term)));
    (all, many)
}

/// How many terms could have been news: those frequent enough in the period and the days before together. Counts in
/// cells by hash; two terms rarely share one.
fn tested_terms(before: &[DayTerms], days: &BTreeMap<usize, DayTerms>) -> usize {
    let all = || before.iter().chain(days.values());
    let cells = (all().map(|day| day.each().len()).sum::<usize>() * 4).next_power_of_two().clamp(64, MOST_CELLS);
    let mut cell_counts = vec![0_u8; cells];
    for (hash, many) in all().flat_map(DayTerms::each) {
        let place = usize::try_from(hash).unwrap_or(0) & (cells - 1);
        if let Some(count) = cell_counts.get_mut(place) {
            *count = count.saturating_add(u8::try_from(many).unwrap_or(u8::MAX));
        }
    }
    cell_counts.into_iter().filter(|count| usize::from(*count) >= LEAST_VOICES).count()
}

/// Counts the period's days as they would be stored.
fn by_day(items: &[TermItem]) -> BTreeMap<usize, DayTerms> {
    let mut counters: BTreeMap<usize, TermCounter> = BTreeMap::new();
    for item in items {
        let counter = counters.entry(item.day).or_default();
        counter.item(&item.cluster, &item.voice);
        for term in &item.terms {
            counter.term(term);
        }
    }
    counters.into_iter().map(|(day, counter)| (day, counter.end())).collect()
}
