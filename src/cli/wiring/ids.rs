//! Randomness and the ids made from it: run ids (ULID), fencing tokens, jitter. With `--at` the run ids are derived
//! from what is run, so that the output is reproducible.

use std::hash::{BuildHasher, Hasher};
use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

use crate::model::Time;

/// Returns 64 pseudo-random bits. The standard library seeds its hasher keys once per thread from the system.
fn random() -> u64 {
    std::collections::hash_map::RandomState::new().build_hasher().finish()
}

/// Returns a generator of numbers in `0.0..1.0`, for pauses between tries.
pub(in crate::cli) fn fractions() -> Arc<dyn Fn() -> f64 + Send + Sync> {
    #[expect(clippy::cast_precision_loss, reason = "53 bits are what a fraction holds")]
    Arc::new(|| (random() >> 11) as f64 / (1_u64 << 53) as f64)
}

/// Returns a fencing token: 32 hexadecimal digits.
pub(in crate::cli) fn token() -> String {
    format!("{:016x}{:016x}", random(), random())
}

/// Returns 256 random bits of the system.
pub(in crate::cli) fn key() -> Result<[u8; 32], getrandom::Error> {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes)?;
    Ok(bytes)
}

/// Returns 256 random bits of the system, as text that needs no quoting.
pub(in crate::cli) fn secret() -> Result<String, getrandom::Error> {
    Ok(URL_SAFE_NO_PAD.encode(key()?))
}

/// Returns a run id that sorts by time.
pub(in crate::cli) fn run_id(now: Time) -> String {
    ulid(now, (u128::from(random()) << 64) | u128::from(random()))
}

/// Returns the run id of the `n`th manual run of a job at a time that was set with `--at`.
pub(in crate::cli) fn reproducible_run_id(now: Time, job: &str, n: i64) -> String {
    let digest = blake3::hash(format!("{job} {n} {}", now.0).as_bytes());
    let mut bytes = [0; 16];
    bytes.copy_from_slice(digest.as_bytes().first_chunk::<16>().unwrap_or(&[0; 16]));
    ulid(now, u128::from_be_bytes(bytes))
}

fn ulid(now: Time, random: u128) -> String {
    ulid::Ulid::from_parts(u64::try_from(now.0).unwrap_or(0), random).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reproducible_run_id_depends_only_on_the_job_and_the_time() {
        let at = Time(1_773_219_600_000);
        assert_eq!(reproducible_run_id(at, "topic:a", 0), reproducible_run_id(at, "topic:a", 0));
        assert_ne!(reproducible_run_id(at, "topic:a", 0), reproducible_run_id(at, "topic:a", 1));
        assert_ne!(run_id(at), run_id(at));
        assert_eq!(run_id(at).len(), 26);
        assert!((0..1_000).map(|_| fractions()()).all(|f| (0.0..1.0).contains(&f)));
    }
}
