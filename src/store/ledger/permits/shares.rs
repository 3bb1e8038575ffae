//! Divides the service's limits: permits among processes, starts over time. Pure functions; the rows are in
//! `ledger/sql/limits.rs`.

/// Divides `limit` permits among holders. First each gets what it wants, one permit at a time in turn. The rest is
/// divided equally, so a single process gets everything. With more processes than permits, `turn` decides who comes
/// first; otherwise the order of the list does.
pub(in crate::store) fn shares(wanted: &[u32], limit: u32, turn: u64) -> Vec<u32> {
    let mut shares = vec![0_u32; wanted.len()];
    let Some(count) = u64::try_from(wanted.len()).ok().filter(|count| *count > 0) else { return shares };
    let first = if count > u64::from(limit) { usize::try_from(turn % count).unwrap_or(0) } else { 0 };
    let mut left = limit;
    for hungry_only in [true, false] {
        let mut gave = true;
        while left > 0 && gave {
            gave = false;
            for at in 0..wanted.len() {
                let at = (first + at) % wanted.len();
                if left > 0 && (!hungry_only || shares[at] < wanted[at]) {
                    shares[at] += 1;
                    left -= 1;
                    gave = true;
                }
            }
        }
    }
    shares
}

/// Returns the next `count` instants at which a call may start, and when the bucket is full again after them, in
/// microseconds. After a pause, up to `burst` calls may start at once, or a minute's worth if that is fewer.
pub(in crate::store) fn starts(full_at: i64, now: i64, period: i64, burst: u32, count: u32) -> (Vec<i64>, i64) {
    let period = period.max(1);
    let most = i64::from(burst.max(1));
    let saved = period.saturating_mul(most.min((MINUTE_US / period).max(1)) - 1);
    // Four processes, all of whose permits wait for a start, have reserved this far ahead. A bucket beyond that means
    // that the clock was set back; then no burst is allowed.
    let reserved = period.saturating_mul(most.saturating_mul(4));
    let farthest = now.saturating_add(reserved).saturating_add(AHEAD_US);
    let mut full_at = if full_at > farthest { now.saturating_add(saved) } else { full_at };
    let mut at = Vec::new();
    for _ in 0..count {
        let start = now.max(full_at.saturating_sub(saved));
        full_at = full_at.max(start).saturating_add(period);
        at.push(start);
    }
    (at, full_at)
}

/// How far into the future the bucket may be full, beyond what reservations explain.
const AHEAD_US: i64 = MINUTE_US;

const MINUTE_US: i64 = 60_000_000;

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn one_process_gets_all_permits_and_several_share_them_by_demand() {
        assert_eq!(shares(&[1], 8, 0), [8]);
        assert_eq!(shares(&[8, 8], 8, 0), [4, 4]);
        assert_eq!(shares(&[8, 2], 8, 0), [6, 2]);
        assert_eq!(shares(&[8, 8, 8], 8, 5), [3, 3, 2]);
        assert_eq!(shares(&[1, 1], 8, 0), [4, 4]);
        assert_eq!(shares(&[], 8, 0), [0; 0]);
    }

    #[test]
    fn with_more_processes_than_permits_each_has_its_turn() {
        let turns: Vec<_> = (0..3).map(|turn| shares(&[4, 4, 4], 1, turn)).collect();
        assert_eq!(turns, [[1, 0, 0], [0, 1, 0], [0, 0, 1]]);
    }

    #[test]
    fn a_rate_bucket_delays_no_call_after_the_clock_was_set_back() {
        let (at, full_at) = starts(1_000_000_000_000, 5_000_000, 1_000_000, 3, 1);
        assert_eq!((at, full_at), (vec![5_000_000], 8_000_000));
    }

    #[test]
    fn a_slow_rate_lets_one_call_begin_at_a_time() {
        const HOUR: i64 = 60 * MINUTE_US;
        // Six calls at once at a rate of one an hour; then 30 an hour.
        let (mut full_at, mut all) = (0, Vec::new());
        for _ in 0..6 {
            let (at, next) = starts(full_at, 1_000, HOUR, 4, 1);
            (full_at, all) = (next, [all, at].concat());
        }
        assert_eq!(all, [0, 1, 2, 3, 4, 5].map(|n| 1_000 + n * HOUR));
        assert_eq!(starts(0, 1_000, HOUR / 30, 8, 2).0, [1_000, 1_000 + HOUR / 30]);
        assert_eq!(starts(0, 1_000, MINUTE_US / 5, 8, 6).0, [1_000, 1_000, 1_000, 1_000, 1_000, 1_000 + MINUTE_US / 5]);
    }

    proptest! {
        #[test]
        fn shares_add_up_to_the_limit_and_are_fair(
            wanted in prop::collection::vec(0_u32..20, 1..12), limit in 1_u32..30, turn: u64,
        ) {
            let shares = shares(&wanted, limit, turn);
            prop_assert_eq!(shares.iter().sum::<u32>(), limit);
            // A holder with less than it wants has at most one permit less than any other.
            for (mine, _) in shares.iter().zip(&wanted).filter(|(share, wanted)| share < wanted) {
                prop_assert!(shares.iter().all(|other| *other <= mine + 1));
            }
        }

        #[test]
        fn no_window_exceeds_the_rate_plus_one_burst(
            steps in prop::collection::vec((0_i64..3_000, 1_u32..6), 1..60),
            // From a microsecond to a call a day.
            period in prop_oneof![1_i64..1_000, 1_000_000_i64..86_400_000_000], burst in 1_u32..9,
        ) {
            let (mut now, mut full_at, mut all) = (0, 0, Vec::new());
            // Pauses of up to three periods; at a slow rate, a caller waits for its start before it asks for the next.
            for (pause, count) in steps {
                now += pause * (period / 1_000).max(1);
                let count = if period < 1_000 { count } else { 1 };
                let (at, next) = starts(full_at, now, period, burst, count);
                prop_assert!(at.iter().all(|at| *at >= now));
                full_at = next;
                now = if period < 1_000 { now } else { at.last().map_or(now, |at| now.max(*at)) };
                all.extend(at);
            }
            prop_assert!(all.is_sorted());
            for (from, begin) in all.iter().enumerate() {
                for (to, end) in all.iter().enumerate().skip(from) {
                    let allowed = i64::from(burst) + (end - begin) / period;
                    prop_assert!(i64::try_from(to - from + 1).unwrap_or(i64::MAX) <= allowed);
                }
            }
        }
    }
}
