//! What is asked for on pages, of topics and of alerts: written there, done by a daemon, told there again.

use crate::model::{ControlRequest, Request, Time};
use crate::store::{Store, StoreError};

impl Store {
    /// Asks for something; false when the same waits already, or too much does.
    pub async fn request(&self, id: &str, wish: &ControlRequest, now: Time) -> Result<bool, StoreError> {
        asked_tx!(self, requests::ask(id, wish, now))
    }

    /// What waits to be done, the oldest first.
    pub async fn open_requests(&self) -> Result<Vec<Request>, StoreError> {
        read!(self, requests::open())
    }

    /// What was asked of a topic lately, the latest first.
    pub async fn requests_of(&self, topic: &str, limit: u32) -> Result<Vec<Request>, StoreError> {
        read!(self, requests::of_topic(topic, i64::from(limit)))
    }

    /// What was asked of alerts lately, or of one of them, the latest first.
    pub async fn requests_of_alerts(&self, alert: Option<&str>, limit: u32) -> Result<Vec<Request>, StoreError> {
        read!(self, requests::of_alerts(alert, i64::from(limit)))
    }

    /// One request, while it is told.
    pub async fn request_by_id(&self, id: &str) -> Result<Option<Request>, StoreError> {
        read!(self, requests::one(id))
    }

    /// Does what was asked, with the words for it, in one transaction; false when somebody else did.
    pub async fn take_request(&self, request: &Request, now: Time) -> Result<bool, StoreError> {
        write_tx!(self, requests::take(request, now))
    }
}
