//! An answer in pieces: every framing, every split, with and without an end mark.

use super::streamed::stream;
use super::*;

/// Turns each piece, as a JSON string, into a frame.
fn lines(pieces: &[String], each: impl Fn(&str) -> String) -> Vec<String> {
    pieces.iter().map(|piece| each(&serde_json::Value::from(piece.as_str()).to_string())).collect()
}

/// A way of framing a text, and whether it marks where the text ends.
struct Framing {
    name: &'static str,
    frames: fn(&[String]) -> String,
    ends: bool,
}

fn sse(frames: &[String]) -> String {
    frames.iter().map(|frame| format!("data: {frame}\n\n")).collect()
}

fn ndjson(frames: &[String]) -> String {
    frames.iter().map(|frame| format!("{frame}\n")).collect()
}

fn untyped(pieces: &[String]) -> Vec<String> {
    lines(pieces, |piece| format!("{{\"response\":{piece},\"source\":\"NOVA\"}}"))
}

fn ollama(pieces: &[String]) -> Vec<String> {
    let mut frames = lines(pieces, |piece| format!("{{\"model\":\"m\",\"response\":{piece},\"done\":false}}"));
    frames.push("{\"model\":\"m\",\"response\":\"\",\"done\":true}".to_owned());
    frames
}

fn choices(pieces: &[String]) -> Vec<String> {
    let mut frames = vec!["{\"id\":\"c\",\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":\"\"},\"finish_reason\":null}]}".to_owned()];
    frames.extend(lines(pieces, |piece| {
        format!(
            "{{\"id\":\"c\",\"choices\":[{{\"index\":0,\"delta\":{{\"content\":{piece}}},\"finish_reason\":null}}]}}"
        )
    }));
    frames
}

fn chosen(pieces: &[String]) -> Vec<String> {
    let mut frames = choices(pieces);
    frames.push("{\"id\":\"c\",\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}".to_owned());
    frames.push("{\"id\":\"c\",\"choices\":[],\"usage\":{\"total_tokens\":7}}".to_owned());
    frames
}

fn so_far(pieces: &[String]) -> Vec<String> {
    let whole: Vec<String> = (1..=pieces.len()).map(|n| pieces[..n].concat()).collect();
    lines(&whole, |text| format!("{{\"summary\":{text}}}"))
}

fn typed(pieces: &[String]) -> Vec<String> {
    lines(pieces, |piece| format!("{{\"type\":\"text\",\"role\":\"summary\",\"content\":{piece}}}"))
}

fn completed(pieces: &[String]) -> Vec<String> {
    let mut frames = typed(pieces);
    frames.push(format!("{{\"type\":\"completion\",\"content\":{}}}", serde_json::Value::from(pieces.concat())));
    frames
}

fn summaries(pieces: &[String]) -> Vec<String> {
    lines(pieces, |piece| format!("{{\"summary\":{piece}}}"))
}

/// Pieces as `data:` lines of plain words, one for each line of a piece.
fn words(pieces: &[String], end: &str) -> String {
    let event = |piece: &String| piece.split('\n').map(|line| format!("data: {line}{end}")).collect::<String>() + end;
    pieces.iter().map(event).collect()
}

