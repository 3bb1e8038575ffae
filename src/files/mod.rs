//! Replaces a file as a whole: readers see the old one or the new one, never a part. [`Protected`] files are never
//! replaced. Not for databases.

mod protected;

use std::fs::TryLockError;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

pub use protected::{Protected, ProtectedError};

/// A new file, in the same folder as the one it will replace. If it is dropped without [`Replacement::commit`], it is
/// removed and the old file stays as it was.
#[derive(Debug)]
pub struct Replacement {
    target: PathBuf,
    folder: PathBuf,
    file: NamedTempFile,
    /// Whether everything written so far is durable.
    durable: bool,
}

impl Replacement {
    /// Starts a replacement of `target`, in the same folder so that the last step is one rename. A symbolic link at
    /// `target` is replaced itself, never followed. A protected target is refused with a [`ProtectedError`].
    pub fn create(target: &Path, protected: &Protected) -> io::Result<Self> {
        protected.check(target)?;
        if target.is_dir() {
            return Err(io::Error::new(io::ErrorKind::IsADirectory, "is a folder"));
        }
        // Replacing /dev/null would break it for everyone on the machine.
        let special = target.metadata().is_ok_and(|there| !there.is_file());
        if special || is_system_folder(target) {
            let why = if special { "it is not a regular file" } else { "its folder belongs to the system" };
            return Err(io::Error::new(io::ErrorKind::InvalidInput, why));
        }
        let folder = match target.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder.to_owned(),
            _ => PathBuf::from("."),
        };
        // The name of the unfinished file means nothing to people.
        let file = create_temp_file(&folder).map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => {
                io::Error::new(io::ErrorKind::NotFound, format!("the folder {} does not exist", folder.display()))
            }
            io::ErrorKind::PermissionDenied => {
                let why = format!("this user cannot write to the folder {}", folder.display());
                io::Error::new(io::ErrorKind::PermissionDenied, why)
            }
            kind => io::Error::new(kind, error.to_string().split(" at path ").next().unwrap_or_default()),
        })?;
        sweep(&folder);
        Ok(Self { target: target.to_owned(), folder, file, durable: false })
    }

    /// Returns the path of the file being written, for callers that write it by its name.
    #[must_use]
    pub fn path(&self) -> &Path {
        self.file.path()
    }

    /// Makes the written data durable, which may be slow. After that, [`Replacement::commit`] is one rename.
    pub fn sync(&mut self) -> io::Result<()> {
        self.file.as_file_mut().flush()?;
        self.file.as_file().sync_all()?;
        self.durable = true;
        Ok(())
    }

    /// Makes the content durable and puts it in place.
    pub fn commit(mut self) -> io::Result<()> {
        // A caller that writes the file by its name has finished before this.
        if !self.durable {
            self.sync()?;
        }
        self.file.persist(&self.target).map_err(|e| e.error)?;
        // The rename itself is durable once the folder is.
        #[cfg(unix)]
        std::fs::File::open(&self.folder)?.sync_all()?;
        Ok(())
    }
}

/// Prefix and suffix of the names of files that are being written.
const PART: (&str, &str) = (".topicwatch-", ".part");

/// Endings of the files that SQLite and its migration keep next to a database file.
#[cfg(unix)]
const BESIDE: [&str; 4] = ["-wal", "-shm", "-journal", ".migrate.lock"];

/// Creates an empty file, locked while it is being written. Only its owner may read it (0600), and this stays so:
/// findings are private.
fn create_temp_file(folder: &Path) -> io::Result<NamedTempFile> {
    loop {
        let file = tempfile::Builder::new().prefix(PART.0).suffix(PART.1).tempfile_in(folder)?;
        // Where files cannot be locked, no process removes this one as abandoned either.
        let locked = !matches!(file.as_file().try_lock(), Err(TryLockError::WouldBlock));
        // Another process may have removed it as abandoned before it was locked.
        if locked && file.path().exists() {
            return Ok(file);
        }
    }
}

/// Returns the name of the unfinished file that a file is or belongs to; `None` for other files.
#[cfg(unix)]
fn part_of(name: &str) -> Option<&str> {
    let main = BESIDE.iter().find_map(|beside| name.strip_suffix(beside)).unwrap_or(name);
    (main.starts_with(PART.0) && main.ends_with(PART.1)).then_some(main)
}

