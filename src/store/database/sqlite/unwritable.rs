//! Reads a SQLite file whose disk is full or whose folder is not writable. A WAL database needs a shared-memory file
//! (`-shm`) even for reading, which cannot be created there. Only for short-lived processes: these ways lock others out
//! or trust that nobody writes.

use std::path::{Path, PathBuf};

use sqlx::sqlite::{SqliteConnectOptions, SqliteLockingMode};

use super::Pools;
use crate::store::{StoreError, StoreErrorKind};

/// How a file was opened.
pub(in crate::store) struct Readable {
    pub(in crate::store) pools: Pools,
    /// Whether the last writes of a process that died may be missing.
    pub(in crate::store) without_log: bool,
}

impl Pools {
    /// Opens a file for reading in the first way that works: like any reader; exclusively, with the shared memory in
    /// this process; and, if this user may not write, without locks. All but the last way also read the log of a
    /// process that died; the last is used only if there is no log or it cannot be read.
    pub(in crate::store) async fn open_unwritable(path: &Path) -> Result<Readable, StoreError> {
        let options = || SqliteConnectOptions::new().filename(path);
        let pools = Self::open_to_read(path);
        let Err(failed) = pools.is_readable().await else { return Ok(Readable { pools, without_log: false }) };
        pools.close().await;
        if !cfg!(unix) {
            return Err(failed);
        }
        // Without write permission, SQLite does not take this kind of lock and looks for the shared memory again.
        let pools = Self::readers_only(path, options().vfs("unix-excl"));
        match pools.is_readable().await {
            Ok(()) => return Ok(Readable { pools, without_log: false }),
            Err(busy) if busy.kind == StoreErrorKind::Locked => return Err(busy),
            Err(_) => pools.close().await,
        }
        // Shared memory that this user may not read may belong to another user's process that is writing.
        let shared = with_suffix(path, "-shm");
        if shared.exists() && std::fs::File::open(shared).is_err() {
            return Err(failed);
        }
        let log = with_suffix(path, "-wal").metadata().is_ok_and(|log| log.len() > 0);
        if log {
            let options = options().read_only(true).vfs("unix-none").locking_mode(SqliteLockingMode::Exclusive);
            let pools = Self::readers_only(path, options);
            if pools.is_readable().await.is_ok() {
                return Ok(Readable { pools, without_log: false });
            }
            pools.close().await;
        }
        let pools = Self::readers_only(path, options().read_only(true).immutable(true));
        match pools.is_readable().await {
            Ok(()) => Ok(Readable { pools, without_log: log }),
            Err(_) => Err(failed),
        }
    }

    /// Checks that the file can be read this way.
    async fn is_readable(&self) -> Result<(), StoreError> {
        let mut conn = self.reader().await?;
        sqlx::query("SELECT count(*) FROM sqlite_schema").fetch_one(&mut *conn).await?;
        Ok(())
    }
}

fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}
