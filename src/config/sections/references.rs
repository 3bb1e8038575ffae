//! The topics, tags, channels and sources of the file, which reports, exports and alerts may refer to.

use crate::config::file::document::Document;
use crate::config::mistakes::fault::Fault;
use crate::config::mistakes::suggest::did_you_mean;
use crate::config::values::scalars::{text, texts};
use crate::config::values::value::{ConfigValue, Table, Value};
use crate::model::Source;

/// The names that reports, exports and alerts may refer to.
pub(in crate::config) struct References {
    pub(in crate::config) topics: Vec<String>,
    pub(in crate::config) tags: Vec<String>,
    pub(in crate::config) channels: Vec<String>,
    /// The sources of the search service, and the providers.
    pub(in crate::config) sources: Vec<String>,
}

impl References {
    /// Collects the names as written, even of topics with other mistakes, so that each mistake is reported once.
    pub(in crate::config) fn of(document: &Document) -> Self {
        let word = |table: &Table, key: &str| match table.values.get(key) {
            Some(ConfigValue { value: Value::Text(word), .. }) => Some(word.clone()),
            _ => None,
        };
        let tags = document.topics.iter().chain([&document.defaults]).filter_map(|table| table.values.get("tags"));
        let tags = tags.flat_map(|setting| match &setting.value {
            Value::List(list) => list.clone(),
            _ => Vec::new(),
        });
        let mut tags: Vec<String> = tags.filter_map(|(tag, _)| text(&tag).ok()).collect();
        tags.sort();
        tags.dedup();
        Self {
            topics: document.topics.iter().filter_map(|table| word(table, "id")).collect(),
            sources: Source::SERVICE
                .iter()
                .copied()
                .chain(document.providers.iter().map(|one| one.name))
                .map(|source| source.to_string())
                .collect(),
            tags,
            channels: document.channels.iter().filter_map(|table| word(table, "name")).collect(),
        }
    }
}

/// Checks that a name exists.
pub(in crate::config) fn is_known(word: &str, known: &[String], what: &str) -> Result<(), Fault> {
    if known.iter().any(|one| one == word) {
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
pub(in crate::config) fn listed(value: &Value, known: &[String], what: &str) -> Result<Vec<String>, Fault> {
    let words = texts(value, 1_000, 64)?;
    let Value::List(list) = value else { return Ok(words) };
    for (word, (_, at)) in words.iter().zip(list) {
        is_known(word, known, what).map_err(|fault| Fault { at: Some(at.clone()), ..fault })?;
    }
    Ok(words)
}
