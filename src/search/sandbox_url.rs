//! Replaces external addresses by addresses of the sandbox. A client of the sandbox must never reach the network.

use url::Url;

/// Endings of feed addresses that the stand-in's name omits.
const ENDINGS: [&str; 4] = [".xml", ".rss", ".atom", ".json"];

/// Returns the stand-in of an address: a feed below `base`, named after it. The query may be a secret, so only its hash
/// is used, to keep addresses apart.
pub(super) fn url(address: &str, base: &Url) -> Url {
    let mut url = base.clone();
    // Fails only for addresses that cannot have a path. The sandbox has none.
    if let Ok(mut path) = url.path_segments_mut() {
        path.pop_if_empty().push(&file(address));
    }
    url
}

fn file(address: &str) -> String {
    let Some(read) = Url::parse(address).ok() else { return "feed.rss".to_owned() };
    let path = read.path().trim_matches('/').to_ascii_lowercase();
    let ending = match &*path {
        path if path.ends_with(".json") => "json",
        path if path.ends_with("atom") || path.ends_with("atom.xml") => "atom",
        _ => "rss",
    };
    let bare = ENDINGS.iter().find_map(|ending| path.strip_suffix(ending)).unwrap_or(&path);
    let mut name = format!("{} {}", read.host_str().unwrap_or_default(), bare.replace('/', " "));
    if read.query().is_some() {
        name.push_str(&format!(" {}", &blake3::hash(address.as_bytes()).to_hex()[..8]));
    }
    format!("{}.{ending}", name.trim())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

    use super::*;

    #[test]
    fn every_url_has_its_own_replacement_below_the_sandbox() {
        let base = Url::parse("http://127.0.0.1:9/feeds").unwrap();
        for (address, path) in [
            ("https://blog.example/feed.xml", "/feeds/blog.example%20feed.rss"),
            ("https://blog.example/", "/feeds/blog.example.rss"),
            ("https://blog.example/a/b.atom", "/feeds/blog.example%20a%20b.atom"),
            ("https://blog.example/atom", "/feeds/blog.example%20atom.atom"),
            ("http://blog.example/feed.json", "/feeds/blog.example%20feed.json"),
            ("https://blog.example/../%2e%2e/x", "/feeds/blog.example%20x.rss"),
            ("no address", "/feeds/feed.rss"),
        ] {
            let url = url(address, &base);
            assert_eq!((url.host_str(), url.port(), url.path()), (Some("127.0.0.1"), Some(9), path), "{address}");
        }
        let [a, b] = ["a", "b"].map(|key| url(&format!("https://blog.example/feed?key={key}"), &base));
        assert!(a != b && a.query().is_none(), "{a} {b}");
    }
}
