//! Detects that the open file is no longer the one at its path. While a process works on a database, somebody may
//! delete it, move it away, or put a backup in its place. SQLite does not notice and keeps writing to the old file. The
//! checks here run before anything is reported as stored.

use std::fs::Metadata;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::store::{StoreError, StoreErrorKind};

/// Device, inode, and creation time where known.
type Identity = (u64, u64, Option<std::time::SystemTime>);

/// A file as it was when it was opened.
#[derive(Debug)]
pub(in crate::store) struct OpenFile {
    path: PathBuf,
    /// `None` on platforms where files have no identity.
    file: Option<Identity>,
    /// Whether the file header is checked, too.
    closely: AtomicBool,
    seen: Mutex<FileState>,
}

/// The results of the checks of the file since it was opened.
#[derive(Debug, Default)]
struct FileState {
    /// The identity of the write-ahead log.
    log: Option<Identity>,
    /// The change counter in the file header.
    counter: Option<u32>,
    /// How the file was lost; this never changes back.
    lost: Option<Lost>,
    /// Whether its connections were left open.
    left: bool,
}

/// How a file was lost.
#[derive(Debug, Clone)]
struct Lost {
    how: &'static str,
    /// Whether connections may be closed. The last one closed writes the log into the file, unless SQLite sees that the
    /// file has moved; that must not happen if the file holds something else by now.
    closes: bool,
}

const GONE: &str = "was deleted or moved away";
const REPLACED: &str = "was replaced by another file";
const OVERWRITTEN: &str = "was overwritten";
const WITHOUT_LOG: &str = "lost its write-ahead log (-wal)";

/// The name suffix of a log whose file is gone.
const LOST: &str = "-wal.lost";

const HINT: &str = "restore a backup only while nothing uses the database; restart to continue with the current file";

impl OpenFile {
    /// Records the identity of the file at this path.
    pub(in crate::store) fn of(path: &Path) -> Self {
        let file = path.metadata().ok().as_ref().and_then(identity);
        Self { path: path.to_owned(), file, closely: AtomicBool::new(false), seen: Mutex::default() }
    }

    pub(in crate::store) fn path(&self) -> &Path {
        &self.path
    }

    /// From now on also detects that the file is overwritten. This keeps a descriptor open for the life of the process.
    pub(in crate::store) fn watch_closely(&self) {
        self.closely.store(true, Ordering::Relaxed);
    }

    /// Fails if the path names another file or none.
    pub(in crate::store) fn check(&self) -> Result<(), StoreError> {
        let Some(file) = self.file else { return Ok(()) };
        self.check_path(&mut self.seen(), file)
    }

    fn seen(&self) -> MutexGuard<'_, FileState> {
        // The state is consistent between any two statements, so a poisoned lock does no harm.
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn check_path(&self, seen: &mut FileState, file: Identity) -> Result<(), StoreError> {
        if let Some(lost) = &seen.lost {
            return Err(self.error(lost));
        }
        let how = match self.path.metadata() {
            Ok(now) if identity(&now) == Some(file) => return Ok(()),
            Ok(_) => REPLACED,
            Err(error) if error.kind() == io::ErrorKind::NotFound => GONE,
            Err(error) => {
                return Err(StoreError::new(
                    StoreErrorKind::Unreachable,
                    format!("cannot access {}: {error}", self.path.display()),
                    "can this user read that folder?",
                ));
            }
        };
        self.rename_log(seen);
        Err(self.mark_lost(seen, how, true))
    }

    /// Renames the log: it belongs to the file that was there before. Otherwise, a process that opens the file that is
    /// at the path now, or later, would write the log into it.
    fn rename_log(&self, seen: &FileState) {
        if self.log().is_some_and(|log| seen.is_ours(log)) {
            let _ = std::fs::rename(self.with_suffix("-wal"), self.with_suffix(LOST));
            let _ = std::fs::remove_file(self.with_suffix("-shm"));
        }
    }

    /// Returns whether the open file was deleted or moved, so that its log should still be written into it.
    pub(in crate::store) fn is_elsewhere(&self) -> bool {
        self.seen().lost.as_ref().is_some_and(|lost| lost.how == GONE || lost.how == REPLACED)
    }

    /// Removes the renamed log if it is empty, that is, written into the file.
    pub(in crate::store) fn remove_empty_log(&self) {
        let lost = self.with_suffix(LOST);
        if lost.metadata().is_ok_and(|metadata| metadata.len() == 0) {
            let _ = std::fs::remove_file(lost);
        }
    }

