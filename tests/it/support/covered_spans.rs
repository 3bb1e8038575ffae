//! A topic and the spans that `coverage` reports for it.

use serde_json::Value;

use crate::support::program::Place;

pub fn topic(more: &str) -> String {
    format!("[[topics]]\nid = \"acme\"\nquery = \"acme launch\"\nsources = [\"social\"]\nevery = \"12h\"\n{more}\n")
}

/// The social source of the only topic, at a given time.
pub fn social(place: &Place, at: &str, since: &str) -> Value {
    let all = place.json(&["coverage", "--json", "--at", at, "--since", since]);
    assert_eq!(all["topics"][0]["sources"][0]["source"], "social", "{all}");
    all["topics"][0]["sources"][0].clone()
}

/// `from until` of each span, without seconds.
pub fn spans(list: &Value) -> Vec<String> {
    let minute = |time: &Value| time.as_str().unwrap()[5..16].to_owned();
    list.as_array().unwrap().iter().map(|s| format!("{} {}", minute(&s["from"]), minute(&s["until"]))).collect()
}
