//! The word lists of `language_words` as hash tables, built at first use.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::sync::OnceLock;

use super::Lang;
use super::language_words::{BAD_EMOJI, BAD_EMOTICONS, GOOD_EMOJI, GOOD_EMOTICONS, WORDS};
use super::other_languages::OTHERS;
use super::text::{self, FNV, FNV_PRIME};

/// The entry of a word in a language.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Entry {
    /// Whether it negates the words after it.
    pub(super) negates: bool,
    /// 1 for praise, -1 for blame, otherwise 0.
    pub(super) polarity: i8,
}

/// Minimum length in bytes of a prefix that ends in `*`.
const SHORTEST_PREFIX: usize = 3;
/// Maximum length in bytes of such a prefix.
const LONGEST_PREFIX: usize = 14;

/// A hasher for keys that are hashes already.
#[derive(Debug, Default, Clone)]
struct IdentityHasher(u64);

impl Hasher for IdentityHasher {
    fn finish(&self) -> u64 {
        self.0
    }
    fn write(&mut self, bytes: &[u8]) {
        self.0 = text::hash(bytes);
    }
    fn write_u64(&mut self, hash: u64) {
        self.0 = hash ^ (hash >> 29);
    }
}

type Map<T> = HashMap<u64, T, BuildHasherDefault<IdentityHasher>>;

pub(super) struct Lexicon {
    /// For each word, a bit set of the languages in which it is common.
    common: Map<u64>,
    /// Entries by word and language.
    words: Map<Entry>,
    prefixes: Map<Entry>,
    /// Polarities of emoji and emoticons.
    signs: Map<i8>,
}

/// The lexicon, built at the first call.
pub(super) fn lexicon() -> &'static Lexicon {
    static LEXICON: OnceLock<Lexicon> = OnceLock::new();
    LEXICON.get_or_init(Lexicon::build)
}

/// The key of a word in a language.
fn key(hash: u64, lang: Lang) -> u64 {
    hash ^ (lang as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

impl Lexicon {
    fn build() -> Self {
        let mut lexicon =
            Self { common: Map::default(), words: Map::default(), prefixes: Map::default(), signs: Map::default() };
        let commons = WORDS.iter().map(|words| words.common).chain(OTHERS.iter().map(|(_, common)| *common));
        for (tongue, common) in commons.enumerate() {
            for word in common.split_whitespace() {
                *lexicon.common.entry(text::hash(word.as_bytes())).or_default() |= 1 << tongue;
            }
        }
        for words in WORDS {
            for word in words.negators.split_whitespace() {
                lexicon.entry(word, words.lang).negates = true;
            }
            for (list, polarity) in [(words.good, 1), (words.bad, -1)] {
                for word in list.split_whitespace() {
                    lexicon.entry(word, words.lang).polarity = polarity;
                }
            }
        }
        for (list, polarity) in [(GOOD_EMOJI, 1), (BAD_EMOJI, -1)] {
            for emoji in list.chars() {
                lexicon.signs.insert(text::hash(emoji.encode_utf8(&mut [0; 4]).as_bytes()), polarity);
            }
        }
        for (list, polarity) in [(GOOD_EMOTICONS, 1), (BAD_EMOTICONS, -1)] {
            for name in list {
                lexicon.signs.insert(text::hash(name.as_bytes()), polarity);
            }
        }
        lexicon
    }

    fn entry(&mut self, word: &str, lang: Lang) -> &mut Entry {
        match word.strip_suffix('*') {
            Some(prefix) => self.prefixes.entry(key(text::hash(prefix.as_bytes()), lang)).or_default(),
            None => self.words.entry(key(text::hash(word.as_bytes()), lang)).or_default(),
        }
    }

    /// A bit set of the languages in which the word is common, in the order of `WORDS`, then `OTHERS`.
    pub(super) fn common(&self, hash: u64) -> u64 {
        self.common.get(&hash).copied().unwrap_or(0)
    }

    /// The entry of a word. Without a polarity of its own, it gets that of its longest listed prefix.
    pub(super) fn of(&self, word: &str, hash: u64, lang: Lang) -> Entry {
        let mut found = self.words.get(&key(hash, lang)).copied().unwrap_or_default();
        if found.polarity != 0 {
            return found;
        }
        let mut rolling = FNV;
        for (at, byte) in word.bytes().take(LONGEST_PREFIX).enumerate() {
            rolling = (rolling ^ u64::from(byte)).wrapping_mul(FNV_PRIME);
            if at + 1 >= SHORTEST_PREFIX
                && let Some(entry) = self.prefixes.get(&key(rolling, lang))
            {
                found.polarity = entry.polarity;
            }
        }
        found
    }

    /// The polarity of an emoji or emoticon; 0 if unknown.
    pub(super) fn sign(&self, hash: u64) -> i8 {
        self.signs.get(&hash).copied().unwrap_or(0)
    }
}
