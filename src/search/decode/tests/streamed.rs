//! Streams: every trap of framing, and how a stream ends. Each body is also fed one byte at a time.

use super::*;

/// Decodes a stream whole and byte by byte; both must agree.
pub(super) fn stream(body: &str) -> Reply {
    let whole = read(Source::Ai, body);
    assert_eq!(dripped(Source::Ai, body.as_bytes()).unwrap(), whole, "{body:?}");
    whole
}

const HEL: &str = r#"{"type":"text","role":"summary","content":"Hel"}"#;
const LO: &str = r#"{"type":"text","role":"summary","content":"lo é"}"#;
const END: &str = r#"{"type":"completion","content":"Hello é"}"#;
const POSTS: &str = r#"{"type":"tweets","content":[{"id":"1","text":"p"}]}"#;
const PAGES: &str = r#"{"type":"search","content":[{"title":"t","link":"https://a.example","snippet":"s"}]}"#;

#[test]
fn every_framing_gives_the_same_reply() {
    let frames = [HEL, POSTS, LO, PAGES, END];
    let events = |before: &str, after: &str| frames.map(|f| format!("{before}{f}{after}")).concat();
    let wanted = stream(&events("data: ", "\n\n"));
    assert_eq!(answer(&wanted), "Hello é");
    assert_eq!(
        wanted.items.iter().map(|i| (i.rank, i.kind)).collect::<Vec<_>>(),
        [(1, Some(Kind::Post)), (2, Some(Kind::Page))]
    );
    assert_eq!((wanted.failure.clone(), wanted.unreadable), (None, 0));
    for body in [
        events("data:", "\n\n"),
        events("data: ", "\r\n\r\n"),
        events("data: ", "\r\r"),
        events("data: ", "\n"),
        events("data: ", ""),
        events("data: ", " "),
        events("event: message\nid: 7\nretry: 10\n: a comment\ndata: ", "\n\n"),
        events(": ping\n\ndata: ping\n\ndata:\n\ndata: ", "\n\n"),
        events("", ""),
        events("", "\n"),
        events("", "\r\n"),
        events(" ", ","),
        format!("[{}]", frames.join(",")),
        format!("\u{feff}{}", events("data: ", "\n\n")),
        format!("\n\n{}", events("data: ", "\n\n")),
        format!("{}data: [DONE]\n\n", events("data: ", "\n\n")),
        format!("{}[DONE]", events("", "")),
        format!("{}data: [DONE]", events("data: ", "")),
        events("data: ", "\n\n").replace(r#"","#, "\",\ndata: "),
        events("", "\n").replace(r#"","#, "\",\n  "),
        frames.map(|f| format!("data: {}\n\n", serde_json::Value::from(f))).concat(),
        format!(
            "data: {HEL}\n\ndata: {{\"type\":\"tw\u{0}eets\",\"content\":[1]}}\n\ndata: {POSTS}\n\n{LO}\n\ndata: {PAGES}\n\ndata: {END}"
        ),
    ] {
        assert_eq!(stream(&body), wanted, "{body:?}");
    }
}

#[test]
fn content_may_itself_be_json_in_a_string() {
    let body = [
        r#"data: {"type":"tweets","content":"[{\"id\":\"1\",\"text\":\"p\"}]"}"#,
        r#"data: {"type":"search","content":"{\"organic_results\":[{\"title\":\"t\",\"link\":\"https://a.example\"}]}"}"#,
        r#"data: {"type":"completion","content":"{\"summary\":\"Hello\"}"}"#,
    ]
    .join("\n\n");
    let reply = stream(&body);
    assert_eq!((answer(&reply), reply.items.len()), ("Hello", 2));
    assert_eq!(answer(&stream(r#"data: {"type":"completion","content":"\"Hello\""}"#)), "Hello");
    assert_eq!(answer(&stream(r#"data: {"type":"completion","content":{"summary":"Hello"}}"#)), "Hello");
}

#[test]
fn the_answer_is_the_last_completion_or_the_summary_or_all_text() {
    let text = |role: &str, text: &str| format!("data: {{\"type\":\"text\",{role}\"content\":\"{text}\"}}\n\n");
    let summary = |t: &str| text("\"role\":\"summary\",", t);
    let intro = text("\"role\":\"intro\",", "Hi. ");
    let end = |t: &str| format!("data: {{\"type\":\"completion\",\"content\":{t}}}\n\n");
    for (body, wanted) in [
        (summary("a") + &end("\"first\"") + &end("\"last\""), "last"),
        (summary("a") + &end("\"first\"") + &end("\"\""), "first"),
        (intro.clone() + &summary("a") + &summary("b") + &end("\"\""), "ab"),
        (intro.clone() + &summary("a") + "data: [DONE]\n\n", "a"),
        (intro.clone() + &text("", "x") + &end("null"), "Hi. x"),
        (end("{\"summary\":\"s\"}"), "s"),
        ("data: {\"summary\":\"plain in one event\",\"results\":[]}\n\n".to_owned(), "plain in one event"),
    ] {
        let reply = stream(&body);
        assert_eq!(answer(&reply), wanted, "{body}");
        assert_eq!(reply.failure, None, "{body}");
        assert!(!reply.answer.unwrap().partial, "{body}");
    }
}

#[test]
fn a_stream_without_completion_is_partial_and_cut() {
    for body in [
        format!("data: {HEL}\n\n"),
        format!("data: {HEL}\n\ndata: {}", &LO[..20]),
        format!("data: {HEL}\n\nda"),
        format!("{HEL}{}", &END[..30]),
        format!("{HEL}\n{HEL}"),
        format!("data: {HEL}\n\ndata: {POSTS}\n\n"),
    ] {
        let reply = stream(&body);
        assert_eq!(reply.failure.as_ref().map(|f| f.0), Some(ErrorClass::Cut), "{body}");
        assert!(reply.answer.unwrap().partial, "{body}");
        assert_eq!(reply.unreadable, 0, "{body}");
    }
    for body in [": ping\n\n: ping\n\n", "data: {\"type\":\"te", "data:\n\n", "event: text\nda"] {
        let reply = stream(body);
        assert_eq!((reply.failure.unwrap().0, reply.answer), (ErrorClass::Cut, None), "{body}");
    }
}

#[test]
fn a_stream_cut_after_its_completion_has_a_whole_answer_and_is_still_cut() {
    let reply = stream(&format!("data: {END}\n\ndata: {}", &POSTS[..30]));
    assert_eq!(reply.failure.unwrap().0, ErrorClass::Cut);
    assert!(!reply.answer.unwrap().partial);
}

#[test]
fn a_stream_of_posts_alone_needs_no_completion() {
    let body = format!("data: {POSTS}\n\n");
    let reply = read(Source::Social, &body);
    assert_eq!((texts(&reply), &reply.failure), (vec!["p"], &None));
    let reply = read(Source::Social, &format!("{body}data: {}", &POSTS[..25]));
    assert_eq!((texts(&reply), reply.failure.as_ref().unwrap().0), (vec!["p"], ErrorClass::Cut));
}

#[test]
fn an_error_frame_fails_the_call_and_keeps_earlier_results() {
    for error in [
        r#"{"error":"no miners"}"#,
        r#"{"type":"error","content":"no miners"}"#,
        r#"{"type":"error","error":{"message":"no miners"}}"#,
        r#"{"detail":[{"msg":"no miners"}]}"#,
    ] {
        for body in [format!("data: {HEL}\n\ndata: {POSTS}\n\ndata: {error}\n\n"), format!("{HEL}{POSTS}{error}")] {
            let reply = stream(&body);
            assert_eq!(reply.failure, Some((ErrorClass::Service, "no miners".to_owned())), "{body}");
            assert_eq!((answer(&reply), texts(&reply)), ("Hel", vec!["p"]));
            assert!(reply.answer.unwrap().partial);
        }
        let alone = stream(&format!("data: {error}\n\n"));
        assert_eq!((alone.failure.unwrap().0, alone.answer), (ErrorClass::Service, None));
    }
}

#[test]
fn an_sse_event_named_error_fails_the_call() {
    for error_data in ["no miners", "{\"message\":\"no miners\"}", "\"no miners\"", "[{\"msg\":\"no miners\"}]"] {
        for before in [format!("data: {HEL}\n\n"), "data: Hel\n\n".to_owned(), "event: delta\ndata: Hel\n\n".to_owned()]
        {
            let reply = stream(&format!("{before}event: error\ndata: {error_data}\n\n"));
            assert_eq!(reply.failure, Some((ErrorClass::Service, "no miners".to_owned())), "{before}{error_data}");
            assert_eq!(answer(&reply), "Hel", "{before}{error_data}");
            assert!(reply.answer.unwrap().partial);
        }
        let alone = stream(&format!("event: error\ndata: {error_data}\n\n"));
        assert_eq!((alone.failure.unwrap().0, alone.answer), (ErrorClass::Service, None), "{error_data}");
    }
}

#[test]
fn a_broken_event_never_loses_the_others() {
    for broken in [
        r#"{"type":"tweets","content":[{"text":"lost"#,
        r#"{"type":"tweets","content":[}"#,
        r#"{"type":tweets}"#,
        r#"{"type":"tweets","content":[{"text":"lo\"#,
    ] {
        for (before, after) in [("data: ", "\n\n"), ("data: ", "\n"), ("", "\n")] {
            // Without framing, only a line end inside a string shows that a value was cut.
            if before.is_empty() && !broken.contains(r#""lo"#) {
                continue;
            }
            let body = [HEL, broken, POSTS, END].map(|f| format!("{before}{f}{after}")).concat();
            let reply = stream(&body);
            assert_eq!((answer(&reply), texts(&reply)), ("Hello é", vec!["p"]), "{body}");
            assert_eq!((reply.failure, reply.unreadable), (None, 1), "{body}");
        }
    }
}

#[test]
fn unknown_frames_are_skipped_and_bad_entries_counted() {
    let body = format!(
        "data: {{\"type\":\"flow\",\"content\":{{\"id\":\"1\"}}}}\n\ndata: {{\"type\":\"miner_link_scores\",\"content\":{{}}}}\n\n\
         data: {{\"type\":\"reddit_search\",\"content\":[null,{{\"title\":\"t\"}}]}}\n\ndata: 7\n\ndata: null\n\n\
         data: {{\"type\":7}}\n\ndata: {{\"type\":\"tweets\"}}\n\ndata: {{\"type\":\"tweets\",\"content\":null}}\n\n\
         data: {{\"type\":\"text\"}}\n\ndata: {END}\n\n"
    );
    let reply = stream(&body);
    assert_eq!((reply.items.len(), reply.unreadable, reply.failure), (1, 1, None));
}

#[test]
fn model_and_cost_are_read_from_frames() {
    let reply = stream(r#"data: {"type":"completion","content":"A","model":"NOVA","cost_usd":0.004}"#);
    assert_eq!(reply.cost, Some(crate::model::Micros(4_000)));
    assert_eq!(reply.answer.unwrap().model.as_deref(), Some("NOVA"));
}

#[test]
fn a_streamed_answer_equals_the_plain_one() {
    for content in [
        serde_json::json!("Tabs\t, \"quotes\", \\ and 😀\n\n## Headline\n"),
        serde_json::json!({"summary": "S", "key_posts": []}),
        serde_json::json!("{\"summary\": \"S\"}"),
        serde_json::json!("data: not a frame\n\ndata: {\"x\":1}"),
        serde_json::json!("[1] cites"),
        serde_json::json!("é".repeat(120_000)),
    ] {
        let plain = read(Source::Ai, &serde_json::json!({ "completion": content }).to_string());
        let frame = serde_json::json!({ "type": "completion", "content": content }).to_string();
        for body in [format!("data: {frame}\n\n"), frame.clone(), format!("{frame}\n")] {
            assert_eq!(stream(&body).answer, plain.answer);
        }
        if let Some(text) = content.as_str().filter(|text| !text.starts_with('{')) {
            let pieces: Vec<_> = text.chars().collect::<Vec<_>>().chunks(7).map(String::from_iter).collect();
            let frames = pieces.iter().map(|piece| {
                let frame = serde_json::json!({ "type": "text", "role": "summary", "content": piece });
                format!("data: {frame}\n\n")
            });
            let body = frames.collect::<String>() + "data: [DONE]\n\n";
            assert_eq!(read(Source::Ai, &body).answer, plain.answer);
        }
    }
}

#[test]
fn plain_text_that_starts_with_a_field_name_is_not_a_stream() {
    for body in ["data: the new oil", "Data: {x}", "note: x\ndata: {}"] {
        assert_eq!(answer(&read(Source::Ai, body)), body);
    }
}
