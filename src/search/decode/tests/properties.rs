//! Properties of every body: no panic, limits kept, the same reply however the bytes arrive.

use proptest::prelude::*;

use super::*;

/// Parts from which streams, replies and rubbish are built.
fn piece() -> impl Strategy<Value = Vec<u8>> {
    let fixed = prop::sample::select(vec![
        &b"data: "[..],
        b"data:",
        b"\n",
        b"\r",
        b"\r\n",
        b"\n\n",
        b": x\n",
        b"event: e\n",
        b"[DONE]",
        b"{",
        b"}",
        b"[",
        b"]",
        b"\"",
        b",",
        b":",
        b"\\",
        b"\\ud83d",
        b"\\ude00",
        b"\xef\xbb\xbf",
        b"\xff",
        b"\0",
        b"1e999",
        b"null",
        b"{\"type\":\"text\",\"role\":\"summary\",\"content\":\"h\xc3\xa9\"}",
        b"{\"type\":\"completion\",\"content\":\"done\"}",
        b"{\"type\":\"tweets\",\"content\":[{\"text\":\"t\"},null]}",
        b"{\"error\":\"e\"}",
        b"{\"results\":[{\"title\":\"t\",\"url\":\"https://a.example\"}]}",
    ]);
    prop_oneof![8 => fixed.prop_map(<[u8]>::to_vec), 1 => prop::collection::vec(any::<u8>(), 0..8)]
}

fn body() -> impl Strategy<Value = Vec<u8>> {
    prop::collection::vec(piece(), 0..24).prop_map(|pieces| pieces.concat())
}

fn source() -> impl Strategy<Value = Source> {
    prop::sample::select(vec![Source::Social, Source::Web, Source::Ai])
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_stream_split_anywhere_gives_the_same_reply(source in source(), body in body(), cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..6)) {
        let mut decoder = StreamDecoder::new(context(source));
        decoder.push(&body);
        let whole = decoder.finish();
        prop_assert_eq!(&dripped(source, &body), &whole);

        let mut ends: Vec<_> = cuts.iter().map(|cut| cut.index(body.len() + 1)).collect();
        ends.push(body.len());
        ends.sort_unstable();
        let mut decoder = StreamDecoder::new(context(source));
        let mut start = 0;
        for end in ends {
            decoder.push(&body[start..end]);
            start = end;
        }
        prop_assert_eq!(decoder.finish(), whole);
    }

    #[test]
    fn no_body_panics_or_exceeds_a_limit(source in source(), body in body()) {
        let limits = Limits { max_items: 2, max_field_chars: 5, max_depth: 8 };
        if let Ok(reply) = decode(&body, &Context { limits, ..context(source) }) {
            prop_assert!(reply.items.len() <= 2);
            let texts = reply.items.iter().flat_map(|i| [&i.text, &i.title, &i.url]).flatten();
            for text in texts.chain(reply.answer.iter().map(|a| &a.text)) {
                prop_assert!(text.chars().count() <= 5 && !text.contains('\0'), "{text:?}");
            }
            for (index, item) in reply.items.iter().enumerate() {
                prop_assert_eq!(item.rank as usize, index + 1);
                prop_assert!(item.kind.is_some());
            }
        }
    }

    #[test]
    fn arbitrary_bytes_never_panic(source in source(), body in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = decode(&body, &context(source));
        let _ = dripped(source, &body);
    }

    #[test]
    fn any_text_in_a_reply_is_decoded_unchanged(text in "\\PC{1,40}") {
        prop_assume!(!text.trim().is_empty());
        let body = serde_json::json!({ "results": [{ "text": text, "user": "u" }] }).to_string();
        let escaped: String = body.chars().map(|c| if c.is_ascii() { c.to_string() } else {
            c.encode_utf16(&mut [0; 2]).iter().map(|unit| format!("\\u{unit:04X}")).collect()
        }).collect();
        for body in [body, escaped] {
            let reply = read(Source::Social, &body);
            prop_assert_eq!(texts(&reply), [text.as_str()]);
        }
    }

    #[test]
    fn parsing_any_text_as_a_date_does_not_panic(text in "[a-z0-9:+ ,.-]{0,30}|\\PC{0,20}|[0-9]{0,25} (hours|years) ago", now in any::<i64>()) {
        let _ = entry::date::parse(&text, Time(now));
    }
}
