//! Files that must not be overwritten: the database in use, the configuration, keys. A file is recognised by device and
//! inode, whatever its name, and by folder and name if it does not exist. `cli` decides which files these are.

use std::ffi::OsStr;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

/// Endings of the files that SQLite and this program keep next to a database.
const BESIDE: [&str; 6] = ["-wal", "-shm", "-journal", ".lock", ".migrate.lock", ".forgotten"];

/// The first bytes of every SQLite database.
const SQLITE: &[u8; 16] = b"SQLite format 3\0";

/// Files that must not be replaced, each with a description.
#[derive(Debug, Clone, Default)]
pub struct Protected {
    files: Vec<(PathBuf, &'static str)>,
    /// Whether all SQLite databases are protected, and their `-wal` and `-shm` files.
    databases: bool,
}

/// Why a file is not replaced, as in "it is the configuration".
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("it is {0}")]
pub struct ProtectedError(pub String);

impl From<ProtectedError> for io::Error {
    fn from(taken: ProtectedError) -> Self {
        Self::new(io::ErrorKind::InvalidInput, taken)
    }
}

impl Protected {
    /// Protects every SQLite database, and the files next to one.
    #[must_use]
    pub fn databases() -> Self {
        Self { files: Vec::new(), databases: true }
    }

    /// Allows replacing databases that were not named: a backup replaces an older one.
    #[must_use]
    pub fn allow_other_databases(mut self) -> Self {
        self.databases = false;
        self
    }

    /// Protects one more file.
    pub fn add(&mut self, file: impl Into<PathBuf>, what: &'static str) {
        self.files.push((file.into(), what));
    }

    /// Protects a SQLite database and all its files, even if its name is a link.
    pub fn add_database(&mut self, file: &Path) {
        let real = file.canonicalize().ok().filter(|real| real != file);
        for file in real.as_deref().into_iter().chain([file]) {
            self.add(file, "the database itself");
            for ending in BESIDE {
                self.add(with_ending(file, ending), "a file of the database");
            }
        }
    }

    /// Checks that the target may be replaced.
    ///
    /// # Errors
    /// Says what the file is.
    pub fn check(&self, target: &Path) -> Result<(), ProtectedError> {
        // Check protected names first: a database that this process uses must not be opened here, because closing it
        // again would drop SQLite's locks.
        let led = follow_links(target);
        if let Some((_, what)) =
            self.files.iter().find(|(file, _)| is_same_file(file, target) || is_same_file(file, &led))
        {
            return Err(ProtectedError((*what).to_owned()));
        }
        if !self.databases {
            return Ok(());
        }
        if is_database(target) {
            return Err(ProtectedError("a SQLite database".to_owned()));
        }
        if is_beside_database(target) {
            return Err(ProtectedError("a file of a SQLite database".to_owned()));
        }
        Ok(())
    }
}

/// The most links that are followed.
const MOST_LINKS: usize = 16;

/// Whether its name is that of a file next to an existing database.
fn is_beside_database(target: &Path) -> bool {
    let Some(name) = target.file_name().and_then(OsStr::to_str) else { return false };
    let mut stems = BESIDE.iter().filter_map(|ending| name.strip_suffix(ending));
    stems.any(|stem| is_database(&target.with_file_name(stem)))
}

fn with_ending(file: &Path, ending: &str) -> PathBuf {
    let mut name = file.as_os_str().to_owned();
    name.push(ending);
    PathBuf::from(name)
}

/// Whether it is a regular file that starts like a SQLite database.
fn is_database(file: &Path) -> bool {
    let mut head = [0; 16];
    // Open nothing else: a pipe would wait for its other end.
    file.metadata().is_ok_and(|there| there.is_file())
        && std::fs::File::open(file).and_then(|mut file| file.read_exact(&mut head)).is_ok()
        && head == *SQLITE
}

/// Returns where links lead, even if no file is there: SQLite removes its log and creates it again.
fn follow_links(target: &Path) -> PathBuf {
    let mut led = target.to_owned();
    for _ in 0..MOST_LINKS {
        match std::fs::read_link(&led) {
            Ok(next) => led = folder_of(&led).join(next),
            Err(_) => break,
        }
    }
    led
}

