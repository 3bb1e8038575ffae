//! Finds names in stored texts: whether a message is about a topic, the addresses in a text, and the words of a
//! request. Pure.

use serde_json::Value;

/// Whether a message, an event or a report is about a topic: its data names the topic, as a whole value. Without data,
/// the words must contain the id between characters that no id has. Other uses of the same word do not count.
pub(super) fn is_about(texts: &[String], topic: &str) -> bool {
    let data: Vec<Value> = texts.iter().filter_map(|text| serde_json::from_str(text).ok()).collect();
    let has_data = data.iter().any(Value::is_object);
    let is_named = |text: &String| {
        let of_id = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
        text.match_indices(topic).any(|(at, _)| {
            let (before, after) =
                (text.get(..at).unwrap_or_default(), text.get(at + topic.len()..).unwrap_or_default());
            !before.ends_with(of_id) && !after.starts_with(of_id)
        })
    };
    texts.iter().any(|text| text == topic)
        || data.iter().any(|value| contains_text(value, topic))
        || !has_data && texts.first().is_some_and(is_named)
}

/// Whether a value or a part of it is this text.
fn contains_text(value: &Value, text: &str) -> bool {
    match value {
        Value::String(one) => one == text,
        Value::Array(all) => all.iter().any(|one| contains_text(one, text)),
        Value::Object(all) => all.iter().any(|(name, one)| name == text || contains_text(one, text)),
        _ => false,
    }
}

/// Returns the addresses in a text, including HTML.
pub(super) fn addresses(text: &str) -> impl Iterator<Item = String> {
    let begins = text.match_indices("http").map(|(at, _)| text.get(at..).unwrap_or_default());
    begins.filter(|rest| rest.starts_with("http://") || rest.starts_with("https://")).map(|rest| {
        let ends = |c: char| c.is_whitespace() || matches!(c, '"' | '<' | '>' | ')' | ']' | '\\' | '\'' | '`');
        let end = rest.find(ends).unwrap_or(rest.len());
        rest.get(..end).unwrap_or_default().trim_end_matches(['.', ',', ';']).replace("&amp;", "&")
    })
}

/// Fields and parameters of stored requests that hold a topic's query, or keys and addresses of items. The program sets
/// all others, and their names and values, such as `limit` or `search`, could also be people's handles.
const ASKED: [&str; 10] = ["address", "author", "key", "name", "prompt", "q", "query", "tag", "url", "urls"];

/// Returns what a topic chose of a stored request: its words, its addresses, and the items that it is about.
pub(super) fn request_words(request: &str) -> Vec<String> {
    let mut words = Vec::new();
    match serde_json::from_str::<Value>(request) {
        Ok(value) => collect_words(&value, "", &mut words),
        Err(_) => words.push(request.to_owned()),
    }
    words
}

fn collect_words(value: &Value, field: &str, words: &mut Vec<String>) {
    match value {
        Value::String(text) if ASKED.contains(&field) => words.push(text.clone()),
        Value::Array(all) => match all.as_slice() {
            // A parameter with its value.
            [Value::String(name), value] if field == "query" => collect_words(value, name, words),
            all => all.iter().for_each(|one| collect_words(one, field, words)),
        },
        Value::Object(all) => all.iter().for_each(|(name, one)| collect_words(one, name, words)),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::{addresses, is_about, request_words};

    #[test]
    fn a_message_is_about_a_topic_only_if_it_names_its_id_as_a_topic() {
        for (texts, expected) in [
            (["3 new", r#"{"topic":"team","lines":[]}"#], true),
            (["3 new", r#"{"topics":[{"topic":"team"},{"topic":"other"}]}"#], true),
            (["team-launches: 3 new", r#"{"topic":"team-launches","text":"the team won"}"#], false),
            (["other: the team won", r#"{"topic":"other","lines":["team spirit"]}"#], false),
            (["Daily report: team, other", ""], true),
            (["Daily report: team-launches, other", ""], false),
            (["team", "[]"], true),
        ] {
            assert_eq!(is_about(&texts.map(str::to_owned), "team"), expected, "{texts:?}");
        }
    }

    #[test]
    fn urls_are_found_in_plain_text_markdown_and_html() {
        let text =
            r#"See [1](https://a.example/b), <a href="https://c.example/?x=1&amp;y=2">it</a>, http://d.example. httpx"#;
        let found: Vec<String> = addresses(text).collect();
        assert_eq!(found, ["https://a.example/b", "https://c.example/?x=1&y=2", "http://d.example"]);
    }

    #[test]
    fn request_words_are_only_those_that_a_topic_chose() {
        for (request, expected) in [
            (
                r#"{"source":"social","method":"GET","path":"/twitter","query":[["query","from:ann"],["sort","Latest"]],"body":null,"limit":20}"#,
                vec!["from:ann"],
            ),
            (
                r#"{"source":"ai","path":"/ai/search","query":[],"body":{"model":"NOVA","prompt":"who is ann"}}"#,
                vec!["who is ann"],
            ),
            (
                r#"{"from":1,"items":[{"key":"post:x:1","url":"https://x.com/ann/status/1"}],"query":{"keys":{"limit":5,"urls":["https://a.example/@ann"]},"kind":"feed","source":"blogs"}}"#,
                vec!["post:x:1", "https://x.com/ann/status/1", "https://a.example/@ann"],
            ),
            (
                r#"{"from":1,"query":{"keys":{"author":"ann.bsky.social","lang":"en","limit":500,"query":"acme","tag":"launch"},"kind":"bluesky","source":"sky"}}"#,
                vec!["ann.bsky.social", "acme", "launch"],
            ),
            ("from:ann", vec!["from:ann"]),
        ] {
            assert_eq!(request_words(request), expected, "{request}");
        }
    }
}
