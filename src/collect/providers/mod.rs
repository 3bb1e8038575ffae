//! Providers as runs use them: their searches of several calls, the replies, and how these are stored.

mod begun_call;
pub(super) mod provider;
mod provider_calls;
mod provider_replies;
mod stopped;
pub(super) mod stored_calls;
