//! OPML (<https://opml.org/spec2.opml>): outlines with `xmlUrl` are feeds, those without are folders. Entities that a
//! file declares are not expanded.

use quick_xml::events::{BytesStart, Event};
use quick_xml::reader::Reader;

use super::entry::{Entry, MOST, Unreadable, name};

/// The deepest nesting of folders.
const DEEPEST: usize = 64;

pub(super) fn entries(text: &str) -> Result<Vec<Entry>, Unreadable> {
    let mut reader = Reader::from_str(text);
    let config = reader.config_mut();
    // Some files are written by hand: a tag that is never closed must not lose the other feeds.
    config.check_end_names = false;
    config.allow_unmatched_ends = true;
    let (mut all, mut folders, mut is_opml) = (Vec::new(), Vec::<Option<String>>::new(), false);
    // For each open outline, its entry if it stays empty: it may have a separate closing tag.
    let mut open = Vec::<Option<Entry>>::new();
    loop {
        let event = reader.read_event().map_err(|error| {
            let at = reader.error_position();
            Unreadable::new(format!("is not valid XML: {error} at byte {at}"), "export it again as OPML")
        })?;
        match event {
            Event::Start(tag) if tag.local_name().as_ref() == b"opml" => is_opml = true,
            Event::Start(tag) if tag.local_name().as_ref() == b"outline" => {
                keep_as_folder(&mut open);
                let found = entry(&tag, &folders);
                let folder = found.is_none().then(|| title(&tag)).flatten();
                open.push(found.is_none().then(|| without_feed(&tag, &folders)).flatten());
                all.extend(found);
                folders.push(folder);
                if folders.len() > DEEPEST {
                    return Err(Unreadable::new(
                        format!("nests folders more than {DEEPEST} levels deep"),
                        "export it again",
                    ));
                }
            }
            Event::Empty(tag) if tag.local_name().as_ref() == b"outline" => {
                keep_as_folder(&mut open);
                all.extend(entry(&tag, &folders).or_else(|| without_feed(&tag, &folders)));
            }
            Event::End(tag) if tag.local_name().as_ref() == b"outline" => {
                folders.pop();
                all.extend(open.pop().flatten());
            }
            Event::Eof => break,
            _ => {}
        }
        if all.len() > MOST {
            break;
        }
    }
    match is_opml {
        // A list without any feed is not from a feed reader.
        true if all.iter().all(|entry| !entry.is_feed) => Ok(Vec::new()),
        true => Ok(all),
        false => Err(Unreadable::new(
            "is not OPML",
            "to watch a single feed, add it to a topic: news.urls = [\"https://…\"]",
        )),
    }
}

fn entry(tag: &BytesStart<'_>, folders: &[Option<String>]) -> Option<Entry> {
    let url = attribute(tag, b"xmlurl")?.trim().to_owned();
    (!url.is_empty()).then(|| Entry { title: title(tag), folder: path(folders), url, is_feed: true, unfit: None })
}

/// An outline that holds nothing and names no feed: a link, or an empty folder.
fn without_feed(tag: &BytesStart<'_>, folders: &[Option<String>]) -> Option<Entry> {
    let address = [b"url".as_slice(), b"htmlurl"].into_iter().find_map(|key| name(&attribute(tag, key)?));
    let title = title(tag);
    let unfit = Some("has no feed address (xmlUrl)");
    Some(Entry { url: address.or_else(|| title.clone())?, title, folder: path(folders), is_feed: false, unfit })
}

/// The innermost open outline holds another one, so it is a folder.
fn keep_as_folder(open: &mut [Option<Entry>]) {
    if let Some(outer) = open.last_mut() {
        *outer = None;
    }
}

fn path(folders: &[Option<String>]) -> Option<String> {
    let path: Vec<&str> = folders.iter().flatten().map(String::as_str).collect();
    (!path.is_empty()).then(|| path.join(" / "))
}

fn title(tag: &BytesStart<'_>) -> Option<String> {
    [b"title".as_slice(), b"text"].into_iter().find_map(|key| name(&attribute(tag, key)?))
}

/// Returns an attribute, ignoring the case of its name; `None` if it cannot be read.
fn attribute(tag: &BytesStart<'_>, wanted: &[u8]) -> Option<String> {
    let found =
        tag.attributes().with_checks(false).flatten().find(|one| one.key.as_ref().eq_ignore_ascii_case(wanted))?;
    let raw = String::from_utf8_lossy(&found.value).into_owned();
    Some(html_escape::decode_html_entities(&raw).into_owned())
}
