//! Requests made on pages, for topics and alerts: stored there, executed by a daemon, and shown there again with their
//! result.

use crate::model::{ControlRequest, Request, Time};
use crate::store::{Store, StoreError};

impl Store {
    /// Stores a request. Returns false if the same request is already waiting, or too many are.
    pub async fn request(&self, id: &str, request: &ControlRequest, now: Time) -> Result<bool, StoreError> {
        asked_tx!(self, requests::store(id, request, now))
    }

    /// Returns the waiting requests, the oldest first.
    pub async fn open_requests(&self) -> Result<Vec<Request>, StoreError> {
        read!(self, requests::open())
    }

    /// Returns the recent requests for a topic, the latest first.
    pub async fn requests_of(&self, topic: &str, limit: u32) -> Result<Vec<Request>, StoreError> {
        read!(self, requests::of_topic(topic, i64::from(limit)))
    }

    /// Returns the recent requests for alerts, or for one alert, the latest first.
    pub async fn requests_of_alerts(&self, alert: Option<&str>, limit: u32) -> Result<Vec<Request>, StoreError> {
        read!(self, requests::of_alerts(alert, i64::from(limit)))
    }

    /// Returns one request, as long as it is shown.
    pub async fn request_by_id(&self, id: &str) -> Result<Option<Request>, StoreError> {
        read!(self, requests::one(id))
    }

    /// Executes a request and stores its result, in one transaction. Returns false if another process did.
    pub async fn execute_request(&self, request: &Request, now: Time) -> Result<bool, StoreError> {
        write_tx!(self, requests::execute(request, now))
    }
}
