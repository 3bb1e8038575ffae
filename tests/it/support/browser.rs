//! Drives a real browser; prints a line and skips when there is none.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value, json};

use crate::support::program::Place;

pub fn browser() -> Option<String> {
    let named = std::env::var("TEST_CHROMIUM").ok();
    let found = named.or_else(|| {
        let known = [
            "/usr/bin/chromium-headless-shell",
            "/usr/bin/chromium",
            "/usr/bin/chromium-browser",
            "/usr/bin/google-chrome",
        ];
        known.iter().find(|path| Path::new(path).exists()).map(|path| (*path).to_owned())
    });
    if found.is_none() {
        eprintln!("SKIPPED: no browser looks at the pages: install chromium-headless-shell, or set TEST_CHROMIUM");
    }
    found
}

/// A browser driven over a pipe (the DevTools protocol, messages end with NUL).
pub struct Driven {
    child: Child,
    to: ChildStdin,
    from: BufReader<ChildStdout>,
    session: Option<String>,
    last: u64,
}

impl Driven {
    pub fn start(browser: &str, place: &Place) -> Self {
        // The browser reads from descriptor 3 and writes to 4.
        let mut command = Command::new("sh");
        command.args(["-c", "exec \"$@\" 3<&0 4>&1 2>/dev/null", "sh", browser, "--remote-debugging-pipe"]);
        command.args([
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--no-first-run",
            "--disable-background-networking",
        ]);
        command.arg(format!("--user-data-dir={}", place.path("keyboard").display()));
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let (to, from) = (child.stdin.take().unwrap(), BufReader::new(child.stdout.take().unwrap()));
        let mut driven = Self { child, to, from, session: None, last: 0 };
        let target = driven.ask("Target.createTarget", &json!({ "url": "about:blank" }));
        let attached = driven.ask("Target.attachToTarget", &json!({ "targetId": target["targetId"], "flatten": true }));
        driven.session = attached["sessionId"].as_str().map(str::to_owned);
        assert!(driven.session.is_some(), "{attached}");
        driven
    }

    pub fn ask(&mut self, method: &str, params: &Value) -> Value {
        self.last += 1;
        let mut message = json!({ "id": self.last, "method": method, "params": params });
        if let Some(session) = &self.session {
            message["sessionId"] = json!(session);
        }
        self.to.write_all(format!("{message}\0").as_bytes()).unwrap();
        loop {
            let mut said = Vec::new();
            self.from.read_until(0, &mut said).unwrap();
            assert!(!said.is_empty(), "the browser ended at {method}");
            said.pop();
            let said: Value = serde_json::from_slice(&said).unwrap();
            if said["id"] == self.last {
                assert!(said["error"].is_null(), "{method}: {said}");
                return said["result"].clone();
            }
        }
    }

    /// Evaluates an expression on the page.
    pub fn is(&mut self, expression: &str) -> Value {
        let said = self.ask("Runtime.evaluate", &json!({ "expression": expression, "returnByValue": true }));
        assert!(said["exceptionDetails"].is_null(), "{expression}: {said}");
        said["result"]["value"].clone()
    }

    pub fn open(&mut self, url: &str) {
        self.ask("Page.navigate", &json!({ "url": url }));
        let here = json!(url).to_string();
        let mut tries = 0;
        while self.is(&format!("location.href === {here} && document.readyState === 'complete'")) != json!(true) {
            tries += 1;
            assert!(tries < 2_000, "{url} was not shown");
            std::thread::park_timeout(std::time::Duration::from_millis(20));
        }
    }

    pub fn press(&mut self, key: &str, code: u32) {
        let text = if key == "Enter" { "\r" } else { "" };
        for kind in ["rawKeyDown", "char", "keyUp"] {
            if kind == "char" && text.is_empty() {
                continue;
            }
            let params = json!({ "type": kind, "key": key, "code": key, "windowsVirtualKeyCode": code, "text": text });
            self.ask("Input.dispatchKeyEvent", &params);
        }
    }
}

impl Drop for Driven {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
