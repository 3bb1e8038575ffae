//! The token of the pages: compared in constant time, and the key of signatures that reveal nothing about it. `guard`
//! reads it from requests; `sessions` gives a browser something in its place.

pub(super) mod access_rule;
pub(super) mod authentication;
pub(super) mod guess_limit;
pub(super) mod sessions;
pub(super) mod tokens;
pub(super) mod visitor;

use std::collections::HashSet;

use hmac::{Hmac, KeyInit as _, Mac as _};
use secrecy::{ExposeSecret as _, SecretString};
use sha2::Sha256;

/// Shorter tokens can be guessed.
const SHORTEST: usize = 16;
/// Fewest different characters. With fewer, a token is a key that somebody held down.
const FEWEST: usize = 5;

/// The token that gives access to the pages.
#[derive(Clone)]
pub struct Access {
    token: SecretString,
}

impl std::fmt::Debug for Access {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Access(***)")
    }
}

impl Access {
    /// Access by a token. Refuses, with the reason, one that is too short or too simple.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn by(token: SecretString) -> Result<Self, &'static str> {
        if token.expose_secret().len() < SHORTEST {
            return Err("the token of the pages is shorter than 16 characters");
        }
        if token.expose_secret().chars().collect::<HashSet<char>>().len() < FEWEST {
            return Err("the token of the pages has fewer than 5 different characters, so it can be guessed");
        }
        Ok(Self { token })
    }

    /// Access by a named token, of which the database has only the hash. Its signatures are valid for that token
    /// only.
    pub(super) fn named(hash: &str) -> Self {
        Self { token: SecretString::from(hash) }
    }

    fn mac(&self, words: &str) -> Hmac<Sha256> {
        #[expect(clippy::expect_used, reason = "HMAC takes keys of every length")]
        let mut mac = Hmac::<Sha256>::new_from_slice(self.token.expose_secret().as_bytes()).expect("any length");
        mac.update(words.as_bytes());
        mac
    }

    /// Whether this is the token. Both sides are hashed, so that the time it takes reveals nothing.
    pub(super) fn matches(&self, token: &str) -> bool {
        const SAME: &str = "topicwatch token";
        #[expect(clippy::expect_used, reason = "HMAC takes keys of every length")]
        let mut token_mac = Hmac::<Sha256>::new_from_slice(token.as_bytes()).expect("any length");
        token_mac.update(SAME.as_bytes());
        self.mac(SAME).verify_slice(&token_mac.finalize().into_bytes()).is_ok()
    }

    /// Signs words; returns hexadecimal digits.
    pub(super) fn sign(&self, words: &str) -> String {
        let digest = self.mac(words).finalize().into_bytes();
        digest.iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// Whether this is the signature of the words.
    pub(super) fn verify(&self, words: &str, signature: &str) -> bool {
        if signature.len() != 64 || !signature.is_ascii() {
            return false;
        }
        let byte = |n: usize| u8::from_str_radix(signature.get(2 * n..2 * n + 2)?, 16).ok();
        let bytes: Option<Vec<u8>> = (0..32).map(byte).collect();
        bytes.is_some_and(|bytes| self.mac(words).verify_slice(&bytes).is_ok())
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests fail by panicking")]
    use super::*;

    #[test]
    fn only_the_token_and_its_signatures_are_accepted() {
        let access = Access::by(SecretString::from("a token of some length")).unwrap();
        assert!(access.matches("a token of some length"));
        for wrong in ["", "a token", "a token of some length ", "A token of some length"] {
            assert!(!access.matches(wrong), "{wrong}");
        }
        let signature = access.sign("some words");
        assert!(access.verify("some words", &signature));
        let other = Access::by(SecretString::from("another token, as long")).unwrap();
        for (by, words, signature) in [
            (&access, "other words", signature.as_str()),
            (&other, "some words", &signature),
            (&access, "some words", ""),
            (&access, "some words", &signature[..62]),
        ] {
            assert!(!by.verify(words, signature), "{words} {signature}");
        }
        for guessed in ["short", &"a".repeat(64), &"abab".repeat(8), &"0123".repeat(9)] {
            assert!(Access::by(SecretString::from(guessed)).is_err(), "{guessed}");
        }
        assert_eq!(format!("{access:?}"), "Access(***)");
    }
}
