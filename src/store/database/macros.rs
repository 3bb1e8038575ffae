//! Macros that run one function of `sql/` on the open database, and one for a condition in SQL. Macros instead of a
//! trait, because an async function generic over sqlx's databases needs bounds longer than its body.

/// Runs one function of `sql/` in a writing transaction, and retries the whole transaction on a retryable error
/// (serialization failure, deadlock, busy).
macro_rules! write_tx {
    ($store:expr, $module:ident :: $function:ident ( $($arg:expr),* $(,)? )) => {
        repeated!($store, |_: &$crate::store::StoreError| true, $module::$function($($arg),*))
    };
}

/// Like `write_tx`, for requests that a person waits for: a lock timeout is reported at once instead of being retried.
macro_rules! asked_tx {
    ($store:expr, $module:ident :: $function:ident ( $($arg:expr),* $(,)? )) => {
        repeated!($store, |error: &$crate::store::StoreError| {
            $crate::failpoint::at(concat!(stringify!($module), "::", stringify!($function), "/again"));
            error.kind != $crate::store::StoreErrorKind::Locked
        }, $module::$function($($arg),*))
    };
}

macro_rules! repeated {
    ($store:expr, $wanted:expr, $module:ident :: $function:ident ( $($arg:expr),* )) => {{
        let (mut tries, wanted) = (0, $wanted);
        loop {
            tries += 1;
            let done = match &$store.db {
                $crate::store::database::handle::Db::Sqlite(pools) => pools.explain(transaction!(pools, sqlite, $module::$function($($arg),*))),
                $crate::store::database::handle::Db::Postgres(pools) => pools.explain(transaction!(pools, postgres, $module::$function($($arg),*))),
            };
            $store.room.record(concat!(stringify!($module), "::", stringify!($function)), &done);
            match done {
                Err(error) if error.again && tries < $crate::store::database::handle::TRANSACTION_TRIES && wanted(&error) => $crate::store::database::handle::pause(tries).await,
                other => break other,
            }
        }
    }};
}

macro_rules! transaction {
    ($pools:ident, postgres, $module:ident :: $function:ident ( $($arg:expr),* )) => {
        async {
            let mut connection = $pools.reader().await?;
            let mut tx = $pools.begin_on(&mut connection).await?;
            let value = $crate::store::database::postgres::statements::$module::$function(&mut tx, $($arg),*).await?;
            $crate::failpoint::at(concat!(stringify!($module), "::", stringify!($function), "/written"));
            tx.commit().await?;
            $crate::failpoint::at(concat!(stringify!($module), "::", stringify!($function), "/committed"));
            $pools.keep(connection);
            Ok::<_, $crate::store::StoreError>(value)
        }
        .await
    };
    ($pools:ident, sqlite, $module:ident :: $function:ident ( $($arg:expr),* )) => {
        async {
            let mut tx = $pools.begin().await?;
            let value = $crate::store::database::sqlite::statements::$module::$function(&mut tx, $($arg),*).await?;
            $crate::failpoint::at(concat!(stringify!($module), "::", stringify!($function), "/written"));
            tx.commit().await?;
            $crate::failpoint::at(concat!(stringify!($module), "::", stringify!($function), "/committed"));
            // Do not report data as stored that went to a file that nobody can open any more.
            $pools.in_place()?;
            Ok::<_, $crate::store::StoreError>(value)
        }
        .await
    };
}

/// Runs one function of `sql/` on a reading connection.
macro_rules! read {
    ($store:expr, $module:ident :: $function:ident ( $($arg:expr),* $(,)? )) => {
        match &$store.db {
            $crate::store::database::handle::Db::Sqlite(pools) => pools.explain(read_on!(pools, sqlite, $module::$function($($arg),*))),
            $crate::store::database::handle::Db::Postgres(pools) => read_on!(pools, postgres, $module::$function($($arg),*)),
        }
    };
}

macro_rules! read_on {
    ($pools:ident, $database:ident, $module:ident :: $function:ident ( $($arg:expr),* )) => {{
        let mut connection = $pools.reader().await?;
        let done = $crate::store::database::$database::statements::$module::$function(&mut *connection, $($arg),*).await;
        if done.is_ok() {
            $pools.keep(connection);
        }
        done
    }};
}

/// Like `read`, but on the writing connection, for short queries of a run: the rows it has just written are still in
/// that connection's cache, while on SQLite every commit invalidates a reader's cache. On PostgreSQL it is the same as
/// `read`.
macro_rules! read_beside_writing {
    ($store:expr, $module:ident :: $function:ident ( $($arg:expr),* $(,)? )) => {
        match &$store.db {
            $crate::store::database::handle::Db::Sqlite(pools) => $crate::store::database::sqlite::statements::$module::$function(&mut *pools.writer().acquire().await?, $($arg),*).await,
            $crate::store::database::handle::Db::Postgres(pools) => read_on!(pools, postgres, $module::$function($($arg),*)),
        }
    };
}

/// Runs one function of `sql/stream` in a read-only snapshot transaction without time limits.
macro_rules! stream {
    ($store:expr, $function:ident ( $($arg:expr),* $(,)? )) => {
        match &$store.db {
            $crate::store::database::handle::Db::Sqlite(pools) => $crate::store::database::sqlite::statements::stream::$function(&mut *pools.snapshot().await?, $($arg),*).await,
            $crate::store::database::handle::Db::Postgres(pools) => $crate::store::database::postgres::statements::stream::$function(&mut *pools.snapshot().await?, $($arg),*).await,
        }
    };
}

/// The SQL condition of [`crate::model::is_backfill`] for a search and its run, by their names in the statement. NULL if
/// the search names no span.
macro_rules! is_backfill {
    ($search:literal, $run:literal) => {
        concat!($search, ".asked_until < ", $run, ".started_at - 60000")
    };
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_sql_condition_of_a_backfill_uses_the_same_time_as_the_model() {
        let expected = format!("s.asked_until < r.started_at - {}", crate::model::BACKFILL_AFTER.as_millis());
        assert_eq!(is_backfill!("s", "r"), expected);
    }
}
