//! Keys of the items that an address may name: the page or the post on X there, and the post on Hacker News or Bluesky
//! whose id the address holds. Items found at such an address by a web search keep the key of a page.

use super::host::canonical_host;
use super::identity::{link_key, valid_id};
use super::post::X;
use super::url::http_url;

/// The longest id that is written into a key as it is, in bytes.
const MAX_PLAIN_BYTES: usize = 64;

/// The keys under which items of this address may be stored, that of a page or a post on X first. Empty for a text that
/// is no http(s) URL, such as a key.
#[must_use]
pub fn address_keys(address: &str) -> Vec<String> {
    let link = link_key(address);
    let post = post_key(address).filter(|key| link.as_ref() != Some(key));
    link.into_iter().chain(post).collect()
}

/// The id of a post on Bluesky. The last part of its address is unique only within its account, whose name may be that
/// of a website (`did:web:a.example`) with characters that no id has.
#[must_use]
pub fn bluesky_id(account: &str, post_id: &str) -> String {
    let id = format!("{}_{post_id}", account.replace(':', "-"));
    let is_plain =
        id.len() <= MAX_PLAIN_BYTES && id.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_'));
    let digest = || blake3::hash(format!("{account}/{post_id}").as_bytes()).to_hex()[..32].to_owned();
    if is_plain { id } else { format!("did-{}", digest()) }
}

/// The key of a post whose id is in its address. An address on Bluesky with a handle holds no id.
fn post_key(address: &str) -> Option<String> {
    let url = http_url(address)?;
    match canonical_host(&url.host()?)?.as_str() {
        // A faulty source may give a handle or an id that no post on X has. Such an address also names a page.
        "x.com" => {
            let (_, id) = url.path().split_once("/status/")?;
            Some(format!("post:{X}:{}", valid_id(id.trim_end_matches('/'))?))
        }
        "news.ycombinator.com" if url.path() == "/item" => {
            let (_, id) = url.query_pairs().find(|(name, _)| name == "id")?;
            Some(format!("post:hackernews:{}", valid_id(&id)?))
        }
        "bsky.app" => {
            let (account, post_id) = url.path().strip_prefix("/profile/")?.split_once("/post/")?;
            let account = account.replace("%3A", ":").replace("%3a", ":");
            let post_id = valid_id(post_id.trim_end_matches('/'))?;
            account.starts_with("did:").then(|| format!("post:bluesky:{}", bluesky_id(&account, post_id)))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::page_keys_of_post;

    #[test]
    fn a_url_gives_the_keys_of_the_items_it_may_name() {
        for (address, keys) in [
            ("HTTPS://A.example/x/", &["page:https://a.example/x"][..]),
            ("Http://www.a.example/x", &["page:https://a.example/x"]),
            ("https://twitter.com/ann/status/77", &["post:x:77"]),
            ("https://x.com/ann-lee/status/77/", &["page:https://x.com/ann-lee/status/77", "post:x:77"]),
            ("https://x.com/ann-lee/lists/77", &["page:https://x.com/ann-lee/lists/77"]),
            (
                "https://news.ycombinator.com/item?id=42#up",
                &["page:https://news.ycombinator.com/item?id=42", "post:hackernews:42"],
            ),
            ("https://news.ycombinator.com/item?id=0", &["page:https://news.ycombinator.com/item?id=0"]),
            ("https://news.ycombinator.com/user?id=42", &["page:https://news.ycombinator.com/user?id=42"]),
            (
                "https://bsky.app/profile/did:plc:abc/post/3k",
                &["page:https://bsky.app/profile/did:plc:abc/post/3k", "post:bluesky:did-plc-abc_3k"],
            ),
            ("https://bsky.app/profile/ann.example/post/3k", &["page:https://bsky.app/profile/ann.example/post/3k"]),
            ("post:x:1", &[]),
            ("page:https://a.example/X", &[]),
            ("", &[]),
        ] {
            assert_eq!(address_keys(address), keys, "{address}");
        }
        // The keys of a post's pages are those of its addresses.
        for (address, found_at) in [
            ("https://news.ycombinator.com/item?id=42", None),
            ("https://bsky.app/profile/did:plc:abc/post/3k_x", None),
            ("https://bsky.app/profile/did:plc:abc/post/3k", Some("https://bsky.app/profile/ann.example/post/3k")),
        ] {
            let keys = address_keys(address);
            let pages: Vec<String> = keys.iter().flat_map(|key| page_keys_of_post(key, found_at)).collect();
            let expected: Vec<String> = [Some(address), found_at].into_iter().flatten().filter_map(link_key).collect();
            assert_eq!(pages, expected, "{address}");
        }
        let website = address_keys("https://bsky.app/profile/did:web:a.example/post/3k");
        assert!(website.iter().any(|key| key.starts_with("post:bluesky:did-") && !key.contains('.')), "{website:?}");
    }
}
