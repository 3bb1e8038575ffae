//! A sandbox on loopback with a case's settings, and requests to it.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use serde_json::{Value, json};
use topicwatch::model::Time;
use topicwatch::sandbox::{Clock, CorpusSource, SandboxHandle, Settings, start};

/// 2026-03-11T09:00:00Z.
pub const NINE: i64 = 1_773_219_600_000;

/// A sandbox, its manual clock and a client.
pub struct Stage {
    pub sandbox: SandboxHandle,
    pub now: Arc<AtomicI64>,
    pub client: reqwest::Client,
}

pub fn settings(now: &Arc<AtomicI64>) -> Settings {
    let now = now.clone();
    let clock: Clock = Arc::new(move || Time(now.load(Ordering::Relaxed)));
    Settings { listen: ([127, 0, 0, 1], 0).into(), key: None, corpus: CorpusSource::BuiltIn, faults: Vec::new(), clock }
}

pub async fn stage_with(change: impl FnOnce(&mut Settings)) -> Stage {
    // Another test may have installed a provider already; that is fine.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let now = Arc::new(AtomicI64::new(NINE));
    let mut settings = settings(&now);
    change(&mut settings);
    let client = reqwest::Client::builder().no_proxy().redirect(reqwest::redirect::Policy::none()).build().unwrap();
    Stage { sandbox: start(settings).await.unwrap(), now, client }
}

pub async fn stage() -> Stage {
    stage_with(|_| ()).await
}

impl Stage {
    pub fn post(&self, path: &str, body: &Value) -> reqwest::RequestBuilder {
        self.client.post(self.sandbox.base_url() + path).header("Authorization", "k$1").json(body)
    }

    pub fn get(&self, path: &str, query: &[(&str, &str)]) -> reqwest::RequestBuilder {
        self.client.get(self.sandbox.base_url() + path).header("Authorization", "k$1").query(query)
    }

    pub async fn social(&self, query: &str) -> Vec<Value> {
        let body = json!({"query": query, "date_filter": "PAST_24_HOURS", "tools": ["X Search"]});
        reply_list(&self.post("/X/search", &body).send().await.unwrap().json().await.unwrap())
    }

    pub async fn web(&self, query: &str, limit: u32) -> Vec<Value> {
        let body = json!({"query": query, "results_limit": limit});
        reply_list(&self.post("/web/search", &body).send().await.unwrap().json().await.unwrap())
    }
}

/// The list of a reply, under any of the field names that the API uses.
pub fn reply_list(reply: &Value) -> Vec<Value> {
    let list = reply.get("results").or_else(|| reply.get("tweets")).or_else(|| reply.get("miner_tweets"));
    list.and_then(Value::as_array).unwrap_or_else(|| panic!("no list in {reply}")).clone()
}

/// The identity of each post: its id, else the number at the end of its URL, else its author and text.
pub fn post_ids(list: &[Value]) -> BTreeSet<String> {
    let name = |post: &Value| match (&post["id"], &post["url"]) {
        (Value::String(id), _) => id.clone(),
        (Value::Number(id), _) => id.to_string(),
        (_, Value::String(url)) => url.rsplit('/').next().unwrap().to_owned(),
        _ => format!("{} {}", post["user"], post["text"]),
    };
    list.iter().map(name).collect()
}
