//! The state that all requests share.

use std::sync::Arc;

use tokio::sync::Semaphore;

use crate::web::access::access_rule::RouteNeed;
use crate::web::site::Site;

/// The state that all requests share.
#[derive(Clone)]
pub(in crate::web) struct App {
    pub(in crate::web) site: Arc<Site>,
    pub(in crate::web) places: Arc<Semaphore>,
    /// The access that each route requires.
    pub(in crate::web) declared: Arc<[RouteNeed]>,
}
