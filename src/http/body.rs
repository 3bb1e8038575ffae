//! Reads the body of a response: at most a number of decoded bytes, until a deadline. Decompresses gzip here, because a
//! body may consist of several members (RFC 1952, section 2.2).

use std::io::Write as _;

use bytes::{Bytes, BytesMut};
use flate2::write::GzDecoder;
use reqwest::header::{CONTENT_ENCODING, HeaderMap};
use tokio::time::{Instant, timeout_at};

use super::describe;

/// The most gzip members of a body: each costs time, even if it holds nothing.
const MOST_MEMBERS: usize = 100_000;

/// Why a body was not read to its end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReadStop {
    /// More decoded bytes than allowed.
    TooLarge,
    /// The deadline passed.
    Deadline,
    /// The connection ended before the body did.
    Cut(String),
    /// The compressed body is damaged.
    Undecodable(String),
}

/// A body that was not read to its end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IncompleteBody {
    pub why: ReadStop,
    /// The decoded part, never more than the limit.
    pub so_far: Bytes,
}

/// Returns the compressions of a body that [`read_capped`] does not decompress, as the server names them. Other words
/// in this header are not compressions and are ignored.
pub(crate) fn foreign_codings(headers: &HeaderMap) -> Option<String> {
    let codings = codings(headers);
    (!codings.is_empty() && !is_gzip(&codings)).then(|| codings.join(", "))
}

/// Names of codings are read in any case, and `x-gzip` is gzip (RFC 9110, section 8.4.1).
fn codings(headers: &HeaderMap) -> Vec<&str> {
    const KNOWN: [&str; 6] = ["br", "deflate", "zstd", "compress", "gzip", "x-gzip"];
    let stated = headers.get_all(CONTENT_ENCODING).iter().filter_map(|value| value.to_str().ok());
    let words = stated.flat_map(|value| value.split(',')).map(str::trim);
    words.filter(|word| KNOWN.iter().any(|known| known.eq_ignore_ascii_case(word))).collect()
}

fn is_gzip(codings: &[&str]) -> bool {
    matches!(codings, [one] if one.eq_ignore_ascii_case("gzip") || one.eq_ignore_ascii_case("x-gzip"))
}

/// Reads a body of at most `max_bytes` *decoded* bytes until `deadline`. The decoder returns small pieces, so a
/// compression bomb costs at most the limit plus one piece of memory.
///
/// # Errors
/// [`IncompleteBody`], with the part that was read.
pub async fn read_capped(
    mut response: reqwest::Response,
    max_bytes: u64,
    deadline: Instant,
) -> Result<Bytes, IncompleteBody> {
    let mut members = is_gzip(&codings(response.headers())).then(Members::default);
    let mut body = Decoded { bytes: BytesMut::new(), most: usize::try_from(max_bytes).unwrap_or(usize::MAX) };
    let why = loop {
        match timeout_at(deadline, response.chunk()).await {
            Ok(Ok(Some(chunk))) => {
                let added = match &mut members {
                    Some(members) => members.decode(&chunk, &mut body),
                    None => body.add(&chunk),
                };
                if let Err(why) = added {
                    break why;
                }
            }
            Ok(Ok(None)) => match members.as_mut().map_or(Ok(()), |members| members.end(&mut body)) {
                Ok(()) => return Ok(body.bytes.freeze()),
                Err(why) => break why,
            },
            Ok(Err(error)) if error.is_timeout() => break ReadStop::Deadline,
            Ok(Err(error)) => break ReadStop::Cut(describe(error)),
            Err(_) => break ReadStop::Deadline,
        }
    };
    if let (Some(members), ReadStop::Cut(_) | ReadStop::Deadline) = (&mut members, &why) {
        // Bytes beyond the limit are dropped.
        let _ = members.flush(&mut body);
    }
    Err(IncompleteBody { why, so_far: body.bytes.freeze() })
}

/// The decoded bytes so far, and how many there may be.
struct Decoded {
    bytes: BytesMut,
    most: usize,
}

impl Decoded {
    fn add(&mut self, piece: &[u8]) -> Result<(), ReadStop> {
        let (fits, more) = piece.split_at(piece.len().min(self.most - self.bytes.len()));
        self.bytes.extend_from_slice(fits);
        if more.is_empty() { Ok(()) } else { Err(ReadStop::TooLarge) }
    }
}

/// The gzip members of a body, one after the other.
#[derive(Default)]
struct Members {
    /// The one that is being read.
    open: Option<GzDecoder<Vec<u8>>>,
    /// How many were read to their end.
    read: usize,
    /// Whether the last member has ended: some servers append padding.
    is_over: bool,
}

