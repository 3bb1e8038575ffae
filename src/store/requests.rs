//! What is asked for on pages: written there, done by a daemon, told there again.

use super::{Db, Store, StoreError, TRANSACTION_TRIES, pause, postgres, sqlite};
use crate::model::{Request, RequestKind, Time};

impl Store {
    /// Asks for something; false when the same waits already, or too much does.
    pub async fn request(&self, id: &str, kind: RequestKind, topic: &str, now: Time) -> Result<bool, StoreError> {
        asked_tx!(self, requests::ask(id, kind, topic, now))
    }

    /// What waits to be done, the oldest first.
    pub async fn open_requests(&self) -> Result<Vec<Request>, StoreError> {
        read!(self, requests::open())
    }

    /// What was asked of a topic lately, the latest first.
    pub async fn requests_of(&self, topic: &str, limit: u32) -> Result<Vec<Request>, StoreError> {
        read!(self, requests::of_topic(topic, i64::from(limit)))
    }

    /// One of them, while it is told.
    pub async fn request_of(&self, topic: &str, id: &str) -> Result<Option<Request>, StoreError> {
        read!(self, requests::one(topic, id))
    }

    /// Does what was asked, with the words for it, in one transaction; false when somebody else did.
    pub async fn take_request(&self, request: &Request, now: Time) -> Result<bool, StoreError> {
        write_tx!(self, requests::take(request, now))
    }
}
