//! The ticker: wakes the loop regularly with tokio-cron-scheduler, which the project was asked to use, and decides
//! nothing. A dead ticker delays slots but loses none.

use std::sync::Arc;

use tokio::sync::Notify;
use tokio_cron_scheduler::{Job, JobScheduler};

/// A running ticker.
pub(super) type Ticker = JobScheduler;

/// Wakes the loop every 15 seconds. Returns `None` if it could not be started, which is logged: the loop also wakes by
/// itself.
pub(super) async fn begin(wake: &Arc<Notify>) -> Option<Ticker> {
    if crate::failpoint::fails("ticker") {
        return None;
    }
    let start = async {
        let scheduler = JobScheduler::new().await?;
        let wake = Arc::clone(wake);
        scheduler.add(Job::new("0/15 * * * * *", move |_, _| wake.notify_one())?).await?;
        scheduler.start().await?;
        Ok::<_, tokio_cron_scheduler::JobSchedulerError>(scheduler)
    };
    start.await.inspect_err(|error| tracing::warn!("cannot start the ticker: {error}")).ok()
}

/// Stops it, if it runs.
pub(super) async fn end(ticker: Option<Ticker>) {
    if let Some(mut ticker) = ticker
        && let Err(error) = ticker.shutdown().await
    {
        tracing::debug!("the ticker did not stop: {error}");
    }
}
