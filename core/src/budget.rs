//! The expected cost of a call: before it is made, and when the service reports none. Pure arithmetic; the store counts
//! calls and money durably.

use std::collections::BTreeMap;

use crate::model::{Micros, Source};

/// Price of one call per source, used if the reply names no cost.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prices {
    /// A social search.
    pub social: Micros,
    /// A web search.
    pub web: Micros,
    /// An AI search.
    pub ai: Micros,
    /// A call to each provider other than the search service.
    pub providers: BTreeMap<Source, Micros>,
}

impl Default for Prices {
    /// Prices observed on deployed services: $0.003 for 20 posts, about $0.001 for a web search, $0.004 for an AI
    /// search.
    fn default() -> Self {
        Self { social: Micros(3_000), web: Micros(1_000), ai: Micros(4_000), providers: BTreeMap::new() }
    }
}

impl Prices {
    /// Returns the expected price of one call.
    #[must_use]
    pub fn of(&self, source: Source) -> Micros {
        match source {
            Source::Social => self.social,
            Source::Web => self.web,
            Source::Ai => self.ai,
            other => self.providers.get(&other).copied().unwrap_or_default(),
        }
    }

    /// Returns the most expensive of these sources for which one call may cost more than the whole daily limit. None of
    /// its calls is made.
    #[must_use]
    pub fn unaffordable(&self, sources: impl IntoIterator<Item = Source>, day: Micros) -> Option<UnaffordableCall> {
        let priced = sources.into_iter().map(|source| UnaffordableCall { source, price: self.of(source) });
        priced.filter(|one| one.price > day).max_by_key(|one| one.price)
    }
}

/// A call that costs more than the daily limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
pub struct UnaffordableCall {
    pub source: Source,
    #[serde(rename = "price_usd")]
    pub price: Micros,
}

/// The prices of a provider other than the search service.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Price {
    pub call: Micros,
    /// Per entry of a reply.
    pub result: Micros,
    /// Per 1,000 tokens, question and answer together.
    pub tokens: Micros,
}

impl Price {
    /// Returns the expected price of a call before its reply is known. `entries` is how many a full reply has, `tokens`
    /// the most that question and answer may have.
    #[must_use]
    pub fn expected(&self, entries: u32, tokens: u64) -> Micros {
        self.call.plus(self.result.times(i64::from(entries))).plus(self.tokens_price(tokens))
    }

    /// Rounded up to a millionth of a dollar.
    fn tokens_price(&self, tokens: u64) -> Micros {
        let price = i128::from(self.tokens.0) * i128::from(tokens);
        Micros(i64::try_from((price + 999) / 1_000).unwrap_or(i64::MAX))
    }

    /// Returns the price of calls that returned `results` entries and used `tokens` tokens.
    #[must_use]
    pub fn of(&self, calls: u32, results: usize, tokens: u64) -> Micros {
        let results = self.result.times(i64::try_from(results).unwrap_or(i64::MAX));
        self.call.times(i64::from(calls)).plus(results).plus(self.tokens_price(tokens))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_price_of_tokens_is_rounded_up_to_a_millionth_of_a_dollar() {
        let price = Price { call: Micros(5), result: Micros(2), tokens: Micros(1) };
        for (tokens, expected) in [(0, 0), (1, 1), (999, 1), (1_000, 1), (1_001, 2)] {
            assert_eq!(price.expected(3, tokens), Micros(5 + 3 * 2 + expected), "{tokens}");
            assert_eq!(price.of(2, 3, tokens), Micros(2 * 5 + 3 * 2 + expected), "{tokens}");
        }
    }
}
