//! Computes the most calls of a topic with limits of its own, and their highest cost. A run may make fewer calls,
//! because a source refuses them, needs fewer, or has nothing to do. The topic's other sources may then use the rest of
//! its limits. So nothing is assumed about which calls are made.

use super::types::Calls;
use crate::model::{Micros, Source, TopicLimits, Usage};

/// Calls and their cost.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Load {
    /// The most calls to each source. Their sum may exceed `total` if they share a limit.
    pub(super) calls: Calls,
    /// The most calls together.
    pub(super) total: i64,
    /// The most money at the expected prices.
    pub(super) money: Micros,
    /// The most money if calls may cost the highest prices.
    pub(super) highest: Micros,
    /// The expected price of the cheapest call that is not free.
    pub(super) cheapest: Option<Micros>,
}

impl Load {
    /// Returns calls to one source, which have these expected and highest prices.
    pub(super) fn of(source: Source, calls: i64, (expected, highest): (Micros, Micros)) -> Self {
        Self {
            calls: Calls::of(source, calls),
            total: calls,
            money: expected.times(calls),
            highest: highest.times(calls),
            cheapest: Some(expected).filter(|price| calls > 0 && *price > Micros(0)),
        }
    }

    pub(super) fn plus(self, other: Self) -> Self {
        Self {
            calls: self.calls.plus(other.calls),
            total: self.total.saturating_add(other.total),
            money: self.money.plus(other.money),
            highest: self.highest.plus(other.highest),
            cheapest: self.cheapest.into_iter().chain(other.cheapest).min(),
        }
    }

    pub(super) fn times(self, n: i64) -> Self {
        Self {
            calls: self.calls.times(n),
            total: self.total.saturating_mul(n),
            money: self.money.times(n),
            highest: self.highest.times(n),
            cheapest: self.cheapest.filter(|_| n > 0),
        }
    }
}

/// The calls of a topic to one source.
#[derive(Debug, Clone, Copy)]
pub(super) struct SourceCalls {
    pub(super) source: Source,
    /// The most of one search; with retries, if they are counted.
    pub(super) many: i64,
    /// Whether it is asked once a local day.
    pub(super) daily: bool,
    pub(super) expected: Micros,
    pub(super) highest: Micros,
    /// A call is refused if this does not fit.
    pub(super) configured: Micros,
}

/// A topic with limits of its own.
#[derive(Debug, Clone)]
pub(super) struct LimitedTopic {
    /// The sources that are counted.
    pub(super) sources: Vec<SourceCalls>,
    /// Whether it had an answer on the first day.
    pub(super) answered: bool,
    /// Whether its runs may overlap. If not, the bills of a run are known before the next begins.
    pub(super) side_by_side: bool,
    pub(super) limits: TopicLimits,
    /// The use of its limits by all sources on the UTC day of the start.
    pub(super) used: Usage,
}

impl LimitedTopic {
    /// Returns the most of a UTC day's slots that the limits allow.
    pub(super) fn load(&self, slots: i64, days: i64, is_today: bool) -> Load {
        let used = if is_today { self.used } else { Usage::default() };
        let most = |of: fn(Source) -> bool| self.most(of, (slots, days), used);
        let calls = Calls {
            social: most(|source| source == Source::Social).0,
            web: most(|source| source == Source::Web).0,
            ai: most(|source| source == Source::Ai).0,
            providers: most(|source| !source.is_service()).0,
        };
        let (total, money, highest) = most(|_| true);
        let due = |one: &&SourceCalls| one.expected > Micros(0) && (if one.daily { days } else { slots }) > 0;
        let cheapest = self.sources.iter().filter(due).map(|one| one.expected).min();
        Load { calls, total, money, highest, cheapest }
    }

