//! Whether there is room to store anything: what the last writes of this process met, and what the disk of a SQLite file says
//! now. It stores nothing.

use std::io::{self, Write as _};
use std::path::Path;

use crate::store::database::handle::Db;
use crate::store::database::refused::{REMEMBERED, REMEMBERED_BESIDE_ROOM};
use crate::store::{Store, StoreError, StoreErrorKind};

/// What must still fit on the disk of a SQLite file: somewhat more than a run of a few sources takes.
const NEEDED: usize = 1024 * 1024;

impl Store {
    /// Whether there is room to store something. On SQLite the disk is asked, by a file without a name that is gone before it
    /// would be written out; what this process failed to write lately counts on both.
    pub async fn has_room(&self) -> Result<(), StoreError> {
        let remembered = match &self.db {
            Db::Sqlite(pools) => {
                let file = pools.path().to_owned();
                let asked = tokio::task::spawn_blocking(move || ask(&file)).await;
                asked.map_err(|e| StoreError::new(StoreErrorKind::Statement, format!("the disk: {e}"), ""))??;
                REMEMBERED_BESIDE_ROOM
            }
            Db::Postgres(_) => REMEMBERED,
        };
        self.room.last_refused(crate::failpoint::bound("room", remembered))
    }
}

/// Whether the disk of a file takes more.
fn ask(file: &Path) -> Result<(), StoreError> {
    // The file may be a link to another disk.
    let file = file.canonicalize().unwrap_or_else(|_| file.to_owned());
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or_else(|| Path::new("."));
    let error = match tempfile::tempfile_in(folder).and_then(|mut probe| probe.write_all(&vec![0; NEEDED])) {
        Ok(()) => return Ok(()),
        // Whoever may not write there cannot say whether others can.
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => return Ok(()),
        Err(error) => error,
    };
    Err(StoreError::new(
        StoreErrorKind::Unwritable,
        format!("nothing can be stored in {}: its disk does not take another MiB: {error}", file.display()),
        "make room on that disk; what was stored before is intact",
    ))
}
