//! Decides whether and when a failed call is retried: exponential backoff with full jitter, and at least the wait that
//! the service asks for. Pure: randomness is an argument, and nothing sleeps here.

use std::time::Duration;

/// The pauses between tries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Backoff {
    /// The first pause is random between zero and this. Each further one doubles the upper end.
    pub base: Duration,
    /// The upper end never exceeds this.
    pub cap: Duration,
    /// If a service asks for a longer wait, the call is given up.
    pub longest_wait: Duration,
}

impl Default for Backoff {
    /// Half a second doubling to 20 seconds. Waits of up to two minutes are honoured (some services ask for that).
    fn default() -> Self {
        Self { base: Duration::from_millis(500), cap: Duration::from_secs(20), longest_wait: Duration::from_secs(120) }
    }
}

/// What to do after a failed try.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::search) enum Next {
    /// Another try after this pause.
    After(Duration),
    /// No further try.
    GiveUp,
}

impl Backoff {
    /// Returns the pause before retry number `retry` (from 0), with `random` in `0.0..1.0`. A wait that the service
    /// asked for is a lower bound. Jitter comes on top, so that callers with the same wait do not return together.
    pub(in crate::search) fn next(&self, retry: u32, retry_after: Option<Duration>, random: f64) -> Next {
        match retry_after {
            Some(retry_after) if retry_after > self.longest_wait => Next::GiveUp,
            Some(retry_after) => Next::After(retry_after.saturating_add(part(self.ceiling(retry), random))),
            None => Next::After(part(self.ceiling(retry), random)),
        }
    }

    fn ceiling(&self, retry: u32) -> Duration {
        let factor = 1_u32.checked_shl(retry).unwrap_or(u32::MAX);
        self.base.saturating_mul(factor).min(self.cap)
    }
}

/// Returns a part of a duration. Clamps `random` to `0.0..=1.0`.
fn part(of: Duration, random: f64) -> Duration {
    let random = if random.is_finite() { random.clamp(0.0, 1.0) } else { 0.0 };
    Duration::try_from_secs_f64(of.as_secs_f64() * random).unwrap_or(of)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn pauses_double_up_to_the_cap() {
        let backoff = Backoff::default();
        let most = |retry| match backoff.next(retry, None, 1.0) {
            Next::After(pause) => pause.as_millis(),
            Next::GiveUp => 0,
        };
        assert_eq!(
            [0, 1, 2, 5, 6, 31, 32, u32::MAX].map(most),
            [500, 1_000, 2_000, 16_000, 20_000, 20_000, 20_000, 20_000]
        );
    }

    #[test]
    fn a_requested_wait_is_respected_up_to_the_longest_wait() {
        let backoff = Backoff::default();
        let seconds = Duration::from_secs;
        assert_eq!(backoff.next(0, Some(seconds(60)), 0.5), Next::After(Duration::from_millis(60_250)));
        assert_eq!(backoff.next(0, Some(seconds(120)), 0.0), Next::After(seconds(120)));
        assert_eq!(backoff.next(0, Some(seconds(121)), 0.0), Next::GiveUp);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn a_retry_pause_stays_within_its_limits(retry in any::<u32>(), random in any::<f64>()) {
            let backoff = Backoff::default();
            let Next::After(pause) = backoff.next(retry, None, random) else {
                return Err(TestCaseError::fail("nothing was asked for"));
            };
            prop_assert!(pause <= backoff.ceiling(retry) && pause <= backoff.cap);
        }
    }
}
