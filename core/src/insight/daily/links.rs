//! Finds the links in a text, in order, each once. It does not check whether anything is stored for them.
//!
//! Nearly every address in a post is ASCII, with anything else percent-encoded, and scripts without spaces continue
//! right after it: `https://t.co/abを見て`. Some addresses have letters of any script: `https://ja.example/wiki/日本`. So
//! punctuation and symbols beyond ASCII end an address. Letters of scripts with spaces between words belong to it.
//! Letters of other scripts belong to it only at the start of a part of it, or after such a letter. After an ASCII
//! letter or digit, they are the text that follows.

use std::collections::BTreeSet;

use unicode_normalization::char::is_combining_mark;

/// The most links returned for a text.
const MOST: usize = 100;

/// Returns the links in a text and how many more different ones there are. A link ends at white space, a quote, an angle
/// bracket, or where the text goes on in another script. A closing bracket that the link did not open, and punctuation at
/// its end, are not part of it.
#[must_use]
pub fn extract_links(text: &str) -> (Vec<&str>, u64) {
    let mut seen = BTreeSet::new();
    let (mut all, mut more) = (Vec::new(), 0);
    let mut rest = text;
    while let Some(at) = next_link(rest) {
        let from = rest.get(at..).unwrap_or_default();
        let link = trim_link(from.get(..end_of_link(from)).unwrap_or_default());
        // A shortened link leads elsewhere or nowhere.
        let rest_of = from.get(link.len()..).unwrap_or_default();
        let shortened = rest_of.starts_with('…') || rest_of.starts_with("...");
        if link.len() > "https://".len() && !shortened && seen.insert(link) {
            if all.len() < MOST {
                all.push(link);
            } else {
                more += 1;
            }
        }
        rest = from.get(link.len().max("http".len())..).unwrap_or_default();
    }
    (all, more)
}

/// Returns the text without its last word, which a cut may have shortened.
#[must_use]
pub fn without_last_word(text: &str) -> &str {
    text.rfind(char::is_whitespace).and_then(|at| text.get(..at)).unwrap_or_default()
}

/// Returns where the next link begins. The scheme may be in capitals: phones write them at the start of a sentence.
fn next_link(text: &str) -> Option<usize> {
    text.match_indices("://").find_map(|(at, _)| {
        let begins = |scheme: &str| {
            let begin = at.checked_sub(scheme.len())?;
            text.get(begin..at).filter(|written| written.eq_ignore_ascii_case(scheme)).map(|_| begin)
        };
        begins("https").or_else(|| begins("http"))
    })
}

/// Returns the end of the link at the start of a text, by the rule at the top of this file.
fn end_of_link(text: &str) -> usize {
    // Whether a letter of a script without spaces was part of it, in the host or after it.
    let (mut in_host, mut has_dense) = (true, false);
    let (mut before, mut open) = ('/', 0_u32);
    let mut rest = text.char_indices().skip("http://".len()).peekable();
    while let Some((at, c)) = rest.next() {
        let next = || rest.clone().next().map(|(_, next)| next);
        let belongs = match c {
            '<' | '>' | '"' | '`' | '|' => false,
            // In Markdown, `](…)` ends at the bracket that the link did not open.
            ')' | ']' if open == 0 => false,
            _ if c.is_ascii() => !c.is_whitespace() && !c.is_ascii_control(),
            // Some page titles have these between their words.
            '·' | '・' => is_dense(before) && next().is_some_and(is_dense),
            '–' => before.is_alphanumeric() && next().is_some_and(char::is_alphanumeric),
            _ if is_dense(c) => {
                let starts = matches!(before, '/' | '=' | '&' | '-' | '_' | '+' | '#' | '(' | ':' | '·' | '・')
                    || in_host && before == '.';
                has_dense = has_dense || starts;
                has_dense
            }
            _ => c.is_alphanumeric() || is_combining_mark(c),
        };
        if !belongs {
            return at;
        }
        match c {
            '(' | '[' => open += 1,
            ')' | ']' => open -= 1,
            '/' | '?' | '#' if in_host && before != '/' => (in_host, has_dense) = (false, false),
            _ => {}
        }
        before = c;
    }
    text.len()
}

/// Whether a letter is of a script without spaces between words, or is Korean, where endings follow a word directly.
fn is_dense(c: char) -> bool {
    let of_script = matches!(c,
        '\u{0E00}'..='\u{0EFF}' | '\u{1000}'..='\u{109F}' | '\u{1100}'..='\u{11FF}' | '\u{1780}'..='\u{17FF}'
        | '\u{2E80}'..='\u{2FDF}' | '\u{3005}'..='\u{3007}' | '\u{3021}'..='\u{30FA}' | '\u{30FC}'..='\u{31FF}'
        | '\u{3400}'..='\u{4DBF}' | '\u{4E00}'..='\u{9FFF}' | '\u{A960}'..='\u{A97F}' | '\u{AC00}'..='\u{D7FF}'
        | '\u{F900}'..='\u{FAFF}' | '\u{FF66}'..='\u{FFDC}' | '\u{20000}'..='\u{3FFFF}');
    of_script && (c.is_alphanumeric() || is_combining_mark(c))
}

