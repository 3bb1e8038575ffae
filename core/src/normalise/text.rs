//! Folded text, the form in which texts are compared for identity. Never shown. No linguistics: no stemming, no
//! language, no transliteration.

use unicode_normalization::UnicodeNormalization;

/// Hexadecimal digits of a text's digest: 128 bits, enough to rule out chance collisions.
const DIGEST_DIGITS: usize = 32;

/// Folds a text: NFKC, lower case, white space collapsed and trimmed, invisible characters removed. Idempotent.
///
/// Lower-cases each character alone, without the context rule for a final sigma (`ς` becomes `σ`), so that a text folds
/// the same whatever follows it.
#[must_use]
pub fn fold(text: &str) -> String {
    if text.is_ascii() {
        // ASCII characters neither compose nor decompose.
        let lowered = text.chars().filter(|c| !is_invisible(*c)).map(|c| c.to_ascii_lowercase());
        return collapsed(lowered, text.len());
    }
    // Remove invisible characters first: two characters that they separate may compose. NFKC may produce new ones
    // (U+FFA0 becomes U+1160), and lower-casing may require composing again: hence the second round.
    let lowered = text
        .chars()
        .filter(|c| !is_invisible(*c))
        .nfkc()
        .filter(|c| !is_invisible(*c))
        .flat_map(char::to_lowercase)
        .map(|c| if c == 'ς' { 'σ' } else { c });
    collapsed(lowered.nfkc(), text.len())
}

/// Collapses white space to single spaces and trims.
fn collapsed(text: impl Iterator<Item = char>, length: usize) -> String {
    let mut out = String::with_capacity(length);
    let mut gap = false;
    for c in text {
        if c.is_whitespace() {
            gap = !out.is_empty();
        } else {
            if std::mem::take(&mut gap) {
                out.push(' ');
            }
            out.push(c);
        }
    }
    out
}

/// The digest of a folded text.
pub(super) fn digest(folded: &str) -> String {
    let mut hex = blake3::hash(folded.as_bytes()).to_hex().to_string();
    hex.truncate(DIGEST_DIGITS);
    hex
}

/// Whether a character is a control other than white space, or invisible: joiners, direction marks, fillers, variation
/// selectors, tags (Default_Ignorable_Code_Point and category Cc). Listed here so that a newer Unicode version cannot
/// change a key.
pub(super) fn is_invisible(c: char) -> bool {
    (c.is_control() && !c.is_whitespace())
        || matches!(c,
            '\u{AD}' | '\u{34F}' | '\u{61C}' | '\u{115F}'..='\u{1160}' | '\u{17B4}'..='\u{17B5}'
            | '\u{180B}'..='\u{180F}' | '\u{200B}'..='\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2060}'..='\u{206F}'
            | '\u{3164}' | '\u{FE00}'..='\u{FE0F}' | '\u{FEFF}' | '\u{FFA0}' | '\u{FFF0}'..='\u{FFFB}'
            | '\u{1BCA0}'..='\u{1BCA3}' | '\u{1D173}'..='\u{1D17A}' | '\u{E0000}'..='\u{E0FFF}')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn spellings_that_look_alike_fold_to_one_text() {
        for (text, expected) in [
            ("  Hello\t\r\n  WORLD ", "hello world"),
            ("ﬁne ＲＵＳＴ①", "fine rust1"),
            ("caf\u{e9} cafe\u{301} cafe\u{200d}\u{301}", "café café café"),
            ("zero\u{200b}width\u{feff} b\u{202e}idi", "zerowidth bidi"),
            ("ΟΔΟΣ οδος", "οδοσ οδοσ"),
            ("❤\u{fe0f} \u{a0}\u{3000}ok", "❤ ok"),
            ("\u{ffa0}\u{1}\u{0}", ""),
            ("İstanbul", "i\u{307}stanbul"),
        ] {
            assert_eq!(fold(text), expected, "{text:?}");
        }
    }

    #[test]
    fn folding_any_single_character_twice_changes_nothing() {
        for c in ('\0'..='\u{1FFFF}').chain('\u{E0000}'..='\u{E1000}') {
            // Between letters, to test composition and white space too.
            let once = fold(&format!("a{c}b"));
            assert_eq!(fold(&once), once, "U+{:04X}", u32::from(c));
        }
    }

    #[test]
    fn a_digest_has_a_fixed_length_and_depends_on_the_text() {
        assert_eq!(digest("").len(), DIGEST_DIGITS);
        assert_ne!(digest("a"), digest("b"));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(400))]
        #[test]
        fn folding_twice_changes_nothing(text in "(\\PC|[\\x00-\\x20]|[\u{300}-\u{345}]|\u{200d}|[A-Z\u{130}\u{3a3}]){0,24}") {
            let once = fold(&text);
            prop_assert_eq!(&fold(&once), &once);
            prop_assert_eq!(once.trim(), once.as_str());
        }
    }
}
