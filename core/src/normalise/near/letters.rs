//! The comparable part of a text: its letters and digits in a row, and its numbers. Removes parts that differ between
//! copies: URLs, mentions, "RT …" and "via …", punctuation, emoji and spaces. Keeps the mark inside a number, because
//! 1.99 is not 199.

use unicode_normalization::char::is_combining_mark;

use super::super::text::fold;
use super::noise;
use super::numerals::{in_ascii, is_numeral, numbers};

/// The most characters read, and the most letters stored. Texts that are equal up to there are copies.
pub(super) const MOST_READ: usize = 8_192;
const MOST_KEPT: usize = 1_024;

/// The most numbers compared.
const MOST_NUMBERS: usize = 32;

/// Words that introduce a mention.
pub(super) const ANNOUNCING: [&str; 5] = ["rt", "mt", "via", "cc", "by"];

/// Separators between a headline and the site's name.
const BEFORE_A_SITE: [&str; 6] = [" | ", " - ", " – ", " — ", " · ", " » "];

/// Replaces any mark inside a number: 4,5 and 4.5 are the same.
const MARK: char = '.';

/// The word that `amounts` writes before a number for a minus sign.
pub(super) const MINUS: &str = "minus";

/// Digits between thousands separators.
const THOUSANDS: usize = 3;

/// The most characters of a site's name.
const LONGEST_SITE: usize = 32;

/// The comparable part of a text.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Letters {
    pub(super) letters: Vec<char>,
    /// Sorted and distinct. Excludes numbers in tags with a letter: `#123` is a number, `#p2` is not.
    pub(super) numbers: Vec<String>,
}

impl Letters {
    pub(super) fn of_text(text: &str) -> Self {
        let text: String = text.chars().take(MOST_READ).collect();
        let cut_off = is_cut_off(&text);
        let mut reader = Reader::default();
        reader.read(&fold(&text).chars().map(in_ascii).collect::<String>());
        reader.end(cut_off)
    }

    /// The amount of text: characters of syllabic and logographic scripts count for two.
    pub(super) fn weight(&self) -> usize {
        self.letters.iter().map(|c| weight(*c)).sum()
    }
}

/// A title without the site's name at its end.
pub(super) fn strip_site_name(title: &str) -> &str {
    let last = BEFORE_A_SITE.iter().filter_map(|mark| title.rfind(mark).map(|at| (at, mark.len()))).max();
    let headline = last.and_then(|(at, length)| {
        let (headline, site) = (title.get(..at)?, title.get(at + length..)?);
        let (headline_length, site_length) = (headline.chars().count(), site.chars().count());
        (site_length <= LONGEST_SITE && headline_length >= 2 * site_length).then_some(headline)
    });
    headline.unwrap_or(title)
}

/// The weight of a letter.
pub(super) fn weight(c: char) -> usize {
    let wide = matches!(c, '\u{1100}'..='\u{11FF}' | '\u{2E80}'..='\u{9FFF}' | '\u{A960}'..='\u{A97F}'
        | '\u{AC00}'..='\u{D7FF}' | '\u{F900}'..='\u{FAFF}' | '\u{20000}'..='\u{3FFFF}');
    if wide { 2 } else { 1 }
}

/// Whether the text was truncated, so that its last word may be incomplete.
pub(super) fn is_cut_off(text: &str) -> bool {
    let text = text.trim_end_matches(|c: char| c.is_whitespace() || matches!(c, '"' | '”' | '\''));
    text.ends_with('…') || text.ends_with(" ...")
}

/// Reads a folded text from left to right.
#[derive(Debug, Default)]
struct Reader {
    letters: Vec<char>,
    numbers: Vec<String>,
    /// Start of the last word in `letters`, and the number of `numbers` before it.
    word: (usize, usize),
    in_word: bool,
    in_tag: bool,
    /// The number being read.
    number: String,
    before: Option<char>,
}

impl Reader {
    fn read(&mut self, folded: &str) {
        let mut rest = folded;
        while let Some(c) = rest.chars().next() {
            let skipped = noise::address(rest, self.before)
                .or_else(|| noise::entity(rest))
                .or_else(|| noise::keycap(rest))
                .or_else(|| noise::name(rest, self.before).inspect(|_| self.forget_announcement()));
            let length = skipped.unwrap_or_else(|| c.len_utf8());
            let (taken, left) = rest.split_at_checked(length).unwrap_or((rest, ""));
            if skipped.is_some() {
                self.end_word();
                self.before = Some(' ');
            } else {
                self.take(c, left);
                self.before = taken.chars().last();
            }
            rest = left;
            if self.letters.len() >= MOST_KEPT {
                break;
            }
        }
    }