const WAYS: &[Framing] = &[
    Framing { name: "typed, with a completion", frames: |p| sse(&completed(p)), ends: true },
    Framing { name: "typed", frames: |p| sse(&typed(p)), ends: false },
    Framing { name: "typed, CRLF", frames: |p| sse(&typed(p)).replace('\n', "\r\n"), ends: false },
    Framing { name: "typed, a value a line", frames: |p| ndjson(&completed(p)), ends: true },
    Framing { name: "summary", frames: |p| sse(&summaries(p)), ends: false },
    Framing { name: "summary, CRLF", frames: |p| sse(&summaries(p)).replace('\n', "\r\n"), ends: false },
    Framing {
        name: "summary, events named",
        frames: |p| sse(&summaries(p)).replace("data: {", "event: delta\nid: 1\ndata: {"),
        ends: false,
    },
    Framing { name: "summary, no blank lines", frames: |p| sse(&summaries(p)).replace("\n\n", "\n"), ends: false },
    Framing { name: "summary, all on a line", frames: |p| sse(&summaries(p)).replace("\n\n", " "), ends: false },
    Framing {
        name: "summary, events of two lines",
        frames: |p| sse(&summaries(p)).replace("{\"summary\":", "{\ndata: \"summary\":"),
        ends: false,
    },
    Framing { name: "response and source", frames: |p| sse(&untyped(p)), ends: false },
    Framing { name: "response and source, a value a line", frames: |p| ndjson(&untyped(p)), ends: false },
    Framing { name: "response and source, CRLF", frames: |p| ndjson(&untyped(p)).replace('\n', "\r\n"), ends: false },
    Framing { name: "response and source, run together", frames: |p| untyped(p).concat(), ends: false },
    Framing { name: "response and source, a list", frames: |p| format!("[{}]", untyped(p).join(",")), ends: false },
    Framing { name: "done", frames: |p| sse(&ollama(p)), ends: true },
    Framing { name: "done, a value a line", frames: |p| ndjson(&ollama(p)), ends: true },
    Framing { name: "done, CRLF", frames: |p| ndjson(&ollama(p)).replace('\n', "\r\n"), ends: true },
    Framing { name: "done, run together", frames: |p| ollama(p).concat(), ends: true },
    Framing { name: "choices", frames: |p| sse(&choices(p)), ends: false },
    Framing { name: "choices with a reason", frames: |p| sse(&chosen(p)), ends: true },
    Framing { name: "choices, a value a line", frames: |p| ndjson(&chosen(p)), ends: true },
    Framing { name: "all so far", frames: |p| sse(&so_far(p)), ends: false },
    Framing { name: "all so far, a value a line", frames: |p| ndjson(&so_far(p)), ends: false },
    Framing { name: "strings", frames: |p| sse(&lines(p, str::to_owned)), ends: false },
    Framing { name: "words", frames: |p| words(p, "\n"), ends: false },
    Framing { name: "words, CRLF", frames: |p| words(p, "\r\n"), ends: false },
    Framing { name: "words after a comment", frames: |p| format!(": hello\n\n{}", words(p, "\n")), ends: false },
];

/// Splits a text at the positions in `at`.
fn cut_at(text: &str, at: &[usize]) -> Vec<String> {
    let characters: Vec<char> = text.chars().collect();
    let mut ends: Vec<usize> = at.iter().map(|end| end % (characters.len() + 1)).chain([characters.len()]).collect();
    ends.sort_unstable();
    ends.dedup();
    let starts = std::iter::once(0).chain(ends.iter().copied());
    let pieces = starts.zip(&ends).map(|(start, &end)| characters[start..end].iter().collect::<String>());
    pieces.filter(|piece| !piece.is_empty()).collect()
}

#[test]
fn every_framing_and_split_gives_the_whole_text_and_its_end() {
    let text = "Hello wörld: [1] {two}, \"three\"\n\n- 😀 data: x\n\ttail";
    let letters = text.chars().count();
    let mut random = 1_u64;
    let mut next = || {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(random >> 33).unwrap()
    };
    let mut splits: Vec<Vec<String>> = vec![cut_at(text, &(1..letters).collect::<Vec<_>>())];
    splits.extend((1..letters).map(|end| cut_at(text, &[end])));
    splits.extend((0..40).map(|_| cut_at(text, &[next(), next(), next(), next()])));
    for way in WAYS {
        for pieces in &splits {
            assert_eq!(pieces.concat(), text);
            for done in ["", "data: [DONE]\n\n", "[DONE]"] {
                // A bare `[DONE]` is not an event line, and a list ends by itself.
                let framed = (way.frames)(pieces);
                let (events, list) = (!framed.starts_with(['{', '[']), framed.starts_with('['));
                if (done == "[DONE]" && events) || (list && !done.is_empty()) {
                    continue;
                }
                let body = format!("{framed}{done}");
                let reply = stream(&body);
                let ended = way.ends || !done.is_empty();
                assert_eq!(answer(&reply), text, "{}: {body}", way.name);
                assert_eq!(reply.answer.as_ref().unwrap().partial, !ended, "{}: {body}", way.name);
                let failure = reply.failure.as_ref().map(|(class, _)| *class);
                assert_eq!(failure, (!ended).then_some(ErrorClass::Cut), "{}: {body}", way.name);
                assert_eq!((reply.unreadable, reply.items.len()), (0, 0), "{}: {body}", way.name);
            }
        }
    }
}