impl Members {
    fn decode(&mut self, mut packed: &[u8], body: &mut Decoded) -> Result<(), ReadStop> {
        while !packed.is_empty() && !self.is_over {
            // Each member begins with this byte.
            if self.open.is_none() && self.read > 0 && packed.first() != Some(&0x1f) {
                self.is_over = true;
                return Ok(());
            }
            if self.read >= MOST_MEMBERS {
                return Err(ReadStop::Undecodable(format!("it has more than {MOST_MEMBERS} gzip members")));
            }
            let decoder = self.open.get_or_insert_with(|| GzDecoder::new(Vec::new()));
            let taken = decoder.write(packed).map_err(|error| damaged(&error))?;
            body.add(&std::mem::take(decoder.get_mut()))?;
            match packed.get(taken..).filter(|_| taken > 0) {
                Some(rest) => packed = rest,
                // The member is complete: the rest belongs to the next one.
                None => self.close(body)?,
            }
        }
        Ok(())
    }

    /// Checks the sum at the end of a member.
    fn close(&mut self, body: &mut Decoded) -> Result<(), ReadStop> {
        let Some(mut decoder) = self.open.take() else { return Ok(()) };
        decoder.try_finish().map_err(|error| damaged(&error))?;
        self.read += 1;
        body.add(decoder.get_ref())
    }

    /// Ends the body. A member that needs more bytes is incomplete. A body without bytes is empty.
    fn end(&mut self, body: &mut Decoded) -> Result<(), ReadStop> {
        self.flush(body)?;
        let Some(decoder) = &mut self.open else { return Ok(()) };
        match decoder.write(&[0]) {
            Ok(0) => self.close(body),
            _ => Err(ReadStop::Cut("the compressed data ends early".to_owned())),
        }
    }

    /// Adds the decoded bytes that are still buffered, for a member without an end.
    fn flush(&mut self, body: &mut Decoded) -> Result<(), ReadStop> {
        let Some(decoder) = &mut self.open else { return Ok(()) };
        decoder.flush().map_err(|error| damaged(&error))?;
        body.add(&std::mem::take(decoder.get_mut()))
    }
}

fn damaged(error: &std::io::Error) -> ReadStop {
    ReadStop::Undecodable(error.to_string())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

    use super::*;

    fn member(text: &[u8]) -> Vec<u8> {
        let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        packed.write_all(text).unwrap();
        packed.finish().unwrap()
    }

    fn decode(pieces: &[&[u8]], most: usize) -> (Result<(), ReadStop>, Vec<u8>) {
        let (mut members, mut body) = (Members::default(), Decoded { bytes: BytesMut::new(), most });
        let read = pieces.iter().try_for_each(|piece| members.decode(piece, &mut body));
        let read = read.and_then(|()| members.end(&mut body));
        (read, body.bytes.to_vec())
    }

    #[test]
    fn all_gzip_members_are_read_wherever_the_body_is_split() {
        let members = [member(b"one, "), member(b""), member(b"two, "), member(b"three")];
        let ends: Vec<usize> = (0..=members.len()).map(|many| members[..many].concat().len()).collect();
        let (packed, text) = (members.concat(), b"one, two, three");
        for at in 0..=packed.len() {
            let (first, second) = packed.split_at(at);
            assert_eq!(decode(&[first, second], 100), (Ok(()), text.to_vec()), "{at}");
            // A body may end only after a complete member.
            let (read, so_far) = decode(&[first], 100);
            assert!(text.starts_with(&so_far), "{at}: {so_far:?}");
            let is_whole = ends.contains(&at);
            assert!(read.is_ok() == is_whole && (is_whole || matches!(read, Err(ReadStop::Cut(_)))), "{at}: {read:?}");
        }
        let bytes: Vec<&[u8]> = packed.chunks(1).collect();
        assert_eq!(decode(&bytes, 100), (Ok(()), text.to_vec()));
        assert_eq!(decode(&[], 100), (Ok(()), Vec::new()));
    }

    #[test]
    fn bytes_after_the_last_gzip_member_are_ignored_and_damage_is_an_error() {
        let packed = member(b"all of it");
        assert_eq!(decode(&[&packed, &[0; 512]], 100), (Ok(()), b"all of it".to_vec()));
        assert_eq!(decode(&[&packed, &packed], 12), (Err(ReadStop::TooLarge), b"all of itall".to_vec()));
        let mut wrong_sum = packed.clone();
        wrong_sum[packed.len() - 5] ^= 1;
        for damaged in [&wrong_sum[..], b"this is no gzip at all", &[&packed[..], b"\x1f\x8bno"].concat()] {
            assert!(matches!(decode(&[damaged], 100).0, Err(ReadStop::Undecodable(_) | ReadStop::Cut(_))));
        }
        assert!(matches!(decode(&[&wrong_sum], 100).0, Err(ReadStop::Undecodable(_))));
        let many = member(b"").repeat(MOST_MEMBERS + 1);
        assert!(matches!(decode(&[&many], 100).0, Err(ReadStop::Undecodable(_))));
    }
}
