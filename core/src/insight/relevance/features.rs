//! What the ranker looks at in an item: which words it holds, as hashes, and how many words of the topic's question.

/// Words of an item that are looked at.
const MOST_WORDS: usize = 512;

/// An item as the ranker sees it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Features {
    /// Hashes of its words, each once, in order.
    pub(super) words: Vec<u64>,
    /// How many words of the question it holds, up to [`GROUPS`] - 1.
    pub(super) asked: usize,
}

/// Items are told apart by 0, 1, 2, or more words of the question.
pub(super) const GROUPS: usize = 4;

impl Features {
    /// Of its words, in any order, and how many words of the question it holds.
    pub fn of<'a>(words: impl IntoIterator<Item = &'a str>, asked: usize) -> Self {
        let mut words: Vec<u64> = words.into_iter().take(MOST_WORDS).map(hash).collect();
        words.sort_unstable();
        words.dedup();
        Self { words, asked: asked.min(GROUPS - 1) }
    }
}

/// FNV-1a: the same on every machine and in every version.
fn hash(word: &str) -> u64 {
    word.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}
