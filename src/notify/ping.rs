//! Pings: a job reports its start and its outcome to an address, so that a monitoring service can raise an alarm if no
//! ping arrives. Pings run in the background and delay nothing: if too many wait, the oldest are dropped, and a ping is
//! given up after a few failed tries. The pings of a job leave in the order of its runs. The address is a secret.

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use reqwest::header::CONTENT_TYPE;
use secrecy::{ExposeSecret as _, SecretString};
use tokio::sync::Notify;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;
use url::Url;

use super::channel::{DeliveryError, Endpoint, one_line};
use super::{redact, reply, webhook};
use crate::http;
use crate::model::WebhookFormat;
use crate::process_status::PingCounts;

/// Maximum number of pings that wait; beyond that the oldest is dropped.
const MOST_WAITING: usize = 500;
/// Pings under way at a time; never two of one job, so that an end does not overtake its start.
const AT_ONCE: usize = 4;
/// Time limit of one try.
const PATIENCE: Duration = Duration::from_secs(5);
/// Pauses before the second and the third try.
const PAUSES: [Duration; 2] = [Duration::from_secs(1), Duration::from_secs(5)];

/// The state that a job reports.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Signal {
    /// The job starts: the address with `/start`.
    Start,
    /// The job ended well: the address itself.
    Success,
    /// The job failed: the address with `/fail`.
    Fail,
}

impl Signal {
    fn path(self) -> &'static str {
        match self {
            Self::Start => "start",
            Self::Success => "",
            Self::Fail => "fail",
        }
    }
}

/// Where the pings of a job go.
#[derive(Debug, Clone)]
pub struct PingTarget {
    /// The address; all of it is secret.
    pub url: SecretString,
    /// Whether it may lead into a private network.
    pub allow_private: bool,
}

/// Targets by job.
pub type PingTargets = HashMap<String, PingTarget>;

struct Ping {
    job: String,
    signal: Signal,
    line: String,
    target: PingTarget,
}

/// The runs of a job that began here and whose end was not reported yet.
#[derive(Default)]
struct Runs {
    under_way: usize,
    /// Starts that wait for the end of the run before: a run may begin as soon as the one before is stored, which is
    /// before its end is reported.
    held: VecDeque<Ping>,
}

#[derive(Default)]
struct State {
    targets: PingTargets,
    waiting: VecDeque<Ping>,
    /// Jobs with a ping under way.
    busy: HashSet<String>,
    runs: HashMap<String, Runs>,
}

impl State {
    /// A ping of a job; `None` if the job has no target.
    fn ping(&self, job: &str, signal: Signal, line: &str) -> Option<Ping> {
        let target = self.targets.get(job)?.clone();
        Some(Ping { job: job.to_owned(), signal, line: one_line(line), target })
    }
}

/// Sends pings in the background.
#[derive(Clone)]
pub struct Pinger {
    state: Arc<Mutex<State>>,
    more: Arc<Notify>,
    pinged: Arc<PingCounts>,
}

impl Pinger {
    /// For these targets. `pinged` counts the outcomes.
    #[must_use]
    pub fn new(targets: PingTargets, pinged: Arc<PingCounts>) -> Self {
        Self { state: Arc::new(Mutex::new(State { targets, ..State::default() })), more: Arc::default(), pinged }
    }

    /// Replaces the targets. Pings that already wait keep theirs.
    pub fn set_targets(&self, targets: PingTargets) {
        self.state().targets = targets;
    }

    /// Queues the ping of a run that begins, behind the end of the job's run before. Returns at once.
    pub fn begin(&self, job: &str) {
        let mut state = self.state();
        let start = state.ping(job, Signal::Start, "started");
        let runs = state.runs.entry(job.to_owned()).or_default();
        runs.under_way += 1;
        if runs.under_way > 1 {
            runs.held.extend(start);
        } else {
            self.queue(state, start);
        }
    }

