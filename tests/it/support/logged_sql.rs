//! The SQL statements in a JSON log of the program, run with `RUST_LOG=sqlx::query=debug`.

use serde_json::Value;

/// The events of a log; other lines are left out.
pub fn events(log: &str) -> impl Iterator<Item = Value> {
    log.lines().filter_map(|line| serde_json::from_str(line).ok())
}

/// The statement of an event. A short one is in the summary alone.
pub fn statement(event: &Value) -> Option<String> {
    let whole = event["db.statement"].as_str().filter(|text| !text.trim().is_empty());
    Some(whole.or(event["summary"].as_str())?.trim().to_owned())
}

/// All statements of a log, in order.
pub fn statements(log: &str) -> impl Iterator<Item = String> {
    events(log).filter_map(|event| statement(&event))
}

/// How many rows the statements that begin with this returned.
pub fn rows_returned(log: &str, begin: &str) -> u64 {
    let of = |event: &Value| event["rows_returned"].as_u64().unwrap_or_else(|| panic!("{event}"));
    events(log).filter(|event| statement(event).is_some_and(|sql| sql.starts_with(begin))).map(|event| of(&event)).sum()
}
