//! What a call is expected to cost, before it is made and when the service does not say. Pure arithmetic: counting calls
//! and money durably is the store's.

use std::collections::BTreeMap;

use crate::model::{Micros, Source};

/// Price of one call per source, for calls whose reply names no cost.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prices {
    /// A social search.
    pub social: Micros,
    /// A web search.
    pub web: Micros,
    /// An AI search.
    pub ai: Micros,
    /// A call of each provider beside the search service.
    pub providers: BTreeMap<Source, Micros>,
}

impl Default for Prices {
    /// Prices seen on deployed services: $0.003 for 20 posts, about $0.001 for a web search, $0.004 for an AI search.
    fn default() -> Self {
        Self { social: Micros(3_000), web: Micros(1_000), ai: Micros(4_000), providers: BTreeMap::new() }
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
            other => self.providers.get(&other).copied().unwrap_or_default(),
        }
    }

    /// Of these sources the dearest one of which a call may cost more than a whole day has: none of its calls is made.
    #[must_use]
    pub fn too_dear(&self, sources: impl IntoIterator<Item = Source>, day: Micros) -> Option<TooDear> {
        let priced = sources.into_iter().map(|source| TooDear { source, price: self.of(source) });
        priced.filter(|one| one.price > day).max_by_key(|one| one.price)
    }
}

/// A call that costs more than a day has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
pub struct TooDear {
    pub source: Source,
    #[serde(rename = "price_usd")]
    pub price: Micros,
}

/// What a provider beside the search service costs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Price {
    /// Each call.
    pub call: Micros,
    /// Each entry of a reply.
    pub result: Micros,
    /// 1,000 tokens, of question and answer alike.
    pub tokens: Micros,
}

/// Entries that a page of results has where nobody knows.
const USUAL_RESULTS: i64 = 20;

impl Price {
    /// What a call may cost, before anybody knows what it brings.
    #[must_use]
    pub fn expected(&self) -> Micros {
        self.call.plus(self.result.times(USUAL_RESULTS)).plus(self.tokens.times(4))
    }

    /// What calls cost that brought so many entries and took so many tokens.
    #[must_use]
    pub fn of(&self, calls: u32, results: usize, tokens: u64) -> Micros {
        let thousand = i64::try_from(tokens.div_ceil(1_000)).unwrap_or(i64::MAX);
        let results = self.result.times(i64::try_from(results).unwrap_or(i64::MAX));
        self.call.times(i64::from(calls)).plus(results).plus(self.tokens.times(thousand))
    }
}
