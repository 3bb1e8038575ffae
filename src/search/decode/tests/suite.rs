//! Runs the public JSON parsing test suite, if its files are there. Valid JSON is accepted, invalid JSON never becomes
//! an item or an answer, and nothing panics.

use super::*;
use crate::search::decode::json::lenient;

/// Accepted on purpose: a raw NUL in a string becomes U+FFFD before parsing. (Invalid UTF-8 and lone surrogates are
/// `i_` cases of the suite, where a parser may choose.)
const ACCEPTED: &[&str] = &["n_string_unescaped_ctrl_char.json"];

#[test]
fn files_of_the_json_parsing_suite_are_accepted_or_refused_correctly() {
    let Some(root) = std::env::var_os("TOPICWATCH_TEST_DATA") else {
        eprintln!(
            "skipped: files_of_the_json_parsing_suite_are_accepted_or_refused_correctly (TOPICWATCH_TEST_DATA is not set)"
        );
        return;
    };
    let mut seen = 0;
    for file in std::fs::read_dir(std::path::Path::new(&root).join("json/test_parsing")).unwrap() {
        let path = file.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let body = std::fs::read(&path).unwrap();
        let parsed = lenient::parse(lenient::text(&body).trim_start_matches('\u{feff}'), Limits::default());
        match name.as_bytes()[0] {
            b'y' => assert!(parsed.is_ok(), "{name}: {parsed:?}"),
            b'n' => assert_eq!(parsed.is_ok(), ACCEPTED.contains(&name.as_str()), "{name}: {parsed:?}"),
            _ => {}
        }
        for source in [Source::Social, Source::Web, Source::Ai] {
            for media in [ContentType::Json, ContentType::Unsaid] {
                let decoded = decode(&body, &Context { media, ..context(source) });
                let Ok(reply) = decoded else { continue };
                let text = lenient::text(&body).trim().to_owned();
                // Without a content type, plain words are an answer: `nan`, `1 2`, `2.`.
                let in_words = source == Source::Ai && media == ContentType::Unsaid && !text.starts_with(['{', '[']);
                if name.starts_with('n') && !ACCEPTED.contains(&name.as_str()) {
                    assert!(in_words, "{name} {source} {media:?}: {reply:?}");
                    assert_eq!(reply.items, [], "{name}");
                }
            }
            let _ = dripped(source, &body);
        }
        seen += 1;
    }
    assert!(seen > 300, "{seen} files");
}

#[test]
fn invalid_json_is_not_an_answer_under_any_content_type() {
    for body in [
        "{\"summary\": oops}",
        "{'summary':'A'}",
        "{\"summary\":\"A\",}",
        "{\"summary\":\"A\"} trailing",
        "{\"summary\":\"A\"}//",
        "{\"summary\":\"A\"}/**/",
        "[1, 2",
        "[1,,2]",
        "[NaN]",
        "[1]x",
        "[1 true]",
        "[1]\r\n[2]\r\n",
        "[1,\"a\"]\r\n// second\r\n[2,\"b\"]\r\n",
        "# posts\r\n{\"id\":\"1\"}\r\n{\"id\":\"2\"}\r\n",
        "// an answer\r\n{\r\n  \"summary\": \"A\"\r\n}\r\n",
        "{\"id\":\"1\",\"text\":\"a\"}\r\n# comment\r\n{\"id\":\"2\",\"text\":\"b\"}\r\n",
    ] {
        for media in [ContentType::Json, ContentType::Unsaid, ContentType::Events] {
            let error = decode(body.as_bytes(), &Context { media, ..context(Source::Ai) }).unwrap_err();
            assert!(matches!(error.class, ErrorClass::Malformed | ErrorClass::Cut), "{media:?} {body:?}: {error:?}");
        }
    }
    for body in ["words", "tru", "2.", "nan", "\"Quoted\" he said", "[1] As reported", "# Heading\n\nWords"] {
        let error = decode(body.as_bytes(), &Context { media: ContentType::Json, ..context(Source::Ai) }).unwrap_err();
        assert_eq!(error.class, ErrorClass::Malformed, "{body:?}");
        let error = decode(body.as_bytes(), &Context { media: ContentType::Page, ..context(Source::Ai) }).unwrap_err();
        assert!(error.text.contains("HTML page"), "{body:?}: {error:?}");
        assert_eq!(answer(&read(Source::Ai, body)), body);
    }
    for media in [ContentType::Json, ContentType::Unsaid, ContentType::Events, ContentType::Page] {
        let reply = decode(br#"{"summary":"A"}"#, &Context { media, ..context(Source::Ai) }).unwrap();
        assert_eq!(answer(&reply), "A", "a label never stops JSON from being read");
        let reply = decode(br#""A""#, &Context { media, ..context(Source::Ai) }).unwrap();
        assert_eq!(answer(&reply), "A");
    }
}
