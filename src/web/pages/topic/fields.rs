//! The fields of a topic's form: what each is for, how its value is shown, and how typed values become a table of the
//! file. The check of the file decides which values are valid.

use std::collections::BTreeMap;

use crate::edit::{EditError, Entry, Jobs, KeyValue, Kind};
use crate::web::page_request::PageRequest;

/// How a field is entered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::web::pages) enum Shape {
    Line,
    /// Names separated by spaces or commas.
    Names,
    /// One per line.
    Lines,
    Number,
    Flag,
}

/// A field, and the key that it is about.
pub(in crate::web::pages) struct Field {
    pub(in crate::web::pages) key: &'static str,
    pub(in crate::web::pages) label: &'static str,
    pub(in crate::web::pages) shape: Shape,
    pub(in crate::web::pages) help: &'static str,
    /// Whether it is shown only on request.
    pub(in crate::web::pages) more: bool,
}

const fn field(key: &'static str, label: &'static str, shape: Shape, help: &'static str) -> Field {
    Field { key, label, shape, help, more: false }
}

const fn more(key: &'static str, label: &'static str, shape: Shape, help: &'static str) -> Field {
    Field { key, label, shape, help, more: true }
}

/// The keys that have a field, in the order of the form.
pub(in crate::web::pages) const FIELDS: [Field; 15] = [
    field(
        "id",
        "Id",
        Shape::Line,
        "A short name of a-z, 0-9, - and _; it cannot be changed here later. Findings are filed under it.",
    ),
    field("title", "Title", Shape::Line, "For people; the id if empty."),
    field("query", "Query", Shape::Line, "What to search for, in every source."),
    field("sources", "Sources", Shape::Names, "social, web, ai, or names of providers; those of [defaults] if empty."),
    field(
        "schedule",
        "Schedule",
        Shape::Line,
        "Cron, such as 0 7 * * *. Give a schedule or a period, not both; without either, [defaults] applies.",
    ),
    field("every", "Period", Shape::Line, "Instead of a schedule: 90m, 6h, 1d."),
    field(
        "timezone",
        "Time zone",
        Shape::Line,
        "Time zone of the schedule, such as Europe/Berlin; if empty, that of [defaults], else UTC.",
    ),
    field("tags", "Tags", Shape::Lines, "One per line."),
    more(
        "must",
        "Must occur",
        Shape::Lines,
        "One per line; each has to occur in title or text, or the item is hidden.",
    ),
    more("exclude", "Must not occur", Shape::Lines, "One per line; an item in which one occurs is hidden."),
    more("lang", "Languages", Shape::Lines, "One per line, such as en; items known to be in another are hidden."),
    more("exclude_authors", "Excluded authors", Shape::Lines, "One per line."),
    more("max_calls_per_day", "Maximum calls a day", Shape::Number, "In addition to the limit of the service."),
    more(
        "budget_per_day",
        "Maximum dollars a day",
        Shape::Line,
        "Such as 0.25, in addition to the budget of the service.",
    ),
    more("paused", "Paused", Shape::Flag, "Not run on its schedule."),
];

/// The name of the field that holds a whole table.
pub(super) const TOML: &str = "toml";
/// The values of a form, by key.
pub(in crate::web::pages) type Values = BTreeMap<&'static str, String>;

/// The values of a table of the file. `paused` applies if the table does not say whether it is paused.
pub(super) fn values_of(jobs: &Jobs<'_>, entry: &Entry, paused: bool) -> Values {
    let values =
        FIELDS.iter().filter_map(|field| Some((field.key, field.field_text(jobs.value_and_source(entry, field.key)?))));
    empty(paused).into_iter().chain(values).collect()
}

/// The values of `[defaults]`. A checkbox that they tick is ticked in the form instead.
pub(in crate::web::pages) fn defaults(jobs: &Jobs<'_>) -> Values {
    let fields = FIELDS.iter().filter(|field| field.shape != Shape::Flag);
    fields.filter_map(|field| Some((field.key, field.field_text(jobs.default(field.key)?)))).collect()
}

