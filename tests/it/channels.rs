//! Telegram, Discord, Teams and Apprise, each against a fake server that accepts what the public documentation allows
//! and refuses the rest: reports and alerts through the binary, the services' answers, and that no secret is shown.

use std::time::Duration;

use secrecy::SecretString;
use serde_json::{Value, json};
use topicwatch::model::{Message, Time, WebhookFormat};
use topicwatch::notify::{Channel, DeliveryError, Endpoint};

use crate::support::databases::{databases, sqlite};
use crate::support::program::Place;
use crate::support::receivers::{Answer, ReceivedRequest, WebhookServer};
use crate::support::world::{ScriptedService, hour, post};

const TOKEN: &str = "8123456:AAtheB0T-s3cret_part";
const NOW: Time = Time(1_773_219_600_000);
/// Post text that would be markup, a mention or a command in some service.
const HOSTILE: &str = "a recall of [link](https://evil.example) @everyone <@42> <!channel> *b* `c` & {{DATE()}}";

/// All four channels, each at its own path of the fake server.
fn channels(hook: &WebhookServer) -> String {
    let hook = |path: &str| hook.url_of(path);
    format!(
        "[[channels]]\nname = \"telegram\"\nkind = \"telegram\"\nurl = \"{}\"\nchat = \"-1001234567890\"\ntoken_env = \"BOT\"\nallow_private = true\n\n\
         [[channels]]\nname = \"discord\"\nkind = \"discord\"\nurl_env = \"DISCORD\"\nallow_private = true\n\n\
         [[channels]]\nname = \"teams\"\nkind = \"teams\"\nurl_env = \"TEAMS\"\nallow_private = true\n\n\
         [[channels]]\nname = \"apprise\"\nkind = \"apprise\"\nurl = \"{}\"\ntag = \"devops\"\nallow_private = true\n",
        hook("/base/"),
        hook("/notify/KEYKEYKEY"),
    )
}

fn run(place: &Place, hook: &WebhookServer, args: &[&str]) -> crate::support::program::ProgramOutput {
    let program = place.program(args).env("BOT", TOKEN);
    let program = program.env("DISCORD", &hook.url_of("/api/webhooks/1/DISCORDT0KEN?thread_id=7"));
    program.env("TEAMS", &hook.url_of("/workflows/1/triggers/manual/paths/invoke?sig=TEAMSSIG")).run()
}

fn units(value: &Value) -> usize {
    value.as_str().map_or(0, |text| text.encode_utf16().count())
}

