//! Store failures, with a hint what to do next. Absent data is not an error: it is an `Option` or an empty list.

use std::path::Path;

use crate::model::shell_word;

/// The kind of failure, which decides the exit code and whether waiting helps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StoreErrorKind {
    /// The database cannot be reached or opened.
    Unreachable,
    /// The database does not exist yet, or has no tables or those of an older version: a process that only reads cannot
    /// use it before another one has created or upgraded it.
    Unprepared,
    /// Nothing can be written: the disk is full or failing, or the database is read-only.
    Unwritable,
    /// Another process holds the lock.
    Locked,
    /// The database was written by a newer version of the program.
    Newer,
    /// The database holds data of the other origin (sandbox or real), belongs to another program, or cannot hold every
    /// text.
    Foreign,
    /// The open file is not the one at its path any more, or another daemon owns it by now.
    Replaced,
    /// This process no longer owns the run: it lost its lease and another process took it, or the run was ended.
    Fenced,
    /// The request does not fit the stored data: an unknown topic, a name already taken. Nothing was changed.
    Refused,
    /// A statement failed.
    Statement,
}

/// A store failure: what happened, and what to do next.
#[derive(Debug, Clone, thiserror::Error)]
#[error("{text}")]
pub struct StoreError {
    pub kind: StoreErrorKind,
    /// What happened, without any password.
    pub text: String,
    /// What to do next; may be empty.
    pub hint: String,
    /// Whether running the whole transaction again may help (serialization failure, deadlock, busy).
    pub(crate) again: bool,
    /// Whether the server is only temporarily away: it starts, stops, or refuses or drops connections.
    pub away: bool,
}

impl StoreError {
    /// Creates an error of a kind, with a hint.
    pub(crate) fn new(kind: StoreErrorKind, text: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { kind, text: text.into(), hint: hint.into(), again: false, away: false }
    }

    /// The request does not fit the stored data.
    pub(crate) fn refused(text: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::new(StoreErrorKind::Refused, text, hint)
    }

    /// Adds to SQLite's error about a lock which file is locked, and how to find the process that holds the lock.
    pub(crate) fn of_locked_file(self, path: &Path) -> Self {
        let path = path.display().to_string();
        let hint = format!(
            "{}; if it stays locked, see which process has the file open: lsof {}",
            self.hint,
            shell_word(&path)
        );
        Self { text: format!("{path}: {}", self.text), hint, ..self }
    }

    /// The run belongs to another process by now.
    pub(crate) fn fenced(run: &str) -> Self {
        Self::new(
            StoreErrorKind::Fenced,
            format!("run {run} is no longer held by this process; nothing was written"),
            "its lease expired while it was stopped, or someone ended it; `topicwatch runs` shows its state",
        )
    }

    /// The database holds a value that this version cannot read.
    pub(crate) fn unreadable(what: &str) -> Self {
        Self::new(
            StoreErrorKind::Statement,
            format!("the database contains {what} that this version cannot read"),
            "upgrade topicwatch, or restore a backup",
        )
    }
}

