//! Requests to Telegram, Discord, Teams and Apprise servers. Text from outside stays text: no markup, no mention, no
//! preview. Text that is too long is cut within the service's limit. `webhook` sends the requests.

use secrecy::{ExposeSecret as _, SecretString};
use serde_json::{Value, json};
use url::Url;

use super::channel::{DeliveryError, one_line};
use super::plain_text;
use super::truncate::{CUT, truncate, without_cut_address};
use super::webhook_formats::written;
use crate::model::{JobKind, Message, whole_start};

/// Telegram's limit of a message, in UTF-16 units.
const TELEGRAM: usize = 4_096;

/// Discord's limit of the text of an embed, in UTF-16 units. All embeds together may hold 6,000, and the message itself
/// 2,000.
const DISCORD: usize = 4_096;

/// Maximum number of bytes of a request to Teams, which refuses about 28 KB; text that is not ASCII may grow on the
/// way.
const TEAMS: usize = 20_000;

/// Maximum number of bytes of a text to an Apprise server, which shortens it again for each of its services.
const APPRISE: usize = 100_000;

/// Telegram: without `parse_mode` each character is shown as it is. The token is part of the path.
pub(super) fn telegram(
    base: &Url,
    token: Option<&SecretString>,
    chat: &str,
    message: &Message,
) -> Result<(Url, Vec<u8>), DeliveryError> {
    let token = token.ok_or_else(|| DeliveryError::permanent("it has no bot token"))?;
    let mut address = base.clone();
    let mut path =
        address.path_segments_mut().map_err(|()| DeliveryError::permanent("its URL is neither http nor https"))?;
    path.pop_if_empty().push(&format!("bot{}", token.expose_secret())).push("sendMessage");
    drop(path);
    let chat = chat.parse::<i64>().map_or_else(|_| json!(chat), |number| json!(number));
    let text = format!("{}\n\n{}", one_line(&message.subject), plain_text::words(message).trim_end());
    let body = json!({
        "chat_id": chat,
        "text": truncate(&text, TELEGRAM, char::len_utf16),
        "link_preview_options": { "is_disabled": true },
    });
    Ok((address, written(&body)?))
}

/// Discord: the subject is the message, so that a notification shows it; the text is an embed, which holds twice as
/// much. Without `wait=true` it answers before it knows whether it accepts the message.
pub(super) fn discord(address: &Url, message: &Message) -> Result<(Url, Vec<u8>), DeliveryError> {
    let mut address = address.clone();
    let kept: Vec<(String, String)> =
        address.query_pairs().filter(|(name, _)| name != "wait").map(|(a, b)| (a.into(), b.into())).collect();
    address.query_pairs_mut().clear().extend_pairs(kept).append_pair("wait", "true");
    let text = if plain_text::is_markdown(message) {
        plain_text::convert_for_discord(&message.text)
    } else {
        plain_text::escape_for_discord(&message.text)
    };
    let text = truncate(text.trim_end(), DISCORD, char::len_utf16);
    // An embed without words is refused.
    let embeds: Vec<Value> = (!text.is_empty()).then(|| json!({ "description": text })).into_iter().collect();
    let body = json!({
        "content": plain_text::escape_for_discord(&one_line(&message.subject)),
        "embeds": embeds,
        "allowed_mentions": { "parse": [] },
    });
    Ok((address, written(&body)?))
}

/// Teams: a card of text runs, in which no Markdown is read. Each line is a block of its own.
pub(super) fn teams(message: &Message) -> Result<Vec<u8>, DeliveryError> {
    let run = |text: &str, more: Value| {
        let mut run = json!({ "type": "TextRun", "text": text });
        if let (Value::Object(run), Value::Object(more)) = (&mut run, more) {
            run.extend(more);
        }
        json!({ "type": "RichTextBlock", "inlines": [run] })
    };
    let mut blocks = vec![run(&one_line(&message.subject), json!({ "weight": "Bolder", "size": "Medium" }))];
    let card = |blocks: &[Value]| {
        json!({
            "type": "message",
            "attachments": [{
                "contentType": "application/vnd.microsoft.card.adaptive",
                "contentUrl": null,
                "content": {
                    "$schema": "http://adaptivecards.io/schemas/adaptive-card.json",
                    "type": "AdaptiveCard",
                    "version": "1.2",
                    "msteams": { "width": "Full" },
                    "body": blocks,
                },
            }],
        })
    };
    // Reserves room for the mark of a cut.
    let mark = run(CUT.trim_start(), json!({}));
    let mut size = written(&card(&blocks))?.len() + written(&mark)?.len() + 1;
    for line in plain_text::words(message).lines().filter(|line| !line.trim().is_empty()) {
        let block = run(line, json!({}));
        let more = written(&block)?.len() + 1;
        if size + more > TEAMS {
            // As much of a long line as fits: a character takes at most six bytes in JSON.
            let room = (TEAMS - size).saturating_sub(100) / 6;
            let part = whole_start(line, room, |_| 1);
            let part = without_cut_address(part, line.get(part.len()..).unwrap_or_default());
            blocks.extend((!part.trim().is_empty()).then(|| run(part, json!({}))));
            blocks.push(mark);
            break;
        }
        size += more;
        blocks.push(block);
    }
    written(&card(&blocks))
}

