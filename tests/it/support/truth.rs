//! Posts with known ground truth, and a service that shows some of them.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::extract::State;
use axum::http::StatusCode;
use serde_json::{Value, json};
use tokio::sync::oneshot;
use topicwatch::model::Time;

/// A post with its true times.
#[derive(Debug, Clone)]
pub struct TruePost {
    /// The query that finds it.
    pub query: String,
    pub id: u64,
    pub text: String,
    pub published: Time,
    /// When the service starts to show it.
    pub indexed: Time,
    /// When it is deleted.
    pub deleted: Option<Time>,
}

/// The state of the service.
#[derive(Debug)]
pub struct ServiceState {
    /// Its clock.
    pub now: Time,
    /// The most entries in a reply.
    pub cap: usize,
    /// For a query, the share of its replies that is older than requested, as in real services.
    pub older: HashMap<String, f64>,
    /// Whether it answers 503.
    pub down: bool,
    /// All posts, past and future.
    pub posts: Vec<TruePost>,
    /// Each reply.
    pub shown: Vec<Reply>,
}

/// A reply: its time, the query, the requested start, and the ids in it.
pub type Reply = (Time, String, Time, Vec<u64>);

/// The running service.
pub struct TruthService {
    pub address: SocketAddr,
    pub world: Arc<Mutex<ServiceState>>,
    pub stop: Option<oneshot::Sender<()>>,
    pub runtime: Option<tokio::runtime::Runtime>,
}

impl TruthService {
    pub fn new(posts: Vec<TruePost>) -> Self {
        let (older, shown) = (HashMap::new(), Vec::new());
        let world = ServiceState { now: Time(0), cap: usize::MAX, older, down: false, posts, shown };
        let world = Arc::new(Mutex::new(world));
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        let (stop, stopped) = oneshot::channel::<()>();
        let router = Router::new().fallback(answer).with_state(Arc::clone(&world));
        let listener = runtime.block_on(tokio::net::TcpListener::bind(("127.0.0.1", 0))).unwrap();
        let address = listener.local_addr().unwrap();
        runtime.spawn(async move {
            let stopped = async { drop(stopped.await) };
            axum::serve(listener, router).with_graceful_shutdown(stopped).await.unwrap();
        });
        Self { address, world, stop: Some(stop), runtime: Some(runtime) }
    }

    /// The lines for `[service]`.
    pub fn lines(&self) -> String {
        format!(
            "base_url = \"http://{}\"\nrate_limit = \"unlimited\"\nmax_tries = 1\nmax_calls_per_day = 100000\n",
            self.address
        )
    }

    /// Changes the state.
    pub fn set(&self, change: impl FnOnce(&mut ServiceState)) {
        change(&mut self.world.lock().unwrap());
    }
}

impl Drop for TruthService {
    fn drop(&mut self) {
        self.stop.take().map(|stop| stop.send(()));
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_timeout(std::time::Duration::from_secs(5));
        }
    }
}

pub async fn answer(State(world): State<Arc<Mutex<ServiceState>>>, body: String) -> (StatusCode, axum::Json<Value>) {
    let mut world = world.lock().unwrap();
    if world.down {
        return (StatusCode::SERVICE_UNAVAILABLE, axum::Json(json!({ "detail": "down" })));
    }
    let asked: Value = serde_json::from_str(&body).unwrap();
    let query = asked["query"].as_str().unwrap().to_owned();
    let days = if asked["date_filter"] == "PAST_7_DAYS" { 7 } else { 1 };
    let since = Time(world.now.0 - days * 86_400_000);
    let now = world.now;
    let of_query: Vec<&TruePost> = world.posts.iter().filter(|post| post.query == query).collect();
    let there = |post: &&TruePost| {
        post.indexed <= now
            && post.published <= now
            && post.published >= since
            && post.deleted.is_none_or(|at| at > now)
    };
    let mut posts: Vec<&TruePost> = of_query.iter().copied().filter(there).collect();
    posts.sort_by_key(|post| (std::cmp::Reverse(post.published), post.id));
    let older = world.older.get(&query).copied().unwrap_or(0.0);
    let wanted = (posts.len() as f64 / (1.0 - older)).min(world.cap as f64) * older;
    let before: Vec<&TruePost> = of_query.iter().copied().filter(|post| post.published < since).collect();
    let many = (wanted as usize).min(before.len());
    posts.truncate(world.cap - many);
    posts.extend((0..many).map(|n| before[n * before.len() / many]));
    let ids = posts.iter().map(|post| post.id).collect();
    let results: Vec<Value> = posts
        .iter()
        .map(|post| {
            json!({ "id": post.id.to_string(), "text": post.text, "user": format!("author{}", post.id % 23),
                "created_at": post.published.to_string(), "url": format!("https://x.com/a/status/{}", post.id) })
        })
        .collect();
    world.shown.push((now, query, since, ids));
    (StatusCode::OK, axum::Json(json!({ "results": results })))
}
