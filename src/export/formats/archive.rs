//! Writes a ZIP archive from start to end into any writer: it never seeks, and keeps only the list of parts, which the
//! libraries tried do not do. Supports only what a spreadsheet needs: deflated parts, less than four gigabytes.

use std::io::{Error, ErrorKind, Write};

use flate2::write::DeflateEncoder;
use flate2::{Compression, Crc};

use super::out::Out;

/// Deflated; sizes follow the data; names are UTF-8.
const METHOD: u16 = 8;
const FLAGS: u16 = 0x0808;
const VERSION: u16 = 20;
/// 1980-01-01, the first date in ZIP: with a fixed date the same data gives the same bytes.
const DAY: u16 = 0x21;

/// An archive being written.
pub(in crate::export) struct Archive<'w> {
    /// `None` after a write that failed.
    state: Option<State<'w>>,
    parts: Vec<Part>,
}

enum State<'w> {
    Between(CountingWriter<'w>),
    Within(Box<DeflateEncoder<CountingWriter<'w>>>, Crc, Part),
}

/// A part that was written.
struct Part {
    name: String,
    offset: u32,
    sum: u32,
    packed: u32,
    size: u32,
}

/// The output, and how many bytes were written to it.
struct CountingWriter<'w> {
    out: Out<'w>,
    written: u64,
}

impl Write for CountingWriter<'_> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let written = self.out.write(bytes)?;
        self.written += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.out.flush()
    }
}

fn to_u32(number: u64) -> std::io::Result<u32> {
    let too_large = "the spreadsheet would be too large: write CSV, or select fewer rows, by topic or time";
    u32::try_from(number).map_err(|_| Error::new(ErrorKind::FileTooLarge, too_large))
}

/// Reports a bug: parts must be begun and ended in turn.
fn misuse_error() -> Error {
    Error::other("a part of the archive was written out of order")
}

impl<'w> Archive<'w> {
    pub(in crate::export) fn new(out: Out<'w>) -> Self {
        Self { state: Some(State::Between(CountingWriter { out, written: 0 })), parts: Vec::new() }
    }

    /// Begins a part.
    pub(in crate::export) fn begin(&mut self, name: &str) -> std::io::Result<()> {
        let Some(State::Between(mut out)) = self.state.take() else { return Err(misuse_error()) };
        let part = Part { name: name.to_owned(), offset: to_u32(out.written)?, sum: 0, packed: 0, size: 0 };
        let mut header = 0x0403_4b50_u32.to_le_bytes().to_vec();
        part.describe(&mut header);
        header.extend([0; 2]);
        header.extend(name.as_bytes());
        out.write_all(&header)?;
        let deflate = Box::new(DeflateEncoder::new(out, Compression::default()));
        self.state = Some(State::Within(deflate, Crc::new(), part));
        Ok(())
    }

    /// Writes to the current part.
    pub(in crate::export) fn write(&mut self, bytes: &[u8]) -> std::io::Result<()> {
        let Some(State::Within(deflate, sum, _)) = &mut self.state else { return Err(misuse_error()) };
        sum.update(bytes);
        deflate.write_all(bytes)
    }

    /// Bytes of the current part so far, uncompressed.
    pub(in crate::export) fn size(&self) -> u64 {
        if let Some(State::Within(deflate, ..)) = &self.state { deflate.total_in() } else { 0 }
    }

    /// Ends the current part.
    pub(in crate::export) fn end(&mut self) -> std::io::Result<()> {
        let Some(State::Within(mut deflate, sum, mut part)) = self.state.take() else { return Err(misuse_error()) };
        deflate.try_finish()?;
        (part.sum, part.packed, part.size) = (sum.sum(), to_u32(deflate.total_out())?, to_u32(deflate.total_in())?);
        let mut out = deflate.finish()?;
        out.write_all(&0x0807_4b50_u32.to_le_bytes())?;
        for number in [part.sum, part.packed, part.size] {
            out.write_all(&number.to_le_bytes())?;
        }
        self.parts.push(part);
        self.state = Some(State::Between(out));
        Ok(())
    }

    /// Writes a whole part.
    pub(in crate::export) fn add_part(&mut self, name: &str, text: &str) -> std::io::Result<()> {
        self.begin(name)?;
        self.write(text.as_bytes())?;
        self.end()
    }

    /// Writes the central directory.
    pub(in crate::export) fn finish(mut self) -> std::io::Result<()> {
        let Some(State::Between(mut out)) = self.state.take() else { return Err(misuse_error()) };
        let begin = out.written;
        for part in &self.parts {
            let mut entry = 0x0201_4b50_u32.to_le_bytes().to_vec();
            entry.extend(VERSION.to_le_bytes());
            part.describe(&mut entry);
            // No extra field, no comment, one disk, no attributes.
            entry.extend([0; 12]);
            entry.extend(part.offset.to_le_bytes());
            entry.extend(part.name.as_bytes());
            out.write_all(&entry)?;
        }
        let parts = u16::try_from(self.parts.len()).map_err(|_| misuse_error())?.to_le_bytes();
        let mut end = 0x0605_4b50_u32.to_le_bytes().to_vec();
        end.extend([0; 4]);
        end.extend(parts);
        end.extend(parts);
        end.extend(to_u32(out.written - begin)?.to_le_bytes());
        end.extend(to_u32(begin)?.to_le_bytes());
        end.extend([0; 2]);
        out.write_all(&end)?;
        out.flush()
    }
}

impl Part {
    /// Writes what both headers of a part share, up to the length of its name.
    fn describe(&self, header: &mut Vec<u8>) {
        for number in [VERSION, FLAGS, METHOD, 0, DAY] {
            header.extend(number.to_le_bytes());
        }
        for number in [self.sum, self.packed, self.size] {
            header.extend(number.to_le_bytes());
        }
        header.extend(u16::try_from(self.name.len()).unwrap_or(0).to_le_bytes());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_error_for_too_many_rows_names_no_command_line_option() {
        let text = to_u32(u64::MAX).unwrap_err().to_string();
        assert!(text.contains("select fewer rows") && !text.contains("--"), "{text}");
    }
}
