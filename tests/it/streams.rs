//! Processing of AI replies, through `once` on both databases: streams in every framing, broken streams, and invalid
//! replies. A replay of the stored reply gives the same result.

use crate::support::databases::{block_on, databases};
use crate::support::program::{NINE, Place};
use crate::support::service::{FakeServer, Reply, Then, broken, bytes, reply};

/// The head of a chunked reply with this content type.
fn head(kind: &str) -> String {
    let kind = if kind.is_empty() { String::new() } else { format!("content-type: {kind}\r\n") };
    format!("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n{kind}\r\n")
}

/// A chunked reply without its last chunk.
fn chunked_without_end(kind: &str, chunks: &[&str]) -> Vec<u8> {
    let chunks = chunks.iter().map(|chunk| format!("{:x}\r\n{chunk}\r\n", chunk.len()));
    format!("{}{}", head(kind), chunks.collect::<String>()).into_bytes()
}

/// A whole chunked reply.
fn chunked(kind: &str, chunks: &[&str]) -> Reply {
    bytes(&[&chunked_without_end(kind, chunks)[..], b"0\r\n\r\n"].concat())
}

/// A reply and its result: `state class`, the answer with `partial`, and the run's state.
struct Case {
    name: &'static str,
    reply: fn() -> Reply,
    becomes: &'static str,
    answer: Option<(&'static str, bool)>,
    run: &'static str,
}

const WHOLE: Option<(&str, bool)> = Some(("Hello wörld", false));
const PART: Option<(&str, bool)> = Some(("Hello wör", true));

const BROKEN: &[Case] = &[
    Case {
        name: "words, reset",
        reply: || broken(&chunked_without_end("text/plain", &["Hello ", "wör"]), Then::Reset),
        becomes: "error cut",
        answer: PART,
        run: "partial",
    },
    Case {
        name: "words, closed in the middle",
        reply: || broken(&chunked_without_end("", &["Hello ", "wör"]), Then::Close),
        becomes: "error cut",
        answer: PART,
        run: "partial",
    },
    Case {
        name: "words, not done in time",
        reply: || broken(&chunked_without_end("text/plain", &["Hello ", "wör"]), Then::Hang),
        becomes: "error timeout",
        answer: PART,
        run: "partial",
    },
    Case {
        name: "words, then a chunk that is none",
        reply: || {
            bytes(&[&chunked_without_end("text/plain", &["Hello ", "wör"])[..], b"zz\r\nld\r\n0\r\n\r\n"].concat())
        },
        becomes: "error cut",
        answer: PART,
        run: "partial",
    },
    Case {
        name: "words, shorter than their length",
        reply: || bytes("HTTP/1.1 200 OK\r\ncontent-length: 40\r\n\r\nHello wör".as_bytes()),
        becomes: "error cut",
        answer: PART,
        run: "partial",
    },
    Case {
        name: "a summary in pieces, reset",
        reply: || {
            let pieces = ["data: {\"summary\":\"Hello \"}\n\n", "data: {\"summary\":\"wör\"}\n\n"];
            broken(&chunked_without_end("text/event-stream", &pieces), Then::Reset)
        },
        becomes: "error cut",
        answer: PART,
        run: "partial",
    },
    Case {
        name: "one piece of a summary, reset",
        reply: || broken(&chunked_without_end("", &["data: {\"summary\":\"Hello wör\"}\n\n"]), Then::Reset),
        becomes: "error cut",
        answer: PART,
        run: "partial",
    },
    Case {
        name: "a value a line, reset inside one",
        reply: || {
            let lines = ["{\"response\":\"Hello wör\",\"done\":false}\n", "{\"response\":\"ld\",\"do"];
            broken(&chunked_without_end("application/x-ndjson", &lines), Then::Reset)
        },
        becomes: "error cut",
        answer: PART,
        run: "partial",
    },
    Case {
        name: "events of words, not done in time",
        reply: || broken(&chunked_without_end("text/event-stream", &["data: Hello \n\n", "data: wör\n\n"]), Then::Hang),
        becomes: "error timeout",
        answer: PART,
        run: "partial",
    },
    Case {
        name: "a completion, then a reset: the text is whole, lists may be missing",
        reply: || {
            let frames = [
                "data: {\"type\":\"text\",\"role\":\"summary\",\"content\":\"Hello \"}\n\n",
                "data: {\"type\":\"completion\",\"content\":\"Hello wörld\"}\n\n",
            ];
            broken(&chunked_without_end("", &frames), Then::Reset)
        },
        becomes: "error cut",
        answer: WHOLE,
        run: "partial",
    },
    Case {
        name: "the last word, then a reset: nothing is missing",
        reply: || {
            let frames = ["data: {\"summary\":\"Hello \"}\n\ndata: {\"summary\":\"wörld\"}\n\n", "data: [DONE]\n\n"];
            broken(&chunked_without_end("", &frames), Then::Reset)
        },
        becomes: "ok -",
        answer: WHOLE,
        run: "ok",
    },
    Case {
        name: "nothing but a heartbeat, then a reset",
        reply: || broken(&chunked_without_end("text/event-stream", &[": ping\n\n"]), Then::Reset),
        becomes: "error cut",
        answer: None,
        run: "failed",
    },
];

const FRAMED: &[Case] = &[
    Case {
        name: "words",
        reply: || chunked("text/plain", &["Hello ", "wörld"]),
        becomes: "ok -",
        answer: WHOLE,
        run: "ok",
    },
    Case {
        name: "words without a type",
        reply: || reply("200 OK", "", "Hello wörld".as_bytes()),
        becomes: "ok -",
        answer: WHOLE,
        run: "ok",
    },
    Case {
        name: "a summary in pieces",
        reply: || {
            chunked("", &["data: {\"summary\":\"Hello \"}\n\nda", "ta: {\"summary\":\"wörld\"}\n\ndata: [DONE]\n\n"])
        },
        becomes: "ok -",
        answer: WHOLE,
        run: "ok",
    },
    Case {
        name: "a summary in pieces that never says where it ends",
        reply: || chunked("", &["data: {\"summary\":\"Hello \"}\n\n", "data: {\"summary\":\"wörld\"}\n\n"]),
        becomes: "error cut",
        answer: Some(("Hello wörld", true)),
        run: "partial",
    },
    Case {
        name: "a summary that holds all so far",
        reply: || {
            chunked(
                "text/event-stream",
                &["data: {\"summary\":\"Hello \"}\n\n", "data: {\"summary\":\"Hello wörld\"}\n\ndata: [DONE]\n\n"],
            )
        },
        becomes: "ok -",
        answer: WHOLE,
        run: "ok",
    },
    Case {
        name: "response and source, a value a line",
        reply: || {
            let lines = [
                "{\"response\":\"Hello \",\"source\":\"NOVA\"}\r\n",
                "{\"response\":\"wörld\",\"source\":\"NOVA\"}\r\n[DONE]\r\n",
            ];
            chunked("application/x-ndjson", &lines)
        },
        becomes: "ok -",
        answer: WHOLE,
        run: "ok",
    },
    Case {
        name: "response and done, a value a line",
        reply: || {
            let lines = [
                "{\"model\":\"m\",\"response\":\"Hello \",\"done\":false}\n{\"response\":\"wörld\",\"done\":false}\n",
                "{\"model\":\"m\",\"response\":\"\",\"done\":true}\n",
            ];
            chunked("application/json", &lines)
        },
        becomes: "ok -",
        answer: WHOLE,
        run: "ok",
    },
    Case {
        name: "choices",
        reply: || {
            let frames = [
                "data: {\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":\"\"}}]}\n\n",
                "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"Hello \"}}]}\n\n",
                "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"wörld\"}}]}\n\n",
                "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n",
            ];
            chunked("text/event-stream", &frames)
        },
        becomes: "ok -",
        answer: WHOLE,
        run: "ok",
    },
    Case {
        name: "events of words",
        reply: || chunked("text/event-stream", &["data: Hel\n\nda", "ta: lo wörld\n\n", "data: [DONE]\n\n"]),
        becomes: "ok -",
        answer: WHOLE,
        run: "ok",
    },
    Case {
        name: "frames that nobody could read",
        reply: || chunked("", &["data: {\"type\":\"flow\",\"content\":{\"a\":1}}\n\n", "data: [DONE]\n\n"]),
        becomes: "error malformed",
        answer: None,
        run: "failed",
    },
    Case {
        name: "an empty completion",
        reply: || chunked("", &["data: {\"type\":\"completion\",\"content\":\"\"}\n\n"]),
        becomes: "empty -",
        answer: None,
        run: "ok",
    },
];

const NO_ANSWERS: &[Case] = &[
    Case {
        name: "no byte",
        reply: || reply("200 OK", "content-type: application/json\r\n", b""),
        becomes: "error malformed",
        answer: None,
        run: "failed",
    },
    Case {
        name: "broken JSON",
        reply: || reply("200 OK", "content-type: application/json\r\n", b"{\"summary\": oops}"),
        becomes: "error malformed",
        answer: None,
        run: "failed",
    },
    Case {
        name: "words called JSON",
        reply: || reply("200 OK", "content-type: application/json; charset=utf-8\r\n", b"nan"),
        becomes: "error malformed",
        answer: None,
        run: "failed",
    },
    Case {
        name: "lists with a comment between them",
        reply: || reply("200 OK", "content-type: application/x-ndjson\r\n", b"[1,\"a\"]\r\n# second\r\n[2,\"b\"]\r\n"),
        becomes: "error malformed",
        answer: None,
        run: "failed",
    },
    Case {
        name: "broken JSON called nothing",
        reply: || reply("200 OK", "", b"[1, 2,, 3]"),
        becomes: "error malformed",
        answer: None,
        run: "failed",
    },
    Case {
        name: "a page without marks of one",
        reply: || reply("200 OK", "content-type: text/html\r\n", b"Service unavailable"),
        becomes: "error malformed",
        answer: None,
        run: "failed",
    },
    Case {
        name: "another format",
        reply: || reply("200 OK", "content-type: application/json\r\n", b"{\"message\": \"back soon\"}"),
        becomes: "error malformed",
        answer: None,
        run: "failed",
    },
    Case {
        name: "words that begin with a bracket",
        reply: || reply("200 OK", "", b"[1] As reported"),
        becomes: "ok -",
        answer: Some(("[1] As reported", false)),
        run: "ok",
    },
    Case {
        name: "a bare string",
        reply: || reply("200 OK", "content-type: application/json\r\n", "\"Hello wörld\"".as_bytes()),
        becomes: "ok -",
        answer: WHOLE,
        run: "ok",
    },
];

/// `text partial` of each answer.
fn answers(place: &Place) -> Vec<String> {
    place.database.texts("SELECT text || ' ' || CAST(partial AS TEXT) FROM v_answer")
}

fn assert_cases(cases: &'static [Case], streaming: bool) {
    const TOPIC: &str = "[[topics]]\nid = \"acme\"\nquery = \"acme\"\nsources = [\"ai\"]\n";
    for case in cases {
        for database in databases() {
            let server = FakeServer::respond_with(|_| (case.reply)());
            // Only where the case waits for it; a busy machine may need more than a second for the others.
            let timeout = if case.becomes == "error timeout" { "call_timeout = \"2s\"\n" } else { "" };
            let service = format!("{}{timeout}prices.ai = 0.5\n", server.lines());
            let place = Place::new(database, &service, &format!("{TOPIC}streaming = {streaming}\n"));
            let reported = format!("{} on {}", case.name, place.database.name);
            let ended = place.run(&["once", "--at", NINE]);
            assert_eq!(ended.code, Some(if case.becomes.starts_with("error") { 3 } else { 0 }), "{reported}: {ended}");
            let search = place.database.texts("SELECT state || ' ' || coalesce(error_class, '-') FROM v_search");
            assert_eq!(search, [case.becomes], "{reported}: {ended}");
            let expected: Vec<String> =
                case.answer.iter().map(|(text, partial)| format!("{text} {}", u8::from(*partial))).collect();
            assert_eq!(answers(&place), expected, "{reported}: {ended}");
            assert_eq!(place.database.texts("SELECT state FROM v_run"), [case.run], "{reported}");
            assert_eq!(place.database.spent(), 500_000, "{reported}: the call was made, and is billed");
            assert_eq!(place.database.number("SELECT count(*) FROM raw_reply"), 1, "{reported}: the reply is stored");

            // A replay gives the same.
            block_on(place.database.execute("DELETE FROM answer"));
            place.ok(&["db", "replay"]);
            assert_eq!(answers(&place), expected, "{reported}, read again");
        }
    }
}

#[test]
fn a_cut_stream_is_stored_and_replayed_as_partial() {
    assert_cases(BROKEN, true);
}

#[test]
fn a_streamed_answer_is_stored_whole_in_every_framing() {
    assert_cases(FRAMED, true);
}

#[test]
fn a_reply_without_an_answer_is_malformed_and_stored() {
    assert_cases(NO_ANSWERS, false);
}

#[test]
fn a_cut_answer_makes_the_run_partial() {
    for database in databases() {
        let server = FakeServer::respond_with(|path| match path {
            "/ai/search" => broken(&chunked_without_end("text/plain", &["Hello wör"]), Then::Reset),
            _ => reply("200 OK", "", br#"{"results": [{"title": "A page", "url": "https://example.com/a"}]}"#),
        });
        let topic = "[[topics]]\nid = \"acme\"\nquery = \"acme\"\nsources = [\"web\", \"ai\"]\nstreaming = true\n";
        let place = Place::new(database, &server.lines(), topic);
        place.run(&["once", "--at", NINE]).assert_stdout(3, &["cut: the reply was cut off after 10 decoded bytes"]);
        assert_eq!(place.database.texts("SELECT state FROM v_run"), ["partial"]);
        assert_eq!(answers(&place), ["Hello wör 1"]);
        let shown = place.json(&["show", "acme", "--json"]);
        assert_eq!(shown["answer"]["partial"], true, "{shown}");
    }
}

/// The public JSON parsing test suite, where its files are available: each file that no parser may accept, sent as an
/// AI's answer in JSON, is an error in the real binary.
#[test]
fn no_invalid_file_of_the_json_parsing_suite_becomes_an_answer() {
    let Some(root) = std::env::var_os("TOPICWATCH_TEST_DATA") else {
        eprintln!("skipped: no_file_of_the_json_parsing_suite… (TOPICWATCH_TEST_DATA is not set)");
        return;
    };
    let folder = std::path::Path::new(&root).join("json/test_parsing");
    let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().path()).collect();
    files.retain(|path| path.file_name().unwrap().to_string_lossy().starts_with("n_"));
    // Accepted on purpose: a NUL in a string becomes U+FFFD.
    files.retain(|path| !path.ends_with("n_string_unescaped_ctrl_char.json"));
    files.sort();
    assert!(files.len() > 180, "{}", files.len());
    let bodies: Vec<Vec<u8>> = files.iter().map(|path| std::fs::read(path).unwrap()).collect();
    let served = std::sync::Arc::new(std::sync::atomic::AtomicUsize::new(0));
    let next = std::sync::Arc::clone(&served);
    let server = FakeServer::respond_with(move |_| {
        let at = next.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
        reply("200 OK", "content-type: application/json\r\n", &bodies[at % bodies.len()])
    });
    let topics: String = (0..files.len())
        .map(|n| format!("[[topics]]\nid = \"t{n:03}\"\nquery = \"q\"\nsources = [\"ai\"]\n"))
        .collect();
    let place = Place::new(crate::support::databases::sqlite(), &server.lines(), &topics);
    place.run(&["once", "--at", NINE]).assert_stdout(3, &["t000"]);
    assert_eq!(served.load(std::sync::atomic::Ordering::SeqCst), files.len());
    let states = "SELECT s.state || ' ' || coalesce(s.error_class, '-') || ' ' || count(*) FROM v_search s \
                  GROUP BY s.state, s.error_class ORDER BY 1";
    let reported = place.database.texts(states);
    let cut: usize = reported.iter().find_map(|line| line.strip_prefix("error cut ")?.parse().ok()).unwrap_or(0);
    assert_eq!(
        reported,
        [format!("error cut {cut}"), format!("error malformed {}", files.len() - cut)],
        "{reported:?}"
    );
    assert!(answers(&place).is_empty());
    assert_eq!(place.database.number("SELECT count(*) FROM raw_reply") as usize, files.len(), "each is kept");
}
