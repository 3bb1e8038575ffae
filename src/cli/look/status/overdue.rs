//! The note of `status` on overdue topics that nothing runs: why, and what to do. Starting a daemon helps only if none
//! is running and the database can be written.

use crate::cli::terminal::failure::Failure;
use crate::cli::terminal::output;
use crate::model::Time;
use crate::store::Store;

/// Returns the line about topics that are overdue since these times; empty if there are none.
pub(super) async fn overdue_line(store: &Store, since: &[Time], now: Time) -> Result<String, Failure> {
    let Some(first) = since.iter().min() else { return Ok(String::new()) };
    let topics = if since.len() == 1 { "topic is" } else { "topics are" };
    let why = if let Err(full) = store.has_room().await {
        format!("{} (hint: {})", output::escape_control(&full.text), full.hint)
    } else if store.is_daemon_running(store.server_time().await?.unwrap_or(now)).await? {
        "a daemon is running, but does not plan what is due; its log says why, or it uses another file".to_owned()
    } else {
        "start `topicwatch run`, or run `topicwatch once --due`".to_owned()
    };
    Ok(format!("{} {topics} overdue since {}: {why}\n", since.len(), output::format_time(*first)))
}
