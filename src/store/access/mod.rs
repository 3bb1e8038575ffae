//! Who may see the pages and use the API beside whoever has the configured token: named tokens, and links that show one thing. What
//! a role may do is `web`'s.

use crate::model::{LinkRow, Time, TokenRow};
use crate::store::{Store, StoreError};

impl Store {
    /// Keeps a new token. One that was withdrawn gives its name to the new one.
    pub async fn add_token(&self, token: &TokenRow) -> Result<(), StoreError> {
        asked_tx!(self, access::add_token(token))
    }

    /// Withdraws a token by name.
    pub async fn withdraw_token(&self, name: &str, now: Time) -> Result<(), StoreError> {
        asked_tx!(self, access::withdraw_token(name, now))
    }

    /// Every token by name, those that were withdrawn among them.
    pub async fn tokens(&self) -> Result<Vec<TokenRow>, StoreError> {
        read!(self, access::tokens())
    }

    /// Whether a token is there and was not withdrawn.
    pub async fn token_holds(&self, hash: &str) -> Result<bool, StoreError> {
        read!(self, access::token_holds(hash))
    }

    /// The same of a link, whether it has expired or not.
    pub async fn link_holds(&self, hash: &str) -> Result<bool, StoreError> {
        read!(self, access::link_holds(hash))
    }

    /// A token was used: kept unless a later use is known.
    pub async fn token_used(&self, hash: &str, now: Time) -> Result<(), StoreError> {
        write_tx!(self, access::token_used(hash, now))
    }

    /// Keeps a new link.
    pub async fn add_link(&self, link: &LinkRow) -> Result<(), StoreError> {
        asked_tx!(self, access::add_link(link))
    }

    /// Withdraws a link by id.
    pub async fn withdraw_link(&self, id: &str, now: Time) -> Result<(), StoreError> {
        asked_tx!(self, access::withdraw_link(id, now))
    }

    /// Every link that is kept, the latest first.
    pub async fn links(&self) -> Result<Vec<LinkRow>, StoreError> {
        read!(self, access::links())
    }

    /// The topics that are watched and have one of these tags, by id.
    pub async fn tagged(&self, tags: &[String]) -> Result<Vec<(String, Vec<String>)>, StoreError> {
        read!(self, access::tagged(tags, false))
    }

    /// The same with those that are not watched any more.
    pub async fn ever_tagged(&self, tags: &[String]) -> Result<Vec<(String, Vec<String>)>, StoreError> {
        read!(self, access::tagged(tags, true))
    }
}
