//! The database server's time, asked for once per tick so that daemons on several hosts agree on the present. No
//! statement reads it: times are bound values everywhere else.

use crate::model::Time;
use crate::store::database::handle::Db;
use crate::store::{Store, StoreError};

impl Store {
    /// The server's present; `None` for a file, whose time is this machine's.
    pub async fn server_time(&self) -> Result<Option<Time>, StoreError> {
        let Db::Postgres(pools) = &self.db else { return Ok(None) };
        let mut conn = pools.reader().await?;
        let now: i64 = sqlx::query_scalar("SELECT CAST(floor(extract(epoch FROM clock_timestamp()) * 1000) AS BIGINT)")
            .fetch_one(&mut *conn)
            .await?;
        Ok(Some(Time(now)))
    }
}
