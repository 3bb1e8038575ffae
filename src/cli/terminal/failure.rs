//! Exit codes, and the error and hint printed to stderr. Only this file decides which failure has which code.

use std::io::ErrorKind;
use std::path::Path;

use crate::cli::terminal::text;
use crate::export::ExportError;
use crate::files::ProtectedError;
use crate::store::{StoreError, StoreErrorKind};

/// Exit codes, as documented in docs/reference/exit-codes.md.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// All went well.
    Ok = 0,
    /// Any other failure.
    Unexpected = 1,
    /// Bad usage or configuration, key missing.
    Usage = 2,
    /// Some searches failed, key refused, over quota; what succeeded is stored.
    Searches = 3,
    /// Store unreachable or locked.
    Store = 4,
    /// Output could not be written.
    Output = 5,
    Interrupted = 130,
}

/// Why a command ended early.
#[derive(Debug)]
pub struct Failure {
    pub exit: Exit,
    /// What happened; empty if everything was printed already.
    pub text: String,
    /// What to do next.
    pub hint: String,
    /// Whether the database server is only away for now, so that waiting may help.
    pub away: bool,
}

impl Failure {
    /// A failure with its next step.
    pub fn new(exit: Exit, text: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { exit, text: text.into(), hint: hint.into(), away: false }
    }

    /// Bad usage or configuration.
    pub fn usage(text: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::new(Exit::Usage, text, hint)
    }

    /// A file that could not be written, or must not be.
    pub fn unwritable(file: &Path, error: &std::io::Error) -> Self {
        let text = format!("{} could not be written: {error}", text::escape_control(&file.display().to_string()));
        if error.get_ref().and_then(|inner| inner.downcast_ref::<ProtectedError>()).is_some() {
            return Self::usage(text, TAKEN);
        }
        let hint = match error.kind() {
            ErrorKind::InvalidInput => "write to stdout instead: --out -",
            ErrorKind::NotFound => "create the folder first, or choose another file",
            ErrorKind::IsADirectory => "name a file in it",
            ErrorKind::NotADirectory => "choose another folder, or move that file away",
            // The error says what to do, unless the system reports it.
            ErrorKind::FileTooLarge if error.raw_os_error().is_none() => "an existing file was not changed",
            ErrorKind::ResourceBusy if error.raw_os_error().is_none() => "run it again in a moment; it was not changed",
            _ => "is there room, and may this user write there? an existing file was not changed",
        };
        Self::new(Exit::Output, text, hint)
    }

    /// Ends with an exit code and prints nothing more.
    #[must_use]
    pub fn silent(exit: Exit) -> Self {
        Self::new(exit, "", "")
    }
}

/// The hint for a file that must not be replaced.
pub(in crate::cli) const TAKEN: &str = "choose another file; nothing was changed";

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        let exit = match error.kind {
            StoreErrorKind::Unreachable
            | StoreErrorKind::Unprepared
            | StoreErrorKind::Unwritable
            | StoreErrorKind::Locked
            | StoreErrorKind::Newer
            | StoreErrorKind::Foreign
            | StoreErrorKind::Replaced => Exit::Store,
            StoreErrorKind::Refused => Exit::Usage,
            StoreErrorKind::Fenced => Exit::Searches,
            StoreErrorKind::Statement => Exit::Unexpected,
        };
        Self { away: error.away, ..Self::new(exit, error.text, error.hint) }
    }
}

impl From<std::io::Error> for Failure {
    /// For errors of writing to stdout or a file. A closed pipe ends quietly, as `head` expects.
    fn from(error: std::io::Error) -> Self {
        if error.kind() == ErrorKind::BrokenPipe {
            return Self::silent(Exit::Ok);
        }
        let hint = match error.kind() {
            ErrorKind::FileTooLarge if error.raw_os_error().is_none() => "what was written so far is incomplete",
            _ => "is there room on the disk, and may this user write there?",
        };
        Self::new(Exit::Output, format!("the output could not be written: {error}"), hint)
    }
}

impl From<ExportError> for Failure {
    fn from(error: ExportError) -> Self {
        match error {
            ExportError::Store(error) => error.into(),
            ExportError::Output(error) => error.into(),
        }
    }
}

impl From<serde_json::Error> for Failure {
    fn from(error: serde_json::Error) -> Self {
        if error.is_io() {
            std::io::Error::from(error).into()
        } else {
            Self::new(Exit::Unexpected, error.to_string(), "")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_error_of_an_output_with_too_many_rows_does_not_mention_disk_space() {
        let error = || std::io::Error::new(ErrorKind::FileTooLarge, "select fewer rows");
        for failure in [Failure::unwritable(Path::new("a.xlsx"), &error()), error().into()] {
            assert!(failure.text.contains("select fewer rows") && !failure.hint.contains("room"), "{failure:?}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn the_error_of_a_file_too_large_for_the_system_mentions_disk_space() {
        // EFBIG
        let error = || std::io::Error::from_raw_os_error(27);
        for failure in [Failure::unwritable(Path::new("a.xlsx"), &error()), error().into()] {
            assert!(failure.hint.contains("room"), "{failure:?}");
        }
    }
}
