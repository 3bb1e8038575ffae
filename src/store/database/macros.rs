//! How one function of `sql/` is run on whichever database is open. Macros and not a trait, because an async
//! function generic over sqlx's databases needs bounds longer than its body.

/// Runs one function of `sql/` inside one writing transaction, again from its beginning when the database asks
/// for it (serialization failure, deadlock, busy).
macro_rules! write_tx {
    ($store:expr, $module:ident :: $function:ident ( $($arg:expr),* $(,)? )) => {
        repeated!($store, |_: &$crate::store::StoreError| true, $module::$function($($arg),*))
    };
}

/// The same for what a person waits for: who did not get a lock while the database itself waited for it is told so, and
/// is not kept waiting several times as long.
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
                $crate::store::database::handle::Db::Sqlite(pools) => pools.explained(transaction!(pools, sqlite, $module::$function($($arg),*))),
                $crate::store::database::handle::Db::Postgres(pools) => pools.explained(transaction!(pools, postgres, $module::$function($($arg),*))),
            };
            $store.room.note(concat!(stringify!($module), "::", stringify!($function)), &done);
            match done {
                Err(error) if error.again && tries < $crate::store::database::handle::TRANSACTION_TRIES && wanted(&error) => $crate::store::database::handle::pause(tries).await,
                other => break other,
            }
        }
    }};
}

macro_rules! transaction {
    ($pools:ident, $database:ident, $module:ident :: $function:ident ( $($arg:expr),* )) => {
        async {
            let mut tx = $pools.begin().await?;
            let value = $crate::store::database::$database::statements::$module::$function(&mut tx, $($arg),*).await?;
            $crate::failpoint::at(concat!(stringify!($module), "::", stringify!($function), "/written"));
            tx.commit().await?;
            $crate::failpoint::at(concat!(stringify!($module), "::", stringify!($function), "/committed"));
            // Nobody is told that it is stored in a file that nobody can open any more.
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
            $crate::store::database::handle::Db::Sqlite(pools) => {
                pools.explained($crate::store::database::sqlite::statements::$module::$function(&mut *pools.reader().await?, $($arg),*).await)
            }
            $crate::store::database::handle::Db::Postgres(pools) => $crate::store::database::postgres::statements::$module::$function(&mut *pools.reader().await?, $($arg),*).await,
        }
    };
}

/// The same on the connection that writes, for short questions of a run: what it has just written is still in its cache,
/// and on SQLite a reader's is worthless after every commit.
macro_rules! read_beside_writing {
    ($store:expr, $module:ident :: $function:ident ( $($arg:expr),* $(,)? )) => {
        match &$store.db {
            $crate::store::database::handle::Db::Sqlite(pools) => $crate::store::database::sqlite::statements::$module::$function(&mut *pools.writer().acquire().await?, $($arg),*).await,
            $crate::store::database::handle::Db::Postgres(pools) => $crate::store::database::postgres::statements::$module::$function(&mut *pools.reader().await?, $($arg),*).await,
        }
    };
}

/// Runs one function of `sql/` in a transaction that sees one moment and may take its time.
macro_rules! stream {
    ($store:expr, $function:ident ( $($arg:expr),* $(,)? )) => {
        match &$store.db {
            $crate::store::database::handle::Db::Sqlite(pools) => $crate::store::database::sqlite::statements::stream::$function(&mut *pools.snapshot().await?, $($arg),*).await,
            $crate::store::database::handle::Db::Postgres(pools) => $crate::store::database::postgres::statements::stream::$function(&mut *pools.snapshot().await?, $($arg),*).await,
        }
    };
}