/// The channel of a request. Panics when its service would refuse it: each accepts only what its documentation names.
fn channel_of_request(got: &ReceivedRequest) -> &'static str {
    let line = got.head.lines().next().unwrap_or_default();
    let path = line.strip_prefix("POST ").and_then(|rest| rest.split(' ').next()).unwrap_or_else(|| panic!("{line}"));
    assert_eq!(got.header("content-type"), Some("application/json"));
    assert!(got.header("X-Topicwatch-Event").is_none() && got.header("X-Topicwatch-Signature").is_none());
    let body = got.json();
    let keys: Vec<&str> = body.as_object().unwrap().keys().map(String::as_str).collect();
    match path {
        "/base/bot8123456:AAtheB0T-s3cret_part/sendMessage" => {
            assert_eq!(keys, ["chat_id", "link_preview_options", "text"], "no parse_mode: nothing is markup");
            assert_eq!(body["chat_id"], -1_001_234_567_890_i64);
            assert_eq!(body["link_preview_options"], json!({ "is_disabled": true }));
            assert!((1..=4_096).contains(&units(&body["text"])), "{body}");
            "telegram"
        }
        "/api/webhooks/1/DISCORDT0KEN?thread_id=7&wait=true" => {
            assert_eq!(keys, ["allowed_mentions", "content", "embeds"]);
            assert_eq!(body["allowed_mentions"], json!({ "parse": [] }), "people named in a post are not notified");
            assert!((1..=2_000).contains(&units(&body["content"])), "{body}");
            let embeds = body["embeds"].as_array().unwrap();
            assert_eq!((embeds.len(), embeds[0].as_object().unwrap().len()), (1, 1));
            assert!((1..=4_096).contains(&units(&embeds[0]["description"])), "{body}");
            "discord"
        }
        "/workflows/1/triggers/manual/paths/invoke?sig=TEAMSSIG" => {
            assert!(got.body.len() < 28_000, "{}", got.body.len());
            assert_eq!((keys.as_slice(), &body["type"]), (&["attachments", "type"][..], &"message".into()));
            let card = &body["attachments"][0];
            assert_eq!(card["contentType"], "application/vnd.microsoft.card.adaptive");
            assert_eq!(
                (&card["content"]["type"], &card["content"]["version"]),
                (&"AdaptiveCard".into(), &"1.2".into())
            );
            for block in card["content"]["body"].as_array().unwrap() {
                // The kinds of text in which Teams reads no Markdown.
                assert_eq!(
                    (&block["type"], &block["inlines"][0]["type"]),
                    (&"RichTextBlock".into(), &"TextRun".into())
                );
                assert!(units(&block["inlines"][0]["text"]) > 0, "{block}");
            }
            "teams"
        }
        "/notify/KEYKEYKEY" => {
            assert_eq!(keys, ["body", "format", "tag", "title", "type"]);
            assert!(["info", "success", "warning", "failure"].iter().any(|kind| body["type"] == *kind));
            assert!(["text", "markdown"].iter().any(|format| body["format"] == *format));
            assert_eq!(body["tag"], "devops");
            assert!(units(&body["title"]) > 0 && units(&body["body"]) > 0, "{body}");
            "apprise"
        }
        other => panic!("nobody is there: {other}"),
    }
}

/// All text of a request, as readers see it.
fn all_text(got: &ReceivedRequest) -> String {
    let body = got.json();
    match channel_of_request(got) {
        "telegram" => body["text"].as_str().unwrap().to_owned(),
        "discord" => {
            format!("{}\n{}", body["content"].as_str().unwrap(), body["embeds"][0]["description"].as_str().unwrap())
        }
        "apprise" => format!("{}\n{}", body["title"].as_str().unwrap(), body["body"].as_str().unwrap()),
        _ => {
            let blocks = body["attachments"][0]["content"]["body"].as_array().unwrap();
            blocks.iter().map(|block| block["inlines"][0]["text"].as_str().unwrap()).collect::<Vec<_>>().join("\n")
        }
    }
}

