//! A day's counts as they are kept: for each term, as a hash, by how many it was said. No word can be read in them. Which
//! items they were counted from is told by their basis, so that counts of other items are never taken for them.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use crate::insight::one_author;
use crate::model::{Mark, TopicFilter};

/// Version of how counts are kept.
const FORMAT: u8 = 1;
/// Bits of a term's hash: among a million terms and a thousand that are looked for, two meet once in a thousand days.
const BITS: u32 = 40;

/// The hash of a term; written out here, because kept counts must not change with a library.
pub(super) fn hash(term: &str) -> u64 {
    let sum =
        term.bytes().fold(0xCBF2_9CE4_8422_2325_u64, |sum, b| (sum ^ u64::from(b)).wrapping_mul(0x0100_0000_01B3));
    let mixed = (sum ^ (sum >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    (mixed ^ (mixed >> 31)) >> (64 - BITS)
}

/// Who says an item: its author, or the site of a page without one, or the text itself where neither is known.
#[must_use]
pub fn voice_of(mark: &Mark) -> String {
    let site = || {
        let (_, rest) = mark.url.as_deref()?.split_once("://")?;
        let host = rest.split(['/', '?', '#']).next().filter(|host| !host.is_empty())?;
        Some(host.strip_prefix("www.").unwrap_or(host).to_owned())
    };
    mark.author.as_deref().map(one_author).or_else(site).unwrap_or_else(|| mark.cluster.clone())
}

/// How often each term was said on a day.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DayTerms {
    /// Different texts by different people: the smaller of both numbers.
    pub said: u64,
    /// By hash, in its order.
    counts: Vec<(u64, u64)>,
}

impl DayTerms {
    /// How many said a term.
    #[must_use]
    pub fn of(&self, term: &str) -> u64 {
        self.at(hash(term))
    }

    pub(super) fn at(&self, hash: u64) -> u64 {
        let place = self.counts.binary_search_by_key(&hash, |(hash, _)| *hash);
        place.ok().and_then(|at| self.counts.get(at)).map_or(0, |(_, many)| *many)
    }

    pub(super) fn each(&self) -> impl ExactSizeIterator<Item = (u64, u64)> + '_ {
        self.counts.iter().copied()
    }

    /// As bytes: what lies between two hashes, and the count where it is not one.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(self.counts.len() * 5 + 12);
        bytes.push(FORMAT);
        put(&mut bytes, self.said);
        put(&mut bytes, self.counts.len() as u64);
        let mut before = 0;
        for (hash, many) in &self.counts {
            put(&mut bytes, (hash - before) << 1 | u64::from(*many > 1));
            if *many > 1 {
                put(&mut bytes, *many);
            }
            before = *hash;
        }
        bytes
    }

    /// The other way round; `None` where the bytes are of another version, or are not whole.
    #[must_use]
    pub fn decode(bytes: &[u8]) -> Option<Self> {
        let (format, mut rest) = bytes.split_first()?;
        if *format != FORMAT {
            return None;
        }
        let said = take(&mut rest)?;
        let many = usize::try_from(take(&mut rest)?).ok()?;
        // Each takes a byte at least.
        let mut counts = Vec::with_capacity(many.min(rest.len()));
        let mut before = 0_u64;
        for _ in 0..many {
            let step = take(&mut rest)?;
            let count = if step & 1 == 1 { take(&mut rest)? } else { 1 };
            before = before.checked_add(step >> 1)?;
            counts.push((before, count));
        }
        rest.is_empty().then_some(Self { said, counts })
    }
}

/// A number in sevenths of a byte, the lowest first.
fn put(bytes: &mut Vec<u8>, mut number: u64) {
    while number >= 128 {
        bytes.push((number & 127) as u8 | 128);
        number >>= 7;
    }
    bytes.push((number & 127) as u8);
}

fn take(rest: &mut &[u8]) -> Option<u64> {
    let mut number = 0_u64;
    for shift in (0_u32..64).step_by(7) {
        let (byte, after) = rest.split_first()?;
        *rest = after;
        number |= u64::from(byte & 127).checked_shl(shift)?;
        if byte & 128 == 0 {
            return Some(number);
        }
    }
    None
}

