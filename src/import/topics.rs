//! Turns entries into topics of a configuration, in TOML: a folder becomes a topic with many feeds, a feed outside a
//! folder a topic of its own. Feeds that are watched already, and pages that are no feeds, are left out and listed.

use crate::edit::basic_string;
use std::collections::BTreeSet;

use url::Url;

use super::entry::{Entry, shorten};

/// The most feeds of one topic.
const MOST_OF_A_TOPIC: usize = 500;

/// The longest id that is generated.
const LONGEST_ID: usize = 40;

/// The existing contents of the configuration.
#[derive(Debug, Clone, Default)]
pub struct ExistingEntries {
    /// Ids of topics.
    pub ids: BTreeSet<String>,
    /// Addresses of feeds.
    pub urls: BTreeSet<String>,
    /// The provider of feeds, if there is one.
    pub provider: Option<String>,
    /// Names that providers already use.
    pub providers: BTreeSet<String>,
    /// Whether nothing gives new topics a schedule.
    pub unscheduled: bool,
}

/// The result of an import.
#[derive(Debug, Clone, Default)]
pub struct ImportResult {
    /// TOML to append; empty if nothing is new.
    pub toml: String,
    pub topics: usize,
    pub feeds: usize,
    /// Addresses that are left out, and why.
    pub left_out: Vec<(String, String)>,
}

/// Builds topics from entries.
#[must_use]
pub fn topics(entries: Vec<Entry>, existing: &ExistingEntries) -> ImportResult {
    let mut result = ImportResult::default();
    let mut urls = existing.urls.clone();
    // Folder, title, feeds.
    let mut groups: Vec<(Option<String>, String, Vec<String>)> = Vec::new();
    for entry in entries {
        if let Err(why) = check_entry(&entry, &urls) {
            result.left_out.push((entry.url, why.to_owned()));
            continue;
        }
        urls.insert(entry.url.clone());
        let same = |(folder, _, feeds): &&mut (Option<String>, String, Vec<String>)| {
            folder.is_some() && *folder == entry.folder && feeds.len() < MOST_OF_A_TOPIC
        };
        match groups.iter_mut().find(same) {
            Some((_, _, feeds)) => feeds.push(entry.url),
            None => {
                let title = entry.folder.clone().or(entry.title).unwrap_or_else(|| host(&entry.url));
                groups.push((entry.folder, shorten(&title).trim_end().to_owned(), vec![entry.url]));
            }
        }
    }
    if groups.is_empty() {
        return result;
    }
    let provider = existing.provider.clone().unwrap_or_else(|| {
        let free = ["feeds", "news", "imported-feeds"].into_iter().find(|name| !existing.providers.contains(*name));
        free.unwrap_or("my-feeds").to_owned()
    });
    if existing.provider.is_none() {
        result.toml.push_str(&format!("\n[providers.{provider}]\nkind = \"feeds\"\n"));
    }
    let mut ids = existing.ids.clone();
    for (_, title, feeds) in groups {
        let id = free_id(&title, &ids);
        let listed: String = feeds.iter().map(|url| format!("    {},\n", basic_string(url))).collect();
        result.toml.push_str(&format!(
            "\n[[topics]]\nid = {}\ntitle = {}\nsources = [{}]\n",
            basic_string(&id),
            basic_string(&title),
            basic_string(&provider)
        ));
        if existing.unscheduled {
            result.toml.push_str("every = \"1h\"\n");
        }
        result.toml.push_str(&format!("{provider}.urls = [\n{listed}]\n"));
        ids.insert(id);
        result.topics += 1;
        result.feeds += feeds.len();
    }
    result
}

fn check_entry(entry: &Entry, urls: &BTreeSet<String>) -> Result<(), &'static str> {
    let url = &entry.url;
    if let Some(why) = entry.unfit {
        return Err(why);
    }
    if url.contains(|c: char| c.is_control() || c.is_whitespace()) {
        return Err("contains white space or a control character");
    }
    // Leave out what the configuration would reject, so that one bad entry does not block the others.
    let read = Url::parse(url).ok().filter(|read| matches!(read.scheme(), "http" | "https") && url.contains("://"));
    let Some(read) = read.filter(|_| url.len() <= 2_000) else { return Err("is not an http or https URL") };
    if !read.username().is_empty() || read.password().is_some() {
        return Err("contains a user name or a password");
    }
    if urls.contains(url) {
        return Err("is already watched");
    }
    if !entry.looks_like_a_feed() {
        return Err("is a page, and pages cannot be watched: use its feed, if it has one");
    }
    Ok(())
}

fn host(url: &str) -> String {
    Url::parse(url).ok().and_then(|read| Some(read.host_str()?.to_owned())).unwrap_or_default()
}

/// Returns an id that is not taken, made from a title.
fn free_id(title: &str, taken: &BTreeSet<String>) -> String {
    let lower = title.to_lowercase();
    let words = lower.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    let mut id: String = words.collect::<Vec<_>>().join("-").chars().take(LONGEST_ID).collect();
    id.truncate(id.trim_end_matches('-').len());
    // Device names are no file names on Windows.
    let device = id.len() <= 4 && ["con", "prn", "aux", "nul", "com", "lpt"].iter().any(|name| id.starts_with(name));
    if id.is_empty() || device {
        id = if id.is_empty() { "feed".to_owned() } else { format!("{id}-feed") };
    }
    if !taken.contains(&id) {
        return id;
    }
    (2_u32..).map(|n| format!("{id}-{n}")).find(|id| !taken.contains(id)).unwrap_or(id)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn feed(title: &str, folder: Option<&str>, url: &str) -> Entry {
        Entry { title: Some(title.into()), folder: folder.map(Into::into), url: url.into(), is_feed: true, unfit: None }
    }

    #[test]
    fn folders_become_topics_with_unused_plain_ids() {
        let existing = ExistingEntries { ids: ["rust".to_owned()].into(), ..ExistingEntries::default() };
        let all = vec![
            feed("A", Some("Rust"), "https://a.example/1"),
            feed("B", Some("Rust"), "https://a.example/2"),
            feed("Übersicht \"x\"\u{7}", None, "https://a.example/3"),
            feed("B again", None, "https://a.example/2"),
            feed("con", None, "https://a.example/4"),
            feed("日本", None, "https://a.example/5"),
            feed("Rust", None, "https://a.example/6"),
            feed("C", Some("Tech / Rust"), "https://a.example/7"),
            Entry { unfit: Some("is paused there"), ..feed("paused", None, "https://a.example/8") },
            feed("bad", None, "ftp://a.example"),
            feed("bad", None, "https://user:pw@a.example/"),
        ];
        let result = topics(all, &existing);
        assert_eq!((result.topics, result.feeds, result.left_out.len()), (6, 7, 4));
        let parsed: toml::Table = result.toml.parse().unwrap_or_default();
        let of = |key: &str| {
            let topics = parsed["topics"].as_array().cloned().unwrap_or_default();
            topics.iter().map(|one| one[key].as_str().unwrap_or_default().to_owned()).collect::<Vec<_>>()
        };
        assert_eq!(of("id"), ["rust-2", "bersicht-x", "con-feed", "feed", "rust-3", "tech-rust"]);
        assert_eq!(of("title"), ["Rust", "Übersicht \"x\"\u{7}", "con", "日本", "Rust", "Tech / Rust"]);
        assert_eq!(parsed["providers"]["feeds"]["kind"].as_str(), Some("feeds"));
    }
}
