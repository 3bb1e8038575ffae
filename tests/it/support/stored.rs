//! Stored data, read through the views of docs/reference/sql.md, because the tables may change. `ledger` and
//! `item_tables` read data that no view shows.

use topicwatch::model::Time;

use crate::support::databases::Database;

/// What a run or a search cost, in whole micro-dollars, as SQL: the two databases write fractions differently.
pub const COST: &str = "CAST(round(cost_usd * 1000000) AS BIGINT)";

impl Database {
    /// How many items there are; items of several topics count once.
    #[track_caller]
    pub fn items(&self) -> i64 {
        self.number("SELECT count(DISTINCT key) FROM v_item")
    }

    /// How many items the topics have found; items of several topics count for each.
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

    /// The topic's first finished run.
    #[track_caller]
    pub fn first_run(&self, topic: &str) -> String {
        self.texts(&format!("SELECT run FROM v_run WHERE topic = '{topic}' ORDER BY seq LIMIT 1")).remove(0)
    }

    /// The cost of the searches of finished runs, in micro-dollars.
    #[track_caller]
    pub fn spent(&self) -> i64 {
        self.number(&format!("SELECT coalesce(sum({COST}), 0) FROM v_search"))
    }

    /// The spans that a source's searches covered, in milliseconds.
    #[track_caller]
    pub fn covered(&self, topic: &str, source: &str) -> Vec<(i64, i64)> {
        self.spans(&format!(
            "SELECT covered_from || ' ' || covered_until FROM v_search \
             WHERE topic = '{topic}' AND source = '{source}' AND covered_until IS NOT NULL"
        ))
    }

    /// The two times in each row that a query returns, in milliseconds.
    #[track_caller]
    pub fn spans(&self, sql: &str) -> Vec<(i64, i64)> {
        self.texts(sql)
            .iter()
            .map(|span| span.split_once(' ').unwrap())
            .map(|(from, until)| (millis(from), millis(until)))
            .collect()
    }

    /// How much time lies between the two times in each row that a query returns, in milliseconds.
    #[track_caller]
    pub fn lengths(&self, sql: &str) -> Vec<i64> {
        self.spans(sql).iter().map(|(from, until)| until - from).collect()
    }

    /// The time that a query returns, in milliseconds.
    #[track_caller]
    pub fn time(&self, sql: &str) -> i64 {
        millis(&self.texts(sql)[0])
    }
}

fn millis(time: &str) -> i64 {
    Time::parse(time).unwrap().0
}
