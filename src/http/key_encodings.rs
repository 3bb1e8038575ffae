//! The encodings in which a key may appear: plain, base64, hexadecimal. `key_redactor` finds them in a text, escaped or
//! not.

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD_NO_PAD, URL_SAFE_NO_PAD};

/// A longer key is recognised by this many bytes from its beginning.
const SHORTEST_BEGINNING: usize = 12;
/// Shorter base64 spellings may be words, too.
const SHORTEST_BASE64: usize = 8;

/// One encoding of the key, letter by letter.
pub(super) struct KeyEncoding {
    pub(super) letters: Vec<u8>,
    /// The number of letters from the beginning that are enough to recognise the key.
    pub(super) least: usize,
}

/// Returns the key plain, in hexadecimal digits, and in base64 at each of its three possible offsets. For base64, keeps
/// only the letters that depend on the key alone.
pub(super) fn key_encodings(key: &[u8]) -> Vec<KeyEncoding> {
    let least = key.len().min(SHORTEST_BEGINNING);
    let digits: String = key.iter().map(|byte| format!("{byte:02x}")).collect();
    let hex = |digits: String| KeyEncoding { letters: digits.into_bytes(), least: 2 * least };
    let mut all = vec![KeyEncoding { letters: key.to_vec(), least }, hex(digits.to_ascii_uppercase()), hex(digits)];
    all.extend(json_escapes(key));
    for before in 0..3 {
        let bytes = [&[0; 2][..before], key].concat();
        let from = (before * 8).div_ceil(6);
        let until = |bytes: usize| (before + bytes) * 8 / 6;
        for engine in [STANDARD_NO_PAD, URL_SAFE_NO_PAD] {
            let letters = engine.encode(&bytes).into_bytes();
            let letters = letters.get(from..until(key.len())).unwrap_or_default().to_vec();
            if letters.len() >= SHORTEST_BASE64 && all.iter().all(|other| other.letters != letters) {
                all.push(KeyEncoding { letters, least: until(least) - from });
            }
        }
    }
    all
}

/// A key with letters that are not ASCII as JSON may write it: `\u00e9`.
fn json_escapes(key: &[u8]) -> Vec<KeyEncoding> {
    let Ok(key) = std::str::from_utf8(key) else { return Vec::new() };
    if key.is_ascii() {
        return Vec::new();
    }
    let escaped = |escape: fn(u16) -> String| {
        let letter = |unit: u16| match u8::try_from(unit) {
            Ok(byte) if byte.is_ascii() => char::from(byte).to_string(),
            _ => escape(unit),
        };
        let letters = key.encode_utf16().map(letter).collect::<String>().into_bytes();
        KeyEncoding { least: letters.len(), letters }
    };
    vec![escaped(|unit| format!("\\u{unit:04x}")), escaped(|unit| format!("\\u{unit:04X}"))]
}
