//! The topics, tags, channels and sources of the file, which reports, exports and alerts may refer to.

use crate::config::file::document::Document;
use crate::config::mistakes::fault::Fault;
use crate::config::mistakes::suggest::did_you_mean;
use crate::config::values::names::slug;
use crate::config::values::scalars::{text, texts};
use crate::config::values::value::{ConfigValue, Table, Value};
use crate::model::Source;

/// Names of one kind.
pub(in crate::config) struct Names {
    list: Vec<String>,
    /// Whether the file has others that could not be read, which was reported: then any name may be one of them.
    more: bool,
}

/// The names that reports, exports and alerts may refer to.
pub(in crate::config) struct References {
    pub(in crate::config) topics: Names,
    pub(in crate::config) tags: Names,
    pub(in crate::config) channels: Names,
    /// The sources of the search service, and the providers.
    pub(in crate::config) sources: Names,
}

impl References {
    /// Collects the names as written, even of topics with other mistakes, so that each mistake is reported once.
    pub(in crate::config) fn of(document: &Document) -> Self {
        let is_unread = |section: &str| document.unread.contains(&section);
        let named = |tables: &[Table], key: &str, section: &str| {
            let word = |table: &Table| match table.values.get(key) {
                Some(ConfigValue { value: Value::Text(word), .. }) => Some(word.clone()),
                _ => None,
            };
            let list: Vec<String> = tables.iter().filter_map(word).collect();
            // An invalid name will be corrected, perhaps to one that other sections already refer to.
            let is_wrong = |name: &String| slug(&Value::Text(name.clone())).is_err();
            Names { more: list.len() < tables.len() || is_unread(section) || list.iter().any(is_wrong), list }
        };
        let tables = || document.topics.iter().chain([&document.defaults]);
        let tags = tables().filter_map(|table| table.values.get("tags")).flat_map(|setting| match &setting.value {
            Value::List(list) => list.clone(),
            _ => Vec::new(),
        });
        let mut tags: Vec<String> = tags.filter_map(|(tag, _)| text(&tag).ok()).collect();
        tags.sort();
        tags.dedup();
        let sources = Source::SERVICE.iter().copied().chain(document.providers.iter().map(|one| one.name));
        Self {
            topics: named(&document.topics, "id", "topics"),
            tags: Names {
                more: tables().any(|table| table.attempted.contains(&"tags")) || is_unread("topics"),
                list: tags,
            },
            channels: named(&document.channels, "name", "channels"),
            sources: Names {
                more: document.has_unread_providers(),
                list: sources.map(|source| source.to_string()).collect(),
            },
        }
    }
}

/// Checks that a name exists.
pub(in crate::config) fn is_known(word: &str, known: &Names, what: &str) -> Result<(), Fault> {
    let Names { list: known, more } = known;
    if *more || known.iter().any(|one| one == word) {
        return Ok(());
    }
    let mut some = known.iter().take(10).map(|one| format!("\"{one}\"")).collect::<Vec<_>>().join(", ");
    if known.len() > 10 {
        some.push_str(", …");
    }
    let otherwise = if known.is_empty() { format!("the file has no {what}") } else { format!("the file has {some}") };
    let hint = did_you_mean(word, known.iter().map(String::as_str), &otherwise);
    Err(Fault::new(format!("names {word:?}, but there is no such {what}"), hint))
}

/// Reads a list of existing sources.
pub(in crate::config) fn sources(value: &Value, known: &References) -> Result<Vec<Source>, Fault> {
    let names = listed(value, &known.sources, "source")?;
    Ok(names.iter().filter_map(|name| Source::parse(name)).collect())
}

/// Reads a list of existing names.
pub(in crate::config) fn listed(value: &Value, known: &Names, what: &str) -> Result<Vec<String>, Fault> {
    let words = texts(value, 1_000, 64)?;
    let Value::List(list) = value else { return Ok(words) };
    for (word, (_, at)) in words.iter().zip(list) {
        is_known(word, known, what).map_err(|fault| Fault { at: Some(at.clone()), ..fault })?;
    }
    Ok(words)
}
