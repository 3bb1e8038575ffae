//! The filter keys of a topic. `filter` decides what an entry means and whether it is valid; this file reads the
//! entries and reports each mistake with its place.

use crate::config::file::key_reader::Reader;
use crate::config::mistakes::fault::Fault;
use crate::config::mistakes::mistake::Mistakes;
use crate::config::values::scalars::text;
use crate::config::values::value::Value;
use crate::filter::{TermError, check_author, check_lang, check_term};
use crate::model::TopicFilter;

/// The most entries of one list.
const MOST: usize = 200;

/// Reads the filter; `None` if something in it is wrong.
pub(in crate::config) fn filter(reader: &Reader<'_>, mistakes: &mut Mistakes<'_>) -> Option<TopicFilter> {
    // Each entry of `must` has to occur, and languages and handles cannot be combined: only entries of `exclude` can be
    // joined.
    const JOIN: &str = "join some with |";
    const SHORTEN: &str = "shorten the list";
    let mut list = |key: &str, check: fn(&str) -> Result<(), TermError>, too_many: &str| {
        reader.read(mistakes, key, |value| entries(value, check, too_many))
    };
    let must = list("must", check_term, SHORTEN);
    let exclude = list("exclude", check_term, JOIN);
    let lang = list("lang", check_lang, SHORTEN);
    let exclude_authors = list("exclude_authors", check_author, SHORTEN);
    Some(TopicFilter { must: must?, exclude: exclude?, lang: lang?, exclude_authors: exclude_authors? })
}

fn entries(value: &Value, check: fn(&str) -> Result<(), TermError>, too_many: &str) -> Result<Vec<String>, Fault> {
    let Value::List(list) = value else {
        return Err(Fault::new("takes a list of strings", "write [\"…\", \"…\"]"));
    };
    if list.len() > MOST {
        return Err(Fault::new(format!("has {} entries, at most {MOST} are allowed", list.len()), too_many));
    }
    let mut entries = Vec::with_capacity(list.len());
    for (element, at) in list {
        let here = |fault: Fault| Fault { at: Some(at.clone()), ..fault };
        let entry = text(element).map_err(here)?.trim().to_owned();
        check(&entry).map_err(|error| here(Fault::new(error.text, error.hint)))?;
        if entries.contains(&entry) {
            return Err(here(Fault::new(format!("contains {entry:?} twice"), "list it once")));
        }
        entries.push(entry);
    }
    Ok(entries)
}