/// Returns a link without the punctuation of the sentence around it.
fn trim_link(link: &str) -> &str {
    link.trim_end_matches(['.', ',', ';', ':', '!', '?', '\'', '*', '_', '…'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_are_found_in_plain_text_and_markdown() {
        for (text, found) in [
            (
                "see https://a.example/b, and (http://c.example/d_(e)).",
                vec!["https://a.example/b", "http://c.example/d_(e)"],
            ),
            ("[1](https://x.com/i/status/12) [2](https://x.com/i/status/12).", vec!["https://x.com/i/status/12"]),
            (
                "<https://a.example/?q=1&r=2> \"https://b.example\"",
                vec!["https://a.example/?q=1&r=2", "https://b.example"],
            ),
            ("https:// http://)https://c.example", vec!["https://c.example"]),
            ("javascript:alert(1) HTTPS ://a.example", vec![]),
            ("Https://a.example/B HTTP://c.example", vec!["Https://a.example/B", "HTTP://c.example"]),
            ("“the thing https://t.co/ab…” https://t.co/c... https://t.co/d.", vec!["https://t.co/d"]),
        ] {
            assert_eq!(extract_links(text), (found, 0), "{text}");
        }
        // One pass: a search from each link to the end of the text would take minutes.
        let long = "https://a.example/b)".repeat(20_000);
        assert_eq!(extract_links(&long), (vec!["https://a.example/b"], 0));
        assert_eq!(without_last_word("see https://a.example/b"), "see");
        let many: String = (0..130).map(|n| format!("https://a.example/{} ", n % 115)).collect();
        let (all, more) = extract_links(&many);
        assert_eq!((all.len(), more), (100, 15), "what is left out is counted");
    }

    #[test]
    fn urls_end_where_text_of_another_script_begins() {
        let afters = "。|、|，|）|」|』|】|》|！|？|：|；|”|’|»|،|؛|؟|۔|।|·|・|—|　|🔥|\u{200B}|에서 봤다|を見て|レポート|看到|จาก";
        for after in afters.split('|') {
            for link in ["https://t.co/aB3", "https://a.example", "https://a.example/b_(c)", "https://a.example/%E6"] {
                let text = format!("（{link}{after} https://t.co/d");
                assert_eq!(extract_links(&text).0, [link, "https://t.co/d"], "{text}");
            }
        }
        for (text, link) in [
            ("https://münchen.example/straße?wörter=größe, und", "https://münchen.example/straße?wörter=größe"),
            ("https://пример.example/путь/до.", "https://пример.example/путь/до"),
            ("https://مثال.example/مسار؟", "https://مثال.example/مسار"),
            ("https://ja.example/wiki/日本。次は", "https://ja.example/wiki/日本"),
            ("https://ja.example/wiki/ジョン・スミス_(作家)」", "https://ja.example/wiki/ジョン・スミス_(作家)"),
            ("https://例え.テスト/パスa字?q=語&r=1#節、", "https://例え.テスト/パスa字?q=語&r=1#節"),
            ("http://例え.example/a", "http://例え.example/a"),
            ("https://hi.example/हिन्दी।", "https://hi.example/हिन्दी"),
            ("https://th.example/ที่นี่ ดู", "https://th.example/ที่นี่"),
            ("https://t.co/aB3.다음", "https://t.co/aB3"),
            ("https://a.example/b?그래", "https://a.example/b"),
            ("https://en.example/Kerr–Newman – why", "https://en.example/Kerr–Newman"),
        ] {
            assert_eq!(extract_links(text).0, [link], "{text}");
        }
        assert_eq!(extract_links("https://例…").0, [""; 0], "shortened");
    }

    proptest::proptest! {
        #[test]
        fn every_link_is_part_of_the_text_and_has_a_scheme(text in "(https?://|HTTPS://|[a-z]|[/.:(){}\\]?=·…]|[日本のé한ที]|\\PC| ){0,40}") {
            for link in extract_links(&text).0 {
                proptest::prop_assert!(text.contains(link) && link.to_ascii_lowercase().starts_with("http"), "{link}");
                proptest::prop_assert!(!link.contains(char::is_whitespace), "{link}");
            }
        }
    }
}
