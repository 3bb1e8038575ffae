//! Drives a real browser; prints a line and skips when there is none.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use base64::Engine as _;
use serde_json::{Value, json};

use crate::support::program::Place;

pub fn find_browser() -> Option<String> {
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
        // A silent skip would pass.
        assert!(std::env::var("CI").as_deref() != Ok("true"), "CI needs a browser: chromium-headless-shell");
        eprintln!("SKIPPED: no browser looks at the pages: install chromium-headless-shell, or set TEST_CHROMIUM");
    }
    found
}

/// The longest time that a page or an answer may take.
const DEADLINE: Duration = Duration::from_secs(60);

/// What the browser writes, message by message. A page that crashed never answers, so whoever waits needs a deadline.
fn messages(output: ChildStdout) -> Receiver<Vec<u8>> {
    let (to, messages) = channel();
    std::thread::spawn(move || {
        let _ = BufReader::new(output).split(0).map_while(Result::ok).try_for_each(|message| to.send(message));
    });
    messages
}

/// A browser driven over a pipe (the DevTools protocol, messages end with NUL).
pub struct DrivenBrowser {
    child: Child,
    to: ChildStdin,
    from: Receiver<Vec<u8>>,
    session: Option<String>,
    last: u64,
    /// What the console got since `listen`.
    console: Vec<String>,
}

impl DrivenBrowser {
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
        let (to, from) = (child.stdin.take().unwrap(), messages(child.stdout.take().unwrap()));
        let mut driven = Self { child, to, from, session: None, last: 0, console: Vec::new() };
        let target = driven.command("Target.createTarget", &json!({ "url": "about:blank" }));
        let attached =
            driven.command("Target.attachToTarget", &json!({ "targetId": target["targetId"], "flatten": true }));
        driven.session = attached["sessionId"].as_str().map(str::to_owned);
        assert!(driven.session.is_some(), "{attached}");
        driven
    }

    pub fn command(&mut self, method: &str, params: &Value) -> Value {
        self.answer(method, params).unwrap_or_else(|error| panic!("{method}: {error}"))
    }

    /// What the browser answers: a result or an error.
    fn answer(&mut self, method: &str, params: &Value) -> Result<Value, Value> {
        self.last += 1;
        let mut message = json!({ "id": self.last, "method": method, "params": params });
        if let Some(session) = &self.session {
            message["sessionId"] = json!(session);
        }
        self.to.write_all(format!("{message}\0").as_bytes()).unwrap();
        loop {
            let said = self.from.recv_timeout(DEADLINE);
            let said = said.unwrap_or_else(|error| panic!("the browser did not answer {method}: {error}"));
            let said: Value = serde_json::from_slice(&said).unwrap();
            assert_ne!(said["method"], "Inspector.targetCrashed", "at {method}");
            if let Some("Runtime.consoleAPICalled" | "Runtime.exceptionThrown" | "Log.entryAdded") =
                said["method"].as_str()
            {
                self.console.push(said["params"].to_string());
            }
            if said["id"] == self.last {
                return if said["error"].is_null() { Ok(said["result"].clone()) } else { Err(said["error"].clone()) };
            }
        }
    }

    /// Collects what pages write to the console from now on.
    pub fn collect_console(&mut self) {
        self.command("Runtime.enable", &json!({}));
        self.command("Log.enable", &json!({}));
    }

    /// What the console got since this was called last.
    pub fn console(&mut self) -> Vec<String> {
        std::mem::take(&mut self.console)
    }

    /// A picture of the page: width and height, in light or dark colours.
    pub fn screenshot(&mut self, (width, height): (u32, u32), scheme: &str) -> Vec<u8> {
        let size = json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": false });
        self.command("Emulation.setDeviceMetricsOverride", &size);
        let colours = json!({ "features": [{ "name": "prefers-color-scheme", "value": scheme }] });
        self.command("Emulation.setEmulatedMedia", &colours);
        let shot = self.command("Page.captureScreenshot", &json!({ "format": "png" }));
        base64::engine::general_purpose::STANDARD.decode(shot["data"].as_str().unwrap()).unwrap()
    }

    /// Evaluates an expression on the page.
    pub fn evaluate(&mut self, expression: &str) -> Value {
        self.try_evaluate(expression).unwrap_or_else(|error| panic!("{expression}: {error}"))
    }

    fn try_evaluate(&mut self, expression: &str) -> Result<Value, Value> {
        let said = self.answer("Runtime.evaluate", &json!({ "expression": expression, "returnByValue": true }))?;
        assert!(said["exceptionDetails"].is_null(), "{expression}: {said}");
        Ok(said["result"]["value"].clone())
    }

    /// Waits until an expression is neither false nor null, and returns its value.
    pub fn wait_until(&mut self, what: &str, expression: &str) -> Value {
        let begun = Instant::now();
        loop {
            // While the browser leaves a page, it refuses to evaluate anything.
            match self.try_evaluate(expression) {
                Ok(Value::Null | Value::Bool(false)) | Err(_) => {}
                Ok(value) => return value,
            }
            if begun.elapsed() > DEADLINE {
                panic!("timed out waiting for {what}: {}", self.evaluate("document.body.innerText"));
            }
            std::thread::park_timeout(Duration::from_millis(20));
        }
    }

    pub fn open(&mut self, url: &str) {
        self.command("Page.navigate", &json!({ "url": url }));
        let here = json!(url).to_string();
        self.wait_until(url, &format!("location.href === {here} && document.readyState === 'complete'"));
    }

    pub fn press_key(&mut self, key: &str, code: u32) {
        let text = if key == "Enter" { "\r" } else { "" };
        for kind in ["rawKeyDown", "char", "keyUp"] {
            if kind == "char" && text.is_empty() {
                continue;
            }
            let params = json!({ "type": kind, "key": key, "code": key, "windowsVirtualKeyCode": code, "text": text });
            self.command("Input.dispatchKeyEvent", &params);
        }
    }
}

impl Drop for DrivenBrowser {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
