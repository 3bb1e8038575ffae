//! The database server's time, read once per tick so that daemons on several hosts agree on the time. No other
//! statement reads the server's clock; times are bound values.

use crate::model::Time;
use crate::store::database::handle::Db;
use crate::store::{Store, StoreError};

impl Store {
    /// Returns the server's current time; `None` for SQLite, which uses this machine's clock.
    pub async fn server_time(&self) -> Result<Option<Time>, StoreError> {
        let Db::Postgres(pools) = &self.db else { return Ok(None) };
        let mut conn = pools.reader().await?;
        let now: i64 = sqlx::query_scalar("SELECT CAST(floor(extract(epoch FROM clock_timestamp()) * 1000) AS BIGINT)")
            .fetch_one(&mut *conn)
            .await?;
        pools.keep(conn);
        Ok(Some(Time(now)))
    }
}
