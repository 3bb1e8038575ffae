//! Decodes one 2xx body to one [`Reply`], by the shape of the body and never by the call it answers: deployments
//! disagree about names, wrappers and streaming. Pure: no IO, no clock. It does not retry, check time windows, assign
//! identities, remove duplicates, or escape text for terminals and pages.
//!
//! The accepted shapes are listed in `docs/dev/decoder.md`.

mod answer;
mod context;
mod document;
mod entry;
mod error;
mod failure;
mod json;
mod media;
mod prose;
mod stream;
#[cfg(test)]
mod tests;

use super::{ErrorClass, Reply};
use crate::model::{Answer, Source};
pub use context::{Context, Limits};
pub(in crate::search) use entry::date::parse_date_in_words;
pub use error::{DecodeError, all_unreadable};
use error::{cut_text, malformed};
use json::lenient::ParseError;
pub(in crate::search) use json::lenient::value as json_value;
pub(in crate::search) use json::lenient::value_as as json_value_as;
pub use media::ContentType;
pub use stream::StreamDecoder;

/// Decodes a body. A reply without entries and without an answer is one that says in a known way that nothing was
/// found. A body in which nothing can be read is an error. A broken stream or document gives what came before, with
/// `failure` set.
///
/// # Errors
/// `Malformed` for a body that is no reply (empty, HTML, broken or too deeply nested JSON, plain text where entries
/// were expected) or has an unknown shape; `Cut` (`Timeout`, if that is known) for one that ends too early with nothing
/// complete in it; `Service` for an error object.
pub fn decode(body: &[u8], context: &Context) -> Result<Reply, DecodeError> {
    crate::failpoint::at("decode/begun");
    let decoded_text = json::lenient::text(body);
    let text = decoded_text.trim();
    if text.is_empty() {
        return mark_truncated(Err(malformed("the reply has no content".to_owned())), context);
    }
    if stream::framing::is_event_stream(&decoded_text, context.media == ContentType::Events) {
        return stream(&decoded_text, context);
    }
    let read = match json::lenient::parse(text, context.limits) {
        Ok(node) if stream::payload::is_frame(&node) => return stream(&decoded_text, context),
        Ok(node) => document::reply(&node, context),
        Err(ParseError::TooDeep) => {
            Err(malformed(format!("the reply nests lists or objects deeper than {} levels", context.limits.max_depth)))
        }
        Err(_) if stream::payload::starts_with_frame(text, context.limits) => return stream(&decoded_text, context),
        Err(ParseError::Cut(rest)) if !text.starts_with(|c: char| c.is_ascii_alphanumeric()) => {
            document::cut_reply(rest.as_ref(), context)
        }
        Err(refusal) => plain_text(text, &refusal, context),
    };
    mark_truncated(read, context)
}

/// Reads a body that is not JSON: a proxy's page, prose or garbage. Only prose is an answer.
fn plain_text(text: &str, refusal: &ParseError, context: &Context) -> Result<Reply, DecodeError> {
    if is_markup(text) || context.media == ContentType::Page {
        return Err(DecodeError {
            class: ErrorClass::Malformed,
            text: "an HTML page instead of JSON".to_owned(),
            hint: "check that base_url is the service, not a page in front of it".to_owned(),
        });
    }
    let meant_as_json = context.media == ContentType::Json || prose::looks_like_json(text, context.limits);
    if context.source != Source::Ai || meant_as_json || prose::is_binary(text) {
        return Err(malformed(format!("the reply is not JSON: {refusal}")));
    }
    let text = entry::field::truncate(text, context.limits.max_field_chars).to_owned();
    Ok(Reply { answer: Some(Answer { text, model: None, partial: false }), ..Reply::default() })
}

fn stream(text: &str, context: &Context) -> Result<Reply, DecodeError> {
    let mut decoder = StreamDecoder::new(*context);
    decoder.push(text.as_bytes());
    decoder.finish()
}

/// Marks the reply as incomplete if the body is known to lack its end.
fn mark_truncated(read: Result<Reply, DecodeError>, context: &Context) -> Result<Reply, DecodeError> {
    let Some(class) = context.cut else { return read };
    match read {
        Ok(mut reply) => {
            if let Some(answer) = &mut reply.answer {
                answer.partial = true;
            }
            if !matches!(reply.failure, Some((ErrorClass::Service, _))) {
                reply.failure = Some((class, cut_text(class)));
            }
            Ok(reply)
        }
        Err(error) if error.class == ErrorClass::Service => Err(error),
        Err(error) => Err(DecodeError { class, text: format!("{}: {}", cut_text(class), error.text), ..error }),
    }
}

fn is_markup(text: &str) -> bool {
    let head: String = text.chars().take(1_024).collect::<String>().to_ascii_lowercase();
    head.starts_with('<') && ["<!doctype", "<html", "<head", "<body", "<?xml"].iter().any(|mark| head.contains(mark))
}