    /// Like [`Self::check`]; also fails if the log was replaced or the file was overwritten. For processes that have
    /// the database open for writing.
    pub(in crate::store) fn check_whole(&self) -> Result<(), StoreError> {
        let Some(file) = self.file else { return Ok(()) };
        let mut seen = self.seen();
        self.check_path(&mut seen, file)?;
        let log = self.log();
        let head = if self.closely.load(Ordering::Relaxed) { head::read(&self.path, file) } else { None };
        let overwritten = match (head, seen.counter) {
            (Some(Ok(counter)), before) => before.is_some_and(|before| counter < before),
            // Before its first valid header is seen, a file may not be a WAL database yet.
            (Some(Err(())), before) => before.is_some(),
            (None, _) => false,
        };
        if overwritten {
            self.rename_log(&seen);
            return Err(self.mark_lost(&mut seen, OVERWRITTEN, false));
        }
        if log != seen.log && seen.log.is_some_and(is_open) {
            // SQLite removes the log with its last connection and makes a new one with the next. If the old log is
            // still open, somebody else removed it. If nobody has written since, its content can still be saved.
            let untouched = matches!(head, Some(Ok(counter)) if seen.counter == Some(counter));
            return Err(self.mark_lost(&mut seen, WITHOUT_LOG, log.is_none() && untouched));
        }
        seen.log = log;
        seen.counter = head.and_then(Result::ok).or(seen.counter);
        Ok(())
    }

    /// Returns whether connections may be closed as usual.
    pub(in crate::store) fn may_close(&self) -> bool {
        self.seen().lost.as_ref().is_none_or(|lost| lost.closes)
    }

    /// Returns whether connections must be left open; true only the first time.
    pub(in crate::store) fn must_leave_open(&self) -> bool {
        let mut seen = self.seen();
        let first = !seen.left;
        seen.left |= seen.lost.as_ref().is_some_and(|lost| !lost.closes);
        first && seen.left
    }

    fn mark_lost(&self, seen: &mut FileState, how: &'static str, closes: bool) -> StoreError {
        let lost = Lost { how, closes };
        let error = self.error(&lost);
        seen.lost = Some(lost);
        error
    }

    fn error(&self, lost: &Lost) -> StoreError {
        StoreError::new(
            StoreErrorKind::Replaced,
            format!("{} {} while it was open; nothing more can be stored in it", self.path.display(), lost.how),
            HINT,
        )
    }

    fn log(&self) -> Option<Identity> {
        self.with_suffix("-wal").metadata().ok().as_ref().and_then(identity)
    }

    fn with_suffix(&self, suffix: &str) -> PathBuf {
        let mut name = self.path.as_os_str().to_owned();
        name.push(suffix);
        PathBuf::from(name)
    }
}

impl FileState {
    /// Returns whether a log is the one that this process writes.
    fn is_ours(&self, log: Identity) -> bool {
        self.log == Some(log) || is_open(log)
    }
}

#[cfg(unix)]
#[expect(clippy::unnecessary_wraps, reason = "elsewhere a file has none")]
fn identity(of: &Metadata) -> Option<Identity> {
    use std::os::unix::fs::MetadataExt as _;
    // A new file may get the inode of a deleted one; the creation time distinguishes them.
    Some((of.dev(), of.ino(), of.created().ok()))
}

#[cfg(not(unix))]
fn identity(_of: &Metadata) -> Option<Identity> {
    None
}

/// Returns whether this process has a file open; works on Linux only.
fn is_open(file: Identity) -> bool {
    let entries = std::fs::read_dir("/proc/self/fd").into_iter().flatten().flatten();
    let mut open = entries.filter_map(|entry| std::fs::metadata(entry.path()).ok());
    open.any(|open| identity(&open) == Some(file))
}

/// Reads the header of a database file, to detect that it was overwritten (`cp backup.db topicwatch.db`): while a
/// write-ahead log is in use, the journal mode stays the same and the change counter never falls.
#[cfg(unix)]
mod head {
    use std::fs::File;
    use std::io::ErrorKind;
    use std::os::unix::fs::FileExt as _;
    use std::path::Path;
    use std::sync::{Mutex, PoisonError};

    use super::{Identity, identity};

    /// Descriptors that stay open for the life of the process: closing any descriptor of a file drops SQLite's locks on
    /// it. One for each file opened for writing.
    static OPEN: Mutex<Vec<(Identity, File)>> = Mutex::new(Vec::new());

    /// Returns the change counter. `None` if the file cannot be read or is another file; an error if it is no WAL
    /// database.
    pub(in crate::store) fn read(path: &Path, file: Identity) -> Option<Result<u32, ()>> {
        let mut open = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
        if open.iter().all(|(known, _)| *known != file) {
            let opened = File::open(path).ok()?;
            let its = identity(&opened.metadata().ok()?)?;
            open.push((its, opened));
        }
        let (_, opened) = open.iter().find(|(known, _)| *known == file)?;
        let mut head = [0; 28];
        match opened.read_exact_at(&mut head, 0) {
            Ok(()) => {}
            Err(error) if error.kind() == ErrorKind::UnexpectedEof => return Some(Err(())),
            Err(_) => return None,
        }
        let [a, b, c, d] = [head[24], head[25], head[26], head[27]];
        let logged = head.starts_with(b"SQLite format 3\0") && head[18..20] == [2, 2];
        Some(if logged { Ok(u32::from_be_bytes([a, b, c, d])) } else { Err(()) })
    }
}

#[cfg(not(unix))]
mod head {
    use std::path::Path;

    use super::Identity;

    pub(in crate::store) fn read(_path: &Path, _file: Identity) -> Option<Result<u32, ()>> {
        None
    }
}

#[cfg(all(test, unix))]
mod tests;
