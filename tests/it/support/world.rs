//! A service with two kinds of replies set by hand, and helpers to run topics against it.

use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

use crate::support::program::Place;
use crate::support::service::{FakeServer, reply};

/// A service whose social and web replies are set by hand.
pub struct ScriptedService {
    pub server: FakeServer,
    pub social: Arc<Mutex<Value>>,
    pub web: Arc<Mutex<Value>>,
}

impl ScriptedService {
    pub fn new() -> Self {
        let (social, web) = (Arc::new(Mutex::new(json!([]))), Arc::new(Mutex::new(json!([]))));
        let (posts, pages) = (Arc::clone(&social), Arc::clone(&web));
        let server = FakeServer::respond_with(move |path| {
            let of = if path.starts_with("/web") { &pages } else { &posts };
            let body = json!({ "results": *of.lock().unwrap() }).to_string();
            reply("200 OK", "content-type: application/json\r\n", body.as_bytes())
        });
        Self { server, social, web }
    }

    pub fn lines(&self) -> String {
        self.server.lines()
    }

    pub fn set_posts(&self, posts: &[Value]) {
        *self.social.lock().unwrap() = json!(posts);
    }

    pub fn set_pages(&self, pages: &[Value]) {
        *self.web.lock().unwrap() = json!(pages);
    }
}

/// This many hours after midnight of the first day.
pub fn hour(n: u32) -> String {
    format!("2026-03-{:02}T{:02}:00:00Z", 11 + n / 24, n % 24)
}

pub fn post(id: u32, published: u32, text: &str, likes: i64) -> Value {
    json!({ "id": id.to_string(), "text": text, "user": format!("author{}", id % 3), "created_at": hour(published),
        "url": format!("https://x.com/a/status/{id}"), "like_count": likes })
}

pub fn topic(query: &str, more: &str) -> String {
    format!("[[topics]]\nid = \"acme\"\nquery = \"{query}\"\nsources = [\"social\"]\n{more}\n")
}

pub fn run_once(place: &Place, at: u32) {
    let ended = place.run(&["once", "--at", &hour(at)]);
    assert_eq!(ended.code, Some(0), "{ended}");
}

/// The three posts of a calm day, at its first hour.
pub fn posts_of_calm_day(day: u32) -> Vec<Value> {
    let n = 24 * day;
    (0..3).map(|k| post(n * 100 + k, n, &format!("{day} {k} acme words"), 1)).collect()
}

/// Eight calm days, each with its run.
pub fn calm_days(world: &ScriptedService, place: &Place) {
    for day in 0..8 {
        world.set_posts(&posts_of_calm_day(day));
        run_once(place, 24 * day);
    }
}

pub fn item_keys(list: &Value) -> Vec<&str> {
    list.as_array().unwrap().iter().map(|item| item["key"].as_str().unwrap()).collect()
}
