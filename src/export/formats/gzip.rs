//! Compresses a file while it is written, if its name asks for it. The gzip header has no time and no name, so that the
//! same rows give the same bytes. Compression runs in its own thread.

use std::io::{Error, Write};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::JoinHandle;

use flate2::{Compression, GzBuilder};

/// The ending that asks for compression.
const ENDING: &str = ".gz";

/// Compression level. A higher one takes much longer and saves little.
const LEVEL: Compression = Compression::new(4);

/// Bytes that are compressed at once. Always this many, whatever the size of each write, so that the same rows give
/// the same bytes.
const PAGE: usize = 64 * 1024;

/// Pages that may wait for the compressor.
const WAITING: usize = 8;

/// A file's name without the compression ending, and whether it had one.
#[must_use]
pub fn strip_gz(name: &str) -> (&str, bool) {
    let begin = name.len().saturating_sub(ENDING.len());
    match name.split_at_checked(begin) {
        Some((plain, ending)) if ending.eq_ignore_ascii_case(ENDING) && !plain.is_empty() => (plain, true),
        _ => (name, false),
    }
}

/// A writer that may compress.
#[derive(Debug)]
pub enum MaybeGzip<W> {
    Plain(W),
    Gzip(Gzip<W>),
}

impl<W: Write + Send + 'static> MaybeGzip<W> {
    /// Starts a file.
    ///
    /// # Errors
    /// When no thread can be started.
    pub fn new(out: W, packed: bool) -> std::io::Result<Self> {
        Ok(if packed { Self::Gzip(Gzip::new(out)?) } else { Self::Plain(out) })
    }

    /// Writes what is left, and returns the file.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn finish(self) -> std::io::Result<W> {
        match self {
            Self::Plain(mut out) => {
                out.flush()?;
                Ok(out)
            }
            Self::Gzip(gzip) => gzip.finish(),
        }
    }
}

impl<W: Write> Write for MaybeGzip<W> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        match self {
            Self::Plain(out) => out.write(bytes),
            Self::Gzip(gzip) => gzip.write(bytes),
        }
    }

    fn flush(&mut self) -> std::io::Result<()> {
        match self {
            Self::Plain(out) => out.flush(),
            // Flushing would end a block, and the file's bytes would depend on the size of each write.
            Self::Gzip(_) => Ok(()),
        }
    }
}

/// A message to the compressor: a page, or `None` at the end. A channel that closes without `None` means that the file
/// was given up.
type Sent = Option<Vec<u8>>;

/// A file that a thread compresses. If dropped before [`Gzip::finish`], it waits until the thread has closed the
/// file.
#[derive(Debug)]
pub struct Gzip<W> {
    page: Vec<u8>,
    pages: Option<SyncSender<Sent>>,
    thread: Option<JoinHandle<std::io::Result<W>>>,
}

impl<W: Write + Send + 'static> Gzip<W> {
    fn new(out: W) -> std::io::Result<Self> {
        let (pages, sent) = sync_channel(WAITING);
        let thread = std::thread::Builder::new().name("gzip".into()).spawn(move || compress(&sent, out))?;
        Ok(Self { page: Vec::with_capacity(PAGE), pages: Some(pages), thread: Some(thread) })
    }
}

impl<W> Gzip<W> {
    fn finish(mut self) -> std::io::Result<W> {
        let rest = std::mem::take(&mut self.page);
        self.send(Some(rest))?;
        self.send(None)?;
        self.join()
    }

    /// Sends a page. If that fails, returns the error with which the thread ended.
    fn send(&mut self, page: Sent) -> std::io::Result<()> {
        match self.pages.as_ref().map(|pages| pages.send(page)) {
            Some(Ok(())) => Ok(()),
            Some(Err(_)) | None => Err(self.join().err().unwrap_or_else(compressor_gone)),
        }
    }

    fn join(&mut self) -> std::io::Result<W> {
        self.pages = None;
        self.thread.take().and_then(|thread| thread.join().ok()).ok_or_else(compressor_gone)?
    }
}

