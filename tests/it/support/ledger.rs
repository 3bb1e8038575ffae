//! Data of runs and searches that only the tables show: those that have not ended, calls in progress, leases and
//! internal ids. When a table changes, this file changes and not the tests. `stored` reads the views, and `item_tables`
//! reads the tables of items.

use crate::support::databases::Database;

/// Between the columns of a row. No stored text contains it.
const GAP: char = '\u{1f}';

/// A run, whether or not it has ended.
#[derive(Debug)]
pub struct LedgerRun {
    /// The id that the views show.
    pub id: String,
    pub job: String,
    /// Empty for a job without a topic.
    pub topic: String,
    pub slot: Option<i64>,
    pub trigger: String,
    pub state: String,
    pub reason: String,
    pub error_class: String,
    pub attempt: i64,
    pub attempts_left: i64,
    pub cost: i64,
}

impl LedgerRun {
    /// `state reason`.
    pub fn outcome(&self) -> String {
        format!("{} {}", self.state, self.reason)
    }

    /// `slot state trigger`, the slot as it is written in the id of a scheduled run.
    pub fn slot_line(&self) -> String {
        format!("{} {} {}", &self.id[self.job.len() + 1..], self.state, self.trigger)
    }
}

/// A search, whether or not its run has ended.
#[derive(Debug)]
pub struct LedgerSearch {
    pub run: String,
    pub source: String,
    pub state: String,
    pub expected_cost: i64,
    pub cost: Option<i64>,
    pub cost_basis: String,
}

impl Database {
    /// How many milliseconds after its slot each run becomes due.
    #[track_caller]
    pub fn jitter_delays(&self) -> Vec<i64> {
        let waits = self.texts("SELECT CAST(due_at - slot AS TEXT) FROM run WHERE slot IS NOT NULL ORDER BY id");
        waits.iter().map(|wait| wait.parse().unwrap()).collect()
    }

    /// When the lease of the run ends that holds one for longest, in milliseconds.
    #[track_caller]
    pub fn lease_until(&self) -> i64 {
        self.number("SELECT max(lease_until) FROM run")
    }

    /// All runs, in the order in which they were written down.
    #[track_caller]
    pub fn ledger_runs(&self) -> Vec<LedgerRun> {
        let columns = [
            "public_id",
            "job",
            "coalesce(topic, '')",
            "coalesce(CAST(slot AS TEXT), '')",
            "trigger",
            "state",
            "coalesce(reason, '')",
            "coalesce(error_class, '')",
            "attempt",
            "(max_attempts - attempt)",
            "cost",
        ];
        self.rows(columns, "run ORDER BY id")
            .map(|row| {
                let [id, job, topic, slot, trigger, state, reason, error_class, attempt, left, cost] = row;
                LedgerRun {
                    id,
                    job,
                    topic,
                    slot: slot.parse().ok(),
                    trigger,
                    state,
                    reason,
                    error_class,
                    attempt: attempt.parse().unwrap(),
                    attempts_left: left.parse().unwrap(),
                    cost: cost.parse().unwrap(),
                }
            })
            .collect()
    }

    /// A topic's runs, in the order in which they were written down.
    #[track_caller]
    pub fn ledger_runs_of(&self, topic: &str) -> Vec<LedgerRun> {
        let mut runs = self.ledger_runs();
        runs.retain(|run| run.topic == topic);
        runs
    }

    /// All runs of slots, by job and slot.
    #[track_caller]
    pub fn ledger_slots(&self) -> Vec<LedgerRun> {
        let mut runs = self.ledger_runs();
        runs.retain(|run| run.slot.is_some());
        runs.sort_by(|a, b| (&a.job, a.slot).cmp(&(&b.job, b.slot)));
        runs
    }

