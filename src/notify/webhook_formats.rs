//! Requests of webhooks: our own JSON, or what Slack and ntfy accept. The bytes are the same in every try. `webhook`
//! sends them.

use url::Url;

use super::channel::{DeliveryError, one_line};
use super::plain_text;
use super::truncate::truncate;
use crate::model::{Message, Time};

/// Maximum number of characters of a text to Slack, as sent. It advises at most 4,000 and may split longer texts into
/// several messages; it cuts those of more than 40,000.
const SLACK: usize = 4_000;

/// Maximum number of bytes of a message to ntfy, which makes an attachment of more than 4,096.
const NTFY: usize = 3_500;

pub(super) fn written(body: &serde_json::Value) -> Result<Vec<u8>, DeliveryError> {
    serde_json::to_vec(body)
        .map_err(|e| DeliveryError::permanent(format!("the message cannot be written as JSON: {e}")))
}

pub(super) fn own_json(message: &Message, created_at: Time) -> Result<Vec<u8>, DeliveryError> {
    let data = message.data.as_deref().map(serde_json::from_str::<serde_json::Value>).transpose();
    written(&serde_json::json!({
        "event": message.event,
        "kind": message.kind,
        "created_at": created_at,
        "subject": message.subject,
        "text": message.text,
        "data": data.map_err(|e| DeliveryError::permanent(format!("its data is not valid JSON: {e}")))?,
    }))
}

/// Slack: `&`, `<` and `>` are its own syntax: with them, text from outside could mention everybody or hide where a
/// link leads. `*` and `_` are turned off.
pub(super) fn slack(message: &Message) -> Result<Vec<u8>, DeliveryError> {
    let escaped = |text: &str| text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    let escaped_length = |c: char| match c {
        '&' => 5,
        '<' | '>' => 4,
        _ => 1,
    };
    let subject = escaped(&one_line(&message.subject));
    let room = SLACK.saturating_sub(subject.chars().count() + 1);
    let words = truncate(&plain_text::words(message), room, escaped_length);
    let text = format!("{subject}\n{}", escaped(&words));
    written(&serde_json::json!({ "text": text, "mrkdwn": false, "unfurl_links": false, "unfurl_media": false }))
}

/// ntfy: the topic is the last part of the address. The message goes to the server itself, so that title and text may
/// hold any characters.
pub(super) fn ntfy(address: &Url, message: &Message) -> Result<(Url, Vec<u8>), DeliveryError> {
    let nowhere = || DeliveryError::permanent("its URL has no topic: write https://ntfy.example.com/my-topic");
    let mut server = address.clone();
    server.set_path(address.path().trim_end_matches('/'));
    let topic = server.path_segments().and_then(|mut parts| parts.next_back()).filter(|topic| !topic.is_empty());
    let topic = topic.ok_or_else(nowhere)?.to_owned();
    server.path_segments_mut().map_err(|()| nowhere())?.pop().push("");
    let text = truncate(&plain_text::words(message), NTFY, char::len_utf8);
    let title = one_line(&message.subject);
    let body = serde_json::json!({ "topic": topic, "title": title, "message": text, "tags": [message.kind] });
    Ok((server, written(&body)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(text: &str) -> Message {
        Message {
            event: "e".to_owned(),
            channel: "c".to_owned(),
            kind: "alert".to_owned(),
            subject: "[recalls] <!channel> & more\nnext".to_owned(),
            text: text.to_owned(),
            html: None,
            data: None,
        }
    }

    fn json(bytes: &[u8]) -> serde_json::Value {
        serde_json::from_slice(bytes).unwrap_or_default()
    }

    #[test]
    fn foreign_text_is_escaped_for_slack() {
        let body = slack(&message("<https://evil.example|here> & <!here>")).unwrap_or_default();
        let expected =
            "[recalls] &lt;!channel&gt; &amp; more next\n&lt;https://evil.example|here&gt; &amp; &lt;!here&gt;";
        assert_eq!((&json(&body)["text"], &json(&body)["mrkdwn"]), (&expected.into(), &false.into()));
    }

    #[test]
    fn subject_and_text_together_fit_into_one_message_of_slack() {
        for sign in ["é", "&", "<", "a&> "] {
            let subject = sign.repeat(300);
            let long = slack(&Message { subject, ..message(&sign.repeat(9_000)) }).unwrap_or_default();
            let text = json(&long)["text"].as_str().unwrap_or_default().to_owned();
            assert!((3_990..=4_000).contains(&text.chars().count()), "{sign}: {}", text.chars().count());
            assert!(text.ends_with("\n… (cut)"), "{text}");
        }
        let whole = slack(&message(&"é".repeat(3_900))).unwrap_or_default();
        assert!(json(&whole)["text"].as_str().is_some_and(|text| text.ends_with("éé")));
    }

    #[test]
    fn the_ntfy_topic_is_the_last_part_of_the_url() {
        let body = |address: &str, text: &str| ntfy(&Url::parse(address).ok()?, &message(text)).ok();
        for address in
            ["https://ntfy.example.com/base/alerts-of-mine", "https://ntfy.example.com/base/alerts-of-mine//"]
        {
            let (server, sent) =
                body(address, "words").unwrap_or_else(|| (Url::parse("x:y").expect("a URL"), Vec::new()));
            assert_eq!(server.as_str(), "https://ntfy.example.com/base/");
            assert_eq!((&json(&sent)["topic"], &json(&sent)["message"]), (&"alerts-of-mine".into(), &"words".into()));
        }
        assert!(body("https://ntfy.example.com/", "words").is_none());
        let cut = body("https://ntfy.example.com/t", &"☕".repeat(3_000))
            .map(|(_, sent)| json(&sent)["message"].to_string().len());
        assert!(cut.is_some_and(|bytes| bytes < 4_096), "{cut:?}");
    }
}
