//! The search client over real sockets: what it sends, and how it handles every way in which a service can answer,
//! stall, break off or misbehave.

mod server;

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
use std::time::Duration;

use futures_util::FutureExt;
use secrecy::SecretString;
use server::{Answer, Received, Server, Then, reply};
use topicwatch::http;
use topicwatch::model::{AiQuery, AiWhen, Micros, SocialOperation, SocialQuery, Time, WebOperation, WebQuery, Window};
use topicwatch::search::{
    Access, Backoff, CallError, CallFailure, Client, Dialect, ErrorClass, FailureScope, Gate, NoGate, Rate, RawReply,
    Refusal, Request, SearchQuery, Settings, request,
};

const KEY: &str = "dt_$0123/abc=";
/// 2026-03-11T09:00:00Z.
const NOW: Time = Time(1_773_219_600_000);
const HOUR: Duration = Duration::from_secs(3_600);

fn settings(server: &Server) -> Settings {
    Settings {
        base_url: server.url.clone(),
        dialect: Dialect::Spec,
        platform: "X".to_owned(),
        provider: "service".to_owned(),
        access: Access::Bare(SecretString::from(KEY.to_owned())),
        allow_private: true,
        call_timeout: Duration::from_secs(30),
        max_concurrent: 4,
        rate_limit: None,
        max_tries: 3,
        max_response_bytes: 1_000_000,
    }
}

/// A client that does not wait between tries.
fn client(settings: Settings) -> Client {
    let at_once = Backoff { base: Duration::ZERO, cap: Duration::ZERO, longest_wait: Duration::from_secs(60) };
    Client::new(settings).unwrap().with_backoff(at_once)
}

fn web() -> Request {
    let query = WebQuery { query: "flood".to_owned(), operation: WebOperation::Search, limit: 5 };
    request(Dialect::Spec, "X", &SearchQuery::Web(query), NOW).unwrap()
}

fn streamed() -> Request {
    let query = AiQuery {
        prompt: "flood?".to_owned(),
        model: "NOVA".to_owned(),
        response_order: None,
        streaming: true,
        when: AiWhen::Always,
        count: None,
        tools: Vec::new(),
    };
    request(Dialect::Spec, "X", &SearchQuery::Ai(query, Window::Past24Hours.into()), NOW).unwrap()
}

async fn call(client: &Client, request: &Request) -> Result<RawReply, CallFailure> {
    with_time_limit(client.call(request, &NoGate, &|| 0.5, &|| NOW)).await
}

/// Makes a test that waits forever fail; no test takes this long.
async fn with_time_limit<T>(future: impl Future<Output = T>) -> T {
    tokio::time::timeout(Duration::from_secs(60), future).await.expect("it never ends")
}

async fn failed(client: &Client, request: &Request) -> CallError {
    match call(client, request).await {
        Err(CallFailure::Error(error)) => *error,
        other => panic!("no failure: {other:?}"),
    }
}

/// The n-th answer for the n-th request, the last answer for all that follow.
fn scripted(answers: Vec<Answer>) -> impl Fn(&Received) -> Answer + Send + Sync {
    move |received| answers[received.number.min(answers.len() - 1)].clone()
}

