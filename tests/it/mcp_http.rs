//! MCP over HTTP: who gets an answer, and answers to malformed messages. `mcp` tests the results of the tools.

use serde_json::json;

use crate::support::api_client::send_request;
use crate::support::databases::databases;
use crate::support::mcp_client::{HEADERS, call_tool, initialize_params, post_message};
use crate::support::program::{NINE, Place, wait_until};
use crate::support::service::Sandbox;
use crate::support::web_client::{ON_DEMAND_TOPIC, Pages, TOKEN};

const PING: &str = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;

#[test]
fn without_a_token_mcp_answers_local_programs_and_refuses_foreign_pages() {
    for database in databases() {
        let sandbox = Sandbox::at(NINE, &[]);
        let place = Place::new(database, &sandbox.lines(), ON_DEMAND_TOPIC);
        place.ok(&["once", "--at", NINE]);
        let pages = Pages::serve(&place, &["--at", NINE]);
        let begin =
            json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": initialize_params() }).to_string();
        let reply = post_message(&pages, &[], &begin);
        assert_eq!(reply.status, 200, "{}", reply.text());
        assert_eq!(reply.json()["result"]["serverInfo"]["name"], "topicwatch");
        assert!(reply.header("mcp-session-id").is_none(), "nothing is stored: {}", reply.text());
        assert!(!reply.text().contains(env!("CARGO_PKG_VERSION")), "{}", reply.text());
        assert_eq!(post_message(&pages, &[], r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#).status, 202);
        assert_eq!(post_message(&pages, &[], r#"{"jsonrpc":"2.0","method":"notifications/of/others"}"#).status, 202);
        assert_eq!(call_tool(&pages, &[], "list_topics", &json!({}))["topics"][0]["topic"], "acme");
        let own = pages.origin();
        assert_eq!(post_message(&pages, &[("Origin", &own)], PING).status, 200);
        for origin in ["http://evil.example", "null", "http://127.0.0.1:1", "https://127.0.0.1.evil.example"] {
            post_message(&pages, &[("Origin", origin)], PING).assert_problem(403);
        }
        post_message(&pages, &[("Host", "evil.example")], PING).assert_problem(421);
        for method in ["GET", "DELETE", "PUT"] {
            let reply = send_request(&pages, method, "/mcp", &HEADERS, "");
            reply.assert_problem(405);
            assert_eq!(reply.header("allow"), Some("POST"), "{}", reply.text());
        }
        post_message(&pages, &[], &"x".repeat(40_000)).assert_problem(413);
        for (body, code) in [("{", -32700), ("[]", -32600), (r#"{"jsonrpc":"2.0","id":1}"#, -32600)] {
            let reply = post_message(&pages, &[], body);
            assert_eq!((reply.status, &reply.json()["error"]["code"]), (400, &json!(code)), "{}", reply.text());
        }
        let reply = post_message(&pages, &[], r#"{"jsonrpc":"2.0","id":9,"method":"no/such/method"}"#);
        assert_eq!(
            (&reply.json()["id"], &reply.json()["error"]["code"]),
            (&json!(9), &json!(-32601)),
            "{}",
            reply.text()
        );
        let plain = send_request(&pages, "POST", "/mcp", &[("Content-Type", "text/plain"), HEADERS[1]], PING);
        assert!(plain.assert_problem(415).contains("`Content-Type: application/json`"));
        for accept in ["application/json", "text/html", "text/event-stream"] {
            let reply = send_request(&pages, "POST", "/mcp", &[HEADERS[0], ("Accept", accept)], PING);
            assert!(reply.assert_problem(406).contains("`Accept: application/json, text/event-stream`"));
        }
        post_message(&pages, &[("MCP-Protocol-Version", "1999-01-01")], PING).assert_problem(400);
        assert_eq!(post_message(&pages, &[], PING).json()["result"], json!({}));
    }
}

#[test]
fn with_a_token_mcp_answers_only_its_holder_even_while_a_daemon_runs() {
    for database in databases() {
        let sandbox = Sandbox::at(NINE, &[]);
        let place = Place::new(
            database,
            &sandbox.lines(),
            &format!("{ON_DEMAND_TOPIC}paused = true\n")
                .replace("[web]\n", "[web]\ntoken_env = \"TOPICWATCH_WEB_TOKEN\"\n"),
        );
        place.ok(&["once", "--at", NINE]);
        let pages = Pages::run(&place);
        let cookie = pages.log_in();
        for headers in [
            vec![],
            vec![("Authorization", "Bearer x")],
            vec![("Authorization", "Basic eDp5")],
            vec![("Cookie", cookie.as_str())],
        ] {
            let reply = post_message(&pages, &headers, PING);
            reply.assert_problem(401);
            assert_eq!(reply.header("www-authenticate"), Some("Bearer"), "{}", reply.text());
        }
        let bearer = format!("Bearer {TOKEN}");
        let token = [("Authorization", bearer.as_str())];
        assert_eq!(call_tool(&pages, &token, "list_topics", &json!({}))["topics"][0]["topic"], "acme");
        post_message(&pages, &[token[0], ("Origin", "http://evil.example")], PING).assert_problem(403);
        // A client that guesses tokens is blocked.
        for _ in 0..40 {
            post_message(&pages, &[("Authorization", "Bearer guessed")], PING);
        }
        // A guess is allowed again every few seconds.
        wait_until("the right token is refused too", || {
            post_message(&pages, &[("Authorization", "Bearer guessed")], PING);
            let reply = post_message(&pages, &token, PING);
            reply.status == 429 && {
                reply.assert_problem(429);
                true
            }
        });
    }
}
