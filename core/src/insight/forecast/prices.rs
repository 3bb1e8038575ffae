//! Prices of a forecast: what a call is expected to cost and costs at most, and what calls cost together.

use super::types::{Calls, History, Price};
use crate::budget::Prices;
use crate::model::{Micros, ProviderQuery, Source, Topic};

/// Searches of a source needed to derive its price from them.
const ENOUGH_SEARCHES: i64 = 20;

/// Returns what a call cost on average in past searches if there are enough of them and some were billed, else the
/// configured price. Those that were not billed count with the price that is configured now. One bill is enough for the
/// highest price: the next call may cost as much. `max_tries` is how often a call may be tried.
pub(in crate::insight) fn price(
    source: Source,
    topics: &[Topic],
    configured: &Prices,
    history: &History,
    max_tries: u32,
) -> Price {
    let configured = configured.of(source);
    let past = history.billed.iter().find(|row| row.source == source);
    let (billed_searches, assumed_searches) = past.map_or((0, 0), |row| (row.searches, row.assumed_searches));
    let query = topics.iter().find_map(|topic| topic.provider(source));
    // What retries cost belongs to the call, where a search is one call.
    let several = query.is_some_and(ProviderQuery::takes_several_calls);
    let enough = billed_searches > 0 && billed_searches + assumed_searches >= ENOUGH_SEARCHES;
    let (price, basis) = match past.filter(|_| enough) {
        Some(row) => {
            let (billed, assumed) = match several {
                true => (row.calls, row.assumed_calls),
                false => (row.searches, row.assumed_searches),
            };
            (share(row.cost.plus(configured.times(assumed)), 1, billed + assumed), "observed")
        }
        None => (configured, "configured"),
    };
    let bill = past.map_or(Micros(0), |row| row.highest_call);
    // The bill of a search is divided by its tries, so this many tries cost no less than any search did.
    let of_try = configured.max(bill);
    let highest = of_try.max(price);
    let all_tries = of_try.times(i64::from(max_tries)).max(highest);
    Price { source, price, basis, billed_searches, assumed_searches, highest, of_try, max_tries, all_tries }
}

/// Returns the price of a source in the forecast.
pub(in crate::insight) fn expected(source: Source, prices: &[Price]) -> Micros {
    prices.iter().find(|price| price.source == source).map_or(Micros(0), |price| price.price)
}

/// Returns the most that a call of a source costs in the forecast.
pub(in crate::insight) fn highest(source: Source, prices: &[Price]) -> Micros {
    prices.iter().find(|price| price.source == source).map_or(Micros(0), |price| price.highest)
}

/// Returns how often a call of a source may be tried, and the most that one try costs.
pub(in crate::insight) fn tries(source: Source, prices: &[Price]) -> (i64, Micros) {
    let of = |price: &Price| (i64::from(price.max_tries), price.of_try);
    prices.iter().find(|price| price.source == source).map_or((1, Micros(0)), of)
}

/// Returns by how much configured prices are above those of the forecast. Calls are refused by the former.
pub(in crate::insight) fn reserve(
    sources: impl Iterator<Item = Source>,
    prices: &[Price],
    configured: &Prices,
) -> Micros {
    let above = sources.map(|source| Micros(configured.of(source).0.saturating_sub(expected(source, prices).0)));
    above.max().unwrap_or_default().max(Micros(0))
}

/// Picks the expected or the highest price.
pub(super) type PickPrice = fn(&Price) -> Micros;

/// Returns the cost of `calls` at these prices if only `ai_calls` of `of` AI calls are made.
pub(super) fn total_cost(calls: Calls, prices: &[Price], pick: PickPrice, (ai_calls, of): (i64, i64)) -> Micros {
    prices.iter().fold(Micros(0), |sum, price| {
        let cost = match price.source {
            Source::Social => pick(price).times(calls.social),
            Source::Web => pick(price).times(calls.web),
            Source::Ai => share(pick(price).times(calls.ai), ai_calls, of),
            // Added per topic: each has its own.
            _ => Micros(0),
        };
        sum.plus(cost)
    })
}

/// Returns `sum * part / of`, rounded to the nearest micro-dollar.
pub(in crate::insight) fn share(sum: Micros, part: i64, of: i64) -> Micros {
    let of = i128::from(of.max(1));
    let rounded = (i128::from(sum.0) * i128::from(part) + of / 2).div_euclid(of);
    Micros(i64::try_from(rounded).unwrap_or(i64::MAX))
}
