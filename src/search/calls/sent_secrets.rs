//! Parts of a request that may be secrets and that its server may repeat: the token of a session, and the query of an
//! address that is not the provider's. `attempt` removes them from what servers write.

use reqwest::header::HeaderValue;
use url::Url;

use crate::http::KeyRedactor;

/// Shorter values of a query are no secrets, and may be parts of words.
const SECRET: usize = 4;
/// The same for names without a value, such as `feed` and `rss2`.
const BARE_SECRET: usize = 6;

/// Returns what to remove: the session's token, which the key's redactor does not know, and the values in the queries of
/// these addresses. A name without a value may be a secret, too.
pub(in crate::search) fn sent_secrets(key: Option<&HeaderValue>, addresses: &[Url]) -> Vec<KeyRedactor> {
    let token = key.and_then(|key| key.to_str().ok()?.strip_prefix("Bearer ")).map(str::to_owned);
    let parts = addresses.iter().flat_map(Url::query_pairs).map(|(name, value)| match value.is_empty() {
        true => (name, BARE_SECRET),
        false => (value, SECRET),
    });
    let long = parts.filter(|(part, least)| part.chars().count() >= *least).map(|(part, _)| part.into_owned());
    token.into_iter().chain(long).map(|secret| KeyRedactor::new(secret.into())).collect()
}

/// Removes the possible secrets of `address` from a server's text.
pub(in crate::search) fn without_secrets_of(address: &str, text: &str) -> String {
    let secrets = sent_secrets(None, Url::parse(address).ok().as_slice());
    secrets.iter().fold(text.to_owned(), |text, secret| secret.text(&text))
}
