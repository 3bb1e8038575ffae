//! The manifest next to an exported file: enough to check the file, and to read the same rows from the database again.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use sha2::{Digest as _, Sha256};

use super::spec::{ExportSpec, Mode};
use super::{ExportOptions, FilterMode, SCHEMA};
use crate::model::{SeqRange, Time};
use crate::store::{Edition, RunRange};

/// Maximum number of run ids in a manifest.
pub(super) const MOST_RUNS: u32 = 1_000;

/// Longest manifest that is read, in bytes.
const LONGEST: u64 = 4 * 1024 * 1024;

/// The manifest of a file. Fields are only ever added.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Manifest {
    /// Version of the columns.
    pub schema: u32,
    /// Name of the export.
    pub export: String,
    /// Number of the edition.
    pub edition: i64,
    /// Public id of the run that began the edition.
    pub run: String,
    /// Slot of that run.
    pub at: String,
    /// Whether the file holds all rows, or those since the last file.
    pub mode: Mode,
    /// The topic, if each topic has a file of its own.
    pub topic: Option<String>,
    /// Name of the file.
    pub file: String,
    /// Rows, without a header.
    pub rows: u64,
    /// Size of the file.
    pub bytes: u64,
    /// SHA-256 of the file, hexadecimal.
    pub sha256: String,
    /// Runs whose rows are in the file: with numbers above the first, up to the second.
    pub seq: (i64, i64),
    /// Times of the first and the last of these runs, UTC.
    pub window: (Option<String>, Option<String>),
    /// Number of these runs.
    pub runs: u64,
    /// Ids of these runs in reading order, the first thousand.
    pub run_ids: Vec<String>,
    /// SHA-256 of `query`, written without spaces.
    pub query_sha256: String,
    /// The request.
    pub query: ExportSpec,
}

impl Manifest {
    /// The manifest of a written file.
    pub(super) fn of(
        spec: &ExportSpec,
        edition: &Edition,
        topic: Option<&str>,
        file: &Path,
        written: &Written,
        run_range: &RunRange,
    ) -> serde_json::Result<Self> {
        let query = serde_json::to_string(spec)?;
        Ok(Self {
            schema: SCHEMA,
            export: spec.name.clone(),
            edition: edition.number,
            run: edition.run.clone(),
            at: edition.at.iso_millis(),
            mode: spec.mode,
            topic: topic.map(ToOwned::to_owned),
            file: file.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default(),
            rows: written.rows,
            bytes: written.bytes,
            sha256: written.sha256.clone(),
            seq: (edition.between.since, edition.between.until),
            window: (run_range.from.map(Time::iso_millis), run_range.until.map(Time::iso_millis)),
            runs: run_range.runs,
            run_ids: run_range.ids.clone(),
            query_sha256: hex(&Sha256::digest(query.as_bytes())),
            query: spec.clone(),
        })
    }

    /// The order that gives the same rows again, and what to do with rows that filters hide.
    #[must_use]
    pub fn order(&self) -> Option<(ExportOptions, FilterMode)> {
        let between = SeqRange { since: self.seq.0, until: self.seq.1 };
        Some((self.query.order(Time::parse(&self.at)?, between, self.topic.as_deref()), self.query.filtered))
    }

    /// Reads the manifest of a file.
    ///
    /// # Errors
    /// When there is none, or one that cannot be read.
    pub fn read_for(file: &Path) -> io::Result<Self> {
        use std::io::Read as _;
        let mut text = String::new();
        std::fs::File::open(manifest_path(file))?.take(LONGEST).read_to_string(&mut text)?;
        serde_json::from_str(&text).map_err(|e| io::Error::new(io::ErrorKind::InvalidData, e))
    }
}

/// Path of the manifest of a file.
#[must_use]
pub(super) fn manifest_path(file: &Path) -> PathBuf {
    let mut name = file.as_os_str().to_owned();
    name.push(".manifest.json");
    PathBuf::from(name)
}

/// The size and hash of a written file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Written {
    pub(super) rows: u64,
    pub(super) bytes: u64,
    pub(super) sha256: String,
}

/// Counts and hashes what is written through it.
pub(super) struct Hashing<W> {
    out: W,
    hash: Sha256,
    bytes: u64,
}

impl<W> Hashing<W> {
    pub(super) fn new(out: W) -> Self {
        Self { out, hash: Sha256::new(), bytes: 0 }
    }

    /// Returns the output, its size and its hash.
    pub(super) fn finish(self) -> (W, u64, String) {
        (self.out, self.bytes, hex(&self.hash.finalize()))
    }
}

impl<W: Write> Write for Hashing<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.out.write(bytes)?;
        self.hash.update(bytes.get(..written).unwrap_or(bytes));
        self.bytes += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write as _;
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}