/// The values of `[defaults]` that apply to a topic where a field is empty. A list that the topic gives stays its own,
/// even if it is empty.
pub(in crate::web::pages) fn inherited(jobs: &Jobs<'_>, entry: Option<&Entry>) -> Values {
    let is_given = |key: &str| entry.is_some_and(|entry| jobs.value_and_source(entry, key).is_some());
    let is_own_list = |field: &Field| field.shape == Shape::Lines && is_given(field.key);
    let mut values = defaults(jobs);
    for field in FIELDS.iter().filter(|field| is_own_list(field)) {
        values.remove(field.key);
    }
    values
}

/// The values of a new topic.
pub(in crate::web::pages) fn empty(paused: bool) -> Values {
    paused.then(|| ("paused", true.to_string())).into_iter().collect()
}

/// A text as a browser sends it back from a form: with line ends of its own, and trimmed.
pub(super) fn normalize_text(text: &str) -> String {
    text.replace("\r\n", "\n").replace('\r', "\n").trim().to_owned()
}

impl Field {
    /// A value of the file, as shown in the field.
    fn field_text(&self, (value, raw): (&KeyValue, &str)) -> String {
        match value {
            KeyValue::Text(text) => text.clone(),
            KeyValue::Texts(texts) if self.shape == Shape::Names => texts.join(" "),
            KeyValue::Texts(texts) => texts.join("\n"),
            KeyValue::Number(number) => number.to_string(),
            KeyValue::Flag(flag) => flag.to_string(),
            KeyValue::Other => raw.to_owned(),
        }
    }

    /// The same for a value of the field, which may be limited to one line.
    fn sent_back(&self, value: &str) -> String {
        let sent = normalize_text(value);
        if self.shape == Shape::Lines { sent } else { sent.replace('\n', "") }
    }
}

/// The values as they were typed.
pub(super) fn form_values(form: &PageRequest) -> Values {
    let value = |key: &str| form.get(key).map(|value| value.replace("\r\n", "\n"));
    FIELDS.iter().filter_map(|field| Some((field.key, value(field.key)?))).collect()
}

/// The value of a field as a browser sends it.
pub(super) fn sent_text(values: &Values, field: &Field) -> String {
    let value = values.get(field.key).map_or("", String::as_str);
    // A checkbox that is not ticked is not sent.
    if field.shape == Shape::Flag { (value == "true").to_string() } else { field.sent_back(value) }
}

/// Whether a browser would send both forms alike: then the second is the first without any typed change.
pub(super) fn are_sent_alike(one: &Values, other: &Values) -> bool {
    FIELDS.iter().all(|field| sent_text(one, field) == sent_text(other, field))
}

fn to_toml_value(field: &Field, value: &str) -> Option<KeyValue> {
    let list = |parts: Vec<&str>| {
        let parts: Vec<String> =
            parts.into_iter().map(str::trim).filter(|part| !part.is_empty()).map(str::to_owned).collect();
        (!parts.is_empty()).then_some(KeyValue::Texts(parts))
    };
    match field.shape {
        Shape::Names => list(value.split([',', ' ', '\n', '\t']).collect()),
        Shape::Lines => list(value.lines().collect()),
        _ if value.is_empty() => None,
        Shape::Line => Some(KeyValue::Text(value.to_owned())),
        // The check reports text that is not a number.
        Shape::Number => Some(value.parse().map_or_else(|_| KeyValue::Text(value.to_owned()), KeyValue::Number)),
        Shape::Flag => Some(KeyValue::Flag(value == "true")),
    }
}

