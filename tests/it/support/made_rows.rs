//! States that the program reaches only after a long time, or with another process, written into the tables: queued
//! runs, living processes, finished reports, repeated searches, pruned days, another version.

use std::path::PathBuf;

use crate::support::databases::{Database, block_on, sql_literal};

/// Conditions of the first search and of the first run, and of the rows of an item.
pub const FIRST_SEARCH: &str = "id = (SELECT min(id) FROM search)";
pub const FIRST_RUN: &str = "id = (SELECT min(id) FROM run)";

pub fn of_item(key: &str) -> String {
    format!("item = (SELECT id FROM item WHERE key = {})", sql_literal(key))
}

impl Database {
    /// Queues a run of a job that was due long ago, and wakes the daemon, so that a case need not wait for a slot.
    #[track_caller]
    pub fn queue_job(&self, job: &str, run: &str) {
        block_on(self.execute(&format!(
            "INSERT INTO run (public_id, job, slot, trigger, state, due_at, planned_at) \
             VALUES ('{run}', '{job}', 1000, 'scheduled', 'queued', 1000, 1000); \
             INSERT INTO store_info (name, value) VALUES ('asked', '77') ON CONFLICT (name) DO UPDATE SET value = '77'"
        )));
    }

    /// A request for a run now that no daemon has handled: `serve` only reads.
    #[track_caller]
    pub fn queue_request(&self, id: &str, topic: &str) {
        block_on(self.execute(&format!(
            "INSERT INTO request (id, kind, topic, asked_at, state) VALUES ('{id}', 'run_now', '{topic}', 0, 'queued')"
        )));
    }

    /// A process that was seen at this time.
    #[track_caller]
    pub fn add_instance(&self, role: &str, seen_at: i64, alive_until: i64) {
        let role = sql_literal(role);
        block_on(self.execute(&format!(
            "DELETE FROM instance WHERE id = {role}; \
             INSERT INTO instance (id, role, generation, started_at, seen_at, alive_until) \
             VALUES ({role}, {role}, 9, 0, {seen_at}, {alive_until})"
        )));
    }

    /// That many workers that were seen at this time.
    #[track_caller]
    pub fn add_workers(&self, many: u32, seen_at: i64, alive_until: i64) {
        block_on(self.execute(&format!(
            "INSERT INTO instance (id, role, generation, started_at, seen_at, alive_until) \
             WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {many}) \
             SELECT 'many-' || i, 'worker', 9, 0, {seen_at}, {alive_until} FROM n"
        )));
    }

    /// That many tokens that read: `bot1`, `bot2` and so on.
    #[track_caller]
    pub fn add_tokens(&self, many: u32) {
        block_on(self.execute(&format!(
            "INSERT INTO access_token (name, role, hash, made_at) \
             WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {many}) \
             SELECT 'bot' || i, 'read', 'h' || i, 0 FROM n"
        )));
    }

    /// Makes a second attempt of each run, in which this source answered.
    #[track_caller]
    pub fn attempt_again(&self, source: &str) {
        block_on(self.execute(&format!(
            "UPDATE run SET attempt = 2; \
             INSERT INTO search (run, attempt, source, operation, query, topic, state, started_at) \
             SELECT run, 2, source, operation, query, topic, 'ok', started_at FROM search WHERE source = '{source}'"
        )));
    }

    /// As if every other topic had run like the only one that ran, right after it.
    #[track_caller]
    pub fn copy_run_to_other_topics(&self) {
        block_on(self.execute(
            "INSERT INTO run (public_id, job, topic, trigger, state, due_at, attempt, planned_at, started_at, finished_at, error_class, seq) \
             SELECT r.public_id || ':' || j.topic, j.id, j.topic, r.trigger, r.state, r.due_at, r.attempt, r.planned_at, r.started_at, \
               r.finished_at, r.error_class, r.seq + row_number() OVER (ORDER BY j.id) \
             FROM run r JOIN job j ON j.topic <> r.topic; \
             INSERT INTO search (run, attempt, source, operation, query, topic, state, started_at, error_class) \
             SELECT c.id, s.attempt, s.source, s.operation, s.query, c.topic, s.state, s.started_at, s.error_class \
             FROM search s JOIN run r ON r.id = s.run JOIN run c ON c.public_id = r.public_id || ':' || c.topic",
        ));
    }

