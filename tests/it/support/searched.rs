//! Builds topics, items and outcomes of searches as a run stores them.

use std::time::Duration;

use topicwatch::model::{
    Engagement, Finding, Kind, Micros, Period, ReplyEntry, RunState, SchedulePolicy, SearchState, SocialOperation,
    SocialQuery, Source, Time, Topic, Trigger, Window, WindowFit,
};
use topicwatch::store::{
    Call, DataOrigin, Filter, JobPlan, Outcome, PlannedJob, PlannedSlot, RunRef, SearchResult, SeenItem, Settings,
    Store,
};

use crate::support::databases::Database;

pub(crate) const NOW: Time = Time(1_773_219_600_000);

pub(crate) const LEASE: Duration = Duration::from_secs(60);

pub(crate) async fn open_store(database: &Database) -> Store {
    Store::open(&settings(database)).await.unwrap()
}

pub(crate) fn settings(database: &Database) -> Settings {
    Settings { url: database.url.clone(), schema: database.schema.clone(), origin: None, create: true }
}

pub(crate) fn topic(id: &str) -> Topic {
    Topic {
        id: id.to_owned(),
        title: id.to_uppercase(),
        tags: vec!["a".into()],
        window: Window::Past24Hours,
        social: Some(SocialQuery { query: id.to_owned(), operation: SocialOperation::Search, limit: None }),
        web: None,
        ai: None,
        providers: Vec::new(),
        unscheduled: Default::default(),
        limits: Default::default(),
        filter: Default::default(),
        schedule: Some(SchedulePolicy {
            period: Period::Every(3_600_000),
            timezone: "UTC".into(),
            catch_up: topicwatch::model::CatchUp::Latest,
            catch_up_window_ms: 7 * 86_400_000,
            max_catch_up_runs: 100,
            overlap: topicwatch::model::Overlap::Skip,
            jitter_ms: 0,
            timeout_ms: 300_000,
            max_attempts: 2,
            paused: false,
        }),
    }
}

pub(crate) fn call(source: Source) -> Call {
    Call { source, operation: "search", query: "q".into(), price: Micros(3_000) }
}

pub(crate) fn seen_item(source: Source, rank: u32, keys: &[&str], text: &str) -> SeenItem {
    let strong = !keys[0].starts_with("text:");
    let found = ReplyEntry {
        kind: Some(Kind::Post),
        text: Some(text.into()),
        author: Some("ann".into()),
        rank,
        engagement: Engagement { likes: Some(i64::from(rank)), ..Engagement::default() },
        ..ReplyEntry::default()
    };
    let keys: Vec<String> = keys.iter().map(|k| (*k).to_owned()).collect();
    let finding = Finding { source, found, kind: Kind::Post, keys: keys.clone(), strong, fit: WindowFit::Undated };
    SeenItem { keys, strong, kind: Kind::Post, sightings: vec![finding], repeats: Vec::new() }
}

pub fn search_result(source: Source) -> SearchResult {
    SearchResult {
        source,
        operation: "search",
        query: "q".into(),
        state: SearchState::Ok,
        reason: None,
        clears_at: None,
        http_status: Some(200),
        latency_ms: Some(12),
        unreadable: 0,
        saturated: false,
        cost: Micros(3_000),
        cost_basis: "billed",
        error: None,
        raw: None,
        requested_span: None,
        covered: None,
        late_ms: None,
    }
}

pub(crate) fn outcome(at: Time, items: Vec<SeenItem>) -> Outcome {
    Outcome {
        seen_at: at,
        finished_at: at,
        state: RunState::Ok,
        reason: None,
        error: None,
        searches: vec![search_result(Source::Social), search_result(Source::Web)],
        items,
        answer: None,
        key_version: 1,
        memory: Vec::new(),
        judge: None,
        origin: Some(DataOrigin::Sandbox),
    }
}

pub(crate) async fn start_manual_run(store: &Store, topic: &Topic, id: &str, at: Time) -> RunRef {
    store.start_manual(topic, id, at, LEASE, &format!("token-{id}")).await.unwrap()
}

pub(crate) async fn all_items(store: &Store) -> Vec<topicwatch::store::ItemRow> {
    store.publish().await.unwrap();
    let mut items = store.items(&Filter::default(), None, 1_000).await.unwrap();
    items.sort_by(|a, b| (&a.topic, &a.key).cmp(&(&b.topic, &b.key)));
    items
}

/// The rows that a planner would read in a year.
pub(crate) async fn jobs_to_plan(store: &Store) -> Vec<PlannedJob> {
    store.to_plan(NOW.plus(Duration::from_secs(365 * 86_400)), LEASE, 100).await.unwrap()
}

pub(crate) fn plan(from: Time, until: Time, slots: &[(i64, RunState)]) -> JobPlan {
    JobPlan {
        id: "topic:rust".into(),
        topic: Some("rust".into()),
        from,
        until,
        next: Some(until),
        max_attempts: 2,
        side_by_side: false,
        slots: slots
            .iter()
            .map(|(at, state)| PlannedSlot {
                slot: Time(*at),
                trigger: Trigger::Scheduled,
                state: *state,
                reason: (*state != RunState::Queued).then(|| "late".to_owned()),
                due_at: Time(*at),
            })
            .collect(),
    }
}
