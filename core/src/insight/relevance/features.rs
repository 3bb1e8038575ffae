//! The features of an item that the ranker uses: hashes of its words, and how many words of the topic's question it
//! contains.

/// The most words of an item that are used.
const MOST_WORDS: usize = 512;

/// The features of an item.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Features {
    /// Hashes of its words, sorted, each once.
    pub(super) words: Vec<u64>,
    /// How many words of the question it contains, up to [`GROUPS`] - 1.
    pub(super) asked: usize,
}

/// Items are grouped by 0, 1, 2, or more words of the question.
pub(super) const GROUPS: usize = 4;

impl Features {
    /// From its words, in any order, and how many words of the question it contains.
    pub fn of<'a>(words: impl IntoIterator<Item = &'a str>, query_word_count: usize) -> Self {
        let mut words: Vec<u64> = words.into_iter().take(MOST_WORDS).map(hash).collect();
        words.sort_unstable();
        words.dedup();
        Self { words, asked: query_word_count.min(GROUPS - 1) }
    }
}

/// FNV-1a: the same on every machine and in every version.
pub(super) fn hash(word: &str) -> u64 {
    word.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}