    /// The process ended during the first attempt of a source's searches.
    #[track_caller]
    pub fn lose_first_attempt(&self, source: &str) {
        block_on(self.execute(&format!(
            "UPDATE search SET state = 'lost', error_class = NULL WHERE attempt = 1 AND source = '{source}'"
        )));
    }

    /// A topic that left the configuration.
    #[track_caller]
    pub fn remove_topic(&self, id: &str) {
        block_on(self.execute(&format!("UPDATE job SET removed_at = 1 WHERE topic = '{id}'")));
    }

    /// Messages that are due.
    #[track_caller]
    pub fn make_messages_due(&self) {
        block_on(self.execute("UPDATE outbox SET next_at = created_at"));
    }

    /// Changes all runs.
    #[track_caller]
    pub fn change_runs(&self, values: &str) {
        block_on(self.execute(&format!("UPDATE run SET {values}")));
    }

    /// The last search for which the condition holds took that many calls, and was billed this much.
    #[track_caller]
    pub fn bill_last_search(&self, condition: &str, calls: i64, micros: i64) {
        block_on(self.execute(&format!(
            "UPDATE search SET cost_basis = 'billed', tries = {calls}, cost = {micros} \
             WHERE id = (SELECT max(id) FROM search WHERE {condition})"
        )));
    }

    /// As if the run of the latest slot had been queued and not begun, or its process had been killed while it was going on.
    #[track_caller]
    pub fn reopen_latest_slot(&self, state: &str) {
        let held = match state {
            "running" => "attempt = 1, started_at = slot, lease_until = slot + 60000, token = 't'",
            _ => "attempt = 0",
        };
        block_on(self.execute(&format!(
            "UPDATE run SET state = '{state}', {held}, reason = NULL, finished_at = NULL, seq = NULL \
             WHERE slot = (SELECT max(o.slot) FROM run o)"
        )));
    }

    /// Ends the leases of all runs that are going on.
    #[track_caller]
    pub fn end_leases(&self) {
        block_on(self.execute("UPDATE run SET lease_until = 1 WHERE state = 'running'"));
    }

    /// Writes a number into a column of the rows for which the condition holds. Returns the least one before.
    #[track_caller]
    pub fn set_number(&self, (table, column, of): (&str, &str, &str), number: i64) -> i64 {
        let before = self.number(&format!("SELECT min({column}) FROM {table} WHERE {of}"));
        block_on(self.execute(&format!("UPDATE {table} SET {column} = {number} WHERE {of}")));
        before
    }

    /// As if the configuration had been changed since it was last stored.
    #[track_caller]
    pub fn change_stored_configuration(&self) {
        block_on(self.execute("UPDATE config_generation SET hash = 'other'"));
    }

    /// As if a follower had read the runs before the last one of a topic.
    #[track_caller]
    pub fn follow_up_to_last_run(&self, follower: &str, topic: &str) {
        block_on(self.execute(&format!(
            "UPDATE follower SET seq = (SELECT max(seq) - 1 FROM run WHERE topic = '{topic}') WHERE name = '{follower}'"
        )));
    }

    /// As if the days of these topics, and of no others, had to be counted again.
    #[track_caller]
    pub fn make_days_due(&self, topics: &[&str]) {
        block_on(self.execute("DELETE FROM topic_day_due"));
        for topic in topics {
            block_on(self.execute(&format!("INSERT INTO topic_day_due (topic, turn) VALUES ('{topic}', 0)")));
        }
    }

    /// Rows that come and go.
    pub async fn insert_and_delete_a_row(&self) {
        self.execute("INSERT INTO topic_day_due (topic, turn) VALUES ('busy', 0)").await;
        self.execute("DELETE FROM topic_day_due").await;
    }

    /// Raises the numbers of runs, as if that many had ended before them and were pruned.
    #[track_caller]
    pub fn skip_run_numbers(&self, many: i64) {
        block_on(self.execute(&format!("UPDATE run SET seq = seq + {many}")));
    }

