//! Shows a request to people: its address, and a command that makes the same call. The key never appears.

use std::fmt::Write as _;

use url::Url;

use crate::model::{Login, is_invisible, is_joiner, without_secrets};
use crate::search::{Request, sandbox_url};

/// The provider for which a request is shown.
#[derive(Debug, Clone)]
pub struct RenderTarget {
    pub base_url: Url,
    /// How it authenticates callers.
    pub login: Login,
    /// Whether the provider is the sandbox.
    pub sandbox: bool,
}

impl RenderTarget {
    /// Returns the address of a request. If the address is not the provider's, leaves out what may be a secret.
    #[must_use]
    pub fn url(&self, request: &Request) -> String {
        match &request.address {
            None => url(request, &self.base_url).into(),
            Some(address) if self.sandbox => sandbox_url::url(address, &self.base_url).into(),
            Some(address) => without_secrets(address),
        }
    }
}

/// Returns the address of a request below `base_url`. Keeps only scheme, host and path of `base_url`.
pub(in crate::search) fn url(request: &Request, base_url: &Url) -> Url {
    let mut url = base_url.clone();
    url.set_path(&format!("{}{}", base_url.path().trim_end_matches('/'), request.path));
    url.set_fragment(None);
    url.set_query(None);
    // Both fail only for addresses without a host, which have no user either.
    let _ = url.set_username("");
    let _ = url.set_password(None);
    if !request.query.is_empty() {
        url.query_pairs_mut().extend_pairs(&request.query);
    }
    url
}

/// Formats the request as a `curl` command over several lines, for `--dry-run`. The result has no control characters.
#[must_use]
pub fn render(request: &Request, target: &RenderTarget) -> String {
    let mut text = format!("curl -X {} {}", request.method, shell_quote(&target.url(request)));
    // The key is for the provider only: a request that names its own address may go to another host.
    match target.login {
        Login::Open => {}
        _ if request.address.is_some() => {}
        Login::Bare => text.push_str(" \\\n  -H 'Authorization: ***'"),
        Login::Bearer | Login::Session => text.push_str(" \\\n  -H 'Authorization: Bearer ***'"),
    }
    for (name, value) in &request.headers {
        // Writing to a string cannot fail.
        let _ = write!(text, " \\\n  -H {}", shell_quote(&format!("{name}: {value}")));
    }
    if let Some(body) = &request.body {
        let _ = write!(
            text,
            " \\\n  -H 'Content-Type: application/json' \\\n  --data {}",
            shell_quote(&escape_hidden(&body.to_string()))
        );
    }
    text
}

/// Quotes a text as one word of a POSIX shell.
fn shell_quote(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

/// Escapes hidden characters in JSON. They occur only inside strings.
fn escape_hidden(json: &str) -> String {
    let mut text = String::with_capacity(json.len());
    for c in json.chars() {
        if is_invisible(c) || is_joiner(c) {
            for unit in c.encode_utf16(&mut [0; 2]) {
                let _ = write!(text, "\\u{unit:04x}");
            }
        } else {
            text.push(c);
        }
    }
    text
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

    use serde_json::json;

    use super::*;
    use crate::model::Source;

    fn request(query: &[(&str, &str)], body: Option<serde_json::Value>) -> Request {
        Request {
            source: Source::Web,
            method: if body.is_some() { "POST" } else { "GET" },
            path: "/web/search".to_owned(),
            query: query.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect(),
            body,
            limit: None,
            streaming: false,
            address: None,
            redirected_from: Vec::new(),
            headers: Vec::new(),
        }
    }

    #[test]
    fn paths_are_appended_to_any_base_url() {
        for (base, expected) in [
            ("https://h.example", "https://h.example/web/search"),
            ("https://h.example/", "https://h.example/web/search"),
            ("https://h.example/api//", "https://h.example/api/web/search"),
            ("http://127.0.0.1:8080/v1", "http://127.0.0.1:8080/v1/web/search"),
            ("https://me:secret@h.example/?key=secret#secret", "https://h.example/web/search"),
        ] {
            assert_eq!(url(&request(&[], None), &Url::parse(base).unwrap()).as_str(), expected);
        }
        let with_query = request(&[("query", "a&b=c #1 'é'"), ("start", "0")], None);
        let expected = "https://h.example/web/search?query=a%26b%3Dc+%231+%27%C3%A9%27&start=0";
        assert_eq!(url(&with_query, &Url::parse("https://h.example").unwrap()).as_str(), expected);
    }

    #[test]
    fn a_request_is_shown_as_a_curl_command_without_the_key() {
        let target = |login| RenderTarget { base_url: Url::parse("https://h.example").unwrap(), login, sandbox: false };
        let base = target(Login::Bare);
        let body = json!({"query": "it's \u{202e}\u{1b}[31m", "results_limit": 5});
        assert_eq!(
            render(&request(&[], Some(body.clone())), &base),
            "curl -X POST 'https://h.example/web/search' \\\n  -H 'Authorization: ***' \\\n  \
             -H 'Content-Type: application/json' \\\n  \
             --data '{\"query\":\"it'\\''s \\u202e\\u001b[31m\",\"results_limit\":5}'"
        );
        let escaped: serde_json::Value = serde_json::from_str(&escape_hidden(&body.to_string())).unwrap();
        assert_eq!(escaped, body, "the escapes mean the same");
        assert_eq!(
            render(&request(&[("query", "a")], None), &base),
            "curl -X GET 'https://h.example/web/search?query=a' \\\n  -H 'Authorization: ***'"
        );
        for (login, header) in [(Login::Open, ""), (Login::Bearer, " \\\n  -H 'Authorization: Bearer ***'")] {
            let command = render(&request(&[], None), &target(login));
            assert_eq!(command, format!("curl -X GET 'https://h.example/web/search'{header}"));
        }
        let feed = Request { address: Some("https://f.example/x?key=hush".to_owned()), ..request(&[], None) };
        assert_eq!(render(&feed, &base), "curl -X GET 'https://f.example/x…'");
    }
}
