//! What every page and answer is made from: the database, the present, and what of the configuration pages show.

use crate::model::{Clock, ReportSpec, ServiceLimits, Time};
use crate::store::Store;

use super::access::Access;
use super::api::Exporting;

/// How the pages are served.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Who may see them; everybody who reaches the address when there is no token.
    pub access: Option<Access>,
    /// Names under which they may be asked for, beside localhost and addresses.
    pub hosts: Vec<String>,
    /// What may be asked of the service in a day.
    pub limits: ServiceLimits,
    /// Makes the id of what is asked for here; absent where nobody would do it.
    pub acts: Option<fn(Time) -> String>,
    /// What to do about a search that failed, by what is recorded of it.
    pub hint: Hint,
    /// Reports that are configured: changes can be asked for since the last that was delivered.
    pub reports: Vec<ReportSpec>,
}

/// From error class, HTTP status and text to what to do.
pub type Hint = fn(&str, Option<i64>, &str) -> Option<&'static str>;

/// The state behind all pages.
pub struct Site {
    /// A store of its own: its connections are never those that runs wait for.
    pub(super) store: Store,
    pub(super) settings: Settings,
    pub(super) exporting: Exporting,
    clock: Clock,
}

impl std::fmt::Debug for Site {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Site").field("store", &self.store).field("settings", &self.settings).finish_non_exhaustive()
    }
}

impl Site {
    /// Over a store that is used by nobody else, and another for what takes long: exports.
    #[must_use]
    pub fn new(store: Store, exports: Store, settings: Settings, clock: Clock) -> Self {
        Self { store, settings, exporting: Exporting::through(exports), clock }
    }

    /// Whether visitors may ask for something: those who showed a token, where a daemon hears of it.
    pub(super) fn acts(&self) -> bool {
        self.settings.acts.is_some() && self.settings.access.is_some()
    }

    pub(super) fn now(&self) -> Time {
        (self.clock)()
    }
}
