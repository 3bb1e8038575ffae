//! Prices of a forecast: the expected and the highest cost of a call, and the total cost of calls.

use super::types::{Calls, History, Price};
use crate::budget::Prices;
use crate::model::{BilledCostRow, Micros, ProviderQuery, Source, Topic};

/// Searches of a source needed to derive its price from them.
const ENOUGH_SEARCHES: i64 = 20;

/// Returns the average cost of a call in past searches if there are enough of them and some were billed, otherwise the
/// configured price. Searches without a bill count with the price that is configured now. One bill is enough for the
/// highest price: the next call may cost as much. `max_tries` is how often a call may be tried, and `logs_in` whether
/// it may be tried once more, after a new login.
pub(in crate::insight) fn price(
    source: Source,
    topics: &[Topic],
    configured: &Prices,
    history: &History,
    (max_tries, logs_in): (u32, bool),
) -> Price {
    let configured = configured.of(source);
    let past = history.billed.iter().find(|row| row.source == source);
    let (billed_searches, assumed_searches) = past.map_or((0, 0), |row| (row.searches, row.assumed_searches));
    let query = topics.iter().find_map(|topic| topic.provider(source));
    // If a search is one call, the cost of retries belongs to that call.
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
    let bill = |of: fn(&BilledCostRow) -> Micros| past.map_or(Micros(0), of);
    let (average, single) =
        (configured.max(bill(|row| row.highest_call)), configured.max(bill(|row| row.highest_single)));
    // In a retried search, one try may have caused the whole cost, and more tries may have been allowed than now. In a
    // search of several calls, only the average shows the cost of one.
    let whole = if several { Micros(0) } else { bill(|row| row.highest_bill) };
    let tries = i64::from(max_tries) + i64::from(logs_in);
    let average_tries = average.times(tries);
    // If the price of a single try explains all bills, one try costs no more. Otherwise any bill may be that of one
    // try.
    let highest_is_average = several && average > single;
    let single = if average <= single { average } else { average.max(whole) };
    let of_try = if whole <= average_tries { single } else { single.max(whole) };
    let highest = single.max(price);
    // A try that was free may be billed next time.
    let all_tries = of_try.times(tries).max(highest);
    Price {
        source,
        price,
        basis,
        billed_searches,
        assumed_searches,
        highest,
        highest_is_average,
        single,
        of_try,
        max_tries,
        logs_in,
        all_tries,
    }
}

/// Returns the price of a source in the forecast.
pub(in crate::insight) fn expected(source: Source, prices: &[Price]) -> Micros {
    prices.iter().find(|price| price.source == source).map_or(Micros(0), |price| price.price)
}

/// Returns the most that a call of a source without retries costs in the forecast.
pub(in crate::insight) fn single(source: Source, prices: &[Price]) -> Micros {
    prices.iter().find(|price| price.source == source).map_or(Micros(0), |price| price.single)
}

/// Returns how often a call of a source may be tried, and the most that one try costs.
pub(in crate::insight) fn tries(source: Source, prices: &[Price]) -> (i64, Micros) {
    let of = |price: &Price| (i64::from(price.tries()), price.of_try);
    prices.iter().find(|price| price.source == source).map_or((1, Micros(0)), of)
}

/// Returns by how much configured prices exceed those of the forecast. Calls are refused by the configured ones.
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Takes possible bills of the service: the tries of each search and its bill, at a configured price of 2. Returns
    /// the highest cost of a call: without retries, of one try if others are free, and of all tries.
    fn priced(bills: &[(i64, i64)], max_tries: u32) -> (i64, i64, i64) {
        let most = |of: &dyn Fn(&(i64, i64)) -> Option<i64>| Micros(bills.iter().filter_map(of).max().unwrap_or(0));
        let row = BilledCostRow {
            source: Source::Web,
            searches: 1,
            calls: 1,
            cost: Micros(0),
            highest_call: most(&|(tries, bill)| Some((bill + tries - 1) / tries)),
            highest_single: most(&|(tries, bill)| (*tries == 1).then_some(*bill)),
            highest_bill: most(&|(_, bill)| Some(*bill)),
            assumed_searches: 0,
            assumed_calls: 0,
        };
        let configured = Prices { web: Micros(2), ..Prices::default() };
        let history = History { billed: vec![row], ..History::default() };
        let price = price(Source::Web, &[], &configured, &history, (max_tries, false));
        (price.highest.0, price.of_try.0, price.all_tries.0)
    }

    #[test]
    fn the_highest_price_of_a_call_follows_from_billed_searches_and_their_tries() {
        for (bills, max_tries, highest, of_try, all_tries) in [
            // Nothing was retried.
            (&[(1, 2)][..], 1, 2, 2, 2),
            (&[(1, 5), (1, 3)], 4, 5, 5, 20),
            // Each of four tries was billed what a single one costs.
            (&[(4, 8)], 4, 2, 2, 8),
            // Three failed tries were free, or cost little: one cost 12 or nearly that.
            (&[(4, 12)], 4, 12, 12, 48),
            (&[(4, 12)], 1, 12, 12, 12),
            (&[(4, 12)], 2, 12, 12, 24),
            (&[(4, 12), (1, 12)], 1, 12, 12, 12),
            // As many tries at the configured price are not allowed any more.
            (&[(4, 8)], 1, 2, 8, 8),
            (&[(4, 8)], 3, 2, 8, 24),
        ] {
            assert_eq!(priced(bills, max_tries), (highest, of_try, all_tries), "{bills:?}, {max_tries} tries");
        }
    }
}
