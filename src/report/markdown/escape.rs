//! Escapes foreign text for Markdown, so that it contains no markup and does not become a link. `markdown` decides
//! where it is used.

/// Inserted between letters that a Markdown viewer would turn into a link. An entity would not help: many viewers look
/// for links after decoding entities.
const JOINER: char = '\u{2060}';

/// Escapes foreign text: no markup, and no bare address or mailbox becomes a link.
pub(in crate::report) fn escape(text: &str) -> String {
    escaped_as(text, true)
}

/// Escapes the text of a link, in which viewers make no further links.
pub(in crate::report) fn label(text: &str) -> String {
    escaped_as(text, false)
}

/// Formats something to be copied, such as a key, as code.
pub(in crate::report) fn code(text: &str) -> String {
    let plain = !text.is_empty() && !text.contains('`') && text.trim() == text;
    if plain { format!("`{text}`") } else { escape(text) }
}

fn escaped_as(text: &str, bare: bool) -> String {
    let mut safe = String::with_capacity(text.len());
    let mut before = None;
    let mut rest = text.chars();
    while let Some(c) = rest.next() {
        let after = rest.clone().next();
        match c {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            // A time of day does not become a link.
            ':' if bare && !after.is_some_and(|c| c.is_whitespace() || c.is_ascii_digit()) => {
                safe.extend([':', JOINER]);
            }
            '@' => {
                let mailbox = bare && before.is_some_and(|c: char| !c.is_whitespace());
                safe.extend(mailbox.then_some(JOINER));
                safe.push_str("&#64;");
                safe.extend(mailbox.then_some(JOINER));
            }
            '.' if bare && ends_in_www(&safe) => safe.extend([JOINER, '.']),
            '\\' | '`' | '*' | '_' | '[' | ']' | '(' | ')' | '#' | '|' | '!' | '~' | '$' => {
                safe.push('\\');
                safe.push(c);
            }
            _ => safe.push(c),
        }
        before = Some(c);
    }
    // At the beginning of a line these would start a list or a rule.
    let digits = safe.bytes().take_while(u8::is_ascii_digit).count();
    if safe.starts_with(['-', '+', '=']) {
        safe.insert(0, '\\');
    } else if digits > 0 && safe.get(digits..).is_some_and(|rest| rest.starts_with('.')) {
        safe.insert(digits, '\\');
    }
    safe
}

fn ends_in_www(text: &str) -> bool {
    let tail = text.len().checked_sub(3).and_then(|at| text.get(at..));
    tail.is_some_and(|tail| tail.eq_ignore_ascii_case("www"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn foreign_text_becomes_no_markup_and_no_link() {
        for (words, safe) in [
            ("[x](javascript:a)", "\\[x\\]\\(javascript:\u{2060}a\\)"),
            ("<img src=x onerror=y>", "&lt;img src=x onerror=y&gt;"),
            ("![a](b)", "\\!\\[a\\]\\(b\\)"),
            ("see wWw.evil.example", "see wWw\u{2060}.evil.example"),
            ("http://evil", "http:\u{2060}//evil"),
            ("mailto:joe@evil.com", "mailto:\u{2060}joe\u{2060}&#64;\u{2060}evil.com"),
            ("@a@evil.com", "&#64;a\u{2060}&#64;\u{2060}evil.com"),
            ("at 10:30: 1.5 items", "at 10:30: 1.5 items"),
            ("1. x", "1\\. x"),
            ("a|b `c` # d", "a\\|b \\`c\\` \\# d"),
            ("- x", "\\- x"),
        ] {
            assert_eq!(escape(words), safe);
            assert_eq!(label(words), safe.replace(JOINER, ""));
        }
        assert_eq!((code("post:x:1"), code("a`b c")), ("`post:x:1`".into(), "a\\`b c".into()));
    }
}
