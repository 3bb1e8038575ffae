//! Judges the reply to a request: accepted, refused for good, or to be tried again, and when. Reads only enough to
//! explain a refusal. `webhook` sends the requests.

use std::time::Duration;

use reqwest::StatusCode;
use reqwest::header::RETRY_AFTER;
use tokio::time::Instant;

use super::channel::DeliveryError;
use crate::http;
use crate::model::{Time, WebhookFormat};

/// Maximum number of bytes of a reply that are read.
const READ: u64 = 4 * 1024;

/// Longest wait that a receiver can ask for.
const LONGEST_WAIT: Duration = Duration::from_secs(8 * 3_600);

/// Teams' answer, with status 200, to a message that its own connectors could not deliver.
const NOT_HANDED_ON: &str = "Webhook message delivery failed";

/// Judges a reply by the kind of service; for most the status is enough.
pub(super) async fn judge_as(
    form: &WebhookFormat,
    reply: reqwest::Response,
    deadline: Instant,
    now: Time,
) -> Result<(), DeliveryError> {
    let status = reply.status();
    match form {
        WebhookFormat::Apprise { .. } if status == StatusCode::NO_CONTENT => {
            let why = "Apprise has no configuration under this key; add its services there; `topicwatch outbox retry --dead` queues all dead messages again";
            Err(DeliveryError::in_own_words(format!("{status}: {why}")))
        }
        // One of its services did not accept the message. The others will get it twice.
        WebhookFormat::Apprise { .. } if status == StatusCode::FAILED_DEPENDENCY => {
            judge(reply, deadline, Some(now)).await.map_err(|refusal| DeliveryError { for_good: false, ..refusal })
        }
        WebhookFormat::Telegram { .. } | WebhookFormat::Teams if status.is_success() => {
            let body = read_body(reply, deadline).await;
            let json = serde_json::from_str::<serde_json::Value>(&body).unwrap_or_default();
            if json["ok"] == false || body.starts_with(NOT_HANDED_ON) {
                return Err(DeliveryError {
                    wait: retry_after(&json),
                    ..DeliveryError::transient(format!("{status}, but {body}"))
                });
            }
            Ok(())
        }
        _ => judge(reply, deadline, Some(now)).await,
    }
}

/// Judges a reply. Without `now`, a wait in its headers is not read.
pub(super) async fn judge(reply: reqwest::Response, deadline: Instant, now: Option<Time>) -> Result<(), DeliveryError> {
    let status = reply.status();
    if status.is_success() {
        return Ok(());
    }
    if status.is_redirection() {
        return Err(DeliveryError::in_own_words(format!("{status}: redirects are not followed; use the final URL")));
    }
    let header = reply.headers().get(RETRY_AFTER).and_then(|value| value.to_str().ok());
    let header = header.zip(now).and_then(|(text, now)| http::retry_after::header(text, now));
    let header = header.map(|wait| wait.min(LONGEST_WAIT));
    let body = read_body(reply, deadline).await;
    let wait = header.max(retry_after(&serde_json::from_str(&body).unwrap_or_default()));
    let passing = matches!(status, StatusCode::REQUEST_TIMEOUT | StatusCode::TOO_EARLY | StatusCode::TOO_MANY_REQUESTS);
    let for_good = status.is_client_error() && !passing;
    Err(DeliveryError { for_good, text: format!("{status} {body}"), wait, is_own: false })
}

/// The body, not shortened: if it were cut before secrets are removed, half of a secret could stay.
async fn read_body(reply: reqwest::Response, deadline: Instant) -> String {
    let bytes = match http::read_capped(reply, READ, deadline).await {
        Ok(body) => body,
        Err(unread) => unread.so_far,
    };
    String::from_utf8_lossy(&bytes).into_owned()
}

/// How long Discord (`retry_after`) or Telegram (`parameters.retry_after`) asks to wait, in seconds, rounded up.
fn retry_after(body: &serde_json::Value) -> Option<Duration> {
    let seconds = body["retry_after"].as_f64().or_else(|| body["parameters"]["retry_after"].as_f64())?;
    let wait = Duration::try_from_secs_f64(seconds.ceil()).ok()?;
    Some(wait.min(LONGEST_WAIT))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_retry_wait_is_read_from_header_or_body_and_limited() {
        for (body, seconds) in [
            (r#"{"retry_after":64.57,"global":false}"#, Some(65)),
            (r#"{"ok":false,"parameters":{"retry_after":35}}"#, Some(35)),
            (r#"{"retry_after":1e300}"#, None),
            (r#"{"retry_after":1e9}"#, Some(8 * 3_600)),
            (r#"{"retry_after":-1}"#, None),
            (r#"{"retry_after":"soon"}"#, None),
            ("[1]", None),
            ("not JSON", None),
        ] {
            let json = serde_json::from_str(body).unwrap_or_default();
            assert_eq!(retry_after(&json), seconds.map(Duration::from_secs), "{body}");
        }
    }
}
