//! Spreads the start of jobs, so that a thousand jobs with the same slot do not call in the same second. Not random:
//! the same job and slot always wait equally long, on every host.

use std::time::Duration;

use crate::model::Time;

/// Returns how long after its slot a job starts: 0 to `max_ms` milliseconds inclusive, spread evenly over jobs and
/// slots. The slot itself does not change.
#[must_use]
pub fn jitter(job: &str, slot: Time, max_ms: u64) -> Duration {
    let mut hash = blake3::Hasher::new();
    hash.update(&slot.0.to_le_bytes()).update(job.as_bytes());
    let mut bytes = [0_u8; 8];
    bytes.copy_from_slice(&hash.finalize().as_bytes()[..8]);
    let share = (u128::from(u64::from_le_bytes(bytes)) * (u128::from(max_ms) + 1)) >> 64;
    Duration::from_millis(u64::try_from(share).unwrap_or(max_ms))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jitter_is_bounded_evenly_spread_and_stable() {
        let waits: Vec<u128> =
            (0..1_000).map(|n| jitter(&format!("topic:{n}"), Time(60_000), 9_999).as_millis()).collect();
        assert!(waits.iter().all(|ms| *ms <= 9_999));
        for tenth in 0..10 {
            let inside = waits.iter().filter(|ms| **ms / 1_000 == tenth).count();
            assert!((60..=140).contains(&inside), "{inside} of 1000 in tenth {tenth}");
        }
        assert_eq!(jitter("topic:a", Time(0), 0), Duration::ZERO);
        assert_ne!(jitter("topic:a", Time(0), 1 << 40), jitter("topic:a", Time(60_000), 1 << 40));
        // A golden value: changing it would move every job's start on an upgrade.
        assert_eq!(jitter("topic:a", Time(1_773_219_600_000), 60_000), Duration::from_millis(8_172));
        assert!(jitter("topic:a", Time(1), u64::MAX) > Duration::ZERO, "the widest bound does not overflow");
    }
}