#[tokio::test]
async fn spec_requests_have_the_expected_line_headers_and_body() {
    let server = Server::start(scripted(vec![reply(200, "", "{}")])).await;
    let client = client(settings(&server));
    let social = SocialQuery { query: "flood".to_owned(), operation: SocialOperation::Search, limit: None };
    let social = request(Dialect::Spec, "X", &SearchQuery::Social(social, Window::Past24Hours.into()), NOW).unwrap();
    for request in [&web(), &social, &streamed()] {
        assert_eq!(call(&client, request).await.unwrap().body, "{}");
    }
    let received = server.requests();
    let host = format!("127.0.0.1:{}", server.url.port().unwrap());
    let bodies = [
        ("POST /web/search", r#"{"query":"flood","results_limit":5}"#),
        ("POST /X/search", r#"{"date_filter":"PAST_24_HOURS","query":"flood","tools":["X Search"]}"#),
        ("POST /ai/search", r#"{"model":"NOVA","prompt":"flood?","streaming":true}"#),
    ];
    assert_eq!(received.len(), bodies.len());
    for (received, (line, body)) in received.iter().zip(bodies) {
        assert_eq!(received.line(), line);
        assert_eq!(String::from_utf8_lossy(&received.body), body);
        assert_eq!(received.header("authorization"), [KEY], "the bare key, once");
        assert_eq!(received.header("content-type"), ["application/json"]);
        assert_eq!(received.header("user-agent"), [http::USER_AGENT]);
        assert_eq!(received.header("accept-encoding"), ["gzip"]);
        assert_eq!(received.header("host"), [host.as_str()]);
        assert_eq!(received.header("referer"), [""; 0]);
        assert_eq!(received.connection, 0, "the connection is used again");
    }
}

#[tokio::test]
async fn a_get_carries_its_query_and_no_body() {
    let server = Server::start(scripted(vec![reply(201, "", "[]")])).await;
    let mut settings = Settings { dialect: Dialect::Desearch, ..settings(&server) };
    settings.base_url.set_path("/v1/");
    let client = client(settings);
    let query = WebQuery { query: "a & b".to_owned(), operation: WebOperation::Basic, limit: 5 };
    let request = client.request(&SearchQuery::Web(query), NOW).unwrap();
    let got = call(&client, &request).await.unwrap();
    assert_eq!((got.status, got.tries), (201, 1));
    let received = &server.requests()[0];
    assert_eq!(received.line(), "GET /v1/web?query=a+%26+b&start=0");
    assert_eq!(client.url(&request), format!("{}v1/web?query=a+%26+b&start=0", server.url));
    assert_eq!(received.header("authorization"), [KEY]);
    assert!(received.header("content-type").is_empty() && received.body.is_empty());
}

#[tokio::test]
async fn a_successful_reply_returns_its_cost_and_the_kept_headers() {
    let headers = format!(
        "Content-Type: application/json\r\nX-Desearch-Cost-Usd: 0.004\r\nX-Desearch-Echo: {KEY}\r\n\
         X-Request-Id: r1\r\nSet-Cookie: no\r\nServer: no\r\n"
    );
    let odd = "X-Desearch-Cost-Usd: a lot\r\n";
    let answers =
        vec![reply(200, &headers, "{}"), reply(200, odd, "{}"), (b"HTTP/1.1 204 No\r\n\r\n".into(), Then::Keep)];
    let server = Server::start(scripted(answers)).await;
    let client = client(settings(&server));
    let first = call(&client, &web()).await.unwrap();
    assert_eq!(first.cost, Some(Micros(4_000)));
    let kept = [
        ("content-type", "application/json"),
        ("x-desearch-cost-usd", "0.004"),
        ("x-desearch-echo", "***"),
        ("x-request-id", "r1"),
    ];
    assert_eq!(first.headers, kept.map(|(name, value)| (name.to_owned(), value.to_owned())));
    assert_eq!(call(&client, &web()).await.unwrap().cost, None, "not a number");
    let empty = call(&client, &web()).await.unwrap();
    assert_eq!((empty.status, empty.body.len()), (204, 0));
}

#[tokio::test]
async fn permanent_errors_are_not_retried() {
    use ErrorClass as C;
    for (status, class, reach) in [
        (400, C::BadRequest, FailureScope::Search),
        (401, C::KeyRefused, FailureScope::Service),
        (402, C::BalanceSpent, FailureScope::Service),
        (403, C::KeyRefused, FailureScope::Service),
        (404, C::BadRequest, FailureScope::Search),
        (422, C::BadRequest, FailureScope::Search),
    ] {
        let body = r#"{"detail":[{"loc":["body","count"],"msg":"at\nleast 10"}]}"#;
        let server = Server::start(scripted(vec![reply(status, "X-Desearch-Cost-Usd: 0.001\r\n", body)])).await;
        let error = failed(&client(settings(&server)), &web()).await;
        assert_eq!((error.class, error.status, error.reach, error.tries), (class, Some(status), reach, 1));
        assert!(error.text.starts_with(&status.to_string()) && error.text.ends_with(": body.count: at least 10"));
        assert!(!error.hint.is_empty());
        assert_eq!(error.cost, Some(Micros(1_000)));
        assert_eq!(server.requests().len(), 1);
    }
}

#[tokio::test]
async fn temporary_errors_are_retried_until_success() {
    let answers = vec![reply(503, "", ""), reply(429, "Retry-After: 0\r\n", ""), reply(200, "", "{}")];
    let server = Server::start(scripted(answers)).await;
    assert_eq!(call(&client(settings(&server)), &web()).await.unwrap().tries, 3);
    assert_eq!(server.requests().len(), 3);
}

#[tokio::test]
async fn a_lasting_temporary_error_ends_after_the_last_try() {
    for (status, class) in [(500, ErrorClass::Server), (429, ErrorClass::RateLimited)] {
        let server = Server::start(scripted(vec![reply(status, "", "<html><title>Oops</title></html>")])).await;
        let error = failed(&client(settings(&server)), &web()).await;
        assert_eq!((error.class, error.tries, error.reach), (class, 3, FailureScope::Search));
        assert!(error.text.ends_with("an HTML page titled \"Oops\""), "{}", error.text);
        assert_eq!(server.requests().len(), 3);
    }
}

#[tokio::test]
async fn a_retry_wait_that_is_too_long_ends_the_call_and_says_until_when() {
    for (headers, body) in [
        ("Retry-After: 3600\r\n", ""),
        ("Retry-After: Wed, 11 Mar 2026 10:00:00 GMT\r\n", ""),
        ("", r#"{"detail":{"message":"slow down","retry_after":"3600 seconds"}}"#),
    ] {
        let server = Server::start(scripted(vec![reply(429, headers, body)])).await;
        let error = failed(&client(settings(&server)), &web()).await;
        assert_eq!((error.class, error.tries), (ErrorClass::RateLimited, 1), "{headers}{body}");
        assert!(error.hint.contains("2026-03-11T10:00:00Z"), "{}", error.hint);
    }
}

#[tokio::test]
async fn a_redirect_is_an_error_and_is_not_followed() {
    let other = Server::start(scripted(vec![reply(200, "", "{}")])).await;
    for status in [301, 302, 307, 308] {
        let location = format!("Location: {}elsewhere?key={KEY}\r\n", other.url);
        let server = Server::start(scripted(vec![reply(status, &location, "")])).await;
        let error = failed(&client(settings(&server)), &web()).await;
        assert_eq!((error.class, error.tries), (ErrorClass::Redirect, 1));
        assert!(error.text.ends_with("elsewhere…"), "{}", error.text);
    }
    assert!(other.requests().is_empty());
}

#[tokio::test]
async fn a_key_echoed_by_a_server_is_redacted_in_errors_and_bodies() {
    let encoded: String = url::form_urlencoded::byte_serialize(KEY.as_bytes()).collect();
    let body = format!(r#"{{"detail":"key {KEY} or {encoded} is \u001b[31mwrong{}"}}"#, "!".repeat(400));
    let echo = reply(200, "", format!("{{\"you sent\":\"{KEY}\"}}"));
    let server = Server::start(scripted(vec![reply(403, "", body), echo])).await;
    let client = client(settings(&server));
    let error = failed(&client, &web()).await;
    assert!(error.text.contains(r"key *** or *** is \u{1b}[31mwrong!!!"), "{}", error.text);
    assert!(error.text.ends_with('…') && error.text.chars().count() < 320);
    assert_eq!(call(&client, &web()).await.unwrap().body, r#"{"you sent":"***"}"#);
    assert!(!format!("{client:?}").contains(KEY));
}

/// A gzip body of a few hundred kilobytes that inflates to `megabytes`.
fn gzip_bomb(megabytes: usize) -> Vec<u8> {
    let zeros = vec![0; 1 << 20];
    let mut deflate = flate2::Compress::new(flate2::Compression::best(), false);
    let mut block = Vec::with_capacity(1 << 16);
    // A full flush ends the block at a byte boundary and resets the dictionary, so that the block can be repeated.
    deflate.compress_vec(&zeros, &mut block, flate2::FlushCompress::Full).unwrap();
    assert_eq!(deflate.total_in(), 1 << 20);
    let mut bytes = vec![0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255];
    bytes.extend(block.repeat(megabytes));
    bytes
}

/// The peak memory of this process in bytes, where the system reports it.
fn peak_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(line.trim().trim_end_matches(" kB").parse::<u64>().ok()? * 1024)
}

#[tokio::test]
async fn a_compression_bomb_stops_at_the_cap() {
    let body = gzip_bomb(512);
    assert!(body.len() < 1_000_000, "few bytes are transferred: {}", body.len());
    let server = Server::start(scripted(vec![reply(200, "Content-Encoding: gzip\r\n", body)])).await;
    let before = peak_memory();
    let error = failed(&client(settings(&server)), &web()).await;
    assert_eq!((error.class, error.status, error.tries), (ErrorClass::TooLarge, Some(200), 1));
    if let (Some(before), Some(after)) = (before, peak_memory()) {
        assert!(after - before < 200 << 20, "grew by {} bytes", after - before);
    }
}

#[tokio::test]
async fn a_body_of_exactly_the_cap_is_read() {
    let server = Server::start(scripted(vec![reply(200, "", "12345678"), reply(200, "", "123456789")])).await;
    let client = client(Settings { max_response_bytes: 8, ..settings(&server) });
    assert_eq!(call(&client, &web()).await.unwrap().body, "12345678");
    assert_eq!(failed(&client, &web()).await.class, ErrorClass::TooLarge);
}

#[tokio::test]
async fn a_damaged_compressed_body_is_malformed_and_not_retried() {
    let server =
        Server::start(scripted(vec![reply(200, "Content-Encoding: gzip\r\n", "this is not gzip at all")])).await;
    let error = failed(&client(settings(&server)), &web()).await;
    assert_eq!((error.class, error.tries), (ErrorClass::Malformed, 1), "{}", error.text);
}

/// RFC 9112, sections 5.1 and 5.2; and a line of a program that fails, as among the headers of many scripts.
#[tokio::test]
async fn replies_with_folded_or_invalid_headers_are_read() {
    let many: String = (0..300).map(|n| format!("Link: </{n}.css>\r\n")).collect();
    for header in
        ["X-Long: one\r\n two\r\n", "X-Space : one\r\n", "Warning in line 7\r\n", "X-(Odd): one\r\n", many.as_str()]
    {
        let server = Server::start(scripted(vec![reply(200, header, "{}")])).await;
        assert_eq!(call(&client(settings(&server)), &web()).await.unwrap().body, "{}", "{header}");
    }
}

/// RFC 1952, section 2.2; and RFC 9110, section 8.4.1: names of codings have no case, and `x-gzip` is gzip.
#[tokio::test]
async fn all_members_of_a_gzip_body_are_read() {
    let member = |text: &str| {
        let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        std::io::Write::write_all(&mut packed, text.as_bytes()).unwrap();
        packed.finish().unwrap()
    };
    let body = [member("{\"results\": "), member("[]}")].concat();
    for coding in ["gzip", "x-gzip", "GZIP"] {
        let whole = reply(200, &format!("Content-Encoding: {coding}\r\n"), body.clone());
        // Each member in a chunk of its own, as from a server that packs each piece.
        let mut chunked =
            format!("HTTP/1.1 200 OK\r\ncontent-encoding: {coding}\r\ntransfer-encoding: chunked\r\n\r\n").into_bytes();
        for piece in [member("{\"results\": "), member("[]}")] {
            chunked.extend(format!("{:x}\r\n", piece.len()).bytes().chain(piece).chain(*b"\r\n"));
        }
        chunked.extend(b"0\r\n\r\n");
        let server = Server::start(scripted(vec![whole, (chunked, Then::Keep)])).await;
        let client = client(settings(&server));
        for way in ["in one piece", "in chunks"] {
            assert_eq!(call(&client, &web()).await.unwrap().body, "{\"results\": []}", "{coding}, {way}");
        }
    }
}

#[tokio::test]
async fn a_silent_server_and_an_endless_body_hit_the_deadline() {
    for bytes in ["", "HTTP/1.1 200 OK\r\n", "HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\n{"] {
        let server = Server::start(scripted(vec![(bytes.into(), Then::Hang)])).await;
        let settings = Settings { call_timeout: Duration::from_millis(60), max_tries: 2, ..settings(&server) };
        let error = failed(&client(settings), &web()).await;
        assert_eq!((error.class, error.tries), (ErrorClass::Timeout, 2), "{bytes:?}");
        assert!(error.text.contains("60ms"), "{}", error.text);
    }
}

#[tokio::test]
async fn a_cut_body_is_retried() {
    let cut = (b"HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\n{\"a\"".to_vec(), Then::Close);
    let server = Server::start(scripted(vec![cut.clone(), reply(200, "", "{}")])).await;
    assert_eq!(call(&client(settings(&server)), &web()).await.unwrap().tries, 2);

    let broken_chunk = b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3\r\n{\"a\r\nzz\r\n".to_vec();
    for cut in [cut, (broken_chunk, Then::Close)] {
        let server = Server::start(scripted(vec![cut])).await;
        let error = failed(&client(settings(&server)), &web()).await;
        assert_eq!((error.class, error.status, error.tries), (ErrorClass::Cut, Some(200), 3), "{}", error.text);
    }
}

#[tokio::test]
async fn a_stream_that_is_cut_on_every_try_returns_its_beginning() {
    let frame = "data: {\"type\":\"text\",\"content\":\"Hel\"}\n\n";
    let head = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n";
    // The second case takes as long as its deadline, which lets even a busy machine deliver one frame.
    for (then, seconds, max_tries, class) in
        [(Then::Close, 30, 2, ErrorClass::Cut), (Then::Hang, 1, 1, ErrorClass::Timeout)]
    {
        let cut = (format!("{head}{:x}\r\n{frame}\r\n", frame.len()).into_bytes(), then);
        let server = Server::start(scripted(vec![cut])).await;
        let client = client(Settings { call_timeout: Duration::from_secs(seconds), max_tries, ..settings(&server) });
        let part = call(&client, &streamed()).await.unwrap();
        assert_eq!((part.body.as_ref(), part.tries), (frame.as_bytes(), max_tries));
        assert_eq!(part.cut.map(|(class, _)| class), Some(class), "the cut is reported");
    }
}

/// A gate that counts tries and closes after a number of them.
struct CountingGate {
    asked: AtomicU32,
    open_for: u32,
}

impl Gate for CountingGate {
    async fn before(&self, attempt: u32) -> Result<(), Refusal> {
        assert_eq!(self.asked.fetch_add(1, Ordering::SeqCst) + 1, attempt);
        if attempt <= self.open_for {
            return Ok(());
        }
        Err(Refusal::over_quota("500 of 500 calls were made today"))
    }
}

#[tokio::test]
async fn an_idle_connection_that_died_is_replaced_at_once() {
    let dies = (Vec::new(), Then::Close);
    let server = Server::start(scripted(vec![reply(200, "", "1"), dies, reply(200, "", "2")])).await;
    // With these pauses between tries the test would never end.
    let forever = Backoff { base: HOUR, cap: HOUR, longest_wait: HOUR };
    let client = Client::new(settings(&server)).unwrap().with_backoff(forever);
    let gate = CountingGate { asked: AtomicU32::new(0), open_for: 9 };
    let first = call(&client, &web()).await.unwrap();
    let second = with_time_limit(client.call(&web(), &gate, &|| 1.0, &|| NOW)).await.unwrap();
    assert_eq!((first.tries, second.tries, second.body.as_ref()), (1, 2, &b"2"[..]));
    assert_eq!(gate.asked.into_inner(), 2, "the repetition is counted");
    let connections: Vec<_> = server.requests().iter().map(|received| received.connection).collect();
    assert_eq!(connections, [0, 0, 1]);
}

#[tokio::test]
async fn a_refused_connection_is_a_transport_error_after_all_tries() {
    // A bound port without a listener refuses connections, and no other process can take it meanwhile.
    let taken = tokio::net::TcpSocket::new_v4().unwrap();
    taken.bind("127.0.0.1:0".parse().unwrap()).unwrap();
    let mute = Server::start(scripted(vec![(Vec::new(), Then::Close)])).await;
    let nobody = format!("http://{}", taken.local_addr().unwrap()).parse().unwrap();
    for settings in [Settings { base_url: nobody, ..settings(&mute) }, settings(&mute)] {
        let error = failed(&client(settings), &web()).await;
        assert_eq!((error.class, error.status, error.tries), (ErrorClass::Transport, None, 3), "{}", error.text);
    }
}

#[tokio::test]
async fn a_try_that_the_gate_refuses_is_not_made() {
    for (open_for, calls) in [(0, 0), (2, 2)] {
        let server = Server::start(scripted(vec![reply(500, "", "")])).await;
        let gate = CountingGate { asked: AtomicU32::new(0), open_for };
        let refused = client(settings(&server)).call(&web(), &gate, &|| 0.5, &|| NOW).await;
        let Err(CallFailure::Refused(refusal)) = refused else { panic!("not refused: {refused:?}") };
        assert!(refusal.over_quota);
        assert_eq!(server.requests().len(), calls);
    }
}

#[tokio::test]
async fn calls_in_flight_never_exceed_the_limit() {
    const AT_ONCE: usize = 3;
    let (now, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    // Each answer waits until the allowed number of calls are in flight, so that fewer would wait forever.
    let together = Arc::new(tokio::sync::Barrier::new(AT_ONCE));
    let counts = (Arc::clone(&now), Arc::clone(&most));
    let server = Server::start_async(move |_| {
        let (now, most, together) = (Arc::clone(&counts.0), Arc::clone(&counts.1), Arc::clone(&together));
        Box::pin(async move {
            most.fetch_max(now.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
            together.wait().await;
            now.fetch_sub(1, Ordering::SeqCst);
            reply(200, "", "{}")
        })
    })
    .await;
    let client = Arc::new(client(Settings { max_concurrent: 3, ..settings(&server) }));
    let mut calls = tokio::task::JoinSet::new();
    for _ in 0..AT_ONCE * 4 {
        let client = Arc::clone(&client);
        calls.spawn(async move { call(&client, &web()).await.is_ok() });
    }
    assert!(calls.join_all().await.into_iter().all(|ok| ok));
    assert_eq!((now.load(Ordering::SeqCst), most.load(Ordering::SeqCst)), (0, AT_ONCE));
}

#[tokio::test]
async fn a_call_over_the_rate_limit_waits_before_the_gate() {
    let server = Server::start(scripted(vec![reply(200, "", "{}")])).await;
    // After a quiet time the calls of a whole minute may start together.
    let rate = Some(Rate { count: 2, per: Duration::from_secs(60) });
    let client = client(Settings { rate_limit: rate, max_concurrent: 3, ..settings(&server) });
    for (call, asked) in [(1, 1), (2, 1), (3, 0)] {
        let gate = CountingGate { asked: AtomicU32::new(0), open_for: 0 };
        // Only the limits can wait before the gate, so one poll either reaches the gate or shows the wait.
        let first_poll = client.call(&web(), &gate, &|| 0.5, &|| NOW).now_or_never();
        assert_eq!((first_poll.is_some(), gate.asked.into_inner()), (asked == 1, asked), "call {call}");
    }
    assert!(server.requests().is_empty());
}

#[tokio::test]
async fn a_paused_or_dropped_call_does_not_count_as_in_flight() {
    let server = Server::start(scripted(vec![reply(500, "", ""), reply(200, "", "{}")])).await;
    let forever = Backoff { base: HOUR, cap: HOUR, longest_wait: HOUR };
    let client = Client::new(Settings { max_concurrent: 1, ..settings(&server) }).unwrap().with_backoff(forever);
    let client = Arc::new(client);
    let (pausing, paused) = tokio::sync::oneshot::channel();
    let pausing = std::sync::Mutex::new(Some(pausing));
    let first = tokio::spawn({
        let client = Arc::clone(&client);
        async move {
            // The client asks for a random number when a pause starts.
            let random = || {
                let reported = pausing.lock().unwrap().take().map(|pausing| pausing.send(()));
                assert_eq!(reported, Some(Ok(())));
                1.0
            };
            client.call(&web(), &NoGate, &random, &|| NOW).await
        }
    });
    paused.await.unwrap();
    assert_eq!(call(&client, &web()).await.unwrap().tries, 1);
    first.abort();
    assert!(first.await.unwrap_err().is_cancelled());
    assert_eq!(call(&client, &web()).await.unwrap().tries, 1);
}

#[tokio::test]
async fn settings_that_cannot_work_are_refused_without_showing_the_key() {
    let server = Server::start(scripted(vec![reply(200, "", "{}")])).await;
    let with_key =
        |key: &str| Settings { access: Access::Bare(SecretString::from(key.to_owned())), ..settings(&server) };
    let at = |url: &str| Settings { base_url: url.parse().unwrap(), ..settings(&server) };
    for settings in [
        with_key(""),
        with_key("secret\n"),
        with_key(" secret"),
        with_key("secret\u{e9}"),
        at("ftp://secret.example"),
        at("mailto:secret"),
        at("https://me:secret@h.example"),
    ] {
        let error = Client::new(settings).unwrap_err();
        assert!(!format!("{error:?}").contains("secret"), "{error:?}");
        assert!(!error.hint.is_empty());
    }
}

/// Set in the child process of the test below.
const CHILD: &str = "TOPICWATCH_TEST_WITHOUT_CERTIFICATES";

#[test]
fn without_system_certificates_http_works_and_https_fails_with_a_hint() {
    if std::env::var_os(CHILD).is_none() {
        // The environment determines where certificates are found, and a process cannot change its own safely.
        let name = "client::without_system_certificates_http_works_and_https_fails_with_a_hint";
        let child = std::process::Command::new(std::env::current_exe().unwrap())
            .args([name, "--exact"])
            .env(CHILD, "1")
            .env("SSL_CERT_FILE", "/nonexistent/bundle.pem")
            .env_remove("SSL_CERT_DIR")
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&child.stdout);
        assert!(
            child.status.success() && said.contains("1 passed"),
            "{said}{}",
            String::from_utf8_lossy(&child.stderr)
        );
        return;
    }
    let options = |url: &str| http::Options {
        connect_timeout: HOUR,
        max_idle_per_host: 1,
        roots: http::Roots::needed_by(&url.parse().unwrap()),
        public_only: false,
    };
    assert!(http::client(&options("http://127.0.0.1:1")).is_ok());
    let error = http::client(&options("https://h.example")).unwrap_err();
    assert!(error.hint.contains("ca-certificates"), "{error:?}");
}
