//! What a database has stored, read through the views of docs/reference/sql.md, because the tables may change. At the end
//! are counts of what no view shows.

use topicwatch::model::Time;

use crate::support::databases::Database;

/// What a run or a search cost, in whole micro-dollars, as SQL: the two databases write fractions differently.
pub const COST: &str = "CAST(round(cost_usd * 1000000) AS BIGINT)";

impl Database {
    /// How many items there are; what several topics found counts once.
    #[track_caller]
    pub fn items(&self) -> i64 {
        self.number("SELECT count(DISTINCT key) FROM v_item")
    }

    /// How many items the topics have found; what several found counts for each.
    #[track_caller]
    pub fn items_of_all(&self) -> i64 {
        self.number("SELECT count(*) FROM v_item")
    }

    /// How many items the topic has found.
    #[track_caller]
    pub fn items_of(&self, topic: &str) -> i64 {
        self.number(&format!("SELECT count(*) FROM v_item WHERE topic = '{topic}'"))
    }

    /// The first of all keys.
    #[track_caller]
    pub fn first_key(&self) -> String {
        self.texts("SELECT key FROM v_item ORDER BY key LIMIT 1").remove(0)
    }

    /// The first of the posts' keys.
    #[track_caller]
    pub fn first_post(&self) -> String {
        self.texts("SELECT key FROM v_item WHERE kind = 'post' ORDER BY key LIMIT 1").remove(0)
    }

    /// How many runs have finished.
    #[track_caller]
    pub fn runs(&self) -> i64 {
        self.number("SELECT count(*) FROM v_run")
    }

    /// How many runs have ended in this state.
    #[track_caller]
    pub fn runs_in(&self, state: &str) -> i64 {
        self.number(&format!("SELECT count(*) FROM v_run WHERE state = '{state}'"))
    }

    /// The topic's last finished run.
    #[track_caller]
    pub fn last_run(&self, topic: &str) -> String {
        self.texts(&format!("SELECT run FROM v_run WHERE topic = '{topic}' ORDER BY seq DESC LIMIT 1")).remove(0)
    }

    /// What the searches of finished runs cost, in micro-dollars.
    #[track_caller]
    pub fn spent(&self) -> i64 {
        self.number(&format!("SELECT coalesce(sum({COST}), 0) FROM v_search"))
    }

    /// The spans that a source's searches covered, in milliseconds.
    #[track_caller]
    pub fn covered(&self, topic: &str, source: &str) -> Vec<(i64, i64)> {
        let spans = self.texts(&format!(
            "SELECT covered_from || ' ' || covered_until FROM v_search \
             WHERE topic = '{topic}' AND source = '{source}' AND covered_until IS NOT NULL"
        ));
        spans
            .iter()
            .map(|span| span.split_once(' ').unwrap())
            .map(|(from, until)| (millis(from), millis(until)))
            .collect()
    }

    /// The time that a query returns, in milliseconds.
    #[track_caller]
    pub fn time(&self, sql: &str) -> i64 {
        millis(&self.texts(sql)[0])
    }
}

/// What no view shows.
impl Database {
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
    pub fn running(&self) -> i64 {
        self.number("SELECT count(*) FROM run WHERE state = 'running'")
    }

    /// How many runs no reader sees: those that are open, and those that have ended and wait for their number.
    #[track_caller]
    pub fn unread_runs(&self) -> i64 {
        self.number("SELECT count(*) FROM run WHERE seq IS NULL")
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
}

fn millis(time: &str) -> i64 {
    Time::parse(time).unwrap().0
}
