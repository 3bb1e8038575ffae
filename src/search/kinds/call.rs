//! Makes all calls of a search one after the other, without counting them: for probes and tries. Runs count theirs in
//! `collect`.

use super::kind::{Kind, MOST_PARTS, PartFailure, PartReply, ProviderRequest, SearchCall};
use crate::model::Time;
use crate::search::{CallError, CallFailure, Client, ErrorClass, NoGate, RawReply, Request, Unsupported};

impl SearchCall {
    /// A call that was answered.
    #[must_use]
    pub fn answered(request: Request, reply: RawReply) -> Self {
        let reply = match reply.cut {
            Some((class, text)) => {
                let hint = "the next run tries again".to_owned();
                let so_far = Some(reply.body);
                let (status, location, not_before) = (Some(reply.status), None, None);
                Err(PartFailure { class, status, text, hint, location, not_before, so_far })
            }
            None => Ok(PartReply { status: reply.status, headers: reply.headers, body: reply.body }),
        };
        Self { request, reply }
    }

    /// Whether a reply arrived, even if it was cut.
    #[must_use]
    pub fn is_answered(&self) -> bool {
        self.reply.as_ref().map_or_else(|failure| failure.so_far.is_some(), |_| true)
    }

    /// A call whose outcome is not known yet.
    #[must_use]
    pub fn unanswered(request: Request) -> Self {
        let (text, hint) = (String::new(), String::new());
        let (class, status, location, not_before, so_far) = (ErrorClass::Transport, None, None, None, None);
        Self { request, reply: Err(PartFailure { class, status, text, hint, location, not_before, so_far }) }
    }

    /// A call that failed.
    #[must_use]
    pub fn failed(request: Request, error: CallError) -> Self {
        let CallError { class, status, text, hint, location, not_before, .. } = error;
        Self { request, reply: Err(PartFailure { class, status, text, hint, location, not_before, so_far: None }) }
    }
}

/// Makes calls until there is nothing more to ask, or `most` were made.
///
/// # Errors
/// [`Unsupported`].
pub async fn call_all(
    kind: &dyn Kind,
    request: &ProviderRequest<'_>,
    client: &Client,
    most: usize,
    random: &(dyn Fn() -> f64 + Send + Sync),
    now: &(dyn Fn() -> Time + Send + Sync),
) -> Result<Vec<SearchCall>, Unsupported> {
    let mut parts: Vec<SearchCall> = Vec::new();
    loop {
        let next = kind.next(request, &parts)?;
        let room = most.min(MOST_PARTS).saturating_sub(parts.len());
        if next.is_empty() || room == 0 {
            return Ok(parts);
        }
        for http_request in next.into_iter().take(room) {
            match client.call(&http_request, &NoGate, random, now).await {
                Ok(reply) => parts.push(SearchCall::answered(http_request, reply)),
                Err(CallFailure::Error(error)) => parts.push(SearchCall::failed(http_request, *error)),
                // `NoGate` refuses nothing.
                Err(CallFailure::Refused(_)) => return Ok(parts),
            }
        }
    }
}
