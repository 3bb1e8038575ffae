//! Detects a text's language: by script, then by common words and letters, and if these do not decide by trigrams
//! (`whatlang`), which are ten times slower. Rejects a text only if it is clearly in another language; the default is
//! English.

use whatlang::{Detector, Lang as Trigram};

use super::Lang;
use super::lexicon::lexicon;
use super::other_languages::OTHERS;
use super::text::{Kind, TokenizedText};

/// The detected language of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Detected {
    /// The language whose words and weights are used.
    pub lang: Lang,
    /// The language's code (ISO 639-1 if there is one); `und` if the text has no words.
    pub code: &'static str,
    /// Whether the model supports the language.
    pub supported: bool,
}

/// Minimum number of words for trigrams to be reliable.
const ENOUGH_WORDS: u32 = 4;

/// Size of the array of hits: the number of languages with word lists, with room for more.
const TONGUES: usize = 64;

/// The number of bytes of a text used for trigrams.
const MAX_BYTES: usize = 300;

/// Candidate languages for trigrams when the script is Latin.
const LATIN: [Trigram; 25] = [
    Trigram::Eng,
    Trigram::Deu,
    Trigram::Fra,
    Trigram::Ita,
    Trigram::Por,
    Trigram::Spa,
    Trigram::Nld,
    Trigram::Swe,
    Trigram::Dan,
    Trigram::Nob,
    Trigram::Fin,
    Trigram::Tur,
    Trigram::Pol,
    Trigram::Ces,
    Trigram::Slk,
    Trigram::Ron,
    Trigram::Ind,
    Trigram::Tgl,
    Trigram::Vie,
    Trigram::Cat,
    Trigram::Hun,
    Trigram::Hrv,
    Trigram::Est,
    Trigram::Lit,
    Trigram::Lav,
];

/// Detects the language of a text.
#[must_use]
pub fn detect(reading: &TokenizedText) -> Detected {
    let (mut latin, mut arabic, mut persian, mut other) = (0u32, 0u32, 0u32, 0u32);
    for c in reading.tokens.iter().filter(|t| t.kind == Kind::Word).flat_map(|t| reading.of(t).chars()) {
        match c {
            'a'..='z' | '\u{c0}'..='\u{24f}' | '\u{1e00}'..='\u{1eff}' => latin += 1,
            '\u{67e}' | '\u{686}' | '\u{698}' | '\u{6a9}' | '\u{6af}' | '\u{6cc}' | '\u{679}' | '\u{688}'
            | '\u{691}' | '\u{6ba}' | '\u{6be}' | '\u{6c1}' | '\u{6d2}' => {
                arabic += 1;
                persian += 1;
            }
            '\u{600}'..='\u{6ff}' | '\u{750}'..='\u{77f}' => arabic += 1,
            _ if c.is_alphabetic() => other += 1,
            _ => {}
        }
    }
    if latin + arabic + other == 0 {
        // Emoji mean the same in every language. Marks, links, names and numbers alone have no tone.
        let supported = reading.tokens.iter().any(|t| matches!(t.kind, Kind::Emoji | Kind::Emoticon));
        return Detected { lang: Lang::English, code: "und", supported };
    }
    if other > latin + arabic {
        return Detected { lang: Lang::English, code: unsupported_code(reading, None), supported: false };
    }
    if arabic > latin {
        let persian = persian > 2 && persian * 12 > arabic;
        return if persian {
            Detected {
                lang: Lang::Arabic,
                code: unsupported_code(reading, Some(&[Trigram::Pes, Trigram::Urd])),
                supported: false,
            }
        } else {
            supported(Lang::Arabic)
        };
    }
    by_words(reading)
}

fn supported(lang: Lang) -> Detected {
    Detected { lang, code: lang.code(), supported: true }
}

/// Language evidence in a text of Latin letters.
#[derive(Debug, Clone, Copy)]
struct LanguageEvidence {
    /// Common words found, per language: first `Lang::ALL`, then `OTHERS`.
    hits: [u32; TONGUES],
    /// Number of words, without numbers.
    words: u32,
    /// Words with a letter that no supported language uses.
    strange: u32,
    /// Words with a letter that English does not use.
    accented: u32,
    /// Words with `ä`, `ö`, `ü` or `ß` and no other non-ASCII letter.
    umlauts: u32,
}