    fn take(&mut self, c: char, left: &str) {
        if c.is_alphanumeric() {
            if c.is_ascii_digit() && !self.in_word && self.last_word().eq(MINUS.chars()) {
                self.number.push('-');
            }
            self.keep(c);
            if c.is_numeric() || is_numeral(c) {
                self.number.push(c);
            } else {
                self.end_number(Some(c));
            }
            return;
        }
        let in_number = self.number.ends_with(char::is_numeric) || self.in_price(c);
        if in_number && is_mark(c) && left.starts_with(char::is_numeric) {
            if !is_thousands_separator(c, left) {
                self.keep(MARK);
                self.number.push(MARK);
            }
            return;
        }
        // Neither an apostrophe nor a combining mark ends a word.
        if is_combining_mark(c) || matches!(c, '\'' | '’' | '_') {
            return;
        }
        self.end_word();
        self.in_tag = c == '#';
    }

    fn keep(&mut self, c: char) {
        if !std::mem::replace(&mut self.in_word, true) {
            self.word = (self.letters.len(), self.numbers.len());
        }
        self.letters.push(c);
    }

    /// Whether a number without a leading digit may start here, as in `$.99`. Elsewhere a point before a digit ends a
    /// sentence.
    fn in_price(&self, c: char) -> bool {
        c == '.' && matches!(self.before, Some('$' | '€' | '£'))
    }

    /// Ends the current number, if any, before another character of its word.
    fn end_number(&mut self, next: Option<char>) {
        let room = MOST_NUMBERS.saturating_sub(self.numbers.len());
        self.numbers.extend(numbers(&std::mem::take(&mut self.number), next).into_iter().take(room));
    }

    fn end_word(&mut self) {
        self.end_number(None);
        if std::mem::take(&mut self.in_tag) && self.in_word && self.holds_a_letter() {
            self.numbers.truncate(self.word.1);
        }
        // A leading "RT" marks a retweet even if the name is missing.
        if std::mem::take(&mut self.in_word) && self.word.0 == 0 && self.letters == ['r', 't'] {
            self.letters.clear();
        }
    }

    /// Whether the last word contains a letter: `#p2` is a tag, `#2` is a number.
    fn holds_a_letter(&self) -> bool {
        self.last_word().any(|c| !c.is_numeric() && c != MARK)
    }

    fn last_word(&self) -> impl Iterator<Item = char> {
        self.letters.iter().skip(self.word.0).copied()
    }

    /// Drops the word that introduces a mention.
    fn forget_announcement(&mut self) {
        let last: String = self.last_word().collect();
        if ANNOUNCING.contains(&last.as_str()) {
            self.letters.truncate(self.word.0);
        }
    }

    fn end(mut self, cut_off: bool) -> Letters {
        self.end_word();
        if cut_off {
            self.letters.truncate(self.word.0);
            self.numbers.truncate(self.word.1);
        }
        self.numbers.sort_unstable();
        self.numbers.dedup();
        Letters { letters: self.letters, numbers: self.numbers }
    }
}

/// Whether a character may stand between two digits of a number.
pub(super) fn is_mark(c: char) -> bool {
    matches!(c, '.' | ',' | ':' | '٫' | '٬')
}

