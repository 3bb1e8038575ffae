//! How long to wait after a failed try: four times longer each time, at most eight hours, spread a little by the
//! event's id, so that messages that failed together do not come back together. Pure.

use std::time::Duration;

const FIRST: Duration = Duration::from_secs(60);
const LONGEST: Duration = Duration::from_secs(8 * 3_600);

/// The pause after the `attempt`th try of an event failed, counted from 1: 1, 4, 16 and 64 minutes, 4 hours and a
/// quarter, then 8 hours, each up to a tenth more.
#[must_use]
pub fn retry_delay(attempt: i64, event: &str) -> Duration {
    let times = u32::try_from(attempt.clamp(1, 16) - 1).unwrap_or(0);
    let pause = FIRST.saturating_mul(4_u32.saturating_pow(times)).min(LONGEST);
    let digest = blake3::hash(format!("{event} {attempt}").as_bytes());
    let [a, b, ..] = *digest.as_bytes();
    let spread = f64::from(u16::from_be_bytes([a, b])) / f64::from(u16::MAX);
    pause + pause.mul_f64(spread / 10.0)
}
