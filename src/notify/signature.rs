//! Signs the body of a webhook, and verifies it as a receiver would: HMAC-SHA256 over the time in seconds, a dot, and
//! the body as sent. The time is signed too, so that a receiver can refuse old requests.

use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;

/// The header's value: `t=1773219600,v1=<hex>`.
#[must_use]
pub fn signature(secret: &[u8], seconds: i64, body: &[u8]) -> String {
    let digest = mac(secret, seconds, body).finalize().into_bytes();
    let hex: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    format!("t={seconds},v1={hex}")
}

/// Whether a header's value is the signature of a body.
#[must_use]
pub fn verify(secret: &[u8], header: &str, body: &[u8]) -> bool {
    let part = |name: &str| header.split(',').find_map(|part| part.trim().strip_prefix(name));
    let Some(seconds) = part("t=").and_then(|t| t.parse().ok()) else { return false };
    let Some(hex_signature) = part("v1=").filter(|hex| hex.len() == 64 && hex.is_ascii()) else { return false };
    let bytes: Option<Vec<u8>> = (0..32)
        .map(|at| hex_signature.get(2 * at..2 * at + 2).and_then(|hex| u8::from_str_radix(hex, 16).ok()))
        .collect();
    bytes.is_some_and(|bytes| mac(secret, seconds, body).verify_slice(&bytes).is_ok())
}

#[expect(clippy::expect_used, reason = "HMAC takes keys of every length")]
fn mac(secret: &[u8], seconds: i64, body: &[u8]) -> Hmac<Sha256> {
    let mut mac = Hmac::<Sha256>::new_from_slice(secret).expect("a key of any length");
    mac.update(format!("{seconds}.").as_bytes());
    mac.update(body);
    mac
}