    /// Queues the ping of a run that ended, with one line of text, unless there is nothing to report. To be called for
    /// each run that began. Returns at once.
    pub fn end(&self, job: &str, outcome: Option<(Signal, String)>) {
        let mut state = self.state();
        let end = outcome.and_then(|(signal, line)| state.ping(job, signal, &line));
        let mut start = None;
        if let Some(runs) = state.runs.get_mut(job) {
            runs.under_way -= 1;
            start = runs.held.pop_front();
            if runs.under_way == 0 {
                state.runs.remove(job);
            }
        }
        self.queue(state, end.into_iter().chain(start));
    }

    /// Adds pings to those that wait.
    fn queue(&self, mut state: MutexGuard<'_, State>, pings: impl IntoIterator<Item = Ping>) {
        let mut dropped = Vec::new();
        for ping in pings {
            if state.waiting.len() >= MOST_WAITING {
                dropped.extend(state.waiting.pop_front());
            }
            state.waiting.push_back(ping);
        }
        drop(state);
        for ping in dropped {
            self.pinged.add_dropped();
            tracing::warn!(
                job = ping.job,
                "a ping was dropped because {MOST_WAITING} are waiting: does the receiver answer?"
            );
        }
        self.more.notify_one();
    }

    /// Sends waiting pings until `stop` is cancelled, and then the rest, with one try each.
    pub async fn run(&self, stop: CancellationToken) {
        let mut tasks = JoinSet::new();
        let mut ending = false;
        loop {
            while tasks.len() < AT_ONCE
                && let Some(ping) = self.next()
            {
                let (pinger, stop) = (self.clone(), stop.clone());
                tasks.spawn(async move {
                    pinger.send(&ping, &stop).await;
                    pinger.state().busy.remove(&ping.job);
                });
            }
            if ending && tasks.is_empty() {
                return;
            }
            tokio::select! {
                () = self.more.notified() => {}
                Some(_) = tasks.join_next(), if !tasks.is_empty() => {}
                () = stop.cancelled(), if !ending => ending = true,
            }
        }
    }

    /// The oldest ping of a job that has none under way.
    fn next(&self) -> Option<Ping> {
        let mut state = self.state();
        let at = state.waiting.iter().position(|ping| !state.busy.contains(&ping.job))?;
        let ping = state.waiting.remove(at)?;
        state.busy.insert(ping.job.clone());
        Some(ping)
    }

