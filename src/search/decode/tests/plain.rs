//! Plain replies: where lists, answers, errors and cost are found.

use super::*;

#[test]
fn a_list_is_found_under_every_name_and_in_every_wrapper() {
    let entry = r#"{"text":"hi"}"#;
    let names = [
        "results",
        "tweets",
        "data",
        "miner_tweets",
        "search",
        "search_results",
        "reddit_search",
        "hacker_news_search_results",
    ];
    for source in [Source::Social, Source::Web, Source::Ai] {
        assert_eq!(texts(&read(source, &format!("[{entry}]"))), ["hi"]);
        for name in names {
            for list in [
                format!("[{entry}]"),
                format!(r#"{{"organic_results":[{entry}]}}"#),
                format!(r#"{{"data":[{entry}],"meta":{{"result_count":1}}}}"#),
                format!(r#""[{}]""#, entry.replace('"', "\\\"")),
            ] {
                let body = format!(r#"{{"{name}":{list}}}"#);
                let reply = read(source, &body);
                assert_eq!(texts(&reply), ["hi"], "{body}");
                assert_eq!(reply.items[0].kind, Some(Kind::Post), "{body}");
            }
            for nothing in ["[]", "null", "{}", r#"{"organic_results":[]}"#] {
                let body = format!(r#"{{"{name}":{nothing}}}"#);
                assert_eq!(read(source, &body), Reply::default(), "{body}");
            }
        }
    }
}

#[test]
fn several_lists_of_one_reply_are_read_in_document_order() {
    let reply = read(
        Source::Ai,
        r#"{"youtube_search_results":{"organic_results":[{"title":"v","link":"https://y.example/1"}]},
            "miner_tweets":[{"id":"7","text":"t"}],"reddit_search":null,"wikipedia_search":{},
            "completion":{"summary":"S","key_tweets":[{"text":"k","url":"https://x.com/a/status/1"}]}}"#,
    );
    let seen: Vec<_> = reply.items.iter().map(|i| (i.rank, i.kind)).collect();
    assert_eq!(seen, [(1, Some(Kind::Page)), (2, Some(Kind::Post))]);
    assert_eq!(answer(&reply), "S");
}

#[test]
fn only_a_known_empty_shape_is_an_empty_reply() {
    for body in [
        "null",
        "[]",
        "{}",
        r#"{"results":[]}"#,
        r#"{"tweets":null}"#,
        r#"{"data":{}}"#,
        r#"{"results":{"organic_results":[]}}"#,
        r#"{"data":{"search":{"organic_results":null}}}"#,
        r#"{"results":"[]"}"#,
        r#"{"results":[],"related":["x"],"took":3}"#,
        r#"{"search_results":[],"reddit_search_results":null}"#,
        r#"{"meta":{"result_count":0}}"#,
        r#"{"usage_count":0,"cost_usd":"?"}"#,
        "data: {\"type\":\"tweets\",\"content\":[]}\n\ndata: [DONE]\n\n",
    ] {
        for source in [Source::Social, Source::Web, Source::Ai] {
            assert_eq!(read(source, body), Reply::default(), "{source} {body:?}");
        }
    }
    for body in [
        r#"{"completion":""}"#,
        r#"{"summary":null,"cost_usd":"?"}"#,
        r#"{"response":" ","took":3}"#,
        r#"{"completion":{"summary":"","key_posts":[]},"tweets":[]}"#,
        r#"{"summary":{}}"#,
        r#"{"data":{"summary":""}}"#,
        r#""""#,
        "data: {\"type\":\"completion\",\"content\":\"\"}\n\n",
        "data: {\"type\":\"text\",\"content\":\"\"}\n\ndata: [DONE]\n\n",
        "data: {\"summary\":\"\"}\n\ndata: [DONE]\n\n",
        "{\"response\":\"\",\"done\":true}\n",
    ] {
        assert_eq!(read(Source::Ai, body), Reply::default(), "{body:?}");
        for source in [Source::Social, Source::Web] {
            if !body.contains("tweets") {
                assert_eq!(refused(source, body).class, ErrorClass::Malformed, "{source} {body:?}");
            }
        }
    }
}

#[test]
fn an_unknown_format_is_not_read_as_an_empty_reply() {
    for body in [
        "",
        "  \r\n",
        "\u{feff}",
        r#"{"results":"none today"}"#,
        r#"{"results":""}"#,
        r#"{"results":0}"#,
        r#"{"results":false}"#,
        r#"{"results":{"posts":{"a":1}}}"#,
        r#"{"results":{"count":0,"page":1}}"#,
        r#"{"data":{"results":"gone"}}"#,
        r#"{"search_results":"gone","reddit_search_results":[]}"#,
        r#"{"results":[17,null,{}]}"#,
        r#"{"results":[{"body":"words","permalink":"/r/1"}]}"#,
        "[1,2]",
        "[[]]",
        r#"{"message":"we are back soon"}"#,
        r#"{"status":"ok"}"#,
        r#"{"hits":[]}"#,
        r#"{"source":"NOVA"}"#,
        "{\"results\":[]}{\"results\":[]}",
        "data: {\"type\":\"flow\",\"content\":1}\n\ndata: [DONE]\n\n",
        "data: {\"type\":\"tweets\",\"content\":\"gone\"}\n\ndata: [DONE]\n\n",
        "data: {\"type\":\"tweets\",\"content\":[{\"body\":1}]}\n\ndata: [DONE]\n\n",
        "data: {\"type\":\"te\n\ndata: [DONE]\n\n",
        "data: [DONE]\n\n",
    ] {
        for source in [Source::Social, Source::Web, Source::Ai] {
            assert_eq!(refused(source, body).class, ErrorClass::Malformed, "{source} {body:?}");
        }
    }
    for body in [
        ": ping\n\n: ping\n\n",
        "data: words\n\ndata: and more\n\n",
        "data: {\"type\":\"text\",\"content\":\"words\"}\n\ndata: [DONE]\n\n",
        "data: {\"type\":\"text\",\"content\":\"words\"}\n\n",
        "data: {\"type\":\"completion\",\"content\":\"words\"}\n\n",
        "data: {\"summary\":\"words\"}\n\n",
        "{\"response\":\"words\",\"done\":true}",
        r#"{"summary":"words"}"#,
    ] {
        for source in [Source::Social, Source::Web] {
            assert_eq!(refused(source, body).class, ErrorClass::Malformed, "{source} {body:?}");
        }
    }
    for body in [r#"{"summary":5}"#, r#"{"summary":[]}"#, r#"{"completion":{"parts":["a"]}}"#, r#"{"results":"words"}"#]
    {
        assert_eq!(refused(Source::Ai, body).class, ErrorClass::Malformed, "{body:?}");
    }
    // If something was found, any other value in place of a list is only counted.
    let reply =
        read(Source::Ai, r#"{"completion":"A","tweets":"gone","search":[{"title":"t","link":"https://a.example"}]}"#);
    assert_eq!((answer(&reply), reply.items.len(), reply.unreadable), ("A", 1, 1));
}

#[test]
fn an_answer_is_found_under_every_known_field() {
    for body in [
        r#"{"summary":"A"}"#,
        r#"{"response":"A","source":"NOVA"}"#,
        r#"{"completion":"A"}"#,
        r#"{"completion":{"summary":"A","key_posts":[]}}"#,
        r#"{"completion":"{\"summary\":\"A\"}"}"#,
        r#"{"completion":"","text":"A"}"#,
        r#"{"summary":{},"response":null,"completion":["x"],"text":"A"}"#,
        r#"{"data":{"summary":"A"}}"#,
        r#"{"data":{"text":"A"}}"#,
        r#""A""#,
        r#""{\"summary\":\"A\"}""#,
        "A",
        "  A\n",
    ] {
        let reply = read(Source::Ai, body);
        assert_eq!(answer(&reply), "A", "{body}");
        assert!(reply.items.is_empty() && !reply.answer.unwrap().partial, "{body}");
    }
}

#[test]
fn an_answer_in_json_stays_whole() {
    for text in [r#"{"summary":"S","mood":"good"}"#, r#"{"title":"T","text":"x"}"#, r#"{"a":1}"#, "{not json"] {
        let body = serde_json::json!({ "completion": text }).to_string();
        assert_eq!(answer(&read(Source::Ai, &body)), text);
    }
    let own =
        serde_json::json!({ "completion": r#"{"key_posts":[],"twitter_summary":"t","summary":"S"}"# }).to_string();
    assert_eq!(answer(&read(Source::Ai, &own)), "S");
}

#[test]
fn the_model_name_is_read_from_source_or_model() {
    for (body, model) in [
        (r#"{"response":"A","source":"NOVA"}"#, Some("NOVA")),
        (r#"{"response":"A","model":"ORBIT"}"#, Some("ORBIT")),
        (r#"{"response":"A","source":{"x":1},"model":7}"#, None),
    ] {
        assert_eq!(read(Source::Ai, body).answer.unwrap().model.as_deref(), model, "{body}");
    }
}

#[test]
fn only_an_ai_reply_has_an_answer() {
    for source in [Source::Social, Source::Web] {
        assert_eq!(read(source, r#"{"summary":"A","results":[{"text":"t"}]}"#).answer, None);
        assert_eq!(refused(source, r#""just text""#).class, ErrorClass::Malformed);
        assert_eq!(refused(source, "just text").class, ErrorClass::Malformed);
    }
}

#[test]
fn plain_text_that_starts_like_json_is_plain_text() {
    for body in ["[1] As reported, …", "\"Quoted\" he said", "1. First", "true enough", "[Source](https://a.example)"]
    {
        assert_eq!(answer(&read(Source::Ai, body)), body);
    }
}

#[test]
fn cost_is_read_from_the_body() {
    for (body, micros) in [
        (r#"{"results":[],"cost_usd":0.004}"#, Some(4_000)),
        (r#"{"results":[],"cost_usd":"0.003"}"#, Some(3_000)),
        (r#"{"results":[],"usage":{"cost_usd":0.001}}"#, Some(1_000)),
        (r#"{"results":[],"usage":7}"#, None),
        (r#"{"results":[],"cost_usd":-1}"#, None),
        (r#"{"results":[],"cost_usd":1e999}"#, None),
    ] {
        assert_eq!(read(Source::Web, body).cost, micros.map(crate::model::Micros), "{body}");
    }
}

#[test]
fn an_error_object_in_a_2xx_reply_is_a_service_error() {
    for (body, text) in [
        (r#"{"error":"no miners"}"#, "no miners"),
        (r#"{"error":{"code":5,"message":"no\nminers"}}"#, "no miners"),
        (r#"{"detail":"no miners"}"#, "no miners"),
        (r#"{"detail":[{"loc":["body"],"msg":"no miners"}]}"#, "no miners"),
        (r#"{"detail":{"error":"no miners"},"results":[]}"#, "no miners"),
        (r#"{"error":true,"results":null}"#, "an error without a message"),
        (r#"{"type":"error","message":"no miners"}"#, "no miners"),
    ] {
        for source in [Source::Social, Source::Ai] {
            let error = refused(source, body);
            assert_eq!((error.class, error.text.as_str()), (ErrorClass::Service, text), "{body}");
            assert!(!error.hint.is_empty());
        }
    }
    for body in [r#"{"error":null,"results":[]}"#, r#"{"error":"","detail":[],"errors":{},"results":[]}"#] {
        assert_eq!(read(Source::Web, body), Reply::default(), "{body}");
    }
    let error = refused(Source::Web, format!(r#"{{"error":"{}"}}"#, "é".repeat(5_000)));
    assert_eq!(error.text.chars().count(), 301);
}

#[test]
fn an_error_next_to_results_keeps_them_and_is_reported() {
    let reply = read(Source::Web, r#"{"results":[{"title":"t","url":"https://a.example"}],"error":"half"}"#);
    assert_eq!(reply.items.len(), 1);
    assert_eq!(reply.failure, Some((ErrorClass::Service, "half".to_owned())));
}

#[test]
fn results_under_an_unknown_name_are_not_read_as_an_empty_reply() {
    let error = refused(Source::Web, r#"{"hits":[{"title":"t"}]}"#);
    assert_eq!(error.class, ErrorClass::Malformed);
    assert!(error.text.contains("hits"), "{error}");
    assert_eq!(refused(Source::Web, r#"{"data":{"hits":[{"title":"t"}]}}"#).class, ErrorClass::Malformed);
    assert_eq!(read(Source::Web, r#"{"results":[],"related":["x"]}"#), Reply::default());
}

#[test]
fn a_single_entry_without_a_list_is_a_list_of_one() {
    assert_eq!(texts(&read(Source::Social, r#"{"id":"1","text":"t","user":"a"}"#)), ["t"]);
    assert_eq!(texts(&read(Source::Social, r#"{"data":{"id":"1","text":"t"}}"#)), ["t"]);
}