/// Removes files that killed processes left in a folder. A process that still writes holds the lock of its file, which
/// the system releases with the process.
#[cfg(unix)]
fn sweep(folder: &Path) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let Some(part) = name.to_str().and_then(part_of) else { continue };
        if !entry.file_type().is_ok_and(|kind| kind.is_file()) {
            continue;
        }
        // A file that this user may not write belongs to someone else.
        let Ok(file) = std::fs::OpenOptions::new().write(true).open(entry.path()) else { continue };
        // SQLite's files next to a file are in use as long as the file is.
        let main = match folder.join(part) {
            main if main == entry.path() => Some(file),
            main => std::fs::OpenOptions::new().write(true).open(main).ok(),
        };
        // The lock is held until the file is removed: meanwhile, the process that has just created it cannot take it.
        if main.as_ref().is_none_or(|main| main.try_lock().is_ok()) {
            let _ = std::fs::remove_file(entry.path());
        }
    }
}

/// Open files cannot be removed on this platform.
#[cfg(not(unix))]
fn sweep(_folder: &Path) {}

/// Creates the folder of a file that is to be written.
pub fn create_parent_folder(target: &Path) -> io::Result<()> {
    let folder = target.parent().filter(|folder| !folder.as_os_str().is_empty());
    folder.map_or(Ok(()), |folder| std::fs::create_dir_all(folder).map_err(name_file_in_the_way))
}

/// The system says only that the file exists.
fn name_file_in_the_way(error: io::Error) -> io::Error {
    match error.kind() {
        io::ErrorKind::AlreadyExists => {
            io::Error::new(io::ErrorKind::NotADirectory, "a file stands where its folder should be")
        }
        _ => error,
    }
}

/// Replaces a file with this content. Creates its folder if necessary.
pub fn replace_file(target: &Path, content: &[u8], protected: &Protected) -> io::Result<()> {
    create_parent_folder(target)?;
    let mut file = Replacement::create(target, protected)?;
    file.write_all(content)?;
    file.commit()
}

/// Whether the folder belongs to the system: its entries are no real files, whatever they point at (/dev/stdout).
fn is_system_folder(target: &Path) -> bool {
    let folder = target.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.and_then(|folder| folder.canonicalize().ok());
    folder
        .is_some_and(|folder| folder.starts_with("/proc") || folder.starts_with("/sys") || folder == Path::new("/dev"))
}

impl Write for Replacement {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.durable = false;
        // Its own errors would name the unfinished file.
        self.file.as_file_mut().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.as_file_mut().flush()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests fail by panicking")]
    use super::*;

