//! Reads the entries of one feed with `feed-rs`. Ids and dates are ours: the parser would give an entry without an id a
//! random one, leaves character references in titles, and may panic on untrusted input.

use std::collections::HashSet;
use std::time::Duration;

use feed_rs::model::{Entry, Person, Text};
use url::{ParseError, Url};

use super::entry_limit::MOST;
use super::namespaces::has_entries;
use super::readable_text::normalize_body;
use crate::model::{Kind, ReplyEntry, Time};
use crate::search::decode::DecodeError;
use crate::search::kinds::kind::malformed;
use crate::search::kinds::{date, markup};

/// The maximum length of a kept text, in characters.
const LONGEST: usize = 100_000;

const HINT: &str =
    "is this the address of an RSS, Atom or JSON feed? A page names its feed in a <link rel=\"alternate\">";

/// A parsed feed.
#[derive(Default)]
pub(super) struct Feed {
    pub(super) items: Vec<ReplyEntry>,
    /// When each item was published or changed, whichever is later. Many feeds show the entries changed last.
    pub(super) changed: Vec<Option<Time>>,
    /// A name for each item, the same at every look.
    pub(super) names: Vec<String>,
    /// The id of each item, or a substitute.
    pub(super) ids: Vec<String>,
    pub(super) unreadable: u32,
    pub(super) ttl: Option<u32>,
    /// Hours of the day in UTC at which the feed must not be requested.
    pub(super) skip_hours: Vec<u8>,
}

impl Feed {
    /// Returns how long the feed asks clients to wait.
    pub(super) fn rest(&self, now: Time) -> Duration {
        let ttl = Duration::from_secs(u64::from(self.ttl.unwrap_or(0)) * 60);
        let hour = |at: Time| u8::try_from(at.0.rem_euclid(86_400_000) / 3_600_000).unwrap_or(0);
        // Move to the first hour that is not skipped.
        let mut at = now.plus(ttl);
        let mut steps = 0;
        while self.skip_hours.contains(&hour(at)) && steps < 24 {
            at = Time(at.0 - at.0.rem_euclid(3_600_000) + 3_600_000);
            steps += 1;
        }
        at.since(now)
    }
}

/// Reads a feed.
///
/// # Errors
/// If the body is not a feed.
pub(super) fn read(
    body: &[u8],
    content_type: Option<&str>,
    address: Option<&str>,
    now: Time,
) -> Result<Feed, DecodeError> {
    let (body, left_out) = normalize_body(body, content_type);
    let body = &*body;
    let parsed = std::panic::catch_unwind(|| {
        let dates =
            move |text: &str| date::read(text, now).and_then(|at| chrono::DateTime::from_timestamp_millis(at.0));
        let parser = feed_rs::parser::Builder::new().base_uri(address).timestamp_parser(dates);
        parser.id_generator(|_, _, _| String::new()).build().parse(body)
    });
    let feed = match parsed {
        Ok(Ok(feed)) => feed,
        Ok(Err(error)) => return Err(not_a_feed(body, &error)),
        Err(_) => return Err(malformed("the feed cannot be read: its parser crashed", HINT)),
    };
    // A feed in an unknown format must not look like an empty one.
    if feed.entries.is_empty() && body.trim_ascii_start().starts_with(b"<") && has_entries(body) {
        return Err(malformed("it has entries, but in a format that is not known", HINT));
    }
    let lang = feed.language.clone();
    let (mut items, mut names, mut ids, mut unreadable) = (Vec::new(), Vec::<String>::new(), Vec::new(), 0_u32);
    let (mut own_names, mut changed) = (Vec::new(), Vec::new());
    let extra = left_out + feed.entries.len().saturating_sub(MOST);
    for entry in feed.entries.into_iter().take(MOST) {
        match read_entry(&entry, lang.as_deref(), address, now) {
            Some(found) => {
                names.push(name(&entry, &found, false));
                own_names.push(name(&entry, &found, true));
                ids.push(id(&entry, &found));
                changed.push(found.published_at.max(updated(&entry, now)));
                items.push(found);
            }
            None => unreadable = unreadable.saturating_add(1),
        }
    }
    unreadable = unreadable.saturating_add(u32::try_from(extra).unwrap_or(u32::MAX));
    // Entries with the same address and title are distinguished by their ids. The others keep their names: otherwise two
    // new ones would look like a gap.
    let mut once = HashSet::<&String>::new();
    let shared: HashSet<String> = names.iter().filter(|&name| !once.insert(name)).cloned().collect();
    for (name, own) in names.iter_mut().zip(own_names) {
        if shared.contains(name.as_str()) {
            *name = own;
        }
    }
    Ok(Feed { items, changed, names, ids, unreadable, ttl: feed.ttl, skip_hours: skip_hours(body) })
}

