//! Extracts the terms of an item: words of at least two letters, two words in a row, hashtags, names, domains of links,
//! emoji; for scripts without spaces, pairs of letters. Excludes stop words (`stop`); no phrase extends across one.
//! Texts are folded as for the search. How often a term occurs in an item does not matter.

use super::split::{self, HASHTAG, NAME, Piece};
use super::{emoji, fold, site, stop};
use crate::model::{Kind, SITE_SIGN, SearchableItem};

/// Version of the rules. When it changes, all counts are computed again.
pub const TERM_RULES: u8 = 4;

/// The most characters of a text that are read.
const MOST_READ: usize = 4_096;
/// The most terms of an item.
const MOST_TERMS: usize = 512;
/// The most characters of a word. Longer ones are ids and the like.
const LONGEST: usize = 32;

/// Calls `each` with every term of an item. Some terms occur more than once.
pub fn terms(item: &SearchableItem<'_>, each: &mut dyn FnMut(&str)) {
    let mut extractor = TermExtractor { each, left: MOST_TERMS, row: String::new(), before: 0, plain: false };
    if item.kind == Kind::Page
        && let Some(host) = item.url.and_then(site)
    {
        extractor.site(&host);
    }
    for text in [item.title, item.text].into_iter().flatten() {
        let end = text.char_indices().nth(MOST_READ).map_or(text.len(), |(at, _)| at);
        let (text, joined) = emoji::take_joined(text.get(..end).unwrap_or(""));
        for emoji in &joined {
            extractor.emit(emoji);
        }
        for token in fold::fold(&text).split_whitespace() {
            extractor.token(token);
        }
        extractor.end_phrase();
    }
}

/// The runs of letters in scripts without spaces, which [`terms`] returns as pairs. Excludes runs of two letters: these
/// are pairs already.
#[must_use]
pub fn dense_runs(item: &SearchableItem<'_>) -> Vec<String> {
    let mut runs = Vec::new();
    for text in [item.title, item.text].into_iter().flatten().filter(|text| !text.is_ascii()) {
        let end = text.char_indices().nth(MOST_READ).map_or(text.len(), |(at, _)| at);
        let folded = fold::fold(text.get(..end).unwrap_or(""));
        for token in folded.split_whitespace().filter(|token| !token.is_ascii()) {
            for piece in split::split(token, LONGEST * 4).pieces {
                if let Piece::Dense(letters) = piece
                    && letters.len() > 2
                {
                    runs.push(letters.concat());
                }
            }
        }
    }
    runs
}

/// The state of extraction: the callback, and the previous word for phrases.
struct TermExtractor<'a> {
    each: &'a mut dyn FnMut(&str),
    left: usize,
    /// The previous word; the next is appended to form a phrase.
    row: String,
    /// Its length in bytes; 0 if no phrase may continue it.
    before: usize,
    /// Whether it consists of digits only.
    plain: bool,
}

fn opens(c: char) -> bool {
    matches!(c, '(' | '[' | '{' | '"' | '\'' | '“' | '‘' | '„' | '«' | '¿' | '¡' | '<')
}

fn closes(c: char) -> bool {
    matches!(
        c,
        '.' | ','
            | ';'
            | ':'
            | '!'
            | '?'
            | ')'
            | ']'
            | '}'
            | '"'
            | '”'
            | '»'
            | '…'
            | '。'
            | '、'
            | '>'
            | '|'
            | '-'
            | '–'
            | '—'
    )
}

