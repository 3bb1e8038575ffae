//! An MCP client that knows only JSON-RPC: over standard input and output, and over HTTP.

use std::fs::File;
use std::io::{PipeWriter, Write as _};
use std::os::fd::OwnedFd;

use serde_json::{Value, json};

use crate::support::api_client::{Reply, send_request};
use crate::support::program::{Program, ProgramOutput, RunningProgram, wait_until};
use crate::support::web_client::Pages;

/// The parameters of `initialize`.
#[track_caller]
pub fn initialize_params() -> Value {
    json!({ "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": { "name": "a test", "version": "1" } })
}

/// The headers of every message over HTTP.
pub const HEADERS: [(&str, &str); 2] =
    [("Content-Type", "application/json"), ("Accept", "application/json, text/event-stream")];

/// A running `topicwatch mcp`.
pub struct StdioClient {
    to: PipeWriter,
    pub program: RunningProgram,
    asked: u64,
    read: usize,
}

impl StdioClient {
    /// Starts it and completes the initialization.
    #[track_caller]
    pub fn start(program: Program) -> Self {
        let (from, to) = std::io::pipe().unwrap();
        let going = program.stdin(File::from(OwnedFd::from(from))).start();
        let mut client = Self { to, program: going, asked: 0, read: 0 };
        let about = client.request("initialize", &initialize_params());
        assert_eq!(about["result"]["serverInfo"]["name"], "topicwatch", "{about}");
        client.send_line(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }).to_string());
        client
    }

    /// Sends a line.
    #[track_caller]
    pub fn send_line(&mut self, line: &str) {
        self.to.write_all(format!("{line}\n").as_bytes()).unwrap();
    }

    /// The next message. Every line of stdout must be a whole message.
    #[track_caller]
    pub fn next_message(&mut self) -> Value {
        let line = std::cell::RefCell::new(None);
        wait_until("an answer on stdout", || {
            self.program.with_output(|out, _| {
                let whole = out.rsplit_once('\n').map_or("", |(whole, _)| whole);
                *line.borrow_mut() = whole.lines().nth(self.read).map(str::to_owned);
            });
            line.borrow().is_some()
        });
        self.read += 1;
        let line = line.into_inner().unwrap();
        let message: Value = serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"));
        assert_eq!(message["jsonrpc"], "2.0", "{message}");
        message
    }

    /// Sends a request and waits for the answer.
    #[track_caller]
    pub fn request(&mut self, method: &str, params: &Value) -> Value {
        self.asked += 1;
        self.send_line(&json!({ "jsonrpc": "2.0", "id": self.asked, "method": method, "params": params }).to_string());
        let answer = self.next_message();
        assert_eq!(answer["id"], self.asked, "{answer}");
        answer
    }

    /// Calls a tool and returns its result.
    #[track_caller]
    pub fn call_tool(&mut self, tool: &str, arguments: &Value) -> Value {
        tool_result(&self.request("tools/call", &json!({ "name": tool, "arguments": arguments })))
    }

    /// Calls a tool that must fail and returns the error text.
    #[track_caller]
    pub fn tool_error(&mut self, tool: &str, arguments: &Value) -> String {
        let answer = self.request("tools/call", &json!({ "name": tool, "arguments": arguments }));
        assert_eq!(answer["result"]["isError"], true, "{answer}");
        answer["result"]["content"][0]["text"].as_str().unwrap().to_owned()
    }

    /// Closes its standard input and waits until it ends.
    #[track_caller]
    pub fn close(self) -> ProgramOutput {
        drop(self.to);
        self.program.wait()
    }
}

/// The structured content of an answer. Asserts that the text content is the same.
#[track_caller]
pub fn tool_result(answer: &Value) -> Value {
    let result = &answer["result"];
    assert_eq!(result["isError"], false, "{answer}");
    let tool_result = &result["structuredContent"];
    let text: Value = serde_json::from_str(result["content"][1]["text"].as_str().unwrap()).unwrap();
    assert_eq!(&text, tool_result);
    for note in tool_result["notes"].as_array().unwrap() {
        assert!(result["content"][0]["text"].as_str().unwrap().contains(note.as_str().unwrap()), "{answer}");
    }
    tool_result.clone()
}

/// Posts a message over HTTP.
#[track_caller]
pub fn post_message(pages: &Pages, more: &[(&str, &str)], body: &str) -> Reply {
    send_request(pages, "POST", "/mcp", &[&HEADERS[..], more].concat(), body)
}

/// Calls a tool over HTTP and returns its result.
#[track_caller]
pub fn call_tool(pages: &Pages, more: &[(&str, &str)], tool: &str, arguments: &Value) -> Value {
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": { "name": tool, "arguments": arguments } });
    let reply = post_message(pages, more, &body.to_string());
    assert_eq!(reply.status, 200, "{}", reply.text());
    assert_eq!(reply.header("content-type"), Some("application/json"), "{}", reply.text());
    tool_result(&reply.json())
}

/// Merges the fields of each `quoted` object into the object around it.
#[track_caller]
pub fn merge_quoted(value: &Value) -> Value {
    match value {
        Value::Object(fields) => {
            let mut all = serde_json::Map::new();
            for (name, inner) in fields {
                match inner.as_object().filter(|_| name == "quoted") {
                    None => drop(all.insert(name.clone(), merge_quoted(inner))),
                    Some(theirs) => {
                        assert_eq!(theirs["by_others"], true, "{value}");
                        let own = theirs.iter().filter(|(name, _)| !["by_others", "cut"].contains(&name.as_str()));
                        all.extend(own.map(|(name, inner)| (name.clone(), merge_quoted(inner))));
                    }
                }
            }
            Value::Object(all)
        }
        Value::Array(list) => list.iter().map(merge_quoted).collect(),
        other => other.clone(),
    }
}

/// Every text of an answer outside `quoted`, which is text that the program itself wrote.
#[track_caller]
pub fn own_texts(value: &Value) -> Vec<&str> {
    match value {
        Value::String(text) => vec![text],
        Value::Array(list) => list.iter().flat_map(own_texts).collect(),
        Value::Object(fields) => {
            fields.iter().filter(|(name, _)| *name != "quoted").flat_map(|(_, inner)| own_texts(inner)).collect()
        }
        _ => Vec::new(),
    }
}
