//! The stored term counts of a day: for each term, as a hash, how many people used it. No word can be read back. The
//! basis identifies the items that were counted, so outdated counts are recognised.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use crate::insight::normalize_author;
use crate::model::{CountedItem, TopicFilter};

/// Version of the encoding.
const FORMAT: u8 = 1;
/// Bits of a term's hash: with a million stored terms and a thousand looked up, two collide once in a thousand days.
const BITS: u32 = 40;

/// The hash of a term. Written out here because stored counts must not depend on a library's version.
pub(super) fn hash(term: &str) -> u64 {
    let sum =
        term.bytes().fold(0xCBF2_9CE4_8422_2325_u64, |sum, b| (sum ^ u64::from(b)).wrapping_mul(0x0100_0000_01B3));
    let mixed = (sum ^ (sum >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    (mixed ^ (mixed >> 31)) >> (64 - BITS)
}

/// Returns who an item counts for: its author; for a page without an author, its site; otherwise its near-copy cluster.
#[must_use]
pub fn speaker_of(mark: &CountedItem) -> String {
    let site = || {
        let (_, rest) = mark.url.as_deref()?.split_once("://")?;
        let host = rest.split(['/', '?', '#']).next().filter(|host| !host.is_empty())?;
        Some(host.strip_prefix("www.").unwrap_or(host).to_owned())
    };
    mark.author.as_deref().map(normalize_author).or_else(site).unwrap_or_else(|| mark.cluster.clone())
}

/// How many people used each term on a day.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DayTerms {
    /// The number of different texts or of different people, whichever is smaller.
    pub texts: u64,
    /// Hash and count, sorted by hash.
    counts: Vec<(u64, u64)>,
}

impl DayTerms {
    /// How many people used a term.
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

    /// Encodes as bytes: the differences between hashes, and the counts other than 1.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(self.counts.len() * 5 + 12);
        bytes.push(FORMAT);
        write_leb128(&mut bytes, self.texts);
        write_leb128(&mut bytes, self.counts.len() as u64);
        let mut before = 0;
        for (hash, many) in &self.counts {
            write_leb128(&mut bytes, (hash - before) << 1 | u64::from(*many > 1));
            if *many > 1 {
                write_leb128(&mut bytes, *many);
            }
            before = *hash;
        }
        bytes
    }

    /// Decodes bytes; `None` if they are of another version or damaged.
    #[must_use]
    pub fn decode(bytes: &[u8]) -> Option<Self> {
        let (format, mut rest) = bytes.split_first()?;
        if *format != FORMAT {
            return None;
        }
        let texts = take(&mut rest)?;
        let many = usize::try_from(take(&mut rest)?).ok()?;
        // Each count takes at least one byte, so a wrong length cannot reserve more.
        let mut counts = Vec::with_capacity(many.min(rest.len()));
        let mut before = 0_u64;
        for _ in 0..many {
            let step = take(&mut rest)?;
            let count = if step & 1 == 1 { take(&mut rest)? } else { 1 };
            before = before.checked_add(step >> 1)?;
            counts.push((before, count));
        }
        rest.is_empty().then_some(Self { texts, counts })
    }
}

/// Appends a number as LEB128.
fn write_leb128(bytes: &mut Vec<u8>, mut number: u64) {
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
    /// Starts an item with its near-copy cluster, or its own key, and its voice.
    pub fn item(&mut self, cluster: &str, voice: &str) {
        self.current = (numbered(&mut self.texts, cluster), numbered(&mut self.voices, voice));
    }

    /// Adds a term of the current item.
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
        DayTerms { texts: self.texts.len().min(self.voices.len()) as u64, counts }
    }
}

fn numbered(all: &mut HashMap<String, u32>, name: &str) -> u32 {
    if let Some(number) = all.get(name) {
        return *number;
    }
    let next = u32::try_from(all.len()).unwrap_or(u32::MAX);
    match all.entry(name.to_owned()) {
        Entry::Occupied(occupied) => *occupied.get(),
        Entry::Vacant(vacant) => *vacant.insert(next),
    }
}

/// Identifies what was counted: the rules, the topic's filter and each item with the state of its text, in any order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Basis {
    /// Rules and filter.
    rules: u64,
    items: [u64; 2],
}

impl Basis {
    /// A basis without items, for these rules and this filter.
    #[must_use]
    pub fn new(rules: u8, filter: &TopicFilter) -> Self {
        let filter = serde_json::to_vec(filter).unwrap_or_default();
        let [rules, _] = hash_halves(blake3::Hasher::new().update(&[rules, FORMAT]).update(&filter));
        Self { rules, items: [0; 2] }
    }

    /// Whether stored counts have the same rules and filter, whatever their items.
    #[must_use]
    pub fn is_of(&self, bytes: &[u8]) -> bool {
        bytes.starts_with(&self.rules.to_le_bytes())
    }

    pub fn add(&mut self, mark: &CountedItem) {
        let mut hasher = blake3::Hasher::new();
        let author = mark.author.as_deref().unwrap_or("");
        for part in [mark.key.as_str(), mark.cluster.as_str(), author] {
            hasher.update(&(part.len() as u64).to_le_bytes()).update(part.as_bytes());
        }
        hasher.update(&mark.changes.to_le_bytes()).update(&[u8::from(mark.pruned)]);
        let [a, b] = hash_halves(&hasher);
        let [of_a, of_b] = self.items;
        self.items = [of_a.wrapping_add(a), of_b.wrapping_add(b)];
    }

    #[must_use]
    pub fn bytes(&self) -> Vec<u8> {
        [self.rules].iter().chain(&self.items).flat_map(|part| part.to_le_bytes()).collect()
    }
}

fn hash_halves(hasher: &blake3::Hasher) -> [u64; 2] {
    let hash = hasher.finalize();
    let mut halves = [0_u64; 2];
    for (half, bytes) in halves.iter_mut().zip(hash.as_bytes().chunks(8)) {
        *half = bytes.iter().rev().fold(0, |sum, byte| sum << 8 | u64::from(*byte));
    }
    halves
}
