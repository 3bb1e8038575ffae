//! A request as people read it: its address, and a command that makes the same call. The key never appears.

use std::fmt::Write as _;

use url::Url;

use super::{Request, scrub};

/// The address of a request below `base_url`, of which only the path is kept (no query, fragment or user name).
#[must_use]
pub fn url(request: &Request, base_url: &Url) -> Url {
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

/// The request as a `curl` command over several lines, for `--dry-run`. It holds no character that a terminal obeys.
#[must_use]
pub fn render(request: &Request, base_url: &Url) -> String {
    let mut text =
        format!("curl -X {} {} \\\n  -H 'Authorization: ***'", request.method, quoted(url(request, base_url).as_str()));
    if let Some(body) = &request.body {
        // Writing to a string cannot fail.
        let _ = write!(
            text,
            " \\\n  -H 'Content-Type: application/json' \\\n  --data {}",
            quoted(&visible(&body.to_string()))
        );
    }
    text
}

/// One word of a POSIX shell.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

/// The same JSON with hidden characters (which occur inside strings only) escaped.
fn visible(json: &str) -> String {
    let mut text = String::with_capacity(json.len());
    for c in json.chars() {
        if scrub::is_hidden(c) {
            let _ = write!(text, "\\u{:04x}", u32::from(c));
        } else {
            text.push(c);
        }
    }
    text
}
