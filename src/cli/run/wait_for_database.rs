//! Waits a while for a database server that is not up yet when a long-running process starts. Other verbs fail at once.

use std::time::Duration;

use tokio::time::Instant;

use crate::cli::terminal::failure::{Exit, Failure};
use crate::cli::terminal::signals::StopSignals;

/// How long to wait for a server; less than service managers allow for a start.
const PATIENCE: Duration = Duration::from_secs(60);
/// Time between two attempts.
const AGAIN: Duration = Duration::from_secs(1);

/// Calls `begin` again and again while the server is away. Returns the last error when it gives up.
pub(in crate::cli) async fn retry_while_away<T, F>(mut begin: impl FnMut() -> F) -> Result<T, Failure>
where
    F: Future<Output = Result<T, Failure>>,
{
    let patience = crate::failpoint::bound("away", PATIENCE);
    let started = Instant::now();
    let (mut ends, mut last_error): (Option<StopSignals>, String) = Default::default();
    loop {
        let begun = match &mut ends {
            // No listener is installed yet, so a signal ends the process.
            None => begin().await,
            // Otherwise a signal to stop would be lost if this attempt succeeds.
            Some(ends) => tokio::select! {
                biased;
                () = ends.next() => return Err(Failure::silent(Exit::Interrupted)),
                begun = begin() => begun,
            },
        };
        let failure = match begun {
            Err(failure) if failure.away => failure,
            done => return done,
        };
        let left = patience.saturating_sub(started.elapsed());
        if left.is_zero() {
            let text = format!("{}; gave up after {} s", failure.text, patience.as_secs());
            return Err(Failure { text, ..failure });
        }
        if last_error != failure.text {
            tracing::warn!(hint = failure.hint, "{}; trying again for {} s", failure.text, left.as_secs());
            last_error = failure.text;
        }
        tokio::select! {
            () = ends.get_or_insert_with(StopSignals::listen).next() => return Err(Failure::silent(Exit::Interrupted)),
            () = tokio::time::sleep(AGAIN.min(left)) => {}
        }
    }
}
