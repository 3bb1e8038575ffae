//! `/feeds/NAME.rss`, `.atom` and `.json`: the newest entries of the query NAME as RSS 2.0, Atom 1.0 or JSON Feed 1.1.
//! Conditional requests get a 304 when nothing changed.

use axum::body::Body;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::Response;
use serde_json::{Value, json};

use super::texts::{HTTP_DATE, ISO, date, escaped, handle, key, post_text, posts, title};
use crate::sandbox::corpus::{Corpus, HOUR_MS, Hour, Post};
use crate::sandbox::random::{SeededRng, seed_of};
use crate::sandbox::reply;

/// The number of entries in a feed.
const ENTRIES: usize = 20;
/// The maximum age of entries, in hours.
const WINDOW_HOURS: i64 = 7 * 24;
/// The maximum length of a feed's name, in characters.
const NAME_CHARS: usize = 200;

/// One entry, not yet escaped.
struct Entry {
    id: String,
    link: String,
    title: String,
    text: String,
    handle: String,
    author: String,
    published: i64,
}

/// Returns the feed of a file name; `None` when its extension is unknown.
pub(super) fn feed(corpus: &Corpus, hour: Hour, file: &str, headers: &HeaderMap) -> Option<Response> {
    let (name, ending) = file.rsplit_once('.').filter(|(name, _)| !name.trim().is_empty())?;
    let name: String = name.chars().take(NAME_CHARS).collect();
    let since = hour.start().saturating_sub(WINDOW_HOURS * HOUR_MS);
    let entries: Vec<Entry> = posts(corpus, &name, hour, Some(since), None).iter().take(ENTRIES).map(entry).collect();
    let updated = entries.first().map_or(hour.start(), |entry| entry.published);
    let (content_type, body) = match ending {
        "rss" => ("application/rss+xml; charset=utf-8", rss(&name, updated, &entries)),
        "atom" => ("application/atom+xml; charset=utf-8", atom(&name, updated, &entries)),
        "json" => ("application/feed+json", json_feed(&name, &entries).to_string()),
        _ => return None,
    };
    let tag = format!("\"{}\"", &blake3::hash(body.as_bytes()).to_hex().as_str()[..20]);
    // Entries change with the hour, so the last change was at its start.
    let modified = hour.start();
    let mut response = match is_known(headers, &tag, modified) {
        true => {
            let mut response = Response::new(Body::empty());
            *response.status_mut() = StatusCode::NOT_MODIFIED;
            response
        }
        false => reply::bytes(StatusCode::OK, content_type, body),
    };
    for (name, value) in [
        (header::ETAG, tag),
        (header::LAST_MODIFIED, date(modified, HTTP_DATE)),
        (header::CACHE_CONTROL, "max-age=300".to_owned()),
    ] {
        if let Ok(value) = HeaderValue::from_str(&value) {
            response.headers_mut().insert(name, value);
        }
    }
    Some(response)
}

/// Whether the client already has this feed. The date counts only when no tag is sent.
fn is_known(headers: &HeaderMap, tag: &str, modified: i64) -> bool {
    let text = |name| headers.get(name).and_then(|value: &HeaderValue| value.to_str().ok());
    if let Some(tags) = text(header::IF_NONE_MATCH) {
        return tags.split(',').map(str::trim).any(|one| one == "*" || one.trim_start_matches("W/") == tag);
    }
    let since = text(header::IF_MODIFIED_SINCE)
        .and_then(|text| jiff::fmt::strtime::parse(HTTP_DATE, text.trim()).ok()?.to_datetime().ok())
        .and_then(|at| at.to_zoned(jiff::tz::TimeZone::UTC).ok());
    since.is_some_and(|since| modified <= since.timestamp().as_millisecond())
}

fn entry(post: &Post) -> Entry {
    let number = SeededRng::new(&[b"feed", key(post).as_bytes()]).next() >> 17;
    let text = post_text(post).to_owned();
    Entry {
        id: format!("tag:feeds.example,2026:{number}"),
        link: format!("https://feeds.example/entries/{number}"),
        title: title(&text),
        text,
        handle: handle(post).to_owned(),
        author: post.author.as_ref().map_or_else(|| "Somebody".to_owned(), |author| author.name.clone()),
        published: post.published,
    }
}

/// Returns the address of a feed's site.
fn home(name: &str) -> String {
    format!("https://feeds.example/about/{}", seed_of(name) >> 40)
}

/// The description is HTML, so it is escaped twice: once as HTML, once as XML.
fn description(entry: &Entry) -> String {
    escaped(&format!("<p>{}</p>", escaped(&entry.text)))
}

