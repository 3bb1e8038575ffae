//! Prepares a JSON Feed for the parser, which refuses the whole feed if one member of one entry has another type than
//! the specification says (<https://www.jsonfeed.org/version/1.1/>).

use std::borrow::Cow;
use std::fmt::{Formatter, Result as Written};

use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value, json};

use super::entry_limit::MOST;
use crate::search::decode::json_value_as;

/// The parser gets at most this many bytes of a body that is no JSON Feed.
const LONGEST_WRONG: usize = 1_000_000;

/// Members of an entry that are texts.
const TEXTS: [&str; 8] =
    ["url", "external_url", "title", "content_html", "content_text", "summary", "date_published", "date_modified"];

/// A JSON Feed: its members and its first entries.
struct Document {
    feed: Map<String, Value>,
    items: Option<Items>,
}

/// The first entries, and the number of the others, which are dropped.
struct Items {
    first: Vec<Value>,
    others: usize,
}

impl<'de> Deserialize<'de> for Document {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Members;
        impl<'de> Visitor<'de> for Members {
            type Value = Document;

            fn expecting(&self, f: &mut Formatter<'_>) -> Written {
                f.write_str("an object with a list of items")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Document, A::Error> {
                let mut document = Document { feed: Map::new(), items: None };
                while let Some(name) = members.next_key::<String>()? {
                    if name == "items" {
                        document.items = Some(members.next_value()?);
                    } else {
                        document.feed.insert(name, members.next_value()?);
                    }
                }
                Ok(document)
            }
        }
        from.deserialize_map(Members)
    }
}

impl<'de> Deserialize<'de> for Items {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Entries;
        impl<'de> Visitor<'de> for Entries {
            type Value = Items;

            fn expecting(&self, f: &mut Formatter<'_>) -> Written {
                f.write_str("a list")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Items, A::Error> {
                let mut items = Items { first: Vec::new(), others: 0 };
                while items.first.len() < MOST
                    && let Some(item) = list.next_element()?
                {
                    items.first.push(item);
                }
                while list.next_element::<IgnoredAny>()?.is_some() {
                    items.others += 1;
                }
                Ok(items)
            }
        }
        from.deserialize_seq(Entries)
    }
}

/// Keeps the readable members of each of the first entries, and returns the number of the others. An id may be a
/// number, as the specification asks of readers. An entry that is no object becomes an empty one, which counts as
/// unreadable.
pub(super) fn with_readable_items(body: Cow<'_, [u8]>) -> (Cow<'_, [u8]>, usize) {
    let Some(Document { feed, items: Some(Items { first, others }) }) = json_value_as(&body) else {
        return (beginning(body), 0);
    };
    let mut readable = texts(&feed, &["version", "title", "language"]);
    readable.entry("title").or_insert_with(|| json!(""));
    add_author(&feed, &mut readable);
    readable.insert("items".to_owned(), first.iter().map(item).collect());
    (serde_json::to_vec(&Value::Object(readable)).map_or(body, Cow::Owned), others)
}

/// Cuts a long body that is no JSON Feed: the parser only has to report what is wrong with it.
fn beginning(body: Cow<'_, [u8]>) -> Cow<'_, [u8]> {
    match body {
        Cow::Borrowed(body) => Cow::Borrowed(body.get(..LONGEST_WRONG).unwrap_or(body)),
        Cow::Owned(mut body) => {
            body.truncate(LONGEST_WRONG);
            Cow::Owned(body)
        }
    }
}

fn item(item: &Value) -> Value {
    let Value::Object(item) = item else { return json!({}) };
    let mut readable = texts(item, &TEXTS);
    let id = match item.get("id") {
        Some(Value::String(id)) => Some(id.clone()),
        Some(Value::Number(id)) => Some(id.to_string()),
        _ => None,
    };
    readable.extend(id.map(|id| ("id".to_owned(), json!(id))));
    add_author(item, &mut readable);
    let attachments = item.get("attachments").and_then(Value::as_array).into_iter().flatten();
    let urls = attachments.filter_map(|one| one.get("url")?.as_str());
    let attachments: Vec<Value> = urls.map(|url| json!({ "url": url, "mime_type": "" })).collect();
    if !attachments.is_empty() {
        readable.insert("attachments".to_owned(), json!(attachments));
    }
    Value::Object(readable)
}

/// Returns those of these members that are texts.
fn texts(object: &Map<String, Value>, names: &[&str]) -> Map<String, Value> {
    let texts = names.iter().filter_map(|name| Some(((*name).to_owned(), json!(object.get(*name)?.as_str()?))));
    texts.collect()
}

/// Adds the first author with a name, from the members of both versions of the specification. Only that one is kept, and the
/// parser would give all authors of a feed to each of its entries.
fn add_author(object: &Map<String, Value>, readable: &mut Map<String, Value>) {
    let list = object.get("authors").and_then(Value::as_array).into_iter().flatten();
    let mut named = object.get("author").into_iter().chain(list).filter_map(|author| author.get("name")?.as_str());
    readable.extend(named.next().map(|name| ("authors".to_owned(), json!([{ "name": name }]))));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_first_author_with_a_name_is_given_to_the_parser() {
        let body = json!({ "version": "v", "author": {}, "authors": [{ "url": "u" }, { "name": "Ann" }, { "name": "Ben" }],
            "items": [{ "author": { "name": "Cem" }, "authors": [{ "name": "Dan" }] }, { "authors": {} }] });
        let (readable, _) = with_readable_items(Cow::Owned(body.to_string().into_bytes()));
        let readable: Value = serde_json::from_slice(&readable).unwrap_or_default();
        let part = |at: &str| readable.pointer(at).cloned().unwrap_or_default();
        assert_eq!(part("/authors"), json!([{ "name": "Ann" }]));
        assert_eq!(part("/items/0/authors"), json!([{ "name": "Cem" }]));
        assert_eq!(part("/items/1"), json!({}));
    }
}
