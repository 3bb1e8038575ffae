//! Keys that find the copies of a text without comparing it with every text (MinHash): the minimum hash of its long
//! pieces under several permutations. Two texts that share half of their long pieces share one of six keys in 98 of 100
//! cases; texts with only words in common share almost none.

use super::letters::{Letters, weight};
use super::stable_hash::{NEAR_VERSION, hash, mix_bits};
use crate::model::Kind;

/// Minimum weight of a long piece: twelve letters, or six that count for two.
const LONG: usize = 12;

/// Number of permutations.
const ORDERS: u64 = 6;

/// A text below this weight has no copies: too many people write the same short text independently.
pub(super) const LEAST: usize = 16;

/// Salts keys with the version. An older version may have given the same key to texts that are now distinguished.
const VERSION: u64 = (NEAR_VERSION as u64) << 32;

/// The keys of a text and a title; empty if both are too short. The last key is a hash of all letters.
pub(super) fn of(kind: Kind, text: &Letters, title: &Letters) -> Vec<i64> {
    let page = u64::from(kind == Kind::Page);
    let mut keys = Vec::new();
    for (part, letters) in [(0, text), (1, title)] {
        if letters.weight() >= LEAST {
            min_hashes(part * 2 + page, &letters.letters, &mut keys);
        }
    }
    if !keys.is_empty() {
        let exact_key = mix_bits(hash(VERSION | (8 + page), &text.letters) ^ hash(10, &title.letters).rotate_left(1));
        keys.push(exact_key.cast_signed());
    }
    keys
}

fn min_hashes(salt: u64, letters: &[char], keys: &mut Vec<i64>) {
    let mut least = [u64::MAX; ORDERS as usize];
    let (mut end, mut sum) = (0, 0);
    for (begin, first) in letters.iter().enumerate() {
        while sum < LONG {
            let Some(c) = letters.get(end) else { break };
            sum += weight(*c);
            end += 1;
        }
        if sum < LONG {
            break;
        }
        let piece = hash(salt, letters.get(begin..end).unwrap_or_default());
        for (order, least) in (1..).zip(&mut least) {
            *least = (*least).min(mix_bits(piece ^ mix_bits(order)));
        }
        sum -= weight(*first);
    }
    for (order, least) in (0..).zip(least) {
        let key = mix_bits(least ^ (VERSION | salt << 8 | order)).cast_signed();
        if !keys.contains(&key) {
            keys.push(key);
        }
    }
}
