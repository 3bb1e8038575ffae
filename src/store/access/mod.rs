//! Access without the configured token: named tokens, and links that share one report or topic. `web` decides what a
//! role may do.

use crate::model::{LinkRow, Time, TokenRow};
use crate::store::{Store, StoreError};

impl Store {
    /// Stores a new token. It may reuse the name of a withdrawn token.
    pub async fn add_token(&self, token: &TokenRow) -> Result<(), StoreError> {
        asked_tx!(self, access::add_token(token))
    }

    /// Withdraws a token by name.
    pub async fn withdraw_token(&self, name: &str, now: Time) -> Result<(), StoreError> {
        asked_tx!(self, access::withdraw_token(name, now))
    }

    /// Returns all tokens by name, including withdrawn ones.
    pub async fn tokens(&self) -> Result<Vec<TokenRow>, StoreError> {
        read!(self, access::tokens())
    }

    /// Returns whether a token exists and is not withdrawn.
    pub async fn is_token_valid(&self, hash: &str) -> Result<bool, StoreError> {
        read!(self, access::token_holds(hash))
    }

    /// Returns whether a link exists and is not withdrawn. Expired links count too.
    pub async fn is_link_valid(&self, hash: &str) -> Result<bool, StoreError> {
        read!(self, access::link_holds(hash))
    }

    /// Records that a token was used, unless a later use is already recorded.
    pub async fn record_token_use(&self, hash: &str, now: Time) -> Result<(), StoreError> {
        write_tx!(self, access::token_used(hash, now))
    }

    /// Stores a new link.
    pub async fn add_link(&self, link: &LinkRow) -> Result<(), StoreError> {
        asked_tx!(self, access::add_link(link))
    }

    /// Withdraws a link by id.
    pub async fn withdraw_link(&self, id: &str, now: Time) -> Result<(), StoreError> {
        asked_tx!(self, access::withdraw_link(id, now))
    }

    /// Returns all stored links, the latest first.
    pub async fn links(&self) -> Result<Vec<LinkRow>, StoreError> {
        read!(self, access::links())
    }

    /// Returns the watched topics that have one of these tags, by id, each with all of its tags.
    pub async fn topics_with_tags(&self, tags: &[String]) -> Result<Vec<(String, Vec<String>)>, StoreError> {
        read!(self, access::tagged(tags, false))
    }

    /// Like [`Self::topics_with_tags`], but includes topics that are no longer watched.
    pub async fn all_topics_with_tags(&self, tags: &[String]) -> Result<Vec<(String, Vec<String>)>, StoreError> {
        read!(self, access::tagged(tags, true))
    }
}
