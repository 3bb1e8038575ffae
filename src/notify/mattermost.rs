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

/// Invisible and not a space: it joins the text on both sides into one word, and means nothing in Markdown.
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
        if is_address(bare.trim_end()) {
            address_into(&mut safe, bare);
        } else {
            bare.split_inclusive(char::is_whitespace).for_each(|word| word_into(&mut safe, word));
        }
        if bare.is_empty() && line.ends_with('\n') {
            safe.push('\n');
        }
    }
    safe
}

fn word_into(safe: &mut String, word: &str) {
    let mut rest = word;
    while let Some((before, from)) = split_at_address(rest) {
        before.chars().for_each(|c| sign_into(safe, c));
        let address = leading_address(from);
        address_into(safe, address);
        let after = from.get(address.len()..).unwrap_or_default();
        rest = after.trim_start_matches(|c| c == ')' || ends_sentence(c));
        // Mattermost would read a backslash as part of the address. These characters mean nothing without an open
        // bracket.
        safe.push_str(after.strip_suffix(rest).unwrap_or_default());
    }
    rest.chars().for_each(|c| sign_into(safe, c));
}

/// Whether a line is one address, as below an item of an alert.
fn is_address(line: &str) -> bool {
    ["https://", "http://"].iter().any(|scheme| line.starts_with(scheme)) && !line.contains(char::is_whitespace)
}

/// Writes an address. The characters that mean something in a message mean the same in it when they are encoded.
fn address_into(safe: &mut String, address: &str) {
    for c in address.chars() {
        match c {
            '@' | '$' | '\\' | '<' | '>' | '"' | '\'' => safe.push_str(&format!("%{:02X}", u32::from(c))),
            c if SIGNS.contains(c) && !matches!(c, '_' | '#' | '~') => safe.push_str(&format!("%{:02X}", u32::from(c))),
            c => safe.push(c),
        }
    }
}

/// Splits a word where its first address begins.
fn split_at_address(word: &str) -> Option<(&str, &str)> {
    let begin = ["https://", "http://"].iter().filter_map(|scheme| word.find(scheme)).min()?;
    word.split_at_checked(begin)
}

/// The address with which a word begins. A parenthesis that was opened before it ends it, as in `(address)` and
/// `[label](address)`; marks that end a sentence are not part of it.
fn leading_address(word: &str) -> &str {
    let mut open = 0_usize;
    let closes = |(_, c): &(usize, char)| match c {
        '(' => {
            open += 1;
            false
        }
        ')' => open.checked_sub(1).map(|left| open = left).is_none(),
        _ => false,
    };
    let end = word.char_indices().find(closes).map_or(word.len(), |(at, _)| at);
    word.get(..end).unwrap_or(word).trim_end_matches(ends_sentence)
}

fn ends_sentence(c: char) -> bool {
    c.is_whitespace() || matches!(c, '.' | ',' | ';' | ':' | '!' | '?' | '"' | '\'')
}

fn sign_into(safe: &mut String, c: char) {
    match c {
        // A backslash does not escape these; entities do.
        '&' => safe.push_str("&amp;"),
        '<' => safe.push_str("&lt;"),
        '>' => safe.push_str("&gt;"),
        '\\' => safe.push_str("&#92;"),
        '$' => safe.push_str("&#36;"),
        // No name of a user or channel starts with the joiner.
        '@' => safe.extend(['@', JOINER]),
        c if SIGNS.contains(c) => safe.extend(['\\', c]),
        c => safe.push(c),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn foreign_text_is_escaped_and_urls_stay_links() {
        for (text, safe) in [
            ("@channel @all, a@b.example", "@\u{2060}channel @\u{2060}all, a@\u{2060}b.example"),
            ("[Reset it](https://evil.example/login)", "\\[Reset it\\]\\(https://evil.example/login)"),
            (
                "*a* __b__ ~~c~~ `d` #e |f| !g $h$",
                "\\*a\\* \\_\\_b\\_\\_ \\~\\~c\\~\\~ \\`d\\` \\#e \\|f\\| \\!g &#36;h&#36;",
            ),
            ("<!channel> & \\*b", "&lt;\\!channel&gt; &amp; &#92;\\*b"),
            ("- a\n1. b\n+ c\n===\n# d\n> e", "\u{2060}- a\n\u{2060}1. b\n\u{2060}+ c\n\u{2060}===\n\\# d\n&gt; e"),
            ("\n\n      code\n\n", "\n\n  code\n\n"),
            ("https://a.example/x_(y)?a=1&b=#c.", "https://a.example/x_%28y%29?a=1&b=#c."),
            ("label (https://a.example/@b_c) · 3", "label \\(https://a.example/%40b_c) · 3"),
            ("([Reuters](https://a.example/x))", "\\(\\[Reuters\\]\\(https://a.example/x))"),
            ("(Reuters (https://a.example/x)).", "\\(Reuters \\(https://a.example/x))."),
            ("(https://a.example/x_(y))", "\\(https://a.example/x_%28y%29)"),
            (
                "[1](https://a.example/1)[2](https://b.example/2)",
                "\\[1\\]\\(https://a.example/1)\\[2\\]\\(https://b.example/2)",
            ),
            ("[Acme](https://a.example/n)'s", "\\[Acme\\]\\(https://a.example/n)'s"),
            ("See https://a.example/n! (https://a.example/n?).", "See https://a.example/n! \\(https://a.example/n?)."),
            ("    https://a.example/x)y\nnext", "  https://a.example/x%29y\nnext"),
            ("(see:https://a.example/n)", "\\(see:https://a.example/n)"),
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