#[test]
fn pieces_without_a_type_are_joined_unless_each_holds_all_so_far() {
    for (pieces, text) in [
        (&["Hello ", "world"][..], "Hello world"),
        (&["Hel", "Hello", "Hello world"], "Hello world"),
        (&["Hello", "Hello"], "Hello"),
        (&["Hello", "", "Hello world", ""], "Hello world"),
        (&["*", "*Bold** words"], "**Bold** words"),
        (&["ha", "ha", " he said"], "haha he said"),
        (&["a", "ab", "c"], "aabc"),
        (&[" ", "\n", "Hello", " ", "world"], " \nHello world"),
    ] {
        for name in ["summary", "response", "completion", "text"] {
            let frames: Vec<String> =
                pieces.iter().map(|p| serde_json::json!({ name: p, "source": "NOVA" }).to_string()).collect();
            for body in [sse(&frames), ndjson(&frames)] {
                let reply = stream(&format!("{body}data: [DONE]\n\n"));
                assert_eq!(answer(&reply), text, "{body}");
                let answer = reply.answer.unwrap();
                assert_eq!((answer.model.as_deref(), answer.partial), (Some("NOVA"), false), "{body}");
            }
        }
    }
    // Words without blank lines between them are one event of several lines.
    let reply = stream("data: Hello\ndata: world\ndata: [DONE]\n\n");
    assert_eq!((answer(&reply), &reply.failure), ("Hello\nworld", &None));
    // A single event of words ends like any event.
    assert_eq!(answer(&stream("data: Hello world\n\n")), "Hello world");
    // A completion after pieces of another name is the whole answer.
    let reply =
        stream("data: {\"summary\":\"Hel\"}\n\ndata: {\"summary\":\"lo\"}\n\ndata: {\"completion\":\"Hello.\"}\n\n");
    assert_eq!((answer(&reply), &reply.failure), ("Hello.", &None));
    // Other answers to the same question are left out.
    let other = r#"{"choices":[{"index":1,"delta":{"content":"no"}},{"index":0,"delta":{"content":"yes"},"finish_reason":"length"}]}"#;
    assert_eq!(answer(&stream(other)), "yes");
    // Lists may come between pieces.
    let reply = stream(
        "data: {\"summary\":\"a\",\"results\":[{\"id\":\"1\",\"text\":\"p\"}]}\n\ndata: {\"summary\":\"b\"}\n\ndata: [DONE]\n\n",
    );
    assert_eq!((answer(&reply), texts(&reply)), ("ab", vec!["p"]));
}

#[test]
fn a_piece_that_says_more_follows_is_not_the_whole_answer() {
    for body in [
        "{\"response\":\"Hel\",\"done\":false}",
        "{\"response\":\"Hel\",\"done\":false}\n",
        "data: {\"response\":\"Hel\",\"done\":false}\n\n",
        "{\"choices\":[{\"delta\":{\"content\":\"Hel\"}}]}",
        "{\"response\":\"Hel\"}\n{\"respo",
        "data: {\"summary\":\"Hel\"}\n\ndata: {\"sum",
        "data: He\n\ndata: l\n\n",
    ] {
        let reply = stream(body);
        assert_eq!((answer(&reply), reply.failure.as_ref().unwrap().0), ("Hel", ErrorClass::Cut), "{body}");
        assert!(reply.answer.unwrap().partial, "{body}");
    }
    let reply = stream("{\"response\":\"Hello\",\"done\":true}");
    assert_eq!((answer(&reply), &reply.failure), ("Hello", &None));
}

#[test]
fn a_broken_frame_among_pieces_makes_the_answer_partial() {
    for piece in ["{\"type\":\"text\",\"content\":", "{\"summary\":", "{\"response\":"] {
        let body = format!("data: {piece}\"a\"}}\n\ndata: {piece}\"b\n\ndata: {piece}\"c\"}}\n\ndata: [DONE]\n\n");
        let reply = stream(&body);
        assert_eq!((answer(&reply), reply.unreadable), ("ac", 1), "{body}");
        assert_eq!(reply.failure.as_ref().unwrap().0, ErrorClass::Malformed, "{body}");
        assert!(reply.answer.unwrap().partial, "{body}");
    }
}
