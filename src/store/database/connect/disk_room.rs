//! Checks whether there is room to store anything: by the last writes of this process and, on SQLite, by a test of the
//! disk.

use std::io::{self, Write as _};
use std::path::Path;

use crate::store::database::connect::refused_writes::{REMEMBERED, REMEMBERED_BESIDE_ROOM};
use crate::store::database::handle::Db;
use crate::store::{Store, StoreError, StoreErrorKind};

/// Bytes that must still fit on the disk of a SQLite file: a little more than a run with a few sources needs.
const NEEDED: usize = 1024 * 1024;

impl Store {
    /// Checks that there is room to store something. On SQLite it writes an unnamed temporary file of `NEEDED` bytes
    /// to test the disk. On both databases, recent writes of this process that failed count, too.
    pub async fn has_room(&self) -> Result<(), StoreError> {
        let remembered = match &self.db {
            Db::Sqlite(pools) => {
                let file = pools.path().to_owned();
                let probed = tokio::task::spawn_blocking(move || probe_disk(&file)).await;
                probed.map_err(|e| {
                    StoreError::new(StoreErrorKind::Statement, format!("checking the disk failed: {e}"), "")
                })??;
                REMEMBERED_BESIDE_ROOM
            }
            Db::Postgres(_) => REMEMBERED,
        };
        self.room.last_refused(crate::failpoint::bound("room", remembered))
    }
}

/// Checks that the disk of a file takes `NEEDED` more bytes.
fn probe_disk(file: &Path) -> Result<(), StoreError> {
    // The file may be a link to another disk.
    let file = file.canonicalize().unwrap_or_else(|_| file.to_owned());
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or_else(|| Path::new("."));
    let error = match tempfile::tempfile_in(folder).and_then(|mut probe| probe.write_all(&vec![0; NEEDED])) {
        Ok(()) => return Ok(()),
        // This user may not create files there, but the database itself may still be writable.
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => return Ok(()),
        Err(error) => error,
    };
    Err(StoreError::new(
        StoreErrorKind::Unwritable,
        format!("nothing can be stored in {}: cannot write another MiB to its disk: {error}", file.display()),
        "free space on that disk; the data stored before is intact",
    ))
}