    /// A report that was made at nine with these files, whose subject is `What <matters>`.
    #[track_caller]
    pub fn add_report(&self, files: &[PathBuf]) {
        let files = sql_literal(&serde_json::json!(files).to_string());
        block_on(self.execute(&format!(
            "INSERT INTO report (run, name, made_at, span_from, span_until, seq, subject, files) \
             VALUES ('report:day@2026-03-11T07:00:00Z', 'report:day', 1773219600000, 0, 1, 1, 'What <matters>', {files})"
        )));
    }

    /// A report of a run that ended at this time, on schedule or requested, and a message about it that nobody took.
    pub async fn add_undelivered_report(&self, seq: i64, run: &str, at: i64, trigger: &str) {
        let slot = if trigger == "manual" { "NULL".to_owned() } else { at.to_string() };
        self.execute(&format!(
            "INSERT INTO run (public_id, job, slot, trigger, state, due_at, planned_at, started_at, finished_at, seq) \
             VALUES ('{run}', 'report:daily', {slot}, '{trigger}', 'ok', {at}, {at}, {at}, {at}, {seq}); \
             INSERT INTO report (run, name, made_at, span_from, span_until, seq, subject, files) \
             VALUES ('{run}', 'report:daily', {at}, 0, {at}, 0, 'news', '[]'); \
             INSERT INTO outbox (event, channel, kind, origin, subject, text, state, created_at, next_at) \
             VALUES ('{run}/mail', 'mail', 'report', '{run}', 'news', 'news', 'dead', {at}, {at})"
        ))
        .await;
    }

    /// A message with this data that was sent.
    #[track_caller]
    pub fn add_sent_message(&self, event: &str, data: &serde_json::Value) {
        let data = sql_literal(&data.to_string());
        block_on(self.execute(&format!(
            "INSERT INTO outbox (event, channel, kind, subject, text, data, state, created_at, next_at) \
             VALUES ('{event}', 'mail', 'report', 'A day', 'words', {data}, 'sent', 1, 1)"
        )));
    }

    /// Says that retention has deleted searches up to here.
    #[track_caller]
    pub fn set_pruned_until(&self, at: i64) {
        block_on(self.execute(&format!(
            "INSERT INTO store_info (name, value) VALUES ('pruned_until', '{at}') \
             ON CONFLICT (name) DO UPDATE SET value = '{at}'"
        )));
    }

    /// As if no item had been scored yet.
    #[track_caller]
    pub fn remove_scores(&self) {
        block_on(self.execute("UPDATE item SET tone = NULL, score = NULL, scorer = NULL"));
    }

    /// Deletes the stored counts of terms, as if no run had made them yet.
    #[track_caller]
    pub fn forget_term_counts(&self) {
        block_on(self.execute("DELETE FROM topic_term"));
    }

    /// Deletes the statistics that SQLite has of small tables, for which it would choose scans.
    #[track_caller]
    pub fn forget_statistics(&self) {
        block_on(self.execute("DELETE FROM sqlite_stat1"));
    }

    /// From this time on, the searches of a topic asked for something else. Queries are read from the last attempt of
    /// each run, which made-up runs do not have.
    #[track_caller]
    pub fn change_query(&self, topic: &str, since: i64) {
        block_on(self.execute(&format!(
            "UPDATE run SET attempt = 1; UPDATE search SET query = 'other' WHERE topic = '{topic}' AND started_at >= {since}"
        )));
    }

    /// Makes it a database of a later version.
    #[track_caller]
    pub fn make_newer(&self) {
        block_on(self.execute(
            "INSERT INTO _sqlx_migrations (version, description, success, checksum, execution_time) \
             SELECT 9999, description, success, checksum, 0 FROM _sqlx_migrations WHERE version = 1",
        ));
    }

    /// Makes it a database of an earlier version.
    #[track_caller]
    pub fn make_older(&self) {
        block_on(
            self.execute("DELETE FROM _sqlx_migrations WHERE version = (SELECT max(version) FROM _sqlx_migrations)"),
        );
    }

    /// Makes it a database whose tables were made in another way, as before 0.1.0 or by another program.
    #[track_caller]
    pub fn make_foreign(&self) {
        let other = if self.name == "SQLite" { "x'00'" } else { "'\\x00'" };
        block_on(self.execute(&format!("UPDATE _sqlx_migrations SET checksum = {other}")));
    }
}
