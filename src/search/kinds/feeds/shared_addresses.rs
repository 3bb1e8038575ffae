//! Distinguishes entries that share an address: release notes on one page, incidents of a status page. Also entries
//! without an address that share a title: warnings of a weather service. RSS and Atom identify an entry by its id (RFC
//! 4287, section 4.2.6), so ids distinguish entries with the same address or title. An address or title that once had
//! several entries is remembered: otherwise the last one left would get another key.

use std::collections::{HashMap, HashSet};

use super::entries::Feed;
use crate::model::ReplyEntry;
use crate::normalise::{canonical, fold};

/// The maximum number of addresses remembered for a feed.
const MOST: usize = 50;

/// Sets `entry` on the items whose address, or title without an address, is shared, now or in `known`. Returns the shared
/// ones as digests, the latest first.
pub(super) fn mark_shared_addresses(feed: &mut Feed, known: &[String]) -> Vec<String> {
    let digest = |text: String| blake3::hash(text.as_bytes()).to_hex()[..16].to_owned();
    let address = |item: &ReplyEntry| match &item.url {
        Some(url) => canonical(url).map(digest),
        None => item.title.as_deref().or(item.text.as_deref()).map(|words| digest(fold(words))),
    };
    let addresses: Vec<Option<String>> = feed.items.iter().map(address).collect();
    let (mut first, mut several) = (HashMap::<&str, &str>::new(), HashSet::<&str>::new());
    let mut shared: Vec<String> = Vec::new();
    for (address, id) in addresses.iter().zip(&feed.ids) {
        let Some(address) = address else { continue };
        if *first.entry(address).or_insert(id) != id && several.insert(address) {
            shared.push(address.clone());
        }
    }
    for address in known {
        if several.insert(address) {
            shared.push(address.clone());
        }
    }
    for ((item, address), id) in feed.items.iter_mut().zip(&addresses).zip(&feed.ids) {
        item.entry = address.as_deref().filter(|address| several.contains(address)).map(|_| id.clone());
    }
    shared.truncate(MOST);
    shared
}

#[cfg(test)]
mod tests {
    use super::*;

    fn feed(entries: &[(&str, &str)]) -> Feed {
        let item = |url: &str| ReplyEntry { url: Some(url.to_owned()), ..ReplyEntry::default() };
        Feed {
            items: entries.iter().map(|(url, _)| item(url)).collect(),
            ids: entries.iter().map(|(_, id)| (*id).to_owned()).collect(),
            ..Feed::default()
        }
    }

    fn entry_ids(feed: &Feed) -> Vec<Option<&str>> {
        feed.items.iter().map(|item| item.entry.as_deref()).collect()
    }

    #[test]
    fn only_entries_with_a_shared_url_get_ids_and_the_last_one_keeps_its_id() {
        let mut alone = feed(&[("https://a.example/#1", "i1"), ("https://b.example/", "i2"), ("ftp://c", "i3")]);
        assert_eq!((mark_shared_addresses(&mut alone, &[]), entry_ids(&alone)), (Vec::new(), vec![None, None, None]));
        let mut twice = feed(&[("https://a.example/", "i1"), ("http://a.example/#x", "i1")]);
        assert_eq!(
            (mark_shared_addresses(&mut twice, &[]), entry_ids(&twice)),
            (Vec::new(), vec![None, None]),
            "one entry, written twice"
        );
        let mut several =
            feed(&[("https://a.example/#1", "i1"), ("https://b.example/", "i2"), ("https://a.example/#4", "i4")]);
        let known = mark_shared_addresses(&mut several, &[]);
        assert_eq!((known.len(), entry_ids(&several)), (1, vec![Some("i1"), None, Some("i4")]));
        let mut left = feed(&[("https://a.example/#4", "i4"), ("https://b.example/", "i2")]);
        assert_eq!((mark_shared_addresses(&mut left, &known), entry_ids(&left)), (known, vec![Some("i4"), None]));
    }

    #[test]
    fn shared_urls_of_the_latest_read_are_remembered_up_to_a_limit() {
        let urls: Vec<String> =
            (0..60).flat_map(|n| [format!("https://a.example/{n}"), format!("https://a.example/{n}#x")]).collect();
        let ids: Vec<String> = (0..120).map(|n| n.to_string()).collect();
        let all: Vec<(&str, &str)> = urls.iter().map(String::as_str).zip(ids.iter().map(String::as_str)).collect();
        let known = mark_shared_addresses(&mut feed(&all[..2]), &[]);
        let mut many = feed(&all[2..]);
        let later = mark_shared_addresses(&mut many, &known);
        assert_eq!((known.len(), later.len()), (1, MOST));
        assert!(!later.contains(&known[0]) && entry_ids(&many).iter().all(Option::is_some));
    }
}
