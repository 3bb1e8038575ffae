//! Requests to Mattermost. It accepts what Slack accepts, but reads Markdown and mentions in every text and ignores
//! `mrkdwn` and `link_names`, so the text itself is escaped here.

use serde_json::json;

use super::channel::{DeliveryError, one_line};
use super::plain_text;
use super::truncate::truncate;
use super::webhook_formats::written;
use crate::model::Message;

/// Maximum number of characters of a message before escaping, which makes at most five of each: a post holds 16,383.
const LONGEST: usize = 3_000;

/// Invisible, and no space: text on both sides of it is one word, and it has no meaning in Markdown.
const JOINER: char = '\u{2060}';

/// Characters that its Markdown reads within a line, and shows as they are after a backslash.
const SIGNS: &str = "*_~`|#[](){}!";

pub(super) fn mattermost(message: &Message) -> Result<Vec<u8>, DeliveryError> {
    let words = truncate(&plain_text::words(message), LONGEST, |_| 1);
    let text = format!("{}\n{}", one_line(&message.subject), words);
    written(&json!({ "text": escaped(&text) }))
}

/// Escapes a text so that it is shown as it is. Addresses stay links.
fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        let bare = line.trim_start();
        // Four spaces would make code of it.
        safe.extend(line.chars().take_while(|c| c.is_whitespace() && *c != '\n').map(|_| ' ').take(2));
        // Lists, rules and headings are marked at the start of a line.
        if bare.starts_with(|c: char| matches!(c, '-' | '+' | '=') || c.is_ascii_digit()) {
            safe.push(JOINER);
        }
        for word in bare.split_inclusive(char::is_whitespace) {
            word_into(&mut safe, word);
        }
        if bare.is_empty() && line.ends_with('\n') {
            safe.push('\n');
        }
    }
    safe
}

fn word_into(safe: &mut String, word: &str) {
    let begin = ["https://", "http://"].iter().filter_map(|scheme| word.find(scheme)).min();
    let Some((before, address)) = begin.and_then(|at| word.split_at_checked(at)) else {
        return word.chars().for_each(|c| sign_into(safe, c));
    };
    let ends = |c: char| c.is_whitespace() || matches!(c, '.' | ',' | ';' | ':' | '!' | '?' | '"' | '\'');
    let mut bare = address.trim_end_matches(ends);
    // Of `(address)` only the address.
    if before.ends_with('(') {
        bare = bare.strip_suffix(')').unwrap_or(bare);
    }
    before.chars().for_each(|c| sign_into(safe, c));
    for c in bare.chars() {
        // In an address these characters mean the same when they are encoded.
        match c {
            '@' | '$' | '\\' | '<' | '>' | '"' | '\'' => safe.push_str(&format!("%{:02X}", u32::from(c))),
            c if SIGNS.contains(c) && !matches!(c, '_' | '#' | '~') => safe.push_str(&format!("%{:02X}", u32::from(c))),
            c => safe.push(c),
        }
    }
    address[bare.len()..].chars().for_each(|c| sign_into(safe, c));
}

fn sign_into(safe: &mut String, c: char) {
    match c {
        // A backslash does not escape these; entities do.
        '&' => safe.push_str("&amp;"),
        '<' => safe.push_str("&lt;"),
        '>' => safe.push_str("&gt;"),
        '\\' => safe.push_str("&#92;"),
        '$' => safe.push_str("&#36;"),
        // No user and no channel has a name that begins with the joiner.
        '@' => safe.extend(['@', JOINER]),
        c if SIGNS.contains(c) => safe.extend(['\\', c]),
        c => safe.push(c),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn foreign_words_are_words_and_addresses_are_links() {
        for (text, safe) in [
            ("@channel @all, a@b.example", "@\u{2060}channel @\u{2060}all, a@\u{2060}b.example"),
            ("[Reset it](https://evil.example/login)", "\\[Reset it\\]\\(https://evil.example/login\\)"),
            (
                "*a* __b__ ~~c~~ `d` #e |f| !g $h$",
                "\\*a\\* \\_\\_b\\_\\_ \\~\\~c\\~\\~ \\`d\\` \\#e \\|f\\| \\!g &#36;h&#36;",
            ),
            ("<!channel> & \\*b", "&lt;\\!channel&gt; &amp; &#92;\\*b"),
            ("- a\n1. b\n+ c\n===\n# d\n> e", "\u{2060}- a\n\u{2060}1. b\n\u{2060}+ c\n\u{2060}===\n\\# d\n&gt; e"),
            ("\n\n      code\n\n", "\n\n  code\n\n"),
            ("https://a.example/x_(y)?a=1&b=#c.", "https://a.example/x_%28y%29?a=1&b=#c."),
            ("label (https://a.example/@b_c) · 3", "label \\(https://a.example/%40b_c\\) · 3"),
        ] {
            assert_eq!(escaped(text), safe, "{text}");
        }
    }

    #[test]
    fn the_longest_message_fits_into_one_post() {
        let (event, channel, kind) = ("e".to_owned(), "c".to_owned(), "alert".to_owned());
        let subject = "&".repeat(9_000);
        let message = Message { event, channel, kind, text: subject.clone(), subject, html: None, data: None };
        let body: serde_json::Value =
            serde_json::from_slice(&mattermost(&message).unwrap_or_default()).unwrap_or_default();
        let length = body["text"].as_str().map(|text| text.chars().count());
        assert!(length.is_some_and(|length| (15_000..=16_383).contains(&length)), "{length:?}");
    }
}
