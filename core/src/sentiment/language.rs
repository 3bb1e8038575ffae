//! In which language a text is: by its script, then by the most common words and by letters, and where those do not decide
//! by trigrams (`whatlang`), which are ten times slower. Short texts are given the benefit of the doubt: only a text that
//! clearly is in another language is turned away, and what nothing speaks for is English.

use whatlang::{Detector, Lang as Trigram};

use super::Lang;
use super::lexicon::lexicon;
use super::other_languages::OTHERS;
use super::text::{Kind, Reading};

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

/// Words that trigrams need to be believed.
const ENOUGH_WORDS: u32 = 4;

/// Tongues whose words are counted, with room for more.
const TONGUES: usize = 64;

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
        // Pictures mean the same everywhere; marks, links, names and numbers alone say nothing.
        let supported = reading.tokens.iter().any(|t| matches!(t.kind, Kind::Emoji | Kind::Emoticon));
        return Detected { lang: Lang::English, code: "und", supported };
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

/// What speaks for which tongue in a text of Latin letters.
#[derive(Debug, Clone, Copy)]
struct Spoken {
    /// Words per tongue that are common in it: of `Lang::ALL`, then of `OTHERS`.
    hits: [u32; TONGUES],
    /// Words, numbers apart.
    words: u32,
    /// Words with a letter that none of our languages writes.
    strange: u32,
    /// Words with a letter that English does not write.
    accented: u32,
    /// Words with `ä`, `ö`, `ü` or `ß` and no other letter of that kind.
    umlauts: u32,
}

impl Spoken {
    fn of(reading: &Reading) -> Self {
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
                spoken.strange += u32::from(word.chars().any(|c| c.is_alphabetic() && !is_ours(c)));
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

    /// The tongue of ours, and the one of the others, most of whose words are there, the first of equals.
    fn best(&self) -> ((usize, u32), (usize, u32)) {
        let (ours, others) = self.hits.split_at(Lang::ALL.len());
        let best = |hits: &[u32]| {
            hits.iter().copied().enumerate().max_by_key(|(at, n)| (*n, usize::MAX - at)).unwrap_or((0, 0))
        };
        (best(ours), best(others))
    }
}

/// Endings of German words that the other languages hardly have: a headline may hold no other sign.
const GERMAN_ENDINGS: [&str; 22] = [
    "ungen", "tung", "dung", "lung", "rung", "keit", "keiten", "heiten", "schaft", "schaften", "ieren", "ierte",
    "ierten", "liche", "licher", "lichen", "liches", "ische", "ischer", "isches", "ischen", "zeiten",
];

/// Whether a word of eight letters and more ends in one of them.
fn ends_in_german(word: &str) -> bool {
    word.len() >= 8 && GERMAN_ENDINGS.iter().any(|ending| word.ends_with(ending))
}

fn is_umlaut(c: char) -> bool {
    matches!(c, 'ä' | 'ö' | 'ü' | 'ß')
}

/// Letters that one of our languages writes; texts are composed, so that an accent is no letter of its own.
fn is_ours(c: char) -> bool {
    matches!(c, 'a'..='z' | 'à'..='ä' | 'æ'..='ï' | 'ñ'..='ö' | 'ù'..='ü' | 'ÿ' | 'œ' | 'ß')
}

/// Latin script: the tongue most of whose common words are there. One of ours is believed at once when it alone has most
/// of them and they are not rare; another one when it is two ahead, or when letters are there that none of ours writes.
/// In between trigrams are asked, in texts of several words and in those with letters that English does not write; they
/// must be reliable to overrule all words. What nothing decides is English.
fn by_words(reading: &Reading) -> Detected {
    let spoken = Spoken::of(reading);
    let ((lang, mine), (other, theirs)) = spoken.best();
    let lang = Lang::ALL.get(lang).copied().unwrap_or(Lang::English);
    let other = OTHERS.get(other).map_or("und", |(code, _)| code);
    let away = |code| Detected { lang: Lang::English, code, supported: false };
    let words = spoken.words;
    let ours = spoken.hits.get(..Lang::ALL.len()).unwrap_or(&[]);
    let ahead = mine > theirs && ours.iter().filter(|n| **n == mine).count() == 1;
    // Two names in a text of ours make no other language of it.
    let named = ahead && mine >= 2 && mine * 4 >= words;
    if spoken.strange >= 2 && spoken.strange * 5 >= words && !named {
        let others: Vec<Trigram> = LATIN.into_iter().filter(|lang| of_trigram(*lang).is_none()).collect();
        return away(if theirs > mine { other } else { foreign(reading, Some(&others)) });
    }
    if ahead && (mine * 4 >= words || mine >= 2 && mine * 8 >= words) {
        return known(lang);
    }
    let few = words < ENOUGH_WORDS;
    // "Lächerlich": no other word speaks, and of our languages German alone writes so.
    if few && mine == 0 && theirs == 0 && spoken.umlauts * 2 > words && spoken.umlauts == spoken.accented {
        return known(Lang::German);
    }
    let frequent = theirs * 5 >= words;
    if frequent && theirs > mine + 1 || few && theirs > mine.max(1) {
        return away(other);
    }
    let accented = words > 1 && spoken.accented * 4 >= words;
    if few && !accented {
        return known(lang);
    }
    let Some(found) = Detector::with_allowlist(LATIN.to_vec()).detect(&sample(reading)) else {
        return known(lang);
    };
    let reliable = found.is_reliable() && !few;
    match of_trigram(found.lang()) {
        Some(trigram) if reliable && mine <= 1 => known(trigram),
        Some(trigram)
            if ours.get(trigram as usize) == Some(&mine)
                && (reliable || accented || mine > 0 && lang != Lang::English) =>
        {
            known(trigram)
        }
        None if reliable && mine <= 1 || frequent && theirs >= mine + u32::from(!reliable) => away(code(found.lang())),
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
