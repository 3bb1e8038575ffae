//! Splits an answer into plain words and links, in Markdown or bare. Other Markdown is not rendered; emphasis marks are
//! removed.

use crate::insight::daily::extract_links;

/// A part of a line.
#[derive(Debug, PartialEq, Eq)]
pub enum Piece<'a> {
    /// Plain words.
    Words(String),
    /// A link: its label and its address.
    Link(&'a str, &'a str),
}

/// Returns the pieces of a line, in order.
#[must_use]
pub fn parse_line(line: &str) -> Vec<Piece<'_>> {
    let mut all = Vec::new();
    let mut rest = line;
    for address in extract_links(line).0 {
        let Some(at) = rest.find(address) else { continue };
        let (before, after) = (rest.get(..at).unwrap_or_default(), rest.get(at + address.len()..).unwrap_or_default());
        // `[label](address)`, the label on the same line.
        let labelled = before.strip_suffix("](").and_then(|before| Some((before, before.rfind('[')?)));
        match labelled.filter(|_| after.starts_with(')')) {
            Some((before, open)) => {
                words(before.get(..open).unwrap_or_default(), &mut all);
                all.push(Piece::Link(before.get(open + 1..).unwrap_or_default(), address));
                rest = after.get(1..).unwrap_or_default();
            }
            None => {
                // `[address](address)`: its first mention is the label.
                let own_label = before.strip_suffix('[').zip(end_of_own_label(address, after));
                let (before, after) = own_label.unwrap_or((before, after));
                words(before, &mut all);
                all.push(Piece::Link(address, address));
                rest = after;
            }
        }
    }
    words(rest, &mut all);
    all
}

/// Returns what follows a link whose label, its address, was just read.
fn end_of_own_label<'a>(address: &str, after: &'a str) -> Option<&'a str> {
    after.strip_prefix("](")?.strip_prefix(address)?.strip_prefix(')')
}

fn words(text: &str, all: &mut Vec<Piece<'_>>) {
    let text = text.replace("**", "").replace("__", "");
    if !text.is_empty() {
        all.push(Piece::Words(text));
    }
}

#[cfg(test)]
mod tests {
    use super::Piece::{Link, Words};
    use super::*;

    #[test]
    fn links_are_found_and_other_markdown_is_plain_text() {
        for (line, expected) in [
            (
                "**Most** liked [1](https://a.example/b), see http://c.example.",
                vec![
                    Words("Most liked ".into()),
                    Link("1", "https://a.example/b"),
                    Words(", see ".into()),
                    Link("http://c.example", "http://c.example"),
                    Words(".".into()),
                ],
            ),
            ("[x](javascript:alert(1)) <b>", vec![Words("[x](javascript:alert(1)) <b>".into())]),
            ("![i](https://a.example/i.png)", vec![Words("!".into()), Link("i", "https://a.example/i.png")]),
            (
                "see [https://a.example/x](https://a.example/x), [https://b.example](https://c.example)",
                vec![
                    Words("see ".into()),
                    Link("https://a.example/x", "https://a.example/x"),
                    Words(", [".into()),
                    Link("https://b.example", "https://b.example"),
                    Words("](".into()),
                    Link("https://c.example", "https://c.example"),
                    Words(")".into()),
                ],
            ),
            ("", vec![]),
        ] {
            assert_eq!(parse_line(line), expected, "{line}");
        }
    }
}
