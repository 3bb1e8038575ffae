//! Finds rows by words with an inverted index. It is built once, and a query over a hundred thousand rows takes a
//! millisecond or two. Words are folded (case, accents). Text without spaces between words (Chinese, Japanese) is
//! indexed by pairs of characters. There is no ranking: rows are numbered newest first and returned in that order.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

use unicode_normalization::{UnicodeNormalization, char::is_combining_mark};

/// Query words of at least this length also match longer words that begin with them.
const PREFIX_CHARS: usize = 3;
/// The maximum length of a word, in characters.
const MAX_WORD_CHARS: usize = 40;
/// The maximum number of query words used.
const MAX_QUERY_WORDS: usize = 24;
/// Words of prompts that are dropped from a query when other words remain.
const FILLERS: &[&str] = &[
    "a",
    "about",
    "an",
    "and",
    "are",
    "as",
    "at",
    "by",
    "do",
    "does",
    "for",
    "from",
    "how",
    "in",
    "is",
    "it",
    "latest",
    "me",
    "news",
    "of",
    "on",
    "or",
    "people",
    "say",
    "saying",
    "summarise",
    "summarize",
    "summary",
    "tell",
    "the",
    "to",
    "today",
    "what",
    "with",
];

/// Returns the subject of a prompt: the text in brackets in its first sentence, as in
/// `What is new about Acme (acme launch)? Name sources.`, or else that sentence without the filler words around it.
/// Returns the whole prompt when nothing else is left.
pub(crate) fn prompt_subject(prompt: &str) -> &str {
    let ends = |at: usize, c: char| match c {
        '?' | '!' | '\n' => true,
        '.' => prompt[at + 1..].starts_with(char::is_whitespace),
        _ => false,
    };
    let trimmed = prompt.trim_start();
    let skipped = prompt.len() - trimmed.len();
    let end = trimmed.char_indices().find(|(at, c)| ends(skipped + at, *c)).map_or(trimmed.len(), |(at, _)| at);
    let sentence = trimmed[..end].trim_end_matches('.');
    let inner = sentence.split_once('(').and_then(|(_, rest)| Some(rest.rsplit_once(')')?.0.trim()));
    if let Some(inner) = inner.filter(|inner| !inner.is_empty()) {
        return inner;
    }
    let small = |word: &str| {
        let word = word.to_lowercase();
        word == "new" || FILLERS.contains(&word.trim_matches(|c: char| !c.is_alphanumeric()))
    };
    // A query such as `news today` is not a sentence around a subject.
    if !sentence.split_whitespace().any(|word| word.eq_ignore_ascii_case("about")) {
        return if end < trimmed.len() && !sentence.trim().is_empty() { sentence.trim() } else { prompt };
    }
    let mut rest = sentence.trim();
    while let Some(word) = rest.split_whitespace().next().filter(|word| small(word)) {
        rest = rest[word.len()..].trim_start();
    }
    while let Some(word) = rest.split_whitespace().next_back().filter(|word| small(word)) {
        rest = rest[..rest.len() - word.len()].trim_end();
    }
    if rest.is_empty() { prompt } else { rest }
}

/// Words and the rows that contain them, each list ascending.
#[derive(Debug, Default)]
pub(super) struct Index {
    words: BTreeMap<String, Vec<u32>>,
}

/// Collects rows in ascending order.
#[derive(Debug, Default)]
pub(super) struct Builder {
    words: HashMap<String, Vec<u32>>,
}

impl Builder {
    /// Adds a row's text.
    pub(super) fn add(&mut self, row: u32, text: &str) {
        for word in tokens(text) {
            let rows = self.words.entry(word).or_default();
            if rows.last() != Some(&row) {
                rows.push(row);
            }
        }
    }

    /// Returns the finished index.
    pub(super) fn build(self) -> Index {
        Index { words: self.words.into_iter().collect() }
    }
}

impl Index {
    /// Returns the rows within a range that contain every word of the query, or of one of its parts joined by `OR`;
    /// ascending, without duplicates.
    pub(super) fn find(&self, query: &str, within: &Range<u32>) -> Vec<u32> {
        let mut found = Vec::new();
        for part in alternatives(query) {
            found.extend(self.all_of(&part, within));
        }
        found.sort_unstable();
        found.dedup();
        found
    }

    /// Returns the rows that contain all of these words.
    fn all_of(&self, words: &[String], within: &Range<u32>) -> Vec<u32> {
        let mut lists: Vec<Vec<u32>> = words.iter().map(|word| self.rows_of(word, within)).collect();
        lists.sort_by_key(Vec::len);
        let mut lists = lists.into_iter();
        let Some(mut rows) = lists.next() else { return Vec::new() };
        for other in lists {
            rows.retain(|row| other.binary_search(row).is_ok());
        }
        rows
    }

    /// Returns the rows that contain the word, or a word that starts with it.
    fn rows_of(&self, word: &str, within: &Range<u32>) -> Vec<u32> {
        // Cut each list to the range first, so that a common word is cheap in a short window.
        let cut = |rows: &'_ Vec<u32>| -> Range<usize> {
            rows.partition_point(|row| *row < within.start)..rows.partition_point(|row| *row < within.end)
        };
        if word.chars().count() < PREFIX_CHARS {
            return self.words.get(word).and_then(|rows| rows.get(cut(rows))).map(<[u32]>::to_vec).unwrap_or_default();
        }
        let mut rows: Vec<u32> = self
            .words
            .range(word.to_owned()..)
            .take_while(|(candidate, _)| candidate.starts_with(word))
            .filter_map(|(_, rows)| rows.get(cut(rows)))
            .flatten()
            .copied()
            .collect();
        rows.sort_unstable();
        rows.dedup();
        rows
    }
}