/// A table with these values. Keys without a field stay, and so do unchanged values. `paused` applies if the table
/// does not say whether it is paused. A list that was emptied is written as empty if `defaults` would apply otherwise.
pub(super) fn apply_values(block: &str, typed: &Values, defaults: &Values, paused: bool) -> Result<String, EditError> {
    let mut edited = block.to_owned();
    for field in &FIELDS {
        let jobs = Jobs::read(&edited)?;
        let Some(entry) = jobs.entries(Kind::Topic).next() else { break };
        let before = values_of(&jobs, entry, paused).remove(field.key);
        let now = typed.get(field.key).map_or("", String::as_str);
        // A checkbox that is not ticked means "no" only if the value was "yes" before.
        let now = if field.shape == Shape::Flag && now.is_empty() && before.is_some() { "false" } else { now };
        if field.sent_back(before.as_deref().unwrap_or("")) != field.sent_back(now) {
            let has_default = defaults.get(field.key).is_some_and(|value| !value.is_empty());
            let emptied = (field.shape == Shape::Lines && has_default).then(|| KeyValue::Texts(Vec::new()));
            let value = to_toml_value(field, now).or(emptied);
            edited = jobs.set(Kind::Topic, &entry.name, field.key, value.as_ref())?;
        }
    }
    Ok(edited)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests fail by panicking")]
    use super::*;

    const BLOCK: &str = "[[topics]]\nid = \"a\" # stays\nquery = 'x' # too\nping = \"https://ping.example/secret\"\nweb.limit = 7\npaused = true\nmax_calls_per_day = 5\n";

    fn of(block: &str) -> Values {
        let jobs = Jobs::read(block).unwrap();
        values_of(&jobs, jobs.entries(Kind::Topic).next().unwrap(), false)
    }

    #[test]
    fn unchanged_form_fields_keep_their_bytes() {
        assert_eq!(apply_values(BLOCK, &of(BLOCK), &Values::new(), false).unwrap(), BLOCK);
        let mut values = of(BLOCK);
        values.remove("paused");
        values.insert("max_calls_per_day", "many".to_owned());
        values.insert("tags", "one, two\n three \n\n".to_owned());
        values.insert("sources", "social,  web".to_owned());
        let edited = apply_values(BLOCK, &values, &Values::new(), false).unwrap();
        let expected = BLOCK.replace("paused = true", "paused = false").replace("= 5", "= \"many\"");
        assert_eq!(edited, format!("{expected}sources = [\"social\", \"web\"]\ntags = [\"one, two\", \"three\"]\n"));
        let words = Values::from([("id", "b".to_owned()), ("query", "\"]]\n[x]".to_owned())]);
        let new = apply_values("[[topics]]\n", &words, &Values::new(), false);
        assert_eq!(new.unwrap(), "[[topics]]\nid = \"b\"\nquery = \"\\\"]]\\n[x]\"\n");
        // A value that a form does not send back exactly has not changed.
        let block =
            "[[topics]]\nid = \"a\"\nquery = \" y \"\nmust = [\" cat \", \"dog\\r\\n\"]\ntitle = \"\"\"a\r\nb\"\"\"\n";
        let sent = of(block).into_iter().map(|(key, value)| (key, normalize_text(&value))).collect();
        assert_eq!(apply_values(block, &sent, &Values::new(), false).unwrap(), block);
        // If topics are paused by default, a topic that is not paused needs an explicit value.
        let new = apply_values("[[topics]]\n", &words, &Values::new(), true).unwrap();
        assert!(new.ends_with("paused = false\n"), "{new}");
    }

    #[test]
    fn an_emptied_list_is_written_empty_if_defaults_have_one() {
        let block = "[[topics]]\nid = \"a\"\nquery = \"x\"\nlang = [\"en\"]\nsources = [\"web\"]\ntags = [\"one\"]\n";
        let defaults = Values::from([("lang", "de".to_owned()), ("sources", "social".to_owned())]);
        let mut values = of(block);
        for key in ["lang", "sources", "tags"] {
            values.remove(key);
        }
        // A topic without sources would search nothing: those of [defaults] apply.
        let edited = apply_values(block, &values, &defaults, false).unwrap();
        assert_eq!(edited, "[[topics]]\nid = \"a\"\nquery = \"x\"\nlang = []\n");
        assert_eq!(apply_values(&edited, &of(&edited), &defaults, false).unwrap(), edited);
        // Values that were never given are not written.
        let plain = "[[topics]]\nid = \"a\"\nquery = \"x\"\n";
        assert_eq!(apply_values(plain, &of(plain), &defaults, false).unwrap(), plain);
    }
}
