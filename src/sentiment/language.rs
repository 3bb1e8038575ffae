//! In which language a text is: by its script, then by the most common words, and where those do not decide by trigrams
//! (`whatlang`), which are ten times slower. Short texts are given the benefit of the doubt: only a text that clearly is
//! in another language is turned away.

use whatlang::{Detector, Lang as Trigram};

use super::Lang;
use super::lexicon::lexicon;
use super::text::{Kind, Reading};
use super::words::OTHERS;

/// A text's language.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Detected {
    /// The one whose words and weights are used.
    pub lang: Lang,
    /// Its code (ISO 639-1 where there is one), `und` when there are no words.
    pub code: &'static str,
    /// Whether the model was trained on it.
    pub supported: bool,
}

/// Words that trigrams need to be believed against a language we know.
const ENOUGH_WORDS: usize = 4;

/// Bytes of a text that trigrams look at.
const LOOKED_AT: usize = 300;

/// Languages that trigrams choose from, when the script is Latin.
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

/// Says in which language a text is.
#[must_use]
pub fn detect(reading: &Reading) -> Detected {
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
        // Pictures, links, numbers: they mean the same everywhere.
        return Detected { lang: Lang::English, code: "und", supported: !reading.tokens.is_empty() };
    }
    if other > latin + arabic {
        return Detected { lang: Lang::English, code: foreign(reading, None), supported: false };
    }
    if arabic > latin {
        let persian = persian > 2 && persian * 12 > arabic;
        return if persian {
            Detected {
                lang: Lang::Arabic,
                code: foreign(reading, Some(&[Trigram::Pes, Trigram::Urd])),
                supported: false,
            }
        } else {
            known(Lang::Arabic)
        };
    }
    by_words(reading)
}

fn known(lang: Lang) -> Detected {
    Detected { lang, code: lang.code(), supported: true }
}

/// Latin script: the tongue most of whose common words are there.
fn by_words(reading: &Reading) -> Detected {
    const TONGUES: usize = 32;
    let lexicon = lexicon();
    let (mut hits, mut words) = ([0u32; TONGUES], 0usize);
    for token in reading.tokens.iter().filter(|t| t.kind == Kind::Word) {
        words += 1;
        let mut bits = lexicon.common(token.hash);
        while bits != 0 {
            if let Some(hit) = hits.get_mut(bits.trailing_zeros() as usize) {
                *hit += 1;
            }
            bits &= bits - 1;
        }
    }
    let (ours, others) = hits.split_at(Lang::ALL.len());
    let best =
        |hits: &[u32]| hits.iter().copied().enumerate().max_by_key(|(at, n)| (*n, usize::MAX - at)).unwrap_or((0, 0));
    let ((lang, mine), (other, theirs)) = (best(ours), best(others));
    let lang = Lang::ALL.get(lang).copied().unwrap_or(Lang::English);
    let alone = ours.iter().filter(|n| **n == mine).count() == 1;
    if mine > 0 && alone && mine >= theirs {
        return known(lang);
    }
    if theirs > mine + 1
        && let Some((code, _)) = OTHERS.get(other)
    {
        return Detected { lang, code, supported: false };
    }
    let Some(found) = Detector::with_allowlist(LATIN.to_vec()).detect(&sample(reading)) else {
        return known(lang);
    };
    match of_trigram(found.lang()) {
        Some(trigram) if mine == 0 || ours.get(trigram as usize).is_some_and(|n| *n == mine) => known(trigram),
        None if words >= ENOUGH_WORDS && mine == 0 && found.is_reliable() => {
            Detected { lang: Lang::English, code: code(found.lang()), supported: false }
        }
        _ => known(lang),
    }
}

/// The code of a language we do not know.
fn foreign(reading: &Reading, among: Option<&[Trigram]>) -> &'static str {
    let detector = among.map_or_else(Detector::new, |among| Detector::with_allowlist(among.to_vec()));
    detector.detect(&sample(reading)).map_or("und", |found| code(found.lang()))
}

/// The words alone, bounded.
fn sample(reading: &Reading) -> String {
    let mut sample = String::with_capacity(LOOKED_AT + 32);
    for token in reading.tokens.iter().filter(|t| t.kind == Kind::Word) {
        if sample.len() > LOOKED_AT {
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

/// Two letters where the language has them, which upstream's tags use too.
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
