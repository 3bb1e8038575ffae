//! The ways in which a key may be written down without being itself: in base64, in hexadecimal digits. Finding them in a text,
//! escaped or not, is `scrub`'s.

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD_NO_PAD, URL_SAFE_NO_PAD};

/// Characters of the beginning of a longer key that are taken for the key.
const SHORTEST_BEGINNING: usize = 12;
/// Shorter spellings in base64 are words, too.
const SHORTEST_BASE64: usize = 8;

/// A way to write the key down, letter by letter.
pub(super) struct Spelling {
    pub(super) letters: Vec<u8>,
    /// So many of them from the beginning are taken for the key.
    pub(super) least: usize,
}

/// The key as it is, as hexadecimal digits, and as base64 in each of the three places where it can stand among the bytes
/// that are written; of base64, the letters that depend on the key alone.
pub(super) fn spellings(key: &[u8]) -> Vec<Spelling> {
    let least = key.len().min(SHORTEST_BEGINNING);
    let digits: String = key.iter().map(|byte| format!("{byte:02x}")).collect();
    let hex = |digits: String| Spelling { letters: digits.into_bytes(), least: 2 * least };
    let mut all = vec![Spelling { letters: key.to_vec(), least }, hex(digits.to_ascii_uppercase()), hex(digits)];
    for before in 0..3 {
        let bytes = [&[0; 2][..before], key].concat();
        let from = (before * 8).div_ceil(6);
        let until = |bytes: usize| (before + bytes) * 8 / 6;
        for engine in [STANDARD_NO_PAD, URL_SAFE_NO_PAD] {
            let letters = engine.encode(&bytes).into_bytes();
            let letters = letters.get(from..until(key.len())).unwrap_or_default().to_vec();
            if letters.len() >= SHORTEST_BASE64 && all.iter().all(|other| other.letters != letters) {
                all.push(Spelling { letters, least: until(least) - from });
            }
        }
    }
    all
}
