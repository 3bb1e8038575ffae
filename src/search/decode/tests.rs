//! Tests of the decoder as a whole, through [`decode`] and [`StreamDecoder`].
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stderr,
    reason = "tests fail by panicking"
)]

mod broken;
mod cut;
mod dates;
mod entries;
mod pieces;
mod plain;
mod properties;
mod streamed;
mod suite;

use super::*;
use crate::model::{Kind, ReplyEntry, Time};

/// 2026-03-11T09:00:00Z.
const NOW: Time = Time(1_773_219_600_000);

fn context(source: Source) -> Context {
    Context { source, now: NOW, streaming: false, media: ContentType::Unsaid, cut: None, limits: Limits::default() }
}

fn read(source: Source, body: &str) -> Reply {
    decode(body.as_bytes(), &context(source)).unwrap_or_else(|e| panic!("{body}: {e:?}"))
}

fn refused(source: Source, body: impl AsRef<[u8]>) -> DecodeError {
    match decode(body.as_ref(), &context(source)) {
        Err(error) => error,
        Ok(reply) => panic!("accepted: {reply:?}"),
    }
}

fn texts(reply: &Reply) -> Vec<&str> {
    reply.items.iter().map(|item| item.text.as_deref().unwrap_or("-")).collect()
}

fn answer(reply: &Reply) -> &str {
    reply.answer.as_ref().map_or("-", |answer| answer.text.as_str())
}

/// Decodes a body fed one byte at a time.
fn dripped(source: Source, body: &[u8]) -> Result<Reply, DecodeError> {
    let mut decoder = StreamDecoder::new(context(source));
    for byte in body {
        decoder.push(std::slice::from_ref(byte));
    }
    decoder.finish()
}