fn not_a_feed(body: &[u8], error: &feed_rs::parser::ParseFeedError) -> DecodeError {
    let head = String::from_utf8_lossy(body.get(..1_024).unwrap_or(body)).to_ascii_lowercase();
    if body.trim_ascii().is_empty() {
        return malformed("the feed is empty", HINT);
    }
    if head.contains("<html") || head.contains("<!doctype html") {
        return malformed("an HTML page instead of a feed", HINT);
    }
    if body.starts_with(b"PK\x03\x04") || body.starts_with(&[0x1f, 0x8b]) {
        return malformed("an archive instead of a feed", HINT);
    }
    let text: String = error.to_string().chars().filter(|c| !c.is_control()).take(200).collect();
    malformed(&format!("it cannot be read as a feed: {text}"), HINT)
}

fn read_entry(entry: &Entry, lang: Option<&str>, feed: Option<&str>, now: Time) -> Option<ReplyEntry> {
    let title = entry.title.as_ref().map(plain).filter(|title| !title.is_empty());
    let body = entry.summary.as_ref().map(plain).filter(|text| !text.is_empty());
    let body = body.or_else(|| entry.content.as_ref().and_then(|content| content.body.as_deref()).map(markup::text));
    // Videos and podcasts are described with their media.
    let described = entry.media.iter().filter_map(|media| media.description.as_ref());
    let described = described.map(|text| markup::text(&text.content)).find(|text| !text.is_empty());
    let body = body.filter(|text| !text.is_empty()).or(described);
    let url = address(entry, feed);
    if title.is_none() && url.is_none() && body.is_none() {
        return None;
    }
    let published = entry.published.or(entry.updated);
    let author = entry.authors.iter().find_map(author).map(str::to_owned);
    Some(ReplyEntry {
        kind: Some(Kind::Page),
        url,
        title,
        text: body.map(|text| text.chars().take(LONGEST).collect()),
        author_name: author,
        lang: entry.language.as_deref().or(lang).map(str::to_owned),
        published_at: published.and_then(|at| date::plausible(Time(at.timestamp_millis()), now)),
        ..ReplyEntry::default()
    })
}

/// Returns the name of an author. An author of RSS is a mail address with the name in parentheses, or just a name: the
/// parser calls each of them `author`, and an author of Atom without a name `unknown`.
fn author(person: &Person) -> Option<&str> {
    let name = match (person.name.as_str(), person.email.as_deref()) {
        ("author", Some(contact)) => {
            let in_parentheses = contact.split_once('(').and_then(|(_, rest)| Some(rest.rsplit_once(')')?.0.trim()));
            let before_address = || contact.split_once('<').map(|(name, _)| name.trim().trim_matches('"'));
            let name = in_parentheses.filter(|name| !name.is_empty()).or_else(before_address);
            name.filter(|name| !name.is_empty()).unwrap_or(contact)
        }
        ("unknown", _) => "",
        (name, _) => name,
    };
    Some(name.trim()).filter(|name| !name.is_empty())
}

/// Returns when an entry was changed. A change cannot lie ahead, so such a date is wrong.
fn updated(entry: &Entry, now: Time) -> Option<Time> {
    let at = date::plausible(Time(entry.updated?.timestamp_millis()), now)?;
    (at <= now).then_some(at)
}

/// Converts a title or summary to plain text. It is HTML, or plain text with unresolved character references.
fn plain(text: &Text) -> String {
    let plain = text.content_type.subty() == "plain";
    if plain && !text.content.contains("</") && !text.content.contains("/>") {
        return markup::decode_entities(&text.content).split_whitespace().collect::<Vec<_>>().join(" ");
    }
    markup::text(&text.content)
}