impl From<sqlx::Error> for StoreError {
    fn from(error: sqlx::Error) -> Self {
        let code = match &error {
            sqlx::Error::Database(inner) => inner.code().map(std::borrow::Cow::into_owned),
            _ => None,
        };
        let text = match &error {
            // The driver adds a line number of the server's source code.
            sqlx::Error::Database(inner) if code.as_deref().is_some_and(|code| code.len() == 5) => {
                inner.message().to_owned()
            }
            sqlx::Error::Database(inner) => inner.to_string(),
            _ => error.to_string(),
        };
        let busy = text.contains("database is locked") || matches!(code.as_deref(), Some("5" | "6" | "261" | "517"));
        // A lock timeout, and a server that shuts down or ends the connection: the transaction was rolled back.
        let waited = matches!(code.as_deref(), Some("55P03"));
        let ended = matches!(code.as_deref(), Some("25P03" | "57P01" | "57P02" | "57P03" | "57P05" | "53300"))
            || code.as_deref().is_some_and(|code| code.len() == 5 && code.starts_with("08"));
        // A server that shuts down in the middle of an answer leaves a part that cannot be parsed.
        let away = ended
            || matches!(
                error,
                sqlx::Error::Io(_) | sqlx::Error::Protocol(_) | sqlx::Error::PoolTimedOut | sqlx::Error::WorkerCrashed
            );
        let again = busy || waited || ended || matches!(code.as_deref(), Some("40001" | "40P01"));
        let (kind, hint) = match &error {
            _ if busy || waited => (StoreErrorKind::Locked, "another process is writing; try again in a moment"),
            _ if let Some(known) = code.as_deref().and_then(of_server) => known,
            _ if ended => (
                StoreErrorKind::Unreachable,
                "the database server is shutting down, starting up or full: try again in a moment",
            ),
            sqlx::Error::Io(_) | sqlx::Error::Tls(_)
                if let Some(hint) = crate::store::database::connect::certificates::hint(&text) =>
            {
                (StoreErrorKind::Unreachable, hint)
            }
            sqlx::Error::Io(_)
            | sqlx::Error::Protocol(_)
            | sqlx::Error::Tls(_)
            | sqlx::Error::PoolTimedOut
            | sqlx::Error::PoolClosed
            | sqlx::Error::WorkerCrashed => (
                StoreErrorKind::Unreachable,
                "is the database server running, and are the address and credentials correct?",
            ),
            sqlx::Error::Database(_) if matches!(code.as_deref(), Some("14")) => (
                StoreErrorKind::Unreachable,
                "does the folder exist, and may this user read and write the file and its folder?",
            ),
            sqlx::Error::Database(_) if matches!(code.as_deref(), Some("13" | "53100")) => {
                (StoreErrorKind::Unwritable, "the disk is full: free space; the data stored before is intact")
            }
            // SQLite's I/O errors (primary code 10): no room for its files, a limit, a failing disk.
            sqlx::Error::Database(_)
                if code.as_deref().is_some_and(|code| family(code) == Some(10) || code == "58030") =>
            {
                (
                    StoreErrorKind::Unwritable,
                    "is the disk full, or failing? free space; the data stored before is intact",
                )
            }
            sqlx::Error::Database(_) if matches!(code.as_deref(), Some("8" | "1032" | "1544")) => (
                StoreErrorKind::Unwritable,
                "run as the user that it belongs to, or allow this one to write to the database and its folder",
            ),
            sqlx::Error::Database(_) if matches!(code.as_deref(), Some("28P01" | "28000" | "3D000")) => {
                (StoreErrorKind::Unreachable, "are the user, password and database name in the URL correct?")
            }
            sqlx::Error::Database(_) if matches!(code.as_deref(), Some("42501")) => (
                StoreErrorKind::Unreachable,
                "the database user lacks a privilege: make it the owner of the schema, or GRANT ALL ON SCHEMA and on the tables in it",
            ),
            sqlx::Error::Database(_) if code.as_deref().is_some_and(|code| matches!(family(code), Some(11 | 26))) => (
                StoreErrorKind::Foreign,
                "this file is damaged or is not a SQLite database; restore a backup or choose another file",
            ),
            _ => (StoreErrorKind::Statement, ""),
        };
        Self { kind, text: one_line(&text), hint: hint.to_owned(), again, away }
    }
}

/// Returns what an error code of PostgreSQL means for a process, and a hint if it adds to the message.
fn of_server(code: &str) -> Option<(StoreErrorKind, &'static str)> {
    Some(match code {
        "25006" => (
            StoreErrorKind::Unwritable,
            "the database is read-only: is the server a standby, or default_transaction_read_only set for this user?",
        ),
        "25P03" => (
            StoreErrorKind::Unreachable,
            "this process stood still in a transaction, which the server has undone; try again",
        ),
        "40001" | "40P01" => (StoreErrorKind::Statement, "other processes wrote the same rows; try again"),
        "53200" => (StoreErrorKind::Statement, "the database server is out of memory: its log says why"),
        "53300" => (
            StoreErrorKind::Unreachable,
            "the database server has no free connection: raise max_connections, or end what holds them",
        ),
        "57014" => (
            StoreErrorKind::Statement,
            "it took longer than 60 seconds, or somebody cancelled it: is the database server overloaded?",
        ),
        _ => return None,
    })
}

/// Returns the primary code of a SQLite error code; `None` for PostgreSQL's, which have five characters.
fn family(code: &str) -> Option<u32> {
    code.parse::<u32>().ok().filter(|_| code.len() < 5).map(|code| code & 0xff)
}

/// Joins a database message into one line, since a log event is one line.
fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
