//! The state that all requests share.

use std::sync::Arc;

use tokio::sync::Semaphore;

use super::access_rule::RouteNeed;
use super::site::Site;

/// The state that all requests share.
#[derive(Clone)]
pub(super) struct App {
    pub(super) site: Arc<Site>,
    pub(super) places: Arc<Semaphore>,
    /// The access that each route requires.
    pub(super) declared: Arc<[RouteNeed]>,
}
