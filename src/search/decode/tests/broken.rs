//! Bad bytes, bad text, cut and huge bodies.

use super::*;

#[test]
fn one_bad_character_never_loses_a_reply() {
    for (text, kept) in [
        (&br#"\ud83d"#[..], "\u{fffd}"),
        (br#"\uDE00!"#, "\u{fffd}!"),
        (br#"\ud83d\ude00"#, "😀"),
        (br#"\ud83d\ud83d\ude00"#, "\u{fffd}😀"),
        (br#"\ud83dA"#, "\u{fffd}A"),
        (br#"\ud83d\u0041"#, "\u{fffd}A"),
        (br#"\ud83d\n"#, "\u{fffd}\n"),
        (br#"\\ud83d"#, "\\ud83d"),
        (br#"\\\ud83d"#, "\\\u{fffd}"),
        (br#"a\u0000b"#, "a\u{fffd}b"),
        (b"a\0b", "a\u{fffd}b"),
        (b"a\xffb", "a\u{fffd}b"),
        (b"a\xed\xa0\xbdb", "a\u{fffd}\u{fffd}\u{fffd}b"),
        ("日本\\u00e9".as_bytes(), "日本é"),
    ] {
        let body = [br#"{"results":[{"text":""#, text, br#""},{"text":"good"}]}"#].concat();
        let reply = decode(&body, &context(Source::Social)).unwrap();
        assert_eq!(texts(&reply), [kept, "good"], "{}", String::from_utf8_lossy(&body));
    }
    let reply = decode(b"\xef\xbb\xbf[{\"text\":\"\\u00\"}]", &context(Source::Social));
    assert_eq!(reply.unwrap_err().class, ErrorClass::Malformed, "a broken escape is broken JSON");
}

#[test]
fn prose_keeps_its_backslashes() {
    assert_eq!(answer(&read(Source::Ai, r"Write \ud83d and C:\u0000")), r"Write \ud83d and C:\u0000");
}

#[test]
fn deep_nesting_is_refused_before_it_is_parsed() {
    for body in ["[".repeat(100_000), "[".repeat(100_000) + &"]".repeat(100_000), r#"{"a":"#.repeat(100_000)] {
        for source in [Source::Social, Source::Ai] {
            assert_eq!(refused(source, &body).class, ErrorClass::Malformed);
        }
    }
    let nested = |n| format!(r#"{{"results":[],"x":{}{}}}"#, "[".repeat(n), "]".repeat(n));
    assert_eq!(read(Source::Web, &nested(100)), Reply::default());
    assert_eq!(refused(Source::Web, nested(500)).class, ErrorClass::Malformed);
    let limits = Limits { max_depth: usize::MAX, ..Limits::default() };
    let open = decode("[".repeat(100_000).as_bytes(), &Context { limits, ..context(Source::Web) });
    assert_eq!(open.unwrap_err().class, ErrorClass::Malformed, "the parser's own limit stays");
}

#[test]
fn an_html_page_instead_of_json_is_named_in_the_error() {
    for body in
        ["<!DOCTYPE html><html>", "<html><body>502</body>", "\n <?xml version=\"1.0\"?><html/>", "<!-- x --><HEAD>"]
    {
        for source in [Source::Social, Source::Ai] {
            let error = refused(source, body);
            assert_eq!(error.class, ErrorClass::Malformed);
            assert!(error.hint.contains("base_url"), "{error:?}");
        }
    }
}

#[test]
fn invalid_json_and_binary_are_malformed() {
    for body in
        [&b"\x1f\x8b\x08\0\0\0\0\0\x02\xff\xcb"[..], b"{\"summary\": oops}", b"[{\"text\":}]", b"[[1,]]", b"[\"a\",,]"]
    {
        assert_eq!(refused(Source::Ai, body).class, ErrorClass::Malformed);
    }
    for body in [&b"42"[..], b"true", b"{\"results\":[}", b"[1] text", b"{}{}", b"{\"results\":[]} x"] {
        assert_eq!(refused(Source::Web, body).class, ErrorClass::Malformed);
    }
}

#[test]
fn a_cut_reply_keeps_its_complete_entries() {
    let body = r#"{"cost_usd":0.1,"results":[{"text":"a","e":{"u":[{"x":1}]}},{"text":"b"},{"text":"c","e":[{"x":1},"#;
    let reply = read(Source::Social, body);
    assert_eq!(texts(&reply), ["a", "b"]);
    assert_eq!(reply.failure.as_ref().unwrap().0, ErrorClass::Cut);
    assert_eq!(reply.cost, Some(crate::model::Micros(100_000)));

    let reply = read(Source::Ai, r#"{"summary":"S","miner_tweets":[{"text":"a"}],"model":"NO"#);
    assert_eq!((answer(&reply), texts(&reply)), ("S", vec!["a"]));
    assert!(reply.answer.unwrap().partial && reply.failure.is_some());
}

#[test]
fn a_reply_cut_before_its_first_entry_is_an_error_of_class_cut() {
    for body in [
        "{",
        "[",
        r#"{"results""#,
        r#"{"results":[{"text":"a""#,
        r#"{"summary":"half an ans"#,
        "[1,2",
        r#"["a","b"#,
        "\"abc",
    ] {
        let error = match decode(body.as_bytes(), &context(Source::Social)) {
            Err(error) => error,
            Ok(reply) => panic!("{body}: {reply:?}"),
        };
        assert_eq!(error.class, ErrorClass::Cut, "{body}");
    }
}

#[test]
fn every_cut_of_a_reply_gives_a_prefix_of_its_items() {
    let body = r#"{"summary":"S","miner_tweets":[{"text":"a","user":{"username":"u"}},{"text":"b\ud83d\ude00"}],"source":"NOVA"}"#;
    let whole = read(Source::Ai, body);
    for end in 1..body.len() {
        match decode(&body.as_bytes()[..end], &context(Source::Ai)) {
            Ok(part) => {
                assert_eq!(part.failure.unwrap().0, ErrorClass::Cut, "{end}");
                assert_eq!(part.items, whole.items[..part.items.len()], "{end}");
            }
            Err(error) => assert_eq!(error.class, ErrorClass::Cut, "{end}"),
        }
    }
}

#[test]
fn huge_bodies_are_decoded_in_one_pass() {
    // Large enough that anything quadratic would be noticed, small enough for an unoptimised build.
    const SIZE: usize = 250_000;
    let fill = |part: &str| part.repeat(SIZE / part.len());
    for body in [
        fill("["),
        fill("[],"),
        format!("[{}1]", fill("1,")),
        format!("[{}1]", fill("[[1,1,1,1],[1]],")),
        format!(r#"{{{}"text":1}}"#, fill(r#""text":1,"#)),
        format!(r#"{{"x":[{}1]}}"#, fill("1,")),
        fill("\""),
        fill("\\"),
        fill("data:"),
        fill("data:{\n"),
        fill("data: [\n\n"),
        fill("data: {\ndata: }{}"),
        format!("data: {}", fill("{}data: ")),
        fill("{\"type\":\"text\",\"content\":\"a\"}"),
        fill("data: {\"type\":\"tweets\",\"content\":[\"a\"]}\n"),
        fill(": ping\r"),
        fill("{\"type\":1}"),
        format!("\"{}\"", fill("\\ud83d")),
        format!(r#"{{"results":"{}"}}"#, fill("[")),
    ] {
        for source in [Source::Social, Source::Ai] {
            if let Ok(reply) = decode(body.as_bytes(), &context(source)) {
                assert!(reply.items.len() <= 1_000);
            }
        }
    }
}

#[test]
fn a_reply_without_entries_but_with_an_error_message_is_an_error() {
    for (body, message) in [
        (r#"{"success":false,"message":"quota exhausted","results":[]}"#, "quota exhausted"),
        (r#"{"code":500,"msg":"internal","data":[]}"#, "internal"),
        (r#"{"results":[],"message":"Too many requests, slow down"}"#, "Too many requests, slow down"),
        (r#"{"ok":false,"results":[]}"#, "an error without a message"),
        (r#"{"success":false,"detail":"no credits"}"#, "no credits"),
        (r#"{"success":false,"message":"quota of the index exceeded"}"#, "quota of the index exceeded"),
        (r#"{"ok":false,"reason":7}"#, "an error without a message"),
        (r#"{"data":[],"message":"No credits left"}"#, "No credits left"),
        (r#"{"data":[],"message":"No API key found"}"#, "No API key found"),
        (r#"{"data":[],"message":"Found no API keys"}"#, "Found no API keys"),
        (r#"{"results":[],"message":"The request was not successful"}"#, "The request was not successful"),
    ] {
        for source in [Source::Social, Source::Web] {
            let error = refused(source, body);
            assert_eq!((error.class, error.text.as_str()), (ErrorClass::Service, message), "{body}");
        }
    }
    for body in [
        r#"{"success":true,"message":"quota: 5 left","results":[]}"#,
        r#"{"code":0,"msg":"fine","data":[]}"#,
        r#"{"code":"200","msg":"fine","data":[]}"#,
        r#"{"results":[],"message":"OK"}"#,
        r#"{"results":[],"message":"No results found."}"#,
        r#"{"results":[],"message":"Search completed successfully"}"#,
        r#"{"results":[],"message":"Found 0 posts"}"#,
        r#"{"results":[],"message":"No posts with these keywords found"}"#,
        r#"{"results":[],"message":"No planets found"}"#,
        r#"{"results":[],"message":"Found no posts for key plan"}"#,
        r#"{"results":[],"message":"No results found for \"key plan\""}"#,
        r#"{"results":[],"message":"Success!"}"#,
        r#"{"results":[],"message":""}"#,
        r#"{"results":[],"message":null}"#,
        r#"{"results":[]}"#,
    ] {
        assert_eq!(read(Source::Social, body), Reply::default(), "{body}");
    }
    let with_entries =
        read(Source::Social, r#"{"success":false,"message":"quota exhausted","results":[{"text":"kept"}]}"#);
    assert_eq!((texts(&with_entries), &with_entries.failure), (vec!["kept"], &None));
    assert_eq!(answer(&read(Source::Ai, r#"{"message":"quota low","completion":"words"}"#)), "words");
}
