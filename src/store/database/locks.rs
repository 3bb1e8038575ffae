//! Locks of the operating system on files beside a SQLite database: one daemon, one migration at a time. Never on the
//! database file itself: closing a descriptor of it drops SQLite's own locks. PostgreSQL has locks of its own.

use std::fs::{File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

use crate::store::database::handle::Db;
use crate::store::{Store, StoreError, StoreErrorKind};

/// Held by the one daemon of a SQLite file; given back when dropped, or by the system when the process ends.
#[derive(Debug)]
pub struct DaemonLock {
    held: Option<(PathBuf, File)>,
}

impl DaemonLock {
    /// Whether it still keeps other daemons out. A lock file that was deleted is made again, unless another daemon was
    /// faster.
    pub fn keep(&mut self) -> Result<(), StoreError> {
        let Some((path, file)) = &mut self.held else { return Ok(()) };
        let unknown = |path: &Path, e: &io::Error| {
            let text = format!("{} cannot be looked at: {e}", path.display());
            StoreError::new(StoreErrorKind::Unreachable, text, "may this user write in that folder?")
        };
        if is_at(file, path).map_err(|e| unknown(path, &e))? {
            return Ok(());
        }
        let again = open(path).map_err(|e| unknown(path, &e))?;
        match again.try_lock() {
            Ok(()) => {
                tracing::warn!("{} was deleted; it keeps a second daemon out and was made again", path.display());
                *file = again;
                Ok(())
            }
            Err(_) => Err(StoreError::new(
                StoreErrorKind::Replaced,
                format!("{} was deleted, and another `topicwatch run` has begun since", path.display()),
                "one of the two is enough; leave the files beside the database alone",
            )),
        }
    }
}

impl Store {
    /// Bars a second daemon on one SQLite file. PostgreSQL is shared by any number.
    pub fn lock_daemon(&self) -> Result<DaemonLock, StoreError> {
        let Db::Sqlite(_) = &self.db else { return Ok(DaemonLock { held: None }) };
        let path = format!("{}.lock", self.place);
        let refused = |text: String, hint: &str| StoreError::new(StoreErrorKind::Locked, text, hint);
        let cannot = |e: io::Error| refused(format!("cannot open {path}: {e}"), "may this user write in that folder?");
        let file = loop {
            let file = open(Path::new(&path)).map_err(cannot)?;
            // Somebody may delete it meanwhile: a lock on what nobody can open any more keeps nobody out.
            if file.try_lock().is_err() || is_at(&file, Path::new(&path)).map_err(cannot)? {
                break file;
            }
        };
        match file.try_lock() {
            Ok(()) => Ok(DaemonLock { held: Some((PathBuf::from(path), file)) }),
            Err(std::fs::TryLockError::WouldBlock) => Err(refused(
                format!("another `topicwatch run` works on {}", self.place),
                "stop it first, or use PostgreSQL, which several may share; `once`, `show` and `export` work beside it",
            )),
            Err(std::fs::TryLockError::Error(e)) => Err(refused(
                format!("cannot lock {path}: {e}"),
                "is it on a network file system? those are not supported",
            )),
        }
    }
}

/// A lock file that goes when the work is done.
#[derive(Debug)]
pub(in crate::store) struct Passing {
    path: PathBuf,
    file: File,
}

impl Passing {
    /// Waits for the lock. Blocks the thread.
    pub(in crate::store) fn wait(path: PathBuf) -> io::Result<Self> {
        loop {
            let file = open(&path)?;
            file.lock()?;
            // Whoever held it before has removed the file: a lock on what nobody can open any more keeps nobody out.
            if is_at(&file, &path)? {
                return Ok(Self { path, file });
            }
        }
    }

    /// Gives the lock back.
    pub(in crate::store) fn end(self) {
        // While it is still locked, and only where another can notice that it went.
        #[cfg(unix)]
        let _ = std::fs::remove_file(&self.path);
        drop(self.file);
    }
}

/// Whether the open file is the one that has this name.
#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> io::Result<bool> {
    use std::os::unix::fs::MetadataExt as _;
    let ours = file.metadata()?;
    match std::fs::metadata(path) {
        Ok(named) => Ok((ours.dev(), ours.ino()) == (named.dev(), named.ino())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

#[cfg(not(unix))]
fn is_at(_file: &File, _path: &Path) -> io::Result<bool> {
    Ok(true)
}

/// An empty file for its owner only.
fn open(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.create(true).truncate(false).write(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}
