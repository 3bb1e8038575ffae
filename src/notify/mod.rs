//! Delivers messages of the outbox to channels, by mail or webhook, at least once, and sends pings. Other modules
//! decide what happened and what a message says; this one decides when to try again, and what counts as a refusal.

mod backoff;
mod channel;
mod chat_formats;
mod delivery_worker;
mod email;
mod mailbox;
mod mattermost;
mod ping;
mod plain_text;
mod redact;
mod reply;
mod signature;
mod smtp;
mod truncate;
mod webhook;
mod webhook_formats;

pub use backoff::retry_delay;
pub use channel::{Channel, DeliveryError, Endpoint};
pub use delivery_worker::{Delivery, DeliveryWorker};
pub use mailbox::{AddressError, check_address};
pub use ping::{PingTarget, PingTargets, Pinger, Signal};
pub use signature::{signature, verify};

use crate::model::{Message, Time};

impl Channel {
    /// Sends a message once, within the channel's time limit.
    ///
    /// # Errors
    /// See [`DeliveryError`].
    pub async fn send(
        &self,
        message: &Message,
        created_at: Time,
        attempt: i64,
        now: Time,
    ) -> Result<(), DeliveryError> {
        let sent = match &self.endpoint {
            Endpoint::Email { .. } => email::send(self, message, created_at).await,
            Endpoint::Webhook { url, secret, form, allow_private } => {
                let request = webhook::Request { message, created_at, attempt, now, timeout: self.timeout };
                let sent = webhook::send(url, secret.as_ref(), form, *allow_private, &request);
                let sent = tokio::time::timeout(self.timeout, sent).await;
                sent.unwrap_or_else(|_| Err(DeliveryError::timeout(self.timeout)))
            }
        };
        sent.map_err(|refusal| redact::redact_error(&self.endpoint, refusal))
    }
}
