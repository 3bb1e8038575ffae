//! A file that is packed on its way out when its name says so: gzip without a time or a name in its header, so that the
//! same rows give the same bytes.

use std::io::Write;

use flate2::write::GzEncoder;
use flate2::{Compression, GzBuilder};

/// The ending that asks for it.
const ENDING: &str = ".gz";

/// A file's name without the ending that says that it is packed, and whether it had one.
#[must_use]
pub fn unpacked_name(name: &str) -> (&str, bool) {
    let begin = name.len().saturating_sub(ENDING.len());
    match name.split_at_checked(begin) {
        Some((plain, ending)) if ending.eq_ignore_ascii_case(ENDING) && !plain.is_empty() => (plain, true),
        _ => (name, false),
    }
}

/// Bytes as they are, or packed.
#[derive(Debug)]
pub enum Packed<W: Write> {
    /// As they are.
    Plain(W),
    /// Packed.
    Gzip(GzEncoder<W>),
}

impl<W: Write> Packed<W> {
    /// Begins a file.
    pub fn new(out: W, packed: bool) -> Self {
        if packed { Self::Gzip(GzBuilder::new().write(out, Compression::default())) } else { Self::Plain(out) }
    }

    /// Writes what is left, and hands the file back.
    pub fn finish(self) -> std::io::Result<W> {
        match self {
            Self::Plain(mut out) => {
                out.flush()?;
                Ok(out)
            }
            Self::Gzip(gzip) => {
                let mut out = gzip.finish()?;
                out.flush()?;
                Ok(out)
            }
        }
    }
}

impl<W: Write> Write for Packed<W> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        match self {
            Self::Plain(out) => out.write(bytes),
            Self::Gzip(gzip) => gzip.write(bytes),
        }
    }

    fn flush(&mut self) -> std::io::Result<()> {
        match self {
            Self::Plain(out) => out.flush(),
            // Flushing would end a block, and packed files would depend on how rows are gathered.
            Self::Gzip(_) => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ending_says_whether_a_file_is_packed() {
        for (name, plain) in [
            ("a.csv.gz", ("a.csv", true)),
            ("A.JSONL.GZ", ("A.JSONL", true)),
            ("a.csv", ("a.csv", false)),
            (".gz", (".gz", false)),
            ("é.gz", ("é", true)),
            ("ß", ("ß", false)),
        ] {
            assert_eq!(unpacked_name(name), plain);
        }
    }
}