#[test]
fn reports_and_alerts_follow_the_format_of_each_chat_service() {
    for database in databases() {
        let (world, hook) = (
            ScriptedService::new(),
            WebhookServer::answering(|_| Answer::Say("200 OK\r\ncontent-length: 11\r\n\r\n{\"ok\":true}")),
        );
        let all = "[\"telegram\", \"discord\", \"teams\", \"apprise\"]";
        let rest = format!(
            "[[topics]]\nid = \"acme\"\nquery = \"acme\"\nsources = [\"social\"]\nevery = \"1h\"\n\n\
             [[alerts]]\nname = \"recalls\"\nrule = \"items\"\nchannels = {all}\n\n\
             [[reports]]\nname = \"all\"\ntitle = \"What_happened\"\nwindow = \"since_last\"\nevery = \"3h\"\nchannels = {all}\n\n{}",
            channels(&hook)
        );
        let place = Place::new(database, &world.lines(), &rest);
        let due = |n: u32| {
            let ended = run(&place, &hook, &["once", "--due", "--at", &hour(n)]);
            assert_eq!(ended.code, Some(0), "{ended}");
        };
        due(22);
        due(23);
        world.set_posts(&[post(1, 23, HOSTILE, 1)]);
        due(24);
        let is_report = |got: &ReceivedRequest| all_text(got).contains("What matters");
        let alerts: Vec<ReceivedRequest> = hook.received().into_iter().filter(|got| !is_report(got)).collect();
        let mut of: Vec<&str> = alerts.iter().map(channel_of_request).collect();
        of.sort_unstable();
        assert_eq!(of, ["apprise", "discord", "teams", "telegram"], "{}", place.database.name);
        for got in &alerts {
            let (channel, words) = (channel_of_request(got), all_text(got));
            match channel {
                "discord" => {
                    let safe = "a recall of \\[link\\]\\(https://evil.example\\) @everyone \\<@42\\> \\<!channel\\> \\*b\\* \\`c\\` & ";
                    assert!(words.contains(safe), "{words}");
                    assert!(words.starts_with("\\[recalls\\] acme: 1 new item"), "{words}");
                }
                _ => assert!(
                    words.contains(HOSTILE) && words.starts_with("[recalls] acme: 1 new item"),
                    "{channel}: {words}"
                ),
            }
        }
        let apprise = |all: &[ReceivedRequest]| {
            all.iter().find(|got| channel_of_request(got) == "apprise").map(ReceivedRequest::json).unwrap()
        };
        assert_eq!((&apprise(&alerts)["type"], &apprise(&alerts)["format"]), (&"warning".into(), &"text".into()));
        for n in 25..=27 {
            due(n);
        }
        let reports: Vec<ReceivedRequest> = hook.received().into_iter().filter(is_report).collect();
        let mut of: Vec<&str> = reports.iter().map(channel_of_request).collect();
        of.sort_unstable();
        of.dedup();
        assert_eq!(of, ["apprise", "discord", "teams", "telegram"], "{}", place.database.name);
        for got in &reports {
            let (channel, words) = (channel_of_request(got), all_text(got));
            if matches!(channel, "telegram" | "teams") {
                assert!(words.contains("What_happened 2026-"), "{words}");
                for mark in ["\\_", "\\[", "&amp;", "&#64;", "**", "](<", "\n#"] {
                    assert!(!words.contains(mark), "{channel} shows {mark}: {words}");
                }
            }
        }
        assert_eq!((&apprise(&reports)["type"], &apprise(&reports)["format"]), (&"info".into(), &"markdown".into()));
        let listed = run(&place, &hook, &["outbox", "list", "--json"]);
        assert!(!listed.out.contains("AAtheB0T") && !listed.out.contains("KEYKEYKEY"), "{listed}");
        let checked = run(&place, &hook, &["check"]);
        checked.assert_stdout(0, &["chat -1001234567890 by http://127.0.0.1"]);
        for secret in ["AAtheB0T", "KEYKEYKEY", "DISCORDT0KEN", "TEAMSSIG"] {
            assert!(!checked.out.contains(secret) && !checked.err.contains(secret), "{checked}");
        }
    }
}

fn channel(form: WebhookFormat, url: String, secret: Option<&str>) -> Channel {
    let endpoint =
        Endpoint::Webhook { url: url.into(), secret: secret.map(SecretString::from), form, allow_private: true };
    Channel { name: "c".into(), endpoint, timeout: Duration::from_secs(20), max_tries: 8 }
}

fn message() -> Message {
    let text = |text: &str| text.to_owned();
    Message {
        event: text("e"),
        channel: text("c"),
        kind: text("alert"),
        subject: text("s"),
        text: text("words"),
        html: None,
        data: None,
    }
}

async fn send_message(form: WebhookFormat, secret: Option<&str>, answer: &'static str) -> Result<(), DeliveryError> {
    let hook = WebhookServer::answering(move |_| Answer::Say(answer));
    let path = "/notify/KEYKEYKEY?sig=TEAMSSIG";
    let sent = channel(form, hook.url_of(path), secret).send(&message(), NOW, 1, NOW).await;
    assert_eq!(hook.received().len(), 1);
    sent
}

/// A refusal: whether it is permanent, the seconds to wait, and a part of the error text; `None` when the message was
/// accepted.
type Refused = Option<(bool, Option<u64>, &'static str)>;

/// A service's reply with its body.
fn reply_with_body(status: &str, body: &str) -> &'static str {
    let length = body.len();
    let head = format!("{status}\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n\r\n");
    Box::leak((head + body).into_boxed_str())
}

