//! A slow service that records when calls arrive, and topics with a backlog of slots.

use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use crate::support::databases::Database;
use crate::support::program::Place;
use crate::support::service::{FakeServer, reply};
use crate::support::waits::wait_until_all_ended;

/// A call as the service received it.
#[derive(Clone)]
pub struct Arrival {
    pub at: Instant,
    pub path: String,
    /// Calls in flight, including this one.
    pub in_flight: i64,
}

/// A slow service that records when calls came and how many were in flight at once.
pub(crate) struct SlowService {
    server: FakeServer,
    observed: Arc<Observed>,
}

#[derive(Default)]
pub struct Observed {
    pub arrivals: Mutex<Vec<Arrival>>,
    pub now: AtomicI64,
    pub most: AtomicI64,
    /// While set, calls get no answer.
    pub held: AtomicBool,
}

impl SlowService {
    pub(crate) fn answering_after(delay: Duration) -> Self {
        let observed = Arc::new(Observed::default());
        let server = FakeServer::respond_with({
            let observed = Arc::clone(&observed);
            move |path| {
                let begun = Instant::now();
                let now = observed.now.fetch_add(1, Ordering::SeqCst) + 1;
                observed.arrivals.lock().unwrap().push(Arrival { at: begun, path: path.to_owned(), in_flight: now });
                observed.most.fetch_max(now, Ordering::SeqCst);
                while begun.elapsed() < delay || observed.held.load(Ordering::SeqCst) {
                    std::thread::park_timeout(Duration::from_millis(1));
                }
                observed.now.fetch_sub(1, Ordering::SeqCst);
                reply("200 OK", "content-type: application/json\r\n", b"{\"data\":[]}")
            }
        });
        Self { server, observed }
    }

    /// The lines for `[service]`.
    pub(crate) fn lines(&self, max_concurrent: u32, rate: &str) -> String {
        format!(
            "base_url = \"{}\"\nmax_tries = 1\nmax_calls_per_day = 100000\nmax_concurrent = {max_concurrent}\nrate_limit = \"{rate}\"\n",
            self.server.url()
        )
    }

    pub(crate) fn calls(&self) -> usize {
        self.observed.arrivals.lock().unwrap().len()
    }

    pub fn arrivals(&self) -> Vec<Arrival> {
        let mut arrivals = self.observed.arrivals.lock().unwrap().clone();
        arrivals.sort_by_key(|arrival| arrival.at);
        arrivals
    }

    pub(crate) fn in_flight(&self) -> i64 {
        self.observed.now.load(Ordering::SeqCst)
    }

    pub(crate) fn max_in_flight(&self) -> i64 {
        self.observed.most.load(Ordering::SeqCst)
    }

    pub(crate) fn hold_answers(&self, held: bool) {
        self.observed.held.store(held, Ordering::SeqCst);
    }
}

/// Topics that make one call each, with these extra lines.
pub(crate) fn topics(count: usize, lines: &str) -> String {
    (0..count).map(|n| format!("[[topics]]\nid = \"t{n}\"\nquery = \"q{n}\"\nsources = [\"web\"]\n{lines}\n")).collect()
}

/// The time this long ago by the daemon's clock.
pub(crate) fn ago(length: Duration) -> String {
    topicwatch::daemon::system_clock()().minus(length).to_string()
}

/// A schedule of this many whole hours, one slot a minute, all of them more than an hour ago. Returns the topic's
/// schedule line and the time to plan from. No slot comes due while a case runs, so counts stay exact.
pub(crate) fn past_hours(hours: i64) -> (String, String) {
    const HOUR: i64 = 3_600_000;
    let end = topicwatch::daemon::system_clock()().0 / HOUR - 1;
    let mut of_the_day: Vec<i64> = (end - hours..end).map(|hour| hour % 24).collect();
    of_the_day.sort_unstable();
    let list: Vec<String> = of_the_day.iter().map(i64::to_string).collect();
    let before = topicwatch::model::Time((end - hours) * HOUR - 60_000);
    (
        format!("schedule = \"* {} * * *\"\ncatch_up = \"all\"\noverlap = \"allow\"\n", list.join(",")),
        before.to_string(),
    )
}

/// Three hundred slots that came due while nothing ran, and sixty more than the catch-up limit allows.
pub(crate) fn backlog(database: Database, service: &str, scheduler: &str) -> Place {
    let (lines, before) = past_hours(2);
    let place =
        Place::new(database, service, &format!("[scheduler]\nlease = \"2s\"\n{scheduler}\n{}", topics(3, &lines)));
    place.ok(&["once", "--due", "--at", &before]);
    place
}

/// Waits until every slot of [`backlog`] has finished. Asserts that each finished well and once, and returns how many
/// ran.
pub(crate) fn assert_all_ran_once(place: &Place) -> i64 {
    let count = |sql: &str| place.database.number(&format!("SELECT count(*) FROM {sql}"));
    wait_until_all_ended(place, 360);
    let ran = count("run WHERE state = 'ok'");
    let others = "SELECT public_id || ' ' || state || ' ' || coalesce(error_text, reason, '') FROM run WHERE state NOT IN ('ok', 'missed')";
    assert_eq!(place.database.texts(others), Vec::<String>::new());
    assert_eq!((ran, count("run WHERE state = 'missed' AND reason IS NOT NULL")), (300, 60));
    assert_eq!(count("(SELECT job, slot FROM run GROUP BY job, slot HAVING count(*) > 1) AS twice"), 0);
    // The search of a killed process is `lost`; every other run has exactly one search.
    assert_eq!(count("search WHERE state NOT IN ('empty', 'lost')"), 0);
    assert_eq!(count("search WHERE state = 'empty'"), ran, "each run has one result");
    ran
}
