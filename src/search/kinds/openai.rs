//! Any server with OpenAI's `POST /chat/completions` (<https://platform.openai.com/docs/api-reference/chat>): Ollama,
//! llama.cpp, vLLM, hosted ones. It does not search: it writes about the new items of the run. The items are numbered,
//! and the model must cite them by number.

mod cite;
mod prompt;
mod reply;

use serde_json::json;

use super::kind::{Kind, ProviderRequest, ReadResult, SearchCall, SpanCoverage, failed, get};
use crate::model::Answer;
use crate::search::decode::DecodeError;
use crate::search::{ErrorClass, Reply, Request, Unsupported};

/// The default maximum number of items of a question.
const ITEMS: u32 = 200;

pub(super) struct OpenAi;

impl Kind for OpenAi {
    fn name(&self) -> &'static str {
        "openai"
    }

    fn prompt_item_count(&self, request: &ProviderRequest<'_>) -> usize {
        question(request).given
    }

    fn next(&self, request: &ProviderRequest<'_>, parts: &[SearchCall]) -> Result<Vec<Request>, Unsupported> {
        if !parts.is_empty() {
            return Ok(Vec::new());
        }
        let query = request.query;
        let question = question(request);
        let mut body = json!({
            "model": query.text("model").unwrap_or_default(),
            "messages": [
                { "role": "system", "content": prompt::RULES },
                { "role": "user", "content": question.text },
            ],
        });
        let streaming = query.flag("streaming");
        if streaming {
            body["stream"] = json!(true);
            // The token counts of a stream come in a chunk of their own, and only on request.
            body["stream_options"] = json!({ "include_usage": true });
        }
        // Some servers refuse one or the other, so neither is sent unless it is set.
        for name in ["max_tokens", "max_completion_tokens"] {
            if let Some(most) = query.count(name) {
                body[name] = json!(most);
            }
        }
        let http_request = get(query, "/chat/completions", Vec::new());
        Ok(vec![Request { method: "POST", body: Some(body), streaming, ..http_request }])
    }

    fn tokens(&self, parts: &[SearchCall]) -> u64 {
        let bodies = parts.iter().filter_map(|part| match &part.reply {
            Ok(reply) => Some(&reply.body),
            Err(failure) => failure.so_far.as_ref(),
        });
        bodies.map(|body| reply::tokens(body)).sum()
    }

    fn read(&self, request: &ProviderRequest<'_>, parts: &[SearchCall]) -> Result<ReadResult, DecodeError> {
        let Some(part) = parts.first() else {
            return Err(super::kind::malformed("no call was made", "the next run tries again"));
        };
        let (written, cut) = match &part.reply {
            Ok(reply) => (reply::read(&reply.body)?, None),
            // The text before the cut is worth keeping.
            Err(failure) => match failure.so_far.as_ref().and_then(|body| reply::read(body).ok()) {
                Some(written) => (written, Some((failure.class, failure.text.clone(), failure.hint.clone()))),
                None => return Err(failed(failure)),
            },
        };
        let question = question(request);
        let failure = cut.or_else(|| {
            let hint = "the part received is stored; the next run asks about its own new items only".to_owned();
            let why = written.error.as_ref().map_or_else(String::new, |error| format!(": {error}"));
            (!written.whole).then(|| (ErrorClass::Cut, format!("the answer was cut short{why}"), hint))
        });
        let hint = failure.as_ref().map(|(.., hint)| hint.clone());
        let notes = [question.note(), written.note()];
        let note = notes.into_iter().flatten().collect::<Vec<_>>().join("; ");
        let guess = || prompt::tokens(prompt::RULES) + prompt::tokens(&question.text) + prompt::tokens(&written.text);
        let tokens = written.tokens.unwrap_or_else(|| guess() as u64);
        let partial = failure.is_some() || written.length || written.filtered;
        let items = request.items.get(..question.given).unwrap_or(request.items);
        let model = written.model.or_else(|| request.query.text("model").map(str::to_owned));
        let answer =
            Answer { text: cite::add_sources(whole_links(&written.text, partial), items, partial), model, partial };
        let failure = failure.map(|(class, text, _)| (class, text));
        let reply = Reply { answer: Some(answer), failure, ..Reply::default() };
        let note = (!note.is_empty()).then_some(note);
        Ok(ReadResult { reply, coverage: SpanCoverage::Nothing, full: false, memory: Vec::new(), tokens, note, hint })
    }
}

/// Returns the text without a link at its end that a cut may have shortened.
fn whole_links(text: &str, partial: bool) -> &str {
    let last = text.rsplit(char::is_whitespace).next().unwrap_or_default();
    if partial && last.contains("://") { text.strip_suffix(last).unwrap_or(text) } else { text }
}

fn question(request: &ProviderRequest<'_>) -> prompt::Question {
    let query = request.query;
    let (items, tokens) = (query.count("items").unwrap_or(ITEMS), query.input_tokens());
    prompt::question(query.text("prompt").unwrap_or_default(), request.items, items as usize, tokens as usize)
}
