//! Checks a file: its bytes against its manifest, then its rows against the database. Writes nothing.

use std::fs::File;
use std::io::{self, BufReader, Read, Write};
use std::path::Path;

use flate2::bufread::MultiGzDecoder;

use super::manifest::Manifest;
use super::scheduled::{is_gzip_name, write_rows};
use super::{ExportError, SCHEMA};
use crate::store::Store;

/// The result of comparing a file with the database.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Comparison {
    /// They are the same, byte for byte.
    Same,
    /// The file is not the one that its manifest describes.
    Changed { how: String },
    /// The file is as it was written, but the database now gives other rows.
    Apart {
        /// The first line that differs, from 1.
        line: u64,
        /// Rows in the database now.
        rows: u64,
    },
    /// The file was written with another version of the columns.
    OtherSchema { schema: u32 },
}

/// Compares a file with its manifest and with the database.
///
/// # Errors
/// When either cannot be read.
pub async fn verify(store: &Store, file: &Path, manifest: &Manifest) -> Result<Comparison, ExportError> {
    if let Some(how) = manifest_mismatch(file, manifest)? {
        return Ok(Comparison::Changed { how });
    }
    if manifest.schema != SCHEMA {
        return Ok(Comparison::OtherSchema { schema: manifest.schema });
    }
    let unreadable = || io::Error::new(io::ErrorKind::InvalidData, "the manifest has no valid time");
    let (options, filtered) = manifest.order().ok_or_else(unreadable)?;
    let reader = BufReader::new(File::open(file)?);
    // Rows are compared, not compressed bytes: other versions may compress the same rows differently.
    let reader: Box<dyn Read + Send> =
        if is_gzip_name(file) { Box::new(MultiGzDecoder::new(reader)) } else { Box::new(reader) };
    let mut writer = ComparingWriter { file: reader, lines: 1, first_difference: None };
    let rows = write_rows(store, &options, filtered, &mut writer).await?;
    let more = writer.first_difference.is_none() && writer.file.read(&mut [0])? > 0;
    let line = writer.first_difference.or_else(|| more.then_some(writer.lines));
    Ok(line.map_or(Comparison::Same, |line| Comparison::Apart { line, rows }))
}

/// The difference between the file and its manifest; `None` if there is none.
fn manifest_mismatch(file: &Path, manifest: &Manifest) -> io::Result<Option<String>> {
    let mut hashing = super::manifest::Hashing::new(io::sink());
    io::copy(&mut File::open(file)?, &mut hashing)?;
    let (_, bytes, sha256) = hashing.finish();
    Ok(if bytes != manifest.bytes {
        Some(format!("it has {bytes} bytes; {} were written", manifest.bytes))
    } else if sha256 != manifest.sha256 {
        Some("its contents differ from what was written".to_owned())
    } else {
        None
    })
}

/// Compares what is written to it with a file, and remembers the first difference.
struct ComparingWriter {
    file: Box<dyn Read + Send>,
    lines: u64,
    first_difference: Option<u64>,
}

impl Write for ComparingWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.first_difference.is_some() {
            return Ok(bytes.len());
        }
        let mut file_bytes = vec![0; bytes.len()];
        let mut read = 0;
        while read < file_bytes.len() {
            match self.file.read(file_bytes.get_mut(read..).unwrap_or_default())? {
                0 => break,
                more => read += more,
            }
        }
        let same = bytes.iter().zip(file_bytes.iter().take(read)).take_while(|(a, b)| a == b).count();
        self.lines += bytes.iter().take(same).filter(|byte| **byte == b'\n').count() as u64;
        if same < bytes.len() {
            self.first_difference = Some(self.lines);
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
