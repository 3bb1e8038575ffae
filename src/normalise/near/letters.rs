//! What is left of a text for comparing: its letters and digits in a row, and its numbers. Addresses, names of people
//! that are spoken to, "RT …" and "via …", punctuation, emoji and spaces are gone, because copies differ in them.

use unicode_normalization::char::is_combining_mark;

use super::super::text::fold;

/// Characters of a text that are looked at, and letters that are kept of them: two texts that agree so far are copies.
const MOST_READ: usize = 8_192;
const MOST_KEPT: usize = 1_024;

/// Numbers that are compared.
const MOST_NUMBERS: usize = 32;

/// Words that announce whose words follow or went before.
const ANNOUNCING: [&str; 5] = ["rt", "mt", "via", "cc", "by"];

/// Between a headline and the site's name.
const BEFORE_A_SITE: [&str; 6] = [" | ", " - ", " – ", " — ", " · ", " » "];

/// Most characters of a site's name.
const LONGEST_SITE: usize = 32;

/// The comparable part of a text.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Letters {
    pub(super) letters: Vec<char>,
    /// Each once, sorted; without those in tags.
    pub(super) numbers: Vec<String>,
}

impl Letters {
    pub(super) fn of_text(text: &str) -> Self {
        let text: String = text.chars().take(MOST_READ).collect();
        let cut_off = is_cut_off(&text);
        let mut reader = Reader::default();
        reader.read(&fold(&text));
        reader.end(cut_off)
    }

    /// The same of a headline, without the name of the site at its end.
    pub(super) fn of_title(title: &str) -> Self {
        let last = BEFORE_A_SITE.iter().filter_map(|mark| title.rfind(mark).map(|at| (at, mark.len()))).max();
        let headline = last.and_then(|(at, length)| {
            let (headline, site) = (title.get(..at)?, title.get(at + length..)?);
            let (whole, site) = (headline.chars().count(), site.chars().count());
            (site <= LONGEST_SITE && whole >= 2 * site).then_some(headline)
        });
        Self::of_text(headline.unwrap_or(title))
    }

    /// How much there is: a character of scripts that write whole syllables or words in one counts for two.
    pub(super) fn weight(&self) -> usize {
        self.letters.iter().map(|c| weight(*c)).sum()
    }
}

/// What a letter counts for.
pub(super) fn weight(c: char) -> usize {
    let wide = matches!(c, '\u{1100}'..='\u{11FF}' | '\u{2E80}'..='\u{9FFF}' | '\u{A960}'..='\u{A97F}'
        | '\u{AC00}'..='\u{D7FF}' | '\u{F900}'..='\u{FAFF}' | '\u{20000}'..='\u{3FFFF}');
    if wide { 2 } else { 1 }
}

/// Whether the text was cut to a length, so that its last word may be half of one.
fn is_cut_off(text: &str) -> bool {
    let text = text.trim_end_matches(|c: char| c.is_whitespace() || matches!(c, '"' | '”' | '\''));
    text.ends_with('…') || text.ends_with(" ...")
}

/// A folded text read from left to right.
#[derive(Debug, Default)]
struct Reader {
    letters: Vec<char>,
    numbers: Vec<String>,
    /// Where the last word begins in `letters`, and how many numbers there were before it.
    word: (usize, usize),
    in_word: bool,
    in_tag: bool,
    /// The number that is being read.
    number: String,
    before: Option<char>,
}

impl Reader {
    fn read(&mut self, folded: &str) {
        let mut rest = folded;
        while let Some(c) = rest.chars().next() {
            let skipped = address(rest, self.before)
                .or_else(|| entity(rest))
                .or_else(|| name(rest, self.before).inspect(|_| self.forget_announcement()));
            let length = skipped.unwrap_or_else(|| c.len_utf8());
            let (taken, left) = rest.split_at_checked(length).unwrap_or((rest, ""));
            if skipped.is_some() {
                self.end_word();
                self.before = Some(' ');
            } else {
                self.take(c, left.chars().next());
                self.before = taken.chars().last();
            }
            rest = left;
            if self.letters.len() >= MOST_KEPT {
                break;
            }
        }
    }