    async fn send(&self, ping: &Ping, stop: &CancellationToken) {
        let mut pauses = PAUSES.iter();
        loop {
            let refused = match post(ping).await {
                Ok(()) => return self.pinged.add_sent(),
                Err(refused) => refused,
            };
            let again = pauses.next().filter(|_| !refused.for_good && !stop.is_cancelled());
            let Some(pause) = again else {
                self.pinged.add_failed();
                tracing::warn!(job = ping.job, signal = ?ping.signal, "a ping was given up: {}", refused.text);
                return;
            };
            tokio::select! {
                () = tokio::time::sleep(*pause) => {}
                () = stop.cancelled() => {}
            }
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // The state is consistent between any two statements, even after a panic.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

async fn post(ping: &Ping) -> Result<(), DeliveryError> {
    let PingTarget { url, allow_private } = &ping.target;
    let sent = async {
        let url =
            Url::parse(url.expose_secret()).map_err(|_| DeliveryError::permanent("its address is not a valid URL"))?;
        let url = address(url, ping.signal)?;
        let deadline = tokio::time::Instant::now() + PATIENCE;
        let pinned = webhook::resolve(&url, *allow_private, "ping_allow_private").await?;
        let roots = http::Roots::needed_by(&url);
        let options = http::Options { connect_timeout: PATIENCE, max_idle_per_host: 0, roots, public_only: false };
        let client = http::pinned_client(&options, &pinned).map_err(|e| DeliveryError::transient(e.text))?;
        let request = client.post(url).header(CONTENT_TYPE, "text/plain; charset=utf-8").body(ping.line.clone());
        let reply = request.send().await.map_err(webhook::unanswered)?;
        reply::judge(reply, deadline, None).await
    };
    let sent = tokio::time::timeout(PATIENCE, sent).await;
    let sent =
        sent.unwrap_or_else(|_| Err(DeliveryError::transient(format!("no answer within {} s", PATIENCE.as_secs()))));
    sent.map_err(|refusal| {
        // The reply may contain the address, or a part of it.
        let endpoint = Endpoint::Webhook {
            url: url.clone(),
            secret: None,
            form: WebhookFormat::Own,
            allow_private: *allow_private,
        };
        redact::redact_error(&endpoint, refusal)
    })
}

/// The address of a signal: adds a part to the end of the path, and keeps the query.
fn address(mut url: Url, signal: Signal) -> Result<Url, DeliveryError> {
    if !matches!(url.scheme(), "http" | "https") {
        return Err(DeliveryError::permanent("its URL is neither http nor https"));
    }
    if !signal.path().is_empty() {
        let path = format!("{}/{}", url.path().trim_end_matches('/'), signal.path());
        url.set_path(&path);
    }
    Ok(url)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests fail by panicking")]
    use super::*;

    #[test]
    fn start_and_fail_are_appended_to_the_ping_path() {
        for (url, start, success, fail) in [
            (
                "https://hc.example/uuid",
                "https://hc.example/uuid/start",
                "https://hc.example/uuid",
                "https://hc.example/uuid/fail",
            ),
            (
                "https://hc.example/a/b/?create=1",
                "https://hc.example/a/b/start?create=1",
                "https://hc.example/a/b/?create=1",
                "https://hc.example/a/b/fail?create=1",
            ),
        ] {
            let of = |signal| address(Url::parse(url).unwrap(), signal).unwrap().to_string();
            assert_eq!([of(Signal::Start), of(Signal::Success), of(Signal::Fail)], [start, success, fail]);
        }
        assert!(address(Url::parse("file:///etc/passwd").unwrap(), Signal::Start).is_err());
    }

    fn pinger_of_topic_a() -> (Pinger, Arc<PingCounts>) {
        let target = PingTarget { url: "http://127.0.0.1:9/x".into(), allow_private: false };
        let pinged = Arc::new(PingCounts::default());
        (Pinger::new(HashMap::from([("topic:a".to_owned(), target)]), Arc::clone(&pinged)), pinged)
    }

    #[test]
    fn the_oldest_of_too_many_pings_is_dropped_and_jobs_without_url_send_none() {
        let (pinger, pinged) = pinger_of_topic_a();
        pinger.begin("topic:b");
        for n in 0..=MOST_WAITING {
            pinger.end("topic:a", Some((Signal::Success, format!("line {n}"))));
        }
        assert_eq!(pinger.state().waiting.len(), MOST_WAITING);
        assert_eq!(pinged.counts(), [("sent", 0), ("failed", 0), ("dropped", 1)]);
        let first = pinger.next().unwrap();
        assert_eq!(first.line, "line 1", "the oldest went");
        assert!(pinger.next().is_none(), "another of this job waits for the first");
        assert!(!format!("{first:?}", first = first.target).contains("9/x"));
    }

    #[test]
    fn a_start_waits_until_the_end_of_the_run_before_is_reported() {
        let (pinger, _) = pinger_of_topic_a();
        let waiting = || pinger.state().waiting.iter().map(|ping| ping.signal).collect::<Vec<_>>();
        pinger.begin("topic:a");
        // The second and the third run begin as soon as the ones before are stored.
        pinger.begin("topic:a");
        pinger.begin("topic:a");
        assert_eq!(waiting(), [Signal::Start]);
        pinger.end("topic:a", Some((Signal::Success, "ok".to_owned())));
        assert_eq!(waiting(), [Signal::Start, Signal::Success, Signal::Start]);
        // A cancelled run reports nothing, and the next one still reports its start.
        pinger.end("topic:a", None);
        pinger.end("topic:a", Some((Signal::Fail, "failed".to_owned())));
        let order = [Signal::Start, Signal::Success, Signal::Start, Signal::Start, Signal::Fail];
        assert_eq!(waiting(), order);
        assert!(pinger.state().runs.is_empty(), "nothing is remembered of ended runs");
    }
}