impl<W> Write for Gzip<W> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let taken = bytes.len().min(PAGE - self.page.len());
        self.page.extend_from_slice(bytes.get(..taken).unwrap_or(bytes));
        if self.page.len() == PAGE {
            let page = std::mem::replace(&mut self.page, Vec::with_capacity(PAGE));
            self.send(Some(page))?;
        }
        Ok(taken)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

impl<W> Drop for Gzip<W> {
    fn drop(&mut self) {
        // The file was given up for another reason, which the caller knows; this error does not matter.
        let _ = self.join();
    }
}

/// Compresses pages until the end.
fn compress<W: Write>(sent: &Receiver<Sent>, out: W) -> std::io::Result<W> {
    let mut gzip = GzBuilder::new().write(out, LEVEL);
    while let Some(page) = sent.recv().map_err(|_| compressor_gone())? {
        gzip.write_all(&page)?;
    }
    let mut out = gzip.finish()?;
    out.flush()?;
    Ok(out)
}

/// The error if one side ended while the other continues.
fn compressor_gone() -> Error {
    Error::other("compression ended before the file did")
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests fail by panicking")]
    use std::io::Read as _;

    use super::*;

    #[test]
    fn the_extension_gz_selects_compression() {
        for (name, plain) in [
            ("a.csv.gz", ("a.csv", true)),
            ("A.JSONL.GZ", ("A.JSONL", true)),
            ("a.csv", ("a.csv", false)),
            (".gz", (".gz", false)),
            ("é.gz", ("é", true)),
            ("ß", ("ß", false)),
        ] {
            assert_eq!(strip_gz(name), plain);
        }
    }

    #[test]
    fn compressed_bytes_do_not_depend_on_how_the_input_is_split() {
        let text: Vec<u8> = (0..90_000_u32).flat_map(|n| format!("{n},{}\r\n", n % 97).into_bytes()).collect();
        let packed = |chunk_size: usize| {
            let mut file = MaybeGzip::new(Vec::new(), true).unwrap();
            for part in text.chunks(chunk_size) {
                file.write_all(part).unwrap();
                file.flush().unwrap();
            }
            file.finish().unwrap()
        };
        let expected = packed(text.len());
        for chunk_size in [1, 4_099, PAGE - 1, PAGE, PAGE + 1] {
            assert_eq!(packed(chunk_size), expected, "{chunk_size} at a time");
        }
        let mut unpacked = Vec::new();
        flate2::read::GzDecoder::new(expected.as_slice()).read_to_end(&mut unpacked).unwrap();
        assert_eq!(unpacked, text);
        // No flags, no time, no name.
        assert_eq!(expected.get(..8), Some(&[0x1f, 0x8b, 8, 0, 0, 0, 0, 0][..]));
    }

    /// A disk with room for this many bytes, and a reference that lives as long as the disk.
    struct Disk(usize, #[expect(dead_code, reason = "held, not read")] std::sync::Arc<()>);

    impl Write for Disk {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0 = self.0.checked_sub(bytes.len()).ok_or(std::io::ErrorKind::StorageFull)?;
            Ok(bytes.len())
        }

        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_full_disk_is_reported_to_the_writer() {
        let noise: Vec<u8> = (0..99_999_u32).flat_map(|n| *blake3::hash(&n.to_le_bytes()).as_bytes()).collect();
        for room in [0, 100_000, 3_000_000] {
            let handle = std::sync::Arc::new(());
            let mut file = MaybeGzip::new(Disk(room, handle.clone()), true).unwrap();
            let written = file.write_all(&noise).and_then(|()| file.finish().map(drop));
            assert_eq!(written.unwrap_err().kind(), std::io::ErrorKind::StorageFull, "{room}");
            assert_eq!(std::sync::Arc::strong_count(&handle), 1, "the file is let go");
        }
    }

    #[test]
    fn an_abandoned_file_is_closed_before_its_drop_returns() {
        let handle = std::sync::Arc::new(());
        let mut file = MaybeGzip::new(Disk(usize::MAX, handle.clone()), true).unwrap();
        file.write_all(&[7; 3 * PAGE]).unwrap();
        drop(file);
        assert_eq!(std::sync::Arc::strong_count(&handle), 1);
    }
}
