//! changedetection.io: the list of its export page (one address per line, followed by tags), or `url-watches.json` of a
//! backup.

use serde_json::Value;

use super::entry::{Entry, Unreadable, name};

pub(super) fn entries(text: &str) -> Result<Vec<Entry>, Unreadable> {
    if !text.trim_start().starts_with('{') {
        return Ok(text.lines().filter_map(line).collect());
    }
    let all: Value = serde_json::from_str(text).map_err(|error| {
        Unreadable::new(format!("is not valid JSON: {error}"), "use the unmodified url-watches.json of a backup")
    })?;
    let Some(watches) = all.get("watching").and_then(Value::as_object) else {
        return Err(Unreadable::new(
            "is JSON without `watching`",
            "use url-watches.json of a changedetection.io backup",
        ));
    };
    let tags = all.pointer("/settings/application/tags");
    let entry = |watch: &Value| {
        let text = |key: &str| watch.get(key).and_then(Value::as_str);
        let tag = watch.pointer("/tags/0").or_else(|| watch.get("tag")).and_then(Value::as_str);
        // Since 0.46 tags are ids; before, they were words.
        let word = tag.map(|tag| tags.and_then(|tags| tags.get(tag)?.get("title")?.as_str()).unwrap_or(tag));
        let url = text("url")?.trim().to_owned();
        let paused = watch.get("paused").and_then(Value::as_bool) == Some(true);
        let unfit = paused.then_some("is paused there");
        Some(Entry { title: text("title").and_then(name), folder: word.and_then(name), url, is_feed: false, unfit })
    };
    Ok(watches.values().filter_map(entry).collect())
}

fn line(line: &str) -> Option<Entry> {
    let mut words = line.split_whitespace();
    let url = words.next().filter(|word| word.contains("://"))?.to_owned();
    let tags = words.collect::<Vec<_>>().join(" ");
    let folder = tags.split(',').next().and_then(name);
    Some(Entry { title: None, folder, url, is_feed: false, unfit: None })
}
