//! Each term of a period with the items that hold it, and what the days before let expect: whoever explains a rise reads
//! these, `news` those of them that are news.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::kept::{DayTerms, TermCounter, hash};
use super::odds::{Counts, level, scatter};
use crate::model::{Kind, Time, Tone};

/// Fewer people who say it make nothing news.
pub const LEAST_VOICES: usize = 3;

/// Cells that terms are counted in at most.
const MOST_CELLS: usize = 1 << 23;

/// An item of a period as far as terms are concerned.
#[derive(Debug, Clone)]
pub struct TermItem {
    /// Key shown to users.
    pub key: String,
    pub kind: Kind,
    /// Key of the text it is a copy of; its own when it is alone.
    pub cluster: String,
    /// Who says it: the author, or the site of a page without one, or the text itself where neither is known.
    pub voice: String,
    /// The local day of the period, from 0.
    pub day: usize,
    /// The instant it counts at.
    pub at: Time,
    /// How it sounds, by the scorer that the period is told by.
    pub sound: Option<Tone>,
    /// Reactions.
    pub weight: i64,
    /// Its terms, each once, in order.
    pub terms: Vec<String>,
    /// Its runs of letters without spaces, of which its terms have pairs.
    pub runs: Vec<String>,
}

/// What rises are worked out from.
#[derive(Debug, Clone, Copy)]
pub struct RiseInput<'a> {
    pub items: &'a [TermItem],
    /// The days before that can be compared.
    pub before: &'a [DayTerms],
}

/// A term of the period.
#[derive(Debug, Clone)]
pub struct Rise<'a> {
    pub term: &'a str,
    /// Places of the items that hold it, in order.
    pub items: Vec<usize>,
    /// How many people say it.
    pub voices: usize,
    /// Different texts by different people, day by day: what is compared.
    pub now: u64,
    /// The same over all days before.
    pub before: u64,
    /// What the days before let expect of the period.
    pub expected: f64,
    /// Log-odds by their spread, the scatter of the days before counted in.
    pub z: f64,
    /// Whether it is news: nobody would expect so many among so many terms that are tested.
    pub is_news: bool,
}

/// The terms that at least [`LEAST_VOICES`] people say, in as many texts, the highest z first, and how many terms were
/// tested. What `own` says are words of the topic's question is left out.
#[must_use]
pub fn rises<'a>(input: RiseInput<'a>, own: &dyn Fn(&str) -> bool) -> (Vec<Rise<'a>>, usize) {
    let mut found: HashMap<&str, Vec<usize>> = HashMap::new();
    for (place, item) in input.items.iter().enumerate() {
        for term in &item.terms {
            found.entry(term).or_default().push(place);
        }
    }
    let days = by_day(input.items);
    let of_now: u64 = days.values().map(|day| day.said).sum();
    let of_before: u64 = input.before.iter().map(|day| day.said).sum();
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
    let level = level(many);
    // Each kept day is walked through once.
    let wanted: HashMap<u64, usize> = tested.iter().enumerate().map(|(at, (term, ..))| (hash(term), at)).collect();
    let mut before: Vec<Vec<(u64, u64)>> = vec![input.before.iter().map(|day| (0, day.said)).collect(); tested.len()];
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
            let is_news = z > 0.0 && counts.chance(scatter) <= level;
            Rise { term, items, voices, now, before, expected: counts.expected(), z, is_news }
        })
        .collect();
    all.sort_by(|a, b| b.z.total_cmp(&a.z).then_with(|| a.term.cmp(b.term)));
    (all, many)
}

/// How many terms might have been told: those said often enough in the period and before together, wherever they were said. Counted in
/// cells of hashes, of which two terms rarely share one.
fn tested_terms(before: &[DayTerms], days: &BTreeMap<usize, DayTerms>) -> usize {
    let all = || before.iter().chain(days.values());
    let cells = (all().map(|day| day.each().len()).sum::<usize>() * 4).next_power_of_two().clamp(64, MOST_CELLS);
    let mut said = vec![0_u8; cells];
    for (hash, many) in all().flat_map(DayTerms::each) {
        let place = usize::try_from(hash).unwrap_or(0) & (cells - 1);
        if let Some(count) = said.get_mut(place) {
            *count = count.saturating_add(u8::try_from(many).unwrap_or(u8::MAX));
        }
    }
    said.into_iter().filter(|count| usize::from(*count) >= LEAST_VOICES).count()
}

/// The period's days as they would be kept.
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
