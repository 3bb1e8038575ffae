//! Replies cut by a broken connection or a timeout. The client knows this, but the body often does not show it.

use super::*;

/// Decodes what arrived of a body before the connection broke.
fn broken_off(source: Source, body: &str, class: ErrorClass) -> Result<Reply, DecodeError> {
    decode(body.as_bytes(), &Context { cut: Some(class), ..context(source) })
}

#[test]
fn a_reply_known_to_be_cut_is_partial_unless_it_has_an_end_mark() {
    for class in [ErrorClass::Cut, ErrorClass::Timeout] {
        for body in [
            "Hel",
            "\"Hel\"",
            "{\"summary\":\"Hel\"}",
            "{\"response\":\"Hel\",\"done\":false}\n",
            "data: {\"summary\":\"Hel\"}\n\n",
            "data: {\"summary\":\"H\"}\n\ndata: {\"summary\":\"el\"}\n\n",
            "data: {\"type\":\"text\",\"role\":\"summary\",\"content\":\"Hel\"}\n\n",
            "data: {\"type\":\"text\",\"role\":\"summary\",\"content\":\"Hel\"}\n\ndata: {\"type",
            "data: H\n\ndata: el\n\n",
            "{\"summary\":\"Hel\",\"tweets\":[{\"te",
        ] {
            let reply = broken_off(Source::Ai, body, class).unwrap();
            assert_eq!((answer(&reply), reply.failure.as_ref().unwrap().0), ("Hel", class), "{body}");
            assert!(reply.answer.unwrap().partial, "{body}");
        }
        // A completion is the whole text, but lists may be missing. After an end mark nothing is missing.
        let reply = broken_off(Source::Ai, "data: {\"type\":\"text\",\"content\":\"Hel\"}\n\ndata: {\"type\":\"completion\",\"content\":\"Hello\"}\n\n", class).unwrap();
        assert_eq!((answer(&reply), reply.failure.as_ref().unwrap().0), ("Hello", class));
        assert!(!reply.answer.unwrap().partial);
        for end in ["data: [DONE]\n\n", "data: {\"summary\":\"\",\"done\":true}\n\n"] {
            let reply = broken_off(Source::Ai, &format!("data: {{\"summary\":\"Hel\"}}\n\n{end}"), class).unwrap();
            assert_eq!((answer(&reply), &reply.failure), ("Hel", &None), "{end}");
            assert!(!reply.answer.unwrap().partial);
        }
        let reply = broken_off(Source::Ai, "data: {\"summary\":\"Hel\"}\n\ndata: {\"error\":\"no miners\"}\n\n", class)
            .unwrap();
        assert_eq!(reply.failure.unwrap().0, ErrorClass::Service);
        for body in ["", "\n\n", "[1,2", "{\"summary\":\"Hel", "{\"summ", "<html><body>"] {
            assert_eq!(broken_off(Source::Ai, body, class).unwrap_err().class, class, "{body}");
        }
        let reply = broken_off(Source::Social, "{\"results\":[{\"text\":\"a\"}]}", class).unwrap();
        assert_eq!((texts(&reply), reply.failure.as_ref().unwrap().0), (vec!["a"], class));
    }
}
