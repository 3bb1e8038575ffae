//! Another engine than the ledger to distribute runs: graphile_worker, on PostgreSQL, if it is built in. The ledger
//! stays authoritative, so the engine may be late, lose runs or deliver them twice. `graphile.rs` talks to it.

pub(in crate::store) mod delivered_runs;
#[cfg(feature = "graphile")]
mod graphile;

use std::time::Duration;

use tokio_util::sync::CancellationToken;

use crate::model::Time;
use crate::store::database::handle::Db;
use crate::store::{DeliveredRun, RunHandler, RunRef, Store, StoreError, StoreErrorKind};

impl Store {
    /// Returns a store whose queued runs are handed to graphile_worker. Migrates its tables, which are in a schema
    /// named after ours.
    pub async fn with_graphile(mut self) -> Result<Self, StoreError> {
        let Db::Postgres(pools) = &self.db else { return Err(not_here("SQLite supports only the ledger as engine")) };
        #[cfg(feature = "graphile")]
        {
            self.engine = Some(graphile::prepare(pools).await?);
            Ok(self)
        }
        #[cfg(not(feature = "graphile"))]
        {
            let _ = (pools, &mut self.engine);
            Err(not_here("this program was built without graphile_worker"))
        }
    }

    /// Returns whether runs are handed to another engine.
    #[must_use]
    pub fn has_engine(&self) -> bool {
        self.engine.is_some()
    }

    /// Hands over queued runs that may run and were not handed over yet. Returns how many.
    pub async fn enqueue_runs(&self, now: Time) -> Result<u64, StoreError> {
        let Some(engine) = &self.engine else { return Ok(0) };
        write_tx!(self, engine_queue::hand_over(now, engine))
    }

    /// Claims a run that the engine delivered, if it can still be claimed, and notifies the engine.
    pub async fn claim_delivered(
        &self,
        handed: DeliveredRun,
        now: Time,
        lease: Duration,
        token: &str,
    ) -> Result<Option<RunRef>, StoreError> {
        let mut claimed = write_tx!(self, ledger::claim(now, 1, lease, token, Some(handed.run)))?;
        // The receiver may be gone.
        let _ = handed.taken.send(());
        Ok(claimed.pop())
    }

    /// Delivers the engine's jobs, at most `at_a_time` at once, until `stop` is cancelled or the engine fails.
    pub async fn serve_engine(
        &self,
        handler: RunHandler,
        at_a_time: u32,
        lease: Duration,
        stop: CancellationToken,
    ) -> Result<(), StoreError> {
        let Db::Postgres(pools) = &self.db else { return Err(not_here("SQLite supports only the ledger as engine")) };
        #[cfg(feature = "graphile")]
        {
            graphile::serve(pools, handler, at_a_time, lease, stop).await
        }
        #[cfg(not(feature = "graphile"))]
        {
            let _ = (pools, handler, at_a_time, lease, stop);
            Err(not_here("this program was built without graphile_worker"))
        }
    }
}

fn not_here(text: &str) -> StoreError {
    StoreError::new(
        StoreErrorKind::Statement,
        text,
        "remove [scheduler] engine: the ledger itself distributes runs between processes",
    )
}