/// Whether two paths name the same file.
fn is_same_file(one: &Path, other: &Path) -> bool {
    let named = |path: &Path| Some((identity(&folder_of(path))?, path.file_name()?.to_owned()));
    let names = named(one).zip(named(other));
    if names.as_ref().is_some_and(|(one, other)| one == other) {
        return true;
    }
    match (identity(one), identity(other)) {
        (Some(one), Some(other)) => one == other,
        // Neither exists, and the file system may treat both names as one.
        (None, None) => names.is_some_and(|(one, other)| one.0 == other.0 && equal_ignoring_case(&one.1, &other.1)),
        _ => false,
    }
}

fn equal_ignoring_case(one: &OsStr, other: &OsStr) -> bool {
    one.to_string_lossy().to_lowercase() == other.to_string_lossy().to_lowercase()
}

fn folder_of(path: &Path) -> PathBuf {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder.to_owned(),
        _ => PathBuf::from("."),
    }
}

/// Returns what identifies a file, whatever its name; `None` if it does not exist.
#[cfg(unix)]
fn identity(path: &Path) -> Option<(u64, u64)> {
    use std::os::unix::fs::MetadataExt as _;
    path.metadata().ok().map(|there| (there.dev(), there.ino()))
}

#[cfg(not(unix))]
fn identity(path: &Path) -> Option<PathBuf> {
    path.canonicalize().ok()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests fail by panicking")]
    use super::*;

    #[test]
    fn a_protected_file_is_recognised_under_every_name() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        std::fs::create_dir(path("sub")).unwrap();
        std::fs::write(path("jobs.toml"), "precious").unwrap();
        std::fs::write(path("other"), "").unwrap();
        let mut protected = Protected::databases();
        protected.add(path("jobs.toml"), "the configuration");
        protected.add_database(&path("t.db"));
        let mut names =
            vec!["jobs.toml", "sub/../jobs.toml", "./jobs.toml", "t.db", "t.db-wal", "t.db-shm", "T.DB-Wal"];
        names.extend(["t.db-journal", "t.db.lock", "t.db.forgotten", "sub/../t.db-wal"]);
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink(path("jobs.toml"), path("link")).unwrap();
            std::os::unix::fs::symlink(folder.path(), path("again")).unwrap();
            std::fs::hard_link(path("jobs.toml"), path("hard")).unwrap();
            std::os::unix::fs::symlink("t.db-wal", path("log")).unwrap();
            std::os::unix::fs::symlink(path("log"), path("log2")).unwrap();
            names.extend(["link", "hard", "again/jobs.toml", "again/t.db-wal", "log", "log2"]);
        }
        for name in names {
            assert!(protected.check(&path(name)).is_err(), "{name}");
        }
        for name in ["new.csv", "other", "sub/jobs.toml", "sub/t.db-wal", "t.db-waltz", "none/t.db", "t.db2"] {
            assert_eq!(protected.check(&path(name)), Ok(()), "{name}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_database_behind_a_symbolic_link_is_protected_under_both_names() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        std::fs::write(path("real.db"), "").unwrap();
        std::os::unix::fs::symlink(path("real.db"), path("link.db")).unwrap();
        let mut protected = Protected::default();
        protected.add_database(&path("link.db"));
        for name in ["link.db", "real.db", "link.db.lock", "real.db-wal", "link.db-wal"] {
            assert!(protected.check(&path(name)).is_err(), "{name}");
        }
    }

    #[test]
    fn an_unlisted_sqlite_database_is_recognised_by_its_header() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        std::fs::write(path("some.db"), [&SQLITE[..], b"rest"].concat()).unwrap();
        std::fs::write(path("text.db"), "SQLite format 4").unwrap();
        let all = Protected::databases();
        assert_eq!(all.check(&path("some.db")), Err(ProtectedError("a SQLite database".to_owned())));
        assert_eq!(all.check(&path("some.db-wal")), Err(ProtectedError("a file of a SQLite database".to_owned())));
        assert_eq!(all.check(&path("text.db")), Ok(()));
        assert_eq!(all.check(&path("text.db-wal")), Ok(()));
        assert_eq!(all.allow_other_databases().check(&path("some.db")), Ok(()));
    }
}
