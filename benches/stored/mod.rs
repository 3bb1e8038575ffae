//! Test data for the benchmarks: a topic, posts, the outcome of a run.
#![allow(dead_code, reason = "no benchmark uses all of it")]

use topicwatch::model::{
    DataOrigin, Finding, Kind, Micros, ReplyEntry, RunState, SearchState, SocialOperation, SocialQuery, Source, Time,
    Topic, Window, WindowFit,
};
use topicwatch::store::{Outcome, SearchResult, SeenItem, Settings, Store};

/// The current time in every benchmark.
pub(crate) const NOW: Time = Time(1_773_219_600_000);

/// Opens a store and creates its tables.
pub(crate) async fn open(url: &str, schema: &str) -> Store {
    let settings = Settings { url: url.into(), schema: schema.into(), origin: None, create: true };
    Store::open(&settings).await.unwrap()
}

/// A topic with one source.
pub(crate) fn topic(id: &str) -> Topic {
    let social = SocialQuery { query: "query".into(), operation: SocialOperation::Search, limit: None };
    Topic {
        id: id.into(),
        title: "Topic".into(),
        tags: Vec::new(),
        window: Window::Past24Hours,
        social: Some(social),
        web: None,
        ai: None,
        providers: Vec::new(),
        schedule: None,
        unscheduled: Default::default(),
        limits: Default::default(),
        filter: Default::default(),
    }
}

/// A unique text of typical length.
pub(crate) fn text(id: u64) -> String {
    format!("{id} {}", "a text as long as posts are, with a few words more ".repeat(4))
}

/// A post with its sighting and two keys.
pub(crate) fn post(id: u64, rank: u64) -> SeenItem {
    let found = ReplyEntry {
        url: Some(format!("https://x.com/someone/status/{id}")),
        author: Some("someone".into()),
        text: Some(text(id)),
        ..bare(id, rank)
    };
    seen(found, vec![format!("post:x:{id}"), format!("text:x:someone:{id}")])
}

/// The fields that every post has.
pub(crate) fn bare(id: u64, rank: u64) -> ReplyEntry {
    ReplyEntry {
        kind: Some(Kind::Post),
        id: Some(id.to_string()),
        published_at: Some(NOW),
        rank: u32::try_from(rank).unwrap(),
        ..ReplyEntry::default()
    }
}

/// A post with the given keys.
pub(crate) fn seen(found: ReplyEntry, keys: Vec<String>) -> SeenItem {
    let (source, kind) = (Source::Social, Kind::Post);
    let finding = Finding { source, found, kind, keys: keys.clone(), strong: true, fit: WindowFit::In };
    SeenItem { keys, strong: true, kind, sightings: vec![finding], repeats: Vec::new() }
}

/// The outcome of a run with one search.
pub(crate) fn outcome(at: Time, items: Vec<SeenItem>) -> Outcome {
    let search = SearchResult {
        source: Source::Social,
        operation: "search",
        query: "query".into(),
        state: SearchState::Ok,
        reason: None,
        clears_at: None,
        http_status: Some(200),
        latency_ms: Some(300),
        unreadable: 0,
        saturated: false,
        cost: Micros(3_000),
        cost_basis: "billed",
        error: None,
        raw: None,
        requested_span: None,
        covered: None,
        late_ms: None,
    };
    Outcome {
        seen_at: at,
        finished_at: at,
        state: RunState::Ok,
        reason: None,
        error: None,
        searches: vec![search],
        items,
        answer: None,
        key_version: topicwatch::normalise::KEY_VERSION,
        memory: Vec::new(),
        judge: None,
        origin: Some(DataOrigin::Sandbox),
    }
}