#[tokio::test]
async fn answers_of_each_chat_service_are_read_as_documented() {
    let telegram = || WebhookFormat::Telegram { chat: "@team".into() };
    let apprise = || WebhookFormat::Apprise { tag: None };
    let cases: &[(WebhookFormat, &'static str, Refused)] = &[
        (telegram(), reply_with_body("200 OK", r#"{"ok":true,"result":{"message_id":5}}"#), None),
        (
            telegram(),
            reply_with_body("200 OK", r#"{"ok":false,"description":"Internal"}"#),
            Some((false, None, "Internal")),
        ),
        (
            telegram(),
            reply_with_body(
                "429 Too Many Requests",
                r#"{"ok":false,"error_code":429,"description":"retry","parameters":{"retry_after":35}}"#,
            ),
            Some((false, Some(35), "429")),
        ),
        (
            telegram(),
            reply_with_body(
                "400 Bad Request",
                r#"{"ok":false,"error_code":400,"description":"Bad Request: chat not found"}"#,
            ),
            Some((true, None, "chat not found")),
        ),
        (
            telegram(),
            reply_with_body("403 Forbidden", r#"{"ok":false,"description":"bot was kicked"}"#),
            Some((true, None, "kicked")),
        ),
        (WebhookFormat::Discord, reply_with_body("200 OK", r#"{"id":"1"}"#), None),
        (WebhookFormat::Discord, "204 No Content", None),
        (
            WebhookFormat::Discord,
            reply_with_body(
                "429 Too Many Requests\r\nretry-after: 64",
                r#"{"message":"You are being rate limited.","retry_after":64.57,"global":false}"#,
            ),
            Some((false, Some(65), "429")),
        ),
        (
            WebhookFormat::Discord,
            reply_with_body("404 Not Found", r#"{"message":"Unknown Webhook","code":10015}"#),
            Some((true, None, "Unknown Webhook")),
        ),
        (WebhookFormat::Teams, "202 Accepted", None),
        (
            WebhookFormat::Teams,
            reply_with_body(
                "200 OK",
                "Webhook message delivery failed with error: Microsoft Teams endpoint returned HTTP error 429",
            ),
            Some((false, None, "delivery failed")),
        ),
        (WebhookFormat::Teams, "413 Payload Too Large", Some((true, None, "413"))),
        (apprise(), reply_with_body("200 OK", r#"{"error":null}"#), None),
        (
            apprise(),
            "204 No Content",
            Some((
                true,
                None,
                "under this key; add its services there; `topicwatch outbox retry --dead` queues all dead",
            )),
        ),
        (apprise(), reply_with_body("424 Failed Dependency", r#"{"error":"not sent"}"#), Some((false, None, "424"))),
        (apprise(), "404 Not Found", Some((true, None, "404"))),
    ];
    for (form, answer, expected) in cases {
        let token = matches!(form, WebhookFormat::Telegram { .. }).then_some(TOKEN);
        let result = send_message(form.clone(), token, answer).await;
        match (&result, expected) {
            (Ok(()), None) => {}
            (Err(refusal), Some((for_good, wait, says))) => {
                assert_eq!((refusal.for_good, refusal.wait), (*for_good, wait.map(Duration::from_secs)), "{answer}");
                assert!(refusal.text.contains(says), "{answer}: {refusal:?}");
            }
            _ => panic!("{form:?}, {answer}: {result:?}"),
        }
    }
}

/// `apprise` is the usual key of an Apprise server.
#[tokio::test]
async fn the_programs_own_words_stay_whole_when_the_url_contains_them() {
    let apprise = || WebhookFormat::Apprise { tag: None };
    for (form, path, answer, says) in [
        (
            apprise(),
            "/notify/apprise",
            "204 No Content",
            "204 No Content: Apprise has no configuration under this key;",
        ),
        (WebhookFormat::Slack, "/redirects", "302 Found", "302 Found: redirects are not followed; use the final URL"),
    ] {
        let hook = WebhookServer::answering(move |_| Answer::Say(answer));
        let refused = channel(form, hook.url_of(path), None).send(&message(), NOW, 1, NOW).await.unwrap_err();
        assert!(refused.for_good && refused.text.starts_with(says), "{refused:?}");
    }
    let mut inside = channel(apprise(), "http://127.0.0.1:1/notify/private".into(), None);
    if let Endpoint::Webhook { allow_private, .. } = &mut inside.endpoint {
        *allow_private = false;
    }
    let refused = inside.send(&message(), NOW, 1, NOW).await.unwrap_err();
    assert!(refused.text.ends_with("set allow_private = true if that is intended"), "{refused:?}");
}

#[tokio::test]
async fn an_echoed_token_is_redacted_and_private_addresses_are_refused() {
    let echo = reply_with_body(
        "400 Bad Request",
        "/notify/KEYKEYKEY/bot8123456:AAtheB0T-s3cret_part/sendMessage ?sig=TEAMSSIG AAtheB0T-s3cret_part bot8123456%3AAAtheB0T-s3cret_part AAtheB0T%2Ds3cret%5Fpart &#65;AtheB0T-s3cret_part end",
    );
    let forms = [
        WebhookFormat::Telegram { chat: "1".into() },
        WebhookFormat::Discord,
        WebhookFormat::Teams,
        WebhookFormat::Apprise { tag: Some("t".into()) },
    ];
    for form in forms {
        let telegram = matches!(form, WebhookFormat::Telegram { .. });
        let refused = send_message(form.clone(), telegram.then_some(TOKEN), echo).await.unwrap_err();
        assert!(refused.text.starts_with("400 Bad Request") && refused.text.ends_with("end"), "{refused:?}");
        for secret in ["KEYKEYKEY", "TEAMSSIG"].into_iter().chain(telegram.then_some("AAtheB0T")) {
            assert!(!refused.text.contains(secret), "{form:?}: {refused:?}");
        }
        let hook = WebhookServer::accepting();
        let mut inside = channel(form.clone(), hook.url_of("/notify/KEYKEYKEY"), telegram.then_some(TOKEN));
        assert!(!format!("{inside:?}").contains("KEYKEYKEY") && !format!("{inside:?}").contains("AAtheB0T"));
        if let Endpoint::Webhook { allow_private, .. } = &mut inside.endpoint {
            *allow_private = false;
        }
        let refused = inside.send(&message(), NOW, 1, NOW).await.unwrap_err();
        assert!(refused.for_good && refused.text.contains("allow_private"), "{refused:?}");
        assert!(hook.received().is_empty());
        let nobody = channel(form, "http://127.0.0.1:1/notify/KEYKEYKEY".into(), telegram.then_some(TOKEN));
        let refused = nobody.send(&message(), NOW, 1, NOW).await.unwrap_err();
        assert!(
            !refused.for_good && !refused.text.contains("KEYKEYKEY") && !refused.text.contains("AAtheB0T"),
            "{refused:?}"
        );
    }
}

#[test]
fn mistakes_in_channels_are_reported_with_a_hint() {
    let begin = "[[topics]]\nid = \"acme\"\nquery = \"acme\"\n\n[[channels]]\nname = \"c\"\n";
    let place = Place::new(sqlite(), "base_url = \"sandbox\"", begin);
    let telegram = "kind = \"telegram\"\n";
    for (lines, reported) in [
        (format!("{telegram}token_env = \"BOT\""), &["this channel has no `chat`", "write chat ="][..]),
        (format!("{telegram}chat = \"@team\""), &["this channel has no `token_env`", "@BotFather"]),
        (format!("{telegram}chat = \"team\"\ntoken_env = \"BOT\""), &["`chat` cannot be \"team\"", "@name"]),
        (
            format!(
                "{telegram}chat = \"1\"\ntoken_env = \"BOT\"\nurl = \"https://api.telegram.org/bot1:AAA/sendMessage\""
            ),
            &["`url` contains a bot token", "remove `url`"],
        ),
        (format!("{telegram}chat = \"1\"\ntoken_env = \"BOT\"\ntag = \"x\""), &["`tag` does not apply", "telegram"]),
        ("kind = \"discord\"".into(), &["this channel has no `url`", "url_env"]),
        (
            "kind = \"discord\"\nurl = \"https://discord.com/api/webhooks/1/a/slack\"".into(),
            &["is for messages of another service", "kind = \"slack\""],
        ),
        (
            "kind = \"discord\"\nurl = \"https://discord.com/api/webhooks/1/a/github\"".into(),
            &["is for messages of another service", "hint: remove the end of the URL\n"],
        ),
        ("kind = \"discord\"\nurl_env = \"A\"\nsecret_env = \"B\"".into(), &["`secret_env` does not apply"]),
        ("kind = \"teams\"\nurl_env = \"A\"\ntoken_env = \"B\"".into(), &["`token_env` does not apply"]),
        (
            "kind = \"apprise\"\nurl = \"https://apprise.example.com/KEY\"".into(),
            &["Apprise notification URL", "/notify/KEY"],
        ),
        ("kind = \"apprise\"\nurl_env = \"A\"\nchat = \"1\"".into(), &["`chat` does not apply"]),
        ("kind = \"slack\"\nurl_env = \"A\"\ntag = \"1\"".into(), &["`tag` does not apply"]),
        ("kind = \"mattermost\"\nurl_env = \"A\"\ntoken_env = \"1\"".into(), &["`token_env` does not apply"]),
        ("kind = \"ntfy\"\nurl = \"https://ntfy.example.com/\"".into(), &["`url` does not name a topic", "/my-topic"]),
        ("kind = \"telegramm\"".into(), &["did you mean `telegram`?"]),
    ] {
        place.configure("base_url = \"sandbox\"", &format!("{begin}{lines}\n"));
        place.program(&["check"]).env("COLUMNS", "200").run().assert_stderr(2, reported);
    }
    place.configure("base_url = \"sandbox\"", &format!("{begin}{telegram}chat = \"@team\"\ntoken_env = \"BOT\"\n"));
    for (token, reported) in
        [(TOKEN, "ready"), ("bot-without-number", "not a Telegram bot token"), ("1:a/../b", "not a Telegram bot token")]
    {
        let checked = place.program(&["check"]).env("BOT", token).run();
        checked.assert_stdout(0, &[reported]);
        assert!(!checked.out.contains("1:a/") && !checked.out.contains("AAtheB0T"), "{checked}");
        assert!(checked.out.contains("https://api.telegram.org/"), "{checked}");
    }
}

#[test]
fn a_key_of_a_wrong_type_is_reported_once_and_not_as_missing() {
    let begin = "[[topics]]\nid = \"acme\"\nquery = \"acme\"\n\n";
    let place = Place::new(sqlite(), "base_url = \"sandbox\"", begin);
    let mail = "kind = \"email\"\nhost = \"mail.example\"\nfrom = \"a@example.com\"\nto = [\"b@example.com\"]\n";
    for (lines, key) in [
        (format!("[[channels]]\nname = \"c\"\n{mail}user = \"me\"\npassword_env = 5\n"), "password_env"),
        (format!("[[channels]]\nname = \"c\"\n{mail}user = 5\npassword_env = \"PASSWORD\"\n"), "user"),
        ("[[channels]]\nname = \"c\"\nkind = \"telegram\"\nchat = \"1\"\ntoken_env = 5\n".to_owned(), "token_env"),
        ("[[exports]]\nname = \"e\"\nwhat = \"items\"\nschedule = 5\n".to_owned(), "schedule"),
        ("[[exports]]\nname = \"e\"\nwhat = \"items\"\nevery = 5\n".to_owned(), "every"),
    ] {
        place.configure("base_url = \"sandbox\"", &format!("{begin}{lines}"));
        let checked = place.run(&["check"]);
        checked.assert_stderr(2, &[&format!("error: `{key}` takes a ")]);
        assert_eq!(checked.err.matches("error: ").count(), 1, "{checked}");
    }
}
