//! How one function of `statements/` is run on whichever database is open. Macros and not a trait, because an async
//! function generic over sqlx's databases needs bounds longer than its body.

/// Runs one function of `statements/` inside one writing transaction, again from its beginning when the database asks
/// for it (serialization failure, deadlock, busy).
macro_rules! write_tx {
    ($store:expr, $module:ident :: $function:ident ( $($arg:expr),* $(,)? )) => {{
        let mut tries = 0;
        loop {
            tries += 1;
            let done = match &$store.db {
                Db::Sqlite(pools) => transaction!(pools, sqlite, $module::$function($($arg),*)),
                Db::Postgres(pools) => transaction!(pools, postgres, $module::$function($($arg),*)),
            };
            match done {
                Err(error) if error.again && tries < TRANSACTION_TRIES => pause(tries).await,
                other => break other,
            }
        }
    }};
}

macro_rules! transaction {
    ($pools:ident, $database:ident, $module:ident :: $function:ident ( $($arg:expr),* )) => {
        async {
            let mut tx = $pools.begin().await?;
            let value = $database::$module::$function(&mut tx, $($arg),*).await?;
            $crate::mishap::at(concat!(stringify!($module), "::", stringify!($function), "/written"));
            tx.commit().await?;
            $crate::mishap::at(concat!(stringify!($module), "::", stringify!($function), "/committed"));
            Ok::<_, StoreError>(value)
        }
        .await
    };
}

/// Runs one function of `statements/` on a reading connection.
macro_rules! read {
    ($store:expr, $module:ident :: $function:ident ( $($arg:expr),* $(,)? )) => {
        match &$store.db {
            Db::Sqlite(pools) => sqlite::$module::$function(&mut *pools.reader().await?, $($arg),*).await,
            Db::Postgres(pools) => postgres::$module::$function(&mut *pools.reader().await?, $($arg),*).await,
        }
    };
}

/// The same on the connection that writes, for short questions of a run: what it has just written is still in its cache,
/// and on SQLite a reader's is worthless after every commit.
macro_rules! read_beside_writing {
    ($store:expr, $module:ident :: $function:ident ( $($arg:expr),* $(,)? )) => {
        match &$store.db {
            Db::Sqlite(pools) => sqlite::$module::$function(&mut *pools.writer().acquire().await?, $($arg),*).await,
            Db::Postgres(pools) => postgres::$module::$function(&mut *pools.reader().await?, $($arg),*).await,
        }
    };
}

/// Runs one function of `statements/` in a transaction that sees one moment and may take its time.
macro_rules! stream {
    ($store:expr, $function:ident ( $($arg:expr),* $(,)? )) => {
        match &$store.db {
            Db::Sqlite(pools) => sqlite::stream::$function(&mut *pools.snapshot().await?, $($arg),*).await,
            Db::Postgres(pools) => postgres::stream::$function(&mut *pools.snapshot().await?, $($arg),*).await,
        }
    };
}
