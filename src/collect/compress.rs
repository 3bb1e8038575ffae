//! Compresses replies with gzip (RFC 1952), so that a later decoder can read them again. The caller decides which
//! replies are kept, and how long.

use std::sync::{Mutex, PoisonError};

use flate2::{Compress, Compression, Crc, FlushCompress, Status};

/// Magic, deflate, no flags, no time, fastest level, unknown system: a reply gives the same bytes on every machine.
const HEADER: [u8; 10] = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 4, 255];

/// One compressor for all replies: clearing its tables is cheap, but creating them costs more than a typical reply.
#[derive(Debug)]
pub(super) struct Compressor(Mutex<Compress>);

impl Default for Compressor {
    fn default() -> Self {
        Self(Mutex::new(Compress::new(Compression::fast(), false)))
    }
}

impl Compressor {
    /// Returns one gzip member; `None` only if the compressor fails, which is not expected.
    pub(super) fn gzip(&self, bytes: &[u8]) -> Option<Vec<u8>> {
        let mut packed = Vec::with_capacity(bytes.len() / 3 + 256);
        packed.extend_from_slice(&HEADER);
        {
            // It is reset before each use, so a panic elsewhere does no harm.
            let mut deflate = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            deflate.reset();
            loop {
                let rest = bytes.get(usize::try_from(deflate.total_in()).ok()?..)?;
                match deflate.compress_vec(rest, &mut packed, FlushCompress::Finish).ok()? {
                    Status::StreamEnd => break,
                    Status::Ok | Status::BufError => packed.reserve(packed.len()),
                }
            }
        }
        let mut crc = Crc::new();
        crc.update(bytes);
        packed.extend_from_slice(&crc.sum().to_le_bytes());
        packed.extend_from_slice(&crc.amount().to_le_bytes());
        packed.shrink_to_fit();
        Some(packed)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests fail by panicking")]
    use std::io::Read as _;

    use super::*;

    #[test]
    fn a_reused_compressor_round_trips_any_bytes() {
        let packer = Compressor::default();
        // Some compress well, some do not compress at all and outgrow the first guess.
        let noise: Vec<u8> =
            (0_u32..50_000).flat_map(|n| blake3::hash(&n.to_le_bytes()).as_bytes()[..4].to_vec()).collect();
        for bytes in [&b""[..], b"a", &b"{\"text\": \"again and again\"}".repeat(9_000), &noise, b"a"] {
            let packed = packer.gzip(bytes).unwrap();
            let mut unpacked = Vec::new();
            flate2::read::GzDecoder::new(packed.as_slice()).read_to_end(&mut unpacked).unwrap();
            assert_eq!(unpacked, bytes);
            assert_eq!(packer.gzip(bytes).unwrap(), packed, "what was packed before leaves no trace");
        }
    }
}
