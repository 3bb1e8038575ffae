//! The rules' version and the hash that stored keys are made with.

/// Rules by which sketches and keys are made; sketches of other rules are never alike, and keys of other rules lead nowhere.
pub const NEAR_VERSION: u8 = 4;

/// 64 bits of some letters: written out here, because stored keys must not change with a library.
pub(super) fn hash(salt: u64, letters: &[char]) -> u64 {
    letters.iter().fold(mixed(salt.wrapping_add(0x9E37_79B9_7F4A_7C15)), |sum, c| mixed(sum ^ u64::from(u32::from(*c))))
}

/// Spreads what is in some bits over all of them.
pub(super) fn mixed(mut n: u64) -> u64 {
    n = (n ^ (n >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    n = (n ^ (n >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    n ^ (n >> 31)
}
