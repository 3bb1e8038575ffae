//! Checks whether a text contains any word of the query that found it. Approximate on purpose: ignores case, accents
//! and endings. A relevant post may contain none; many such posts in one reply mean that the service answered another
//! query.

use super::fold::fold;
use super::split;
use crate::model::{TermKind, bare_term};

/// The most letters of an ending.
const ENDING: usize = 3;

/// Shorter words must match whole words of a text; longer ones may match a part of a word.
const SHORT: usize = 4;
/// The least characters of a stem.
const STEM: usize = 4;
/// Words of at least this length without a known ending are matched without their last two characters.
const LONG: usize = 7;
/// The most words of a query.
const MOST: usize = 64;
/// Stop words and the names of search operators.
const COMMON: [&str; 56] = [
    "a", "an", "and", "are", "as", "at", "be", "by", "can", "das", "de", "der", "des", "die", "do", "el", "en", "for",
    "from", "has", "have", "how", "in", "is", "it", "la", "las", "le", "les", "los", "near", "new", "not", "of", "on",
    "or", "que", "since", "so", "than", "that", "the", "this", "to", "und", "until", "was", "what", "when", "which",
    "who", "why", "will", "with", "y", "you",
];
/// Endings that are removed, the longest first.
const ENDINGS: [&str; 8] = ["ings", "ing", "ies", "ers", "ed", "es", "er", "s"];

/// The words of a query.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QueryWords(Vec<Word>);

#[derive(Debug, Clone, PartialEq, Eq)]
struct Word {
    text: String,
    alone: bool,
}

impl QueryWords {
    /// The words of a query; `None` if it has none that a text could contain (`from:nasa`, `"the"`). Skips exclusions
    /// (`-word`) and operators (`lang:en`, `OR`). Tags, names and tickers count without their prefix.
    #[must_use]
    pub fn of(question: &str) -> Option<Self> {
        let mut words: Vec<Word> = Vec::new();
        let mut excluded = false;
        for part in question.split_whitespace() {
            let bare = part.trim_matches(['(', ')', ',']);
            // `-"two words"` excludes both words.
            let starts = bare.starts_with('-');
            let quoted = bare.matches('"').count() % 2 == 1;
            let skip = starts || excluded;
            excluded = if starts { quoted } else { excluded != quoted && excluded };
            let operator = bare.split_once(':').is_some_and(|(name, _)| !name.is_empty() && is_name(name));
            if skip || operator || matches!(bare, "OR" | "AND" | "NOT") {
                continue;
            }
            words.extend(whole_words(&fold(bare)).filter(|word| !COMMON.contains(word)).filter_map(Word::of));
        }
        words.sort_by(|a, b| a.text.cmp(&b.text));
        words.dedup();
        words.truncate(MOST);
        (!words.is_empty()).then_some(Self(words))
    }

    /// The words of several queries together; `None` if one of them has none, or there is no query.
    #[must_use]
    pub fn of_all(questions: &[&str]) -> Option<Self> {
        let each: Vec<Self> = questions.iter().map(|question| Self::of(question)).collect::<Option<_>>()?;
        let mut words: Vec<Word> = each.into_iter().flat_map(|query_words| query_words.0).collect();
        words.sort_by(|a, b| a.text.cmp(&b.text));
        words.dedup();
        (!words.is_empty()).then_some(Self(words))
    }

    /// The number of words that these texts contain. A word that is part of another contained word is not counted.
    #[must_use]
    pub fn count_in(&self, texts: &[Option<&str>]) -> usize {
        let texts: Vec<String> = texts.iter().flatten().map(|text| fold(text)).collect();
        let occurs = |word: &&Word| texts.iter().any(|text| word.is_in(text));
        let matched: Vec<&Word> = self.0.iter().filter(occurs).collect();
        let part =
            |word: &Word| matched.iter().any(|other| other.text != word.text && other.text.contains(&*word.text));
        matched.iter().filter(|word| !part(word)).count()
    }

    /// Whether one of these texts contains one of the words.
    #[must_use]
    pub fn matches_any(&self, texts: &[Option<&str>]) -> bool {
        texts.iter().flatten().any(|text| {
            let text = fold(text);
            self.0.iter().any(|word| word.is_in(&text))
        })
    }
}

impl QueryWords {
    /// Whether a term repeats the query: a word or phrase with one of its words, whatever the ending; a hashtag, name
    /// or domain equal to one, apart from the ending. `#acmefire` says more than `acme`, so it does not repeat it.
    #[must_use]
    pub fn repeats_query(&self, term: &str) -> bool {
        let bare = bare_term(term);
        match TermKind::of(term) {
            TermKind::Word | TermKind::Phrase => {
                bare.split(' ').any(|word| self.starts_with_query_word(word, usize::MAX))
            }
            TermKind::Domain => self.starts_with_query_word(bare.split('.').next().unwrap_or(bare), ENDING),
            TermKind::Hashtag | TermKind::Mention => self.starts_with_query_word(bare, ENDING),
            TermKind::Emoji => false,
        }
    }