impl LanguageEvidence {
    fn of(reading: &TokenizedText) -> Self {
        let lexicon = lexicon();
        let mut spoken = Self { hits: [0; TONGUES], words: 0, strange: 0, accented: 0, umlauts: 0 };
        for token in reading.tokens.iter().filter(|t| t.kind == Kind::Word) {
            let word = reading.of(token);
            if word.starts_with(|c: char| c.is_ascii_digit()) {
                continue;
            }
            spoken.words += 1;
            if !word.is_ascii() {
                spoken.accented += 1;
                // `vergüenza` is Spanish.
                let spanish = word.contains("güe") || word.contains("güi");
                spoken.umlauts += u32::from(word.chars().all(|c| c.is_ascii() || is_umlaut(c)) && !spanish);
                spoken.strange += u32::from(word.chars().any(|c| c.is_alphabetic() && !is_supported_letter(c)));
            }
            let mut bits = lexicon.common(token.hash);
            if bits == 0 && ends_in_german(word) {
                bits = 1 << Lang::German as u32;
            }
            while bits != 0 {
                if let Some(hit) = spoken.hits.get_mut(bits.trailing_zeros() as usize) {
                    *hit += 1;
                }
                bits &= bits - 1;
            }
        }
        spoken
    }

    /// The supported and the other language with the most hits; on a tie the first.
    fn best(&self) -> ((usize, u32), (usize, u32)) {
        let (supported, others) = self.hits.split_at(Lang::ALL.len());
        let best = |hits: &[u32]| {
            hits.iter().copied().enumerate().max_by_key(|(at, n)| (*n, usize::MAX - at)).unwrap_or((0, 0))
        };
        (best(supported), best(others))
    }
}

/// Endings of German words that are rare in the other languages. A headline may have no other evidence.
const GERMAN_ENDINGS: [&str; 22] = [
    "ungen", "tung", "dung", "lung", "rung", "keit", "keiten", "heiten", "schaft", "schaften", "ieren", "ierte",
    "ierten", "liche", "licher", "lichen", "liches", "ische", "ischer", "isches", "ischen", "zeiten",
];

/// Whether a word of at least eight bytes has a German ending.
fn ends_in_german(word: &str) -> bool {
    word.len() >= 8 && GERMAN_ENDINGS.iter().any(|ending| word.ends_with(ending))
}

fn is_umlaut(c: char) -> bool {
    matches!(c, 'ä' | 'ö' | 'ü' | 'ß')
}

/// Whether a supported language uses the letter. Texts are composed, so an accent is not a letter of its own.
fn is_supported_letter(c: char) -> bool {
    matches!(c, 'a'..='z' | 'à'..='ä' | 'æ'..='ï' | 'ñ'..='ö' | 'ù'..='ü' | 'ÿ' | 'œ' | 'ß')
}

