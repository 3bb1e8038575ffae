//! Finds the comments in a TOML text and replaces some of them.

use std::ops::Range;

/// Returns the text with each comment that `matches` accepts replaced by `replacement`. A comment starts with its `#`.
#[must_use]
pub fn replace_comments(text: &str, replacement: &str, matches: impl Fn(&str) -> bool) -> String {
    let mut result = text.to_owned();
    for span in spans(text).into_iter().rev() {
        if text.get(span.clone()).is_some_and(&matches) {
            result.replace_range(span, replacement);
        }
    }
    result
}

/// Returns the comments in a text, without line ends.
pub(super) fn comments(text: &str) -> impl Iterator<Item = &str> {
    spans(text).into_iter().filter_map(move |span| text.get(span))
}

/// Returns the spans of comments, without line ends.
fn spans(text: &str) -> Vec<Range<usize>> {
    let (mut spans, mut at) = (Vec::new(), 0);
    while let Some(begin) = text.get(at..).and_then(|rest| rest.find(['#', '"', '\''])) {
        at += begin;
        let rest = text.get(at..).unwrap_or_default();
        at += if rest.starts_with('#') {
            let line = rest.find('\n').map_or(rest, |end| &rest[..end]);
            let line = line.strip_suffix('\r').unwrap_or(line);
            spans.push(at..at + line.len());
            line.len()
        } else {
            string(rest)
        };
    }
    spans
}

/// Returns the length of the string at the start of a text.
fn string(text: &str) -> usize {
    let quote = if text.starts_with('"') { '"' } else { '\'' };
    let three = if quote == '"' { "\"\"\"" } else { "'''" };
    let end = if text.starts_with(three) { three } else { &three[..1] };
    let mut at = end.len();
    while let Some(c) = text.get(at..).and_then(|rest| rest.chars().next()) {
        let rest = text.get(at..).unwrap_or_default();
        if quote == '"' && c == '\\' {
            // An escaped character ends nothing.
            at += 1 + rest.chars().nth(1).map_or(0, char::len_utf8);
        } else if rest.starts_with(end) {
            // In a run of quotes, the last ones end the string.
            let more = if end.len() == 3 { rest[3..].chars().take(2).take_while(|c| *c == quote).count() } else { 0 };
            return at + end.len() + more;
        } else if end.len() == 1 && c == '\n' {
            return at;
        } else {
            at += c.len_utf8();
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_are_distinguished_from_hash_signs_in_strings() {
        let text = "# one\r\nid = \"a # no\" # two \"x\"\nq = '# no' # three\nm = \"\"\"\n# no \\\"\"\"\n\"\"\"\"\" # four\n\
                    l = '''\n# no ''\n'''' # five 'é'\ne = \"\\\\\" # six\n#";
        let found: Vec<&str> = spans(text).into_iter().map(|span| &text[span]).collect();
        assert_eq!(found, ["# one", "# two \"x\"", "# three", "# four", "# five 'é'", "# six", "#"]);
        let without = replace_comments(text, "# -", |comment| comment.contains("two"));
        assert_eq!(without, text.replace("# two \"x\"", "# -"));
        for odd in ["", "\"", "'", "\"\\", "'''", "a = \"x\n# y", "\"\"\"\\"] {
            assert!(spans(odd).len() <= 1, "{odd}");
        }
    }
}
