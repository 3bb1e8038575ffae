//! Another engine than the ledger to say what runs where: graphile_worker, on PostgreSQL, when it is built in. The
//! ledger stays the truth, so an engine can be late, forgetful or say things twice. How it is spoken to is
//! `graphile.rs`'s.

use std::time::Duration;

use tokio_util::sync::CancellationToken;

use crate::model::Time;
use crate::store::database::handle::Db;
use crate::store::{Handed, Hands, RunRef, Store, StoreError, StoreErrorKind};

impl Store {
    /// A store whose queued runs are handed to graphile_worker. Its tables, in a schema named after ours, are brought up
    /// to date.
    pub async fn with_graphile(mut self) -> Result<Self, StoreError> {
        let Db::Postgres(pools) = &self.db else { return Err(not_here("SQLite has no other engine than the ledger")) };
        #[cfg(feature = "graphile")]
        {
            self.engine = Some(crate::store::ledger::graphile::prepare(pools).await?);
            Ok(self)
        }
        #[cfg(not(feature = "graphile"))]
        {
            let _ = (pools, &mut self.engine);
            Err(not_here("this program was built without graphile_worker"))
        }
    }

    /// Whether runs are handed to another engine.
    #[must_use]
    pub fn has_engine(&self) -> bool {
        self.engine.is_some()
    }

    /// Hands over what may run and is not on its way yet. Returns how many.
    pub async fn hand_over(&self, now: Time) -> Result<u64, StoreError> {
        let Some(engine) = &self.engine else { return Ok(0) };
        write_tx!(self, handing::hand_over(now, engine))
    }

    /// Takes the run that was handed out, if it is still there to take; tells the engine that it need not hand it out
    /// again.
    pub async fn claim_handed(
        &self,
        handed: Handed,
        now: Time,
        lease: Duration,
        token: &str,
    ) -> Result<Option<RunRef>, StoreError> {
        let mut claimed = write_tx!(self, ledger::claim(now, 1, lease, token, Some(handed.run)))?;
        // Nobody may be waiting any more.
        let _ = handed.taken.send(());
        Ok(claimed.pop())
    }

    /// Hands out what the engine brings, `at_a_time` and no more, until asked to stop or until it fails.
    pub async fn serve_engine(
        &self,
        hands: Hands,
        at_a_time: u32,
        lease: Duration,
        stop: CancellationToken,
    ) -> Result<(), StoreError> {
        let Db::Postgres(pools) = &self.db else { return Err(not_here("SQLite has no other engine than the ledger")) };
        #[cfg(feature = "graphile")]
        {
            crate::store::ledger::graphile::serve(pools, hands, at_a_time, lease, stop).await
        }
        #[cfg(not(feature = "graphile"))]
        {
            let _ = (pools, hands, at_a_time, lease, stop);
            Err(not_here("this program was built without graphile_worker"))
        }
    }
}

fn not_here(text: &str) -> StoreError {
    StoreError::new(
        StoreErrorKind::Statement,
        text,
        "leave [scheduler] engine out: the ledger itself shares work between processes",
    )
}