/// Detects the language of a Latin text by common words. A supported language is accepted at once if it alone has the
/// most hits and they are not rare; another language if it is at least two hits ahead, or if the text has letters that
/// no supported language uses. Otherwise uses trigrams, for texts of several words and those with letters that English
/// does not use. Trigrams must be reliable to overrule all words. The default is English.
fn by_words(reading: &TokenizedText) -> Detected {
    let spoken = LanguageEvidence::of(reading);
    let ((lang, top_supported), (other, top_other)) = spoken.best();
    let lang = Lang::ALL.get(lang).copied().unwrap_or(Lang::English);
    let other = OTHERS.get(other).map_or("und", |(code, _)| code);
    let away = |code| Detected { lang: Lang::English, code, supported: false };
    let words = spoken.words;
    let supported_hits = spoken.hits.get(..Lang::ALL.len()).unwrap_or(&[]);
    let ahead = top_supported > top_other && supported_hits.iter().filter(|n| **n == top_supported).count() == 1;
    // A supported language clearly leads; two foreign names do not change it.
    let named = ahead && top_supported >= 2 && top_supported * 4 >= words;
    if spoken.strange >= 2 && spoken.strange * 5 >= words && !named {
        let others: Vec<Trigram> = LATIN.into_iter().filter(|lang| of_trigram(*lang).is_none()).collect();
        return away(if top_other > top_supported { other } else { unsupported_code(reading, Some(&others)) });
    }
    if ahead && (top_supported * 4 >= words || top_supported >= 2 && top_supported * 8 >= words) {
        return supported(lang);
    }
    let is_short = words < ENOUGH_WORDS;
    // "Lächerlich": no common word, but of the supported languages only German has these letters.
    if is_short
        && top_supported == 0
        && top_other == 0
        && spoken.umlauts * 2 > words
        && spoken.umlauts == spoken.accented
    {
        return supported(Lang::German);
    }
    let frequent = top_other * 5 >= words;
    if frequent && top_other > top_supported + 1 || is_short && top_other > top_supported.max(1) {
        return away(other);
    }
    let accented = words > 1 && spoken.accented * 4 >= words;
    if is_short && !accented {
        return supported(lang);
    }
    let Some(found) = Detector::with_allowlist(LATIN.to_vec()).detect(&sample(reading)) else {
        return supported(lang);
    };
    let reliable = found.is_reliable() && !is_short;
    match of_trigram(found.lang()) {
        Some(trigram) if reliable && top_supported <= 1 => supported(trigram),
        Some(trigram)
            if supported_hits.get(trigram as usize) == Some(&top_supported)
                && (reliable || accented || top_supported > 0 && lang != Lang::English) =>
        {
            supported(trigram)
        }
        None if reliable && top_supported <= 1 || frequent && top_other >= top_supported + u32::from(!reliable) => {
            away(code(found.lang()))
        }
        _ => supported(lang),
    }
}

/// The code of an unsupported language, detected by trigrams.
fn unsupported_code(reading: &TokenizedText, among: Option<&[Trigram]>) -> &'static str {
    let detector = among.map_or_else(Detector::new, |among| Detector::with_allowlist(among.to_vec()));
    detector.detect(&sample(reading)).map_or("und", |found| code(found.lang()))
}

/// The words of the text, limited in length.
fn sample(reading: &TokenizedText) -> String {
    let mut sample = String::with_capacity(MAX_BYTES + 32);
    for token in reading.tokens.iter().filter(|t| t.kind == Kind::Word) {
        if sample.len() > MAX_BYTES {
            break;
        }
        sample.extend(reading.of(token).chars().take(40));
        sample.push(' ');
    }
    sample
}

fn of_trigram(lang: Trigram) -> Option<Lang> {
    Lang::ALL.iter().copied().find(|known| known.code() == code(lang))
}

/// The code of a language, two letters if there are two. The language tags of services use these too.
fn code(lang: Trigram) -> &'static str {
    match lang {
        Trigram::Eng => "en",
        Trigram::Deu => "de",
        Trigram::Fra => "fr",
        Trigram::Ita => "it",
        Trigram::Por => "pt",
        Trigram::Spa => "es",
        Trigram::Nld => "nl",
        Trigram::Swe => "sv",
        Trigram::Dan => "da",
        Trigram::Nob => "nb",
        Trigram::Fin => "fi",
        Trigram::Tur => "tr",
        Trigram::Pol => "pl",
        Trigram::Ces => "cs",
        Trigram::Slk => "sk",
        Trigram::Ron => "ro",
        Trigram::Ind => "id",
        Trigram::Tgl => "tl",
        Trigram::Vie => "vi",
        Trigram::Cat => "ca",
        Trigram::Hun => "hu",
        Trigram::Hrv => "hr",
        Trigram::Est => "et",
        Trigram::Lit => "lt",
        Trigram::Lav => "lv",
        Trigram::Rus => "ru",
        Trigram::Ukr => "uk",
        Trigram::Bul => "bg",
        Trigram::Srp => "sr",
        Trigram::Mkd => "mk",
        Trigram::Bel => "be",
        Trigram::Ell => "el",
        Trigram::Heb => "he",
        Trigram::Yid => "yi",
        Trigram::Pes => "fa",
        Trigram::Urd => "ur",
        Trigram::Hin => "hi",
        Trigram::Mar => "mr",
        Trigram::Nep => "ne",
        Trigram::Ben => "bn",
        Trigram::Tam => "ta",
        Trigram::Tel => "te",
        Trigram::Tha => "th",
        Trigram::Jpn => "ja",
        Trigram::Kor => "ko",
        Trigram::Cmn => "zh",
        other => other.code(),
    }
}
