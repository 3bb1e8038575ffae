//! The version of the rules and the hash function of stored keys.

/// Version of the rules for sketches and keys. Sketches of different versions are never alike, and their keys never
/// match.
pub const NEAR_VERSION: u8 = 7;

/// A 64-bit hash of letters. Implemented here, because stored keys must not change with a library.
pub(super) fn hash(salt: u64, letters: &[char]) -> u64 {
    letters
        .iter()
        .fold(mix_bits(salt.wrapping_add(0x9E37_79B9_7F4A_7C15)), |sum, c| mix_bits(sum ^ u64::from(u32::from(*c))))
}

/// Mixes the bits (the SplitMix64 finalizer).
pub(super) fn mix_bits(mut n: u64) -> u64 {
    n = (n ^ (n >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    n = (n ^ (n >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    n ^ (n >> 31)
}