    /// All searches, in the order in which they began.
    #[track_caller]
    pub fn ledger_searches(&self) -> Vec<LedgerSearch> {
        let columns = [
            "r.public_id",
            "s.source",
            "s.state",
            "s.expected_cost",
            "coalesce(CAST(s.cost AS TEXT), '')",
            "coalesce(s.cost_basis, '')",
        ];
        self.rows(columns, "search s JOIN run r ON r.id = s.run ORDER BY s.id")
            .map(|row| {
                let [run, source, state, expected, cost, cost_basis] = row;
                let expected_cost = expected.parse().unwrap();
                LedgerSearch { run, source, state, expected_cost, cost: cost.parse().ok(), cost_basis }
            })
            .collect()
    }

    /// How many runs there are, finished or not.
    #[track_caller]
    pub fn all_runs(&self) -> i64 {
        self.number("SELECT count(*) FROM run")
    }

    /// How many runs wait or are under way.
    #[track_caller]
    pub fn open_runs(&self) -> i64 {
        self.number("SELECT count(*) FROM run WHERE state IN ('queued', 'running')")
    }

    /// How many runs are under way.
    #[track_caller]
    pub fn count_running(&self) -> i64 {
        self.number("SELECT count(*) FROM run WHERE state = 'running'")
    }

    /// How many runs are under way for which the condition holds.
    #[track_caller]
    pub fn running_where(&self, condition: &str) -> i64 {
        self.number(&format!("SELECT count(*) FROM run WHERE state = 'running' AND {condition}"))
    }

    /// How many runs no reader sees: those that are open, and those that have ended and wait for their number.
    #[track_caller]
    pub fn unpublished_runs(&self) -> i64 {
        self.number("SELECT count(*) FROM run WHERE seq IS NULL")
    }

    /// When the first of the leases of runs ends, in milliseconds; 0 if nothing runs.
    #[track_caller]
    pub fn first_lease_end(&self) -> i64 {
        self.number("SELECT coalesce(min(lease_until), 0) FROM run WHERE state = 'running'")
    }

    /// How many calls are under way.
    #[track_caller]
    pub fn calls_under_way(&self) -> i64 {
        self.number("SELECT count(*) FROM search WHERE state = 'started'")
    }

    /// How many calls were counted, of all days and providers.
    #[track_caller]
    pub fn calls_made(&self) -> i64 {
        self.number("SELECT coalesce(sum(made), 0) FROM calls")
    }

    /// How many requests of pages and programs there are.
    #[track_caller]
    pub fn requests(&self) -> i64 {
        self.number("SELECT count(*) FROM request")
    }

    /// The internal id of a run, for statements that set up a state.
    #[track_caller]
    pub fn run_id(&self, run: &str) -> i64 {
        self.number(&format!("SELECT id FROM run WHERE public_id = '{run}'"))
    }

    /// Everything stored about runs and what they found, to compare two moments of one database.
    #[track_caller]
    pub fn stored_history(&self) -> Vec<String> {
        [
            "SELECT public_id || state || attempt || coalesce(finished_at, 0) || coalesce(seq, 0) || cost || found FROM run ORDER BY 1",
            "SELECT run || source || attempt || state || tries || coalesce(cost, -1) FROM search ORDER BY 1",
            "SELECT run || source || rank || item FROM sighting ORDER BY 1",
            "SELECT topic || item || times_seen || last_seen FROM topic_item ORDER BY 1",
            "SELECT key || item FROM item_key ORDER BY 1",
        ]
        .iter()
        .flat_map(|sql| self.texts(sql))
        .collect()
    }

    /// The columns of each row as text. None may be null.
    #[track_caller]
    pub fn rows<const N: usize>(&self, columns: [&str; N], from: &str) -> impl Iterator<Item = [String; N]> {
        let columns = columns.join(format!(" || '{GAP}' || ").as_str());
        let rows = self.texts(&format!("SELECT {columns} FROM {from}"));
        rows.into_iter()
            .map(|row| -> [String; N] { row.split(GAP).map(str::to_owned).collect::<Vec<_>>().try_into().unwrap() })
    }
}