    #[cfg(unix)]
    #[test]
    fn sweep_removes_side_files_of_abandoned_files_but_not_of_locked_ones() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        for name in
            ["a.part", "a.part-wal", "b.part-shm", "b.part.migrate.lock", "c.part", "c.part-journal", "d.db-wal"]
        {
            std::fs::write(path(&format!(".topicwatch-{name}")), "x").unwrap();
        }
        let writing = std::fs::File::open(path(".topicwatch-c.part")).unwrap();
        writing.lock().unwrap();
        sweep(folder.path());
        let mut left: Vec<_> =
            std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        left.sort();
        assert_eq!(left, [".topicwatch-c.part", ".topicwatch-c.part-journal", ".topicwatch-d.db-wal"]);
    }

    #[test]
    fn the_old_file_stays_until_the_new_one_is_whole() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("out.csv");
        std::fs::write(&target, "old").unwrap();
        let mut abandoned = Replacement::create(&target, &Protected::default()).unwrap();
        abandoned.write_all(b"half").unwrap();
        drop(abandoned);
        assert_eq!(std::fs::read_to_string(&target).unwrap(), "old");
        let mut new = Replacement::create(&target, &Protected::default()).unwrap();
        new.write_all(b"ne").unwrap();
        new.sync().unwrap();
        assert_eq!(std::fs::read_to_string(&target).unwrap(), "old");
        new.write_all(b"w").unwrap();
        assert_eq!(std::fs::read_to_string(&target).unwrap(), "old");
        new.commit().unwrap();
        assert_eq!(std::fs::read_to_string(&target).unwrap(), "new");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "no temporary file is left");
    }

    #[test]
    fn an_error_names_a_file_in_place_of_the_folder() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("out").join("a.csv");
        std::fs::write(folder.path().join("out"), "a file").unwrap();
        let error = replace_file(&target, b"new", &Protected::default()).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::NotADirectory, "{error}");
    }

    #[cfg(unix)]
    #[test]
    fn files_of_killed_writers_are_swept_and_files_being_written_are_kept() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        for name in [".topicwatch-dead.part", "topicwatch-x.part", ".topicwatch-x.csv", ".other-x.part"] {
            std::fs::write(path(name), "left").unwrap();
        }
        std::os::unix::fs::symlink(path(".other-x.part"), path(".topicwatch-link.part")).unwrap();
        let mut living = Replacement::create(&path("one.csv"), &Protected::default()).unwrap();
        assert!(!path(".topicwatch-dead.part").exists());
        living.write_all(b"one").unwrap();
        replace_file(&path("two.csv"), b"two", &Protected::default()).unwrap();
        replace_file(&path("one.csv"), b"other", &Protected::default()).unwrap();
        living.commit().unwrap();
        assert_eq!(std::fs::read_to_string(path("one.csv")).unwrap(), "one");
        let mut left: Vec<String> =
            std::fs::read_dir(folder.path()).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
        left.sort();
        let others = [".other-x.part", ".topicwatch-link.part", ".topicwatch-x.csv"];
        assert_eq!(left, [&others[..], &["one.csv", "topicwatch-x.part", "two.csv"]].concat());
    }

    #[test]
    fn concurrent_writers_of_a_folder_do_not_remove_each_others_files() {
        let folder = tempfile::tempdir().unwrap();
        std::thread::scope(|scope| {
            for writer in 0..4 {
                let folder = folder.path();
                scope.spawn(move || {
                    for n in 0..60 {
                        let target = folder.join(format!("{}.csv", (writer + n) % 5));
                        replace_file(&target, format!("{writer} {n}").as_bytes(), &Protected::default()).unwrap();
                    }
                });
            }
        });
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 5, "the files alone are left");
    }

    /// Between its creation and its lock, a file looks abandoned.
    #[cfg(unix)]
    #[test]
    fn a_file_created_during_a_sweep_is_kept() {
        let folder = tempfile::tempdir().unwrap();
        let done = std::sync::atomic::AtomicBool::new(false);
        std::thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| {
                    while !done.load(std::sync::atomic::Ordering::Relaxed) {
                        sweep(folder.path());
                    }
                });
            }
            let lost = (0..2_000).filter(|_| {
                let file = create_temp_file(folder.path()).unwrap();
                // Meanwhile a sweep that found it without a lock could remove it.
                sweep(folder.path());
                sweep(folder.path());
                !file.path().exists()
            });
            let lost = lost.count();
            done.store(true, std::sync::atomic::Ordering::Relaxed);
            assert_eq!(lost, 0);
        });
    }

    #[cfg(unix)]
    #[test]
    fn devices_are_never_replaced() {
        use std::os::unix::fs::FileTypeExt as _;
        for target in ["/dev/null", "/dev/stdout", "/dev/new"] {
            assert!(Replacement::create(Path::new(target), &Protected::default()).is_err(), "{target}");
        }
        assert!(std::fs::metadata("/dev/null").unwrap().file_type().is_char_device());
        let folder = tempfile::tempdir().unwrap();
        let link = folder.path().join("link");
        std::os::unix::fs::symlink("/dev/null", &link).unwrap();
        assert!(Replacement::create(&link, &Protected::default()).is_err());
        assert!(std::fs::symlink_metadata(&link).unwrap().is_symlink());
    }

    #[cfg(unix)]
    #[test]
    fn a_symbolic_link_at_the_target_is_replaced_not_followed() {
        let folder = tempfile::tempdir().unwrap();
        let victim = folder.path().join("victim");
        std::fs::write(&victim, "precious").unwrap();
        let target = folder.path().join("out.csv");
        std::os::unix::fs::symlink(&victim, &target).unwrap();
        let mut new = Replacement::create(&target, &Protected::default()).unwrap();
        new.write_all(b"new").unwrap();
        new.commit().unwrap();
        assert_eq!(std::fs::read_to_string(&victim).unwrap(), "precious");
        assert!(!std::fs::symlink_metadata(&target).unwrap().is_symlink());
    }
}