fn rss(name: &str, updated: i64, entries: &[Entry]) -> String {
    const DATE: &str = "%a, %d %b %Y %H:%M:%S +0000";
    let mut body = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
         <rss version=\"2.0\" xmlns:dc=\"http://purl.org/dc/elements/1.1/\">\n<channel>\n<title>{name}</title>\n\
         <link>{home}</link>\n<description>Entries about {name}, invented by the sandbox</description>\n\
         <lastBuildDate>{built}</lastBuildDate>\n<ttl>60</ttl>\n",
        name = escaped(name),
        home = home(name),
        built = date(updated, DATE),
    );
    for entry in entries {
        body.push_str(&format!(
            "<item>\n<title>{}</title>\n<link>{}</link>\n<guid isPermaLink=\"false\">{}</guid>\n\
             <description>{}</description>\n<author>{handle}@feeds.example ({author})</author>\n\
             <dc:creator>{author}</dc:creator>\n<pubDate>{}</pubDate>\n</item>\n",
            escaped(&entry.title),
            escaped(&entry.link),
            escaped(&entry.id),
            description(entry),
            date(entry.published, DATE),
            handle = escaped(&entry.handle),
            author = escaped(&entry.author),
        ));
    }
    body.push_str("</channel>\n</rss>\n");
    body
}

fn atom(name: &str, updated: i64, entries: &[Entry]) -> String {
    let mut body = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<feed xmlns=\"http://www.w3.org/2005/Atom\">\n<title>{}</title>\n\
         <id>{home}</id>\n<link rel=\"alternate\" href=\"{home}\"/>\n<updated>{}</updated>\n",
        escaped(name),
        date(updated, ISO),
        home = home(name),
    );
    for entry in entries {
        body.push_str(&format!(
            "<entry>\n<title>{}</title>\n<id>{}</id>\n<link rel=\"alternate\" href=\"{}\"/>\n\
             <summary type=\"html\">{}</summary>\n<author><name>{}</name></author>\n\
             <published>{at}</published>\n<updated>{at}</updated>\n</entry>\n",
            escaped(&entry.title),
            escaped(&entry.id),
            escaped(&entry.link),
            description(entry),
            escaped(&entry.author),
            at = date(entry.published, ISO),
        ));
    }
    body.push_str("</feed>\n");
    body
}

fn json_feed(name: &str, entries: &[Entry]) -> Value {
    let item = |entry: &Entry| {
        let at = date(entry.published, ISO);
        json!({
            "id": entry.id,
            "url": entry.link,
            "title": entry.title,
            "summary": title(&entry.text),
            "content_text": entry.text,
            "date_published": at,
            "date_modified": at,
            "authors": [{"name": entry.author}],
        })
    };
    json!({
        "version": "https://jsonfeed.org/version/1.1",
        "title": name,
        "home_page_url": home(name),
        "description": "Invented by the sandbox",
        "items": entries.iter().map(item).collect::<Vec<_>>(),
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests fail by panicking")]
    use super::*;

    #[test]
    fn a_conditional_request_for_an_unchanged_feed_gets_304() {
        let hour = Hour(492_560);
        let status = |pairs: &[(header::HeaderName, &str)]| {
            let headers = pairs.iter().map(|(name, value)| (name.clone(), value.parse().unwrap())).collect();
            feed(&Corpus::Invented, hour, "coffee.rss", &headers).unwrap()
        };
        let first = status(&[]);
        let tag = first.headers()[header::ETAG].to_str().unwrap().to_owned();
        let at = first.headers()[header::LAST_MODIFIED].to_str().unwrap().to_owned();
        let (tags, since) = (header::IF_NONE_MATCH, header::IF_MODIFIED_SINCE);
        for (pairs, code) in [
            (vec![(tags.clone(), tag.as_str())], 304),
            (vec![(tags.clone(), "\"x\", W/\"y\"")], 200),
            (vec![(tags.clone(), "*")], 304),
            (vec![(since.clone(), at.as_str())], 304),
            (vec![(since.clone(), "Wed, 11 Mar 2020 09:00:00 GMT")], 200),
            (vec![(since.clone(), "soon")], 200),
            (vec![(tags, "\"x\""), (since, at.as_str())], 200),
        ] {
            assert_eq!(status(&pairs).status(), code, "{pairs:?}");
        }
        for file in ["coffee", "coffee.xml", ".rss", ""] {
            assert!(feed(&Corpus::Invented, hour, file, &HeaderMap::new()).is_none(), "{file}");
        }
    }

    #[test]
    fn names_and_texts_are_escaped() {
        let entry = Entry {
            id: "i".into(),
            link: "https://a.example/?a=1&b=2".into(),
            title: "<t>".into(),
            text: "a & b".into(),
            handle: "h".into(),
            author: "A".into(),
            published: 0,
        };
        let body = rss("<&>", 0, &[entry]);
        for part in
            ["<title>&lt;&amp;&gt;</title>", "?a=1&amp;b=2", "&lt;p&gt;a &amp;amp; b&lt;/p&gt;", "Thu, 01 Jan 1970"]
        {
            assert!(body.contains(part), "{part}: {body}");
        }
    }
}
