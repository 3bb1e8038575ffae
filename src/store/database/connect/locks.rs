//! Operating system locks on files next to a SQLite database: one daemon and one migration at a time. Never on the
//! database file itself: closing a descriptor of it drops SQLite's own locks. PostgreSQL has locks of its own.

use std::fs::{File, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use tokio::time::Instant;

use crate::store::database::handle::{Db, pause};
use crate::store::{Store, StoreError, StoreErrorKind};

/// The lock of the one daemon of a SQLite file. Released when dropped, or by the system when the process ends.
#[derive(Debug)]
pub struct DaemonLock {
    lock_file: Option<(PathBuf, File)>,
}

impl DaemonLock {
    /// Checks that it still keeps other daemons out. Recreates a deleted lock file, unless another daemon was faster.
    pub fn ensure_held(&mut self) -> Result<(), StoreError> {
        let Some((path, file)) = &mut self.lock_file else { return Ok(()) };
        let unknown = |path: &Path, e: &io::Error| {
            let text = format!("cannot access {}: {e}", path.display());
            StoreError::new(StoreErrorKind::Unreachable, text, "can this user write to that folder?")
        };
        if is_at(file, path).map_err(|e| unknown(path, &e))? {
            return Ok(());
        }
        let again = open(path).map_err(|e| unknown(path, &e))?;
        match again.try_lock() {
            Ok(()) => {
                tracing::warn!("{} was deleted; it keeps out a second daemon and was created again", path.display());
                *file = again;
                Ok(())
            }
            Err(_) => Err(StoreError::new(
                StoreErrorKind::Replaced,
                format!("{} was deleted, and another `topicwatch run` has started since", path.display()),
                "run only one of them; do not delete the files next to the database",
            )),
        }
    }
}

impl Store {
    /// Returns the path of a file next to a SQLite database; `None` on PostgreSQL.
    #[must_use]
    pub fn file_beside(&self, ending: &str) -> Option<PathBuf> {
        self.file().map(|_| path_beside(&self.place, ending))
    }

    /// Keeps a second daemon off a SQLite file. Any number of daemons may share PostgreSQL.
    pub fn lock_daemon(&self) -> Result<DaemonLock, StoreError> {
        let Db::Sqlite(_) = &self.db else { return Ok(DaemonLock { lock_file: None }) };
        let path = path_beside(&self.place, ".lock");
        let refused = |text: String, hint: &str| StoreError::new(StoreErrorKind::Locked, text, hint);
        let name = path.display();
        let cannot = |e: io::Error| refused(format!("cannot open {name}: {e}"), "can this user write to that folder?");
        let file = loop {
            let file = open(&path).map_err(cannot)?;
            // The file may have been deleted meanwhile: a lock on a file without a name keeps nobody out.
            if file.try_lock().is_err() || is_at(&file, &path).map_err(cannot)? {
                break file;
            }
        };
        match file.try_lock() {
            Ok(()) => Ok(DaemonLock { lock_file: Some((path.clone(), file)) }),
            Err(TryLockError::WouldBlock) => Err(refused(
                format!("another `topicwatch run` uses {}", self.place),
                "stop it first, or use PostgreSQL, which several can share; `once`, `show` and `export` work alongside it",
            )),
            Err(TryLockError::Error(e)) => Err(refused(
                format!("cannot lock {name}: {e}"),
                "is it on a network file system? These are not supported",
            )),
        }
    }
}

/// Returns the path of a file next to a SQLite database. Links are followed: lock and journal are the same under every
/// name of the database.
pub(in crate::store) fn path_beside(database: &str, ending: &str) -> PathBuf {
    let mut file = PathBuf::from(database);
    // The database may not exist yet, so its path cannot be canonicalized. Follows as many links as Linux does.
    for _ in 0..40 {
        let Ok(target) = std::fs::read_link(&file) else { break };
        file = file.parent().unwrap_or(Path::new("")).join(target);
    }
    let mut name = file.into_os_string();
    name.push(ending);
    PathBuf::from(name)
}

/// A lock file that is removed when the work is done.
#[derive(Debug)]
pub(in crate::store) struct TempLock {
    path: PathBuf,
    file: File,
}

impl TempLock {
    /// Waits for the lock; `None` if another process still holds it after this time.
    pub(in crate::store) async fn wait(path: &Path, within: Duration) -> io::Result<Option<Self>> {
        let (begun, mut tries) = (Instant::now(), 0);
        loop {
            let file = open(path)?;
            match file.try_lock() {
                // The previous holder may have removed the file: a lock on a file without a name keeps nobody out.
                Ok(()) if is_at(&file, path)? => return Ok(Some(Self { path: path.to_owned(), file })),
                Ok(()) => {}
                Err(TryLockError::WouldBlock) if begun.elapsed() >= within => return Ok(None),
                Err(TryLockError::WouldBlock) => {
                    tries += 1;
                    pause(tries.min(5)).await;
                }
                Err(TryLockError::Error(e)) => return Err(e),
            }
        }
    }

    /// Releases the lock.
    pub(in crate::store) fn release(self) {
        // Removes the file while it is locked, and only where another process can notice the removal.
        #[cfg(unix)]
        let _ = std::fs::remove_file(&self.path);
        drop(self.file);
    }
}

/// Returns whether the open file is the one at this path.
#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> io::Result<bool> {
    use std::os::unix::fs::MetadataExt as _;
    let opened = file.metadata()?;
    match std::fs::metadata(path) {
        Ok(named) => Ok((opened.dev(), opened.ino()) == (named.dev(), named.ino())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

#[cfg(not(unix))]
fn is_at(_file: &File, _path: &Path) -> io::Result<bool> {
    Ok(true)
}

/// Opens a lock file, created if missing and accessible only to its owner.
fn open(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.create(true).truncate(false).write(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}
