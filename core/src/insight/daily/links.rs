//! Finds the links in a text, in order, each once. It does not check whether anything is stored for them.

use std::collections::BTreeSet;

/// The most links returned for a text.
const MOST: usize = 100;

/// Returns the links in a text and how many more different ones there are. A link ends at white space, a quote or an
/// angle bracket. A closing bracket that the link did not open, and punctuation at its end, are not part of it.
#[must_use]
pub fn extract_links(text: &str) -> (Vec<&str>, u64) {
    let mut seen = BTreeSet::new();
    let (mut all, mut more) = (Vec::new(), 0);
    let mut rest = text;
    while let Some(at) = next_link(rest) {
        let from = rest.get(at..).unwrap_or_default();
        let end = from.find(|c: char| c.is_whitespace() || matches!(c, '<' | '>' | '"' | '`' | '|' | '“' | '”'));
        let link = trim_link(from.get(..end.unwrap_or(from.len())).unwrap_or_default());
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

/// Returns where the next link begins.
fn next_link(text: &str) -> Option<usize> {
    ["http://", "https://"].iter().filter_map(|scheme| text.find(scheme)).min()
}

fn trim_link(link: &str) -> &str {
    // In Markdown, `](…)` ends at the bracket that the link did not open.
    let mut open = 0_u32;
    let mut end = link.len();
    for (at, c) in link.char_indices() {
        match c {
            '(' | '[' => open += 1,
            ')' | ']' if open == 0 => {
                end = at;
                break;
            }
            ')' | ']' => open -= 1,
            _ => {}
        }
    }
    link.get(..end).unwrap_or_default().trim_end_matches(['.', ',', ';', ':', '!', '?', '\'', '*', '_', '…'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_found_as_people_and_markdown_write_them() {
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
            ("javascript:alert(1) HTTPS", vec![]),
            ("“the thing https://t.co/ab…” https://t.co/c... https://t.co/d.", vec!["https://t.co/d"]),
        ] {
            assert_eq!(extract_links(text), (found, 0), "{text}");
        }
        assert_eq!(without_last_word("see https://a.example/b"), "see");
        let many: String = (0..130).map(|n| format!("https://a.example/{} ", n % 115)).collect();
        let (all, more) = extract_links(&many);
        assert_eq!((all.len(), more), (100, 15), "what is left out is counted");
    }
}
