//! The journal of tombstones: a file that outlives a restored backup. On SQLite it is next to the database. It holds
//! keyed hashes and their key, but no names.

use std::collections::BTreeSet;
use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::cli::terminal::failure::{Exit, Failure};
use crate::cli::terminal::output;
use crate::draw::format::count_noun;
use crate::files::{Protected, Replacement};
use crate::model::Time;
use crate::store::{ForgetKey, Store, Tombstone, TombstoneKind};

/// The first line: says what the file is.
#[derive(Serialize, Deserialize)]
struct Head {
    topicwatch: String,
    version: u32,
    key: String,
}

/// Every other line; `at` is in milliseconds.
#[derive(Serialize, Deserialize)]
struct Line {
    kind: TombstoneKind,
    hash: String,
    at: i64,
}

const WHAT: &str = "forgotten";

/// The largest file that is read, in bytes.
const MOST: u64 = 512 * 1024 * 1024;

/// The tombstones of a file.
pub(in crate::cli) struct Journal {
    pub(in crate::cli) key: ForgetKey,
    pub(in crate::cli) all: Vec<Tombstone>,
}

/// Why a file could not be read as a journal.
#[derive(Debug)]
pub(in crate::cli) struct JournalError {
    pub(in crate::cli) text: String,
    /// Whether its permissions keep this user from reading it: then there may be nothing wrong with its contents.
    forbidden: bool,
}

impl JournalError {
    /// Returns the hint; `wrong` is the hint if the file itself is wrong.
    pub(in crate::cli) fn hint(&self, wrong: &'static str) -> &'static str {
        if self.forbidden { "let this user read it, or run this as the user that owns it" } else { wrong }
    }
}

/// For a database's own journal.
impl From<JournalError> for Failure {
    fn from(error: JournalError) -> Self {
        let hint = error.hint("it was written by `topicwatch db forget`: restore it from a backup");
        Self::new(Exit::Store, error.text, hint)
    }
}

/// Returns the path of the journal next to a SQLite database.
pub(in crate::cli) fn path_for(store: &Store) -> Option<PathBuf> {
    store.file_beside(".forgotten")
}

/// Writes the journal next to a SQLite database, if anything was ever forgotten in it.
pub(in crate::cli) async fn keep(store: &Store) -> Result<(), Failure> {
    match path_for(store) {
        // The journal belongs to the database and nothing else writes it, so it needs no protected files.
        Some(path) => Journal::write(store, &path, &Protected::default()).await.map(drop),
        None => Ok(()),
    }
}

impl Journal {
    /// Reads a journal; `None` if there is no file.
    pub(in crate::cli) fn read(path: &Path) -> Result<Option<Self>, JournalError> {
        let display_path = output::escape_control(&path.display().to_string());
        let wrong = |text: String| JournalError { text, forbidden: false };
        let unreadable = |error: std::io::Error| JournalError {
            text: format!("{display_path} cannot be read: {error}"),
            forbidden: error.kind() == ErrorKind::PermissionDenied,
        };
        match std::fs::metadata(path) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(unreadable(error)),
            Ok(metadata) if metadata.len() > MOST => {
                return Err(wrong(format!("{display_path} is too large to be a journal")));
            }
            Ok(_) => {}
        }
        let text = std::fs::read_to_string(path).map_err(unreadable)?;
        let mut lines = text.lines();
        let head: Option<Head> = lines.next().and_then(|line| serde_json::from_str(line).ok());
        let head = head.filter(|head| head.topicwatch == WHAT && head.version == 1);
        let key = head.and_then(|head| ForgetKey::parse(&head.key));
        let key = key.ok_or_else(|| wrong(format!("{display_path} is not a journal of `topicwatch db forget`")))?;
        let read = |line: &str| {
            serde_json::from_str(line).map(|Line { kind, hash, at }| Tombstone { kind, hash, at: Time(at) })
        };
        let all: Result<Vec<Tombstone>, serde_json::Error> = lines.map(read).collect();
        let all =
            all.map_err(|error| wrong(format!("{display_path} contains a line that is not a tombstone: {error}")))?;
        Ok(Some(Self { key, all }))
    }

    /// Writes all tombstones of a database to one file and returns their number. If nothing was ever forgotten there is
    /// no key: then it returns `None` and writes nothing.
    pub(in crate::cli) async fn write(
        store: &Store,
        path: &Path,
        protected: &Protected,
    ) -> Result<Option<usize>, Failure> {
        protected.check(path).map_err(|taken| Failure::unwritable(path, &taken.into()))?;
        let Some(key) = store.forget_key().await? else { return Ok(None) };
        let all = store.tombstones().await?;
        let written = || {
            let mut file = Replacement::create(path, protected)?;
            serde_json::to_writer(&mut file, &Head { topicwatch: WHAT.into(), version: 1, key: key.to_hex() })?;
            file.write_all(b"\n")?;
            for (tombstone, _) in &all {
                let line = Line { kind: tombstone.kind, hash: tombstone.hash.clone(), at: tombstone.at.0 };
                serde_json::to_writer(&mut file, &line)?;
                file.write_all(b"\n")?;
            }
            file.commit()
        };
        written().map_err(|error: std::io::Error| {
            let unwritten = Failure::unwritable(path, &error);
            let clear =
                matches!(error.kind(), ErrorKind::NotFound | ErrorKind::IsADirectory | ErrorKind::NotADirectory);
            if clear || unwritten.exit == Exit::Usage {
                return unwritten;
            }
            let hint = match error.kind() {
                ErrorKind::InvalidInput => "name a file in another folder; in the database, erased data stays erased",
                _ => "is there room, and may this user write there? in the database, erased data stays erased",
            };
            Failure { hint: hint.to_owned(), ..unwritten }
        })?;
        Ok(Some(all.len()))
    }
}

/// Rejects a database that lacks tombstones of its journal: it was restored from an older backup.
pub(in crate::cli) async fn reject_older_database(store: &Store) -> Result<(), Failure> {
    let Some(path) = path_for(store) else { return Ok(()) };
    let Some(journal) = Journal::read(&path)? else { return Ok(()) };
    let hashes: BTreeSet<&str> = journal.all.iter().map(|one| one.hash.as_str()).collect();
    let strange = if store.forget_key().await? == Some(journal.key) {
        store.count_unknown_tombstones(&hashes).await?
    } else {
        hashes.len()
    };
    if strange == 0 {
        return Ok(());
    }
    Err(Failure::new(
        Exit::Store,
        format!(
            "{strange} of {} in {} {} not in {}: the database is older than the journal",
            count_noun(hashes.len() as u64, "tombstone"),
            output::escape_control(&path.display().to_string()),
            if strange == 1 { "is" } else { "are" },
            output::escape_control(store.location())
        ),
        "run `topicwatch db forget --resume` to erase it again (or move the journal away if it belongs to another database)",
    ))
}
