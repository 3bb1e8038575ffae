//! What was asked for on pages is done here, beside the loop: one look into an index a second. The loop hears of it as it
//! hears of `topic pause` and `topic run`.

use std::time::Duration;

use tokio_util::sync::CancellationToken;

use crate::model::Clock;
use crate::store::{Store, StoreError, StoreErrorKind};

/// Time between two looks.
const LOOK: Duration = Duration::from_secs(1);

/// Takes up what is asked for until the stop.
pub(super) async fn keep(store: Store, clock: Clock, stop: CancellationToken) {
    loop {
        if let Err(error) = take(&store, &clock).await
            && error.kind != StoreErrorKind::Replaced
        {
            tracing::warn!("what was asked for on a page could not be done: {error}; trying again");
        }
        tokio::select! {
            () = stop.cancelled() => return,
            () = tokio::time::sleep(LOOK) => {}
        }
    }
}

async fn take(store: &Store, clock: &Clock) -> Result<(), StoreError> {
    for request in store.open_requests().await? {
        if store.take_request(&request, clock()).await? {
            tracing::info!(of = request.wish.of, kind = %request.wish.kind, request = request.id, "asked for on a page");
        }
    }
    Ok(())
}