    fn take(&mut self, c: char, next: Option<char>) {
        if c.is_alphanumeric() {
            if !std::mem::replace(&mut self.in_word, true) {
                self.word = (self.letters.len(), self.numbers.len());
            }
            self.letters.push(c);
            if c.is_numeric() {
                self.number.push(c);
            } else {
                self.end_number();
            }
            return;
        }
        let inside = matches!(c, '.' | ',' | ':') && next.is_some_and(char::is_numeric) && !self.number.is_empty();
        // Neither an apostrophe nor a mark above a letter ends a word.
        if inside || is_combining_mark(c) || matches!(c, '\'' | '’' | '_') {
            return;
        }
        self.end_word();
        self.in_tag = c == '#';
    }

    fn end_number(&mut self) {
        let number = std::mem::take(&mut self.number);
        if !number.is_empty() && !self.in_tag && self.numbers.len() < MOST_NUMBERS {
            self.numbers.push(number);
        }
    }

    fn end_word(&mut self) {
        self.end_number();
        self.in_tag = false;
        // A text that begins with "RT" is one, also when the name is missing.
        if std::mem::take(&mut self.in_word) && self.word.0 == 0 && self.letters == ['r', 't'] {
            self.letters.clear();
        }
    }

    /// Before a name, the word that announces it goes too.
    fn forget_announcement(&mut self) {
        let last: String = self.letters.iter().skip(self.word.0).collect();
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

fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

/// Length of the address that begins here, also of one that was cut off.
fn address(rest: &str, before: Option<char>) -> Option<usize> {
    let begins = ["http:", "https:", "www."].iter().any(|scheme| rest.starts_with(scheme))
        || (!before.is_some_and(is_word) && ["pic.twitter.com/", "t.co/"].iter().any(|host| rest.starts_with(host)));
    // In scripts without spaces an address ends where ASCII does.
    begins.then(|| rest.find(|c: char| c.is_whitespace() || !c.is_ascii()).unwrap_or(rest.len()))
}

/// Length of the name of a person that begins here.
fn name(rest: &str, before: Option<char>) -> Option<usize> {
    let after = rest.strip_prefix('@').filter(|_| {
        // `rt@name` is one; `someone@example.com` is none.
        !before.is_some_and(is_word) || before == Some('t')
    })?;
    let length = after.find(|c: char| !is_word(c)).unwrap_or(after.len());
    (length > 0).then_some(length + 1)
}

/// Length of the escaped character that begins here.
fn entity(rest: &str) -> Option<usize> {
    let after = rest.strip_prefix('&')?;
    let length = after.find(|c: char| !is_word(c) && c != '#').filter(|at| (2..=8).contains(at))?;
    after.get(length..)?.starts_with(';').then_some(length + 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn letters(text: &str) -> String {
        Letters::of_text(text).letters.into_iter().collect()
    }

    #[test]
    fn what_copies_differ_in_is_gone() {
        for (text, left) in [
            ("RT @Jane_D: Rust 1.95 is OUT! https://t.co/aB3 via @rustlang", "rust195isout"),
            ("Rust 1.95 is out", "rust195isout"),
            ("RT Rust 1.95 is out!!! 🎉🎉", "rust195isout"),
            ("“@jane: Rust 1.95 is out” http://t.co/x", "rust195isout"),
            ("rt@jane Rust&nbsp;1.95 &amp; is #out", "rust195isout"),
            ("Rust 1.95 is out htt…", "rust195isout"),
            ("don't dont don’t", "dontdontdont"),
            ("mail jane@example.com", "mailjaneexamplecom"),
            ("詳細はhttp://example.com/aを見て", "詳細はを見て"),
            ("z\u{335}\u{311}a\u{336}lgo", "zalgo"),
            ("❤\u{fe0f} 👍🏽 👨\u{200d}👩", ""),
        ] {
            assert_eq!(letters(text), left, "{text:?}");
        }
    }

    #[test]
    fn numbers_are_kept_whole_and_without_those_of_tags() {
        let of = |text: &str| Letters::of_text(text).numbers;
        assert_eq!(of("M 6.4, 244km, 75,000 at 10:15 #p2 https://t.co/12"), ["1015", "244", "64", "75000"]);
        assert_eq!(of("call 03332602 …"), [""; 0]);
    }

    #[test]
    fn the_name_of_a_site_is_not_part_of_its_headline() {
        let of = |title: &str| Letters::of_title(title).letters.into_iter().collect::<String>();
        assert_eq!(of("A headline about a flood in Calgary - CBC News"), "aheadlineaboutafloodincalgary");
        assert_eq!(of("A headline about a flood in Calgary | The Globe"), "aheadlineaboutafloodincalgary");
        assert_eq!(of("Short - Title"), "shorttitle");
    }
}
