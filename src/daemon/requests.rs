//! Carries out requests from web pages in a task of its own, with one index look-up a second. The loop notices the
//! result as it does with `topic pause` and `topic run`.

use std::time::Duration;

use tokio_util::sync::CancellationToken;

use crate::model::Clock;
use crate::store::{Store, StoreError, StoreErrorKind};

/// Time between two checks.
const LOOK: Duration = Duration::from_secs(1);

/// Carries out requests until the stop.
pub(super) async fn process_requests(store: Store, clock: Clock, stop: CancellationToken) {
    loop {
        if let Err(error) = carry_out(&store, &clock).await
            && error.kind != StoreErrorKind::Replaced
        {
            tracing::warn!("cannot carry out a request from the web pages: {error}; trying again");
        }
        tokio::select! {
            () = stop.cancelled() => return,
            () = tokio::time::sleep(LOOK) => {}
        }
    }
}

async fn carry_out(store: &Store, clock: &Clock) -> Result<(), StoreError> {
    for request in store.open_requests().await? {
        if store.execute_request(&request, clock()).await? {
            tracing::info!(of = request.request.of, kind = %request.request.kind, request = request.id, "requested through the pages or the API");
        }
    }
    Ok(())
}
