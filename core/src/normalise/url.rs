//! The canonical URL of a page, and the link that may be shown. The canonical URL is only an identity key: do not fetch
//! or show it, because its scheme and host are normalised. Nothing here makes requests; redirects and `rel=canonical`
//! are not followed.

use url::Url;

use super::host::canonical_host;
use super::percent::{Part, normalise};
use super::text::is_invisible;
use super::tracking::is_tracking;

/// The longest URL that is read or produced, in bytes. A page with a longer one has no canonical URL.
const MAX_URL_BYTES: usize = 8_192;

/// Parameter names in a fragment that point to a position in the document or recording, not to other content.
const PLACES: [&str; 2] = ["page", "t"];

/// Parses an http or https URL with a host. Protocol-relative URLs (`//host/path`) become https.
pub(super) fn http_url(text: &str) -> Option<Url> {
    let text = text.trim_matches(|c: char| c.is_whitespace() || is_invisible(c));
    if text.len() > MAX_URL_BYTES {
        return None;
    }
    let url = if text.starts_with("//") { Url::parse(&format!("https:{text}")) } else { Url::parse(text) }.ok()?;
    (matches!(url.scheme(), "http" | "https") && url.has_host()).then_some(url)
}

/// The URL as a link that may be shown: http or https, normalised by the URL parser, without credentials (they are
/// secret, or disguise the host). `None` for everything else, such as `javascript:`.
#[must_use]
pub fn safe_link(text: &str) -> Option<String> {
    let mut url = http_url(text)?;
    url.set_username("").ok()?;
    url.set_password(None).ok()?;
    let link = String::from(url);
    (link.len() <= MAX_URL_BYTES).then_some(link)
}

/// The canonical URL of a page, or `None` if `text` is not an http(s) URL or is too long. Idempotent.
///
/// Scheme always `https`; host normalised as in `docs/explanation/identity.md` (without `www.` and mobile labels, IDNA
/// as ASCII); ports 80 and 443 and credentials dropped; dot segments resolved; percent-encoding normalised; trailing
/// slashes dropped; tracking parameters removed and the others sorted by name (equal names keep their order); the
/// fragment dropped unless it selects content (`#!…`, `#/…`, `#name=value`).
#[must_use]
pub fn canonical(text: &str) -> Option<String> {
    let mut url = http_url(text)?;
    let host = canonical_host(&url.host()?)?;
    let mut out = format!("https://{host}");
    // The parser drops only the scheme's own default port. Here http and https are the same, so drop both.
    if let Some(port) = url.port().filter(|port| !matches!(port, 80 | 443)) {
        out.push_str(&format!(":{port}"));
    }
    let mut path = normalise(url.path(), Part::Path);
    if let Some(bare) = without_session(&path) {
        // The session may have hidden a dot segment.
        url.set_path(&bare);
        path = normalise(url.path(), Part::Path);
    }
    match path.trim_end_matches('/') {
        "" => out.push('/'),
        path => out.push_str(path),
    }
    let query = canonical_query(&host, url.query().unwrap_or_default());
    if !query.is_empty() {
        out.push('?');
        out.push_str(&query);
    }
    if let Some(fragment) = url.fragment().and_then(|f| selecting_fragment(&host, f)) {
        out.push('#');
        out.push_str(&fragment);
    }
    (out.len() <= MAX_URL_BYTES).then_some(out)
}

/// A path without the session that Java servers write into it: `/a;jsessionid=1F2E`. `None` if it has none.
fn without_session(path: &str) -> Option<String> {
    const NAME: &str = ";jsessionid=";
    let mut bare = path.to_owned();
    while let Some(begin) = bare.to_ascii_lowercase().find(NAME) {
        let after = bare.get(begin + NAME.len()..).unwrap_or_default();
        let rest = after.find([';', '/']).and_then(|at| after.get(at..)).unwrap_or_default();
        bare = format!("{}{rest}", bare.get(..begin).unwrap_or_default());
    }
    (bare != path).then_some(bare)
}

