//! What a call is expected to cost, before it is made and when the service does not say. Pure arithmetic: counting calls
//! and money durably is the store's.

use crate::model::{Micros, Source};

/// Price of one call per source, for calls whose reply names no cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Prices {
    /// A social search.
    pub social: Micros,
    /// A web search.
    pub web: Micros,
    /// An AI search.
    pub ai: Micros,
}

impl Default for Prices {
    /// Prices seen on deployed services: $0.003 for 20 posts, about $0.001 for a web search, $0.004 for an AI search.
    fn default() -> Self {
        Self { social: Micros(3_000), web: Micros(1_000), ai: Micros(4_000) }
    }
}

impl Prices {
    /// The expected price of one call.
    #[must_use]
    pub fn of(&self, source: Source) -> Micros {
        match source {
            Source::Social => self.social,
            Source::Web => self.web,
            Source::Ai => self.ai,
        }
    }
}