    /// Whether a folded word starts with one of the query's words and has at most `more` letters after it.
    fn starts_with_query_word(&self, word: &str, more: usize) -> bool {
        let short = |rest: &str| rest.chars().count() <= more;
        let same = |one: &Word| match one.alone {
            true => word == one.text,
            false => word.strip_prefix(&*one.text).is_some_and(short),
        };
        self.0.iter().any(same)
    }
}

impl Word {
    fn is_in(&self, folded: &str) -> bool {
        if self.alone { whole_words(folded).any(|one| one == self.text) } else { folded.contains(&*self.text) }
    }

    fn of(word: &str) -> Option<Self> {
        let length = word.chars().count();
        // Scripts without spaces have no separate words.
        if word.chars().any(split::is_dense) {
            return Some(Self { text: word.to_owned(), alone: false });
        }
        if length < SHORT {
            return (length > 1 || !word.is_ascii()).then(|| Self { text: word.to_owned(), alone: true });
        }
        let kept = |stem: &&str| stem.chars().count() >= STEM;
        let stem = ENDINGS.iter().filter_map(|ending| word.strip_suffix(ending)).find(kept);
        // Endings of other languages are not known.
        let part = || word.chars().take(if length >= LONG { length - 2 } else { length }).collect();
        Some(Self { text: stem.map_or_else(part, str::to_owned), alone: false })
    }
}

fn is_name(name: &str) -> bool {
    name.chars().all(|c| c.is_ascii_alphabetic() || c == '_')
}

fn whole_words(folded: &str) -> impl Iterator<Item = &str> {
    folded.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests fail by panicking")]
    use super::*;

    #[test]
    fn query_words_match_ignoring_case_accents_and_endings() {
        for (question, text, holds) in [
            ("Acme launch", "ACME is down", true),
            ("Acme launch", "they launched it", true),
            ("Acme launch", "nothing of the kind", false),
            ("batteries", "the battery", true),
            ("launching rockets", "a rocket", true),
            ("Café Zürich", "cafe in zurich", true),
            ("#AcmeDown", "AcmeDown again", true),
            ("$ACME earnings", "acme fell", true),
            ("AI chips", "it rains", false),
            ("AI chips", "AI is here", true),
            ("ai", "said", false),
            ("\"new phone\" -apple", "an apple a day", false),
            ("phone -\"green apple\" case", "a green day", false),
            ("phone -\"green apple\" case", "in any case", true),
            ("from:nasa moon lang:en", "nasa has a language", false),
            ("from:nasa moon lang:en", "moonlight", true),
            ("moon OR sun", "or else", false),
            ("the what of Acme", "what the hell of a day", false),
            ("東京 地震", "今日の東京は晴れ", true),
            ("東京", "大阪は晴れ", false),
            ("новости", "новость дня", true),
            ("новости", "погода", false),
            ("C++ compiler", "my compilers", true),
        ] {
            assert_eq!(QueryWords::of(question).unwrap().matches_any(&[None, Some(text)]), holds, "{question}: {text}");
        }
    }

    #[test]
    fn matching_query_words_are_counted_once_each() {
        let query_words = QueryWords::of("calgary flood floods terremoto #terremotocr boston").unwrap();
        for (text, many) in [
            ("nothing of the kind", 0),
            ("Calgary", 1),
            ("the FLOODS of Calgary", 2),
            ("un terremoto", 1),
            ("#TerremotoCR", 1),
            ("#terremotocr, flooding", 2),
        ] {
            assert_eq!(query_words.count_in(&[Some(text)]), many, "{text}");
        }
        assert_eq!(query_words.count_in(&[Some("a flood"), None, Some("Boston")]), 2);
    }

    #[test]
    fn terms_that_repeat_the_query_are_recognised() {
        let query_words = QueryWords::of("rain ai acme \"new phones\"").unwrap();
        for (term, own) in [
            ("rain", true),
            ("rains", true),
            ("train", false),
            ("phone", true),
            ("ai", true),
            ("aim", false),
            ("acme rain", true),
            ("acme collapse", true),
            ("collapse acme", true),
            ("bridge collapse", false),
            ("＃acme", true),
            ("＃rains", true),
            ("＃acmefire", false),
            ("＠acme", true),
            ("／acme.com", true),
            ("／acmenews.com", false),
            ("🔥", false),
        ] {
            assert_eq!(query_words.repeats_query(term), own, "{term}");
        }
    }

    #[test]
    fn a_query_without_words_judges_no_text() {
        for question in ["", "from:nasa", "-spam", "the of", "lang:en -\"a b\"", "🚀", "!!!"] {
            assert_eq!(QueryWords::of(question), None, "{question}");
        }
    }

    #[test]
    fn any_word_of_several_queries_counts_unless_one_has_no_words() {
        let both = QueryWords::of_all(&["Acme", "rockets acme"]).unwrap();
        assert!(
            both.matches_any(&[Some("a rocket")])
                && both.matches_any(&[Some("ACME")])
                && !both.matches_any(&[Some("shoes")])
        );
        assert_eq!(QueryWords::of_all(&["Acme", "from:nasa"]), None);
        assert_eq!(QueryWords::of_all(&[]), None);
    }
}