/// The query without tracking parameters, sorted by name. `a=` and `a` become the same.
fn canonical_query(host: &str, query: &str) -> String {
    let pairs = query.split('&').filter_map(|part| {
        let (name, value) = part.split_once('=').unwrap_or((part, ""));
        let name = normalise(name, Part::Query);
        // `&amp;` copied out of HTML leaves `amp;` at the start of the next name.
        let mut bare = name.as_str();
        while let Some(rest) = bare.strip_prefix("amp;").or_else(|| bare.strip_prefix("amp%3B")) {
            bare = rest;
        }
        let says_nothing = bare.is_empty() && value.is_empty() || is_tracking(host, bare);
        (!says_nothing).then(|| (bare.to_owned(), normalise(value, Part::Query)))
    });
    sorted(pairs.collect())
}

/// Serialises pairs sorted by name. Equal names keep their order.
fn sorted(mut pairs: Vec<(String, String)>) -> String {
    pairs.sort_by(|a, b| a.0.cmp(&b.0));
    let written: Vec<String> = pairs
        .into_iter()
        .map(|(name, value)| if value.is_empty() { name } else { format!("{name}={value}") })
        .collect();
    written.join("&")
}

/// A fragment that selects what a script shows: a route (`#!topic/7`, `#/posts/7`) or state (`#q=rust&date=today`).
/// `None` for positions on the page: headings, comments, pages of a document, moments of a video.
fn selecting_fragment(host: &str, fragment: &str) -> Option<String> {
    if fragment.starts_with(['!', '/']) {
        let fragment = normalise(fragment, Part::Fragment);
        let route = fragment.trim_end_matches('/');
        // Percent-encoded slashes alone are not a route either.
        return (!route.trim_matches(['!', '/']).is_empty()).then(|| route.to_owned());
    }
    let state = fragment.split('&').filter_map(|part| {
        let (name, value) = part.split_once('=')?;
        let named = !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
        let is_state = named && !value.is_empty() && !PLACES.contains(&name) && !is_tracking(host, name);
        is_state.then(|| (name.to_owned(), normalise(value, Part::Query)))
    });
    Some(sorted(state.collect())).filter(|state| !state.is_empty())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests fail by panicking")]
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn many_spellings_of_one_page_have_one_canonical_url() {
        for (text, expected) in [
            ("HTTP://User:pw@WWW.Example.COM:80/a/../b/?utm_source=x#top", "https://example.com/b"),
            ("https://example.com", "https://example.com/"),
            ("//m.example.com:443//", "https://example.com/"),
            ("http://example.com:443/a", "https://example.com/a"),
            ("http://example.com:8080/a", "https://example.com:8080/a"),
            ("https://example.com/%7Ejane/%c3%a9/./", "https://example.com/~jane/%C3%A9"),
            ("https://example.com/?b=2&a=1&b=1&&fbclid=Z", "https://example.com/?a=1&b=2&b=1"),
            ("https://example.com/?a=1&amp;b=2&amp;utm_medium=m", "https://example.com/?a=1&b=2"),
            ("https://example.com/?q=a%20b&e=", "https://example.com/?e&q=a+b"),
            ("https://example.com/?", "https://example.com/"),
            ("https://bücher.example/ü", "https://xn--bcher-kva.example/%C3%BC"),
            ("https://groups.example/forum/#!topic/a/b", "https://groups.example/forum#!topic/a/b"),
            ("https://app.example/#/", "https://app.example/"),
            ("https://app.example/#/%2f", "https://app.example/"),
            ("https://app.example/#!%2F/", "https://app.example/"),
            ("https://app.example/#/a%2f", "https://app.example/#/a"),
            ("https://app.example/#!/%7Ea/?b=1", "https://app.example/#!/~a/?b=1"),
            ("https://app.example/#q=a%20b&utm_source=x&cat=1&top", "https://app.example/#cat=1&q=a+b"),
            ("https://app.example/a.pdf#page=3", "https://app.example/a.pdf"),
            ("https://app.example/a#:~:text=b", "https://app.example/a"),
            ("https://twitter.com/Somebody?s=20", "https://x.com/Somebody"),
            ("\u{feff} https://example.com/a\u{a0}", "https://example.com/a"),
            ("http://[2001:DB8::1]/", "https://[2001:db8::1]/"),
            ("https://example.com/a.do;jsessionid=1F2E.node1?b=1", "https://example.com/a.do?b=1"),
            ("https://example.com/a;v=2;JSESSIONID=1;JSessionID=2/c", "https://example.com/a;v=2/c"),
            ("https://example.com/a/..;jsessionid=1/c", "https://example.com/c"),
            ("https://example.com/a;%6Asessionid=1", "https://example.com/a"),
            ("https://web.example/web/2013/https://a.example/", "https://web.example/web/2013/https://a.example"),
        ] {
            assert_eq!(canonical(text).as_deref(), Some(expected), "{text}");
            assert_eq!(canonical(expected).as_deref(), Some(expected), "again {text}");
        }
    }

    #[test]
    fn different_pages_stay_different() {
        for (one, other) in [
            ("https://example.com/a", "https://example.com/A"),
            ("https://example.com/?id=1", "https://example.com/?id=2"),
            ("https://example.com/?tag=b&tag=a", "https://example.com/?tag=a&tag=b"),
            ("https://a.example.com/", "https://example.com/"),
            ("https://example.com:8443/", "https://example.com/"),
            ("https://example.com/a%2Fb", "https://example.com/a/b"),
            ("https://example.com/?q=a%26b", "https://example.com/?q=a&b"),
            ("https://m.me/shop", "https://me/shop"),
            ("https://app.example/#/1", "https://app.example/#/2"),
            ("https://app.example/#q=1", "https://app.example/#q=2"),
        ] {
            assert_ne!(canonical(one), canonical(other), "{one}");
        }
    }

    #[test]
    fn urls_that_are_not_web_pages_have_no_key_and_no_link() {
        let long = format!("https://example.com/{}", "a".repeat(MAX_URL_BYTES));
        let swollen = format!("https://example.com/{}", "é".repeat(MAX_URL_BYTES / 3));
        for text in [
            "",
            "example.com",
            "ftp://a.example/",
            "javascript:alert(1)",
            "https://",
            "http://[::1",
            "/a",
            &long,
            &swollen,
        ] {
            assert_eq!(canonical(text), None, "{text}");
            assert_eq!(safe_link(text), None, "{text}");
        }
    }

    #[test]
    fn a_shown_link_keeps_its_url_without_credentials() {
        assert_eq!(safe_link("http://bank.example@evil.example/a#b").as_deref(), Some("http://evil.example/a#b"));
        assert_eq!(safe_link("https://ann:hunter2@example.com/a").as_deref(), Some("https://example.com/a"));
        assert_eq!(
            safe_link(" https://www.example.com/?utm_source=x").unwrap(),
            "https://www.example.com/?utm_source=x"
        );
        assert_eq!(safe_link("java\nscript:alert(1)"), None);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(400))]

        #[test]
        fn canonical_is_idempotent_and_printable(
            host in "(www\\.|m\\.|mobile\\.|en\\.m\\.){0,3}(example|twitter|wikipedia|b\u{fc}cher)\\.(com|org|co\\.uk)\\.?",
            port in "(:80|:443|:81)?",
            rest in "(/|\\.\\.?|%2[eEfF5]|%|[a-z0-9;=&+?#!|_'\\\\\" \u{e9}\u{4e2d}]|amp;|utm_a=1|#q=1&t=2|&b=){0,24}",
        ) {
            let text = format!("http://{host}{port}/{rest}");
            let once = canonical(&text).unwrap();
            prop_assert!(once.bytes().all(|b| b.is_ascii_graphic()), "{}", once);
            prop_assert_eq!(canonical(&once), Some(once.clone()));
        }

        #[test]
        fn canonical_and_safe_link_never_panic_and_are_idempotent(text in "(https?:)?(//)?\\PC{0,40}") {
            if let Some(once) = canonical(&text) {
                prop_assert_eq!(canonical(&once), Some(once.clone()));
            }
            if let Some(link) = safe_link(&text) {
                prop_assert_eq!(safe_link(&link), Some(link.clone()));
                prop_assert_eq!(canonical(&link), canonical(&text));
            }
        }
    }
}