    /// Returns the most calls of some sources, and the most that they cost at expected and at highest prices, if the others
    /// use nothing of the limits.
    fn most(&self, of: fn(Source) -> bool, (slots, days): (i64, i64), used: Usage) -> (i64, Micros, Micros) {
        let room = self.limits.money().map(|money| money.0.saturating_sub(used.money.0));
        let fits = |one: &&SourceCalls| of(one.source) && room.is_none_or(|room| one.configured.0 <= room);
        let able: Vec<&SourceCalls> = self.sources.iter().filter(fits).collect();
        let searched = |one: &SourceCalls| one.many.saturating_mul(if one.daily { days } else { slots });
        let allowed = self.limits.calls.map_or(i64::MAX, |calls| i64::from(calls).saturating_sub(used.calls).max(0));
        // The number of calls is highest if they are the cheapest. The last one is made if the least price still fits
        // after the cost of the others.
        let least = able.iter().map(|one| one.configured.0).min().unwrap_or_default();
        let count_of = |price: fn(&SourceCalls) -> Micros| {
            let mut cheapest = able.clone();
            cheapest.sort_by_key(|one| price(one));
            let (mut count, mut spent) = (0_i64, 0_i64);
            for one in cheapest {
                let left = room.map(|room| room.saturating_sub(spent).saturating_sub(least));
                let affordable = match left {
                    Some(left) if left < 0 => 0,
                    Some(left) => left.checked_div(price(one).0).map_or(i64::MAX, |calls| calls.saturating_add(1)),
                    None => i64::MAX,
                };
                let made = searched(one).min(affordable).min(allowed.saturating_sub(count));
                count = count.saturating_add(made);
                spent = spent.saturating_add(price(one).times(made).0);
            }
            count
        };
        // The cost is highest for the most expensive calls.
        let money_of = |count: i64, price: fn(&SourceCalls) -> Micros, last_runs: i64| {
            let mut dearest = able.clone();
            dearest.sort_by_key(|one| std::cmp::Reverse(price(one)));
            let (mut rest, mut money) = (count, Micros(0));
            for one in dearest {
                let made = searched(one).min(rest);
                rest -= made;
                money = money.plus(price(one).times(made));
            }
            if let Some(room) = room {
                // By how much the last run may exceed the limit: its calls are refused by their configured prices, but
                // their cost is known only at its end.
                let above = |one: &&SourceCalls| price(one).0.saturating_sub(one.configured.0).max(0);
                let above = able.iter().map(|one| above(one).saturating_mul(one.many)).fold(0, i64::saturating_add);
                let above = above.saturating_mul(last_runs);
                money = money.min(Micros(room.saturating_add(above).max(0)));
            }
            money
        };
        // If prices vary, cheap calls may leave room for more than `count` calls, and the last of these may be
        // expensive. The expected price is an average that includes retries, so it may be the higher one.
        let vary = able.iter().any(|one| one.highest != one.expected);
        let expected = count_of(|one| one.expected);
        // Side by side, every run may be the last one: until a run ends, its calls count with their configured prices.
        let (count, last_runs) = match self.side_by_side {
            true => (count_of(|one| one.expected.min(one.configured)), slots),
            false => (expected, 1),
        };
        let highest = money_of(if vary { allowed } else { count }, |one| one.highest, last_runs);
        (count, money_of(expected, |one| one.expected, 1), highest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two sources: `social` at 3 and `web` at 1, both asked in each slot.
    fn topic(calls: Option<u32>, micros: Option<i64>) -> LimitedTopic {
        let one = |source, price| SourceCalls {
            source,
            many: 1,
            daily: false,
            expected: Micros(price),
            highest: Micros(price),
            configured: Micros(price),
        };
        LimitedTopic {
            sources: vec![one(Source::Social, 3), one(Source::Web, 1)],
            answered: false,
            side_by_side: false,
            limits: TopicLimits { calls, micros },
            used: Usage { calls: 1, money: Micros(2) },
        }
    }

    #[test]
    fn the_limit_that_one_source_leaves_may_be_used_by_another() {
        let most = |topic: LimitedTopic, slots, is_today| {
            let load = topic.load(slots, 0, is_today);
            (load.calls.social, load.calls.web, load.total, load.money.0)
        };
        assert_eq!(most(topic(Some(4), None), 24, false), (4, 4, 4, 12));
        assert_eq!(most(topic(Some(4), None), 24, true), (3, 3, 3, 9), "one call was made today");
        assert_eq!(most(topic(Some(4), None), 1, false), (1, 1, 2, 4), "there is one slot");
        assert_eq!(most(topic(None, Some(7)), 24, false), (2, 7, 7, 7));
        assert_eq!(most(topic(None, Some(7)), 24, true), (1, 5, 5, 5));
        assert_eq!(most(topic(None, Some(2)), 24, false), (0, 2, 2, 2), "none of the dearer fits");
        assert_eq!(most(topic(None, Some(1)), 24, true), (0, 0, 0, 0), "more was spent already");
    }

    #[test]
    fn the_maximum_cost_may_exceed_the_limit_by_the_last_call() {
        let most = |calls, micros, slots| {
            let mut topic = topic(calls, micros);
            // Web was billed 1 on average, once 4. Social is configured at 3 and was billed 2.
            for one in &mut topic.sources {
                match one.source {
                    Source::Web => one.highest = Micros(4),
                    _ => one.expected = Micros(2),
                }
            }
            let load = topic.load(slots, 0, false);
            (load.money.0, load.highest.0)
        };
        assert_eq!(most(None, None, 2), (6, 14));
        assert_eq!(most(Some(3), None, 2), (5, 11), "the two dearest calls and one more");
        assert_eq!(most(None, Some(7), 24).1, 10, "a web call is made if 1 is left, and may cost 4");
        assert_eq!(most(None, Some(7), 1), (3, 7), "there is one slot");
    }

    #[test]
    fn the_calls_of_one_run_may_exceed_the_limit_before_they_are_billed() {
        let mut topic = topic(None, Some(7));
        for one in &mut topic.sources {
            // Each call is billed 2 more than configured; web makes two calls.
            one.highest = Micros(one.configured.0 + 2);
            one.many = if one.source == Source::Web { 2 } else { 1 };
        }
        assert_eq!(topic.load(24, 0, false).highest.0, 7 + 2 + 4);
    }

    #[test]
    fn concurrent_runs_may_exceed_the_limit_before_they_are_billed() {
        let mut topic = topic(None, Some(7));
        topic.sources.retain(|one| one.source == Source::Web);
        for one in &mut topic.sources {
            // Configured at 1 and billed 5.
            (one.expected, one.highest) = (Micros(5), Micros(5));
        }
        let most = |topic: &LimitedTopic, slots| {
            let load = topic.load(slots, 0, false);
            (load.total, load.money.0, load.highest.0)
        };
        // The second call leaves nothing of the limit.
        assert_eq!(most(&topic, 24), (2, 10, 10));
        topic.side_by_side = true;
        assert_eq!(most(&topic, 24), (7, 10, 35), "seven calls fit until the first run ends");
        assert_eq!(most(&topic, 3), (3, 10, 15), "there are three slots");
    }
}