/// Splits a query at `OR` and returns the words of each part. Operators (`lang:de`, `-word`) are left out: data files
/// cannot be filtered by them.
fn alternatives(query: &str) -> Vec<Vec<String>> {
    let mut parts = vec![Vec::new()];
    for word in query.split_whitespace() {
        if word == "OR" {
            parts.push(Vec::new());
        } else if !is_operator(word)
            && let Some(part) = parts.last_mut()
        {
            part.extend(tokens(word));
        }
    }
    for part in &mut parts {
        if part.iter().any(|word| !FILLERS.contains(&word.as_str())) {
            part.retain(|word| !FILLERS.contains(&word.as_str()));
        }
        part.truncate(MAX_QUERY_WORDS);
    }
    parts.retain(|part| !part.is_empty());
    parts
}

/// Whether a word is an operator: `-word` or `name:value`, but not an address.
fn is_operator(word: &str) -> bool {
    word.starts_with('-')
        || word.split_once(':').is_some_and(|(name, value)| {
            !name.is_empty()
                && !value.is_empty()
                && !value.starts_with('/')
                && name.chars().all(|c| c.is_ascii_alphabetic() || c == '_')
        })
}

/// Returns the folded words of a text.
fn tokens(text: &str) -> Vec<String> {
    let mut tokens = Vec::new();
    if text.is_ascii() {
        // ASCII is the most frequent case, and many times faster.
        for run in text.split(|c: char| !c.is_ascii_alphanumeric()).filter(|run| !run.is_empty()) {
            tokens.push(run[..run.len().min(MAX_WORD_CHARS)].to_ascii_lowercase());
        }
        return tokens;
    }
    let folded: String = text.nfkd().filter(|c| !is_combining_mark(*c)).flat_map(char::to_lowercase).collect();
    for run in folded.split(|c: char| !c.is_alphanumeric()).filter(|run| !run.is_empty()) {
        let characters: Vec<char> = run.chars().take(4 * MAX_WORD_CHARS).collect();
        for piece in characters.chunk_by(|a, b| is_spaceless(*a) == is_spaceless(*b)) {
            if piece.first().is_some_and(|c| is_spaceless(*c)) && piece.len() > 1 {
                tokens.extend(piece.windows(2).map(|pair| pair.iter().collect::<String>()));
            } else {
                tokens.push(piece.iter().take(MAX_WORD_CHARS).collect());
            }
        }
    }
    tokens
}

/// Whether a character belongs to a script that is written without spaces: kana and CJK ideographs.
fn is_spaceless(c: char) -> bool {
    matches!(c, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn index(texts: &[&str]) -> Index {
        let mut builder = Builder::default();
        for (row, text) in (0..).zip(texts) {
            builder.add(row, text);
        }
        builder.build()
    }

    #[test]
    fn every_query_word_must_match_a_word_or_its_prefix() {
        let index =
            index(&["Floods in Calgary", "flood warning", "Calgary flooding!", "café du monde", "地震速報です"]);
        for (query, rows) in [
            ("flood", &[0, 1, 2][..]),
            ("FLOOD calgary", &[0, 2]),
            ("#flood lang:en -filter:links", &[0, 1, 2]),
            ("cafe", &[3]),
            ("地震", &[4]),
            ("速報", &[4]),
            ("in", &[0]),
            ("warning OR café", &[1, 3]),
            ("what do people say about the flood", &[0, 1, 2]),
            ("loods", &[]),
            ("", &[]),
            ("OR OR", &[]),
            ("!!!", &[]),
        ] {
            assert_eq!(index.find(query, &(0..5)), rows, "{query}");
        }
    }

    #[test]
    fn a_prompt_finds_rows_about_its_query() {
        for (prompt, query) in [
            ("What is new about Acme product launches (acme launch)? Name sources.", "acme launch"),
            ("What is new about Acme? Name sources.", "Acme"),
            ("Summarise the latest news about rust 2.0 today", "rust 2.0"),
            ("Tell me about node.js. Be short.", "node.js"),
            ("acme launch", "acme launch"),
            ("news today", "news today"),
            ("acme launch\nName sources.", "acme launch"),
            ("about?", "about?"),
            ("( )?", "( )"),
            ("地震について教えて", "地震について教えて"),
            ("?", "?"),
            ("", ""),
        ] {
            assert_eq!(prompt_subject(prompt), query, "{prompt}");
        }
    }

    #[test]
    fn only_rows_of_the_range_are_found() {
        let index = index(&["flood", "floods", "flood it", "flood"]);
        for (within, rows) in [(0..4, &[0, 1, 2, 3][..]), (1..3, &[1, 2]), (4..9, &[]), (2..2, &[])] {
            assert_eq!(index.find("flood", &within), rows, "{within:?}");
        }
        assert_eq!(index.find("it", &(0..2)), [] as [u32; 0]);
    }

    #[test]
    fn endless_words_and_queries_are_cut() {
        let long = "x".repeat(100_000);
        let index = index(&[&long]);
        assert_eq!(index.find(&long, &(0..1)), [0]);
        assert_eq!(index.find(&"flood ".repeat(10_000), &(0..1)), [] as [u32; 0]);
    }
}