/// Returns the host of a link without `www.`, empty if it is cut off; `None` if the token is no link. Many posts leave
/// out the scheme before `www.` and in short links.
fn linked_host(token: &str) -> Option<&str> {
    let rest = token.strip_prefix("https://").or_else(|| token.strip_prefix("http://"));
    let host = rest.unwrap_or(token).split(['/', '?', '#', ':']).next().unwrap_or("");
    // A sentence may end after it.
    let whole = host.trim_end_matches(|c: char| !c.is_alphanumeric());
    let site = match whole.strip_prefix("www.") {
        Some(site) if rest.is_some() || site.contains('.') => site,
        _ if rest.is_some() || stop::is_link_shortener(whole) => whole,
        _ => return None,
    };
    // The beginning of `news.exam…` would be another site. Folding makes dots of `…`.
    let is_cut = host.get(whole.len()..).is_some_and(|end| end.contains("..."));
    Some(if is_cut { "" } else { site })
}

impl TermExtractor<'_> {
    fn emit(&mut self, term: &str) {
        if self.left > 0 {
            self.left -= 1;
            (self.each)(term);
        }
    }

    /// Ends the current phrase.
    fn end_phrase(&mut self) {
        self.before = 0;
    }

    fn site(&mut self, host: &str) {
        if !stop::is_link_shortener(host) && host.contains('.') && host.len() <= 80 {
            self.emit(&format!("{SITE_SIGN}{host}"));
        }
    }

    /// Extracts the terms of a token between spaces.
    fn token(&mut self, token: &str) {
        let text = token.trim_start_matches(opens);
        if text.len() < token.len() {
            self.end_phrase();
        }
        if let Some(host) = linked_host(text) {
            if host.chars().all(|c| c.is_alphanumeric() || matches!(c, '.' | '-')) {
                self.site(host);
            }
            return self.end_phrase();
        }
        if text.ends_with('…') || text.ends_with("...") {
            // The last word may be truncated.
            return self.end_phrase();
        }
        let sign = text.starts_with(['#', '@']);
        if sign || !text.is_ascii() {
            let pieces = split::split(text, LONGEST * 4);
            for one in &pieces.signs {
                if !one.starts_with([HASHTAG, NAME]) || one.chars().count() <= LONGEST {
                    self.emit(one);
                }
            }
            if text.starts_with('@') {
                return self.end_phrase();
            }
            for piece in pieces.pieces {
                if let Piece::Dense(letters) = piece {
                    self.dense(&letters);
                }
            }
        } else if text.contains('@') {
            // An email address.
            return self.end_phrase();
        }
        self.words(text);
        if text.ends_with(closes) {
            self.end_phrase();
        }
    }

    /// Pairs of letters. Pairs of the function words and endings that hiragana writes are skipped.
    fn dense(&mut self, letters: &[String]) {
        for pair in letters.windows(2).map(<[String]>::concat) {
            if !stop::is_function_pair(&pair) {
                self.emit(&pair);
            }
        }
        self.end_phrase();
    }

    /// The words of a token. An apostrophe is interpreted by the letters after it (`don't`, `it's`) or before it
    /// (`l'eau`).
    fn words(&mut self, text: &str) {
        let text = text.trim_end_matches(|c: char| !split::is_word(c));
        if let Some((begin, end)) = text.split_once(['\'', '’']) {
            match end {
                "t" => self.end_phrase(),
                "s" | "re" | "ve" | "ll" | "d" | "m" => self.row_of(begin),
                _ if begin.chars().count() <= 4 => {
                    self.end_phrase();
                    self.row_of(end);
                }
                _ => self.row_of(text),
            }
        } else {
            self.row_of(text);
        }
    }

    fn row_of(&mut self, text: &str) {
        for word in text.split(|c: char| !split::is_word(c) || c == '_' || split::is_dense(c)) {
            if !word.is_empty() {
                self.word(word);
            }
        }
    }

    fn word(&mut self, word: &str) {
        // The byte length nearly always decides, without counting characters.
        let short = word.len() < 2 || (!word.is_ascii() && word.chars().count() < 2);
        let long = word.len() > LONGEST && word.chars().count() > LONGEST;
        if short || long || stop::is_stop_word(word) {
            return self.end_phrase();
        }
        let plain = word.bytes().all(|b| b.is_ascii_digit());
        if !plain {
            self.emit(word);
        }
        let follows = self.before > 0 && !(plain && self.plain) && self.row.get(..self.before) != Some(word);
        if follows {
            self.row.truncate(self.before);
            self.row.push(' ');
            self.row.push_str(word);
            let row = std::mem::take(&mut self.row);
            self.emit(&row);
            self.row = row;
        }
        self.row.clear();
        self.row.push_str(word);
        (self.before, self.plain) = (word.len(), plain);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn of(text: &str) -> Vec<String> {
        let mut all = Vec::new();
        let item = SearchableItem {
            kind: Kind::Post,
            title: None,
            text: Some(text),
            author: None,
            author_name: None,
            url: None,
        };
        terms(&item, &mut |term| all.push(term.to_owned()));
        all
    }

    #[test]
    fn words_phrases_and_signs_of_a_text_are_its_terms() {
        for (text, expected) in [
            ("The bridge in Calgary fell", vec!["bridge", "calgary", "fell", "calgary fell"]),
            ("Boston Marathon: bombs!", vec!["boston", "marathon", "boston marathon", "bombs"]),
            ("don't panic, it's Smith's dog", vec!["panic", "smith", "dog", "smith dog"]),
            ("dell'Aquila l'eau qu'il", vec!["aquila", "eau"]),
            (
                "RT @jane: #YYCFlood http://t.co/xyz https://www.cbc.ca/news?x=1",
                vec!["＠jane", "＃yycflood", "yycflood", "／cbc.ca"],
            ),
            ("boeing 737 737 2013", vec!["boeing", "boeing 737"]),
            ("東京タワーの", vec!["東京", "京タ", "タワ", "ワー", "ーの"]),
            ("さくらでした", vec!["さく", "くら", "らで"]),
            ("Метеорит в Челябинске 🔥", vec!["метеорит", "челябинске", "🔥"]),
            ("👨‍👩‍👧 at home ❤️‍🔥🔥", vec!["👨‍👩‍👧", "❤‍🔥", "home", "🔥"]),
            ("rust-lang.org is_cool a@b.example cut off wor…", vec!["rust", "lang", "rust lang", "cool", "cut"]),
            ("fire fire fire", vec!["fire", "fire", "fire"]),
            ("see bit.ly/3xYz and (www.cbc.ca/news/deep), www.", vec!["／cbc.ca"]),
            ("see https://cbc.ca. (http://www.cbc.ca), bit.ly", vec!["／cbc.ca", "／cbc.ca"]),
            ("see https://news.cb… (www.cbc.c...) https://cbc.ca/ne…", vec!["／cbc.ca"]),
            ("Smith&#39;s dog &quot;barks&quot; &amp; Acme™", vec!["smith", "dog", "smith dog", "barks", "acme"]),
        ] {
            assert_eq!(of(text), expected, "{text}");
        }
    }

    #[test]
    fn a_page_has_its_site_as_a_term_with_the_search_prefixes() {
        let page = SearchableItem {
            kind: Kind::Page,
            title: Some("Floods"),
            text: None,
            author: None,
            author_name: None,
            url: Some("https://www.news.example/a"),
        };
        let mut all = Vec::new();
        terms(&page, &mut |term| all.push(term.to_owned()));
        assert_eq!(all, ["／news.example", "floods"]);
        assert_eq!((HASHTAG, NAME), (crate::model::TAG_SIGN, crate::model::NAME_SIGN));
    }

    proptest! {
        #[test]
        fn terms_of_any_text_are_bounded_and_trimmed(text in "(\\PC|[a-c .,'’#@…]|[東京]|🎉){0,60}") {
            let all = of(&text);
            prop_assert!(all.len() <= MOST_TERMS);
            for term in &all {
                prop_assert!(!term.is_empty() && term.trim() == term && !term.contains('\n'), "{:?}", term);
                prop_assert!(term.chars().count() <= 2 * LONGEST + 80, "{:?}", term);
            }
        }
    }
}
