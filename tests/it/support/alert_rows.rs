//! Alert events and firings written into the tables, for cases about how they are shown and sent: a run would make one
//! at a time. The rules themselves are tested with runs.

use crate::support::databases::{Database, block_on, sql_literal};

/// An event of an alert.
#[derive(Clone, Copy)]
pub struct Event<'a> {
    pub alert: &'a str,
    pub subject: &'a str,
    /// Distinguishes it from other events of the subject: a run or a day.
    pub of: &'a str,
    pub kind: &'a str,
    pub at: i64,
    pub summary: &'a str,
    /// JSON.
    pub lines: &'a str,
    pub message: Option<&'a str>,
    pub muted: Option<&'a str>,
    pub acked_at: Option<i64>,
}

impl Default for Event<'_> {
    /// Fired at the current time of most cases, and not reported yet.
    fn default() -> Self {
        Self {
            alert: "sick",
            subject: "acme",
            of: "R",
            kind: "fired",
            at: 1_773_219_600_000,
            summary: "words",
            lines: "[]",
            message: None,
            muted: None,
            acked_at: None,
        }
    }
}

impl Event<'_> {
    fn row(&self) -> String {
        let Event { alert, subject, of, kind, at, summary, lines, message, muted, acked_at } = *self;
        let id = sql_literal(&format!("alert:{alert}/{of}/{subject}/{kind}"));
        let [alert, subject, kind, summary, lines] = [alert, subject, kind, summary, lines].map(sql_literal);
        let [message, muted] = [message, muted].map(|text| text.map_or("NULL".to_owned(), sql_literal));
        let acked_at = acked_at.map_or("NULL".to_owned(), |at| at.to_string());
        format!("({id}, {alert}, {subject}, {kind}, {at}, {summary}, {lines}, {message}, {muted}, {acked_at})")
    }
}

impl Database {
    #[track_caller]
    pub fn add_events(&self, events: &[Event<'_>]) {
        let rows: Vec<String> = events.iter().map(Event::row).collect();
        block_on(self.execute(&format!(
            "INSERT INTO alert_event (event, alert, subject, kind, at, summary, lines, message, muted, acked_at) VALUES {}",
            rows.join(", ")
        )));
    }

    /// Adds what fires now: the alert, its subject, since when, and whether it was acknowledged.
    #[track_caller]
    pub fn add_firings(&self, firings: &[(&str, &str, i64, bool)]) {
        let row = |(alert, subject, since, acked): &(&str, &str, i64, bool)| {
            format!("({}, {}, {since}, {})", sql_literal(alert), sql_literal(subject), u8::from(*acked))
        };
        let rows: Vec<String> = firings.iter().map(row).collect();
        block_on(
            self.execute(&format!(
                "INSERT INTO alert_firing (alert, subject, since, acked) VALUES {}",
                rows.join(", ")
            )),
        );
    }

    /// Moves the end of the only snooze: the program counts its length from the real present.
    #[track_caller]
    pub fn move_snooze(&self, until: i64) {
        block_on(self.execute(&format!("UPDATE alert_state SET snoozed_until = {until}")));
    }

    /// As if the clock had been ahead by that much when an alert last sent a message.
    #[track_caller]
    pub fn move_last_message(&self, alert: &str, ahead: i64) {
        block_on(self.execute(&format!("UPDATE alert_state SET sent_at = sent_at + {ahead} WHERE alert = '{alert}'")));
    }

    /// An alert with a rule that only a later version knows.
    #[track_caller]
    pub fn make_alert_unreadable(&self, alert: &str, rule: &str) {
        block_on(self.execute(&format!(
            "UPDATE job SET definition = replace(definition, '\"{rule}\"', '\"later\"') WHERE id = 'alert:{alert}'"
        )));
    }

    /// Adds when an alert last sent a message, and until when it is snoozed.
    #[track_caller]
    pub fn add_snooze(&self, alert: &str, sent_at: i64, until: i64) {
        block_on(self.execute(&format!(
            "INSERT INTO alert_state (alert, sent_at, snoozed_until) VALUES ({}, {sent_at}, {until})",
            sql_literal(alert)
        )));
    }
}
