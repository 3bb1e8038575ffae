//! Folds text for the search: removes case, accents and variant spellings of a letter. Looser than the fold of
//! identity: it may map different texts to the same one.

use unicode_normalization::UnicodeNormalization;

use super::super::decode_entities;
use super::super::text::is_invisible;

/// Folds a text: entities decoded, NFKD, lower case, accents removed, and letters that people type as others replaced.
pub(super) fn fold(text: &str) -> String {
    let text = decode_entities(text);
    if text.is_ascii() {
        return text.chars().filter(|c| !is_invisible(*c)).map(|c| c.to_ascii_lowercase()).collect();
    }
    let mut folded = String::with_capacity(text.len());
    let mut base = ' ';
    // NFKD would make `acmetm` of `Acme™`.
    let plain = text.chars().map(|c| if matches!(c, '™' | '℠') { ' ' } else { c });
    // Lower-casing may produce a mark (`İ`), so do it before accents are removed.
    let letters = plain.filter(|c| !is_invisible(*c)).nfkd().filter(|c| !is_invisible(*c));
    for c in letters.flat_map(char::to_lowercase) {
        // Cyrillic й is a letter of its own, not и with an accent.
        if is_accent(c) && !(base == 'и' && c == '\u{306}') {
            continue;
        }
        base = c;
        match c {
            'ß' => folded.push_str("ss"),
            'æ' => folded.push_str("ae"),
            'œ' => folded.push_str("oe"),
            'ø' => folded.push('o'),
            'ł' => folded.push('l'),
            'đ' => folded.push('d'),
            'ı' => folded.push('i'),
            'ς' => folded.push('σ'),
            // A letter in Unicode, but written for the apostrophe.
            'ʼ' => folded.push('\''),
            _ => folded.push(c),
        }
    }
    // Recompose Hangul syllables and voiced kana: they are letters.
    folded.nfc().collect()
}

/// Whether a mark is one that people often omit: accents of Latin, Greek and Cyrillic, Hebrew points, Arabic vowel
/// signs and tatweel. Marks that make another letter or syllable, as in Indic scripts, stay.
fn is_accent(c: char) -> bool {
    matches!(c,
        '\u{300}'..='\u{36F}' | '\u{1AB0}'..='\u{1AFF}' | '\u{1DC0}'..='\u{1DFF}' | '\u{20D0}'..='\u{20FF}'
        | '\u{FE20}'..='\u{FE2F}' | '\u{591}'..='\u{5BD}' | '\u{5BF}' | '\u{5C1}'..='\u{5C2}' | '\u{5C4}'..='\u{5C5}'
        | '\u{5C7}' | '\u{610}'..='\u{61A}' | '\u{640}' | '\u{64B}'..='\u{65F}' | '\u{670}' | '\u{6D6}'..='\u{6DC}'
        | '\u{6DF}'..='\u{6E4}' | '\u{6E7}'..='\u{6E8}' | '\u{6EA}'..='\u{6ED}')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn equivalent_spellings_fold_to_one_text() {
        for (text, folded) in [
            ("CAFÉ cafe\u{301} Cafe", "cafe cafe cafe"),
            ("Straße STRASSE STRAẞE", "strasse strasse strasse"),
            ("İstanbul ISTANBUL ıstanbul", "istanbul istanbul istanbul"),
            ("Łódź Ørsted Æsir œuvre Đà Nẵng", "lodz orsted aesir oeuvre da nang"),
            ("ＲＵＳＴ ﬁne ①", "rust fine 1"),
            ("Ёлка йод", "елка йод"),
            ("ΟΔΟΣ Άνοιξη", "οδοσ ανοιξη"),
            ("مُحَمَّد أحمـــد", "محمد احمد"),
            ("שָׁלוֹם", "שלום"),
            ("ｶﾞｲﾄﾞ がいど", "ガイド がいど"),
            ("한국어 \u{1112}\u{1161}\u{11ab}", "한국어 한"),
            ("हिन्दी ที่", "हिन्दी ที่"),
            ("Acme™s ACME℠ ®", "acme s acme  ®"),
            ("AT&amp;T don&#39;t &rsquo; R&D", "at&t don't ’ r&d"),
            ("Oʼzbek", "o'zbek"),
        ] {
            assert_eq!(fold(text), folded, "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn folding_twice_changes_nothing(text in "(\\PC|[\\x00-\\x20]|[\u{300}-\u{345}]|\u{200d}|[A-Z\u{130}\u{3a3}йßﬁ]){0,24}") {
            let once = fold(&text);
            prop_assert_eq!(&fold(&once), &once);
        }
    }
}