/// Whether a mark only separates thousands: 75,000 and 75.000 are 75000, but 1,99 is 1.99. Three digits after a point
/// always count as thousands.
pub(super) fn is_thousands_separator(mark: char, left: &str) -> bool {
    let digits = || left.chars().take(THOUSANDS + 1).take_while(|c| c.is_numeric()).count();
    mark == '٬' || (matches!(mark, '.' | ',') && digits() == THOUSANDS)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn letters(text: &str) -> String {
        Letters::of_text(text).letters.into_iter().collect()
    }

    #[test]
    fn parts_in_which_copies_differ_are_removed() {
        for (text, left) in [
            ("RT @Jane_D: Rust 1.95 is OUT! https://t.co/aB3 via @rustlang", "rust1.95isout"),
            ("Rust 1.95 is out", "rust1.95isout"),
            ("RT Rust 1.95 is out!!! 🎉🎉", "rust1.95isout"),
            ("“@jane: Rust 1.95 is out” http://t.co/x", "rust1.95isout"),
            ("rt@jane Rust&nbsp;1.95 &amp; is #out", "rust1.95isout"),
            ("Rust 1.95 is out htt…", "rust1.95isout"),
            ("don't dont don’t", "dontdontdont"),
            ("mail jane@example.com", "mailjaneexamplecom"),
            ("詳細はhttp://example.com/aを見て", "詳細はを見て"),
            ("z\u{335}\u{311}a\u{336}lgo", "zalgo"),
            ("❤\u{fe0f} 👍🏽 👨\u{200d}👩", ""),
            ("1\u{fe0f}\u{20e3} Rust 2\u{20e3} is out #\u{fe0f}\u{20e3}3", "rustisout3"),
        ] {
            assert_eq!(letters(text), left, "{text:?}");
        }
    }

    #[test]
    fn numbers_are_kept_whole_except_in_hashtags() {
        let of = |text: &str| Letters::of_text(text).numbers;
        assert_eq!(of("M 6.4, 244km, 75,000 at 10:15 #p2 https://t.co/12"), ["10.15", "244", "6.4", "75000"]);
        assert_eq!(of("call 03332602 …"), [""; 0]);
        assert_eq!(of("3\u{20e3} doors, 2 bit.ly/7Qw4e3 keys"), ["2"]);
    }

    #[test]
    fn a_number_after_a_hash_counts_unless_the_word_has_a_letter() {
        for (text, numbers) in [
            ("Flight #123 to Boston", vec!["123"]),
            ("Flight ＃123 to Boston", vec!["123"]),
            ("##123, (#45) #6", vec!["123", "45", "6"]),
            ("#1.99 #1,234 #2:1", vec!["1.99", "1234", "2.1"]),
            ("#123", vec!["123"]),
            ("#p2 #2p #2p3 #4.5km #covid_19 #19_covid #2026年 #1st", vec![]),
            ("7 #p2 8 #9", vec!["7", "8", "9"]),
            ("# 12 #, 13", vec!["12", "13"]),
            ("#\u{fe0f}\u{20e3} 3 #1\u{fe0f}\u{20e3}", vec!["3"]),
            ("#12 was cut off #34…", vec!["12"]),
        ] {
            assert_eq!(Letters::of_text(text).numbers, numbers, "{text}");
        }
        let many: String = (10..99).map(|n| format!("#a{n} #{n} ")).collect();
        assert_eq!(Letters::of_text(&many).numbers.len(), MOST_NUMBERS, "those of tags take no room");
    }

    #[test]
    fn decimal_marks_are_kept_and_thousands_separators_removed() {
        for (text, number) in [
            ("$1.99", "1.99"),
            ("$1,99", "1.99"),
            ("$199", "199"),
            ("$19.9", "19.9"),
            ("$.99", ".99"),
            ("so.99", "99"),
            ("4.5", "4.5"),
            ("4．5", "4.5"),
            ("٤٫٥", "4.5"),
            ("45", "45"),
            ("1,234", "1234"),
            ("1.234", "1234"),
            ("1'234", "1234"),
            ("1,234,567", "1234567"),
            ("1.234.567,89", "1234567.89"),
            ("1,234.5", "1234.5"),
            ("١٬٢٣", "123"),
            ("۱٬۲۳۴٫۵", "1234.5"),
            ("१.९९", "1.99"),
            ("1.2345", "1.2345"),
            ("2:1", "2.1"),
            ("10:15:30", "10.15.30"),
            ("10:150", "10.150"),
            ("99.", "99"),
            ("v1.95b", "1.95"),
        ] {
            let Letters { letters, numbers } = Letters::of_text(text);
            assert_eq!(numbers, [number], "{text}");
            let letters: String = letters.into_iter().filter(|c| !c.is_alphabetic()).collect();
            assert_eq!(letters, number, "{text}");
        }
        assert_eq!(
            letters("in 2012. 3 dead, 4.Then"),
            "in20123dead4then",
            "what ends a sentence is no part of a number"
        );
    }

    #[test]
    fn a_url_without_a_scheme_counts_as_one_only_with_a_path() {
        for (text, left) in [
            ("roof gone bit.ly/2xYz91 today", "roofgonetoday"),
            ("roof gone: youtu.be/dQw4w9WgXcQ", "roofgone"),
            ("(more at news.example.co.uk/a-b?c=1#d)", "moreat"),
            ("roof gone example.com/", "roofgone"),
            ("roof gone...pic.twitter.com/aB3", "roofgone"),
            ("roof gone t.co/…", "roof"),
            ("詳細はbit.ly/aを見て", "詳細はを見て"),
            ("www.example.com roof", "roof"),
            ("Booking.com raises prices", "bookingcomraisesprices"),
            ("the end.Then it rained", "theendthenitrained"),
            ("3.5/5 at 9 a.m./p.m., 1.5/2.5 km/h and/or 24/7", "3.55at9ampm1.52.5kmhandor247"),
            ("..a./x -.ab/x a..bc/x", "axabxabcx"),
        ] {
            assert_eq!(letters(text), left, "{text:?}");
        }
    }

    #[test]
    fn the_name_of_a_site_is_not_part_of_its_headline() {
        let of = |title: &str| Letters::of_text(strip_site_name(title)).letters.into_iter().collect::<String>();
        assert_eq!(of("A headline about a flood in Calgary - CBC News"), "aheadlineaboutafloodincalgary");
        assert_eq!(of("A headline about a flood in Calgary | The Globe"), "aheadlineaboutafloodincalgary");
        assert_eq!(of("Short - Title"), "shorttitle");
    }
}
