//! The state that every request is answered with.

use std::sync::Arc;

use tokio::sync::Semaphore;

use super::need::Declared;
use super::site::Site;

/// What every request is answered with.
#[derive(Clone)]
pub(super) struct App {
    pub(super) site: Arc<Site>,
    pub(super) places: Arc<Semaphore>,
    /// What routes need of visitors.
    pub(super) declared: Arc<[Declared]>,
}
