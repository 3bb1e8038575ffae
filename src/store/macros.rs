//! How one function of `statements/` is run on whichever database is open. Macros and not a trait, because an async
//! function generic over sqlx's databases needs bounds longer than its body.

/// Runs one function of `statements/` inside one writing transaction, again from its beginning when the database asks
/// for it (serialization failure, deadlock, busy).
macro_rules! write_tx {
    ($store:expr, $module:ident :: $function:ident ( $($arg:expr),* $(,)? )) => {
        repeated!($store, |_: &StoreError| true, $module::$function($($arg),*))
    };
}

/// The same for what a person waits for: who did not get a lock while the database itself waited for it is told so, and
/// is not kept waiting several times as long.
macro_rules! asked_tx {
    ($store:expr, $module:ident :: $function:ident ( $($arg:expr),* $(,)? )) => {
        repeated!($store, |error: &StoreError| {
            $crate::mishap::at(concat!(stringify!($module), "::", stringify!($function), "/again"));
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
                Db::Sqlite(pools) => pools.explained(transaction!(pools, sqlite, $module::$function($($arg),*))),
                Db::Postgres(pools) => pools.explained(transaction!(pools, postgres, $module::$function($($arg),*))),
            };
            $store.room.note(concat!(stringify!($module), "::", stringify!($function)), &done);
            match done {
                Err(error) if error.again && tries < TRANSACTION_TRIES && wanted(&error) => pause(tries).await,
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
            // Nobody is told that it is stored in a file that nobody can open any more.
            $pools.in_place()?;
            Ok::<_, StoreError>(value)
        }
        .await
    };
}

/// Runs one function of `statements/` on a reading connection.
macro_rules! read {
    ($store:expr, $module:ident :: $function:ident ( $($arg:expr),* $(,)? )) => {
        match &$store.db {
            Db::Sqlite(pools) => {
                pools.explained(sqlite::$module::$function(&mut *pools.reader().await?, $($arg),*).await)
            }
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