/// Counts a day, item by item.
#[derive(Debug, Default)]
pub struct TermCounter {
    /// Term, text, voice.
    entries: Vec<(u64, u32, u32)>,
    texts: HashMap<String, u32>,
    voices: HashMap<String, u32>,
    current: (u32, u32),
}

impl TermCounter {
    /// Begins an item: the text that it is a copy of, or its own key, and whose voice it is.
    pub fn item(&mut self, cluster: &str, voice: &str) {
        self.current = (numbered(&mut self.texts, cluster), numbered(&mut self.voices, voice));
    }

    /// A term of the item that was begun last.
    pub fn term(&mut self, term: &str) {
        self.entries.push((hash(term), self.current.0, self.current.1));
    }

    #[must_use]
    pub fn end(mut self) -> DayTerms {
        self.entries.sort_unstable();
        self.entries.dedup();
        let mut counts = Vec::new();
        let mut voices: Vec<u32> = Vec::new();
        for of_term in self.entries.chunk_by(|a, b| a.0 == b.0) {
            let texts = of_term.chunk_by(|a, b| a.1 == b.1).count();
            let many = if of_term.len() == 1 {
                1
            } else {
                voices.clear();
                voices.extend(of_term.iter().map(|(.., voice)| *voice));
                voices.sort_unstable();
                voices.dedup();
                texts.min(voices.len())
            };
            counts.extend(of_term.first().map(|(hash, ..)| (*hash, many as u64)));
        }
        DayTerms { said: self.texts.len().min(self.voices.len()) as u64, counts }
    }
}

fn numbered(all: &mut HashMap<String, u32>, name: &str) -> u32 {
    if let Some(number) = all.get(name) {
        return *number;
    }
    let next = u32::try_from(all.len()).unwrap_or(u32::MAX);
    match all.entry(name.to_owned()) {
        Entry::Occupied(there) => *there.get(),
        Entry::Vacant(free) => *free.insert(next),
    }
}

/// What counts were made of: the rules, the topic's filter, and each item with its text's state. The order does not matter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Basis {
    /// Rules and filter.
    rules: u64,
    items: [u64; 2],
}

impl Basis {
    /// Of no items yet, by these rules and this filter.
    #[must_use]
    pub fn new(rules: u8, filter: &TopicFilter) -> Self {
        let filter = serde_json::to_vec(filter).unwrap_or_default();
        let [rules, _] = halves(blake3::Hasher::new().update(&[rules, FORMAT]).update(&filter));
        Self { rules, items: [0; 2] }
    }

    /// Whether something was counted by the same rules and filter, of whatever items.
    #[must_use]
    pub fn is_of(&self, bytes: &[u8]) -> bool {
        bytes.starts_with(&self.rules.to_le_bytes())
    }

    pub fn add(&mut self, mark: &Mark) {
        let mut hasher = blake3::Hasher::new();
        let author = mark.author.as_deref().unwrap_or("");
        for part in [mark.key.as_str(), mark.cluster.as_str(), author] {
            hasher.update(&(part.len() as u64).to_le_bytes()).update(part.as_bytes());
        }
        hasher.update(&mark.edits.to_le_bytes()).update(&[u8::from(mark.pruned)]);
        let [a, b] = halves(&hasher);
        let [of_a, of_b] = self.items;
        self.items = [of_a.wrapping_add(a), of_b.wrapping_add(b)];
    }

    #[must_use]
    pub fn bytes(&self) -> Vec<u8> {
        [self.rules].iter().chain(&self.items).flat_map(|part| part.to_le_bytes()).collect()
    }
}

fn halves(hasher: &blake3::Hasher) -> [u64; 2] {
    let hash = hasher.finalize();
    let mut halves = [0_u64; 2];
    for (half, bytes) in halves.iter_mut().zip(hash.as_bytes().chunks(8)) {
        *half = bytes.iter().rev().fold(0, |sum, byte| sum << 8 | u64::from(*byte));
    }
    halves
}