/// Returns the address of the entry: its own page, else its id, else another link, else its media. An empty link is the
/// address of the feed, which may contain a key.
fn address(entry: &Entry, feed: Option<&str>) -> Option<String> {
    let page = |address: &str| address.split('#').next().map(str::to_owned);
    let base = feed.and_then(|feed| Url::parse(feed).ok());
    let feed = base.as_ref().and_then(|feed| page(feed.as_str()));
    let web = |address: &&str| {
        (address.starts_with("http://") || address.starts_with("https://")) && (feed.is_none() || page(address) != feed)
    };
    // The parser leaves a relative link of a JSON Feed as it is.
    let whole = |href: &str| match (Url::parse(href), &base) {
        (Err(ParseError::RelativeUrlWithoutBase), Some(base)) if !href.is_empty() => {
            base.join(href).ok().map(String::from)
        }
        _ => Some(href.to_owned()),
    };
    let links: Vec<(&str, String)> = (entry.links.iter())
        .filter_map(|link| Some((link.rel.as_deref().unwrap_or("alternate"), whole(&link.href)?)))
        .collect();
    let alternate = links.iter().filter(|(rel, _)| rel.eq_ignore_ascii_case("alternate"));
    (alternate.map(|(_, href)| href.as_str()).find(web))
        .or_else(|| Some(entry.id.as_str()).filter(web))
        .or_else(|| links.iter().map(|(_, href)| href.as_str()).find(web))
        .or_else(|| {
            let media = entry.media.iter().flat_map(|media| &media.content);
            media.filter_map(|content| content.url.as_ref()).map(Url::as_str).find(web)
        })
        .map(str::to_owned)
}

/// Returns the entry's own id, else the fragment of its address and its title. Skips the query, which may only count
/// clicks.
fn id(entry: &Entry, found: &ReplyEntry) -> String {
    let own = entry.id.trim();
    if !own.is_empty() {
        return own.to_owned();
    }
    let part = found.url.as_deref().and_then(|url| url.split_once('#')).map_or("", |(_, part)| part);
    format!("{part}\n{}", found.title.as_deref().unwrap_or_default())
}

/// The starts of an id that may be random.
const UUID: [&str; 2] = ["urn:uuid:", "uuid:"];

/// Returns a name that is the same at every look. An id that is not a URI may change with each look, so it is used only
/// if nothing else distinguishes the entries (`by_id`). The same is true of a UUID: some programs make new ones.
fn name(entry: &Entry, found: &ReplyEntry, by_id: bool) -> String {
    let begins = |with: &&str| entry.id.get(..with.len()).is_some_and(|start| start.eq_ignore_ascii_case(with));
    let is_uuid = UUID.iter().any(begins);
    let lasts = entry.id.contains(':') && !(is_uuid && found.url.is_some());
    let own = if by_id || lasts { entry.id.as_str() } else { "" };
    let parts = [own, found.url.as_deref().unwrap_or_default(), found.title.as_deref().unwrap_or_default()];
    let text = if own.is_empty() && parts[1].is_empty() { found.text.as_deref().unwrap_or_default() } else { "" };
    let mut hasher = blake3::Hasher::new();
    for part in if own.is_empty() { [parts[1], parts[2], text] } else { [own, "", ""] } {
        hasher.update(part.as_bytes());
        hasher.update(&[0]);
    }
    hasher.finalize().to_hex()[..16].to_owned()
}

/// Reads `<skipHours>` of RSS, which the parser leaves out.
fn skip_hours(body: &[u8]) -> Vec<u8> {
    let head = String::from_utf8_lossy(body.get(..20_000).unwrap_or(body));
    let Some((_, rest)) = head.split_once("<skipHours>") else { return Vec::new() };
    let inside = rest.split("</skipHours>").next().unwrap_or_default();
    let hours = inside.split("<hour>").skip(1).filter_map(|hour| hour.split('<').next()?.trim().parse::<u8>().ok());
    // RSS 0.91 counts from 1 to 24.
    hours.map(|hour| hour % 24).take(24).collect()
}