/// Apprise: the request names its kind of text, and the server converts it for each service.
pub(super) fn apprise(tag: Option<&str>, message: &Message) -> Result<Vec<u8>, DeliveryError> {
    let mut body = json!({
        "title": one_line(&message.subject),
        "body": truncate(&message.text, APPRISE, char::len_utf8),
        "type": if message.kind == JobKind::Alert.as_str() { "warning" } else { "info" },
        "format": if plain_text::is_markdown(message) { "markdown" } else { "text" },
    });
    if let (Some(tag), Value::Object(body)) = (tag, &mut body) {
        body.insert("tag".to_owned(), json!(tag));
    }
    written(&body)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests fail by panicking")]
    use super::*;

    fn message(kind: JobKind, text: &str) -> Message {
        Message {
            event: "e".to_owned(),
            channel: "c".to_owned(),
            kind: kind.as_str().to_owned(),
            subject: "[recalls] <@&7> *acme*\nnext".to_owned(),
            text: text.to_owned(),
            html: None,
            data: None,
        }
    }

    fn json(bytes: &[u8]) -> Value {
        serde_json::from_slice(bytes).unwrap()
    }

    #[test]
    fn long_texts_are_cut_to_the_limit_of_each_service() {
        let units = |value: &Value| value.as_str().unwrap().encode_utf16().count();
        let (url, token) = (Url::parse("https://api.example/").unwrap(), SecretString::from("42:abc"));
        // One unit of UTF-16, two units, a character of six bytes in JSON, one that is escaped for Discord.
        for letter in ["a", "☕", "🦀", "\u{1}", "*", "\\", "\n", "ab\n\n"] {
            for length in [0, 1, 1_990, 4_000, 4_090, 4_096, 4_100, 5_000, 30_000] {
                let text: String = letter.chars().cycle().take(length).collect();
                for kind in [JobKind::Report, JobKind::Alert] {
                    let message = message(kind, &text);
                    let case = format!("{length} times {letter:?}, {kind}");
                    let sent = json(&telegram(&url, Some(&token), "@team", &message).unwrap().1);
                    assert!((1..=4_096).contains(&units(&sent["text"])), "{case}");
                    let sent = json(&discord(&url, &message).unwrap().1);
                    assert!((1..=2_000).contains(&units(&sent["content"])), "{case}");
                    if let Some(embed) = sent["embeds"].get(0) {
                        assert!((1..=4_096).contains(&units(&embed["description"])), "{case}");
                    }
                    let sent = teams(&message).unwrap();
                    assert!(sent.len() <= TEAMS, "{case}: {}", sent.len());
                    let blocks = json(&sent)["attachments"][0]["content"]["body"].as_array().unwrap().clone();
                    assert!(blocks.iter().all(|block| !block["inlines"][0]["text"].as_str().unwrap().is_empty()));
                    let sent = json(&apprise(None, &message).unwrap());
                    assert!(sent["body"].as_str().unwrap().len() <= APPRISE, "{case}");
                }
            }
        }
    }

    #[test]
    fn a_text_within_the_limit_is_whole_and_a_cut_one_is_marked() {
        let text = truncate(&"é".repeat(4_096), 4_096, char::len_utf16);
        assert_eq!(text.chars().count(), 4_096);
        let cut = truncate(&"🦀".repeat(2_049), 4_096, char::len_utf16);
        assert_eq!(cut, format!("{}{CUT}", "🦀".repeat(2_044)));
        assert_eq!(truncate("abc\\\\defghijk", 13, char::len_utf8), "abc\\\\defghijk");
        assert_eq!(truncate("abc\\\\defghijklmn", 15, char::len_utf8), "abc\n… (cut)");
        let lines: String = (0..2_000).map(|n| format!("line {n}\n")).collect();
        let card = json(&teams(&message(JobKind::Alert, &lines)).unwrap());
        let blocks = card["attachments"][0]["content"]["body"].as_array().unwrap().clone();
        let text = |n: usize| blocks[n]["inlines"][0]["text"].as_str().unwrap();
        assert_eq!((text(1), text(2), text(blocks.len() - 1)), ("line 0", "line 1", "… (cut)"));
        assert!(blocks.len() > 200, "{}", blocks.len());
    }

    #[test]
    fn a_card_ends_after_a_whole_emoji() {
        for before in 0..5 {
            let text = format!("{}{}", "a".repeat(before), "👩‍👩‍👧".repeat(2_000));
            let card = json(&teams(&message(JobKind::Alert, &text)).unwrap());
            let blocks = card["attachments"][0]["content"]["body"].as_array().unwrap().clone();
            let text = blocks[blocks.len() - 2]["inlines"][0]["text"].as_str().unwrap();
            assert_eq!((text.chars().count() - before) % 5, 0, "{before}");
        }
    }
}
