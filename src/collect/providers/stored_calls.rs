//! The replies of a search with several calls: stored in one record, and read back from it.

use bytes::Bytes;
use serde::{Deserialize, Serialize};

use crate::collect::compress::Compressor;
use crate::collect::outcome::search_outcome::{RAW_KEPT, SANDBOX_HEADER};
use crate::model::{ProviderKind, ProviderQuery, Remembered, Span, Time};
use crate::search::kinds::{Kind, PartFailure, PartReply, PromptItem, ProviderRequest, SearchCall};
use crate::search::{ErrorClass, Request};
use crate::store::RawRecord;

/// The request; the record's `request`.
#[derive(Serialize, Deserialize)]
pub(in crate::collect) struct StoredRequest {
    pub(in crate::collect) query: ProviderQuery,
    from: i64,
    until: i64,
    /// Key and address of each item that was given to the provider.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(in crate::collect) items: Vec<PromptItem>,
    /// Remembered data that affects how the replies are read.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(in crate::collect) memory: Vec<Remembered>,
}

impl StoredRequest {
    pub(in crate::collect) fn span(&self) -> Span {
        Span { from: Time(self.from), until: Time(self.until) }
    }
}

/// One call in the record's body.
#[derive(Serialize, Deserialize)]
struct KeptPart {
    path: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    address: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    status: Option<u16>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    headers: Vec<(String, String)>,
    /// The reply, if it is UTF-8.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    text: Option<String>,
    /// Any other reply, with each byte as the character with that code.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    bytes: Option<String>,
    /// Why there is no reply: class and text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    failed: Option<(String, String)>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    location: Option<String>,
}

pub(in crate::collect) fn invented(reply: &PartReply) -> bool {
    reply.header(SANDBOX_HEADER).is_some()
}

/// Builds the record of all parts; `None` if no call was answered.
pub(super) fn build_record(
    kind: &dyn Kind,
    provider_request: &ProviderRequest<'_>,
    parts: &[SearchCall],
    packer: &Compressor,
) -> Option<RawRecord> {
    let query = provider_request.query;
    let dialect = ProviderKind::named(&query.kind)?.name;
    let answered = parts.iter().any(|part| part.reply.as_ref().map_or_else(|e| e.so_far.is_some(), |_| true));
    let (mut left, mut truncated, mut bytes) = (RAW_KEPT, false, 0_i64);
    let mut kept = Vec::with_capacity(parts.len());
    for part in parts {
        let mut one = KeptPart {
            path: part.request.path.clone(),
            address: part.request.address.clone(),
            status: None,
            headers: Vec::new(),
            text: None,
            bytes: None,
            failed: None,
            location: None,
        };
        match &part.reply {
            Ok(reply) => {
                bytes = bytes.saturating_add(i64::try_from(reply.body.len()).unwrap_or(i64::MAX));
                one.status = Some(reply.status);
                one.headers.clone_from(&reply.headers);
                if reply.body.len() > left {
                    // Half of a feed would be read as another feed.
                    truncated = true;
                    one.failed = Some((ErrorClass::Cut.as_str().to_owned(), "too long to keep".to_owned()));
                } else {
                    left -= reply.body.len();
                    match std::str::from_utf8(&reply.body) {
                        Ok(text) => one.text = Some(text.to_owned()),
                        Err(_) => one.bytes = Some(reply.body.iter().map(|byte| char::from(*byte)).collect()),
                    }
                }
            }
            Err(failure) => {
                one.status = failure.status;
                one.failed = Some((failure.class.as_str().to_owned(), failure.text.clone()));
                one.location.clone_from(&failure.location);
                if let Some(body) = failure.so_far.as_ref().filter(|body| body.len() <= left) {
                    left -= body.len();
                    one.text = Some(String::from_utf8_lossy(body).into_owned());
                }
            }
        }
        kept.push(one);
    }
    let request = StoredRequest {
        query: query.clone(),
        from: provider_request.span.from.0,
        until: provider_request.span.until.0,
        items: provider_request.items.iter().take(kind.prompt_item_count(provider_request)).cloned().collect(),
        memory: kind.replay_memory(provider_request),
    };
    answered.then_some(())?;
    Some(RawRecord {
        request: serde_json::to_string(&request).ok()?,
        dialect,
        headers: "[]".to_owned(),
        body: packer.gzip(&serde_json::to_vec(&kept).ok()?)?,
        bytes,
        truncated,
    })
}

/// Reads the parts from a record's body.
pub(in crate::collect) fn read(query: &ProviderQuery, body: &[u8]) -> Option<Vec<SearchCall>> {
    let kept: Vec<KeptPart> = serde_json::from_slice(body).ok()?;
    let part = |kept: KeptPart| {
        let request = Request {
            source: query.source,
            method: "GET",
            path: kept.path,
            query: Vec::new(),
            body: None,
            limit: None,
            streaming: false,
            address: kept.address,
            redirected_from: Vec::new(),
            headers: Vec::new(),
        };
        let body = match (kept.text, kept.bytes) {
            (Some(text), _) => Some(Bytes::from(text)),
            (None, Some(bytes)) => bytes.chars().map(|c| u8::try_from(u32::from(c)).ok()).collect::<Option<Bytes>>(),
            (None, None) => None,
        };
        let reply = match (body, kept.failed) {
            (Some(body), None) => Ok(PartReply { status: kept.status.unwrap_or(200), headers: kept.headers, body }),
            (so_far, failed) => {
                let (class, text) = failed.unwrap_or_default();
                let class = ErrorClass::parse(&class).unwrap_or(ErrorClass::Cut);
                Err(PartFailure {
                    class,
                    status: kept.status,
                    text,
                    hint: String::new(),
                    location: kept.location,
                    not_before: None,
                    so_far,
                })
            }
        };
        SearchCall { request, reply }
    };
    Some(kept.into_iter().map(part).collect())
}
